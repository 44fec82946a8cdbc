"""Services, their agents, and what these have of a slot in memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from choreomon.core.message import Label
from choreomon.core.vector_clock import VectorClock, zero
from choreomon.runtime.hosted import SidecarState
from choreomon.runtime.inputs import Input
from choreomon.runtime.leases.holding import NOTHING_HELD, Holding
from choreomon.runtime.leases.moving import Told
from choreomon.runtime.leases.rules import Lease
from choreomon.runtime.outputs import Output, Reply


class Waits(NamedTuple):
    """An event that its service was not answered. `uid` names it for the judge."""

    uid: int
    number: int
    label: Label
    heard: VectorClock


class Service:
    """A replica of the application, in a pod: it tells one event after the other under `block`, and
    waits for each answer."""

    def __init__(self, pod: str, role: str, size: int) -> None:
        self.pod, self.role = pod, role
        self.carried: VectorClock = zero(size)
        self.waiting: Waits | None = None
        self.told: Told | None = None
        self.next = 1
        self.connection = 0
        self.welcomed = self.greeted = False


@dataclass
class Beside:
    """A slot in an agent's memory."""

    lease: Lease
    state: SidecarState
    batch: list[Input] = field(default_factory=list)
    held: list[Output] = field(default_factory=list)
    begun: int = 0
    """The count of the end of the gap with which a life began that is not committed."""
    checked: bool = False
    """Only of a bug."""


class Agent:
    """An agent in a pod; it dies alone or with its service."""

    def __init__(self, name: str, service: Service) -> None:
        self.name, self.service = name, service
        self.pod, self.role = service.pod, service.role
        self.holding: Holding = NOTHING_HELD
        self.slots: dict[str, Beside] = {}
        self.book: dict[str, Agent] = {}
        self.replies: list[Reply] = []
        """On their way to the service; they die with the agent."""
        self.alive, self.paused, self.has_service = True, False, True
        self.starts = True

    @property
    def own(self) -> Beside | None:
        """The slot of its service."""
        return self.slots.get(self.holding.own)
