"""Terms as they are written: operators of several operands, and messages that are passed.

A term's operators are binary. `seq(x, seq(y, z))` is written `seq(x, y, z)`, and
`strict(a!m, b?m)` as one message from a to b.
"""

from __future__ import annotations

from choreomon.core.action import EMISSION, RECEPTION
from choreomon.interaction.lifelines import NONE
from choreomon.interaction.term import BINARY, Interaction, Operator


def operands(term: Interaction) -> list[Interaction]:
    """The operands of an operator, in n-ary notation: `seq(x, seq(y, z))` has x, y and z. A message
    passing at the end stays whole."""
    assert term.left is not None
    if term.right is None:
        return [term.left]
    found = [term.left]
    rest = term.right
    while (
        rest.operator is term.operator
        and rest.operator in BINARY
        and rest.region == term.region
        and not receivers(rest)
    ):
        assert rest.left is not None
        assert rest.right is not None
        found.append(rest.left)
        rest = rest.right
    return [*found, rest]


def receivers(term: Interaction) -> list[str]:
    """The receivers of the message that `term` passes, from the first one on; none where it passes
    none. `strict(a!m, b?m)` and `strict(a!m, seq(b?m, c?m))` pass one."""
    if term.operator is not Operator.STRICT:
        return []
    assert term.left is not None
    sent = term.left.action
    if sent is None or sent.kind != EMISSION:
        return []
    found: list[str] = []
    rest: Interaction | None = term.right
    while rest is not None:
        first, rest = (
            (rest.left, rest.right)
            if rest.operator is Operator.COREG and rest.region == NONE
            else (rest, None)
        )
        assert first is not None
        received = first.action
        if received is None or received.kind != RECEPTION or received.message != sent.message:
            return []
        found.append(received.lifeline)
    return found
