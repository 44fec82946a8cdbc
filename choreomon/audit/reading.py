"""Several logs read side by side, so that what they tell of each other comes in time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from choreomon.core.recorded import Diagnostic, RecordedEvent

Log: TypeAlias = Iterator[RecordedEvent | Diagnostic | None]
"""None: nothing more at the moment."""


def side_by_side(logs: Sequence[Log], waits: Callable[[str], bool]) -> Log:
    """What the logs tell, one of each in turn. Where the process that a log told of last waits for
    others, the log is passed over, unless all are.

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
