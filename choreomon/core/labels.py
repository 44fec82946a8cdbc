"""The written form of labels: `[handle] SENDER -> RECEIVER : NAME`.

Without `handle` a label is the sending of the message, with it the reception. Blanks around `->`
and `:` are optional. A name that is not plain stands in double quotes (`choreomon.core.names`).
`str(label)` writes what `parse_label` reads.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from choreomon.core.message import HANDLE, SEND, Label, Message
from choreomon.core.names import PLAIN_PATTERN, WRITTEN_PATTERN, unwritten

LABEL_PATTERN: Final = (
    rf"[ \t]*(handle[ \t]+)?({WRITTEN_PATTERN})[ \t]*->[ \t]*({WRITTEN_PATTERN})"
    rf"[ \t]*:[ \t]*({WRITTEN_PATTERN})[ \t]*"
)

CARRYING_LABEL_PATTERN: Final = (
    rf"{LABEL_PATTERN}(\([ \t]*{PLAIN_PATTERN}[ \t]*(,[ \t]*{PLAIN_PATTERN}[ \t]*)*\)[ \t]*)?"
)
"""A label, and perhaps names of parameters in parentheses."""

_CARRYING: Final = re.compile(CARRYING_LABEL_PATTERN)


class CarryingLabel(NamedTuple):
    """A label, and the `parameters` of which its message carries values."""

    label: Label
    parameters: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.label}({', '.join(self.parameters)})" if self.parameters else str(self.label)


def parse_carrying_label(text: str) -> CarryingLabel | None:
    """The label that `text` writes, with the parameters in parentheses behind it; None if it does
    not follow the grammar. A process may be called `handle`: only a `handle` before another name
    marks a reception.
    """
    match = _CARRYING.fullmatch(text)
    if match is None:
        return None
    handle, *names, carried, _ = match.groups()
    sender, receiver, name = map(unwritten, names)
    parameters = _parameters(carried or "")
    if sender is None or receiver is None or name is None:
        return None
    if len(set(parameters)) < len(parameters):
        return None
    message = Message(sender, name, receiver)
    return CarryingLabel(Label(HANDLE if handle else SEND, message), parameters)


def parse_label(text: str) -> Label | None:
    """The label that `text` writes, without parameters; `None` if it does not follow the
    grammar."""
    carrying = parse_carrying_label(text)
    return None if carrying is None or carrying.parameters else carrying.label


def _parameters(carried: str) -> tuple[str, ...]:
    """The names in parentheses; both may be missing."""
    return tuple(name.strip() for name in carried.strip()[1:-1].split(",")) if carried else ()
