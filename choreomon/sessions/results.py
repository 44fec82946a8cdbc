"""Results of sessions, as JSON lines or Parquet, in pieces that outlive an interruption.

Pieces are files in a folder beside the final one, named like that with `.partial`. A piece counts
once its note is there, which is written after it. In the end they become one file, and the folder
is gone. With the same folder and the same question, work resumes behind the last piece.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from choreomon.core.errors import DocumentError, Problem
from choreomon.files.whole_file import whole_file, write_whole
from choreomon.sessions.source import is_parquet

NAMED: Final = 10
"""The most names of sessions that do not fit, for people to see."""

PIECE: Final = 10_000
"""The least number of sessions in a piece; the last one may have fewer."""

_QUESTION: Final = "question.json"
_FEW: Final = pa.dictionary(pa.int8(), pa.string())
_SCHEMA: Final = pa.schema(
    {"session": pa.string(), "mode": _FEW, "verdict": _FEW, "reason": pa.string()}
)


class Result(NamedTuple):
    """The result of a session. `verdict` is None if it could not be judged, and `reason` then says
    why."""

    session: str
    verdict: str | None
    reason: str


def result_line(result: Result, mode: str) -> str:
    """A result as one line of ASCII, without a line end (docs/sessions.md, "Results")."""
    session, verdict, reason = result
    said = "null" if verdict is None else f'"{verdict}"'
    return (
        f'{{"session":{json.dumps(session)},"mode":"{mode}","verdict":{said},'
        f'"reason":{json.dumps(reason) if reason else _NOTHING}}}'
    )


_NOTHING: Final = '""'


_MOST_NOTED: Final = 1 << 20
"""The most bytes of a note that are read; this module writes much shorter ones."""


def _noted(path: Path) -> Any:
    with path.open("rb") as stream:
        return json.loads(stream.read(_MOST_NOTED))


class ResultsFile:
    """The file at `path`, Parquet by its name or else JSON lines, for results in one `mode`.

    `question` is a digest of all that results depend on. `done` is how many of them exist already,
    `verdicts` counts these, and `failed` names the first that fail, at most `NAMED` of each piece.
    Raises DocumentError if there are results of another question, or something that is no folder of
    results.
    """

    def __init__(self, path: Path, mode: str, question: str) -> None:
        self.path = path
        self.folder = path.with_name(path.name + ".partial")
        self.done = 0
        self.verdicts: Counter[str | None] = Counter()
        self.failed: list[str] = []
        self._mode = mode
        self._parquet = is_parquet(str(path))
        self._waiting: list[Result] = []
        self._pieces: list[Path] = []
        if self.folder.exists():
            self._go_on(question)
        else:
            self.folder.mkdir()
            asked = json.dumps({"question": question})
            write_whole(self.folder / _QUESTION, asked.encode("ascii"))

    def _go_on(self, question: str) -> None:
        try:
            said = _noted(self.folder / _QUESTION)
            if said["question"] != question:
                self._refuse("holds results of other sessions, or of another question")
            while (note := self._place(self.done).with_suffix(".json")).exists():
                counted = _noted(note)
                self._pieces.append(self._place(self.done))
                self.verdicts.update({each or None: n for each, n in counted["verdicts"].items()})
                self.failed += counted["failed"]
                self.done += int(counted["sessions"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            self._refuse("holds no results that could be gone on with")

    def _refuse(self, told: str) -> None:
        raise DocumentError(
            (Problem(str(self.folder), 0, "", f"{told}: remove it, or write another file"),)
        )

    def _place(self, first: int) -> Path:
        return self.folder / f"{first:012}.piece"

    def add(self, result: Result) -> None:
        """Add the next result."""
        self._waiting.append(result)
        if len(self._waiting) >= PIECE:
            self._write_piece()

    def _write_piece(self) -> None:
        place, results = self._place(self.done), self._waiting
        if self._parquet:
            with whole_file(place) as stream, pq.ParquetWriter(stream, _SCHEMA) as writer:
                writer.write_table(_table(results, self._mode))
        else:
            lines = (result_line(result, self._mode) + "\n" for result in results)
            write_whole(place, "".join(lines).encode("ascii"))
        verdicts = Counter(result.verdict for result in results)
        note = {
            "sessions": len(results),
            "verdicts": {verdict or "": number for verdict, number in verdicts.items()},
            "failed": [result.session for result in results if result.verdict == "Fail"][:NAMED],
        }
        write_whole(place.with_suffix(".json"), json.dumps(note).encode("ascii"))
        self._pieces.append(place)
        self.verdicts += verdicts
        self.done += len(results)
        self._waiting = []

    def finish(self) -> None:
        """Make one file of the results, when all are there."""
        if self._waiting:
            self._write_piece()
        if self._parquet:
            with whole_file(self.path) as stream, pq.ParquetWriter(stream, _SCHEMA) as writer:
                for piece in self._pieces:
                    writer.write_table(pq.read_table(piece, schema=_SCHEMA))
        else:
            with whole_file(self.path) as stream:
                for piece in self._pieces:
                    stream.write(piece.read_bytes())
        shutil.rmtree(self.folder)


def _table(results: list[Result], mode: str) -> Any:
    columns = [
        pa.array([result.session for result in results], pa.string()),
        pa.array([mode] * len(results), pa.string()).dictionary_encode().cast(_FEW),
        pa.array([result.verdict for result in results], pa.string()).dictionary_encode(),
        pa.array([result.reason for result in results], pa.string()),
    ]
    columns[2] = columns[2].cast(_FEW)
    return pa.table(columns, schema=_SCHEMA)
