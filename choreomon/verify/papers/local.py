"""Local analyses: what one component alone shows about a vertex.

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
from choreomon.interaction.removal import project
from choreomon.interaction.step import after
from choreomon.interaction.term import Interaction, Operator, combined, subterms
from choreomon.verify.papers.graph import State
from choreomon.verify.papers.options import LocalAnalyses

Condition: TypeAlias = Literal["exact", "prefix", "factor"]

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

    __slots__ = ("terminates", "terms", "transitions")

    def __init__(self, terms: tuple[Interaction, ...]) -> None:
        self.terms = terms
        self.terminates = any(term.terminates for term in terms)
        self.transitions: dict[Interaction, _Views | None] = {}


class LocalAutomaton:
    """The local analyses for the components on one set of lifelines. Once `limit` terms and states
    are kept, all are forgotten. `check_budget` is called before a transition is computed: it may
    raise, to stop, and what is kept stays right."""

    def __init__(
        self,
        lifelines: Mask,
        limit: int = KEPT,
        check_budget: Callable[[], None] | None = None,
    ) -> None:
        self.lifelines = lifelines
        self._limit = limit
        self._check_budget = check_budget
        self._views: dict[Interaction, Interaction] = {}
        self._states: dict[frozenset[Interaction], _Views] = {}
        self._reachable: dict[Interaction, _Views | None] = {}

    def __len__(self) -> int:
        """How many terms and states are kept."""
        return len(self._views) + len(self._states)

    def view(self, term: Interaction) -> Interaction:
        """The local view of a term, in normal form."""
        known = self._views.get(term)
        if known is None:
            self._make_room()
            known = self._views[term] = normal(self._projection(term))
        return known

    def fits(
        self, view: Interaction, trace: Sequence[Interaction], condition: Condition = "prefix"
    ) -> bool:
        """Whether the actions of `trace` (terms `act(action)`) fit a local view."""
        self._make_room()
        state = self._anywhere(view) if condition == "factor" else self._state((view,))
        for leaf in trace:
            if state is None:
                return True
            if leaf not in state.transitions:
                state.transitions[leaf] = self._state(
                    normal(rest) for term in state.terms for rest in self._after(term, leaf)
                )
            state = state.transitions[leaf]
            if state is not None and not state.terms:
                return False
        return state is None or condition != "exact" or state.terminates

    def _make_room(self) -> None:
        if len(self) >= self._limit:
            for table in (self._views, self._states, self._reachable):
                table.clear()

    def _after(self, term: Interaction, leaf: Interaction) -> Iterable[Interaction]:
        for rest in after(term, leaf, self._check_budget):
            if self._check_budget is not None:
                self._check_budget()
            yield rest

    def _state(self, terms: Iterable[Interaction]) -> _Views | None:
        """The state of these views, or None where they are too many."""
        distinct = tuple(dict.fromkeys(terms))
        if len(distinct) > _MANY:
            return None
        key = frozenset(distinct)
        known = self._states.get(key)
        if known is None:
            known = self._states[key] = _Views(distinct)
        return known

    def _anywhere(self, view: Interaction) -> _Views | None:
        """Every local view that any number of missed actions may leave."""
        if view not in self._reachable:
            found = self._after_any(view)
            self._reachable[view] = None if found is None else self._state(found)
        return self._reachable[view]

    def _after_any(self, view: Interaction) -> list[Interaction] | None:
        """What any number of actions may leave of a view, or None where that is too large."""
        found = {view: None}
        pending = [view]
        leaves = [part for part in subterms(view) if part.action is not None]
        symbols = view.size
        while pending:
            # Not `frontier`: equal actions in many places mostly leave the same.
            top = pending.pop()
            for rest in [rest for leaf in leaves for rest in self._after(top, leaf)]:
                form = normal(rest)
                if form not in found:
                    found[form] = None
                    pending.append(form)
                    symbols += form.size
                    too_large = form.size > _GROWN * view.size or symbols > _SYMBOLS
                    if too_large or len(found) > _MANY:
                        return None
        return list(found)

    def _projection(self, term: Interaction) -> Interaction:
        weaken = not is_single(self.lifelines)
        made: dict[Interaction, Interaction] = {}
        projected = project(term, self.lifelines)
        for part in subterms(projected):
            if part.left is None:
                made[part] = part
                continue
            left = made[part.left]
            right = None if part.right is None else made[part.right]
            if part.operator is Operator.OPEN:
                made[part] = left
            elif part.operator is Operator.LOOP_H and weaken:
                made[part] = combined(Operator.LOOP_C, NONE, left, None)
            else:
                made[part] = combined(part.operator, part.region, left, right)
        return made[projected]


class LocalAnalysis:
    """The local analyses of one multi-trace: an automaton and a local trace for each component.

    `condition` is that of the mode; `before` says whether actions may be missing before the first
    one of a component.
    """

    def __init__(
        self,
        automata: Sequence[LocalAutomaton],
        traces: Sequence[Sequence[Interaction]],
        condition: Condition,
        *,
        before: bool,
        options: LocalAnalyses,
    ) -> None:
        self._automata = automata
        self._traces = traces
        self._condition: Condition = condition
        self._before = before
        self._options = options
        self._known: dict[tuple[int, Interaction, int], bool] = {}

    def fails(self, state: State, previous: State | None) -> bool:
        """Whether a component alone shows that nothing explains the vertex. `previous` is where
        the last step came from."""
        for number, trace in enumerate(self._traces):
            at = state.positions[number]
            if state.removed >> number & 1 or (at == len(trace) and self._condition != "exact"):
                continue
            automaton = self._automata[number]
            view = automaton.view(state.term)
            is_dirty = (
                previous is None
                or previous.positions[number] != at
                or automaton.view(previous.term) is not view
            )
            if (is_dirty or self._options.select == "all") and not self._fits(number, view, at):
                return True
        return False

    def _fits(self, number: int, view: Interaction, at: int) -> bool:
        key = number, view, at
        known = self._known.get(key)
        if known is None:
            trace, depth = self._traces[number], self._options.depth
            rest = trace[at:] if depth is None else trace[at : at + depth]
            condition = self._condition if at + len(rest) == len(trace) else "prefix"
            if at == 0 and self._before:
                condition = "factor"
            if len(self._known) >= KEPT:
                self._known.clear()
            known = self._known[key] = self._automata[number].fits(view, rest, condition)
        return known
