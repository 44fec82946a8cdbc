"""Strict operators as weak ones, and where nobody can tell them apart.

`strict`, `loopS` and `loopH` order actions across lifelines; call them strict-like here. In the
discrete partition every lifeline has a log of its own, and an order across lifelines leaves no
trace in any of them: `strict` and `seq` accept the same multi-traces (the removal paper, Definition
8).

The removal paper, Property 3 concludes that this holds within every operator. It does not:
interleaving forgets the order across lifelines inside of its operands only where no second order
contradicts it. `par(strict(l1!m1,l2!m1), strict(l2!m2,l1!m2))` does not accept l1: m2 m1, l2: m1
m2; with `seq` for `strict` it does. So removing the lifeline through which such an order ran (the
removal paper, Theorems 1 and 2) can make a multi-trace accepted, or, where `loopH` decides what is
a choice, rejected.

The rule, here for one term: rewriting strict-like operators, and removing lifelines, keep the
multi-traces of the discrete partition unless strict-like operators lie

- in two operands of a `coreg(r)` (`par` is one) whose shared lifelines meet `r`, or
- under a `loopC(r)` whose body has lifelines in `r`.

The rule is sufficient, not necessary. It says nothing about coarser partitions, nor about
prefixes of global traces, where strict operators can be told from weak ones.

Operators over one lifeline are not strict-like: there `strict` and `seq`, `loopS`, `loopH` and
`loopW` are the same.
"""

from __future__ import annotations

from typing import Final

from choreomon.interaction.lifelines import NONE, Mask, is_single
from choreomon.interaction.term import Interaction, Operator, combined, subterms

STRICT_LIKE: Final = frozenset({Operator.STRICT, Operator.LOOP_S, Operator.LOOP_H})
"""The operators that order actions across lifelines."""


def weakened(term: Interaction) -> Interaction:
    """The term with every strict-like operator replaced by its weak sibling: `seq` for
    `strict`, `loopW` for `loopS` and `loopH`.

    Accepts at least what the term accepts, and in the discrete partition exactly the same where
    `is_exact_by_removal` holds.
    """
    return _rewritten(term, frozenset())


def weakened_where_exact(term: Interaction) -> Interaction:
    """The term with those strict-like operators replaced that lie under nothing that the rule
    speaks of: the accepted multi-traces in the discrete partition stay, whatever the term."""
    return _rewritten(term, frozenset(revealing(term)))


def is_exact_by_removal(term: Interaction) -> bool:
    """Return whether the rule lets lifelines be removed from the term, and its strict-like
    operators be weakened, without any change to its multi-traces in the discrete partition."""
    return not revealing(term)


def has_strict_like(term: Interaction) -> bool:
    """Return whether anything in the term orders actions across lifelines."""
    return term in _strict_like(subterms(term))


def _strict_like(parts: list[Interaction]) -> set[Interaction]:
    """The members of `parts` (operands before what they are operands of) with a strict-like
    operator at the root or within."""
    found: set[Interaction] = set()
    for part in parts:
        if (
            part.left in found
            or part.right in found
            or (part.operator in STRICT_LIKE and not is_single(part.lifelines) and part.lifelines)
        ):
            found.add(part)
    return found


def revealing(term: Interaction) -> list[Interaction]:
    """The subterms below which an order across lifelines may show in local logs."""
    parts = subterms(term)
    ordering = _strict_like(parts)
    found: list[Interaction] = []
    ordered: dict[Interaction, Mask] = {}
    """The lifelines of operands with strict-like operators, for a chain of one `coreg`."""
    for part in parts:
        if part.operator is Operator.LOOP_C:
            if part in ordering and part.lifelines & part.region:
                found.append(part)
        elif part.operator is Operator.COREG:
            sides = [
                # A chain of one operator is one operator with many operands, however it is nested.
                ordered[side]
                if side.operator is Operator.COREG and side.region == part.region
                else side.lifelines
                if side in ordering
                else NONE
                for side in (part.left, part.right)
                if side is not None
            ]
            ordered[part] = sides[0] | sides[1]
            if sides[0] & sides[1] & part.region:
                found.append(part)
    return found


def _rewritten(term: Interaction, kept: frozenset[Interaction]) -> Interaction:
    """The term with its strict-like operators weakened, except within the terms `kept`."""
    weak: dict[Interaction, Interaction] = {}
    pending = [term]
    while pending:
        top = pending[-1]
        if top in weak:
            pending.pop()
            continue
        if top.left is None or top in kept:
            weak[top] = top
            continue
        missing = [side for side in (top.left, top.right) if side is not None and side not in weak]
        if missing:
            pending.extend(missing)
            continue
        right = None if top.right is None else weak[top.right]
        operator = top.operator
        if operator is Operator.STRICT:
            operator = Operator.COREG
        elif operator in STRICT_LIKE:
            operator = Operator.LOOP_C
        weak[top] = combined(operator, top.region, weak[top.left], right)
    return weak[term]
