"""Chains of one operator: `coreg(r)` of many operands is one operand in front of a chain of the
others, and so are `strict` and `alt`."""

from __future__ import annotations

from choreomon.interaction.term import Interaction


class Chain:
    """The operands of a term with the same operator, and region, at its root: the first one first.
    Of a term with another root it is the only one."""

    __slots__ = ("_rests", "operands", "term")

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

    def behind(self, number: int) -> Interaction | None:
        """Everything behind an operand, None if it is the last one."""
        return self._rests[number] if number < len(self._rests) else None

    def before(self, number: int) -> list[Interaction]:
        """The operands in front of one, the nearest one first."""
        return self.operands[number - 1 :: -1] if number else []


class Chains(dict[Interaction, Chain]):
    """Chains, kept as long as this object."""

    def __missing__(self, term: Interaction) -> Chain:
        found = self[term] = Chain(term)
        return found
