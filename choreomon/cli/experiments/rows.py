"""The rows of an experiment in a CSV file, which is also how far it has come: a run that is
interrupted goes on where it stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from choreomon.cli.command_line.writing import check_writable

if TYPE_CHECKING:
    from choreomon.experiments.monitoring.cells import Cell, Row


class RowFile:
    """The file with the rows of `cells`, in their order, as far as they are measured.

    Raises `ClickException` for a file that is of other cells, that another version wrote, or that
    cannot be read or written. It is written only by `extended`.
    """

    def __init__(self, path: Path, cells: Sequence[Cell]) -> None:
        self._path = path
        self._cells = cells
        check_writable(path)
        self._rows = self._read()

    def extended(self, results: Callable[[Sequence[Cell]], Iterator[Row]]) -> Iterator[Row]:
        """Yields all rows in order: those of the file, then `results` of the cells that have none
        yet, each written to the file before it is handed on."""
        from choreomon.experiments.monitoring.records import HEADER, line
        from choreomon.files.whole_file import named

        yield from self._rows
        left = self._cells[len(self._rows) :]
        if not left:
            return
        known = "".join(f"{each}\n" for each in (HEADER, *map(line, self._rows)))
        with named(self._path), self._path.open("ab") as file:
            if not self._rows:
                file.truncate(0)
                file.write(known.encode("ascii"))
            else:
                file.truncate(len(known))  # a row that is cut off
        for row in results(left):
            with named(self._path), self._path.open("ab") as file:
                file.write(f"{line(row)}\n".encode("ascii"))
            yield row

    def _read(self) -> list[Row]:
        from choreomon.experiments.monitoring.records import HEADER, row_of
        from choreomon.files.input_files import whole

        if not self._path.exists():
            return []
        try:
            text = whole(self._path).decode("ascii")
        except ValueError as error:
            raise click.ClickException(f"{self._path}: cannot be read: {error}") from None
        complete, _, _ = text.rpartition("\n")
        lines = complete.split("\n") if complete else []
        if lines and lines[0] != HEADER:
            raise self._refused(1, "has other columns than this version writes")
        rows: list[Row] = []
        for number, each in enumerate(lines[1:], start=2):
            if number - 2 >= len(self._cells):
                raise self._refused(number, "is of a larger grid")
            try:
                row = row_of(each)
            except ValueError as error:
                raise self._refused(number, f"is no row: {error}") from None
            if row.cell != self._cells[number - 2]:
                raise self._refused(number, _difference(row.cell, self._cells[number - 2]))
            rows.append(row)
        return self._checked(rows)

    def _checked(self, rows: list[Row]) -> list[Row]:
        """Check the rows by measuring the last one again."""
        from choreomon.experiments.monitoring.cells import measured

        if rows and measured(rows[-1].cell) != rows[-1]:
            told = "comes out differently now: another version of choreomon wrote it"
            raise self._refused(len(rows) + 1, told)
        return rows

    def _refused(self, number: int, what: str) -> click.ClickException:
        return click.ClickException(
            f"{self._path}:{number}: {what}: take another folder, or remove this file"
        )


def _difference(found: Cell, asked: Cell) -> str:
    from choreomon.experiments.monitoring.records import PARAMETERS

    name = next(each for each in PARAMETERS if getattr(found, each) != getattr(asked, each))
    return (
        f"is of another grid or seed, with {name} {getattr(found, name)} where "
        f"{getattr(asked, name)} is asked for"
    )


def measured_rows(
    path: Path | None,
    cells: Sequence[Cell],
    results: Callable[[Sequence[Cell]], Iterator[Row]],
) -> Iterator[Row]:
    """The rows of all cells, in order; where there is a `path`, by way of its file."""
    return results(cells) if path is None else RowFile(path, cells).extended(results)
