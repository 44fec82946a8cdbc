"""A run as spans of OpenTelemetry, as OTLP JSON: one request.

One trace a run. Each process is a service (`service.name`), in the order of their first events. A
send is a span of the kind PRODUCER, a handle one of the kind CONSUMER with a link to the span of
its send: links, not parents, as the conventions for messaging have it. Both have the name of the
message, its ends, and the clock. Verdicts are events of the span that they are about.

Ids are made of the name of the run and the index of the event, so the same run has the same ones
every time. Times are those of the run, counted from 1970: what is virtual has no date. A span is
over when it begins, since events have no duration.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, Final

from choreomon.core.message import SEND
from choreomon.core.run import RunEvent, RunVerdict
from choreomon.core.vector_clock import by_name
from choreomon.core.verdict import VIOLATED
from choreomon.formats.exported.recorded_run import RecordedRun

PRODUCER: Final = 4
CONSUMER: Final = 5
"""Kinds of spans, as OTLP numbers them."""

_ERROR: Final = 2
_SYSTEM: Final = "choreomon"


def otlp_request(run: RecordedRun) -> str:
    """The JSON of an ExportTraceServiceRequest, on one line and with a line end: the file exporter
    of a collector writes a file of such lines."""
    declared: dict[int, list[RunVerdict]] = {}
    for verdict in run.verdicts:
        declared.setdefault(verdict.event_index, []).append(verdict)
    spans: dict[str, list[dict[str, Any]]] = {}
    for event in run.events:
        span = _span(run, event, declared.get(event.index, ()))
        spans.setdefault(event.process, []).append(span)
    request = {
        "resourceSpans": [
            {
                "resource": {"attributes": [_text("service.name", process)]},
                "scopeSpans": [{"scope": {"name": _SYSTEM}, "spans": own}],
            }
            for process, own in spans.items()
        ]
    }
    return json.dumps(request, separators=(",", ":")) + "\n"


def trace_id(run: str) -> str:
    """The id of the trace of a run: 32 hexadecimal digits."""
    return blake2b(run.encode(), digest_size=16, person=b"trace").hexdigest()


def span_id(run: str, index: int) -> str:
    """The id of the span of an event: 16 hexadecimal digits."""
    return blake2b(f"{run} {index}".encode(), digest_size=8, person=b"span").hexdigest()


def _span(run: RecordedRun, event: RunEvent, verdicts: Sequence[RunVerdict]) -> dict[str, Any]:
    sent = event.kind == SEND
    operation = "send" if sent else "process"
    sender, name, receiver = event.message
    time = str(event.time * 1000)
    source = event.index if event.sent_at is None else event.sent_at
    span: dict[str, Any] = {
        "traceId": trace_id(run.name),
        "spanId": span_id(run.name, event.index),
        "name": f"{operation} {name}",
        "kind": PRODUCER if sent else CONSUMER,
        "startTimeUnixNano": time,
        "endTimeUnixNano": time,
        "attributes": [
            _text("messaging.system", _SYSTEM),
            _text("messaging.operation.name", operation),
            _text("messaging.operation.type", operation),
            _text("messaging.destination.name", receiver),
            _text("messaging.message.id", span_id(run.name, source)),
            _text("choreomon.message", name),
            _text("choreomon.sender", sender),
            _text("choreomon.receiver", receiver),
            {"key": "choreomon.index", "value": {"intValue": str(event.index)}},
            _text(
                "choreomon.clock", json.dumps(by_name(event.clock, run.processes), sort_keys=True)
            ),
        ],
    }
    if event.sent_at is not None:
        link = {"traceId": trace_id(run.name), "spanId": span_id(run.name, event.sent_at)}
        span["links"] = [link]
    if verdicts:
        span["events"] = [_declared(verdict, time) for verdict in verdicts]
    if any(verdict.verdict == VIOLATED for verdict in verdicts):
        span["status"] = {"code": _ERROR, "message": VIOLATED}
    return span


def _declared(verdict: RunVerdict, time: str) -> dict[str, Any]:
    return {
        "timeUnixNano": time,
        "name": verdict.verdict,
        "attributes": [
            _text("choreomon.monitor", verdict.monitor),
            _text("choreomon.label", verdict.label),
            _text(
                "choreomon.transitions",
                json.dumps([list(transition) for transition in verdict.transitions]),
            ),
        ],
    }


def _text(key: str, value: str) -> dict[str, Any]:
    return {"key": key, "value": {"stringValue": value}}
