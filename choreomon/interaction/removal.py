"""Lifeline removal: an interaction as those who see only some lifelines see it.

Paper 000, Definition 4. Actions on the removed lifelines become the empty interaction, which is
then simplified away. In the discrete partition the multi-traces of the result are those of the
interaction without the removed components *except* where paper 000, Theorem 1 is wrong
(`choreomon.interaction.weakening` says where).
"""

from __future__ import annotations

from choreomon.interaction.lifelines import Mask
from choreomon.interaction.term import EMPTY, Interaction, combined, subterms


def remove(term: Interaction, lifelines: Mask) -> Interaction:
    """The term without its actions on `lifelines`."""
    if not term.lifelines & lifelines:
        return term
    rewritten: dict[Interaction, Interaction] = {}
    for part in subterms(term):
        if not part.lifelines & lifelines:
            rewritten[part] = part
        elif part.left is None:
            rewritten[part] = EMPTY
        else:
            right = None if part.right is None else rewritten[part.right]
            rewritten[part] = combined(part.operator, part.region, rewritten[part.left], right)
    return rewritten[term]


def project(term: Interaction, lifelines: Mask) -> Interaction:
    """The term with nothing but its actions on `lifelines`."""
    return remove(term, term.lifelines & ~lifelines)
