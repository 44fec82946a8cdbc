"""detectEr's events: `fork`, `init`, `exit`, `send` and `recv`, one a line.

`fork(P1, P2, ...)` and `init(P2, P1, ...)` are the two ends of a message `fork`, since a process
begins after it was forked. Messages have no ids: `recv(P2, Msg)` does not say who sent it. A
message is called as the first atom of its term, so `{order, 7}` is `order`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from choreomon.core.recorded import Diagnostic, Place, RecordedEvent
from choreomon.logs.readers.lines import Log
from choreomon.logs.readers.reading_options import ReadingOptions

EVENT: Final = re.compile(r"\s*(fork|init|exit|send|recv)\s*\(")
_TOKEN: Final = re.compile(r"""<<|>>|[^][(){},"'<>]+|.""")
_QUOTED: Final = {
    '"': re.compile(r'"(?:[^"\\]|\\.)*"'),
    "'": re.compile(r"'(?:[^'\\]|\\.)*'"),
}
_NAME: Final = re.compile(r"[\s{\[(]*(?:'([^']+)'|([A-Za-z_][\w@]*)|([^\s,{}()\[\]]+))")
_OPEN: Final = frozenset(("(", "[", "{", "<<"))
_CLOSE: Final = frozenset((")", "]", "}", ">>"))
_NUMBER_OF: Final = {"fork": (2, 3), "init": (2, 3), "exit": (1, 2), "send": (3, 3), "recv": (2, 2)}
_LIKE: Final = {
    "fork": "fork(P1, P2, {Mod, Fun, Args})",
    "init": "init(P2, P1, {Mod, Fun, Args})",
    "exit": "exit(P, Reason)",
    "send": "send(P1, P2, Msg)",
    "recv": "recv(P2, Msg)",
}


def read_detecter(log: Log, _: ReadingOptions) -> Iterator[RecordedEvent | Diagnostic]:
    """The events, in the order of the log; empty lines, and comments after `%`, are none.

    Raises DocumentError only where lines cannot be read at all.
    """
    for number, text in enumerate(log.lines(), start=1):
        line = text.decode("utf-8", "replace").strip().rstrip(".")
        if line and not line.startswith("%"):
            place = Place(log.file, number)
            found = EVENT.match(line)
            if found is None:
                known = ", ".join(_LIKE.values())
                yield Diagnostic("not-understood", f"it is no event: expected {known}", place)
            else:
                yield _event(found[1], line[found.end() - 1 :], place)


def _event(what: str, rest: str, place: Place) -> RecordedEvent | Diagnostic:
    parts = _arguments(rest)
    least, most = _NUMBER_OF[what]
    if parts is None or not least <= len(parts) <= most or not all(parts[:least]):
        told = f"it is no {what}, or only the beginning of one: expected {_LIKE[what]}"
        return Diagnostic("not-understood", told, place)
    process = parts[0]
    match what:
        case "fork":
            event = RecordedEvent(process, "send", "fork", place, parts[1])
            return _forked(event, parts[1], parts)
        case "init":
            return _forked(
                RecordedEvent(process, "handle", "fork", place, parts[1]), process, parts
            )
        case "send":
            message = {"message": parts[2]}
            return RecordedEvent(process, "send", _name(parts[2]), place, parts[1], fields=message)
        case "recv":
            message = {"message": parts[1]}
            return RecordedEvent(process, "handle", _name(parts[1]), place, fields=message)
        case _:
            reason = {"reason": parts[1]} if len(parts) > 1 else {}
            return RecordedEvent(process, "local", "exit", place, fields=reason)


def _forked(event: RecordedEvent, child: str, parts: list[str]) -> RecordedEvent:
    fields = {"function": parts[2]} if len(parts) > 2 else {}
    return event._replace(message_id=f"fork {child}", fields=fields)


def _arguments(text: str) -> list[str] | None:
    """The arguments in the parentheses with which a text begins, parted at commas that are within
    no others; None where they are not closed, or something comes after them."""
    parts: list[str] = []
    depth = begun = 0
    for start, end in _tokens(text):
        token = text[start:end]
        depth += (token in _OPEN) - (token in _CLOSE)
        if token in _OPEN and depth == 1:
            begun = end
        elif (token == "," and depth == 1) or (token in _CLOSE and not depth):
            parts.append(text[begun:start].strip())
            begun = end
            if not depth:
                return None if text[end:].strip() else parts
    return None


def _tokens(text: str) -> Iterator[tuple[int, int]]:
    """The ends of tokens. A quote that is closed nowhere is one by itself, and so are all later
    ones, which are not looked for again: else a long line would take time without end."""
    quoted = dict(_QUOTED)
    end = 0
    while end < len(text):
        start = end
        pattern = quoted.get(text[start], _TOKEN)
        found = pattern.match(text, start)
        if found is None:
            quoted.pop(text[start], None)
            end = start + 1
        else:
            end = found.end()
        yield start, end


def _name(message: str) -> str:
    found = _NAME.match(message)
    return next(filter(None, found.groups()), message) if found else message
