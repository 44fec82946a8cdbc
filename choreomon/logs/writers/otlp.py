"""A run, or what logs recorded, as spans of OpenTelemetry, as OTLP JSON: one request.

One trace a run. Each process is a service (`service.name`), in the order of their first events. A
send is a span of the kind PRODUCER, a handle one of the kind CONSUMER with a link to the span of
its send: links, not parents, as the conventions for messaging have it. Both have the name of the
message, its ends, and the clock. Verdicts are events of the span that they are about.

Ids are made of the name of the run and the index of the event, so the same run has the same ones
every time. Times are those of the run, counted from a nanosecond after 1970 began, since 0 means
that there is no time: what is virtual has no date. A span is over when it begins, since events have
no duration.

Of logs a session is a trace, and local events are spans of the kind INTERNAL.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any, Final

from choreomon.core.message import SEND
from choreomon.core.recorded import RecordedEvent
from choreomon.core.run import RunEvent, RunVerdict
from choreomon.core.vector_clock import by_name
from choreomon.core.verdict import VIOLATED
from choreomon.logs.writers.recorded_run import RecordedRun

INTERNAL: Final = 1
PRODUCER: Final = 4
CONSUMER: Final = 5
"""Kinds of spans, as OTLP numbers them."""

_ERROR: Final = 2
_SYSTEM: Final = "choreomon"
_TRACE: Final = re.compile(r"(?!0{32})[0-9a-f]{32}")
_NANOSECONDS: Final = re.compile(r"[1-9][0-9]{0,18}")
_LATEST: Final = (1 << 63) - 1


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
    return _request(spans)


def recorded_otlp_request(events: Sequence[RecordedEvent]) -> str:
    """Events that logs told of, as `otlp_request` writes those of a run. A trace is a session, with
    its name in `choreomon.session`; its id is the session itself where that is one.

    A send without message id has `choreomon.without_id`. A handle links to the span of the send of
    its message id; where nobody recorded that one, to a span that is not there. Times are those of
    the events where they are nanoseconds that never go back within a process, as those of spans
    are; else events are counted, and `choreomon.time` is what was written.
    """
    nanoseconds = _are_nanoseconds(events)
    sends: dict[tuple[str, str], int] = {}
    for index, event in enumerate(events):
        if event.kind == "send" and event.message_id is not None:
            sends.setdefault((event.session, event.message_id), index)
    spans: dict[str, list[dict[str, Any]]] = {}
    for index, event in enumerate(events):
        time = event.time if nanoseconds else str(index + 1)
        key = event.session, event.message_id or ""
        attributes = [*_recorded_attributes(event)]
        # The id alone might match a send of another trace.
        if event.message_id is not None and (event.kind == "send" or key in sends):
            attributes.append(_text("messaging.message.id", event.message_id))
        if event.kind == "send" and event.message_id is None:
            # Each span has an id; this one belongs to no message.
            attributes.append(_text("choreomon.without_id", "true"))
        if event.time and not nanoseconds:
            attributes.append(_text("choreomon.time", event.time))
        span: dict[str, Any] = {
            "traceId": _trace_of(event.session),
            "spanId": span_id(event.session, index),
            "name": _span_name(event),
            "kind": {"send": PRODUCER, "handle": CONSUMER}.get(event.kind, INTERNAL),
            "startTimeUnixNano": time,
            "endTimeUnixNano": time,
            "attributes": attributes,
        }
        if event.kind == "handle" and event.message_id is not None:
            linked = span_id(event.session, sends[key]) if key in sends else _unseen_span(*key)
            span["links"] = [{"traceId": _trace_of(event.session), "spanId": linked}]
        spans.setdefault(event.process, []).append(span)
    return _request(spans)


def _request(spans: dict[str, list[dict[str, Any]]]) -> str:
    """A request with the spans of each process."""
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
    time = str(event.time * 1000 + 1)
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
            *(_text(f"choreomon.value.{name}", value) for name, value in event.values),
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


def _are_nanoseconds(events: Sequence[RecordedEvent]) -> bool:
    last: dict[str, int] = {}
    for event in events:
        if not _NANOSECONDS.fullmatch(event.time):
            return False
        if not last.get(event.process, 0) <= int(event.time) <= _LATEST:
            return False
        last[event.process] = int(event.time)
    return True


def _trace_of(session: str) -> str:
    return session if _TRACE.fullmatch(session) else trace_id(f"session {session}")


def _unseen_span(session: str, message_id: str) -> str:
    return blake2b(f"{session} {message_id}".encode(), digest_size=8, person=b"unseen").hexdigest()


def _span_name(event: RecordedEvent) -> str:
    operation = {"send": "send ", "handle": "process "}.get(event.kind, "")
    return f"{operation}{event.name}"


def _recorded_attributes(event: RecordedEvent) -> Iterator[dict[str, Any]]:
    if event.kind != "local":
        sent = event.kind == "send"
        operation = "send" if sent else "process"
        sender, receiver = (event.process, event.peer) if sent else (event.peer, event.process)
        yield _text("messaging.system", _SYSTEM)
        yield _text("messaging.operation.name", operation)
        yield _text("messaging.operation.type", operation)
        if receiver is not None:
            yield _text("messaging.destination.name", receiver)
        yield _text("choreomon.message", event.name)
        if sender is not None:
            yield _text("choreomon.sender", sender)
        if receiver is not None:
            yield _text("choreomon.receiver", receiver)
    if event.clock is not None:
        yield _text("choreomon.clock", json.dumps(dict(event.clock), sort_keys=True))
    if event.number is not None:
        yield {"key": "choreomon.number", "value": {"intValue": str(event.number)}}
    if event.session:
        yield _text("choreomon.session", event.session)
    for name, text in event.fields.items():
        yield _text(f"choreomon.field.{name}", text)


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
            *(_text(f"choreomon.for.{name}", value) for name, value in verdict.binding),
        ],
    }


def _text(key: str, value: str) -> dict[str, Any]:
    return {"key": key, "value": {"stringValue": value}}
