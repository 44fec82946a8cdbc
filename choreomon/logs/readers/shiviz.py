"""Logs that a regular expression parses: ShiViz', GoVector's and TSViz', and texts of any program.

The expression has the group `event`, and perhaps `host` and `clock`; others are fields, and
`timestamp` is the time. Without `host` all of a log is of the process that it is called after: the
name of its file up to the first dot. A delimiter may stand between several runs; its group `trace`
is their session, and without one they are numbered from 1. A clock may jump: ShiViz refuses it,
here it is a gap that whoever reads the events sees.

An expression may take several lines, and a log may be longer than the memory. The text is looked
at in pieces that overlap: what an expression takes, and what it looks at around it, may be `REACH`
characters long.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Generator, Iterator
from typing import Any, Final

from choreomon.core.errors import DocumentError
from choreomon.core.recorded import NO_FIELDS, Diagnostic, Place, RecordedEvent
from choreomon.core.suggestion import did_you_mean
from choreomon.files.input_files import too_long
from choreomon.logs.mappings.mapping import Recorded
from choreomon.logs.mappings.user_patterns import Hopeless, PatternError, UserPattern, refused
from choreomon.logs.readers.clocks import ClockError, clock_in
from choreomon.logs.readers.lines import Log
from choreomon.logs.readers.reading_options import ReadingOptions

SHIVIZ: Final = r"(?<event>.*)\n(?<host>\S*) (?<clock>{.*})"
"""The order of ShiViz' own default: first what happened, then host and clock."""

GOVECTOR: Final = r"(?<host>\S*) (?<clock>{.*})\n(?<event>.*)"
"""GoVector's order."""

TSVIZ: Final = r"(?<timestamp>\d+) (?<host>\S*) (?<clock>{.*})\n(?<event>.*)"
"""TSViz': GoVector's with a time before it."""

RUNS: Final = r"^=== (?<trace>.*) ===$"
"""The lines between runs in ShiViz' examples."""

GROUPS: Final = ("host", "clock", "event")
_OWN: Final = frozenset((*GROUPS, "timestamp"))

REACH: Final = 1 << 16
PIECE: Final = 1 << 18
"""Characters read at a time."""
_SHOWN: Final = 80
_HEADER: Final = re.compile(r"\(\?P?<(host|clock|event)>")


def is_header(line: str) -> bool:
    """Return whether a line is the expression with which a combined file begins."""
    return {*_HEADER.findall(line)} == {*GROUPS}


def read_parsed(log: Log, options: ReadingOptions) -> Iterator[Recorded]:
    """The events, in the order of the log; without a mapping they are local ones.

    Without a parser, in the options or the mapping, the first line is one, or the first lines show
    the order. Without a delimiter there are no runs, unless the log begins with one by `RUNS`. The
    session key is the group that is the session.

    Raises DocumentError for expressions that are none, lack a group or were stopped, and where the
    log cannot be read.
    """
    return _Parsing(log, options).read()


def order_of(head: str) -> tuple[str, str | None] | None:
    """The expression that fits the first lines of a log, and the delimiter; None for neither."""
    lines = [line.rstrip("\r") for line in head.split("\n")[:60]]
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    runs = RUNS if re.fullmatch(r"=== .* ===", lines[first]) else None
    if runs is not None:
        lines = lines[first + 1 :]
        first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    for number, line in enumerate(lines[first:]):
        if (found := re.match(r"\d+ \S+ ([\"']?)\{.*\".*\}\1", line)) is not None:
            return _quoted(TSVIZ, found[1]), runs
        found = re.match(r"\S+ ([\"']?)\{.*\".*\}\1", line)
        if found is not None and ":" in line:
            return _quoted(SHIVIZ if number else GOVECTOR, found[1]), runs
    return None


def _quoted(parser: str, quote: str) -> str:
    """The expression for clocks within quotes, too, if that is how they are written."""
    return parser.replace("{.*}", f"{quote}{{.*}}{quote}") if quote else parser


def _stem(file: str) -> str:
    """The name of a log's file, without its folder and what comes after the first dot."""
    return re.split(r"[/\\]", file)[-1].partition(".")[0] or "log"


class _Parsing:
    def __init__(self, log: Log, options: ReadingOptions) -> None:
        self._log = log
        self._file = log.file
        self._mapping = options.records
        self._skip = 0
        _, mapping, parser, delimiter, session_key = options
        if mapping is not None:
            parser = mapping.parser if parser is None else parser
            delimiter = mapping.delimiter if delimiter is None else delimiter
        if parser is None and options.format == "tsviz":
            parser = TSVIZ
        if parser is None:
            parser, delimiter = self._found(delimiter)
        self._parser = self._pattern(parser, "the parser")
        try:
            self._parser.require("event")
            for name in ("host", "clock"):  # which may be left out, and not be mistyped
                if did_you_mean(name, self._parser.groups):
                    self._parser.require(name)
        except PatternError as wrong:
            raise refused(self._file, 0, "the parser", str(wrong)) from None
        self._delimiter = None if delimiter is None else self._pattern(delimiter, "the delimiter")
        self._others = tuple(name for name in self._parser.groups if name not in _OWN)
        self._host = None if "host" in self._parser.groups else _stem(self._file)
        self._has_time = "timestamp" in self._parser.groups
        if session_key is not None and session_key not in self._parser.groups:
            have = ", ".join(self._parser.groups)
            told = f"is {session_key!r}, which is no group of the parser: it has {have}"
            raise refused(self._file, 0, "the session key", told)
        self._session_key = session_key
        self._session = ""
        self._sessions: dict[str, int] = {}
        self._line = 1

    def _found(self, delimiter: str | None) -> tuple[str, str | None]:
        """The parser and the delimiter that the log itself shows: the lines with which a combined
        file begins, or its order."""
        head = self._log.head.decode("utf-8", "replace").replace("\r\n", "\n")
        lines = head.split("\n", 3)
        if is_header(lines[0]):
            self._skip = 1
            # ShiViz puts the delimiter there, and nothing after it; others leave an empty line.
            if len(lines) > 2 and lines[1].strip() and ("(?" in lines[1] or not lines[2].strip()):
                self._skip = 2
                delimiter = lines[1].strip() if delimiter is None else delimiter
            return lines[0].strip(), delimiter
        order = order_of(head)
        if order is None:
            raise refused(
                self._file,
                0,
                "",
                'has no lines such as `host {"host": 1}` near its beginning, so that its order '
                "is not known: give its expression by --parser, with the group event, and host "
                "and clock where they are there",
            )
        return order[0], order[1] if delimiter is None else delimiter

    def _pattern(self, text: str, what: str) -> UserPattern:
        try:
            return UserPattern(text)
        except PatternError as wrong:
            raise refused(self._file, 0, what, str(wrong)) from None

    def read(self) -> Iterator[Recorded]:
        text = ""
        skip = self._skip
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        at_end = False
        while not at_end:
            piece = self._log.read(PIECE)
            at_end = len(piece) < PIECE
            text += decoder.decode(piece, at_end)
            if not at_end and text.endswith("\r"):
                held, text = "\r", text[:-1]
            else:
                held = ""
            text = text.replace("\r\n", "\n")
            while skip and "\n" in text:
                text = text.split("\n", 1)[1]
                self._line += 1
                skip -= 1
            if skip and not at_end:
                text += held
                continue
            try:
                end = yield from self._piece("" if skip else text, at_end)
            except Hopeless as error:
                raise refused(self._file, self._line, "", f"from here on {error}") from None
            text = text[end:] + held
            if len(text) - text.rfind("\n") > self._log.max_line:
                line = self._line + text.count("\n")
                raise DocumentError((too_long(self._file, line, self._log.max_line),))
            if len(text) > 2 * self._log.max_line:
                raise DocumentError((too_long(self._file, self._line, self._log.max_line),))

    def _piece(self, text: str, at_end: bool) -> Generator[Recorded, None, int]:
        """Read what is sure of a text; returns how much that was, always up to a line's end."""
        sure = len(text) if at_end else len(text) - REACH
        if sure <= 0:
            return 0
        marks = [] if self._delimiter is None else self._delimiter.matches(text)
        done = 0
        for mark in marks:
            if mark.end() > sure or (mark.end() == mark.start()):
                break
            done = yield from self._run(text, done, mark.start(), mark.start(), final=True)
            yield from self._begin(mark, text, done)
            self._line += text.count("\n", done, mark.end())
            done = mark.end()
        later = next((mark.start() for mark in marks if mark.start() >= done), len(text))
        return (yield from self._run(text, done, later, min(sure, later), final=at_end))

    def _begin(self, mark: Any, text: str, done: int) -> Iterator[Diagnostic]:
        """A new run begins. One without a name, or with that of another one, gets a number."""
        assert self._delimiter is not None
        line = self._line + text.count("\n", done, mark.start())
        number = len(self._sessions) + 1
        names = "trace" in self._delimiter.groups
        label: str = (mark["trace"] or "") if names else str(number)
        if label in self._sessions:
            told = "it has no name, as the one"
            if label:
                told = f"its name {label!r} is that of the run"
            told += f" at line {self._sessions[label]}"
            label = f"{label} ({number})" if label else str(number)
            while label in self._sessions:
                label += "'"
            told = f"a run begins, and {told}: it is called {label}"
            yield Diagnostic("mended", told, Place(self._file, line))
        self._sessions[label] = line
        self._session = label

    def _run(
        self, text: str, start: int, stop: int, sure: int, *, final: bool
    ) -> Generator[Recorded, None, int]:
        """Read the events of a piece of one run; returns where the next begins. What ends after
        `sure` may be only the beginning of more, unless this is the `final` piece."""
        piece = text[start:stop]
        sure -= start
        done = 0
        for match in self._parser.matches(piece):
            if match.end() > sure and not final:
                sure = min(sure, match.start())
                break
            if match.end() == match.start():
                continue
            yield from self._between(piece, done, match.start())
            line = self._line + piece.count("\n", done, match.start())
            yield from self._events(match, Place(self._file, line))
            self._line = line + piece.count("\n", match.start(), match.end())
            done = match.end()
        last = len(piece) if final else piece.rfind("\n", done, max(done, sure)) + 1
        if last > done:
            yield from self._between(piece, done, last)
            self._line += piece.count("\n", done, last)
            done = last
        return start + done

    def _between(self, text: str, start: int, end: int) -> Iterator[Diagnostic]:
        """Lines of which no event has a part."""
        gap = text[start:end]
        if not gap.strip():
            return
        lines = gap.split("\n")
        # Events have a part of the line in which the gap begins, and of that in which it ends.
        first = 0 if start == 0 or text[start - 1] == "\n" else 1
        last = len(lines) if end == len(text) or gap.endswith("\n") else len(lines) - 1
        for number, line in enumerate(lines[first:last], start=first):
            if line.strip():
                shown = line.strip()
                shown = shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 3]}..."
                yield Diagnostic(
                    "not-understood",
                    f"the parser does not match it: {shown}",
                    Place(self._file, self._line + number),
                )

    def _events(self, match: Any, place: Place) -> Iterator[Recorded]:
        groups = match.groupdict()
        session = self._session
        if self._session_key is not None:
            session = groups[self._session_key] or ""
        if self._mapping is not None:
            record = {name: part for name, part in groups.items() if part is not None}
            if self._host is not None:
                record["host"] = self._host
            for made in self._mapping.events(record, place):
                if isinstance(made, RecordedEvent) and not made.session:
                    made = made._replace(session=session)
                yield made
            return
        host = groups["host"] if self._host is None else self._host
        if not host:
            yield Diagnostic("not-understood", "its host is empty: expected a name", place)
            return
        clock = None
        if "clock" in groups:
            try:
                clock = clock_in(groups["clock"] or "", host)
            except ClockError as error:
                yield Diagnostic("not-understood", str(error), place)
                return
        fields = NO_FIELDS
        if self._others:
            fields = {name: groups[name] for name in self._others if groups[name] is not None}
        time = groups["timestamp"] or "" if self._has_time else ""
        event = groups["event"] or ""
        yield RecordedEvent(
            process=host,
            kind="local",
            name=event.strip(),
            place=place,
            clock=clock,
            session=session,
            time=time,
            fields=fields,
        )
