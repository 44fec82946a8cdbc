"""Partial-order reductions: which of the consuming steps from a vertex are enough.

`one_unambiguous` is the removal paper, Definition 11. Its Proposition 14 is wrong where operators
order actions across lifelines: against `strict(loopS(l1!b),l2!a)`, the multi-trace l1: b, l2: a is
accepted, but `l2!a`, one-unambiguous and executable, discards the loop. It stays for comparison.

The sound reduction needs a term without such operators, and the discrete partition. There the
accepted global traces stay accepted when neighbours on different lifelines are swapped. So what
comes first on any one lifeline may as well come first of all, and whatever explains the rest of the
multi-trace begins, after swaps, on the lifeline of *any* component with actions left. The component
with the fewest follow-ups is chosen; if it has none, nothing explains the vertex. Swaps keep
iterations whole, so the bound of exact simulation is not touched, and what has to be simulated
before the chosen component's next action on other lifelines can be done later, or never.
Strict-like operators are rewritten into weak ones before where multi-traces stay the same
(`choreomon.interaction.weakening`).
"""

from __future__ import annotations

from choreomon.core.action import Action
from choreomon.interaction.enabled import enabled
from choreomon.interaction.lifelines import Mask
from choreomon.interaction.term import EMPTY, Interaction, Operator, make, subterms
from choreomon.interaction.weakening import has_strict_like, weakened_where_exact


def reducible(term: Interaction) -> Interaction | None:
    """A term with the same multi-traces over the discrete partition in which nothing orders
    actions across lifelines, or None where the rule of weakening does not give one."""
    weak = weakened_where_exact(term)
    return None if has_strict_like(weak) else weak


def one_unambiguous(term: Interaction, action: Action, lifelines: Mask) -> bool:
    """Tell whether the action is executable at exactly one position of the term reduced to its
    actions on `lifelines`. The removal paper has one lifeline there; over co-localizations, all
    that share the action's clock."""
    return [step.action for step in enabled(_blanked(term, lifelines))].count(action) == 1


def _blanked(term: Interaction, lifelines: Mask) -> Interaction:
    """The term reduced to its actions on `lifelines`, positions unchanged: simplifying would merge
    some. A part with nothing left has no position to count either."""
    blanked: dict[Interaction, Interaction] = {}
    for part in subterms(term):
        if not part.lifelines & ~lifelines:
            blanked[part] = part
        elif part.left is None:
            blanked[part] = EMPTY
        else:
            left = blanked[part.left]
            right = None if part.right is None else blanked[part.right]
            empty = left is EMPTY and right in (None, EMPTY) and part.operator is not Operator.OPEN
            blanked[part] = EMPTY if empty else make(part.operator, part.region, left, right)
    return blanked[term]
