"""Messages that an agent is told of: what a mapping makes of a span that begins.

The record of such a span has what is known then: no end, no spans that received what it sends, and
of the span that sent what it receives only what came with the message.
"""

from __future__ import annotations

from collections.abc import Mapping as MappingType
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from choreomon.core.errors import DocumentError
from choreomon.core.message import ENVIRONMENT
from choreomon.core.names import MAX_NAME, name_defect
from choreomon.core.recorded import NO_FIELDS, Place, RecordedEvent
from choreomon.logs.mappings.mapping_document import Mapping
from choreomon.logs.readers.span_relations import operation_of

Why: TypeAlias = Literal["no message", "no peer", "no name", "mapping stopped"]
"""Reasons why nothing is told of a span: it is none of a message; the mapping gives no process at
the other end, or no name that a message may have; or an expression of it took too long."""

SENDING: Final = ("CLIENT", "PRODUCER")
RECEIVING: Final = ("SERVER", "CONSUMER")


class LiveMessage(NamedTuple):
    """A message as its process sees it. `peer` is the other end, `env` where that is not monitored
    and what is handled came without a header. `known` says of one that is sent whether its receiver
    is a process by the mapping's table, by `peer.service` or by a rule, and not only a host that
    is called: only then something travels with it."""

    kind: Literal["send", "handle"]
    peer: str
    name: str
    values: MappingType[str, str] = NO_FIELDS
    known: bool = True


class LiveMapping:
    """A mapping of spans for messages that are about to leave, or were just taken.

    Args:
        mapping: of the format `otlp`.
        process: how the agent calls the process.

    `headers` and `baggage` are the names that it looks up there; records have what is found, as
    fields of these names.
    """

    def __init__(self, mapping: Mapping, process: str) -> None:
        mapping = mapping.with_names_kept()
        self._records = mapping.records("otlp")
        self._ends = mapping.span_ends()
        self._place = Place(mapping.file, 0)
        self.process: Final = process
        self.headers = mapping.asked_of("headers")
        self.baggage = mapping.asked_of("baggage")

    def sending(self, record: dict[str, Any]) -> LiveMessage | Why:
        """The message that a span of `SENDING` is about to send."""
        record.update(process=self.process, operation=operation_of(record), receivers=[])
        event = self._event(record, "send")
        if event is None or isinstance(event, str):
            return event or "no message"
        if _is_chatter(record) and record.get("destination") is None:
            return "no message"
        if event.peer is None:
            return "no peer"
        if (name := _named(event.name)) is None or name_defect(event.peer):
            return "no name"
        host_only = event.peer == record.get("host") and not (
            record.get("destination") or record["attributes"].get("peer.service") == event.peer
        )
        return LiveMessage("send", event.peer, name, event.values, not host_only)

    def handling(
        self, record: dict[str, Any], sender: str | None, name: str | None
    ) -> LiveMessage | Why:
        """The message that a span of `RECEIVING` has taken. `sender` and `name`: what came with it;
        None where nothing did, so that it came from outside and is called by the mapping."""
        origin = {"spanId": record.get("parentSpanId"), "process": sender}
        record.update(process=self.process, operation=operation_of(record), origins=[origin])
        event = self._event(record, "handle")
        values = event.values if isinstance(event, RecordedEvent) else NO_FIELDS
        if sender is not None and name is not None:
            return LiveMessage("handle", sender, name, values)
        if not isinstance(event, RecordedEvent) or _is_chatter(record):
            return event if isinstance(event, str) else "no message"
        called = _named(event.name)
        return "no name" if called is None else LiveMessage("handle", ENVIRONMENT, called, values)

    def _event(self, record: dict[str, Any], kind: str) -> RecordedEvent | Why | None:
        """The first event of this kind; None where the mapping makes none, or what is none."""
        self._ends.describe(record)
        try:
            for each in self._records.events(record, self._place):
                if not isinstance(each, RecordedEvent):
                    return "no name"
                if each.kind == kind:
                    return each
        except DocumentError:
            return "mapping stopped"
        return None


def _is_chatter(record: dict[str, Any]) -> bool:
    """Tell whether a span is of the Model Context Protocol and calls nothing, as one that lists
    tools."""
    method = record["attributes"].get("mcp.method.name")
    return method is not None and record.get("tool") == method


def _named(name: str) -> str | None:
    """The name, cut to the length that names have; None where it is none."""
    cut = name[:MAX_NAME]
    return None if name_defect(cut) else cut
