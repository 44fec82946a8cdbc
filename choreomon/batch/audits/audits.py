"""Audits of all sessions of logs, split and audited by one process or by several. The results
depend on the logs alone, not on the number of processes.
"""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Literal, Protocol, TypeAlias, TypeVar

from choreomon.audit.gaps import told_of_all
from choreomon.audit.numbers import WholeLog
from choreomon.audit.summary import BEFORE, Summary
from choreomon.batch.audits.aside import Share
from choreomon.batch.audits.judging import SessionsJudge
from choreomon.batch.audits.pieces import PIECE, Piece, pieces_of
from choreomon.batch.audits.question import AuditQuestion, Reader
from choreomon.batch.audits.splitting import Split, split
from choreomon.batch.collector import collector_at_rest
from choreomon.batch.workers import workers

PART: Final = 4 << 20
"""Bytes of logs whose sessions are put together in memory, about."""

MOST_PARTS: Final = 1_024

OF_A_PIPE: Final = 256 << 20
"""Bytes that are expected of what has no size."""

Doing: TypeAlias = Literal["reading", "judging"]

Progress: TypeAlias = Callable[[Doing, int, int], None]
"""Hears how much is done of how much: bytes that were read, or events that were judged."""

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")


class _Sharing(Protocol):
    """Do the work of each task, in their order: a `map`."""

    def __call__(
        self, work: Callable[[_Task], _Result], tasks: Iterable[_Task], /
    ) -> Iterator[_Result]: ...


def audits(
    question: AuditQuestion,
    reader: Reader,
    logs: Sequence[str],
    *,
    jobs: int = 1,
    progress: Progress = lambda *_: None,
    piece: int = PIECE,
    part: int = PART,
) -> Summary:
    """Audit the sessions of these logs. Pieces of this many bytes are read by themselves, and
    sessions of about `part` bytes are in memory together in each process.

    Raises DocumentError for logs that cannot be read, WorkerLost where a process was killed.
    """
    pieces = pieces_of(reader, logs, piece)
    size = sum(each.size or OF_A_PIPE for each in pieces)
    parts = min(MOST_PARTS, max(1, ceil(size / part)))
    with TemporaryDirectory(prefix="choreomon-audit-") as name:
        folder = Path(name)
        splitting = partial(_split, reader, folder, parts, question)
        if jobs == 1:
            with collector_at_rest():
                splits = _reading(map(splitting, enumerate(pieces)), reader, size, progress)
            return _judged(question, splits, folder, map, progress)
        with workers(jobs) as pool:
            shared = partial(pool.stream, ahead=4 * jobs)
            found = _in_order(splitting, pieces, shared)
            splits = _reading(found, reader, size, progress)
            return _judged(question, splits, folder, shared, progress)


def _in_order(
    work: Callable[[tuple[int, Piece]], Split],
    pieces: Sequence[Piece],
    shared: _Sharing,
) -> Iterator[Split]:
    """Pieces that others cannot read are read here, before the others."""
    numbered = [*enumerate(pieces)]
    here = {number: work((number, piece)) for number, piece in numbered if piece.here}
    there = shared(work, [each for each in numbered if each[0] not in here])
    for number, _ in numbered:
        yield here[number] if number in here else next(there)


def _split(
    reader: Reader,
    folder: Path,
    parts: int,
    question: AuditQuestion,
    numbered: tuple[int, Piece],
) -> Split:
    number, piece = numbered
    file = folder / f"{number:09}"
    return split(reader, piece, file, parts, question.counted, question.names)


def _reading(splits: Iterable[Split], reader: Reader, size: int, progress: Progress) -> list[Split]:
    found: list[Split] = []
    read_again: set[int] = set()
    done = 0
    for each in splits:
        found.append(each)
        if each.refused is not None and each.piece.log not in read_again:
            read_again.add(each.piece.log)
            # The piece may be strange though the log is not, and only reading all of it shows
            # which line it was.
            for _ in reader.read(each.piece.path):
                pass
        done += each.piece.size or OF_A_PIPE
        progress("reading", done, size)
    return found


def _judged(
    question: AuditQuestion,
    splits: Sequence[Split],
    folder: Path,
    shared: _Sharing,
    progress: Progress,
) -> Summary:
    summary = Summary()
    whole = WholeLog(question.counted)
    shares: dict[int, list[Share]] = {}
    before: dict[int, int] = {}
    for each in splits:
        whole.merge(each.seen)
        lines = before.get(each.piece.log, 0)
        before[each.piece.log] = lines + each.lines
        for strange in each.first:
            line = strange.place.line and strange.place.line + lines
            summary.tell(BEFORE, strange._replace(place=strange.place._replace(line=line)))
        summary.strange.update(each.strange - Counter(one.kind for one in each.first))
        places: dict[int, list[tuple[int, int]]] = {}
        for part, start, size in each.segments:
            places.setdefault(part, []).append((start, size))
        for part, own in places.items():
            share = Share(each.piece.log, each.piece.path, lines, each.file, tuple(own))
            shares.setdefault(part, []).append(share)
    question = question.known(whole.processes, chain(*(each.peers for each in splits)))
    events = sum(each.events for each in splits)
    known = folder / "known"
    missing = whole.found()
    for strange in told_of_all(missing.all()):
        summary.tell(BEFORE, strange)
    known.write_bytes(pickle.dumps((question, missing, frozenset(whole.processes))))
    work = partial(_judge, known)
    for found in shared(work, [tuple(shares[part]) for part in sorted(shares)]):
        summary.merge(found)
        progress("judging", summary.events, events)
    return summary


_judges: dict[Path, SessionsJudge] = {}
"""The judges of this process."""


def _judge(known: Path, shares: tuple[Share, ...]) -> Summary:
    judge = _judges.get(known)
    if judge is None:
        _judges.clear()
        judge = _judges[known] = SessionsJudge(*pickle.loads(known.read_bytes()))
    return judge.judge(shares)
