"""Labelled events with what they know, and gaps: the items that the audit works on.

An *item* is what matters to a property in the log of one process: an event that it mentions, or one
end of a gap. Items of a process are numbered from 1; a *clock* says how many items of each process
of the property are known, so everything else in a log leaves nothing behind but what it tells.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias

from choreomon.core.message import Label
from choreomon.core.recorded import Place, RecordedEvent

Clock: TypeAlias = tuple[int, ...]

HAD_CLOCK: Final[Mapping[str, int]] = {}
"""Stands for the clock of an item's event: it had one."""


class Gap(NamedTuple):
    """A stretch of one process's log in which any number of any of its events may have happened
    that nobody wrote down. `reason` is a sentence without its full stop; `after` and `before` are
    the events around it, None where it is the beginning, the end, or all of the log."""

    process: str
    reason: str
    after: Place | None = None
    before: Place | None = None


class Item(NamedTuple):
    """`process` is an index; `rank` its number among the items of the process, `number` among those
    of all as they were read; `clock` counts the item itself. An event has a `label`; what has none
    is an end of `gap`, and `opens` tells which."""

    process: int
    rank: int
    clock: Clock
    number: int
    label: Label | None
    event: RecordedEvent | None
    gap: Gap | None = None
    opens: bool = False
