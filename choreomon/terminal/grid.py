"""Tables as values: for a terminal, which folds and colours, and as plain text for everything else.

rich (`choreomon.terminal.folding_table`) takes longer to import than a small file to verify. Files
and pipes get no colours and no folding: `plain_lines` draws the same table without rich.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Cell(NamedTuple):
    """A text, and its style on a terminal, in rich's words."""

    text: str
    style: str = ""


class Grid(NamedTuple):
    """A table: its columns, rows of as many cells or fewer, the columns that hold numbers, and the
    caption below it."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    numbers: frozenset[str] = frozenset()
    caption: str = ""

    @property
    def is_plain(self) -> bool:
        """True if every character takes one place, which is certain for ASCII."""
        texts = [*self.columns, *(cell.text for row in self.rows for cell in row)]
        return all(text.isascii() and text.isprintable() for text in texts)


def plain_lines(grid: Grid) -> list[str]:
    """The table as rich draws it without folding and colours; the grid must be plain."""
    missing = len(grid.columns)
    rows = [[cell.text for cell in row] + [""] * (missing - len(row)) for row in grid.rows]
    widths = [max(map(len, column)) for column in zip(grid.columns, *rows, strict=True)]

    def border(left: str, line: str, between: str, right: str) -> str:
        return f"{left}{between.join(line * (width + 2) for width in widths)}{right}"

    def filled(texts: Iterable[str], side: str) -> str:
        padded = [
            text.rjust(width) if name in grid.numbers else text.ljust(width)
            for name, text, width in zip(grid.columns, texts, widths, strict=True)
        ]
        return f"{side} {f' {side} '.join(padded)} {side}"

    return [
        border("┏", "━", "┳", "┓"),
        filled(grid.columns, "┃"),
        border("┡", "━", "╇", "┩"),
        *(filled(row, "│") for row in rows),
        border("└", "─", "┴", "┘"),
        *([grid.caption] if grid.caption else []),
    ]
