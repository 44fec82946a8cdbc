"""A normal form: terms that mean the same by the laws below become the same term.

Searches meet the same situation as many different terms; memory of what was seen works only where
they are recognised as one. The laws keep the accepted global traces (`denotation` is the oracle),
and of terms with `open` iterations also which of them are still to be served:

- `strict`, `coreg(r)` and `alt` are associative; the empty interaction is the unit of the first
  two; `alt` is commutative and idempotent, and needs no empty choice beside one that may stop.
- Neighbours in a `coreg(r)` commute when all lifelines that they share are in `r`.
- The region of a `coreg` matters only on lifelines that two operands share, that of a `loopC` only
  on those of its body. So `coreg`s of different regions may turn out to be one.
- On a single lifeline `strict` is `seq`, and `loopS` and `loopH` are `loopW`.
- A loop over a choice needs no empty choice, and a loop repeats itself: a loop that is no freer
  directly within, or as a choice within, is not needed. Not so within `loopH`: what comes first in
  an inner one need not be what comes first in the outer one.
- In `coreg(r)` a `loopC(r)` swallows an equal one directly in front of it, and one that is itself
  pruned, which is what steps leave behind; `strict` does the same with `loopS`.
- The mark of an `open` iteration around another open one says nothing: serving that one serves it.

The normal form does not decide equality: different normal forms may mean the same.

A chain of a `coreg` is put into a Foata normal form, counted from the end: the level of an operand
is one more than the highest level of those behind it with which it does not commute; operands are
sorted by falling level, then by size, text and digest. So what is put in front of a chain never
changes what is in the chain, and the normal form of a follow-up costs what the step changed.
"""

from __future__ import annotations

from typing import Final

from choreomon.interaction.lifelines import ALL, NONE, Mask, is_single
from choreomon.interaction.step import prune
from choreomon.interaction.term import (
    BINARY,
    EMPTY,
    LOOPS,
    Interaction,
    Operator,
    combined,
    make,
    subterms,
    text,
)

_READABLE: Final = 9
"""Terms of up to so many symbols are sorted by their text, larger ones by their digest."""

_FEW: Final = 16
"""Up to so many operands are put in front of a chain one by one; more are sorted with it."""


class _NotNormalYet(Exception):
    """A comparison needs the normal form of `term` first. Asking for it by recursion would nest
    as deep as the loops."""

    def __init__(self, term: Interaction) -> None:
        super().__init__(term)
        self.term = term


def simplify(term: Interaction) -> Interaction:
    """The term without redundant empty interactions, as papers 000 and 003 write follow-ups:
    units of `strict` and `coreg`, loops over nothing, choices between equals."""
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
        if _known(top) is not None:
            pending.pop()
            continue
        parts = _parts(top)
        forms: list[Interaction] = []
        missing: list[Interaction] = []
        for part in parts:
            form = part if _is_tail(part, top) else _known(part)
            if form is None:
                missing.append(part)
            else:
                forms.append(form)
        if missing:
            pending += missing
            continue
        try:
            form = _rebuilt(top, forms)
        except _NotNormalYet as asked:
            pending.append(asked.term)
            continue
        form._is_normal = True
        if form is not top:
            top._normal = form
        pending.pop()
    form = _known(term)
    assert form is not None
    return form


def _known(term: Interaction) -> Interaction | None:
    return term if term._is_normal else term._normal


def _is_tail(part: Interaction, whole: Interaction) -> bool:
    """Whether a part is a chain of the whole's operator that is in order already. Alone it
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
        return _coreg(term.region, parts)
    if term.operator is Operator.STRICT:
        return _strict(parts)
    if term.operator is Operator.ALT:
        return _alt(parts)
    if term.operator is Operator.OPEN:
        body = parts[0]
        return body if body.unserved else make(Operator.OPEN, NONE, body, None)
    return _loop(term.operator, term.region, parts[0])


def _key(term: Interaction) -> tuple[int, str, int]:
    """What operands are sorted by, the same in every process. The empty choice comes last."""
    key = term._key
    if key is None:
        if term is EMPTY:
            key = (1 << 62, "", 0)
        else:
            key = (term.size, text(term) if term.size <= _READABLE else "", term.order)
        term._key = key
    return key


def _region(free: Mask, relevant: Mask) -> Mask:
    """The canonical region among those that have `free` of the lifelines that are `relevant`."""
    if not free:
        return NONE
    return ALL if free == relevant else free


# --- choices and loops --------------------------------------------------------------------------


def _alternatives(term: Interaction) -> list[Interaction]:
    """The choices of a normal term."""
    found: list[Interaction] = []
    while term.operator is Operator.ALT:
        assert term.left is not None
        assert term.right is not None
        found.append(term.left)
        term = term.right
    found.append(term)
    return found


def _alt(parts: list[Interaction]) -> Interaction:
    choices = {choice for part in parts for choice in _alternatives(part)}
    if any(choice.terminates for choice in choices if choice is not EMPTY):
        choices.discard(EMPTY)
    first, *others = sorted(choices, key=_key, reverse=True)
    whole = first
    for choice in others:
        whole = make(Operator.ALT, NONE, choice, whole)
    return whole


def _loop(operator: Operator, region: Mask, body: Interaction) -> Interaction:
    if operator is not Operator.LOOP_C and is_single(body.lifelines):
        operator = Operator.LOOP_C
    if operator is Operator.LOOP_C:
        region = _region(region & body.lifelines, body.lifelines)
    choices: list[Interaction] = []
    for choice in _alternatives(body):
        if choice.left is not None and _is_needless(operator, region, choice):
            choices += _alternatives(choice.left)
        elif choice is not EMPTY:
            choices.append(choice)
    if not choices:
        return EMPTY
    body = _alt(choices)
    body._is_normal = True
    return make(operator, region, body, None)


def _is_needless(operator: Operator, region: Mask, choice: Interaction) -> bool:
    """Whether a loop of this operator and region can do by itself what `choice`, a choice of its
    body, repeats."""
    if operator is not Operator.LOOP_C:
        return _repeats(operator, region, choice)
    # Every other loop repeats its body at least as orderly.
    if choice.operator is Operator.LOOP_C:
        return not choice.region & ~region & choice.lifelines
    return choice.operator in LOOPS


def _repeats(operator: Operator, region: Mask, term: Interaction) -> bool:
    """Whether a term is a loop that the scheduling of a loop of this operator and region, or a
    chain of its sibling, cannot be told from."""
    if term.operator is Operator.LOOP_C:
        if operator is Operator.LOOP_C:
            return not (region ^ term.region) & term.lifelines
        return operator is Operator.LOOP_S and not term.region and is_single(term.lifelines)
    return term.operator is Operator.LOOP_S and operator is Operator.LOOP_S


def _swallows(loop: Interaction, earlier: Interaction) -> bool:
    """Whether `loop` can do whatever `earlier`, a loop of the same kind, can do: it is the same,
    or `earlier` is what pruning leaves of `loop`."""
    if loop is earlier:
        return True
    gone = loop.lifelines & ~earlier.lifelines
    if not gone or earlier.lifelines & ~loop.lifelines:
        return False
    pruned = prune(loop, gone)
    assert pruned is not None
    form = _known(pruned)
    if form is None:
        raise _NotNormalYet(pruned)
    return form is earlier


# --- strict chains ------------------------------------------------------------------------------


def _strict(parts: list[Interaction]) -> Interaction:
    whole = NONE
    for part in parts:
        whole |= part.lifelines
    if is_single(whole):
        parts = [operand for part in parts for operand in _strict_operands(part)]
        return _coreg(NONE, parts)
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
            _repeats(Operator.LOOP_S, NONE, operand)
            and _repeats(Operator.LOOP_S, NONE, head)
            and _swallows(head, operand)
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
        return _operands(term)
    return [term]


def _operands(chain: Interaction) -> list[Interaction]:
    """The operands of a chain that is in order."""
    operator, region = chain.operator, chain.region
    found: list[Interaction] = []
    while chain._level and chain.operator is operator and chain.region == region:
        assert chain.left is not None
        assert chain.right is not None
        found.append(chain.left)
        chain = chain.right
    found.append(chain)
    return found


# --- coreg chains -------------------------------------------------------------------------------


def _coreg(region: Mask, parts: list[Interaction]) -> Interaction:
    parts = [part for part in parts if part is not EMPTY]
    while True:
        if not parts:
            return EMPTY
        seen = shared = NONE
        for part in parts:
            shared |= part.lifelines & seen
            seen |= part.lifelines
            if part.operator is Operator.COREG and part.region == region:
                shared |= part._shared
        free = region & shared
        merged: set[Interaction] = set()
        for part in parts:
            # A part is a chain of this one if the two agree wherever a region matters to both.
            if part.operator is Operator.COREG and not (
                (part.region ^ free) & part._shared & shared
            ):
                merged.add(part)
                free |= part.region & part._shared
                shared |= part._shared
        region = _region(free, shared)
        last = parts[-1]
        tail = last if last in merged and last.region == region else None
        operands: list[Interaction] = []
        for part in parts if tail is None else parts[:-1]:
            if part in merged:
                operands += _operands(part)
            else:
                operands.append(part)
        if len(operands) > _FEW:
            if tail is not None:
                operands += _operands(tail)
            chain = _in_order(region, operands)
        else:
            chain = operands.pop() if tail is None else tail
            for operand in reversed(operands):
                chain = _in_front(region, operand, chain)
        if not (chain._level and chain.operator is Operator.COREG and chain.region == region):
            return chain
        if chain._shared == shared:
            return chain
        # Loops were swallowed, and with them what made the region matter: look again.
        parts = _operands(chain)


def _link(region: Mask, operand: Interaction, rest: Interaction, level: int) -> Interaction:
    chain = make(Operator.COREG, region, operand, rest)
    if not chain._level:
        chain._level = level
        chain._shared = operand.lifelines & rest.lifelines
        if rest._level and rest.operator is Operator.COREG and rest.region == region:
            chain._shared |= rest._shared
    return chain


def _in_front(region: Mask, operand: Interaction, chain: Interaction) -> Interaction:
    """The chain with an operand put in front of it, and from there where it belongs."""
    held = operand.lifelines & ~region
    levels: list[tuple[Interaction, Interaction, int]] = []
    """What was walked past: operand, the chain from there on, level."""
    level = 1
    looking = bool(held & chain.lifelines)
    repeats = _repeats(Operator.LOOP_C, region, operand)
    behind: Interaction | None = chain
    while behind is not None:
        inner = behind._level and behind.operator is Operator.COREG and behind.region == region
        here = behind.left if inner else behind
        assert here is not None
        its_level = behind._level if inner else 1
        if looking:
            if here.lifelines & held:
                looking = False
                level = its_level + 1
                if not repeats:
                    break
        elif its_level < level - 1:
            break
        if (
            repeats
            and not looking
            and its_level == (level - 1 or 1)
            and _repeats(Operator.LOOP_C, region, here)
            and _swallows(here, operand)
        ):
            return chain
        levels.append((here, behind, its_level))
        behind = behind.right if inner else None
    key = _key(operand)
    at = 0
    for at, (here, _, its_level) in enumerate(levels):  # noqa: B007 - the index is the answer
        if its_level < level or (its_level == level and _key(here) >= key):
            break
    else:
        at = len(levels)
    if at < len(levels):
        whole = _link(region, operand, levels[at][1], level)
    elif behind is not None:
        whole = _link(region, operand, behind, level)
    else:
        whole = operand
    for here, _, its_level in reversed(levels[:at]):
        whole = _link(region, here, whole, its_level)
    return whole


def _in_order(region: Mask, operands: list[Interaction]) -> Interaction:
    """The chain of many operands: `_in_front` for one after the other, from the last to the
    first, in the time of sorting."""
    highest: dict[Mask, int] = {}
    layers: dict[int, list[Interaction]] = {}
    for operand in reversed(operands):
        held = operand.lifelines & ~region
        level = 1
        rest = held
        while rest:
            lowest = rest & -rest
            rest ^= lowest
            level = max(level, highest.get(lowest, 0) + 1)
        if _repeats(Operator.LOOP_C, region, operand) and any(
            _repeats(Operator.LOOP_C, region, other) and _swallows(other, operand)
            for other in layers.get(level - 1 or 1, ())
        ):
            continue
        layers.setdefault(level, []).append(operand)
        rest = operand.lifelines & ~region
        while rest:
            lowest = rest & -rest
            rest ^= lowest
            highest[lowest] = max(level, highest.get(lowest, 0))
    whole: Interaction | None = None
    for level in sorted(layers):
        for operand in sorted(layers[level], key=_key, reverse=True):
            whole = operand if whole is None else _link(region, operand, whole, level)
    assert whole is not None
    return whole
