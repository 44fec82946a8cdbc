"""Blames logs for a failure: names them, and says whether one alone is wrong or several disagree.

The kinds are those of the automata paper, section 4.4. A location is a component of a multi-trace,
or a lifeline that no component is about, where nothing happened. A set of locations is
*unexplained* if nothing explains their logs, whatever happened at the others.

- LocalError: a location is unexplained by itself. All such locations are named.
- InterError: none is, but no accepting path is left of the automaton within the areas of all
  locations (`choreomon.automata.semi_centralized`): the logs are about different parts of it.
- CentralError: neither; every order of the actions in their logs breaks somewhere.

The last two name a minimal unexplained set of locations: two, if two are enough. An InterError
lists all unexplained pairs, too; there may be none, where it takes three. Logs cannot tell which
location of a set is the wrong one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

from choreomon.automata.semi_centralized import Kind

Location: TypeAlias = tuple[str, ...]
"""The lifelines of a location, sorted."""


class Fault(NamedTuple):
    """`pairs` is empty but for an InterError. Locations are in their order in the multi-trace."""

    kind: Kind
    locations: tuple[Location, ...]
    pairs: tuple[tuple[Location, Location], ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The fault as objects, arrays and texts; `pairs` only for an InterError."""
        found: dict[str, Any] = {
            "kind": self.kind,
            "locations": [list(one) for one in self.locations],
        }
        if self.kind == "InterError":
            found["pairs"] = [[list(one), list(other)] for one, other in self.pairs]
        return found


Unexplained: TypeAlias = Callable[[Sequence[int]], bool]
"""A predicate: nothing explains these locations, given by their numbers, ascending. If it holds of
a set, it holds of every larger one."""


def smallest(count: int, unexplained: Unexplained) -> tuple[int, ...]:
    """A minimal unexplained set among `count` locations that are unexplained together but not one
    by one: the first unexplained pair, if there is one; else what is left after leaving out every
    location that can be, from the last to the first."""
    for pair in combinations(range(count), 2):
        if unexplained(pair):
            return pair
    kept = list(range(count))
    for one in reversed(range(count)):
        without = [other for other in kept if other != one]
        if len(without) > 2 and unexplained(without):  # no two are
            kept = without
    return tuple(kept)


def pairs(count: int, unexplained: Unexplained) -> list[tuple[int, int]]:
    """Lists all unexplained pairs among `count` locations."""
    return [pair for pair in combinations(range(count), 2) if unexplained(pair)]
