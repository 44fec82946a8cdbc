"""Weak operators as strict ones: another interaction with the same discrete multi-traces.

Where every log is of one lifeline, logs tell the order of a lifeline's actions and nothing between
lifelines. So `seq(i, j)` and `strict(i, j)` have the same multi-traces there: on each lifeline what
`i` does stands before what `j` does either way, and all choices of both go together. By the same
argument `loopW` and `loopH` have those of `loopS`, and `coreg(r)` has those of `strict` where no
lifeline that both operands share is in `r`. Of a strict reading much less may remain after each
action: few interactions with weak loops have a finite automaton, most have one when read strictly.

**Where it ends.** Below a `coreg(r)` whose operands share lifelines in `r`, two lifelines may
disagree about which operand came first, so that an order between lifelines within the operands
shows: `par(strict(l1!m1,l2!m1), strict(l2!m2,l1!m2))` does not accept l1: m2 m1, l2: m1 m2; with
`seq` in it, it does (`choreomon.interaction.weakening`). A choice of local traces, interleaved on
the lifelines in `r`, is one of the whole unless the orders contradict each other in a cycle. A
cycle comes into the left operand on a shared lifeline in `r`, since elsewhere the left one is
first. If that operand orders nothing on another shared lifeline after it, the circle leaves it
where it came in, so that it is one within the right operand alone: there is none. So then

- whatever orders the right operand, the multi-traces are the same: it may be read strictly;
- the left one, too, if it still orders nothing so when it is read strictly. That is so where one
  lifeline is shared only.

By the same argument with sides changed, circles leave the right operand on a lifeline in `r`. A
`loopC(r)` whose body has several lifelines, of which one is in `r`, stays as it is.

What is read strictly accepts less, and nothing else: its accepted traces are some of the
interaction's. So what explains logs by it explains them. Of logs that may lack actions at their
ends all of this holds as well (`multiprefix`, `slice`): the argument is about whole words of the
lifelines. It does not where all logs stop at one moment (`prefix`): then the order between
lifelines counts.
"""

from __future__ import annotations

from choreomon.interaction.lifelines import NONE, Mask, each, is_single
from choreomon.interaction.term import Interaction, Operator, combined, subterms
from choreomon.interaction.weakening import STRICT_LIKE


def strengthened(term: Interaction) -> Interaction:
    """The interaction read strictly, as far as the discrete partition cannot tell. For terms
    without `open` marks."""
    strict: dict[Interaction, Interaction] = {}
    for part in subterms(term):
        left, right, operator, region = part.left, part.right, part.operator, part.region
        if left is None:
            strict[part] = part
        elif right is None:
            if operator is not Operator.LOOP_C or not region & left.lifelines:
                operator, region = Operator.LOOP_S, NONE
            elif not is_single(left.lifelines):
                strict[part] = part
                continue
            strict[part] = combined(operator, region, strict[left], None)
        elif operator is not Operator.COREG or not region & left.lifelines & right.lifelines:
            if operator is Operator.COREG:
                operator = Operator.STRICT
            strict[part] = combined(operator, NONE, strict[left], strict[right])
        else:
            read = _operands(left, right, region, strict)
            strict[part] = combined(operator, region, *read)
    return strict[term]


def _operands(
    left: Interaction,
    right: Interaction,
    region: Mask,
    strict: dict[Interaction, Interaction],
) -> tuple[Interaction, Interaction]:
    """The operands of a `coreg`, of which those are read strictly that may be."""
    shared = left.lifelines & right.lifelines
    free = region & shared

    def stays_out(one: Interaction) -> bool:
        return not orders(one, free, shared)

    def stays_in(other: Interaction) -> bool:
        return not orders(other, shared, free)

    if stays_out(strict[left]) or stays_in(strict[right]):
        return strict[left], strict[right]
    if stays_out(left):
        return left, strict[right]
    if stays_in(right):
        return strict[left], right
    return left, right


def is_separable(term: Interaction) -> bool:
    """Tell whether below each `coreg` and `loopC` of a term no cycle can arise, whatever is
    interleaved: any choices of local traces of the operands, interleaved on each lifeline, belong
    to the whole. Then the same holds after lifelines were removed, and for whatever remains after
    actions. If unsure, it says no."""
    for part in subterms(term):
        left, right, region = part.left, part.right, part.region
        if left is None:
            continue
        if part.operator is Operator.LOOP_C:
            if region & left.lifelines and orders(left, left.lifelines, left.lifelines):
                return False
        elif part.operator is Operator.COREG:
            assert right is not None
            shared = left.lifelines & right.lifelines
            free = region & shared
            if free and orders(left, free, shared) and orders(right, shared, free):
                return False
    return True


def orders(term: Interaction, earlier: Mask, later: Mask) -> bool:
    """Tell whether a term may order an action on one of the lifelines `later` after one on another
    of the lifelines `earlier`. If unsure, it says yes."""
    pairs: list[tuple[Mask, Mask]] = []
    for part in subterms(term):
        if part.operator in STRICT_LIKE and part.left is not None:
            right = part.left if part.right is None else part.right
            pairs.append((part.left.lifelines, right.lifelines))
    for start in each(earlier & term.lifelines):
        reached = start
        while True:
            more = reached
            for before, after in pairs:
                if before & more:
                    more |= after
            if more == reached:
                break
            reached = more
        if reached & later & ~start:
            return True
    return False
