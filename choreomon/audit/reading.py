"""Several logs read side by side, so that what they tell of each other comes in time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeAlias

from choreomon.audit.summary import MOST_DIAGNOSTICS
from choreomon.core.recorded import Diagnostic, RecordedEvent

Log: TypeAlias = Iterator[RecordedEvent | Diagnostic | None]
"""A log being read; None: nothing more at the moment."""


def side_by_side(logs: Sequence[Log], waits: Callable[[str], bool]) -> Log:
    """Interleave the logs, one event of each in turn. A log whose last process waits for others is
    passed over, unless all are.

    None comes when no log that is not passed over has anything at the moment.
    """
    if len(logs) == 1:
        yield from logs[0]
        return
    last: dict[int, str] = {}
    going = dict(enumerate(logs))
    while going:
        idle = True
        waiting = {number for number in going if number in last and waits(last[number])}
        if len(waiting) == len(going):
            waiting = set()
        for number in [number for number in going if number not in waiting]:
            try:
                what = next(going[number])
            except StopIteration:
                del going[number]
                idle = False
                continue
            if what is None:
                continue
            idle = False
            if isinstance(what, RecordedEvent):
                last[number] = what.process
            yield what
        if idle:
            yield None


class Listener(Protocol):
    """An auditor of one run, or of many sessions."""

    def add(self, event: RecordedEvent, /) -> None:
        """Takes the next event of its process."""

    def settle(self) -> None:
        """Decides what can be decided."""

    def waits(self, process: str, /) -> bool:
        """Return whether the process is ahead of others."""


def tell(
    auditor: Listener,
    logs: Sequence[Log],
    strange: Callable[[Diagnostic], None],
    wait: Callable[[], bool],
) -> None:
    """Tells the auditor of all events. When no log has anything at the moment, decides what can be
    decided, and goes on if `wait()` says so."""
    add = auditor.add
    for what in side_by_side(logs, auditor.waits):
        if what is None:
            auditor.settle()
            if not wait():
                return
        elif isinstance(what, RecordedEvent):
            add(what)
        else:
            strange(what)


class Diagnostics:
    """Counts diagnostics by their kind, and keeps the first `MOST_DIAGNOSTICS`."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.first: list[Diagnostic] = []

    def add(self, diagnostic: Diagnostic) -> None:
        """Count one, and keep it if it is among the first."""
        self.counts[diagnostic.kind] += 1
        if len(self.first) < MOST_DIAGNOSTICS:
            self.first.append(diagnostic)
