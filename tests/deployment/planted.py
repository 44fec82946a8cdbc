"""Processes of a run with a bug each, for the laws to notice. They are imported by the processes
themselves."""

from __future__ import annotations

from choreomon.agent_files.clocks.text import Carried
from choreomon.core.message import SEND, Message
from choreomon.deployment import actor_process
from choreomon.deployment.actor_process import Actor, ActorRole
from choreomon.deployment.application_frames import Delivered, Done, Posted
from choreomon.deployment.instructions import Control
from choreomon.deployment.links import Links
from choreomon.deployment.network_process import NetworkRole


class _TellsLate(Actor):
    async def _send(self, to: str, name: str) -> None:
        """The message leaves before the monitor knows of it."""
        self._sent += 1
        headers = self._headers(Carried(self._name, name, ""))
        self._mailbox.send(Posted(to, name, self._sent, headers, 0.0))
        carried = await self._process.sending(to, name)
        self._note(SEND, Message(self._name, name, to), self._sent, carried.clock)


class _ForgetsClocks(Actor):
    def _headers(self, carried: Carried) -> dict[str, str]:
        return super()._headers(carried._replace(clock=""))


class _DoneTooEarly(Actor):
    async def _handle(self, delivered: Delivered) -> None:
        self._mailbox.send(Done(1))
        self._mailbox.send(Done(-1))
        await super()._handle(delivered)


class _Planted(ActorRole):
    async def play(self, control: Control) -> None:
        actor_process.Actor = self.actor  # type: ignore[misc,attr-defined]
        await super().play(control)


class TellsLate(_Planted):
    actor = _TellsLate


class ForgetsClocks(_Planted):
    actor = _ForgetsClocks


class DoneTooEarly(_Planted):
    actor = _DoneTooEarly


class Impatient(NetworkRole):
    """Nothing takes any time."""

    def _links(self, name: str, *, in_order: bool) -> Links:
        links = super()._links(name, in_order=in_order)
        links._scale *= 1e6
        return links


class Overtakes(NetworkRole):
    """Messages of the application are not in order."""

    def _links(self, name: str, *, in_order: bool) -> Links:
        return super()._links(name, in_order=False)
