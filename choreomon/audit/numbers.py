"""Numbers that count the events of a process in all sessions: which of them nobody wrote down.

A process may number its events, or count them in its clock, without regard to sessions. Then each
session has a part of the numbers, and what is missing shows in the log as a whole only. Which
session a missing event belonged to nobody knows: it may have been any.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

from choreomon.audit.process import stated_number
from choreomon.core.recorded import RecordedEvent

Counted: TypeAlias = Literal["session", "process"]
"""`session`: numbers of a process begin anew in each session; `process`: they go on through all."""

Runs: TypeAlias = Sequence[tuple[int, int]]
"""Numbers without those between them: the first and the last one of each run, runs in order."""


class Missing(NamedTuple):
    """Numbers of a process that no event has: this many, from the first to the last one."""

    first: int
    last: int
    number: int


MOST_RUNS: Final = 10_000
"""Runs of missing numbers of a process that are kept while logs grow, a hundred bytes each."""


class Numbering(Protocol):
    """Knowledge of numbers beyond one session."""

    def counts_all(self, process: str) -> bool:
        """Return whether numbers of the process go on through all sessions."""

    def missing(self, process: str, after: float, before: float | None = None) -> Missing | None:
        """The missing numbers of such a process between these two, or after the first one."""

    def last_up_to(self, process: str, count: int) -> int:
        """The number of the last event in this session that a clock knows with this count."""


class WholeLog:
    """The numbers of all events of all sessions. Give it events with `add`, or those that others
    have seen with `merge`, in any order.

    `counted`: how numbers count, where that is said; None: as they look. They go on through all
    sessions where none of them comes twice. Numbers that begin anew and of which no two sessions
    have the same, as there are two sessions and much is missing, are taken for such.
    """

    def __init__(self, counted: Counted | None = None) -> None:
        self._counted = counted
        self.processes: set[str] = set()
        self._numbers: dict[str, array[int]] = {}
        self._runs: dict[str, list[tuple[int, int]]] = {}
        self._twice: set[str] = set()
        self._told: dict[str, int] = {}

    def add(self, event: RecordedEvent) -> None:
        """Take the next event."""
        process, clock = event.process, event.clock
        if self._counted == "session":
            self.processes.add(process)
            return
        number = stated_number(event)
        if clock is not None:
            told = self._told
            for other, count in clock.items():
                if count > told.get(other, 0):
                    told[other] = count
        if number is None:
            self.processes.add(process)
            return
        numbers = self._numbers.get(process)
        if numbers is None:
            self.processes.add(process)
            numbers = self._numbers[process] = array("q")
        numbers.append(number)
        if len(numbers) >= 1 << 16:
            self._settle(process)

    def merge(self, other: WholeLog) -> None:
        """Add what another one has seen; that one must not be used any more."""
        self.processes |= other.processes
        other.settle()
        self.settle()
        self._twice |= other._twice
        for process, count in other._told.items():
            self._told[process] = max(count, self._told.get(process, 0))
        for process, runs in other._runs.items():
            self._take(process, runs)

    def settle(self) -> None:
        """Puts numbers together that are still kept one by one."""
        for process in [*self._numbers]:
            self._settle(process)

    def _settle(self, process: str) -> None:
        numbers = sorted(self._numbers.pop(process, ()))
        runs: list[tuple[int, int]] = []
        start = last = None
        for number in numbers:
            if number == last:
                self._comes_twice(process)
            elif last is None or start is None or number != last + 1:
                if start is not None and last is not None:
                    runs.append((start, last))
                start = number
            last = number
        if start is not None and last is not None:
            runs.append((start, last))
        self._take(process, runs)

    def _take(self, process: str, runs: Iterable[tuple[int, int]]) -> None:
        if process in self._twice:
            self._runs.pop(process, None)
            return
        joined: list[tuple[int, int]] = []
        for first, last in sorted((*self._runs.get(process, ()), *runs)):
            if joined and first <= joined[-1][1]:
                self._comes_twice(process)
            if joined and first <= joined[-1][1] + 1:
                joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
            else:
                joined.append((first, last))
        if process in self._twice:
            self._runs.pop(process, None)
        else:
            self._runs[process] = joined

    def _comes_twice(self, process: str) -> None:
        if self._counted is None:
            self._twice.add(process)

    def found(self) -> MissingNumbers:
        """The missing numbers, when nothing more comes."""
        self.settle()
        return MissingNumbers(
            {
                process: [*_between(runs, self._told.get(process, 0))]
                for process, runs in self._runs.items()
            }
        )


def _between(runs: Runs, told: int) -> Iterable[tuple[int, int]]:
    last = 0
    for first, after in runs:
        if first > last + 1:
            yield last + 1, first - 1
        last = after
    if told > last:
        yield last + 1, told


class MissingNumbers:
    """Numbers missing from the logs of processes that count through all sessions."""

    def __init__(self, missing: Mapping[str, Runs]) -> None:
        self._lasts = {process: [last for _, last in runs] for process, runs in missing.items()}
        self._firsts = {process: [first for first, _ in runs] for process, runs in missing.items()}
        self._counts = {
            process: [0, *accumulate(last - first + 1 for first, last in runs)]
            for process, runs in missing.items()
        }

    @property
    def counted(self) -> frozenset[str]:
        """The processes whose numbers go on through all sessions."""
        return frozenset(self._firsts)

    def missing(self, process: str, after: float, before: float | None = None) -> Missing | None:
        """See `Numbering`. Both numbers are those of events, so they are in no run."""
        firsts, lasts = self._firsts[process], self._lasts[process]
        begin = bisect_right(lasts, after)
        end = len(firsts) if before is None else bisect_left(firsts, before)
        if begin >= end:
            return None
        counts = self._counts[process]
        return Missing(firsts[begin], lasts[end - 1], counts[end] - counts[begin])

    def all(self) -> Iterator[tuple[str, Missing]]:
        """Runs of numbers that are missing, with their processes."""
        for process, firsts in self._firsts.items():
            for first, last in zip(firsts, self._lasts[process], strict=True):
                yield process, Missing(first, last, last - first + 1)


class SessionNumbers:
    """A `Numbering` for the events of one session, all of which are given."""

    def __init__(self, whole: MissingNumbers, events: Iterable[RecordedEvent]) -> None:
        self._whole = whole
        self._counted = whole.counted
        self._own: dict[str, list[int]] = {process: [] for process in self._counted}
        for event in events:
            if event.process in self._counted:
                number = stated_number(event)
                if number is not None:
                    self._own[event.process].append(number)
        for numbers in self._own.values():
            numbers.sort()

    def counts_all(self, process: str) -> bool:
        """See `Numbering`."""
        return process in self._counted

    def missing(self, process: str, after: float, before: float | None = None) -> Missing | None:
        """See `Numbering`."""
        return self._whole.missing(process, after, before)

    def last_up_to(self, process: str, count: int) -> int:
        """See `Numbering`."""
        own = self._own.get(process)
        if own is None:
            return count
        place = bisect_right(own, count)
        return own[place - 1] if place else 0

    def absent(self) -> dict[str, Missing]:
        """The processes that have no numbered event in this session, though one that is missing
        from their logs may have been of it."""
        found = {}
        for process, own in self._own.items():
            missing = None if own else self._whole.missing(process, 0)
            if missing is not None:
                found[process] = missing
        return found


class RunningNumbers:
    """The numbers of all sessions while logs grow, where they go on through all of them. Give it
    each event with `add` before its session has it. What comes behind a higher number of its
    process was missing until then.

    Of each process `MOST_RUNS` runs of missing numbers are kept: of more the first two become
    one, which has what is between them as well and knows how many were missing. So of what is that
    long ago more may count as missing than is, and never less.
    """

    def __init__(self) -> None:
        self._last: dict[str, int] = {}
        self._told: dict[str, int] = {}
        self._missing: dict[str, list[Missing]] = {}

    def add(self, event: RecordedEvent) -> int | None:
        """Take the next event; its number."""
        process, number = event.process, stated_number(event)
        if event.clock is not None:
            for other, count in event.clock.items():
                if count > self._told.get(other, 0):
                    self._told[other] = count
        if number is None:
            return None
        last = self._last.get(process, 0)
        runs = self._missing.setdefault(process, [])
        if number <= last:
            _come(runs, number)
        elif number > last + 1:
            runs.append(Missing(last + 1, number - 1, number - 1 - last))
        if len(runs) > MOST_RUNS:
            before, after = runs[:2]
            runs[:2] = [Missing(before.first, after.last, before.number + after.number)]
        self._last[process] = max(last, number)
        return number

    def last(self, process: str) -> int | None:
        """The highest number that was read; None where the process has none."""
        return self._last.get(process)

    def missing(self, process: str, after: float, before: float | None = None) -> Missing | None:
        """See `Numbering`."""
        known = self._missing[process]
        begin = bisect_right(known, after, key=_last_of)
        end = len(known) if before is None else bisect_left(known, before, key=_first_of)
        runs = known[begin:end]
        told, last = self._told.get(process, 0), self._last[process]
        if before is None and told > last:
            runs.append(Missing(last + 1, told, told - last))
        if not runs:
            return None
        return Missing(runs[0].first, runs[-1].last, sum(run.number for run in runs))

    def all(self) -> Iterator[tuple[str, Missing]]:
        """Runs of numbers that are missing, with their processes."""
        for process, last in self._last.items():
            told = self._told.get(process, 0)
            more = [Missing(last + 1, told, told - last)] if told > last else []
            for run in (*self._missing[process], *more):
                yield process, run


def _come(runs: list[Missing], number: int) -> None:
    """A number is missing no longer, if it was. Nobody knows that of one between runs that became
    one, so these stay as they are."""
    place = bisect_left(runs, number, key=_last_of)
    if place == len(runs) or number < runs[place].first:
        return
    first, last, missing = runs[place]
    if missing == last - first + 1:
        parts = ((first, number - 1), (number + 1, last))
        runs[place : place + 1] = [Missing(a, b, b - a + 1) for a, b in parts if a <= b]


def _first_of(run: Missing) -> int:
    return run.first


def _last_of(run: Missing) -> int:
    return run.last


class OpenSession:
    """A `Numbering` for one session of logs that grow."""

    def __init__(self, running: RunningNumbers) -> None:
        self._running = running
        self._own: dict[str, list[int]] = {}

    def add(self, process: str, number: int) -> None:
        """An event of the process in this session has this number."""
        insort(self._own.setdefault(process, []), number)

    def counts_all(self, process: str) -> bool:
        """See `Numbering`."""
        return self._running.last(process) is not None

    def missing(self, process: str, after: float, before: float | None = None) -> Missing | None:
        """See `Numbering`."""
        return self._running.missing(process, after, before)

    def last_up_to(self, process: str, count: int) -> int:
        """See `Numbering`. Where the process was not read so far, the event may be to come."""
        last = self._running.last(process)
        if last is None or last < count:
            return count
        own = self._own.get(process, [])
        place = bisect_right(own, count)
        return own[place - 1] if place else 0

    def absent(self, processes: Iterable[str]) -> dict[str, Missing]:
        """See `SessionNumbers.absent`."""
        found = {}
        for process in processes:
            if process not in self._own and self.counts_all(process):
                missing = self._running.missing(process, 0)
                if missing is not None:
                    found[process] = missing
        return found
