"""Spans that begin, as records of a mapping (docs/logs.md, "Fields of spans")."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from opentelemetry import baggage
from opentelemetry.context import Context

Record = dict[str, Any]


def record_of(span: Any) -> Record:
    """Make the record of a span of the SDK, now that it has begun."""
    context, parent = span.context, span.parent
    return {
        "traceId": f"{context.trace_id:032x}",
        "spanId": f"{context.span_id:016x}",
        "parentSpanId": None if parent is None else f"{parent.span_id:016x}",
        "name": span.name,
        "kind": span.kind.name,
        "startTimeUnixNano": span.start_time,
        "attributes": dict(span.attributes),
        "resource": span.resource.attributes,
        "links": [],
        "status": "UNSET",
    }


def baggage_in(context: Context | None, names: Iterable[str]) -> dict[str, str]:
    """Find those of these members of the baggage that are there."""
    found = ((name, baggage.get_baggage(name, context)) for name in names)
    return {name: value for name, value in found if isinstance(value, str)}
