"""Long chains of one operator in few parts, so that what stands in front of an operand need not be
gone through operand by operand.

`coreg(r)` and `strict` are associative. A chain of them is kept as a list nested to the right, of
which every end is a term already. What lies in front of an operand is no term; here it is put
together from blocks of 1, 2, 4, 8, ... operands, made where they are asked for. All blocks of a
chain of n operands have n log n operands at most, and there are log n blocks in front of each one.

What remains of a chain in front of another one is mostly one of its many ends: what the two become
is made from what the next shorter end became, so that all ends together cost what the longest does.
"""

from __future__ import annotations

from typing import Final

from choreomon.interaction.lifelines import Mask
from choreomon.interaction.normal import normal
from choreomon.interaction.term import Interaction, Operator, make

SHORT: Final = 16
"""In chains of fewer operands every operand is a block: blocks are worth their while only if many
operands have the same ones in front of them."""

KEPT: Final = 10_000
"""How many chains in front of others are kept: as many as the ends of the longest chains."""


class Chain:
    """The operands of a chain in normal form, the first one first."""

    __slots__ = ("_blocks", "_rests", "operands", "term")

    def __init__(self, term: Interaction) -> None:
        self.term = term
        self.operands: list[Interaction] = []
        self._rests: list[Interaction] = []
        rest = term
        while rest.operator is term.operator and rest.region == term.region:
            assert rest.left is not None
            assert rest.right is not None
            self.operands.append(rest.left)
            rest = rest.right
            self._rests.append(rest)
        self.operands.append(rest)
        self._blocks: dict[tuple[int, int], Interaction] = {}

    @property
    def is_long(self) -> bool:
        """Whether blocks are worth their while."""
        return len(self.operands) >= SHORT

    def behind(self, number: int) -> Interaction | None:
        """Everything behind an operand, None if it is the last one."""
        return self._rests[number] if number < len(self._rests) else None

    def before(self, number: int) -> list[Interaction]:
        """Everything in front of an operand in blocks, the nearest one first. Blocks are in normal
        form."""
        if not self.is_long:
            return self.operands[number - 1 :: -1] if number else []
        found: list[Interaction] = []
        end = number
        while end:
            size = end & -end
            end -= size
            found.append(self._block(end, size))
        return found

    def halves(self) -> tuple[Interaction, Interaction]:
        """The chain as two operands; if it is long, the left one has at least half of them."""
        if not self.is_long:
            return self.operands[0], self._rests[0]
        size = 1 << (len(self.operands) - 1).bit_length() - 1
        return self._block(0, size), self._rests[size - 1]

    def _block(self, first: int, size: int) -> Interaction:
        if size == 1:
            return self.operands[first]
        known = self._blocks.get((first, size))
        if known is None:
            half = size // 2
            left, right = self._block(first, half), self._block(first + half, half)
            known = normal(make(self.term.operator, self.term.region, left, right))
            self._blocks[first, size] = known
        return known


class Chains(dict[Interaction, Chain]):
    """Chains, kept as long as this object."""

    def __missing__(self, term: Interaction) -> Chain:
        found = self[term] = Chain(term)
        return found

    def halves(self, term: Interaction) -> tuple[Interaction, Interaction]:
        """Two operands that a binary term is made of."""
        assert term.left is not None
        assert term.right is not None
        if term.operator is Operator.ALT:
            return term.left, term.right
        return self[term].halves()


class Rows(dict[tuple[Mask, Interaction, Interaction], Interaction]):
    """What became of long chains in normal form with others behind them: region, chain, what is
    behind it -> normal form. After `KEPT` of them all are forgotten."""

    def of(self, region: Mask, left: Interaction, right: Interaction) -> Interaction:
        """`coreg(region)` of two terms in normal form: seldom, where loops were swallowed on the
        way, another one than that of all of it at once."""
        passed: list[Interaction] = []
        end = left
        whole: Interaction | None = None
        while whole is None and len(passed) < SHORT:
            if end.operator is not Operator.COREG or end.region != region:
                return normal(make(Operator.COREG, region, left, right))
            whole = self.get((region, end, right))
            if whole is not None and (whole.operator, whole.region) != (end.operator, region):
                whole = None  # it became something else, and is no end of a chain like this one
            if whole is None:
                assert end.left is not None
                assert end.right is not None
                passed.append(end.left)
                end = end.right
        if whole is None:
            whole = make(Operator.COREG, region, left, right)
        else:
            for operand in reversed(passed):
                whole = make(Operator.COREG, region, operand, whole)
        if len(self) >= KEPT:
            self.clear()
        found = self[region, left, right] = normal(whole)
        return found
