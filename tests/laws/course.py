"""What happened in a run of hosts, what was said of it, and what of that is wrong."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from choreomon.core.message import Event, Label
from choreomon.core.vector_clock import VectorClock, merge, zero
from choreomon.core.verdict import NEVER, POSSIBLY_VIOLATED, VIOLATED, MonitorVerdict, VerdictKind
from choreomon.monitor.effects import Declared
from choreomon.monitor.host import HostEffect, HostState
from choreomon.monitor.messages import PeerMessage
from choreomon.monitor.rights import Refused
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.reference import formations


class Happened(NamedTuple):
    """An event in the real order, with its clock where its host was told. Where it was not, or has
    forgotten it, the event is in the gap of this number of its process, which began after the clock
    `since`. `knew`: what was known there, as far as it was lost with a disk, then or before: others
    were answered by it, and so it is after that whatever its host remembers."""

    label: Label
    process: int
    clock: VectorClock | None
    gap: int = 0
    since: VectorClock | None = None
    knew: VectorClock | None = None

    @property
    def number(self) -> int | None:
        """Its own count."""
        return None if self.clock is None else self.clock[self.process]


class Step(NamedTuple):
    """What one host did; `events` is the number of events that had happened before, `given` the
    message that it got, and `about` the count of the event whose deadline passed."""

    kind: str
    process: int
    before: HostState
    after: HostState
    effects: list[HostEffect]
    events: int
    given: PeerMessage | None = None
    about: int = 0


class Course:
    """A run so far. `ends_of`: for each gap that has ended with something lost, by its process and
    its number, the count of its end. `past_of`: for each told event, by its index, the told events
    that happened before it, by the definition: along processes and messages."""

    def __init__(self, automaton: SequenceAutomaton) -> None:
        self.automaton = automaton
        self.events: list[Happened] = []
        self.steps: list[Step] = []
        self.ends_of: dict[tuple[int, int], int] = {}
        self.past_of: dict[int, frozenset[int]] = {}

    @property
    def formed(self) -> set[int]:
        """The indices of the events at which the property was formed."""
        labels = [event.label for event in self.events]
        return {f.index for f in formations(self.automaton, labels)}

    def effects(self) -> list[tuple[int, HostEffect]]:
        """Each with its process."""
        return [(step.process, effect) for step in self.steps for effect in step.effects]

    def said(self) -> list[tuple[int, int, Declared]]:
        """All words, in order: process, count, word."""
        return [
            (process, effect.event[process], effect)
            for process, effect in self.effects()
            if isinstance(effect, Declared)
        ]

    def last_verdicts(self) -> dict[tuple[int, int], VerdictKind | None]:
        """What was finally said of told events, by process and count."""
        return {
            (process, count): declared.verdict.kind if declared.verdict else None
            for process, count, declared in self.said()
            if not declared.provisional and not is_unseen(declared.verdict)
        }

    def words(self) -> dict[int, VerdictKind | None]:
        """The same by the index of the event."""
        last = self.last_verdicts()
        return {
            index: last[event.process, event.number]
            for index, event in enumerate(self.events)
            if event.number is not None and (event.process, event.number) in last
        }

    def violated(self) -> set[int]:
        return {index for index, word in self.words().items() if word == VIOLATED}

    def possibly(self) -> set[int]:
        return {index for index, word in self.words().items() if word == POSSIBLY_VIOLATED}

    def missed(self) -> set[int]:
        """Formed at an event that the host was told, and nothing was declared."""
        told = {index for index in self.formed if not self.events[index].gap}
        return told - self.violated() - self.possibly()

    def false_alarms(self) -> set[int]:
        """Declared violated, for now or for good, where the property was not formed."""
        index_of = {(e.process, e.number): index for index, e in enumerate(self.events)}
        return {
            index_of[process, count]
            for process, count, declared in self.said()
            if declared.verdict is not None and declared.verdict.kind == VIOLATED
        } - self.formed

    def uncovered(self) -> set[int]:
        """Formed at an event that the host was not told, or forgot, and no word is about its gap,
        although this has ended."""
        unseen = {
            (process, count)
            for process, count, declared in self.said()
            if is_unseen(declared.verdict)
        }
        return {
            index
            for index in self.formed
            if (self.events[index].process, self.events[index].gap) in self.ends_of
            and (event := self.events[index])
            and (event.process, self.ends_of[event.process, event.gap]) not in unseen
        }

    def refused(self) -> list[Refused]:
        """What hosts refused each other, though all of them keep the rules."""
        return [effect for _, effect in self.effects() if isinstance(effect, Refused)]

    def told_again(self) -> list[tuple[int, int, str]]:
        """Words that are not each event's first provisional one and then its last one."""
        seen: dict[tuple[int, int], str] = {}
        again = []
        for process, count, declared in self.said():
            kind = "provisional" if declared.provisional else "last"
            before = seen.get((process, count))
            if before == "last" or before == kind:
                again.append((process, count, kind))
            seen[process, count] = kind
        return again


def is_unseen(verdict: MonitorVerdict | None) -> bool:
    return verdict is not None and verdict.unseen


def with_hidden(
    course: Course, processes: Sequence[str], *, forgetful: bool = False
) -> list[Event]:
    """The events of a run with clocks that count hidden ones, too, for who asks what all
    orders say. A hidden event comes after what its process did before it, and after what was known
    there when its gap began; where this is not `forgetful`, also after what was known there and
    lost with a disk. Who knows of something that its process did later, or of the end of its gap,
    is after it."""
    own: list[list[int]] = [[] for _ in processes]
    for index, event in enumerate(course.events):
        own[event.process].append(index)
    known_by: list[list[int]] = []  # by process, in order: the least count that tells of each event
    for process, indices in enumerate(own):
        later, counts = NEVER, []
        for index in reversed(indices):
            event = course.events[index]
            if event.number is None:
                end = course.ends_of.get((process, event.gap), NEVER)
                later = min(later, end)
            else:
                later = event.number
            counts.append(later)
        known_by.append(counts[::-1])
    found: dict[int, Event] = {}
    for process, indices in enumerate(own):
        clock = zero(len(processes))
        for place, index in enumerate(indices, 1):
            event = course.events[index]
            if event.gap:
                knew = None if forgetful else event.knew
                known = tuple(map(bisect_right, known_by, knew or event.since or clock))
                clock = merge(clock, known)
            else:
                assert event.clock is not None
                knew = None if forgetful else event.knew
                reached = merge(event.clock, knew) if knew else event.clock
                clock = tuple(map(bisect_right, known_by, reached))
            clock = (*clock[:process], place, *clock[process + 1 :])
            found[index] = Event(event.label, clock)
    return [found[index] for index in range(len(course.events))]
