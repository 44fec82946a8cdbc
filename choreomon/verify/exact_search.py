"""The search for a global trace that explains a multi-trace, over any co-localization.

Vertices are terms and how much of each component was consumed. Loop iterations that were entered
unobserved are marked in the terms until an observed action comes from them
(`choreomon.interaction.step.simulated`). A vertex is cut where more such iterations are open than
observed actions are left, or where a component's own view of what remains does not fit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from typing import Final, Literal, NamedTuple, TypeAlias

from choreomon.core.action import Action
from choreomon.interaction.lifelines import NONE, Mask, bit
from choreomon.interaction.normal import normal
from choreomon.interaction.step import after, simulated
from choreomon.interaction.term import Interaction, Operator, act
from choreomon.verify.views import Fits, Views

ExactMode: TypeAlias = Literal["accept", "prefix", "multiprefix", "slice"]

TOO_MANY_VERTICES: Final = "the limit on vertices was reached"
STOPPED: Final = "the search was stopped"


class Limits(NamedTuple):
    """When to give up: after so many vertices of the search, or once `should_stop()` is true
    (asked at every vertex, at every move from it and at every new state of an automaton)."""

    vertices: int | None = None
    should_stop: Callable[[], bool] | None = None

    def ask(self) -> None:
        """Raises Exhausted where the search has to stop."""
        if self.should_stop is not None and self.should_stop():
            raise Exhausted(STOPPED)


class Exhausted(Exception):
    """A limit was reached; the text says which."""


class Observed(NamedTuple):
    """What one clock recorded: the interaction's lifelines it is about, and the actions."""

    lifelines: Mask
    actions: Sequence[Action]


Places: TypeAlias = tuple[int, ...]
Vertex: TypeAlias = tuple[Interaction, Places]
"""A normal term, and how much of each component was consumed."""


class Move(NamedTuple):
    """An edge of the search: `observed` where it consumes, and the vertex it leads to."""

    action: Action
    observed: bool
    vertex: Vertex


class Search:
    """What can be consumed is consumed before anything unobserved is tried."""

    def __init__(
        self, views: Views, parts: tuple[Observed, ...], mode: ExactMode, limits: Limits
    ) -> None:
        self._views = views
        self._parts = parts
        self._limits = limits
        self.complete = mode == "accept"
        self.before = mode == "slice"
        self.afterwards = mode in ("slice", "multiprefix")
        self._leaves = [[act(action) for action in part.actions] for part in parts]
        self._fits = Fits(views, [part.actions for part in parts], self.complete)
        self.visited = 0
        self.came: dict[Vertex, tuple[Vertex, Move] | None] = {}

    def start(self, interaction: Interaction) -> Vertex:
        """Where nothing has happened yet."""
        return normal(interaction), (0,) * len(self._parts)

    def run(self, interaction: Interaction) -> tuple[bool, int]:
        """Whether the end was reached, and how many vertices were visited."""
        *_, (_, found) = self.explored(self.start(interaction))
        return found, self.visited

    def explored(self, start: Vertex) -> Iterator[tuple[Vertex, bool]]:
        """The vertices in the order of visits, each with whether it is an end; that is the last
        one. `self.came` has the moves that led there first. What consumed most is visited first,
        and of that what needed the fewest unobserved actions."""
        self.came = {start: None}
        waiting: list[tuple[int, int, int, Vertex]] = [(0, 0, 0, start)]
        while waiting:
            less, missed, _, vertex = heappop(waiting)
            if self.is_end(vertex):
                yield vertex, True
                return
            self.visit()
            yield vertex, False
            for move in self.moves(vertex):
                if move.vertex not in self.came and self.may_lead_on(move.vertex):
                    self.came[move.vertex] = (vertex, move)
                    if move.observed:
                        entry = (less - 1, missed, len(self.came), move.vertex)
                    else:
                        entry = (less, missed + 1, len(self.came), move.vertex)
                    heappush(waiting, entry)

    def visit(self) -> None:
        """Counts a vertex. Raises Exhausted where that was too many, or where it has to stop."""
        limits = self._limits
        self.visited += 1
        if limits.vertices is not None and self.visited > limits.vertices:
            raise Exhausted(TOO_MANY_VERTICES)
        limits.ask()

    def is_end(self, vertex: Vertex) -> bool:
        """Whether everything is consumed, and where that is asked for, nothing has to follow.
        Without it nothing is asked: whatever remains can be completed."""
        term, places = vertex
        return all(
            place == len(leaves) for place, leaves in zip(places, self._leaves, strict=True)
        ) and (not self.complete or term.terminates)

    def free(self, places: Places) -> Mask:
        """The lifelines on which something may happen unobserved now."""
        found = NONE
        for part, leaves, place in zip(self._parts, self._leaves, places, strict=True):
            if place == len(leaves):
                if self.afterwards:
                    found |= part.lifelines
            elif self.before and not place:
                found |= part.lifelines
        return found

    def moves(self, vertex: Vertex) -> list[Move]:
        """Every move of the mode, consuming ones first."""
        term, places = vertex
        found: list[Move] = []
        for number, leaves in enumerate(self._leaves):
            place = places[number]
            if place == len(leaves):
                continue
            leaf = leaves[place]
            if term.lifelines & leaf.lifelines:
                then = (*places[:number], place + 1, *places[number + 1 :])
                action = self._parts[number].actions[place]
                for rest in after(term, leaf, self._limits.ask):
                    self._limits.ask()
                    found.append(Move(action, True, (normal(rest), then)))
        free = self.free(places)
        if free & term.lifelines:
            for action, rest in simulated(term, self._limits.ask):
                if bit(action.lifeline) & free:
                    self._limits.ask()
                    found.append(Move(action, False, (normal(rest), places)))
        return found

    def may_lead_on(self, vertex: Vertex) -> bool:
        """False only where no end can be reached: too many iterations wait for an observed
        action, one waits for what nobody recorded, or what remains of a component does not fit
        what it sees of the term."""
        term, places = vertex
        if term.unserved and not self._can_be_served(term, places):
            return False
        for number, part in enumerate(self._parts):
            place = places[number]
            if place < len(self._leaves[number]) or self.complete:
                begun = self.before and not place
                state = self._views.local(term, part.lifelines, begun)
                if not self._fits.allows(state, number, place):
                    return False
        return True

    def _can_be_served(self, term: Interaction, places: Places) -> bool:
        """Whether there may be an observed action left for every open iteration that contains no
        other one. Of those that have only actions of some set, there must be at least as many."""
        left: Counter[Action] = Counter()
        for part, place in zip(self._parts, places, strict=True):
            if place < len(part.actions):
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
            if top.operator is Operator.OPEN and not top.left.unserved:
                waiting[self._views.actions(top.left)] += 1
                continue
            pending.append(top.left)
            if top.right is not None:
                pending.append(top.right)
        return all(
            sum(number for other, number in waiting.items() if other <= actions)
            <= sum(left[action] for action in actions)
            for actions in waiting
        )
