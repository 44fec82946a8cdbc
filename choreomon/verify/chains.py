"""Long chains of one operator in few parts, so that what stands in front of an operand need not be
gone through operand by operand.

`coreg(r)` and `strict` are associative. A chain of them is kept as a list nested to the right, of
which every end is a term already. What lies in front of an operand is no term; here it is put
together from blocks of 1, 2, 4, 8, ... operands, made when they are first needed. All blocks of a
chain of n operands have n log n operands at most, and there are log n blocks in front of each one.

What remains of a chain in front of another one is mostly one of its many ends: what the two become
is made from what the next shorter end became. So, in whatever order they are needed, all ends
together take one pass, in which each operand is put in front once (of what is behind the chain it
may have to pass as many as commute with it). Not so for ends that become a chain of another region:
each of them is made of all of it.
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
"""How many chains in front of others are kept. Of longer chains the shorter ends may have to be
made again."""


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
        whole = self.get((region, left, right))
        if whole is not None:
            return whole
        ends: list[Interaction] = []
        end = left
        while whole is None and end.operator is Operator.COREG and end.region == region:
            assert end.right is not None
            ends.append(end)
            end = end.right
            whole = self._known(region, end, right)
        if whole is None and len(ends) < SHORT:
            return normal(make(Operator.COREG, region, left, right))
        if whole is None and (region, ends[-SHORT], right) not in self:
            # Of most chains one end is needed, and no other. The shortest is made as well: where
            # another one is needed, it is made from that.
            self._made(region, ends[-SHORT], right)
            return self._made(region, left, right)
        for number, end in enumerate(reversed(ends), 1):
            if whole is not None:
                assert end.left is not None
                self._keep((region, end, right), make(Operator.COREG, region, end.left, whole))
            elif end is left or (number >= SHORT and not number & (number - 1)):
                # Not for each, since each is made of all of it.
                self._made(region, end, right)
            whole = self._known(region, end, right)
        return self[region, left, right]

    def _known(self, region: Mask, end: Interaction, right: Interaction) -> Interaction | None:
        """What an end became, unless that is a chain of another region: the next operand may be of
        a kind for which the two are not in one chain."""
        whole = self.get((region, end, right))
        if whole is not None and whole.operator is Operator.COREG and whole.region != region:
            return None
        return whole

    def _made(self, region: Mask, end: Interaction, right: Interaction) -> Interaction:
        return self._keep((region, end, right), make(Operator.COREG, region, end, right))

    def _keep(self, key: tuple[Mask, Interaction, Interaction], term: Interaction) -> Interaction:
        if len(self) >= KEPT:
            self.clear()
        found = self[key] = normal(term)
        return found
