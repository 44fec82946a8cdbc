"""Interactions as people write them: `customer -- order -> shop` for a message that is passed."""

from __future__ import annotations

from choreomon.core.action import EMISSION
from choreomon.interaction.operands import operands, receivers
from choreomon.interaction.term import EMPTY, Interaction, operator_name


def written(term: Interaction) -> str:
    """The term in one line, in the language of HIBOU's files, but for open iterations, which are
    none of it: `seq(customer -- order -> shop, loopW(shop -- bill ->|))`; `o` is the empty one."""
    parts: list[str] = []
    pending: list[Interaction | str] = [term]
    while pending:
        top = pending.pop()
        if isinstance(top, str):
            parts.append(top)
        elif leaf := leaf_text(top):
            parts.append(leaf)
        else:
            parts.append(f"{operator_name(top)}(")
            pending.append(")")
            for number, operand in enumerate(reversed(operands(top))):
                if number:
                    pending.append(", ")
                pending.append(operand)
    return "".join(parts)


def leaf_text(term: Interaction) -> str:
    """The text of an action or of a message passing; empty for anything else."""
    if term is EMPTY:
        return "o"
    if term.action is not None:
        lifeline, kind, message = term.action
        return f"{lifeline} -- {message} ->|" if kind == EMISSION else f"{message} -> {lifeline}"
    receiving = receivers(term)
    if not receiving:
        return ""
    assert term.left is not None
    assert term.left.action is not None
    sender, _, message = term.left.action
    to = receiving[0] if len(receiving) == 1 else f"({','.join(receiving)})"
    return f"{sender} -- {message} -> {to}"
