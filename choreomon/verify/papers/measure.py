"""The measure that bounds the mode `simulate`: (lambda, alpha) of the slices paper, section 5.1.

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

from typing import Final, NamedTuple

from choreomon.interaction.term import LOOPS, Interaction, Operator
from choreomon.verify.papers.graph import Measure
from choreomon.verify.papers.options import SimulationCriteria

KEPT: Final = 100_000
"""A default limit on terms: some 20 MB."""


NO_LIMIT: Final = 2**62
"""More unobserved loops or actions than any search does."""


class Sizes(NamedTuple):
    """As `choreomon.interaction.measures` has them: beta, how many loops there are, and eta. The
    sizes of subterms are kept here, since a step leaves most of them as they were."""

    loop_depth: int
    loops: int
    actions: int


class Measures:
    """Initial measures and their steps under one set of criteria. What is computed of terms is
    kept; once it is kept of `limit` terms, all is forgotten."""

    def __init__(self, criteria: SimulationCriteria, limit: int = KEPT) -> None:
        self._criteria = criteria
        self._limit = limit
        self._sizes: dict[Interaction, Sizes] = {}
        self._initial: dict[Interaction, Measure] = {}

    def __len__(self) -> int:
        """Of how many terms anything is kept."""
        return len(self._sizes)

    def initial(self, term: Interaction, left: int) -> Measure:
        """kappa(term), when `left` observed actions are not yet consumed."""
        known = self._initial.get(term)
        if known is None:
            criteria = self._criteria
            sizes = self._sizes_of(term)
            loops = {"max_depth": sizes.loop_depth, "max_num": sizes.loops}
            actions = {"max_num": sizes.actions}
            known = _number(criteria.loops, loops), _number(criteria.actions, actions)
            self._initial[term] = known
        if not self._criteria.multiply:
            return known
        return known[0] * left, known[1] * left

    def consumed(self, measure: Measure, follow_up: Interaction, left: int) -> Measure:
        """The measure after an observed action."""
        return self.initial(follow_up, left) if self._criteria.reset else measure

    def allows(self, measure: Measure, entered: int) -> bool:
        """Whether there is a measure after an unobserved action within `entered` nested loops,
        whatever remains."""
        loops, actions = measure
        if loops < entered:
            return False
        return actions > 0 or (entered > 0 and self._criteria.actions == "max_num")

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
        if entered and self._criteria.actions == "max_num":
            return loops, self._sizes_of(follow_up).actions
        return None if actions < 1 else (loops, min(actions - 1, most_actions))

    def _sizes_of(self, term: Interaction) -> Sizes:
        known = self._sizes
        if len(known) >= self._limit:
            known.clear()
            self._initial.clear()
        pending = [term]
        while pending:
            top = pending[-1]
            sides = [side for side in (top.left, top.right) if side is not None]
            missing = [side for side in sides if side not in known]
            if missing and top not in known:
                pending.extend(missing)
                continue
            pending.pop()
            if top not in known:
                known[top] = _sizes(top, [known[side] for side in sides])
        return known[term]


def _number(criterion: str | int | None, sizes: dict[str, int]) -> int:
    """What a criterion comes to for a term of these sizes."""
    if criterion is None:
        return NO_LIMIT
    return sizes[criterion] if isinstance(criterion, str) else criterion


def _sizes(term: Interaction, below: list[Sizes]) -> Sizes:
    if not below:
        return Sizes(0, 0, int(term.action is not None))
    depth = max(side.loop_depth for side in below)
    loops = sum(side.loops for side in below)
    actions = [side.actions for side in below]
    if term.operator in LOOPS:
        return Sizes(depth + 1, loops + 1, 0)
    return Sizes(depth, loops, max(actions) if term.operator is Operator.ALT else sum(actions))
