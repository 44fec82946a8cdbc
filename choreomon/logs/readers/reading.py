"""Readers of logs: events of any format, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

from choreomon.core.errors import DocumentError, Problem
from choreomon.core.recorded import Diagnostic, RecordedEvent
from choreomon.files.input_files import PathLike
from choreomon.logs.formats import FORMATS, LogFormat, Option
from choreomon.logs.readers.clocks import MendedClock
from choreomon.logs.readers.detection import format_of
from choreomon.logs.readers.lines import Log, opened
from choreomon.logs.readers.reading_options import ReadingOptions

# Mappings take long to import, and most formats need none.
if TYPE_CHECKING:
    from choreomon.logs.mappings.mapping_document import Mapping

Recorded: TypeAlias = RecordedEvent | Diagnostic
Reader: TypeAlias = Callable[[Log, ReadingOptions], Iterator[Recorded]]


def read_recorded(
    source: PathLike | BinaryIO,
    format: LogFormat | None = None,
    mapping: Mapping | None = None,
    *,
    parser: str | None = None,
    delimiter: str | None = None,
    session_key: str | None = None,
    names_kept: bool = False,
    parameters: Sequence[str] = (),
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
    - `names_kept`: names stay what they are where the built-in mapping makes plain ones of them.
    - `parameters`: those of a property, which a built-in mapping may find in fields of these names
      (`choreomon.logs.formats.Format`). A mapping that is given says itself where they are.
    - `file`: what errors and places call the log.
    - `max_line`: bytes of the longest line that is read; None: as of all files
      (`choreomon.files.input_files`).

    A line that is not understood is a diagnostic, and reading goes on. What is not checked here:
    whether messages are sent and received once (`choreomon.core.pairing`), and what clocks say.

    Raises DocumentError: for a log that cannot be read, is empty or has too long a line; for one
    whose format is not known; for options that do not fit the format; for expressions that are
    none or were stopped; and at the end of a log of which nothing at all was understood.
    """
    with opened(source, file, max_line) as log:
        if log.empty:
            raise _refused(log.file, "", "is empty: expected events")
        given = format or (None if mapping is None else mapping.format)
        if given is None and parser is not None:
            given = "shiviz"
        chosen: LogFormat = format_of(log.head, log.file) if given is None else given
        options = ReadingOptions(chosen, mapping, parser, delimiter, session_key)
        _check(log, options)
        events = 0
        first: Diagnostic | None = None
        for each in _read(log, options, names_kept, parameters):
            if isinstance(each, Diagnostic):
                first = first or each
            else:
                events += 1
                if type(each.clock) is MendedClock:
                    yield each._replace(clock=dict(each.clock))
                    yield Diagnostic("mended", each.clock.note, each.place)
                    continue
            yield each
        if first is not None and not events:
            raise _understood_nothing(log.file, chosen, first)


def _check(log: Log, options: ReadingOptions) -> None:
    """Refuses what does nothing with a format."""
    format, mapping, parser, delimiter, session_key = options
    if format not in FORMATS:
        raise _refused(log.file, "", f"{format!r} is no format: there are {', '.join(FORMATS)}")
    given: dict[Option, object] = {
        "mapping": mapping,
        "parser": parser,
        "delimiter": delimiter,
        "session key": session_key,
    }
    for option, value in given.items():
        if value is not None and option not in FORMATS[format].fits:
            raise _refused(log.file, "", f"is read as {format}, which has no use for a {option}")
    if mapping is not None and mapping.format not in (None, format):
        told = f"is a mapping of {mapping.format}, and {log.file} is read as {format}"
        raise _refused(mapping.file, "format", told)


def _read(
    log: Log, options: ReadingOptions, names_kept: bool, parameters: Sequence[str]
) -> Iterator[Recorded]:
    found = FORMATS[options.format]
    if options.mapping is None and found.mapping is not None:
        from choreomon.logs.mappings.mapping_document import built_in

        mapping = built_in(found.mapping)
        if parameters and found.has_fields:
            mapping = mapping.with_parameters(parameters)
        options = options._replace(mapping=mapping)
    if names_kept and options.mapping is not None:
        options = options._replace(mapping=options.mapping.with_names_kept())
    module, name = found.reader.split(":")
    reader: Reader = getattr(import_module(f"choreomon.logs.readers.{module}"), name)
    return reader(log, options)


def _understood_nothing(file: str, format: LogFormat, first: Diagnostic) -> DocumentError:
    told = (
        f"nothing in it was understood as {format}; at first: {first.message}: say another format "
        f"by --format, or what its lines mean by --mapping (choreomon look {file} -o mapping.yaml "
        "drafts one)"
    )
    return DocumentError((Problem(file, first.place.line, "", told),))


def _refused(file: str, field: str, message: str) -> DocumentError:
    return DocumentError((Problem(file, 0, field, message),))
