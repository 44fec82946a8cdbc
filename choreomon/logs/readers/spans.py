"""Spans of OpenTelemetry as records: OTLP's JSON, and what the console exporters of SDKs print.

A span is a record with `traceId`, `spanId`, `parentSpanId`, `name`, `kind` (`CLIENT`, `SERVER`,
`PRODUCER`, `CONSUMER`, `INTERNAL`, `UNSPECIFIED`), `startTimeUnixNano`, `endTimeUnixNano`,
`attributes`, `resource`, `scope`, `status`, and `links`, each with `traceId`, `spanId` and
`attributes`; whichever way it was written. `status` is `OK`, `ERROR` or `UNSET`.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from sys import intern
from typing import Any, Final

Record = dict[str, Any]

_KINDS: Final = ("UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER")
_STATUS: Final = ("UNSET", "OK", "ERROR")
_HEX: Final = re.compile(r"(?:0x)?([0-9A-Fa-f]+)")
_FRACTION: Final = re.compile(r"\.(\d+)")
_NEVER: Final = re.compile("0+")


class NoSpan(ValueError):
    """A record is no span; the message says why."""


def spans_in(value: Any, *, listed: bool = False) -> Iterator[Record | NoSpan]:
    """The spans of a value of JSON: a request, a part of one, a span, or a list of these."""
    match value:
        case list() if not listed:
            for each in value:
                yield from spans_in(each, listed=True)
        case dict() if (found := _get(value, "resourceSpans", "resource_spans")) is not None:
            for each in _list(found):
                yield from _of_resource(each)
        case dict() if _get(value, "scopeSpans", "scope_spans") is not None:
            yield from _of_resource(value)
        case dict() if "context" in value or "spanId" in value or "span_id" in value:
            yield from _span(value, _resource(value), {})
        case dict() if _get(value, "resourceMetrics", "resourceLogs") is not None:
            yield NoSpan("it has metrics or logs, and no spans")
        case _:
            yield NoSpan("it is no span: expected resourceSpans, or a span with context or spanId")


def _of_resource(value: Any) -> Iterator[Record | NoSpan]:
    if not isinstance(value, dict):
        yield NoSpan("its resourceSpans has something else than objects")
        return
    resource = _resource(value)
    scopes = _get(value, "scopeSpans", "scope_spans", "instrumentationLibrarySpans")
    for group in _list(scopes):
        if not isinstance(group, dict):
            yield NoSpan("its scopeSpans has something else than objects")
            continue
        scope = _dict(_get(group, "scope", "instrumentationLibrary"))
        named = {key: scope[key] for key in ("name", "version") if isinstance(scope.get(key), str)}
        for span in _list(group.get("spans")):
            yield from _span(span, resource, named)


def _resource(value: Record) -> Record:
    return _attributes(_dict(value.get("resource")).get("attributes"))


def _span(value: Any, resource: Record, scope: Record) -> Iterator[Record | NoSpan]:
    try:
        yield _record(value, resource, scope)
    except NoSpan as wrong:
        yield wrong


def _record(value: Any, resource: Record, scope: Record) -> Record:
    if not isinstance(value, dict):
        raise NoSpan("it has a span that is no object")
    context = _dict(value.get("context"))
    own = {**context, **value}
    span = _id(_get(own, "spanId", "span_id"), 16)
    trace = _id(_get(own, "traceId", "trace_id"), 32)
    if span is None or trace is None:
        what = "spanId" if span is None else "traceId"
        raise NoSpan(
            f"it has a span without a usable {what}: expected {16 if span is None else 32} "
            "hexadecimal digits"
        )
    start = _time(_get(own, "startTimeUnixNano", "start_time_unix_nano", "start_time"))
    end = _time(_get(own, "endTimeUnixNano", "end_time_unix_nano", "end_time"))
    if start is None:
        raise NoSpan(f"the span {span} has no usable startTimeUnixNano: expected nanoseconds")
    if end is not None and end < start:
        end = None
    status = _dict(value.get("status"))
    name = value.get("name")
    return {
        "traceId": trace,
        "spanId": span,
        "parentSpanId": _id(_get(own, "parentSpanId", "parent_span_id", "parent_id"), 16),
        "name": name if isinstance(name, str) else "",
        "kind": _one_of(_KINDS, value.get("kind"), ("SPAN_KIND_", "SpanKind.")),
        "startTimeUnixNano": start,
        "endTimeUnixNano": end,
        "attributes": _attributes(value.get("attributes")),
        "resource": resource,
        "scope": scope,
        "status": _one_of(
            _STATUS, _get(status, "code", "status_code"), ("STATUS_CODE_", "StatusCode.")
        ),
        "links": [link for each in _list(value.get("links")) if (link := _link(each)) is not None],
    }


def _link(value: Any) -> Record | None:
    if not isinstance(value, dict):
        return None
    own = {**_dict(value.get("context")), **value}
    span = _id(_get(own, "spanId", "span_id"), 16)
    if span is None:
        return None
    return {
        "traceId": _id(_get(own, "traceId", "trace_id"), 32),
        "spanId": span,
        "attributes": _attributes(value.get("attributes")),
    }


# ---------------------------------------------------------------- parts


def _get(value: Record, *names: str) -> Any:
    for name in names:
        found = value.get(name)
        if found is not None:
            return found
    return None


def _dict(value: Any) -> Record:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _attributes(value: Any) -> Record:
    """The attributes by name, from OTLP's list of keys and values, or from an object."""
    if isinstance(value, dict):
        return value
    found: Record = {}
    for each in _list(value):
        if isinstance(each, dict) and isinstance(each.get("key"), str):
            found[intern(each["key"])] = _value(each.get("value"))
    return found


def _value(value: Any, depth: int = 8) -> Any:
    if not isinstance(value, dict) or not depth:
        return None
    for key, held in value.items():
        match key:
            case "arrayValue" | "array_value":
                return [_value(each, depth - 1) for each in _list(_dict(held).get("values"))]
            case "kvlistValue" | "kvlist_value":
                return {
                    str(each.get("key")): _value(each.get("value"), depth - 1)
                    for each in _list(_dict(held).get("values"))
                    if isinstance(each, dict)
                }
            case "intValue" | "int_value" if isinstance(held, str):
                return int(held) if re.fullmatch(r"-?\d{1,19}", held) else held
            case _:
                return held if isinstance(held, str | bool | int | float) else None
    return None


def _id(value: Any, digits: int) -> str | None:
    """An id as lower-case hexadecimal digits; None where it is none, or all zeros. What protobuf's
    own JSON writes in base64 is read, too."""
    if not isinstance(value, str) or not value:
        return None
    found = _HEX.fullmatch(value)
    if found is not None and len(found[1]) <= digits:
        text = found[1].lower().rjust(digits, "0")
    else:
        try:
            raw = base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError):
            return None
        if len(raw) * 2 != digits:
            return None
        text = raw.hex()
    return None if _NEVER.fullmatch(text) else text


def _time(value: Any) -> int | None:
    """Nanoseconds, of a number, of its digits, or of a time in ISO's form."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if 0 < value < 1 << 63 else None
    if not isinstance(value, str) or len(value) > 40:
        return None
    if value.isascii() and value.isdigit():
        return _time(int(value))
    try:
        # `datetime` keeps microseconds at most.
        whole = datetime.fromisoformat(_FRACTION.sub("", value).replace("Z", "+00:00"))
        aware = whole if whole.tzinfo else whole.replace(tzinfo=UTC)
        seconds = round(aware.timestamp())
    except (ValueError, OverflowError):
        return None
    fraction = _FRACTION.search(value)
    nanoseconds = int(fraction[1][:9].ljust(9, "0")) if fraction else 0
    return seconds * 1_000_000_000 + nanoseconds if seconds > 0 else None


def _one_of(names: tuple[str, ...], value: Any, prefixes: tuple[str, ...]) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return names[value] if 0 <= value < len(names) else names[0]
    if isinstance(value, str):
        text = value
        for prefix in prefixes:
            text = text.removeprefix(prefix)
        if text.upper() in names:
            return text.upper()
    return names[0]
