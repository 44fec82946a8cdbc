"""Recorded spans as they began: what an agent would have been told of each, live.

Then a span has no end yet, and nobody knows who received what it sends; who sent what it receives
is known by the header, so that it is the span that it links to, or the one above it, if that is in
the log and was told with one.
Attributes are taken as the span has them in the end: some instrumentations set a few of them after
the message has left.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from choreomon.core.message import ENVIRONMENT
from choreomon.core.recorded import Diagnostic, LiveTold, Place
from choreomon.files.input_files import PathLike
from choreomon.logs.mappings.live import RECEIVING, SENDING, LiveMapping, LiveMessage, Why
from choreomon.logs.mappings.mapping_document import Mapping
from choreomon.logs.readers.json_values import read_values
from choreomon.logs.readers.lines import opened
from choreomon.logs.readers.spans import NoSpan, spans_in

Record = dict[str, Any]


def live_spans(path: PathLike, mapping: Mapping) -> Iterator[LiveTold]:
    """Read the spans of messages in a log, in its order. Raises `DocumentError` where it cannot be
    read."""
    records: list[tuple[Place, Record]] = []
    with opened(path, None, None) as log:
        for value in read_values(log):
            if not isinstance(value, Diagnostic):
                content, place = value
                found = (each for each in spans_in(content) if not isinstance(each, NoSpan))
                records += [(place, each) for each in found]
    process_of = mapping.process
    mappings: dict[str, LiveMapping] = {}

    def beside(record: Record) -> LiveMapping:
        name = (None if process_of is None else process_of(record)) or "unknown"
        return mappings.setdefault(name, LiveMapping(mapping, name))

    sent = {
        (record["traceId"], record["spanId"]): (beside(record), beside(record).sending({**record}))
        for _, record in records
        if record["kind"] in SENDING
    }
    for place, record in records:
        key = record["traceId"], record["spanId"]
        ways = [(link["traceId"], link["spanId"]) for link in record["links"]]
        ways.append((record["traceId"], record["parentSpanId"]))
        above = next((sent[way] for way in ways if way in sent), None)
        own = beside(record)
        if record["kind"] in SENDING:
            yield _told(place, own.process, record["name"], sent[key][1])
        elif record["kind"] in RECEIVING:
            taken = own.handling({**record}, *_header(above))
            yield _told(place, own.process, record["name"], taken)


def _header(above: tuple[LiveMapping, LiveMessage | Why] | None) -> tuple[str | None, str | None]:
    """Sender and name that came with a message, if the span above it was told with a header."""
    if above is None or not isinstance(above[1], LiveMessage) or not above[1].known:
        return None, None
    return above[0].process, above[1].name


def _told(place: Place, process: str, span: str, message: LiveMessage | Why) -> LiveTold:
    if not isinstance(message, LiveMessage):
        return LiveTold(place, process, span, why=message)
    kind, peer, name, values, known = message
    header = known and peer != ENVIRONMENT
    return LiveTold(
        place=place,
        process=process,
        span=span,
        kind=kind,
        peer=peer,
        name=name,
        header=header,
        values=values,
    )
