"""Lifeline removal: an interaction as those who see only some lifelines see it.

The removal paper, Definition 4. Actions on the removed lifelines become the empty interaction,
which is then simplified away. In the discrete partition the multi-traces of the result are those of
the interaction without the removed components *except* where the removal paper, Theorem 1 is wrong
(`choreomon.interaction.weakening` says where).
"""

from __future__ import annotations

from choreomon.interaction.lifelines import Mask
from choreomon.interaction.term import EMPTY, Interaction, combined


def remove(term: Interaction, lifelines: Mask) -> Interaction:
    """The term without its actions on `lifelines`."""
    if not term.lifelines & lifelines:
        return term
    known = term._removed
    if known is not None and lifelines in known:
        return known[lifelines]
    # Follow-ups share most of their subterms, so every subterm remembers.
    pending = [term]
    while pending:
        top = pending[-1]
        left, right = top.left, top.right
        if left is not None and not _is_known(left, lifelines):
            pending.append(left)
        elif right is not None and not _is_known(right, lifelines):
            pending.append(right)
        else:
            pending.pop()
            if top._removed is None:
                top._removed = {}
            top._removed[lifelines] = (
                EMPTY
                if left is None
                else combined(
                    top.operator,
                    top.region,
                    _known(left, lifelines),
                    None if right is None else _known(right, lifelines),
                )
            )
    assert term._removed is not None
    return term._removed[lifelines]


def _is_known(term: Interaction, lifelines: Mask) -> bool:
    return not term.lifelines & lifelines or (
        term._removed is not None and lifelines in term._removed
    )


def _known(term: Interaction, lifelines: Mask) -> Interaction:
    if not term.lifelines & lifelines:
        return term
    assert term._removed is not None
    return term._removed[lifelines]


def project(term: Interaction, lifelines: Mask) -> Interaction:
    """The term with nothing but its actions on `lifelines`."""
    return remove(term, term.lifelines & ~lifelines)
