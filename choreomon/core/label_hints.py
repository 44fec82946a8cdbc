"""Hints for texts that are no labels: what may have been meant, and what is wrong with the quotes.

They are only suggestions: a label in another notation stays refused, so that whoever knows the
grammar of `choreomon.core.labels` can read every document.
"""

from __future__ import annotations

import re
from typing import Final

from choreomon.core.message import HANDLE, SEND, EventKind, Label, Message
from choreomon.core.names import MAX_NAME, PLAIN_PATTERN, is_name, name_defect, printed

_LONGEST: Final = 4 * MAX_NAME
"""More characters than a label of the longest plain names has."""
_MUCH_LONGER: Final = 10_000
"""Texts with more characters are not searched for quotes."""

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
    # As in interactions: A -- m -> B. A single hyphen would be part of a name.
    f"{_KIND}{_SENDER} ?[{_DASH}]{{2,}} ?{_MESSAGE}{_RIGHT}{_RECEIVER}",
    f"{_KIND}{_MESSAGE} ?: ?{_SENDER}{_RIGHT}{_RECEIVER}",
)
"""Compiled only if a label is wrong: that takes longer than reading a small document."""

_SEVERAL: Final = ("{", "*", "$")
"""Signs with which no unquoted name begins: they would stand for several."""
_CARRIED: Final = re.compile(rf"\([ \t]*{PLAIN_PATTERN}[ \t]*(?:,[ \t]*{PLAIN_PATTERN}[ \t]*)*\)")
_BEFORE: Final = re.compile(r"(^|->|:|[{,]|(^|\s)handle\s)\s*$")
_BEHIND: Final = re.compile(r"\s*($|->|:|[(,}])")
"""The surroundings of a name in quotes, also in patterns for many labels."""
_ESCAPE: Final = re.compile(r"\\(.)")
_IN_QUOTES: Final = re.compile(r'((?:[^"\\]|\\.)*)"')
_OTHER_ESCAPE: Final = re.compile(r'\\[^"\\]')
_ACTION: Final = re.compile(f"({PLAIN_PATTERN}) ?([!?]) ?({PLAIN_PATTERN})")


def label_meant(text: str) -> str:
    """The written label that `text` seems to mean; empty if none is clear. An action of an
    interaction, `l!m` or `l?m`, does not name the other process: the suggestion has SENDER or
    RECEIVER in its place.
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
    return _with_quotes(text)


def _with_quotes(text: str) -> str:
    """The label with quotes around the names that need them; empty if it is not clear which these
    are."""
    ends, _, name = text.partition(" : ") if text.count(" : ") == 1 else text.partition(": ")
    if text.count("->") != 1 or '"' in text or name.count(": "):
        return ""
    handle = ends.lstrip().startswith("handle ")
    sender, _, receiver = ends.lstrip().removeprefix("handle ").partition("->")
    name, carried = name.rstrip(), ""
    if name.endswith(")") and (found := _CARRIED.fullmatch(name, name.rfind("("))):
        name, carried = name[: found.start()], found[0]
    told = Message(sender.strip(), name.strip(), receiver.strip())
    if any(part.startswith(_SEVERAL) or not is_name(part) for part in told):
        return ""
    return f"{Label(HANDLE if handle else SEND, told)}{carried}"


def quotes_defect(text: str) -> str:
    """The defect of the quotes of a label, or of the names in them; empty if there is none, or if
    the text is much longer than labels are."""
    rest = text if len(text) <= _MUCH_LONGER else ""
    while '"' in rest:
        before, _, rest = rest.partition('"')
        found = _IN_QUOTES.match(rest)
        if found is None:
            return f'has a quote that does not end: close it, as in "{_shown(rest)}"'
        held, rest = found[1], rest[found.end() :]
        if other := _OTHER_ESCAPE.search(held):
            told = _shown(other[0])
            return rf"has {told} in quotes, where only \" and \\ are escapes: write \{told}"
        if defect := name_defect(_ESCAPE.sub(r"\1", held)):
            return f'has a name, "{_shown(held)}", that {defect}'
        if not _BEFORE.search(before) or not _BEHIND.match(rest):
            beside = f'has something beside the quotes of "{_shown(held)}"'
            return f"{beside}: write the whole name in double quotes"
    return ""


def _shown(text: str) -> str:
    """A text that may hold anything, for a message."""
    shown = printed(text)
    return shown if len(shown) <= 40 else f"{shown[:37]}..."
