"""A normal form: terms that mean the same by the laws below become the same term.

Searches reach the same situation as many different terms; states are shared only where these become
one term. The laws keep the accepted global traces (`denotation` is the oracle),
and of terms with `open` iterations also which of them are still to be served:

- `strict`, `coreg(r)` and `alt` are associative; the empty interaction is the unit of the first
  two; `alt` is commutative and idempotent, and needs no empty choice beside one that may stop.
- Neighbours in a `coreg(r)` commute when all lifelines that they share are in `r`.
- The region of a `coreg` matters only on lifelines that two operands share, that of a `loopC` only
  on those of its body. So `coreg`s of different regions may turn out to be one.
- On a single lifeline `strict` is `seq`, and `loopS` and `loopH` are `loopW`. `loopH` is so, too,
  where its body does nothing at all without any one of its lifelines: then a later iteration waits
  for the earlier ones to have begun in `loopW` as well.
- A loop over a choice needs no empty choice, and a loop repeats itself: a loop that is no freer
  directly within, or as a choice within, is not needed. Not so within `loopH`: what comes first in
  an inner one need not be what comes first in the outer one.
- A loop does not need a sequence in its body either, no freer than itself, all of whose operands
  may stop: it can do them one by one, in iterations of their own.
- In `coreg(r)` a `loopC(r)` swallows what is directly in front of it, may stop, and is made of
  choices of the loop's body, pruned or not: that is what steps leave behind. `strict` does the same
  for `loopS`, with an equal one and one that is itself pruned.
- The mark of an `open` iteration around another open one says nothing: serving that one serves it.

The normal form does not decide equality: different normal forms may mean the same. How the
operands of a `coreg` are put in order is in `choreomon.interaction.chain`.
"""

from __future__ import annotations

from typing import Final

from choreomon.interaction.chain import (
    NotNormalYet,
    alternatives,
    canonical_region,
    in_coreg,
    is_freer,
    known,
    operands_of,
    repeats,
    sort_key,
    swallows,
)
from choreomon.interaction.lifelines import NONE, Mask, each, is_single
from choreomon.interaction.step import prune
from choreomon.interaction.term import (
    BINARY,
    EMPTY,
    Interaction,
    Operator,
    combined,
    make,
    subterms,
)

_MANY: Final = 64
"""Bodies of `loopH` with more lifelines that they can do without are not looked at closely."""


def simplify(term: Interaction) -> Interaction:
    """The term without redundant empty interactions, as the removal and small-step papers write
    follow-ups: units of `strict` and `coreg`, loops over nothing, choices between equals."""
    simple: dict[Interaction, Interaction] = {}
    for part in subterms(term):
        if part.left is None:
            simple[part] = part
        else:
            right = None if part.right is None else simple[part.right]
            simple[part] = combined(part.operator, part.region, simple[part.left], right)
    return simple[term]


def normal(term: Interaction) -> Interaction:
    """The normal form of a term. Computed once a term; `normal(normal(term)) is normal(term)`."""
    pending = [term]
    while pending:
        top = pending[-1]
        if known(top) is not None:
            pending.pop()
            continue
        parts = _parts(top)
        forms: list[Interaction] = []
        missing: list[Interaction] = []
        for part in parts:
            form = part if _is_tail(part, top) else known(part)
            if form is None:
                missing.append(part)
            else:
                forms.append(form)
        if missing:
            pending += missing
            continue
        try:
            form = _rebuilt(top, forms)
        except NotNormalYet as asked:
            pending.append(asked.term)
            continue
        form._is_normal = True
        if form is not top:
            top._normal = form
        pending.pop()
    form = known(term)
    assert form is not None
    return form


def _is_tail(part: Interaction, whole: Interaction) -> bool:
    """Return whether a part is a chain of the whole's operator that is in order already. Alone it
    might have another normal form."""
    return (
        part._level > 0
        and part is not whole
        and part.operator is whole.operator
        and part.region == whole.region
    )


def _parts(term: Interaction) -> list[Interaction]:
    """The operands of a term; of a chain of one binary operator, all operands of the chain. What
    is normal or in order already is not taken apart."""
    if term.operator not in BINARY:
        return [] if term.left is None else [term.left]
    parts: list[Interaction] = []
    assert term.left is not None
    assert term.right is not None
    pending = [term.right, term.left]
    while pending:
        top = pending.pop()
        if (
            top.operator is term.operator
            and top.region == term.region
            and not top._level
            and not top._is_normal
        ):
            assert top.left is not None
            assert top.right is not None
            pending += [top.right, top.left]
        else:
            parts.append(top)
    return parts


def _rebuilt(term: Interaction, parts: list[Interaction]) -> Interaction:
    if not parts:
        return term
    if term.operator is Operator.COREG:
        return in_coreg(term.region, parts)
    if term.operator is Operator.STRICT:
        return _strict(parts)
    if term.operator is Operator.ALT:
        return _alt(parts)
    if term.operator is Operator.OPEN:
        body = parts[0]
        return body if body.unserved else make(Operator.OPEN, NONE, body, None)
    return _loop(term.operator, term.region, parts[0])


# --- choices and loops --------------------------------------------------------------------------


def _alt(parts: list[Interaction]) -> Interaction:
    choices = {choice for part in parts for choice in alternatives(part)}
    if any(choice.terminates for choice in choices if choice is not EMPTY):
        choices.discard(EMPTY)
    first, *others = sorted(choices, key=sort_key, reverse=True)
    whole = first
    for choice in others:
        whole = make(Operator.ALT, NONE, choice, whole)
    return whole


def _loop(operator: Operator, region: Mask, body: Interaction) -> Interaction:
    if operator is not Operator.LOOP_C and (
        is_single(body.lifelines) or (operator is Operator.LOOP_H and keeps_order(body))
    ):
        operator = Operator.LOOP_C
    if operator is Operator.LOOP_C:
        region = canonical_region(region & body.lifelines, body.lifelines)
    choices: list[Interaction] = []
    pending = [body]
    while pending:
        for choice in alternatives(pending.pop()):
            if choice.left is not None and is_needless(operator, region, choice):
                pending += operands_of(choice) if choice.right is not None else [choice.left]
            elif choice is not EMPTY:
                choices.append(choice)
    if not choices:
        return EMPTY
    return make(operator, region, _alt(choices), None)


def keeps_order(body: Interaction) -> bool:
    """Return whether no iteration of a weak loop over this body can begin before an earlier one,
    since what an iteration does without any one of its lifelines is nothing. False where there are
    too many lifelines to look at."""
    avoidable = body.lifelines & ~body.unavoidable
    return (
        not body.unserved
        and avoidable.bit_count() <= _MANY
        and all(prune(body, one) in (None, EMPTY) for one in each(avoidable))
    )


def is_needless(operator: Operator, region: Mask, choice: Interaction) -> bool:
    """Return whether a loop of this operator and region can do by itself what `choice`, a choice of
    its body, repeats, or does in a row without having to do any of it."""
    if choice.right is not None and not (choice.terminates and not choice.unserved):
        return False
    if operator is Operator.LOOP_C:
        return is_freer(region, choice)
    if operator is Operator.LOOP_S and choice.operator is Operator.STRICT:
        return True
    return repeats(operator, region, choice)


# --- strict chains ------------------------------------------------------------------------------


def _strict(parts: list[Interaction]) -> Interaction:
    whole = NONE
    for part in parts:
        whole |= part.lifelines
    if is_single(whole):
        parts = [operand for part in parts for operand in _strict_operands(part)]
        return in_coreg(NONE, parts)
    last = parts[-1] if parts[-1].operator is Operator.STRICT else None
    operands: list[Interaction] = []
    for part in parts[:-1] if last is not None else parts:
        operands += _strict_operands(part)
    chain = last
    for operand in reversed(operands):
        if operand is EMPTY:
            continue
        if chain is None:
            chain = operand
            continue
        head = chain
        if chain.operator is Operator.STRICT:
            assert chain.left is not None
            head = chain.left
        if (
            repeats(Operator.LOOP_S, NONE, operand)
            and repeats(Operator.LOOP_S, NONE, head)
            and swallows(head, operand)
        ):
            continue
        chain = make(Operator.STRICT, NONE, operand, chain)
        chain._level = 1
    return EMPTY if chain is None else chain


def _strict_operands(term: Interaction) -> list[Interaction]:
    """The operands that a normal term has in a strict chain: its own, if it is one, or is a weak
    one on a single lifeline."""
    if term.operator is Operator.STRICT or (
        term.operator is Operator.COREG and not term.region and is_single(term.lifelines)
    ):
        return operands_of(term)
    return [term]
