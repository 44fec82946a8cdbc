"""Detection of the format of a log by its beginning."""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from choreomon.core.errors import DocumentError, Problem
from choreomon.logs.formats import FORMATS, LogFormat
from choreomon.logs.readers.detecter import EVENT
from choreomon.logs.readers.shiviz import TSVIZ, is_header, order_of

_OWN: Final = frozenset(
    ("index", "time", "event", "process", "message", "clock", "id", "number", "values")
)
"""The keys of our own events, of which some may be left out."""
_SPANS: Final = ("resourceSpans", "resource_spans", "scopeSpans", "scope_spans")
_SPAN: Final = re.compile(
    rb'"(resourceSpans|resource_spans)"\s*:|"context"\s*:\s*\{\s*"trace_id"|'
    rb'"kind"\s*:\s*"SpanKind\.'
)
_TRIED: Final = 20
"""The most lines examined, so that a broken one does not hide what the others are."""


def format_of(head: bytes, file: str) -> LogFormat:
    """The format of a log that begins so.

    Raises DocumentError for one that is empty, and for one that is like none; `file` is what the
    error calls it.
    """
    if not head.strip():
        raise DocumentError((Problem(file, 0, "", "is empty: expected events"),))
    lines = [line for line in head.split(b"\n") if line.strip()][:_TRIED]
    if is_header(lines[0].decode("utf-8", "replace")):
        return "shiviz"
    if lines[0].lstrip()[:1] in (b"{", b"["):
        found = _of_json(head, lines)
        if found is not None:
            return found
    elif (found := _after_preamble(lines)) is not None:
        return found
    text = head.decode("utf-8", "replace")
    if any(EVENT.match(line.decode("utf-8", "replace")) for line in lines):
        return "detecter"
    order = order_of(text)
    if order is not None:
        return "tsviz" if order[0] == TSVIZ else "shiviz"
    raise DocumentError(
        (
            Problem(
                file,
                0,
                "",
                f"is like no log that is known: say its format by --format {'|'.join(FORMATS)}; "
                "of text, how its lines are read by --parser, such as "
                "'^(?<timestamp>\\S+) (?<host>\\S+) (?<event>.*)$'",
            ),
        )
    )


def _after_preamble(lines: list[bytes]) -> LogFormat | None:
    """The format of lines of JSON that come after others, as what a program says when it starts; at
    least half of the lines from the first one on are to be such."""
    first = next((n for n, line in enumerate(lines) if line.lstrip()[:1] == b"{"), None)
    if first is None:
        return None
    found = [_of_line(line) for line in lines[first:]]
    known = [each for each in found if each is not None]
    return known[0] if known and 2 * len(known) >= len(found) else None


def _of_line(line: bytes) -> LogFormat | None:
    try:
        return _of_value(msgspec.json.decode(line))
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def _of_json(head: bytes, lines: list[bytes]) -> LogFormat | None:
    for line in lines:
        if (found := _of_line(line)) is not None:
            return found
    # Spread over several lines, or one line that is longer than what is looked at.
    if _SPAN.search(head):
        return "otlp"
    first = lines[0].lstrip()
    if first[:1] == b"{" and (b'"' in first or first.strip() == b"{"):
        keys = (b'"event"', b'"process"', b'"message"', b'"clock"')
        return "events" if all(key in head for key in keys) else "jsonl"
    return None


def _of_value(value: Any) -> LogFormat | None:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "otlp" if _of_value(value[0]) == "otlp" else None
    if not isinstance(value, dict):
        return None
    if any(key in value for key in _SPANS) or {"traceId", "spanId"} <= value.keys():
        return "otlp"
    if isinstance(value.get("context"), dict) and "trace_id" in value["context"]:
        return "otlp"
    own = {"event", "process", "message"} <= value.keys() <= _OWN
    return "events" if own and isinstance(value["message"], dict) else "jsonl"
