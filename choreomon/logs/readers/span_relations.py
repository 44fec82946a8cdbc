"""Relations of spans: who sent what a span received.

A span is of a sender where its kind is PRODUCER or CLIENT. What a span of kind SERVER or CONSUMER
received was sent by its parent or by spans that it links to; where neither is known, by the
producer that wrote the same `messaging.message.id`. Records get more fields:

- `operation`: of messaging spans: create, publish, receive, process or settle, whichever of the
  conventions says it;
- `origins`: the spans that sent what this one received; of those that nobody recorded only
  `spanId` is known, or nothing at all;
- `receivers`: the spans whose origin this one is;
- `creates`: of spans that publish, the spans that created the messages, where there are such;
- `again`: true where the same process has received the same message before, by a span of another
  operation: receiving and processing are two spans, and one reception.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from choreomon.logs.readers.spans import Record

_SENDERS: Final = ("PRODUCER", "CLIENT")
_OPERATIONS: Final = {"send": "publish", "deliver": "process", "consume": "process"}
"""Older words, as the newer ones."""
_RECEIVING: Final = ("receive", "process")
_SENDING: Final = ("create", "publish")


def relate(records: list[Record]) -> None:
    """Adds the fields to records of spans, which are in the order in which they began, and have
    the field `process`."""
    known = {(record["traceId"], record["spanId"]): record for record in records}
    by_span: dict[str, Record] = {}
    for record in records:
        by_span.setdefault(record["spanId"], record)
    written: dict[tuple[str, str], Record] = {}
    for record in records:
        record["operation"] = operation_of(record)
        record["receivers"] = []
        message = _text(record, "messaging.message.id")
        if message is not None and _sends(record):
            written.setdefault((_text(record, "messaging.system") or "", message), record)
    received: dict[tuple[str, str], str] = {}
    for record in records:
        if _sends(record):
            creates = [
                origin
                for origin in _linked(record, known, by_span)
                if origin.get("operation") == "create"
            ]
            if record["operation"] == "publish" and creates:
                record["creates"] = creates
            continue
        if not _receives(record):
            continue
        origins = _origins(record, known, by_span, written)
        record["origins"] = origins
        for origin in origins:
            if "spanId" not in origin:
                continue
            key = str(record["process"]), origin["spanId"]
            first = received.setdefault(key, record["operation"])
            if first != record["operation"]:
                record["again"] = True
            elif "receivers" in origin:
                origin["receivers"].append(record)


def _sends(record: Record) -> bool:
    kind, operation = record["kind"], record["operation"]
    return kind in _SENDERS and operation not in (*_RECEIVING, "settle")


def _receives(record: Record) -> bool:
    kind, operation = record["kind"], record["operation"]
    if operation in _SENDING or operation == "settle":
        return False
    return kind in ("SERVER", "CONSUMER") or (kind == "CLIENT" and operation in _RECEIVING)


def operation_of(record: Record) -> str:
    """Find what a span of messaging does, whichever convention says it; "" where none does."""
    text = _text(record, "messaging.operation.type") or _text(record, "messaging.operation") or ""
    return _OPERATIONS.get(text.lower(), text.lower())


def _origins(
    record: Record,
    known: dict[tuple[str, str], Record],
    by_span: dict[str, Record],
    written: dict[tuple[str, str], Record],
) -> list[Record]:
    linked = _linked(record, known, by_span)
    parent = record["parentSpanId"]
    above = None if parent is None else known.get((record["traceId"], parent))
    if record["kind"] == "SERVER":
        if parent is None:
            return [{}]
        return [{"spanId": parent} if above is None else above]
    senders = [origin for origin in linked if "kind" in origin and _sends(origin)]
    if senders:
        return senders
    if above is not None and _sends(above) and above["process"] is not None:
        return [above]
    # The span of a reception is often the parent of those that process what was received.
    if above is not None and above.get("origins"):
        return list(above["origins"])
    message = _text(record, "messaging.message.id")
    if message is not None:
        found = written.get((_text(record, "messaging.system") or "", message))
        if found is not None:
            return [found]
    if linked:
        return linked
    if parent is not None and above is None:
        return [{"spanId": parent}]
    if message is not None:
        return [{"spanId": f"message {message}"}]
    # A request to a queue may return nothing.
    return [] if record["operation"] == "receive" else [{}]


def _linked(
    record: Record, known: dict[tuple[str, str], Record], by_span: dict[str, Record]
) -> list[Record]:
    found: dict[str, Record] = {}
    for link in record["links"]:
        span = link["spanId"]
        there = known.get((link["traceId"], span)) or (
            by_span.get(span) if link["traceId"] is None else None
        )
        found.setdefault(span, there or {"spanId": span})
    return list(found.values())


def _text(record: Record, name: str) -> str | None:
    value: Any = record["attributes"].get(name)
    return value if isinstance(value, str) and value else None


def one_process(names: Iterable[tuple[str, str | None]]) -> dict[str, bool]:
    """Find the processes of which one instance was seen at most."""
    seen: dict[str, set[str | None]] = {}
    for process, instance in names:
        seen.setdefault(process, set()).add(instance)
    return {process: len(instances) == 1 for process, instances in seen.items()}
