"""A piece of a log, split by session: its events are put aside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, cast

from choreomon.audit.numbers import Counted, WholeLog
from choreomon.audit.summary import MOST_DIAGNOSTICS
from choreomon.batch.audits.aside import Aside, Segments
from choreomon.batch.audits.pieces import Piece, PieceStream
from choreomon.batch.audits.question import Reader
from choreomon.core.errors import DocumentError
from choreomon.core.recorded import Diagnostic, RecordedEvent
from choreomon.core.replica_names import NO_NAMES, ReplicaNames
from choreomon.files.unreadable import unreadable


@dataclass
class Split:
    """The result of reading a piece: how many `lines` and events it has, where in `file` they are,
    which numbers they have (`seen`), and what was strange, in all and at first. `refused` says why
    the piece could not be read to its end. `peers`: the replicas of roles at other ends of
    messages."""

    piece: Piece
    file: Path
    seen: WholeLog
    lines: int = 0
    events: int = 0
    segments: Segments = field(default_factory=list)
    strange: Counter[str] = field(default_factory=Counter)
    first: list[Diagnostic] = field(default_factory=list)
    refused: DocumentError | None = None
    peers: set[str] = field(default_factory=set)


def split(
    reader: Reader,
    piece: Piece,
    file: Path,
    parts: int,
    counted: Counted | None = None,
    names: ReplicaNames = NO_NAMES,
) -> Split:
    """Reads the piece, and puts its events aside in `file`. `counted`: how numbers count; `names`:
    those of replicas.

    Raises DocumentError for a log that cannot be read, unless that is only a piece of it.
    """
    found = Split(piece, file, WholeLog(counted))
    aside = Aside(file, parts)
    try:
        if piece.log_format is None:
            _take(reader.read(piece.path), aside, found, names)
        else:
            with _opened(piece) as stream:
                log = reader.read(piece.path, cast(BinaryIO, stream), piece.log_format)
                try:
                    _take(log, aside, found, names)
                except DocumentError as error:
                    found.refused = error
                found.lines = stream.lines
    finally:
        aside.close()
    found.segments = aside.segments
    found.seen.settle()
    return found


@contextmanager
def _opened(piece: Piece) -> Iterator[PieceStream]:
    with ExitStack() as stack:
        try:
            stream = PieceStream(stack.enter_context(open(piece.path, "rb")), piece)
        except (OSError, ValueError) as error:
            raise unreadable(piece.path, error) from None
        yield stream


def _take(
    log: Iterator[RecordedEvent | Diagnostic], aside: Aside, found: Split, names: ReplicaNames
) -> None:
    add, see = aside.add, found.seen.add
    for each in log:
        if isinstance(each, RecordedEvent):
            add(each)
            see(each)
            found.events += 1
            if names and each.peer is not None and names.role_of(each.peer) != each.peer:
                found.peers.add(each.peer)
        else:
            found.strange[each.kind] += 1
            if len(found.first) < MOST_DIAGNOSTICS:
                found.first.append(each)
