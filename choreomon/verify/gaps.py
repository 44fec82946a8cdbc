"""Gaps: when something happened unobserved, as coarsely as can be.

Time is cut into gaps. A gap is a moment between two observed actions, at which some lifelines were
not observed, so that something may have happened on them. A set of lifelines for each gap, the
first one first, says where something may have happened (`Gaps`). A `Past` says where something did,
and what it was. What happened in one gap happened in whatever order the term requires.

Gaps matter where some components are observed and others not yet, or no longer. With one component
that has all lifelines there is one gap, before everything observed.

All functions take and return as many sets as there are gaps; a past in which nothing happened has
none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

from choreomon.core.action import Action
from choreomon.interaction.lifelines import ALL, NONE, Mask

Gaps: TypeAlias = tuple[Mask, ...]
"""The lifelines on which something may have happened, for each gap."""


class Past:
    """The unobserved actions decided on so far. For each gap, `lifelines` has the lifelines on
    which something happened: this alone decides what may follow. The actions are for witnesses
    only."""

    __slots__ = ("_happened", "lifelines")

    def __init__(self, lifelines: Gaps, happened: _Happened = None) -> None:
        self.lifelines = lifelines
        self._happened = happened

    def __bool__(self) -> bool:
        return bool(self.lifelines)

    def actions(self) -> Iterator[tuple[int, Action]]:
        """The actions with the number of their gap; those of one gap in an order in which they may
        have happened."""
        pending: list[_Happened] = [self._happened]
        while pending:
            top = pending.pop()
            if top is None:
                continue
            if isinstance(top[1], Action):
                assert isinstance(top[0], int)
                yield top[0], top[1]
            else:
                assert not isinstance(top[0], int)
                pending += [top[1], top[0]]

    def count(self) -> int:
        """The number of actions."""
        return sum(1 for _ in self.actions())

    def then(self, other: Past) -> Past:
        """Join two pasts, this one first within a gap."""
        if not self.lifelines:
            return other
        if not other.lifelines:
            return self
        return Past(both(self.lifelines, other.lifelines), (self._happened, other._happened))


_Happened: TypeAlias = "tuple[int, Action] | tuple[_Happened, _Happened] | None"

NOTHING: Final = Past(())


def whole(gaps: Gaps) -> Mask:
    """The lifelines of all gaps together."""
    found = NONE
    for one in gaps:
        found |= one
    return found


def both(gaps: Gaps, other: Gaps) -> Gaps:
    """Join the lifelines of both, gap by gap."""
    return tuple([one | two for one, two in zip(gaps, other, strict=True)])


def without(gaps: Gaps, lost: Gaps) -> Gaps:
    """The first but not the second."""
    return tuple([one & ~gone for one, gone in zip(gaps, lost, strict=True)])


def first(past: Past) -> int:
    """Return the number of the first gap in which something happened; 0 if nothing did."""
    for number, one in enumerate(past.lifelines):
        if one:
            return number
    return 0


def last(past: Past) -> int:
    """Return the number of the last gap in which something happened; 0 if nothing did."""
    for number in range(len(past.lifelines) - 1, 0, -1):
        if past.lifelines[number]:
            return number
    return 0


def since(gaps: Gaps, number: int) -> Gaps:
    """Keep only the gaps from this number on."""
    return (NONE,) * number + gaps[number:] if number else gaps


def until(count: int, number: int) -> Gaps:
    """Return everything, in each of `count` gaps before that of this number."""
    return (ALL,) * number + (NONE,) * (count - number)


def too_early(past: Past, count: int, on: Mask, region: Mask) -> Gaps:
    """The lifelines on which nothing can have happened in each of `count` gaps if it has to come
    after `past` and after an action on `on` by now, on each lifeline outside of the region."""
    found = [on & ~region] * count
    later = on
    if len(past.lifelines) > 1:
        for number in range(count - 1, -1, -1):
            found[number] = later & ~region
            later |= past.lifelines[number]
    return tuple(found)


def too_late(past: Past, count: int, region: Mask) -> Gaps:
    """The lifelines on which nothing can have happened in each of `count` gaps if it has to come
    before `past`, on each lifeline outside of the region."""
    found = [NONE] * count
    if len(past.lifelines) > 1:
        earlier = NONE
        for number in range(count):
            found[number] = earlier & ~region
            earlier |= past.lifelines[number]
    return tuple(found)


def in_order(past: Past, other: Past, region: Mask) -> bool:
    """Tell whether, on each lifeline outside of the region, all that happened in the first past may
    lie before all that happened in the second."""
    if not past or not other:
        return True
    later = NONE
    for one, two in zip(reversed(past.lifelines), reversed(other.lifelines), strict=True):
        if later & two & ~region:
            return False
        later |= one
    return True


def occurrences(action: Action, gaps: Gaps) -> list[Past]:
    """Return the pasts in which only this action happened, in one of these gaps."""
    count = len(gaps)
    return [
        Past((NONE,) * number + (one,) + (NONE,) * (count - number - 1), (number, action))
        for number, one in enumerate(gaps)
        if one
    ]


def smallest(
    pasts: Iterable[Past], check_budget: Callable[[], None] | None = None
) -> tuple[Past, ...]:
    """The pasts that contain no other one. `check_budget` is called for each; it may raise."""
    kept: list[Past] = []
    for one in sorted({past.lifelines: past for past in pasts}.values(), key=weight):
        if check_budget is not None:
            check_budget()
        if not any(_within(other.lifelines, one.lifelines) for other in kept):
            kept.append(one)
    return tuple(kept)


def weight(past: Past) -> tuple[int, Gaps]:
    """Larger where more happened; different where something happened elsewhere."""
    return sum([one.bit_count() for one in past.lifelines]), past.lifelines


def _within(gaps: Gaps, other: Gaps) -> bool:
    return not gaps or (bool(other) and not whole(without(gaps, other)))


def needed(profiles: Iterable[Gaps]) -> tuple[int, ...]:
    """The numbers of the gaps that matter, if `profiles` are all that is undecided.

    An action in one gap might as well have happened in the next gap that matters, if every lifeline
    may have done there what it may have done here; or in the one before.
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


def _all_within(column: Gaps, other: Gaps) -> bool:
    return not whole(without(column, other))
