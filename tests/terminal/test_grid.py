"""Plain tables are what rich draws: it is the slow and obvious one here."""

from __future__ import annotations

import io
import string
from random import Random

from rich.console import Console

from choreomon.terminal.folding_table import folding_table
from choreomon.terminal.grid import Cell, Grid, plain_lines

SIGNS = string.ascii_letters + string.digits + string.punctuation + " "


def drawn(rng: Random) -> Grid:
    def text(least: int) -> str:
        return "".join(rng.choices(SIGNS, k=rng.randint(least, 12))).strip() or "x" * least

    columns = tuple(dict.fromkeys(text(1) for _ in range(rng.randint(1, 4))))
    rows = tuple(
        tuple(Cell(text(0)) for _ in range(rng.randint(1, len(columns))))
        for _ in range(rng.randint(0, 5))
    )
    numbers = frozenset(column for column in columns if rng.random() < 0.3)
    return Grid(columns, rows, numbers, rng.choice(["", "3 more are not shown"]))


def by_rich(grid: Grid, width: int = 1000) -> list[str]:
    console = Console(file=io.StringIO(), width=width, color_system=None, highlight=False)
    with console.capture() as capture:
        console.print(folding_table(grid))
    return [line.rstrip() for line in capture.get().splitlines()]


def test_plain_lines_are_those_of_rich() -> None:
    rng = Random(0)
    for _ in range(300):
        grid = drawn(rng)
        assert grid.is_plain
        caption = [*filter(None, [grid.caption])]
        assert plain_lines(grid) == by_rich(grid._replace(caption="")) + caption


def test_the_law_notices_a_number_that_stands_at_the_left() -> None:
    grid = Grid(("vertices",), ((Cell("1"),),), frozenset(["vertices"]))
    assert plain_lines(grid) == by_rich(grid)
    assert plain_lines(grid._replace(numbers=frozenset())) != by_rich(grid)


def test_what_takes_more_than_a_place_a_sign_is_left_to_rich() -> None:
    for text in ("漢字", "a\tb", "a\nb", "é", "\x1b[2J"):
        assert not Grid(("column",), ((Cell(text),),)).is_plain
        assert not Grid((text,), ()).is_plain


def test_a_terminal_folds_and_colours() -> None:
    grid = Grid(("multi-trace",), ((Cell("a" * 60, "bold red"),),))
    assert len(by_rich(grid, 40)) > len(by_rich(grid)) == len(plain_lines(grid))
    console = Console(
        file=io.StringIO(), width=80, force_terminal=True, color_system="standard", no_color=False
    )
    with console.capture() as capture:
        console.print(folding_table(grid))
    assert "\x1b[1;31m" in capture.get()


def test_names_that_look_like_markup_are_names() -> None:
    assert "[red]" in "".join(by_rich(Grid(("a",), ((Cell("[red]"),),))))
