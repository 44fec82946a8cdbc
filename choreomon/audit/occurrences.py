"""Counts of what happened in logs, so that a label that occurs nowhere is not passed over.

Whoever forbids `bank -> till : refusd` is told "nothing forbidden happened" for ever. So events are
counted by what they are, and a label without events is told with what may have been meant instead.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import SequenceMatcher
from operator import add
from types import MappingProxyType
from typing import Final, NamedTuple

from choreomon.core.message import HANDLE, SEND, Label
from choreomon.core.names import written
from choreomon.core.recorded import RecordedEvent, RecordedKind
from choreomon.core.roles import NO_ROLES, Roles

MOST_OTHERS: Final = 10_000
"""Different events of which no label speaks that are counted, the first ones. Names that hold
numbers are many; what is meant by a label is hardly among those that come late."""

ALIKE: Final = 0.6
"""The least similarity of two names of which one may have been meant by the other."""


class Occurrence(NamedTuple):
    """A kind of event that may occur many times; `peer` is None if logs do not say the other
    end."""

    kind: RecordedKind
    process: str
    name: str
    peer: str | None

    def __str__(self) -> str:
        own, name = written(self.process), written(self.name)
        other = "?" if self.peer is None else written(self.peer)
        if self.kind == SEND:
            return f"{own} -> {other} : {name}"
        if self.kind == HANDLE:
            return f"handle {other} -> {own} : {name}"
        return f"{self.process}: {self.name}"


class LabelOccurrences(NamedTuple):
    """A label, how many `events` are of it, and in how many `sessions` there are some. Of one that
    has none, `nearest` is what it may have meant, if anything, and how often that occurs."""

    label: Label
    events: int
    sessions: int
    nearest: Occurrence | None = None
    nearest_events: int = 0

    def sentence(self) -> str:
        """Say of a label without events that it has none."""
        told = f"Not exercised: {self.label} occurs nowhere in these logs"
        if self.nearest is None:
            return f"{told}."
        times = "once" if self.nearest_events == 1 else f"{self.nearest_events:,} times"
        return f"{told}; did you mean {self.nearest}, which occurs {times}?"


class Occurrences(NamedTuple):
    """Counts of what happened, as far as counted, beside the labels of the property, and of the
    `sessions` in which each label occurred. All of it is over roles, of which `roles` has the
    replicas that logs have."""

    labels: tuple[Label, ...] = ()
    counts: Mapping[Occurrence, int] = MappingProxyType({})
    sessions: tuple[int, ...] = ()
    roles: Roles = NO_ROLES

    def of_labels(self) -> tuple[LabelOccurrences, ...]:
        """Return the labels in their order. An event that does not say its other end is counted for
        each label that it may have."""
        return tuple(
            LabelOccurrences(label, events, sessions)
            if (events := _events(label, self.counts))
            else LabelOccurrences(label, 0, 0, *self._nearest(label))
            for label, sessions in zip(self.labels, self.sessions, strict=True)
        )

    def nowhere(self) -> tuple[LabelOccurrences, ...]:
        """Return the labels that no event has."""
        return tuple(each for each in self.of_labels() if not each.events)

    def _nearest(self, label: Label) -> tuple[Occurrence | None, int]:
        meant = {occurrence_of(other) for other in self.labels}
        wanted = occurrence_of(label)
        near = [
            (likeness, events, found)
            for found, events in self.counts.items()
            if found not in meant and (likeness := _likeness(wanted, found))
        ]
        if not near:
            return None, 0
        _, events, found = min(near, key=lambda each: (-each[0], -each[1], str(each[2])))
        return found, events


class Counting:
    """Counts events of one session while logs are read, or of many that are merged. What a label
    speaks of is always counted, of the rest the first `MOST_OTHERS`. Events of replicas are counted
    as those of their `roles`."""

    def __init__(self, labels: Collection[Label], roles: Roles = NO_ROLES) -> None:
        self._roles, self._over_roles = roles, bool(roles)
        self._labels = tuple(labels)
        self._wanted = {occurrence_of(label)[:3] for label in labels}
        self._counts: dict[tuple[RecordedKind, str, str, str | None], int] = {}
        self._sessions: tuple[int, ...] | None = None

    def add(self, event: RecordedEvent) -> None:
        """Count an event."""
        process, peer = event.process, event.peer
        if self._over_roles:
            process = self._roles.role_of(process)
            peer = None if peer is None else self._roles.role_of(peer)
        self._add((event.kind, process, event.name, peer), 1)

    def merge(self, other: Occurrences) -> None:
        """Add what was counted in other sessions, for the same property."""
        self._roles = self._roles or other.roles
        before = self._sessions or (0,) * len(self._labels)
        self._sessions = tuple(map(add, before, other.sessions))
        for what, events in other.counts.items():
            self._add(what, events)

    def _add(self, what: tuple[RecordedKind, str, str, str | None], events: int) -> None:
        counts = self._counts
        if what in counts:
            counts[what] += events
        elif len(counts) < MOST_OTHERS or what[:3] in self._wanted:
            counts[what] = events

    def found(self) -> Occurrences:
        """Return the counts so far."""
        counts = {Occurrence(*what): events for what, events in self._counts.items()}
        sessions = self._sessions
        if sessions is None:  # nothing was merged, so that it is one session
            sessions = tuple(min(1, _events(label, counts)) for label in self._labels)
        return Occurrences(self._labels, MappingProxyType(counts), sessions, self._roles)


def occurrence_of(label: Label) -> Occurrence:
    """Return what an event of this label is, told in full."""
    sender, name, receiver = label.message
    peer = receiver if label.kind == SEND else sender
    return Occurrence(label.kind, label.process, name, peer)


def _events(label: Label, counts: Mapping[Occurrence, int]) -> int:
    own = occurrence_of(label)
    return counts.get(own, 0) + counts.get(own._replace(peer=None), 0)


def _likeness(wanted: Occurrence, found: Occurrence) -> float:
    """Return how likely the one was meant by the other; 0 where it hardly was. Either the message
    has the same name, and at least one end is alike; or the ends are the same, and its name is
    alike. Sending is meant by handling only where both are the same."""
    if found.kind not in (SEND, HANDLE):
        return 0
    ends, others = _ends(wanted), _ends(found)
    same_ends = all(map(_same, ends, others))
    if wanted.kind != found.kind:
        return 1 if same_ends and wanted.name == found.name else 0
    if _same(wanted.name, found.name):
        if ends == others[::-1]:
            return 3
        likeness = [*map(_alike, ends, others)]
        return 2 + sum(likeness) if max(likeness) >= ALIKE else 0
    if not same_ends:
        return 0
    name = _alike(wanted.name, found.name)
    return 2 * name + 2 if name >= ALIKE else 0


def _ends(what: Occurrence) -> tuple[str | None, str | None]:
    """Return the sender and the receiver."""
    return (what.process, what.peer) if what.kind == SEND else (what.peer, what.process)


def _same(one: str | None, other: str | None) -> bool:
    return one is None or other is None or one.casefold() == other.casefold()


def _alike(one: str | None, other: str | None) -> float:
    if one is None or other is None or _same(one, other):
        return 1
    matcher = SequenceMatcher(None, one.casefold(), other.casefold())
    return matcher.ratio() if matcher.quick_ratio() >= ALIKE else 0
