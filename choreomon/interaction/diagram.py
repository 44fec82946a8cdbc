"""An interaction as the statements of a sequence diagram, from top to bottom.

Mermaid and PlantUML have arrows and blocks; what each operator becomes is stated in
docs/diagrams.md. Statements below each other are in weak sequence. The same statements, read again
(`choreomon.diagrams.composing`), give the same term: an operand of `seq`, `strict`, `par`,
`alt` or `coreg` that is made with the same operator is a block of its own where it is not the last
one, for operators of several operands fold to the right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from choreomon.core.action import EMISSION
from choreomon.core.message import ENVIRONMENT
from choreomon.interaction.lifelines import ALL, NONE, Mask, names
from choreomon.interaction.operands import operands, receivers
from choreomon.interaction.term import (
    EMPTY,
    Interaction,
    Operator,
    subterms,
)

OUTSIDE: Final = (ENVIRONMENT, "environment")
"""Names of the participant that is no lifeline, but all that is outside."""

SAME: Final = " (the same message)"
"""The end of the text of an arrow to a further receiver of the message above."""

NOTHING: Final = "nothing"
"""The note that is the empty interaction."""


class Arrow(NamedTuple):
    """A message. `sender` or `receiver` is None for the environment, never both. `again`: the
    message of the arrow above, to a further receiver."""

    sender: str | None
    message: str
    receiver: str | None
    again: bool = False


@dataclass(frozen=True, slots=True)
class Start:
    """A block begins, which has the operator. `optional`: of ALT, the other alternative is that
    nothing happens, and is not written."""

    operator: Operator
    region: Mask
    optional: bool = False

    @property
    def name(self) -> str:
        """The operator as the field writes it, without its region if that has names."""
        if self.operator is Operator.COREG:
            return {NONE: "seq", ALL: "par"}.get(self.region, "coreg")
        if self.operator is Operator.LOOP_C:
            return {NONE: "loopW", ALL: "loopP"}.get(self.region, "loopC")
        return str(self.operator.value)

    @property
    def unordered(self) -> tuple[str, ...]:
        """The names of the region, where it has some."""
        return () if self.region in (NONE, ALL) else names(self.region)


@dataclass(frozen=True, slots=True)
class NextOperand:
    """The next operand of the innermost block begins."""


@dataclass(frozen=True, slots=True)
class End:
    """The innermost block ends."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """The empty interaction."""


Statement: TypeAlias = Arrow | Start | NextOperand | End | Nothing


def statements_of(term: Interaction) -> list[Statement]:
    """The statements of a diagram of `term`. Every occurrence of a shared subterm is written out.

    Raises ValueError for OPEN, which is none of the language.
    """
    found: list[Statement] = []
    pending: list[Interaction | Statement] = [*reversed(_operand(term))]
    while pending:
        top = pending.pop()
        if isinstance(top, Interaction):
            pending.extend(reversed(_opened(top)))
        else:
            found.append(top)
    return found


def lifelines_of(term: Interaction) -> set[str]:
    """The lifelines that occur in `term`, in its actions or in the region of an operator."""
    found: set[str] = set()
    for part in subterms(term):
        if part.action is not None:
            found.add(part.action.lifeline)
        elif part.region not in (NONE, ALL):
            found.update(names(part.region))
    return found


def _operand(term: Interaction) -> list[Interaction | Statement]:
    """The statements below each other where `term` is an operand, or all there is."""
    if term.operator is Operator.COREG and term.region == NONE:
        return [*operands(term)]
    return [term]


def _opened(term: Interaction) -> list[Interaction | Statement]:
    """The statements of a term where it stands among others."""
    if term is EMPTY:
        return [Nothing()]
    if term.action is not None:
        name, kind, message = term.action
        sent = kind == EMISSION
        return [Arrow(name if sent else None, message, None if sent else name)]
    if term.operator is Operator.OPEN:
        raise ValueError("an open iteration of a search cannot be written")
    receiving = receivers(term)
    if receiving:
        assert term.left is not None
        assert term.left.action is not None
        sender, _, message = term.left.action
        return [Arrow(sender, message, name, number > 0) for number, name in enumerate(receiving)]
    parts = operands(term)
    if term.operator is Operator.COREG and term.region == NONE:
        return [Start(Operator.COREG, NONE), *parts, End()]
    optional = term.operator is Operator.ALT and len(parts) == 2 and parts[1] is EMPTY
    found: list[Interaction | Statement] = [Start(term.operator, term.region, optional)]
    for number, operand in enumerate(parts[:1] if optional else parts):
        if number:
            found.append(NextOperand())
        found += _operand(operand)
    return [*found, End()]
