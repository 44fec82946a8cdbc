"""The measure that bounds the mode `simulate`: (lambda, alpha) of the slices paper, section 5.1.

Lambda is how many loops unobserved actions may still enter, alpha how many unobserved actions may
still happen outside of loops. Each unobserved action makes the pair smaller in lexicographic order.

Deviations. The paper's text leaves lambda alone where no loop is entered; its Fig. 8 and 9 show
that it is never more than what remains of the interaction would start with (simulating `l1!m2`
ends the loop, and lambda is 0). Here it is as in the figures, and so is alpha.

The paper defines steps of alpha for one criterion only, the number of actions outside of loops:
after each unobserved action it is that number for what remains. If the criterion is a number that
the user chose, "the number of actions that can be executed in simulation" (section 7.4), every
unobserved action takes one away, within loops too. If the measure is not reset, alpha does not
include actions that consuming brought out of loops; then each unobserved action takes one away.
"""

from __future__ import annotations

from typing import Final

from choreomon.interaction.measures import actions_outside_loops, loop_depth, metrics
from choreomon.interaction.term import Interaction
from choreomon.verify.papers.graph import Measure
from choreomon.verify.papers.options import SimulationCriteria

KEPT: Final = 100_000
"""The most terms, or answers about them, kept: some 20 MB to 50 MB."""

NO_LIMIT: Final = 2**62
"""More unobserved loops or actions than any search simulates."""


class Measures:
    """Initial measures and their steps under one set of criteria. The measures of `limit` terms
    are kept, then all are forgotten."""

    def __init__(self, criteria: SimulationCriteria, limit: int = KEPT) -> None:
        self._criteria = criteria
        self._limit = limit
        self._kept: dict[Interaction, Measure] = {}

    def __len__(self) -> int:
        """The number of terms whose measure is kept."""
        return len(self._kept)

    def initial(self, term: Interaction, left: int) -> Measure:
        """kappa(term), when `left` observed actions are not yet consumed."""
        loops, actions = self._of(term)
        return (loops * left, actions * left) if self._criteria.multiply else (loops, actions)

    def consumed(self, measure: Measure, follow_up: Interaction, left: int) -> Measure:
        """The measure after an observed action."""
        return self.initial(follow_up, left) if self._criteria.reset else measure

    def allows(self, measure: Measure, entered: int) -> bool:
        """Tell whether the criteria allow an unobserved action within `entered` nested loops."""
        loops, actions = measure
        outside_only = entered > 0 and self._criteria.actions == "max_num"
        return loops >= entered and (actions > 0 or outside_only)

    def simulated(
        self, measure: Measure, entered: int, follow_up: Interaction, left: int
    ) -> Measure:
        """The measure after an unobserved action that the criteria allow."""
        most_loops, most_actions = self.initial(follow_up, left)
        loops = min(measure[0] - entered, most_loops)
        if entered and self._criteria.actions == "max_num":
            return loops, self._of(follow_up)[1]
        return loops, min(measure[1] - 1, most_actions)

    def _of(self, term: Interaction) -> Measure:
        known = self._kept.get(term)
        if known is None:
            if len(self._kept) >= self._limit:
                self._kept.clear()
            known = self._kept[term] = (self._loops(term), self._actions(term))
        return known

    def _loops(self, term: Interaction) -> int:
        criterion = self._criteria.loops
        if criterion == "max_depth":
            return loop_depth(term)
        if criterion == "max_num":
            return metrics(term).loops
        return NO_LIMIT if criterion is None else criterion

    def _actions(self, term: Interaction) -> int:
        criterion = self._criteria.actions
        if criterion == "max_num":
            return actions_outside_loops(term)
        return NO_LIMIT if criterion is None else criterion
