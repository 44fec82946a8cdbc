"""Vector clocks as plain tuples of integers, one entry a process.

The paper, section 2.3. The order of the entries is the order of the processes in the
document. A process ticks its own entry at every send and every handle, and nothing
else ticks it; a monitor merges the clocks of monitoring messages into the clock of its
process without ticking (docs/adr/022-monitors.md, "Clocks").

Because only events tick, an event is identified by its process and the entry of that
process, its *count*; and for two different events `e` of process `x` and `f` of any
process, `e` happened before `f` exactly when `f`'s entry for `x` has reached `e`'s
count. `knows` is that test, in constant time; `happened_before` is the definition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

VectorClock: TypeAlias = tuple[int, ...]

MANY: Final = 100
"""From this many entries on, `merge` takes them all at once if they are small."""

JUMP: Final = 1 << 40
"""More events of one process than the difference of two clocks of one system, whatever was lost."""


@lru_cache(maxsize=1)
def indices(processes: tuple[str, ...]) -> Mapping[str, int]:
    """The index of each process in clocks. The monitors of one system share it: one for each of n
    monitors would be n * n entries."""
    return {process: index for index, process in enumerate(processes)}


def zero(processes: int) -> VectorClock:
    """The clock before anything happened."""
    return (0,) * processes


def tick(clock: VectorClock, index: int) -> VectorClock:
    """The clock after one more event of the process at `index`."""
    return (*clock[:index], clock[index] + 1, *clock[index + 1 :])


def merge(left: VectorClock, right: VectorClock) -> VectorClock:
    """The least clock that knows what either knows. Both have an entry for every process; this is
    not checked here, where all monitoring messages pass."""
    if len(left) >= MANY:
        merged = merge_at_once(left, right)
        if merged is not None:
            return merged
    return tuple([a if a >= b else b for a, b in zip(left, right)])  # noqa: B905


def merge_at_once(left: VectorClock, right: VectorClock) -> VectorClock | None:
    """`merge` of clocks whose counts are all below 128, as operations of two numbers of as many
    bytes; `None` for others. It returns one of the two itself if they are equal to the result: many
    are kept."""
    try:
        entries, others = bytearray(left), bytearray(right)
    except ValueError:
        return None
    if not (entries.isascii() and others.isascii()):
        return None
    a, b = int.from_bytes(entries, "little"), int.from_bytes(others, "little")
    high = _high_bits(len(left))
    at_least = ((a | high) - b) & high  # the high bit stays where an entry of a is not below
    merged = b ^ ((a ^ b) & (at_least - (at_least >> 7)))
    if merged == a:
        return left
    if merged == b:
        return right
    return tuple(merged.to_bytes(len(left), "little"))


@lru_cache(maxsize=4)
def _high_bits(count: int) -> int:
    return int.from_bytes(b"\x80" * count, "little")


def is_far_beyond(clock: VectorClock, known: Sequence[int]) -> bool:
    """Tell whether `clock` has so many more events than `known` that it must be wrong. Nobody ever
    forgets what was merged, so a wrong clock must not be."""
    return max(clock) > JUMP and any(a - b > JUMP for a, b in zip(clock, known, strict=True))


def as_far_as_can_be(clock: VectorClock, known: Sequence[int]) -> VectorClock:
    """Cap `clock` such that no process exceeds what `is_far_beyond` allows."""
    return tuple(min(a, b + JUMP) for a, b in zip(clock, known, strict=True))


def happened_before(left: VectorClock, right: VectorClock) -> bool:
    """Definition 2 over clocks: no entry greater, and one smaller."""
    return left != right and all(a <= b for a, b in zip(left, right, strict=True))


def concurrent(left: VectorClock, right: VectorClock) -> bool:
    """Definition 3, to the letter: equal clocks count as concurrent."""
    return not happened_before(left, right) and not happened_before(right, left)


def knows(clock: VectorClock, index: int, count: int) -> bool:
    """Tell whether the event number `count` of the process at `index` happened before, or is, the
    event with this clock."""
    return clock[index] >= count


def by_name(clock: VectorClock, processes: tuple[str, ...]) -> dict[str, int]:
    """The clock as people and logs write it: by process, zero entries left out."""
    return {process: entry for process, entry in zip(processes, clock, strict=True) if entry}
