"""The measure that bounds the mode `simulate`: (lambda, alpha) of paper 001, section 5.1.

Lambda is how many loops may still be entered by unobserved actions, alpha bounds unobserved
actions outside of loops. Each unobserved action makes the pair smaller in lexicographic order.

Deviations. The paper's text leaves lambda alone where no loop is entered; its Fig. 8 and 9 show
that it is never more than what remains of the interaction would start with (simulating `l1!m2`
ends the loop, and lambda is 0). Here it is as in the figures, and so is alpha.

The paper defines steps of alpha for one criterion only, the number of actions outside of loops:
after each unobserved action it is that number for what remains. Where the criterion is a number
given by the user, "the number of actions that can be executed in simulation" (section 7.4), every
unobserved action takes one away, within loops too. Where the measure is not reset, actions that
consuming brought out of loops are not in alpha; then each unobserved action takes one away.
"""

from __future__ import annotations

from choreomon.interaction.measures import actions_outside_loops, loop_depth, metrics
from choreomon.interaction.step import Position
from choreomon.interaction.term import LOOPS, Interaction
from choreomon.verify.search.graph import Measure
from choreomon.verify.search.options import SimulationCriteria


class Measures:
    """Initial measures and their steps under one set of criteria; what is computed of a term is
    kept."""

    def __init__(self, criteria: SimulationCriteria) -> None:
        self._criteria = criteria
        self._outside: dict[Interaction, int] = {}
        self._initial: dict[Interaction, Measure] = {}

    def initial(self, term: Interaction, left: int) -> Measure:
        """kappa(term), when `left` observed actions are not yet consumed."""
        known = self._initial.get(term)
        if known is None:
            criteria = self._criteria
            if criteria.loops == "depth":
                loops = loop_depth(term)
            elif criteria.loops == "number":
                loops = metrics(term).loops
            else:
                loops = criteria.loops
            outside = criteria.actions == "outside"
            known = loops, self._actions(term) if outside else int(criteria.actions)
            self._initial[term] = known
        if not self._criteria.multiply:
            return known
        return known[0] * left, known[1] * left

    def consumed(self, measure: Measure, follow_up: Interaction, left: int) -> Measure:
        """The measure after an observed action."""
        return self.initial(follow_up, left) if self._criteria.reset else measure

    def after(
        self, measure: Measure, entered: int, follow_up: Interaction, left: int
    ) -> Measure | None:
        """The measure after an unobserved action within `entered` nested loops, or None where
        the criteria forbid it."""
        loops, actions = measure
        if loops < entered:
            return None
        most_loops, most_actions = self.initial(follow_up, left)
        loops = min(loops - entered, most_loops)
        if entered and self._criteria.actions == "outside":
            return loops, self._actions(follow_up)
        return None if actions < 1 else (loops, min(actions - 1, most_actions))

    def _actions(self, term: Interaction) -> int:
        known = self._outside.get(term)
        if known is None:
            known = self._outside[term] = actions_outside_loops(term)
        return known


def loops_around(term: Interaction, position: Position) -> int:
    """beta(term, position) of paper 001, Definition 12."""
    loops = 0
    while position:
        loops += term.operator in LOOPS
        digit, position = position
        below = term.left if digit == 1 else term.right
        assert below is not None
        term = below
    return loops
