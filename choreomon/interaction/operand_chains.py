"""Chains of one operator: `coreg(r)` of many operands is one operand in front of a chain of the
others, and so are `strict` and `alt`."""

from __future__ import annotations

from choreomon.interaction.normal import normal
from choreomon.interaction.term import Interaction, make


class Chain:
    """The operands of a chain of one operator, with one region, at the root of a term, from first
    to last. A term with another root is a chain of itself alone."""

    __slots__ = ("_fronts", "_rests", "operands", "term")

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
        self._fronts: dict[int, Interaction] = {}

    def behind(self, number: int) -> Interaction | None:
        """Return everything behind an operand, None if it is the last one."""
        return self._rests[number] if number < len(self._rests) else None

    def before(self, number: int) -> Interaction | None:
        """Return everything in front of an operand in normal form, None if it is the first one."""
        if not number:
            return None
        known = self._fronts.get(number)
        if known is None:
            whole = self.operands[number - 1]
            for one in reversed(self.operands[: number - 1]):
                whole = make(self.term.operator, self.term.region, one, whole)
            known = self._fronts[number] = normal(whole)
        return known


class Chains(dict[Interaction, Chain]):
    """Chains, kept as long as this object."""

    def __missing__(self, term: Interaction) -> Chain:
        found = self[term] = Chain(term)
        return found
