"""Spans of OpenTelemetry -> events.

A span is written when it ends, and says when it began; who received what it sent is known only
from other spans, of whatever trace. So nothing that was read tells that a span is complete, and the
spans of a log are kept until its end: memory grows with their number. What comes out is, for each
process, in the order of time. Between processes time orders nothing, and whoever reads the events
must not take their order for one.

A response is sent when the span of the server ends, as the conventions have it: such a span covers
the handling of a request while the client waits. What a server does after its answer, but within
that span, is taken to be before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from choreomon.core.recorded import Diagnostic, Place, RecordedEvent
from choreomon.logs.mappings.expressions import plain
from choreomon.logs.mappings.mapping import Recorded, refuse_hopeless
from choreomon.logs.mappings.mapping_document import Mapping
from choreomon.logs.mappings.user_patterns import Hopeless
from choreomon.logs.readers.json_values import read_values
from choreomon.logs.readers.lines import Log
from choreomon.logs.readers.reading_options import ReadingOptions
from choreomon.logs.readers.span_order import sends_first
from choreomon.logs.readers.span_relations import one_process, relate
from choreomon.logs.readers.spans import NoSpan, Record, spans_in

_SHARED: Final = 10_000
"""Resources and scopes of which all spans have one copy."""


def read_otlp(log: Log, options: ReadingOptions) -> Iterator[Recorded]:
    """The events of all spans (`span_order`) by a mapping; before them what was not understood.

    Raises DocumentError where the log cannot be read, and for an expression of the mapping that
    was stopped.
    """
    mapping = options.mapping
    assert mapping is not None
    kept: dict[tuple[str, str], tuple[Record, Place]] = {}
    same: dict[str, Record] = {}
    for value in read_values(log):
        if isinstance(value, Diagnostic):
            yield value
            continue
        content, place = value
        for record in spans_in(content):
            if isinstance(record, NoSpan):
                yield Diagnostic("not-understood", str(record), place)
                continue
            key = record["traceId"], record["spanId"]
            if key in kept:
                told = f"the span {key[1]} comes twice: the first, at {kept[key][1]}, is taken"
                yield Diagnostic("not-understood", told, place)
                continue
            for part in ("resource", "scope"):  # there are few of them, in many copies
                text = repr(record[part])
                if text in same or len(same) < _SHARED:
                    record[part] = same.setdefault(text, record[part])
            kept[key] = record, place
    del same
    depths = _depths({key: record["parentSpanId"] for key, (record, _) in kept.items()})
    order_of = {key: (kept[key][0]["startTimeUnixNano"], depths[key]) for key in kept}
    spans = [kept[key] for key in sorted(kept, key=order_of.__getitem__)]
    del kept, depths, order_of  # they are as long as the log
    try:
        _name_processes([record for record, _ in spans], mapping)
    except Hopeless as error:
        refuse_hopeless(mapping.file, Place(log.file, 0), error)
    other_ends = mapping.span_ends()
    for record, _ in spans:
        other_ends.describe(record)
    relate([record for record, _ in spans])
    made = mapping.records(options.format, options.session_key)
    events: list[tuple[int, int, int, RecordedEvent]] = []
    for order, (record, place) in enumerate(spans):
        for each in made.events(record, place):
            if isinstance(each, Diagnostic):
                yield each
                continue
            ends = str(record["endTimeUnixNano"])
            at_end = each.time == ends and ends != str(record["startTimeUnixNano"])
            stated = each.time.isascii() and each.time.isdigit() and len(each.time) < 20
            time = int(each.time) if stated else record["startTimeUnixNano"]
            # Spans that begin together: the outer first; spans that end together: the inner first.
            events.append((time, int(at_end), -order if at_end else order, each))
    events.sort(key=lambda event: event[:3])
    yield from sends_first([event for _, _, _, event in events])


def _depths(parents: dict[tuple[str, str], str | None]) -> dict[tuple[str, str], int]:
    """Count the spans that each span is in; any number for those that are in themselves."""
    depths: dict[tuple[str, str], int] = {}
    for start in parents:
        way: dict[tuple[str, str], None] = {}
        key: tuple[str, str] | None = start
        while key is not None and key in parents and key not in depths and key not in way:
            way[key] = None
            parent = parents[key]
            key = None if parent is None else (key[0], parent)
        depth = -1 if key is None else depths.get(key, -1)
        for number, each in enumerate(reversed(way), start=1):
            depths[each] = depth + number
    return depths


def _name_processes(records: list[Record], mapping: Mapping) -> None:
    """Gives each span the name of its process: with that of the instance where a process has
    several, which have an order each. Raises `Hopeless`."""
    process, instance = mapping.process, mapping.instance
    names: list[tuple[str, str | None]] = []
    for record in records:
        name = None if process is None else process(record)
        own = None if instance is None else instance(record)
        names.append((name or "", own))
    alone = one_process(names)
    for record, (name, own) in zip(records, names, strict=True):
        full = name if not name or alone[name] else f"{name}.{own or 'unknown'}"
        record["process"] = (plain(full) if mapping.document.plain_names else full) or None
