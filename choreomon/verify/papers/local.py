"""Local analyses: what one component alone tells about a vertex.

The removal paper, Definition 12: what is left of a component must fit what is left of the
interaction on the component's lifelines, its *local view*. Failing that, no global trace can
explain the vertex. It is a necessary condition only; which one depends on the mode:

- `exact`: the view accepts what is left (mode `accept`);
- `prefix`: the view accepts a continuation of it (`prefix`, `multiprefix`, and `simulate` and
  `slice` after the component's first action);
- `factor`: the same, after any actions that were missed (`simulate` and `slice` before it).

Deviations from the paper. A local analysis is not a search of its own, but a run of an automaton:
its states are sets of local views, it is built while it runs and kept for later vertices and
multi-traces. In a view onto two or more lifelines `loopH` becomes `loopW`: what comes first in an
iteration may lie on a lifeline that is not seen, `loopH(alt(seq(l3!p,l1!a),seq(l1!b,l2!c)))`
accepts c a b on {l1,l2}, its projection does not. The marks of `open` iterations are dropped: the
action that serves one may lie elsewhere.

Sets of views may grow without end (`loopP` with actions missing at the start). Beyond some
size the analysis gives up and says that the component fits, which is never wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Literal, TypeAlias

from choreomon.interaction.lifelines import NONE, Mask, is_single
from choreomon.interaction.normal import normal
from choreomon.interaction.step import after
from choreomon.interaction.term import EMPTY, Interaction, Operator, combined, subterms

Question: TypeAlias = Literal["exact", "prefix", "factor"]

KEPT: Final = 100_000
"""A default limit on terms and states: some 50 MB, as far as terms of a hundred symbols go."""

_MANY: Final = 256
"""Sets of more local views are not followed."""

_GROWN: Final = 4
"""Views that missed actions make so many times larger are a sign that there is no end to them."""

_SYMBOLS: Final = 100_000
"""Nor are sets of views with so many symbols together, where actions were missed."""


class _Views:
    """A state of an automaton: the local views that may be what is left."""

    __slots__ = ("moves", "terminates", "terms")

    def __init__(self, terms: tuple[Interaction, ...]) -> None:
        self.terms = terms
        self.terminates = any(term.terminates for term in terms)
        self.moves: dict[Interaction, _Views | None] = {}


class LocalAutomaton:
    """The local analyses for the components on one set of lifelines. Once `limit` terms and states
    are kept, all are forgotten."""

    def __init__(self, lifelines: Mask, limit: int = KEPT) -> None:
        self.lifelines = lifelines
        self._limit = limit
        self._projected: dict[Interaction, Interaction] = {}
        self._views: dict[Interaction, Interaction] = {}
        self._states: dict[frozenset[Interaction], _Views] = {}
        self._reachable: dict[Interaction, _Views | None] = {}

    def __len__(self) -> int:
        """How many projected terms and states are kept."""
        return len(self._projected) + len(self._states)

    def view(self, term: Interaction) -> Interaction:
        """The local view of a term, in normal form."""
        known = self._views.get(term)
        if known is None:
            self._make_room()
            known = self._views[term] = normal(self._projection(term))
        return known

    def fits(
        self,
        view: Interaction,
        word: Sequence[Interaction],
        start: int,
        stop: int,
        ask: Question,
        go_on: Callable[[], None] | None = None,
    ) -> bool:
        """Whether the actions of `word` (terms `act(action)`) from `start` to before `stop` fit a
        local view. `exact` is only for `stop` at the end of the word. `go_on` is called before what
        a view leaves is worked out: it may raise, to stop, and what is known stays right."""
        self._make_room()
        state = self._anywhere(view, go_on) if ask == "factor" else self._state((view,))
        for number in range(start, stop):
            if state is None:
                return True
            leaf = word[number]
            following = state.moves.get(leaf)
            if following is None and leaf not in state.moves:
                following = self._moved(state, leaf, go_on)
                state.moves[leaf] = following
            state = following
            if state is not None and not state.terms:
                return False
        return state is None or ask != "exact" or state.terminates

    def _make_room(self) -> None:
        if len(self) >= self._limit:
            for table in (self._projected, self._views, self._states, self._reachable):
                table.clear()

    def _moved(
        self, state: _Views, leaf: Interaction, go_on: Callable[[], None] | None
    ) -> _Views | None:
        rests: dict[Interaction, None] = {}
        for term in state.terms:
            if go_on is not None:
                go_on()
            for rest in after(term, leaf, go_on):
                if go_on is not None:
                    go_on()
                rests[normal(rest)] = None
        return self._state(rests)

    def _state(self, terms: Iterable[Interaction]) -> _Views | None:
        distinct = tuple(dict.fromkeys(terms))
        if len(distinct) > _MANY:
            return None
        key = frozenset(distinct)
        known = self._states.get(key)
        if known is None:
            known = self._states[key] = _Views(distinct)
        return known

    def _anywhere(self, view: Interaction, go_on: Callable[[], None] | None) -> _Views | None:
        """Every local view that any number of missed actions may leave."""
        if view not in self._reachable:
            found = {view: None}
            pending = [view]
            leaves = [part for part in subterms(view) if part.action is not None]
            symbols = view.size
            while pending and len(found) <= _MANY:
                if go_on is not None:
                    go_on()
                # Not `frontier`: equal actions in many places mostly leave the same.
                top = pending.pop()
                for rest in [rest for leaf in leaves for rest in after(top, leaf, go_on)]:
                    if go_on is not None:
                        go_on()
                    form = normal(rest)
                    if form not in found:
                        found[form] = None
                        pending.append(form)
                        symbols += form.size
                        if form.size > _GROWN * view.size or symbols > _SYMBOLS:
                            self._reachable[view] = None
                            return None
            self._reachable[view] = self._state(found)
        return self._reachable[view]

    def _projection(self, term: Interaction) -> Interaction:
        projected = self._projected
        weaken = not is_single(self.lifelines)
        pending = [term]
        while pending:
            top = pending[-1]
            if top in projected:
                pending.pop()
                continue
            if not top.lifelines & self.lifelines:
                projected[top] = EMPTY
                continue
            if top.left is None:
                projected[top] = top
                continue
            sides = (top.left, top.right)
            missing = [side for side in sides if side is not None and side not in projected]
            if missing:
                pending.extend(missing)
                continue
            left = projected[top.left]
            right = None if top.right is None else projected[top.right]
            if top.operator is Operator.OPEN:
                projected[top] = left
            elif top.operator is Operator.LOOP_H and weaken:
                projected[top] = combined(Operator.LOOP_C, NONE, left, None)
            else:
                projected[top] = combined(top.operator, top.region, left, right)
        return projected[term]
