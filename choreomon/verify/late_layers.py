"""Long logs layer by layer, of late terms (`choreomon.verify.late`): for components that begin to
be observed late, or end early.

Nothing unobserved is a step here: before and after every observed action there is an epoch in
which anything may have happened on the lifelines that were not observed there, as in
`choreomon.verify.late_search`, whose vertices these are. What is said there of `loopH` holds here.

An action is taken first without looking at the others (`choreomon.verify.persistent`) only where
its component has begun: before that, what the component did unobserved comes before the action.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from choreomon.core.action import Action
from choreomon.interaction.lifelines import NONE, Mask, each
from choreomon.interaction.normal import normal
from choreomon.interaction.term import Interaction, act, forget_steps
from choreomon.verify.exact_search import Observed
from choreomon.verify.late import COREG, LATE, PLAIN, STRICT, LateTerm, LateTerms
from choreomon.verify.layered_walk import Bounds, LayeredWalk, Moves, Rest, Vertex
from choreomon.verify.overestimates import without_heads
from choreomon.verify.persistent import WAITS, Persistence
from choreomon.verify.views import Views

KEPT: Final = 20_000
"""After so many late terms, what was found out of them is forgotten."""


class _LateRest(Rest):
    """A late term, and on which lifelines something may happen unobserved now. There is one for
    each of both until all are forgotten."""

    __slots__ = ("_layers", "free", "term")

    def __init__(self, layers: LateLayers, term: LateTerm, free: Mask) -> None:
        self._layers = layers
        self.term = term
        self.free = free
        self.size = _size(term)
        self.terminates = False
        self.unavoidable = NONE
        self.unserved = 0

    def __missing__(self, action: Action) -> Moves:
        found = self[action] = self._layers.moves(self, action, self.free, begun=True)
        return found


class LateLayers(LayeredWalk):
    """What is found out is kept for the next multi-trace, for `kept` late terms at most. Not for
    several threads at once."""

    def __init__(
        self,
        ask: Callable[[], None] | None = None,
        *,
        kept: int = KEPT,
    ) -> None:
        """`ask` is called for every layer, and now and then while follow-ups are worked out; it may
        raise, to stop."""
        super().__init__(kept, ask)
        self._views = Views()
        self._rests: dict[tuple[LateTerm, Mask], _LateRest] = {}
        self._persistence = Persistence()
        self._components: dict[Mask, Mask] = {}
        self._before = False

    def holds(
        self, start: Interaction, logs: Sequence[Observed], bounds: Bounds, *, before: bool
    ) -> tuple[bool | None, int]:
        """Whether the logs are a multi-prefix; with `before`, a slice. None where that was not
        found out. And the number of vertices. `start` is in normal form."""
        components = {one: log.lifelines for log in logs for one in each(log.lifelines)}
        if components != self._components:
            self.forget()
            forget_steps()
            self._components = components
        self._views.asking(self.ask)
        self._before = before
        self._logs = logs
        self._ends = tuple([len(log.actions) for log in logs])
        free = self._free((0,) * len(logs))
        terms = self._views.late_terms
        first = terms.opened(terms.plain(normal(without_heads(start))), free)
        end = self._walked(self._rest(first, free), bounds, complete=False, reduced=True)
        if end.rests:
            return True, end.visited
        return None if end.cut else False, end.visited

    def moves(self, rest: _LateRest, action: Action, free: Mask, *, begun: bool) -> Moves:
        """What may remain after an observed action, and what then happens unobserved on the
        lifelines `free`. `begun`: whether the action is not the first one of its component that
        was observed."""
        leaf = act(action)
        found = tuple([self._rest(one, free) for one in self._views.after(rest.term, leaf, free)])
        component = self._components.get(leaf.lifelines, leaf.lifelines)
        if not begun or self._persistence.late_standing(rest.term, leaf, component) == WAITS:
            return Moves(found, None)
        return Moves(found, (len(found), max([one.size for one in found], default=0)))

    def _edge(self, rest: Rest, places: Sequence[int], number: int) -> Moves:
        assert isinstance(rest, _LateRest)
        action = self._logs[number].actions[places[number]]
        free = self._free([*places[:number], places[number] + 1, *places[number + 1 :]])
        return self.moves(rest, action, free, begun=bool(places[number]) or not self._before)

    def _free(self, places: Sequence[int]) -> Mask:
        """The lifelines on which something may happen unobserved."""
        found = NONE
        for log, place, end in zip(self._logs, places, self._ends, strict=True):
            if place == end or (self._before and not place):
                found |= log.lifelines
        return found

    def _rest(self, term: LateTerm, free: Mask) -> _LateRest:
        found = self._rests.get((term, free))
        if found is None:
            found = self._rests[term, free] = _LateRest(self, term, free)
            self.known = len(self._rests) + self._views.remembered
        return found

    def _renewed(self, layer: list[Vertex]) -> list[Vertex]:
        kept = [(rest, places) for rest, places in layer if isinstance(rest, _LateRest)]
        self.forget()
        forget_steps()
        self._views.asking(self.ask)
        made: dict[LateTerm, LateTerm] = {}
        terms = self._views.late_terms
        return [
            (self._rest(_again(rest.term, terms, made), rest.free), places) for rest, places in kept
        ]

    def forget(self) -> None:
        for rest in self._rests.values():
            rest.clear()
        self._rests.clear()
        self._views = Views()
        self._persistence.forget()
        self.known = 0


def _again(node: LateTerm, terms: LateTerms, made: dict[LateTerm, LateTerm]) -> LateTerm:
    """The late term among `terms`; `made` are those that were taken over before."""
    pending = [node]
    while pending:
        top = pending[-1]
        if top in made:
            pending.pop()
        elif top.kind == PLAIN:
            made[top] = terms.plain(top.term)
        elif top.kind == LATE:
            made[top] = terms.undecided(top.term, top.epochs, top.pruned)
        elif top.left not in made or top.right not in made:
            pending += [top.right, top.left]
        elif top.kind == COREG:
            made[top] = terms.coreg(top.region, made[top.left], made[top.right])
        else:
            assert top.kind == STRICT
            made[top] = terms.strict(made[top.left], made[top.right])
    return made[node]


def _size(node: LateTerm) -> int:
    """Symbols, those of a part as often as it occurs."""
    found = 0
    pending = [node]
    while pending:
        top = pending.pop()
        if top.kind in (PLAIN, LATE):
            found += top.term.size
        else:
            found += 1
            pending += [top.right, top.left]
    return found
