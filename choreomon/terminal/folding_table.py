"""Tables for a terminal: coloured, and folded if it is narrow."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from choreomon.terminal.grid import Grid


def folding_table(grid: Grid) -> Table:
    """The table, for rich to print."""
    table = Table(title_justify="left", caption_justify="left")
    # Text, not strings: a name like "[red]" is a name, and no markup.
    for column in grid.columns:
        if column in grid.numbers:
            table.add_column(Text(column), justify="right")
        else:
            table.add_column(Text(column), overflow="fold")
    for row in grid.rows:
        table.add_row(*(Text(cell.text, cell.style) for cell in row))
    if grid.caption:
        table.caption = Text(grid.caption)
    return table
