"""Sessions of files, judged by one process or by several."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final, Literal, Protocol, TypeAlias

from choreomon.batch.collector import collector_at_rest
from choreomon.batch.ray_cluster import ray_workers
from choreomon.batch.sessions.chunk import Chunk, chunk_of
from choreomon.batch.sessions.gathering import divided, joined, put_in_order, stand_together
from choreomon.batch.sessions.judge import Judged, SessionJudge
from choreomon.batch.sessions.question import MAX_ACTIONS, SessionsQuestion
from choreomon.batch.workers import workers
from choreomon.core.errors import DocumentError
from choreomon.hibou.signature import Signature
from choreomon.sessions.blocks import Actions, Alphabet, Lost, Piece
from choreomon.sessions.json_lines import JsonLines
from choreomon.sessions.parquet import Parquet
from choreomon.sessions.source import Fields, is_parquet

Engine: TypeAlias = Literal["local", "ray"]

TOGETHER: Final = 50_000
ALONE: Final = 64
"""Sessions in a chunk: where many are decided together, and where each is alone."""


@dataclass(frozen=True)
class Sessions:
    """Files of sessions, and how they are read.

    - `files`: in this order;
    - `fields`: of JSON lines;
    - `signature`: which lifelines and messages there are; None: any;
    - `most`: actions of a session;
    - `called`: what errors call the only file, where that is not its path;
    - `folder`: where temporary files may be; None: where the system has them.
    """

    files: tuple[str, ...]
    fields: Fields = Fields()  # noqa: RUF009  # a frozen value
    signature: Signature | None = None
    most: int = MAX_ACTIONS
    called: str | None = None
    folder: Path | None = None


class _Reader(Protocol):
    def names(self) -> Iterator[list[str]]: ...

    def pieces(self, alphabet: Alphabet) -> Iterator[Piece]: ...


@dataclass
class Judging:
    """Judges all sessions, one chunk after the other; the order depends on the sessions alone.
    `lost` has what could not be read, as far as it was met. `count` is the number of sessions, None
    if their rows do not stand together.
    """

    question: SessionsQuestion
    sessions: Sessions
    lost: list[str] = field(default_factory=list)
    count: int | None = field(init=False)

    def __post_init__(self) -> None:
        self.count = stand_together(self._names(), self.sessions.folder)

    def judged(self, *, jobs: int = 1, engine: Engine = "local", skip: int = 0) -> Iterator[Judged]:
        """Judge them, without the first ones, by this many processes of this machine, or of a Ray
        cluster (`ray_workers`). The processes end when the iterator is closed.

        Raises WorkerLost where a process was killed, ChoreomonError where there is no ray.
        """
        chunks = self.chunks(skip)
        if engine == "ray":
            with ray_workers(jobs) as cluster:
                yield from cluster.stream(partial(_judged_by, self.question), chunks, 2 * jobs)
        elif jobs == 1:
            with collector_at_rest():
                yield from map(SessionJudge(self.question).judge, chunks)
        else:
            with workers(jobs, _engage, self.question) as pool:
                yield from pool.stream(_judged, chunks, 2 * jobs)

    def chunks(self, skip: int = 0) -> Iterator[Chunk]:
        """Read the sessions, without the first ones."""
        sessions = self.sessions
        alphabet = Alphabet(Actions(sessions.signature))
        gather = partial(put_in_order, folder=sessions.folder) if self.count is None else joined
        blocks = gather(self._pieces(alphabet), sessions.most, self.lost)
        at_once = ALONE if self.question.automaton is None else TOGETHER
        clocked = not self.question.together
        for block in divided(blocks, at_once, skip):
            yield chunk_of(block, alphabet, clocked=clocked)

    def _names(self) -> Iterator[list[str]]:
        for reader in self._readers([]):
            try:
                yield from reader.names()
            except DocumentError:
                continue  # `_pieces` reports it

    def _pieces(self, alphabet: Alphabet) -> Iterator[Piece]:
        unreadable: list[str] = []
        for reader in self._readers(unreadable):
            try:
                yield from reader.pieces(alphabet)
            except DocumentError as error:
                unreadable.append(str(error))
            yield from map(Lost, unreadable)
            unreadable.clear()
        yield from map(Lost, unreadable)

    def _readers(self, unreadable: list[str]) -> Iterator[_Reader]:
        for path in self.sessions.files:
            try:
                reader: _Reader
                if is_parquet(path):
                    reader = Parquet(path)
                else:
                    reader = JsonLines(path, self.sessions.fields, self.sessions.called)
                yield reader
            except DocumentError as error:
                unreadable.append(str(error))


_judges: dict[SessionsQuestion, SessionJudge] = {}
"""The judges of a worker process."""


def _engage(question: SessionsQuestion) -> None:
    _judges.clear()
    _judges[question] = SessionJudge(question)


def _judged(chunk: Chunk) -> Judged:
    (judge,) = _judges.values()
    return judge.judge(chunk)


def _judged_by(question: SessionsQuestion, chunk: Chunk) -> Judged:
    if question not in _judges:
        _engage(question)
    return _judged(chunk)
