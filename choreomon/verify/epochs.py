"""When something happened unobserved, as coarsely as can be.

Time is cut into *epochs*. One is a moment between two observed actions, at which some lifelines
were not observed, so that something may have happened there. A set of lifelines for each epoch,
the first one first, says where something may have happened (`Epochs`), or did (`Past`).

All functions take and give tuples of the same length, one entry for each epoch there was; a past
without any action is `NOTHING`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from choreomon.interaction.lifelines import ALL, NONE, Mask

Epochs: TypeAlias = tuple[Mask, ...]
"""For each epoch, the lifelines on which something may have happened."""
Past: TypeAlias = tuple[Mask, ...]
"""For each epoch, the lifelines on which something happened; `NOTHING` where there are none."""

NOTHING: Final[Past] = ()


def whole(past: Past) -> Mask:
    """The lifelines of all epochs together."""
    found = NONE
    for one in past:
        found |= one
    return found


def joined(past: Past, other: Past) -> Past:
    """Both."""
    if not past:
        return other
    if not other:
        return past
    return tuple([one | two for one, two in zip(past, other, strict=True)])


def without(epochs: Epochs, lost: Epochs) -> Epochs:
    """The first but not the second."""
    return tuple([one & ~gone for one, gone in zip(epochs, lost, strict=True)])


def first(past: Past) -> int:
    """The number of the first epoch in which something happened, 0 where nothing did."""
    for number, one in enumerate(past):
        if one:
            return number
    return 0


def last(past: Past) -> int:
    """The number of the last epoch in which something happened, 0 where nothing did."""
    for number in range(len(past) - 1, 0, -1):
        if past[number]:
            return number
    return 0


def since(epochs: Epochs, number: int) -> Epochs:
    """Only the epochs from this number on."""
    return (NONE,) * number + epochs[number:] if number else epochs


def until(count: int, number: int) -> Epochs:
    """Everything, in each of `count` epochs before that of this number."""
    return (ALL,) * number + (NONE,) * (count - number)


def too_early(past: Past, count: int, on: Mask, region: Mask) -> Epochs:
    """What cannot have happened in each of `count` epochs where it has to come after `past` and
    after an action on `on` by now, on each lifeline outside of the region."""
    found = [on & ~region] * count
    later = on
    if len(past) > 1:
        for number in range(count - 1, -1, -1):
            found[number] = later & ~region
            later |= past[number]
    return tuple(found)


def too_late(past: Past, count: int, region: Mask) -> Epochs:
    """What cannot have happened in each of `count` epochs where it has to come before `past`, on
    each lifeline outside of the region."""
    found = [NONE] * count
    if len(past) > 1:
        earlier = NONE
        for number in range(count):
            found[number] = earlier & ~region
            earlier |= past[number]
    return tuple(found)


def in_order(past: Past, other: Past, region: Mask) -> bool:
    """Whether on each lifeline outside of the region all that happened in the first one may lie
    before all that happened in the second."""
    if not past or not other:
        return True
    later = NONE
    for one, two in zip(reversed(past), reversed(other), strict=True):
        if later & two & ~region:
            return False
        later |= one
    return True


def moments(epochs: Epochs) -> list[Past]:
    """One action that may have happened in these epochs: the ones in which it did."""
    count = len(epochs)
    return [
        (NONE,) * number + (one,) + (NONE,) * (count - number - 1)
        for number, one in enumerate(epochs)
        if one
    ]


def smallest(pasts: Iterable[Past], ask: Callable[[], None] | None = None) -> tuple[Past, ...]:
    """Those that contain no other one. `ask` is called for each; it may raise, to stop."""
    kept: list[Past] = []
    for one in sorted(set(pasts), key=weight):
        if ask is not None:
            ask()
        if not any(_within(other, one) for other in kept):
            kept.append(one)
    return tuple(kept)


def weight(past: Past) -> tuple[int, Past]:
    """Larger where more happened; different for different pasts."""
    return sum([one.bit_count() for one in past]), past


def _within(past: Past, other: Past) -> bool:
    return not past or (bool(other) and not whole(without(past, other)))


def needed(profiles: Iterable[Epochs]) -> tuple[int, ...]:
    """The numbers of the epochs that matter, when these are all that is undecided.

    Whatever happened in one epoch might as well have happened in the next one that matters, if
    everybody may have done there what they may have done here; or in the one before.
    """
    columns = list(zip(*profiles, strict=True))
    kept: list[int] = []
    for number, column in enumerate(columns):
        while kept and _all_within(columns[kept[-1]], column):
            kept.pop()
        if not kept:
            if any(column):
                kept.append(number)
        elif not _all_within(column, columns[kept[-1]]):
            kept.append(number)
    return tuple(kept)


def _all_within(column: Epochs, other: Epochs) -> bool:
    return not whole(without(column, other))
