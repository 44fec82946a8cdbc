"""Sessions as Parquet: an action per row, or a log of a session per row.

Columns `session` (text, or whole numbers) and `action` (text, best dictionary-encoded), or
`session` and `actions` (lists of text); `clock` (as `session`) may be there, other columns are not
read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from choreomon.core.errors import DocumentError, Problem
from choreomon.files.unreadable import unreadable
from choreomon.sessions.blocks import (
    NO_CLOCK,
    Alphabet,
    Block,
    Clocks,
    Lengths,
    Lost,
    Piece,
)

ROWS: Final = 1 << 17
"""Rows of actions read at a time."""

SESSIONS: Final = 1 << 12
"""Rows of lists read at a time."""


class Parquet:
    """A Parquet file. Raises DocumentError for a file of another kind, one that is cut off, or one
    without these columns."""

    def __init__(self, path: str) -> None:
        self._path = path
        try:
            self._schema: Any = pq.read_schema(path)
        except FileNotFoundError as error:
            raise unreadable(path, error) from None
        except (pa.ArrowException, OSError) as error:
            told = f"is no Parquet file, or a part of it is missing: {_first_line(error)}"
            raise DocumentError((Problem(path, 0, "", told),)) from None
        columns = set(self._schema.names)
        for name in ("session", "action", "actions", "clock"):
            if self._schema.names.count(name) > 1:
                self._refuse(name, "is the name of several columns: keep one of them")
        if "session" not in columns:
            self._refuse("", f"has no column `session`; it has {_names(self._schema)}")
        self._whole = "actions" in columns
        if self._whole is ("action" in columns):
            told = "both of the columns" if self._whole else "neither of the columns"
            self._refuse("", f"has {told} `action` and `actions`: expected one of the two")
        self._clocked = "clock" in columns and not pa.types.is_null(self._type("clock"))
        self._check("session", _is_name, "text or whole numbers")
        if self._clocked:
            self._check("clock", _is_name, "text or whole numbers")
        if self._whole:
            self._check("actions", _is_list, "lists of text")
        else:
            self._check("action", _is_text, "text")

    def names(self) -> Iterator[list[str]]:
        """The sessions of runs, in order, many at a time. A run may be given as several."""
        try:
            for batch in self._batches(["session"], ROWS):
                session = batch.column(0).drop_null()
                names, _ = _runs(session)
                yield names
        except (pa.ArrowException, OSError):
            return  # `pieces` says what is wrong

    def pieces(self, alphabet: Alphabet) -> Iterator[Piece]:
        """Read the file, in order."""
        columns = ["session", "actions" if self._whole else "action"]
        columns += ["clock"] if self._clocked else []
        row = 0
        try:
            for batch in self._batches(columns, SESSIONS if self._whole else ROWS):
                yield from self._pieces(batch, row, alphabet)
                row += batch.num_rows
        except (pa.ArrowException, OSError) as error:
            told = f"cannot be read any further: {_first_line(error)}"
            yield Lost(f"{self._path}: row {row + 1:,}: {told}")

    def _batches(self, columns: list[str], rows: int) -> Iterator[Any]:
        encoded = [name for name in ("action", "clock") if name in columns]
        encoded = [name for name in encoded if not pa.types.is_integer(self._type(name))]
        with pq.ParquetFile(self._path, read_dictionary=encoded, pre_buffer=False) as file:
            yield from file.iter_batches(rows, columns=columns, use_threads=False)

    def _pieces(self, batch: Any, row: int, alphabet: Alphabet) -> Iterator[Piece]:
        """The pieces of a batch that begins after `row` rows."""
        begin = 0
        unnamed = np.flatnonzero(batch.column("session").is_null()) if _has_null(batch) else ()
        for place in (*map(int, unnamed), batch.num_rows):
            if place > begin:
                yield self._block(batch.slice(begin, place - begin), row + begin, alphabet)
            if place < batch.num_rows:
                yield Lost(f"{self._path}: row {row + place + 1:,}: session: is empty: name one")
            begin = place + 1

    def _block(self, batch: Any, row: int, alphabet: Alphabet) -> Block:
        names, ends = _runs(batch.column("session"), alone=self._whole)
        lists = batch.column("actions") if self._whole else None
        if lists is None:
            texts = batch.column("action")
            lengths = np.diff(ends, prepend=0)
            rows = np.arange(batch.num_rows)
        else:
            texts = lists.flatten()
            held = pc.fill_null(pc.list_value_length(lists), 0)
            lengths = held.to_numpy(zero_copy_only=False).astype(np.int64)
            rows = np.repeat(np.arange(batch.num_rows), lengths)
        actions = _numbers(texts, alphabet.actions.number).astype(np.int32)
        clocks: Clocks | None = None
        if self._clocked:
            clocks = _numbers(batch.column("clock"), alphabet.clocks.number)[rows]
        problems: dict[int, str] = {}

        def add(at: Any, told: str) -> None:
            run = int(np.searchsorted(ends, at, side="right"))
            place = f"{self._path}: row {row + int(at) + 1:,}: session {names[run]!r}"
            problems.setdefault(run, f"{place}: {told}")

        wrong = alphabet.actions.wrong[actions] & (actions >= 0)
        for at in np.flatnonzero(wrong | (actions < 0)):
            number = int(actions[at])
            field = "actions" if self._whole else "action"
            add(rows[at], f"{field}: {alphabet.actions.problem(number)}" if number >= 0 else _EMPTY)
        if lists is not None and lists.null_count:
            for at in np.flatnonzero(lists.is_null()):
                add(at, "actions: is empty: expected a list")
        actions[actions < 0] = 0
        return Block(names, lengths, actions, clocks, problems)

    def _type(self, column: str) -> Any:
        return self._schema.field(column).type

    def _check(self, column: str, fits: Any, expected: str) -> None:
        if not fits(self._type(column)):
            self._refuse(column, f"is of type {self._type(column)}: expected {expected}")

    def _refuse(self, field: str, told: str) -> NoReturn:
        raise DocumentError((Problem(self._path, 0, field, told),))


_EMPTY: Final = "action: is empty: expected one such as `lifeline!message`"


def _runs(session: Any, *, alone: bool = False) -> tuple[list[str], Lengths]:
    """The value of each run of a column, and the run's end; `alone`: each row is a run."""
    if pa.types.is_dictionary(session.type):
        session = session.dictionary_decode()
    if alone:
        ends = np.arange(1, len(session) + 1)
    else:
        if pa.types.is_string_view(session.type):  # an empty column has no runs
            session = pc.cast(session, pa.string())
        encoded = pc.run_end_encode(session)
        ends = encoded.run_ends.to_numpy().astype(np.int64)
        session = encoded.values
    return pc.cast(session, pa.string()).to_pylist(), ends


def _numbers(column: Any, number: Any) -> Clocks:
    """The number of each text; -1 for none."""
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    texts = pc.cast(encoded.dictionary, pa.string()).to_pylist()
    table = np.array([NO_CLOCK if text is None else number(text) for text in texts], np.int64)
    places = pc.fill_null(encoded.indices, len(texts)).to_numpy(zero_copy_only=False)
    numbers: Clocks = np.append(table, np.int64(NO_CLOCK))[places]
    return numbers


def _has_null(batch: Any) -> bool:
    return bool(batch.column("session").null_count)


_TEXTS: Final = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)


def _is_text(kind: Any) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return any(is_a(kind) for is_a in _TEXTS)


def _is_name(kind: Any) -> bool:
    return _is_text(kind) or bool(pa.types.is_integer(kind))


def _is_list(kind: Any) -> bool:
    listed = pa.types.is_list(kind) or pa.types.is_large_list(kind)
    return bool(listed) and _is_text(kind.value_type)


def _names(schema: Any) -> str:
    return ", ".join(f"`{name}`" for name in schema.names)


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]
