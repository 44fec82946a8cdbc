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
from typing import Literal, NamedTuple, Protocol, TypeAlias

from choreomon.audit.process import stated_number
from choreomon.core.recorded import RecordedEvent

Counted: TypeAlias = Literal["session", "process"]
"""Whether the numbers of a process begin anew in each session, or go on through all of them."""

Runs: TypeAlias = Sequence[tuple[int, int]]
"""Numbers without those between them: the first and the last one of each run, runs in order."""


class Missing(NamedTuple):
    """Numbers of a process that no event has: so many, from the first to the last one."""

    first: int
    last: int
    number: int


class Numbering(Protocol):
    """What is known of numbers beyond one session."""

    def counts_all(self, process: str) -> bool:
        """Whether those of the process go on through all sessions."""

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
        """One more event."""
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
        """What another one has seen; it is not to be used any more."""
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
        """Nothing more comes: what is missing."""
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
    """What is missing from the log of each process whose numbers go on through all sessions."""

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
        """Each run of numbers that is missing, with its process."""
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
    process was missing until then."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}
        self._told: dict[str, int] = {}
        self._missing: dict[str, tuple[list[int], list[int]]] = {}

    def add(self, event: RecordedEvent) -> int | None:
        """One more event; its number."""
        process, number = event.process, stated_number(event)
        if event.clock is not None:
            for other, count in event.clock.items():
                if count > self._told.get(other, 0):
                    self._told[other] = count
        if number is None:
            return None
        last = self._last.get(process, 0)
        firsts, lasts = self._missing.setdefault(process, ([], []))
        if number > last:
            if number > last + 1:
                firsts.append(last + 1)
                lasts.append(number - 1)
            self._last[process] = number
            return number
        place = bisect_left(lasts, number)
        if place < len(firsts) and firsts[place] <= number:
            first, end = firsts[place], lasts[place]
            parts = [one for one in ((first, number - 1), (number + 1, end)) if one[0] <= one[1]]
            firsts[place : place + 1] = [one for one, _ in parts]
            lasts[place : place + 1] = [one for _, one in parts]
        return number

    def last(self, process: str) -> int | None:
        """The highest number that was read; None where the process has none."""
        return self._last.get(process)

    def missing(self, process: str, after: float, before: float | None = None) -> Missing | None:
        """See `Numbering`."""
        firsts, lasts = self._missing[process]
        begin = bisect_right(lasts, after)
        end = len(firsts) if before is None else bisect_left(firsts, before)
        runs = [*zip(firsts[begin:end], lasts[begin:end], strict=True)]
        told, last = self._told.get(process, 0), self._last[process]
        if before is None and told > last:
            runs.append((last + 1, told))
        if not runs:
            return None
        return Missing(runs[0][0], runs[-1][1], sum(last - first + 1 for first, last in runs))

    def all(self) -> Iterator[tuple[str, Missing]]:
        """Each run of numbers that is missing, with its process."""
        for process, last in self._last.items():
            firsts, lasts = self._missing[process]
            told = self._told.get(process, 0)
            more = [(last + 1, told)] if told > last else []
            for first, end in (*zip(firsts, lasts, strict=True), *more):
                yield process, Missing(first, end, end - first + 1)


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
