"""What somebody may have meant who wrote a label that is none.

Suggestions only: a label in another notation stays refused, so that every document can be read
by whoever knows the grammar of `choreomon.core.labels`.
"""

from __future__ import annotations

import re
from typing import Final

from choreomon.core.labels import NAME_PATTERN
from choreomon.core.message import HANDLE, SEND, EventKind, Label, Message

_LONGEST: Final = 700
"""More characters than a label of the longest names has."""

_NAME: Final = "[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,198}[A-Za-z0-9_.])?"
"""Names that do not end in a hyphen, which could be part of an arrow."""
_DASH: Final = "-=~\N{EN DASH}\N{EM DASH}\N{MINUS SIGN}"
_RIGHT: Final = (
    f" ?(?:[{_DASH}]*>+|[\N{RIGHTWARDS ARROW}\N{RIGHTWARDS DOUBLE ARROW}"
    "\N{LONG RIGHTWARDS ARROW}\N{LONG RIGHTWARDS DOUBLE ARROW}]) ?"
)
_LEFT: Final = (
    f" ?(?:<+[{_DASH}]*|[\N{LEFTWARDS ARROW}\N{LEFTWARDS DOUBLE ARROW}"
    "\N{LONG LEFTWARDS ARROW}\N{LONG LEFTWARDS DOUBLE ARROW}]) ?"
)
_HANDLES: Final = "handle[sd]?|handling|receive[sd]?|recv|takes?"
_KIND: Final = rf"(?:\[?(?:(?P<handle>{_HANDLES})|sends?|sent)(?:\]|[ :]) ?)?"
_SENDER: Final = f"(?P<sender>{_NAME})"
_RECEIVER: Final = f"(?P<receiver>{_NAME})"
_MESSAGE: Final = f"(?P<message>{_NAME})"
_NAMED: Final = rf"(?: ?(?::+|[;,/|=]) ?{_MESSAGE}| {_MESSAGE.replace('message', 'bare')})"

_FORMS: Final = (
    f"{_KIND}{_SENDER}{_RIGHT}{_RECEIVER}{_NAMED}",
    f"{_KIND}{_RECEIVER}{_LEFT}{_SENDER}{_NAMED}",
    # As interactions have it: A -- m -> B. One hyphen alone would be part of a name.
    f"{_KIND}{_SENDER} ?[{_DASH}]{{2,}} ?{_MESSAGE}{_RIGHT}{_RECEIVER}",
    f"{_KIND}{_MESSAGE} ?: ?{_SENDER}{_RIGHT}{_RECEIVER}",
)
"""Compiled where a label is wrong: that takes longer than reading a small document."""
_ACTION: Final = re.compile(f"({NAME_PATTERN}) ?([!?]) ?({NAME_PATTERN})")


def label_meant(text: str) -> str:
    """The label that `text` seems to mean, as it is written; empty where none is clear.

    An action of an interaction, `l!m` or `l?m`, does not say who the other process is: in what is
    meant by it stands SENDER or RECEIVER.
    """
    if len(text) > _LONGEST:
        return ""
    words = " ".join(text.split())
    for form in _FORMS:
        if match := re.fullmatch(form, words, re.IGNORECASE):
            found = match.groupdict()
            kind: EventKind = HANDLE if found["handle"] else SEND
            name = found["message"] or found["bare"]
            return str(Label(kind, Message(found["sender"], name, found["receiver"])))
    if match := _ACTION.fullmatch(words):
        lifeline, sign, name = match.groups()
        if sign == "!":
            return str(Label(SEND, Message(lifeline, name, "RECEIVER")))
        return str(Label(HANDLE, Message("SENDER", name, lifeline)))
    return ""
