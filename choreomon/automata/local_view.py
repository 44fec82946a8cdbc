"""An automaton as one location sees it: its own letters count, all others are free.

The automata paper, Definition 5: the subset construction with the letters of others as steps that
read nothing. Its states are computed when a log leads there, and kept for the next log; `complete`
finds all of them.

Deviation: logs may lack letters (`choreomon.automata.logs.Missing`). Where they may, the
location's own letters are free, too: before its log begins, after it ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

from choreomon.automata.automaton import Automaton, States, members, state_set
from choreomon.automata.logs import Missing
from choreomon.core.errors import BudgetExceeded

Edges: TypeAlias = int
"""A set of edges, one bit each."""

KEPT: Final = 50_000_000
"""The most bits of sets that a view keeps; with more, it forgets everything before the next log."""


class LocalView:
    """The subset construction for one location. Subsets are numbered as they are found; the empty
    one, from which nothing leads anywhere, has no number.

    - `own`: the numbers of the location's letters;
    - `subsets`: by number, the states of the automaton;
    - `steps`: by number, the target of each letter tried: a number, or None.

    Not for several threads at once.
    """

    def __init__(self, automaton: Automaton, own: Iterable[int]) -> None:
        self.automaton = automaton
        self.own = tuple(own)
        self._own = frozenset(self.own)
        self.subsets: list[States] = []
        self.steps: list[dict[int, int | None]] = []
        self._numbers: dict[States, int] = {}
        self._starts: dict[bool, int | None] = {}
        self._released: dict[int, int] = {}
        self._targets: dict[bool, dict[int, States]] = {False: {}, True: {}}
        self._areas: dict[tuple[int, int], Edges] = {}

    def path(
        self,
        log: Sequence[int],
        missing: Missing,
        check_budget: Callable[[], None] | None = None,
    ) -> list[int] | None:
        """The subsets before each letter of a log and after the last one; None where the log leads
        nowhere. `check_budget` is called before a subset is computed; it may raise, to stop."""
        subset = self.start(before=missing.before)
        if subset is None:
            return None
        path = [subset]
        steps = self.steps
        for letter in log:
            try:
                target = steps[subset][letter]
            except KeyError:
                if check_budget is not None:
                    check_budget()
                target = self.step(subset, letter)
            if target is None:
                return None
            path.append(target)
            subset = target
        if missing.after:
            path[-1] = self.released(path[-1])
        return path

    def start(self, *, before: bool) -> int | None:
        """The subset in which logs begin; `before`: after any letters."""
        if before not in self._starts:
            subset = self._number(self._closed(self.automaton.initial, own=False))
            if before and subset is not None:
                subset = self.released(subset)
            self._starts[before] = subset
        return self._starts[before]

    def step(self, subset: int, letter: int) -> int | None:
        """The subset to which a letter of the location leads."""
        known = self.steps[subset]
        if letter not in known:
            after = self.automaton.after(self.subsets[subset], letter)
            known[letter] = self._number(self._closed(after, own=False))
        return known[letter]

    def released(self, subset: int) -> int:
        """The subset after any letters, those of the location, too."""
        if subset not in self._released:
            found = self._closed(self.subsets[subset], own=True)
            number = self._number(found)
            assert number is not None
            self._released[subset] = number
        return self._released[subset]

    def accepts(self, subset: int) -> bool:
        """Tell whether a log that leads to this subset is right."""
        return bool(self.subsets[subset] & self.automaton.final)

    def complete(self, limit: int | None = None) -> None:
        """Finds all subsets, also those of logs that lack letters. Raises BudgetExceeded where
        there are more than `limit`."""
        self.start(before=False)
        self.start(before=True)
        for subset, _ in enumerate(self.subsets):  # which grow meanwhile
            if limit is not None and len(self.subsets) > limit:
                raise BudgetExceeded(f"a local verifier has more than {limit:,} states")
            self.released(subset)
            for letter in self.own:
                self.step(subset, letter)

    def forget(self) -> None:
        """Drops everything if much is kept: this loses nothing but time. Numbers of subsets become
        invalid."""
        if len(self.subsets) * self.automaton.states > KEPT:
            LocalView.__init__(self, self.automaton, self.own)

    # --- areas --------------------------------------------------------------------------------

    def area(self, log: Sequence[int], path: Sequence[int], missing: Missing) -> Edges:
        """The edges that a log may take, whatever others do (Definitions 6 to 8): those of its
        letters from the subsets on its path, and those of free letters from there. `path` is the
        log's, from the method `path`."""
        found = 0
        free = self.other_edges(path[0])
        for subset, letter in {*zip(path, log, strict=False)}:
            found |= self.step_area(subset, letter)
        if missing.after:
            free |= self.edges_from(path[-1])
        if missing.before:
            free |= self.edges_from(path[0])
        return found | free

    def step_area(self, subset: int, letter: int) -> Edges:
        """Definition 6: the edges of a letter from a subset, and those of others from where it
        leads to. The letter must lead somewhere."""
        known = self._areas.get((subset, letter))
        if known is None:
            target = self.step(subset, letter)
            assert target is not None
            automaton = self.automaton
            known = self.other_edges(target) | edge_set(
                edge
                for state in members(self.subsets[subset] & automaton.sources[letter])
                for edge in automaton.outgoing[state]
                if automaton.edges[edge].letter == letter
            )
            self._areas[subset, letter] = known
        return known

    def other_edges(self, subset: int) -> Edges:
        """The edges of the letters of others from a subset (of the first one: Definition 7)."""
        edges, own = self.automaton.edges, self._own
        return edge_set(
            edge
            for state in members(self.subsets[subset])
            for edge in self.automaton.outgoing[state]
            if edges[edge].letter not in own
        )

    def edges_from(self, subset: int) -> Edges:
        """The edges from a subset, whatever their letters."""
        states = members(self.subsets[subset])
        return edge_set(edge for state in states for edge in self.automaton.outgoing[state])

    # --- subsets ------------------------------------------------------------------------------

    def _closed(self, states: States, *, own: bool) -> States:
        """Add all states to which letters of others lead, and the location's own letters if they
        are free, too."""
        known = self._targets[own]
        fresh = states
        while fresh:
            lowest = fresh & -fresh
            fresh ^= lowest
            state = lowest.bit_length() - 1
            targets = known.get(state)
            if targets is None:
                targets = known[state] = self._targets_of(state, own=own)
            found = targets & ~states
            states |= found
            fresh |= found
        return states

    def _targets_of(self, state: int, *, own: bool) -> States:
        automaton = self.automaton
        edges = [automaton.edges[edge] for edge in automaton.outgoing[state]]
        return state_set(edge.target for edge in edges if own or edge.letter not in self._own)

    def _number(self, states: States) -> int | None:
        if not states:
            return None
        known = self._numbers.get(states)
        if known is None:
            known = self._numbers[states] = len(self.subsets)
            self.subsets.append(states)
            self.steps.append({})
        return known


def edge_set(numbers: Iterable[int]) -> Edges:
    """The set of these edges."""
    found = bytearray()
    for number in numbers:
        place, bit = divmod(number, 8)
        if place >= len(found):
            found.extend(bytes(place + 1 - len(found)))
        found[place] |= 1 << bit
    return int.from_bytes(found, "little")
