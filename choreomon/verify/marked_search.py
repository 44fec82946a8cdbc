"""A search that tries unobserved actions one by one, for `loopH` over several lifelines.

Residuals leave open what happened unobserved, but they do not know when the later iterations of a
`loopH` may begin: only after the first action of the earlier ones. Here unobserved actions are
tried, with every loop iteration that they enter marked `open` until an observed action comes from
it (`choreomon.interaction.step.simulated`). It ends, since a vertex is dropped that has more open
iterations than there are observed actions left; it is exponential in the iterations whose beginning
nobody observed. It consumes what it can before it tries anything unobserved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import NamedTuple, TypeAlias

from choreomon.core.action import Action
from choreomon.interaction.lifelines import NONE, Mask, bit
from choreomon.interaction.normal import normal
from choreomon.interaction.step import after, simulated
from choreomon.interaction.term import Interaction, Operator, observed, subterms
from choreomon.verify.beam_search import ExactMode, Observed, Places
from choreomon.verify.budget import CheckBudget
from choreomon.verify.lazy_automaton import LazyAutomaton
from choreomon.verify.look_ahead import LookAhead

Vertex: TypeAlias = tuple[Interaction, Places]
"""A normal term, and how much of each component was consumed."""


class Move(NamedTuple):
    """An edge of the search, and the vertex that it leads to; `observed` if it consumes an
    action."""

    action: Action
    observed: bool
    vertex: Vertex


class MarkedSearch:
    """Best-first search for one multi-trace: first the vertex that consumed most, among equals the
    one with the fewest unobserved actions."""

    def __init__(
        self,
        automaton: LazyAutomaton,
        parts: Sequence[Observed],
        mode: ExactMode,
        check_budget: CheckBudget | None,
    ) -> None:
        self._parts = parts
        self._check_budget = check_budget
        self._complete = mode == "accept"
        self._before = mode == "slice"
        self._afterwards = mode in ("slice", "multiprefix")
        self._look_ahead = LookAhead(automaton, parts, complete=self._complete, before=self._before)
        self._alphabets: dict[Interaction, frozenset[Action]] = {}
        self.visited = 0
        self.end: Vertex | None = None
        self._came: dict[Vertex, tuple[Vertex, Move] | None] = {}

    def finds(self, term: Interaction) -> bool:
        """Search until the end of all logs is reached; False if it cannot be. Raises Exhausted."""
        start: Vertex = (normal(term), (0,) * len(self._parts))
        self._came = {start: None}
        waiting: list[tuple[int, int, int, Vertex]] = [(0, 0, 0, start)]
        while waiting:
            less, missed, _, vertex = heappop(waiting)
            if self._is_end(vertex):
                self.end = vertex
                return True
            self.visited += 1
            if self._check_budget is not None:
                self._check_budget()
            for move in self._moves(vertex):
                if move.vertex not in self._came and self._may_lead_on(move.vertex):
                    self._came[move.vertex] = (vertex, move)
                    if move.observed:
                        entry = (less - 1, missed, len(self._came), move.vertex)
                    else:
                        entry = (less, missed + 1, len(self._came), move.vertex)
                    heappush(waiting, entry)
        return False

    def path(self) -> list[Move]:
        """The moves to the end, once it is found."""
        assert self.end is not None
        moves: list[Move] = []
        vertex = self.end
        while (link := self._came[vertex]) is not None:
            vertex, move = link
            moves.append(move)
        moves.reverse()
        return moves

    def _is_end(self, vertex: Vertex) -> bool:
        term, places = vertex
        return all(
            place == len(part.actions) for place, part in zip(places, self._parts, strict=True)
        ) and (not self._complete or term.terminates)

    def _unobserved(self, places: Places) -> Mask:
        """The lifelines on which something may happen unobserved now."""
        found = NONE
        for part, place in zip(self._parts, places, strict=True):
            if place == len(part.actions):
                if self._afterwards:
                    found |= part.lifelines
            elif self._before and not place:
                found |= part.lifelines
        return found

    def _moves(self, vertex: Vertex) -> Iterator[Move]:
        """Yields every move of the mode, consuming ones first."""
        term, places = vertex
        for number, part in enumerate(self._parts):
            place = places[number]
            if place == len(part.actions):
                continue
            action = part.actions[place]
            then = (*places[:number], place + 1, *places[number + 1 :])
            for rest in after(term, observed(action), self._check_budget):
                yield Move(action, True, (normal(rest), then))
        free = self._unobserved(places)
        if free & term.lifelines:
            for action, rest in simulated(term, self._check_budget):
                if bit(action.lifeline) & free:
                    yield Move(action, False, (normal(rest), places))

    def _may_lead_on(self, vertex: Vertex) -> bool:
        """Return False only if no end can be reached: too many iterations wait for an observed
        action, or one waits for an action that nobody recorded, or the rest of a log does not fit
        what remains."""
        term, places = vertex
        if term.unserved and not self._can_be_served(term, places):
            return False
        return self._look_ahead.fits_interaction(term, places)

    def _can_be_served(self, term: Interaction, places: Places) -> bool:
        """Tell whether there may be an observed action left for every open iteration; none contains
        another one, as the term is normal. For iterations that have only actions of some set, at
        least as many of these must be left."""
        left: Counter[Action] = Counter()
        for part, place in zip(self._parts, places, strict=True):
            left.update(part.actions[place:])
        if term.unserved > left.total():
            return False
        waiting: Counter[frozenset[Action]] = Counter()
        pending = [term]
        while pending:
            top = pending.pop()
            if not top.unserved:
                continue
            assert top.left is not None
            if top.operator is Operator.OPEN:
                waiting[self._alphabet(top.left)] += 1
                continue
            pending.append(top.left)
            if top.right is not None:
                pending.append(top.right)
        return all(
            sum(number for other, number in waiting.items() if other <= actions)
            <= sum(left[action] for action in actions)
            for actions in waiting
        )

    def _alphabet(self, term: Interaction) -> frozenset[Action]:
        known = self._alphabets.get(term)
        if known is None:
            found = (part.action for part in subterms(term))
            known = self._alphabets[term] = frozenset(one for one in found if one is not None)
        return known
