"""The written form of labels: `[handle] SENDER -> RECEIVER : NAME`.

Without `handle` a label is the sending of the message, with it the reception. Blanks
around `->` and `:` are optional. `str(label)` writes what `parse_label` reads.
"""

from __future__ import annotations

import re
from typing import Final

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

is_name: Final = re.compile(NAME_PATTERN).fullmatch
"""Whether a text is a name; a match, or `None`."""


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
