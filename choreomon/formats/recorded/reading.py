"""Any log -> events, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from choreomon.core.errors import DocumentError, Problem
from choreomon.core.recorded import Diagnostic
from choreomon.formats.input_files import PathLike
from choreomon.formats.recorded.detection import FORMATS, LogFormat, format_of
from choreomon.formats.recorded.lines import Log, opened
from choreomon.formats.recorded.mapping import Recorded
from choreomon.formats.recorded.mapping_document import Mapping, built_in
from choreomon.formats.recorded.user_patterns import refused


def read_recorded(
    source: PathLike | BinaryIO,
    format: LogFormat | None = None,
    mapping: Mapping | None = None,
    *,
    parser: str | None = None,
    delimiter: str | None = None,
    session_key: str | None = None,
    file: str | None = None,
    max_line: int | None = None,
) -> Iterator[Recorded]:
    """The events of a log, and what was strange about it, in the order of the log; of spans, in
    that of `span_order`.

    - `source`: a path, or a stream of bytes, which is not closed.
    - `format`: None: what the mapping says, or else what the log looks like.
    - `mapping`: what its lines or spans mean; None: the built-in ones, and for logs that an
      expression parses: local events.
    - `parser`, `delimiter`: of shiviz and tsviz: the expression of an event, and of what stands
      between runs; before those of the mapping.
    - `session_key`: the path of the field that is the session, before that of the mapping.
    - `file`: what errors and places call the log.
    - `max_line`: bytes of the longest line that is read; None: as of all files
      (`choreomon.formats.input_files`).

    A line that is not understood is a diagnostic, and reading goes on. What is not checked here:
    whether messages are sent and received once (`choreomon.core.pairing`), and what clocks say.

    Raises DocumentError: for a log that cannot be read, is empty or has too long a line; for one
    whose format is not known; for options that do not fit the format; for expressions that are
    none or were stopped; and at the end of a log of which nothing at all was understood.
    """
    with opened(source, file, max_line) as log:
        if log.empty:
            raise refused(log.file, 0, "", "is empty: expected events")
        given = format or (None if mapping is None else mapping.format)
        if given is None and parser is not None:
            given = "shiviz"
        chosen: LogFormat = format_of(log.head, log.file) if given is None else given
        _check(chosen, log.file, mapping, parser, delimiter, session_key)
        events = 0
        first: Diagnostic | None = None
        for each in _read(log, chosen, mapping, parser, delimiter, session_key):
            if isinstance(each, Diagnostic):
                first = first or each
            else:
                events += 1
            yield each
        if first is not None and not events:
            told = (
                f"nothing in it was understood as {chosen}; at first: {first.message}: say "
                "another format by --format, or what its lines mean by --mapping"
            )
            raise DocumentError((Problem(log.file, first.place.line, "", told),))


def _check(
    chosen: LogFormat,
    file: str,
    mapping: Mapping | None,
    parser: str | None,
    delimiter: str | None,
    session_key: str | None,
) -> None:
    """Refuses what does nothing with a format."""
    if chosen not in FORMATS:
        raise refused(file, 0, "", f"{chosen!r} is no format: there are {', '.join(FORMATS)}")
    parsed = chosen in ("shiviz", "tsviz")
    own = chosen in ("events", "detecter")
    for what, given, fits in (
        ("a mapping", mapping, not own),
        ("a parser", parser, parsed),
        ("a delimiter", delimiter, parsed),
        ("a session key", session_key, not own),
    ):
        if given is not None and not fits:
            raise refused(file, 0, "", f"is read as {chosen}, which has no use for {what}")
    if mapping is not None and mapping.format not in (None, chosen):
        told = f"is a mapping of {mapping.format}, and {file} is read as {chosen}"
        raise refused(mapping.file, 0, "format", told)


def _read(
    log: Log,
    chosen: LogFormat,
    mapping: Mapping | None,
    parser: str | None,
    delimiter: str | None,
    session_key: str | None,
) -> Iterator[Recorded]:
    match chosen:
        case "events":
            from choreomon.formats.recorded.own_events import read_own_events

            return read_own_events(log)
        case "detecter":
            from choreomon.formats.recorded.detecter import read_detecter

            return read_detecter(log)
        case "jsonl":
            from choreomon.formats.recorded.json_lines import read_json_lines

            meant = mapping or built_in("json-lines")
            return read_json_lines(log, meant.records("jsonl", session_key))
        case "otlp":
            from choreomon.formats.recorded.otlp import read_otlp

            return read_otlp(log, mapping or built_in("opentelemetry"), session_key)
        case "shiviz" | "tsviz":
            from choreomon.formats.recorded.shiviz import TSVIZ, read_parsed

            if mapping is not None:
                parser = mapping.parser if parser is None else parser
                delimiter = mapping.delimiter if delimiter is None else delimiter
            if parser is None and chosen == "tsviz":
                parser = TSVIZ
            records = None if mapping is None else mapping.records(chosen, session_key)
            return read_parsed(log, parser, delimiter, records, session_key)
