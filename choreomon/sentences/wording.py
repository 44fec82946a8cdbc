"""Labels, formulas, events and times, written for people."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, assert_never

from choreomon.core.message import SEND
from choreomon.core.names import QUOTED_PATTERN
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED, WITHDRAWN, VerdictKind
from choreomon.properties.formula import And, Atom, Formula, Not, Truth

if TYPE_CHECKING:
    from choreomon.core.run import RunEvent, RunVerdict

_ARROW: Final = re.compile(rf"->|{QUOTED_PATTERN}")
"""The arrow of a label, or a name in quotes, which may contain one."""

VERDICT_IN_WORDS: Final[dict[VerdictKind, str]] = {
    VIOLATED: "violated",
    POSSIBLY_VIOLATED: "possibly violated",
    WITHDRAWN: "withdrawn",
}

DECLARATION: Final[dict[VerdictKind, str]] = {
    VIOLATED: "declares violated",
    POSSIBLY_VIOLATED: "declares possibly violated",
    WITHDRAWN: "withdraws its verdict",
}
"""The words after a monitor's name for what it declares."""


def declared(verdict: RunVerdict) -> str:
    """`car declares violated`, and of which rule, if of one: `car declares violated: no-sign`."""
    about = "" if verdict.rule is None else f": {verdict.rule.name}"
    return f"{verdict.monitor} {DECLARATION[verdict.verdict]}{about}"


def with_arrow(text: str) -> str:
    """A label of the document with a typographic arrow, for pictures."""
    return _ARROW.sub(lambda found: "→" if found[0] == "->" else found[0], text)


def formula_in_words(formula: Formula) -> str:
    """The formula with the words of the document language; operands other than `true` or a label
    are in parentheses, since labels contain blanks."""
    match formula:
        case Truth():
            return "true"
        case Atom(label):
            return str(label)
        case Not(operand):
            return f"not {_operand(operand)}"
        case And(()):
            return "true"
        case And((single,)):
            return formula_in_words(single)
        case And(operands):
            return " and ".join(map(_operand, operands))
        case _:
            assert_never(formula)


def _operand(formula: Formula) -> str:
    match formula:
        case Truth() | Atom() | And(()):
            return formula_in_words(formula)
        case And((single,)):
            return _operand(single)
        case _:
            return f"({formula_in_words(formula)})"


def event_in_words(event: RunEvent) -> str:
    """`send P1 -> P2 : turnOff` or `handle P1 -> P2 : turnOff(A-17)`."""
    kind = "send" if event.kind == SEND else "handle"
    return f"{kind} {event.message}{event.carried}"


def milliseconds(microseconds: float) -> str:
    """Time of a run, in milliseconds with as many decimals as it has: `12.5 ms`."""
    return f"{number(microseconds / 1000)} ms"


def number(value: float, decimals: int = 3) -> str:
    """A number without trailing zeros, with thousands separated: `12.5`, `1,000`."""
    text = f"{value:,.{decimals}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """`1 event`, `2 events`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def times(count: int) -> str:
    """Say `once`, or the number of times."""
    return "once" if count == 1 else counted(count, "time")


def wrapped(text: str, limit: int) -> tuple[str, ...]:
    """Lines of about `limit` characters, broken at spaces only."""
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        if line and len(line) + 1 + len(word) > limit:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return (*lines, line)
