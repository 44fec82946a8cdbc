"""Applications as protocols: whatever clocks, networks and schedulers do.

Messages from one process to another arrive in the order in which they were sent, those of the
environment to one process in the order of their times; nothing else is known of when anything
happens. Between two sends of one handler others may do what they like.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple, TypeAlias, TypeVar

from choreomon.actors.compilation import CompiledApplication, Route, Sending
from choreomon.actors.program import perform
from choreomon.core.message import Label
from choreomon.possible.protocol import Events

T = TypeVar("T")

_Channel: TypeAlias = tuple[str, tuple[Route, ...]]
"""The messages from one sender to one receiver that are not handled yet, the oldest first."""


class Situation(NamedTuple):
    """The state of an application between two events.

    - `variables`: of each process, by slot;
    - `unsent`: what each process still sends in the handler that it is in;
    - `channels`: for each receiver the channels that hold something, by sender.
    """

    variables: tuple[tuple[int | bool, ...], ...]
    unsent: tuple[tuple[Sending, ...], ...]
    channels: tuple[tuple[_Channel, ...], ...]


class ApplicationProtocol:
    """The runs of an application, in all orders. Values that messages carry are left out: handlers
    do not depend on them."""

    def __init__(self, application: CompiledApplication) -> None:
        self._application = application
        self.processes = application.processes
        starts = [start.route.label for start in application.starts]
        sends = [send for p in application.programs for block in p for send in block.sends]
        self.labels = frozenset(
            (*starts, *(s.label for s in sends), *(s.route.label for s in sends))
        )

    def loosened(self, watched: Collection[Label]) -> None:
        """Loosens nothing: what handlers do depends on all that happened."""

    def initial(self) -> tuple[Situation, ...]:
        channels: list[tuple[_Channel, ...]] = [()] * len(self.processes)
        for start in sorted(self._application.starts, key=lambda start: start.at):
            channels[start.route.receiver] = _with(channels[start.route.receiver], start.route)
        nothing: tuple[Sending, ...] = ()
        return (
            Situation(
                self._application.variables, (nothing,) * len(self.processes), tuple(channels)
            ),
        )

    def may_end(self, state: Situation) -> bool:
        return not any(state.unsent) and not any(state.channels)

    def steps(self, state: Situation) -> Iterator[tuple[Events, Situation]]:
        """The steps that a process may take next: send what it still has to, or handle the oldest
        message of one of its senders."""
        variables, unsent, channels = state
        for own, sends in enumerate(unsent):
            if sends:
                send = sends[0]
                to = send.route.receiver
                yield (
                    (send.label,),
                    Situation(
                        variables,
                        _put(unsent, own, sends[1:]),
                        _put(channels, to, _with(channels[to], send.route)),
                    ),
                )
                continue
            for place, (sender, (route, *later)) in enumerate(channels[own]):
                changed = [*variables[own]]
                told = perform(self._application.programs[route.program], changed)
                left = ((sender, tuple(later)),) if later else ()
                rest = (*channels[own][:place], *left, *channels[own][place + 1 :])
                yield (
                    (route.label,),
                    Situation(
                        _put(variables, own, tuple(changed)),
                        _put(unsent, own, told),
                        _put(channels, own, rest),
                    ),
                )


def _with(channels: tuple[_Channel, ...], route: Route) -> tuple[_Channel, ...]:
    """The channels to one receiver with a message more; sorted, so that equal ones are equal."""
    held = dict(channels)
    sender = route.label.message.sender
    held[sender] = (*held.get(sender, ()), route)
    return tuple(sorted(held.items(), key=_sender))


def _sender(channel: _Channel) -> str:
    return channel[0]


def _put(values: tuple[T, ...], place: int, value: T) -> tuple[T, ...]:
    return (*values[:place], value, *values[place + 1 :])
