"""The written form of labels: `[handle] SENDER -> RECEIVER : NAME`.

Without `handle` a label is the sending of the message, with it the reception. Blanks
around `->` and `:` are optional. `str(label)` writes what `parse_label` reads.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from choreomon.core.message import HANDLE, SEND, Label, Message

NAME_PATTERN: Final = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}"
"""Ids of processes, names of messages, variables and states."""

NAME_RULE: Final = (
    "1 to 200 letters (a-z, A-Z), digits, '_', '.' or '-' that starts with a letter, digit or '_'"
)

LABEL_PATTERN: Final = (
    rf"[ \t]*(handle[ \t]+)?({NAME_PATTERN})[ \t]*->[ \t]*({NAME_PATTERN})"
    rf"[ \t]*:[ \t]*({NAME_PATTERN})[ \t]*"
)

_LABEL: Final = re.compile(LABEL_PATTERN)

CARRYING_LABEL_PATTERN: Final = (
    rf"{LABEL_PATTERN}(\([ \t]*{NAME_PATTERN}[ \t]*(,[ \t]*{NAME_PATTERN}[ \t]*)*\)[ \t]*)?"
)
"""A label, and perhaps names of parameters in parentheses."""

_CARRYING: Final = re.compile(r"([^()]*)(?:\(([^()]*)\)[ \t]*)?")

is_name: Final = re.compile(NAME_PATTERN).fullmatch
"""Whether a text is a name; a match, or `None`."""


class CarryingLabel(NamedTuple):
    """A label, and the `parameters` of which its message carries values."""

    label: Label
    parameters: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.label}({', '.join(self.parameters)})" if self.parameters else str(self.label)


def parse_carrying_label(text: str) -> CarryingLabel | None:
    """The label that `text` writes, with the parameters in parentheses behind it; None where it is
    not of the grammar."""
    found = _CARRYING.fullmatch(text)
    if found is None:
        return None
    label = parse_label(found[1])
    names = tuple(name.strip() for name in found[2].split(",")) if found[2] is not None else ()
    if label is None or not all(map(is_name, names)) or len(set(names)) < len(names):
        return None
    return CarryingLabel(label, names)


def parse_label(text: str) -> Label | None:
    """The label that `text` writes; `None` where it is not of the grammar.

    A process may be called `handle`: only a `handle` that another name follows marks a
    reception.
    """
    match = _LABEL.fullmatch(text)
    if match is None:
        return None
    handle, sender, receiver, name = match.groups()
    return Label(HANDLE if handle else SEND, Message(sender, name, receiver))
