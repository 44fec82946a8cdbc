"""Options about logs in the formats that people have, and the multi-traces in such logs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple, TypeAlias, TypeVar

import click

from choreomon.cli.command_line.options import Decorator, added
from choreomon.logs.formats import FORMATS

if TYPE_CHECKING:
    from choreomon.batch.question import Source
    from choreomon.core.message import Label
    from choreomon.core.recorded import RecordedEvent
    from choreomon.hibou.signature import Signature
    from choreomon.logs.formats import LogFormat
    from choreomon.logs.mappings.mapping import Recorded
    from choreomon.logs.mappings.mapping_document import Mapping
    from choreomon.multitrace.multitrace import MultiTrace
    from choreomon.multitrace.projection import Partition

_Command = TypeVar("_Command", bound=Callable[..., Any])

Named: TypeAlias = "tuple[str, MultiTrace]"

LOG_OPTIONS: Final = ("log_format", "mapping", "parser", "delimiter")
"""Parameters that are about logs alone; `session_key` is one, too, where nothing else has it."""

SESSION_KEY: Final = "--session-key"


def log_options(*, session_key: bool = True) -> Callable[[_Command], _Command]:
    """Options about reading logs. `session_key`: whether to add that option, which some commands
    have for more than logs; it is the parameter `session_key` in any case."""
    options: list[Decorator[Any]] = [
        click.option(
            "--format",
            "log_format",
            type=click.Choice([*FORMATS]),
            help="The format of the logs. Default: recognised in each.",
        ),
        click.option(
            "--mapping",
            type=click.Path(),
            help="What lines or spans mean: a mapping document, .yaml or .json.",
        ),
        click.option(
            "--parser",
            metavar="REGEX",
            help="Of text: an event, with the group event, and perhaps host and clock.",
        ),
        click.option(
            "--delimiter",
            metavar="REGEX",
            help="Of text with clocks: what stands between runs; its group trace is their session, "
            "without it they are numbered.",
        ),
    ]
    if session_key:
        options.append(
            click.option(
                SESSION_KEY,
                metavar="FIELD",
                help="The field that tells sessions apart, such as traceId of spans.",
            )
        )
    return added(*options)


class LogChoices(NamedTuple):
    """Options about logs; the fields are named as the parameters."""

    log_format: LogFormat | None = None
    mapping: str | None = None
    parser: str | None = None
    delimiter: str | None = None
    session_key: str | None = None

    @property
    def given(self) -> bool:
        """True if any option was given."""
        return self != LogChoices()

    def loaded(self) -> LogReading:
        """Ready to read logs. Raises DocumentError for a mapping that is none."""
        if self.mapping is None:
            return LogReading(self)
        from choreomon.logs.mappings.mapping_document import load_mapping

        return LogReading(self, load_mapping(self.mapping))


class LogReading(NamedTuple):
    """Reads logs as the options say."""

    choices: LogChoices
    mapping: Mapping | None = None
    names_kept: bool = False
    parameters: tuple[str, ...] = ()

    def for_labels(self, labels: Iterable[Label]) -> LogReading:
        """The reading for questions about these labels: if one has a name that is not plain, names
        of spans stay unchanged. With a mapping, the mapping decides."""
        from choreomon.core.names import is_plain

        kept = not all(is_plain(name) for label in labels for name in label.message)
        return self._replace(names_kept=kept)

    @property
    def splits(self) -> bool:
        """True if an option or the mapping tells sessions apart; what logs happen to name does not
        count."""
        one = self.choices
        own = self.mapping is not None and self.mapping.splits
        return own or one.session_key is not None or one.delimiter is not None

    def by_lines(self, path: str) -> LogFormat | None:
        """The format of a log in a file whose lines stand for themselves; None for other ones, and
        for compressed ones and wrapped ones, of which no piece can be read alone. Raises
        DocumentError."""
        from choreomon.logs.readers.lines import has_plain_lines

        if not has_plain_lines(path):
            return None
        given = self.choices.log_format or (None if self.mapping is None else self.mapping.format)
        if given is None and self.choices.parser is None:
            given = format_seen(path)
        return given if given is not None and FORMATS[given].divisible else None

    def with_folders(self, paths: Iterable[str]) -> tuple[str, ...]:
        """The paths, and in place of folders the logs below them. Where no option says what logs
        look like, files that begin like none are left out, which is told. Raises DocumentError for
        a folder without logs."""
        from choreomon.core.errors import DocumentError, Problem
        from choreomon.files.folders import is_folder, with_folders

        given = [*paths]
        told_by_option = self.choices._replace(session_key=None).given
        found: list[str] = []
        met: set[str] = set()
        for path, folder in with_folders(given):
            if folder is not None and not told_by_option and _is_no_log(path):
                click.echo(f"{path}: is left out, since it does not begin like a log", err=True)
                continue
            found.append(path)
            met.add(path if folder is None else folder)
        for path in given:
            if path not in met and is_folder(path):
                told = "has no log in it: name files, or say what they are (--format, --mapping)"
                raise DocumentError((Problem(path, 0, "", told),))
        return tuple(found)

    def read(
        self, path: str, stream: BinaryIO | None = None, log_format: LogFormat | None = None
    ) -> Iterator[Recorded]:
        """The events of a log, in a file or in a stream that is called so, of this format if it is
        known. Raises DocumentError, as `read_recorded` does."""
        from choreomon.logs.readers.reading import read_recorded

        one = self.choices
        return read_recorded(
            path if stream is None else stream,
            log_format or one.log_format,
            self.mapping,
            parser=one.parser,
            delimiter=one.delimiter,
            session_key=one.session_key,
            names_kept=self.names_kept,
            parameters=self.parameters,
            file=path,
        )

    def events(self, path: str) -> Iterator[RecordedEvent]:
        """Yield the events of a log, and print at its end what was not understood. Raises
        DocumentError."""
        from choreomon.core.recorded import Diagnostic

        strange: list[Diagnostic] = []
        for each in self.read(path):
            if isinstance(each, Diagnostic):
                strange.append(each)
            else:
                yield each
        tell_strange(path, strange, len(strange))

    def is_log(self, path: str) -> bool:
        """Return whether only the options or its beginning tell that a file is a log: it is no
        multi-trace by its name, nor one of our own event logs, which are read as before.

        Where an option is given, every file is such a log; one that is called .htf only where the
        format is.
        """
        suffix = Path(path).suffix.lower()
        if suffix == ".htf":
            return self.choices.log_format is not None
        if self.choices.given:
            return True
        found = format_seen(path)
        if suffix == ".json":
            return found is not None and FORMATS[found].in_json
        if suffix == ".jsonl":
            return found not in (None, "events")
        return found is not None

    def sources(
        self, paths: list[str], read: set[str], partition: Partition, signature: str | None
    ) -> tuple[list[Source], list[tuple[str, str]]]:
        """The files, and in place of those to be `read` as logs the multi-traces in them; with the
        logs that could not be read, and why. `signature` is the path of one."""
        if not read:
            return [*paths], []
        from choreomon.core.errors import DocumentError
        from choreomon.interaction_files.loading import load_signature

        declared = None if signature is None else load_signature(signature)
        sources: list[Source] = []
        problems: list[tuple[str, str]] = []
        for path in paths:
            if path not in read:
                sources.append(path)
                continue
            try:
                sources += self.multi_traces(path, partition, declared)
            except DocumentError as error:
                problems.append((path, str(error)))
        return sources, problems

    def multi_traces(
        self, path: str, partition: Partition = (), signature: Signature | None = None
    ) -> list[Named]:
        """The multi-traces of a log, each with its name: the path, and the session where there is
        one. What was not understood is told. Raises DocumentError."""
        from choreomon.logs.readers.multi_traces import MultiTracesOfLog

        made = MultiTracesOfLog(path, partition, signature)
        for recorded in self.read(path):
            made.take(recorded)
        tell_strange(path, made.strange, made.strange_count)
        return [
            (f"{path} [{session}]" if session else path, multitrace)
            for session, multitrace in made.multi_traces()
        ]


def tell_strange(path: str, strange: Iterable[Any], count: int) -> None:
    """Print on standard error how many lines of a log were not understood, and the first few."""
    told = [*strange]
    for diagnostic in told[:3]:
        click.echo(f"{diagnostic.place}: not understood: {diagnostic.message}", err=True)
    if count > len(told[:3]):
        click.echo(f"{path}: {count:,} lines or spans were not understood in all", err=True)


def _is_no_log(path: str) -> bool:
    """Return whether a file can be read and does not begin like a log."""
    from choreomon.core.errors import DocumentError
    from choreomon.logs.readers.detection import format_of
    from choreomon.logs.readers.lines import head_of

    try:
        head = head_of(path)
    except DocumentError:
        return False  # whoever reads it says why not
    try:
        format_of(head, path)
    except DocumentError:
        return True
    return False


def format_seen(path: str) -> LogFormat | None:
    """The format that the beginning of a file shows; None for none that is known, and for a file
    that cannot be read, or only once."""
    from choreomon.core.errors import DocumentError
    from choreomon.logs.readers.detection import format_of
    from choreomon.logs.readers.lines import head_of

    try:
        if not Path(path).is_file():
            return None
        return format_of(head_of(path), path)
    except (OSError, ValueError, DocumentError):
        return None
