"""Bounds by the places of two logs: the states from which the rest of both can still be read.

At a cut, a path that explains all logs is in a state from which the rest of any two logs can be
read in some order, with the letters of all others free. That is a necessary condition, and a walk
backwards through both logs finds it for all pairs of their places. Places without such a state are
not stored: if two logs are about the same things, the others lie in a band.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Final, Protocol, TypeAlias

from choreomon.automata.automaton import Automaton, States

HELD: Final = 1_000_000
"""The most bounds of all pairs of logs together, about a hundred bytes each: a pair that exceeds
its share has none."""

KEPT: Final = 100_000
"""The most steps from sets of states kept, as in `choreomon.automata.reduced`."""

Bounds: TypeAlias = list[dict[int, States]]
"""States by the place in the one log and that in the other. A missing entry means no state."""


class Bounded(Protocol):
    """A log as numbers of letters, with the states that it allows by itself at each place."""

    @property
    def log(self) -> Sequence[int]: ...

    @property
    def own(self) -> tuple[int, ...]:
        """The letters of its lifelines."""
        ...

    @property
    def allowed(self) -> Sequence[States]: ...

    def free(self, place: int) -> tuple[int, ...]:
        """The letters that it may read at a place without going on."""
        ...


class TwoLogs:
    """Finds bounds by two logs; what it learns of the automaton it keeps, within limits. Not for
    several threads at once."""

    def __init__(self, automaton: Automaton) -> None:
        self._automaton = automaton
        self._before: dict[tuple[int, States], States] = {}
        self._closed: dict[tuple[frozenset[int], States], States] = {}

    def pairs(
        self, logs: Sequence[Bounded], check_budget: Callable[[], None] | None = None
    ) -> list[tuple[int, int, Bounds]]:
        """The bounds by any two of these logs with letters, by their numbers."""
        found: list[tuple[int, int, Bounds]] = []
        chosen = [*combinations([n for n, one in enumerate(logs) if one.log], 2)]
        for first, second in chosen:
            one, other = logs[first], logs[second]
            own = {*one.own, *other.own}
            letters = range(len(self._automaton.letters))
            others = [letter for letter in letters if letter not in own]
            bounds = self.bounds(one, other, others, HELD // len(chosen), check_budget)
            if bounds is not None:
                found.append((first, second, bounds))
        return found

    def bounds(
        self,
        one: Bounded,
        other: Bounded,
        others: Sequence[int],
        most: int,
        check_budget: Callable[[], None] | None = None,
    ) -> Bounds | None:
        """The bounds by two logs, with the letters of the others; None if there are more than
        `most`: logs that are hardly about the same things tell little of each other. `check_budget`
        is called for each place of the one log; it may raise, to stop."""
        if len(self._before) + len(self._closed) > KEPT:
            self._before.clear()
            self._closed.clear()
        first, second = one.log, other.log
        free_there = {
            place: frozenset(other.free(place)) for place in {0, min(1, len(second)), len(second)}
        }
        rows: Bounds = [{} for _ in one.allowed]
        held = 0
        behind: dict[int, States] = {}
        for place in range(len(first), -1, -1):
            if check_budget is not None:
                check_budget()
            row = rows[place]
            allowed = one.allowed[place]
            free_here = frozenset(one.free(place)).union(others)
            free = {at: free_here | letters for at, letters in free_there.items()}
            inside = free.get(1, free[0])
            pending = iter(behind if place < len(first) else [len(second)])
            there = next(pending, -1)
            while there >= 0:
                found = self._automaton.final if place == len(first) and there == len(second) else 0
                if there in behind:
                    found |= self._step(behind[there], first[place])
                if there + 1 in row:
                    found |= self._step(row[there + 1], second[there])
                if found:
                    letters = free.get(there, inside)
                    found = self._back(found, letters) & allowed & other.allowed[there]
                if found:
                    row[there] = found
                    there -= 1
                else:
                    last = there
                    there = next((at for at in pending if at < last), -1)
            held += len(row)
            if held > most:
                return None
            behind = row
        return rows

    def _step(self, states: States, letter: int) -> States:
        key = (letter, states)
        known = self._before.get(key)
        if known is None:
            known = self._before[key] = self._automaton.before(states, letter)
        return known

    def _back(self, states: States, letters: frozenset[int]) -> States:
        """Add to these states all from which the letters lead to them."""
        key = (letters, states)
        known = self._closed.get(key)
        if known is None:
            known = fresh = states
            while fresh:
                found = 0
                for letter in letters:
                    found |= self._automaton.before(fresh, letter)
                fresh = found & ~known
                known |= fresh
            self._closed[key] = known
        return known
