"""Local analyses: what one component alone shows about a vertex.

The removal paper, Definition 12: what is left of a component must fit what is left of the
interaction on the component's lifelines, its *local view*. If it does not, no global trace can
explain the vertex. It is a necessary condition only; which one depends on the mode:

- `exact`: the view accepts what is left (mode `accept`);
- `prefix`: the view accepts a continuation of it (`prefix`, `multiprefix`, and `simulate` and
  `slice` after the component's first action);
- `factor`: the same, after any actions that were missed (`simulate` and `slice` before it).

Deviations from the paper. A local analysis is not a search of its own, but a run of the lazy
automaton of the local view, which is kept for later vertices and multi-traces. In a local view
`loopH` is `loopW`: what comes first in an iteration may lie on a lifeline that is not seen,
`loopH(alt(seq(l3!p,l1!a),seq(l1!b,l2!c)))` accepts c a b on {l1,l2}, its projection does not.
Where the states of the automaton become large the analysis gives up and says that the component
fits, which is never wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from choreomon.core.action import Action
from choreomon.interaction.lifelines import Mask
from choreomon.verify.lazy_automaton import LazyAutomaton
from choreomon.verify.lazy_automaton import State as Views
from choreomon.verify.papers.graph import State
from choreomon.verify.papers.measure import KEPT
from choreomon.verify.papers.options import LocalAnalyses

Condition: TypeAlias = Literal["exact", "prefix", "factor"]

MANY: Final = 256
"""Larger states are not followed: mostly, what is left fits one of their residuals."""


class LocalAnalysis:
    """The local analyses of one multi-trace, of the actions that each component recorded.

    `condition` is that of the mode; `before` says whether actions may be missing before the first
    one of a component.
    """

    def __init__(
        self,
        automaton: LazyAutomaton,
        lifelines: Sequence[Mask],
        traces: Sequence[Sequence[Action]],
        condition: Condition,
        *,
        before: bool,
        options: LocalAnalyses,
    ) -> None:
        self._automaton = automaton
        self._lifelines = lifelines
        self._traces = traces
        self._condition: Condition = condition
        self._before = before
        self._options = options
        self._known: dict[tuple[int, Views, int], bool] = {}

    def fails(self, state: State, previous: State | None) -> bool:
        """Tell whether a component alone shows that nothing explains the vertex. `previous` is the
        state before the last step."""
        if len(self._known) + self._automaton.remembered >= KEPT:
            self._known.clear()
            self._automaton.forget(())
        for number, trace in enumerate(self._traces):
            at = state.positions[number]
            if state.removed >> number & 1 or (at == len(trace) and self._condition != "exact"):
                continue
            view = self._view(state, number)
            is_dirty = (
                previous is None
                or previous.positions[number] != at
                or self._view(previous, number) is not view
            )
            if (is_dirty or self._options.select == "all") and not self._fits(number, view, at):
                return True
        return False

    def _view(self, state: State, number: int) -> Views:
        begun = self._before and state.positions[number] == 0
        return self._automaton.start(state.term, self._lifelines[number], begun)

    def _fits(self, number: int, view: Views, at: int) -> bool:
        key = number, view, at
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._explains(number, view, at)
        return known

    def _explains(self, number: int, view: Views, at: int) -> bool:
        """Tell whether the view explains the rest of a component, as far as that is examined."""
        trace, depth = self._traces[number], self._options.depth
        end = len(trace) if depth is None else min(len(trace), at + depth)
        for action in trace[at:end]:
            if len(view.residuals) > MANY:
                return True
            reached = self._automaton.next(view, action)
            if reached is None:
                return False
            view = reached
        is_whole = end == len(trace) and not (at == 0 and self._before)
        return not is_whole or self._condition != "exact" or view.terminates
