"""Logs whose lines are nearly in order, as programs write them that log from several threads.

Numbers, or a process's own entries of its clocks, say the order. Only a log that is refused as it
is should be read so: one with a gap would wait at it for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from typing import Final, NamedTuple

from choreomon.audit.process import stated_number
from choreomon.audit.reading import Log
from choreomon.core.recorded import Diagnostic, RecordedEvent

MOST_HELD: Final = 1_000
"""Events of one process that wait for an earlier one. Of more, the earliest is taken for the next
one: what should have been before it is missing."""


class _Held(NamedTuple):
    number: int
    event: RecordedEvent


class _Process:
    """The events of a process that wait; `last` is the number of the last one that was given, and
    `highest` the greatest that was read."""

    __slots__ = ("held", "highest", "last")

    def __init__(self) -> None:
        self.held: list[_Held] = []
        self.highest = 0
        self.last = 0

    def next_ones(self, most: int) -> Iterator[RecordedEvent]:
        """Give the events whose turn it is, and others as long as more than `most` are held."""
        held = self.held
        while held and (held[0].number <= self.last + 1 or len(held) > most):
            number, event = heappop(held)
            self.last = max(self.last, number)
            yield event


def in_order(log: Log, strange: Callable[[Diagnostic], None]) -> Log:
    """The log with the numbered events of each process in the order of their numbers; `strange` is
    told of each that comes too late in it. Events without a number stay where they are among those
    of their process. Equal numbers stay equal, for whoever reads on to refuse."""
    processes: dict[str, _Process] = {}
    for what in log:
        if not isinstance(what, RecordedEvent):
            yield what
            continue
        process = processes.setdefault(what.process, _Process())
        number = stated_number(what)
        if number is None:
            yield from process.next_ones(0)
            yield what
            continue
        if number < process.highest:
            told = f"number {number} of {what.process} is written after number {process.highest}"
            strange(Diagnostic("out-of-order", f"{told}: it is read before it", what.place))
        process.highest = max(process.highest, number)
        heappush(process.held, _Held(number, what))
        yield from process.next_ones(MOST_HELD)
    for process in processes.values():
        yield from process.next_ones(0)
