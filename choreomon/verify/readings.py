"""Chooses the furthest places to report, where there are several.

Logs that do not fit can often be explained in part in several ways. If the stock reports that it is
empty, and the order service picks all the same, the picking may be the error, and what follows from
it in other logs stays unexplained; or the stock's answer is the error, and the picking is
explained. Each of these is a *reading*: furthest places, none of which can move one action further.

Where a log is cut, its next action *follows* from that of another log if it receives a message that
is sent in what is left unexplained there. It is *wrong by itself* where the log alone goes no
further, whatever happened elsewhere. The reading is chosen that

1. has the fewest logs whose next action is neither: nothing accounts for these;
2. of those has the fewest logs with something unexplained;
3. of those leaves the fewest actions unexplained;
4. of those explains most of the first logs.

The result is not always the best reading of all. Sets of logs to leave unexplained are tried by
their size: one, two, and so on. Each log of a set is then explained as far as possible after the
others: in both orders of two logs, and in as many orders as there are logs of more. So readings
between these are missed, and so are those beyond the limit of work. The reading found by
`choreomon.verify.furthest` is always among those that are compared.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Final, TypeAlias

from choreomon.core.action import EMISSION, RECEPTION, Action
from choreomon.verify.budget import TooMuchWork

Places: TypeAlias = tuple[int, ...]
"""The number of explained actions of each log."""

Explained: TypeAlias = Callable[[Places], bool]
"""A predicate: these prefixes of the logs are explained together. If it holds, it holds of shorter
ones. May raise `TooMuchWork`."""


MOST_SETS: Final = 1_000
"""The most sets of logs that are tried as the unexplained ones: of 12 logs, all sets of up to
four."""


def readings(
    logs: Sequence[Sequence[Action]], most: Sequence[int], found: Places, explained: Explained
) -> list[Places]:
    """Return the readings of these logs: the chosen one, then the others from better to worse.
    `most` says how far each log alone is explained; `found` is a known reading."""
    every = {found: None}
    try:
        for reading in _candidates([*map(len, logs)], most, explained):
            every[reading] = None
    except TooMuchWork:
        pass
    return sorted(every, key=lambda places: weight(logs, most, places))


def weight(
    logs: Sequence[Sequence[Action]], most: Sequence[int], places: Places
) -> tuple[int, int, int, Places]:
    """The weight of a reading: the least one is chosen."""
    stuck = [n for n, log in enumerate(logs) if places[n] < len(log)]
    sent = sent_unexplained(logs, places)
    return (
        sum(sent[n] is None and places[n] < most[n] for n in stuck),
        len(stuck),
        sum(len(logs[n]) - places[n] for n in stuck),
        tuple(-place for place in places),
    )


def sent_unexplained(
    logs: Sequence[Sequence[Action]], places: Sequence[int]
) -> list[Action | None]:
    """The cause of the first action behind each log's place: the emission, in the rest of another
    log, of the message that it receives."""
    emissions: dict[str, dict[int, Action]] = {}
    for number, (log, place) in enumerate(zip(logs, places, strict=True)):
        for action in log[place:]:
            if action.kind == EMISSION:
                emissions.setdefault(action.message, {}).setdefault(number, action)
    found: list[Action | None] = []
    for number, (log, place) in enumerate(zip(logs, places, strict=True)):
        following = log[place] if place < len(log) else None
        theirs: dict[int, Action] = {}
        if following is not None and following.kind == RECEPTION:
            theirs = emissions.get(following.message, {})
        found.append(next((one for other, one in theirs.items() if other != number), None))
    return found


def _candidates(
    lengths: Sequence[int], most: Sequence[int], explained: Explained
) -> Iterator[Places]:
    """The readings in which the fewest logs are cut shorter than they are explained by themselves,
    and those in which the fewest of these are right by themselves."""
    right_alone = {n for n, length in enumerate(lengths) if most[n] == length}
    may_spare = explained(_without(most, right_alone))
    spared: list[set[int]] = []
    looked_at = 0
    for count in range(1, len(most) + 1):
        is_enough = False
        for chosen in combinations([n for n, place in enumerate(most) if place], count):
            looked_at += 1
            if looked_at > MOST_SETS:
                return
            own = {*chosen}
            if any(one <= own for one in spared) or not explained(_without(most, own)):
                continue
            spared.append(own)
            is_enough |= not may_spare or own <= right_alone
            for order in _orders(chosen):
                yield _extended(_without(most, own), order, most, explained)
        if is_enough:
            return


def _without(most: Sequence[int], spared: Iterable[int]) -> Places:
    """Places where each log is explained by itself, but nothing of the `spared` ones."""
    return tuple(0 if n in spared else place for n, place in enumerate(most))


def _orders(chosen: Sequence[int]) -> Iterator[tuple[int, ...]]:
    for at in range(len(chosen)):
        yield (*chosen[at:], *chosen[:at])


def _extended(
    places: Places, order: Iterable[int], most: Sequence[int], explained: Explained
) -> Places:
    """Extends one log after the other as far as it is explained with the others as they are."""
    for log in order:
        before, behind = places[:log], places[log + 1 :]

        def is_too_long(place: int, before: Places = before, behind: Places = behind) -> bool:
            return not explained((*before, place, *behind))

        place = bisect_left(range(1, most[log] + 1), True, key=is_too_long)
        places = (*before, place, *behind)
    return places
