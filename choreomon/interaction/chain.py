"""Chains of one `coreg(r)` in order: the part of the normal form that changes with every step.

A chain of a `coreg` is put into a Foata normal form, counted from the end: the level of an operand
is one more than the highest level of those behind it with which it does not commute; operands are
sorted by falling level, then by size, text and digest. So what is put in front of a chain never
changes what is in the chain, and the normal form of a follow-up costs what the step changed.

Which operands commute, and which loops swallow others, `choreomon.interaction.normal` says.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from choreomon.interaction.lifelines import ALL, NONE, Mask, is_single
from choreomon.interaction.step import prune
from choreomon.interaction.term import EMPTY, LOOPS, Interaction, Operator, make, text

_READABLE: Final = 9
"""Terms of at most this many symbols are sorted by their text, larger ones by their digest."""

FEW: Final = 16
"""Most operands that are put in front of a chain one by one; more are sorted with it."""


class NotNormalYet(Exception):
    """A comparison needs the normal form of `term` first. Computed by recursion it would nest
    as deep as the loops."""

    def __init__(self, term: Interaction) -> None:
        super().__init__(term)
        self.term = term


def known(term: Interaction) -> Interaction | None:
    return term if term._is_normal else term._normal


def sort_key(term: Interaction) -> tuple[int, str, int]:
    """The order of operands, the same in every process. The empty choice comes last."""
    key = term._key
    if key is None:
        if term is EMPTY:
            key = (1 << 62, "", 0)
        else:
            key = (term.size, text(term) if term.size <= _READABLE else "", term.order)
        term._key = key
    return key


def canonical_region(free: Mask, relevant: Mask) -> Mask:
    """The canonical region among those that have `free` of the lifelines that are `relevant`."""
    if not free:
        return NONE
    return ALL if free == relevant else free


def repeats(operator: Operator, region: Mask, term: Interaction) -> bool:
    """Return whether a term is a loop that the scheduling of a loop of this operator and region, or
    a chain of its sibling, cannot be told from."""
    if term.operator is Operator.LOOP_C:
        if operator is Operator.LOOP_C:
            return not (region ^ term.region) & term.lifelines
        return operator is Operator.LOOP_S and not term.region and is_single(term.lifelines)
    return term.operator is Operator.LOOP_S and operator is Operator.LOOP_S


def swallows(loop: Interaction, earlier: Interaction) -> bool:
    """Return whether `loop` can do whatever `earlier`, a loop of the same kind, can do: it is the
    same, or `earlier` is what pruning leaves of `loop`."""
    if loop is earlier:
        return True
    return not earlier.lifelines & ~loop.lifelines and _pruned(loop, earlier.lifelines) is earlier


def _pruned(loop: Interaction, lifelines: Mask) -> Interaction | None:
    """The normal form of what pruning leaves of a loop on these lifelines; None if that is the
    loop, or nothing. Raises NotNormalYet."""
    gone = loop.lifelines & ~lifelines
    assert loop.left is not None
    # An operand that cannot avoid the pruned lifelines is gone, too, without pruning it.
    if not gone or all(one.unavoidable & gone for one in alternatives(loop.left)):
        return None
    pruned = prune(loop, gone)
    assert pruned is not None
    form = known(pruned)
    if form is None:
        raise NotNormalYet(pruned)
    return form


def covers(region: Mask, loop: Interaction, earlier: Interaction) -> bool:
    """Return whether `loop`, a `loopC(region)`, can do whatever `earlier` can do, in as many
    iterations as that takes. Sufficient only: `earlier` is taken apart into choices of the loop's
    body, some of them pruned."""
    if earlier.lifelines & ~loop.lifelines or earlier.unserved:
        return False
    assert loop.left is not None
    choices: set[Interaction] = set(alternatives(loop.left))
    pending = [earlier]
    while pending:
        part = pending.pop()
        if part is EMPTY or part is loop or part in choices:
            continue
        if part.operator is Operator.ALT or is_freer(region, part):
            assert part.left is not None
            if part.right is not None:
                pending.append(part.right)
            # First the left operand: chains are nested to the right, so the next one decides soon.
            pending.append(part.left)
            continue
        form = _pruned(loop, part.lifelines)
        if form is None or form.left is None or part not in alternatives(form.left):
            return False
    return True


def is_freer(region: Mask, term: Interaction) -> bool:
    """Return whether a `loopC(region)` over the operands of a term, a sequence or a loop, can do
    what the term does: it orders nothing that the term leaves open."""
    if term.operator is Operator.LOOP_C:
        return not term.region & ~region & term.lifelines
    if term.operator is Operator.COREG:
        assert term.left is not None
        assert term.right is not None
        shared = term._shared if term._level else term.left.lifelines & term.right.lifelines
        return not term.region & ~region & shared
    return term.operator is Operator.STRICT or term.operator in LOOPS


def alternatives(term: Interaction) -> list[Interaction]:
    """The choices of a normal term."""
    found: list[Interaction] = []
    while term.operator is Operator.ALT:
        assert term.left is not None
        assert term.right is not None
        found.append(term.left)
        term = term.right
    found.append(term)
    return found


def operands_of(chain: Interaction) -> list[Interaction]:
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


def in_coreg(region: Mask, parts: list[Interaction]) -> Interaction:
    """`coreg(region)` over these operands, each in normal form, in normal form."""
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
        region = canonical_region(free, shared)
        last = parts[-1]
        tail = last if last in merged and last.region == region else None
        operands: list[Interaction] = []
        for part in parts if tail is None else parts[:-1]:
            if part in merged:
                operands += operands_of(part)
            else:
                operands.append(part)
        if len(operands) > FEW:
            chain = _in_order(region, operands, tail)
        else:
            chain = operands.pop() if tail is None else tail
            for operand in reversed(operands):
                chain = in_front(region, operand, chain)
        if not (chain._level and chain.operator is Operator.COREG and chain.region == region):
            return chain
        if chain._shared == shared:
            return chain
        # Loops were swallowed, and with them what made the region matter: look again.
        parts = operands_of(chain)


def _link(region: Mask, operand: Interaction, rest: Interaction, level: int) -> Interaction:
    chain = make(Operator.COREG, region, operand, rest)
    if not chain._level:
        chain._level = level
        chain._shared = operand.lifelines & rest.lifelines
        if rest._level and rest.operator is Operator.COREG and rest.region == region:
            chain._shared |= rest._shared
    return chain


def in_front(region: Mask, operand: Interaction, chain: Interaction) -> Interaction:
    """The chain with an operand put in front of it, and from there where it belongs."""
    held = operand.lifelines & ~region
    inner = chain._level and chain.operator is Operator.COREG and chain.region == region
    first = chain.left if inner else chain
    assert first is not None
    if first.lifelines & held and not operand.terminates:
        return _link(region, operand, chain, (chain._level if inner else 1) + 1)
    levels: list[tuple[Interaction, Interaction, int]] = []
    """Operands that were walked past: operand, the chain from there on, level."""
    level = 1
    looking = bool(held & chain.lifelines)
    may_go = operand.terminates
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
                if not may_go:
                    break
        elif its_level < level - 1:
            break
        if (
            may_go
            and not looking
            and its_level == (level - 1 or 1)
            and here.operator is Operator.LOOP_C
            and repeats(Operator.LOOP_C, region, here)
            and covers(region, here, operand)
        ):
            return chain
        levels.append((here, behind, its_level))
        behind = behind.right if inner else None
    key = sort_key(operand)
    at = 0
    for at, (here, _, its_level) in enumerate(levels):  # noqa: B007 - the index is the answer
        if its_level < level or (its_level == level and sort_key(here) >= key):
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


def _in_order(region: Mask, operands: list[Interaction], tail: Interaction | None) -> Interaction:
    """The chain of many operands, the last ones in order already as `tail`: `in_front` for one
    after the other, from the last to the first, in the time of sorting. What lies below all of
    the new operands stays the chain that it is."""
    highest: dict[int, int] = {}
    layers: dict[int, list[Interaction]] = {}
    links: list[tuple[int, Interaction]] = []
    """The tail from each of its operands on, and their levels, the highest first, as far as it was
    looked at."""
    wanted = NONE
    # A loop at any level may swallow what may stop.
    everywhere = False
    for operand in operands:
        wanted |= operand.lifelines & ~region
        everywhere = everywhere or operand.terminates
    behind = tail
    while behind is not None and (everywhere or wanted & behind.lifelines):
        level, here, rest = _head(region, behind)
        links.append((level, behind))
        layers.setdefault(level, []).append(here)
        # Levels fall: the first operand on a lifeline has the highest.
        for number in _numbers(here.lifelines & wanted):
            highest[number] = level
        wanted &= ~here.lifelines
        behind = rest
    lowest = 1 << 62
    for operand in reversed(operands):
        numbers = _numbers(operand.lifelines & ~region)
        level = 1
        for number in numbers:
            at = highest.get(number, 0)
            if at >= level:
                level = at + 1
        if operand.terminates and any(
            other.operator is Operator.LOOP_C
            and repeats(Operator.LOOP_C, region, other)
            and covers(region, other, operand)
            for other in layers.get(level - 1 or 1, ())
        ):
            continue
        layers.setdefault(level, []).append(operand)
        lowest = min(lowest, level)
        for number in numbers:
            highest[number] = level
    while behind is not None and not (links and links[-1][0] < lowest):
        level, here, rest = _head(region, behind)
        if level >= lowest:
            layers.setdefault(level, []).append(here)
        links.append((level, behind))
        behind = rest
    whole = next((link for level, link in links if level < lowest), None)
    for level in sorted([level for level in layers if level >= lowest]):
        layer = layers[level]
        for operand in sorted(layer, key=sort_key, reverse=True) if len(layer) > 1 else layer:
            whole = operand if whole is None else _link(region, operand, whole, level)
    assert whole is not None
    return whole


def _head(region: Mask, chain: Interaction) -> tuple[int, Interaction, Interaction | None]:
    """The level of the first operand of a chain that is in order, the operand, and the rest."""
    if chain._level and chain.operator is Operator.COREG and chain.region == region:
        assert chain.left is not None
        return chain._level, chain.left, chain.right
    return 1, chain, None


@lru_cache(maxsize=1024)
def _numbers(lifelines: Mask) -> tuple[int, ...]:
    """The bits of a mask, by number."""
    found: list[int] = []
    while lifelines:
        lowest = lifelines & -lifelines
        found.append(lowest.bit_length())
        lifelines ^= lowest
    return tuple(found)
