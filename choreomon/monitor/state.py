"""What a pulling monitor remembers, and what it is stepped with. Frozen values."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from choreomon.core.message import Event
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import Judgement, Reference, Word
from choreomon.monitor.history import Chain, Record
from choreomon.monitor.messages import Inquiry, Response
from choreomon.properties.tables import Inspected


class Observe(NamedTuple):
    """A labelled event of the process; it is queued, not yet processed."""

    event: Event


class ProcessNext(NamedTuple):
    """The oldest queued event is to be processed."""


class Expire(NamedTuple):
    """The deadline for answers about the event with this clock has passed."""

    event: VectorClock


Input: TypeAlias = Event | Observe | ProcessNext | Inquiry | Response | Expire
"""An `Event` is `Observe` and `ProcessNext` in one, for a driver that never lets events queue."""


class Inspection(NamedTuple):
    """The inspection of one transition at one event: who still has to answer, and what
    was answered."""

    event: VectorClock
    inspected: Inspected
    waiting: tuple[str, ...]
    records: tuple[Record, ...] = ()


class Decision(NamedTuple):
    """The joint word about an event that labels final transitions, while it is not given:
    what those that were judged came to, how many are still inspected, and the provisional
    word that was given, if any."""

    event: VectorClock
    judged: tuple[tuple[Reference, Judgement], ...]
    missing: int
    told: Word | None = None


class MonitorState(NamedTuple):
    """Everything that a monitor remembers.

    `unprocessed`: the paper's `list`. `history`: a chain for each own reference, in the
    order of `Monitor.references`; an inspection that is not over has an open record in
    it. `inspections` and `decisions`: oldest event first. `postponed`: the inquiries that
    wait, the monitor's own to itself among them. `settled`: for each process, what its
    monitor promised (`Inquiry.settled`).
    """

    unprocessed: tuple[Event, ...]
    history: tuple[Chain, ...]
    inspections: tuple[Inspection, ...]
    decisions: tuple[Decision, ...]
    postponed: tuple[Inquiry, ...]
    settled: tuple[int, ...]

    @property
    def records(self) -> int:
        """The size of the history."""
        return sum(map(len, self.history))
