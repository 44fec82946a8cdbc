"""Plain tables are what rich draws: it is the slow and obvious one here."""

from __future__ import annotations

import io
import string

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from choreomon.render.folding_table import folding_table
from choreomon.render.grid import Cell, Grid, plain_lines

TEXTS = st.text(string.ascii_letters + string.digits + string.punctuation + " ", max_size=12).map(
    str.strip
)


@st.composite
def grids(draw: st.DrawFn) -> Grid:
    columns = draw(st.lists(TEXTS.filter(bool), min_size=1, max_size=4, unique=True))
    rows = draw(st.lists(st.lists(TEXTS, min_size=1, max_size=len(columns)).map(tuple), max_size=5))
    return Grid(
        tuple(columns),
        tuple(tuple(map(Cell, row)) for row in rows),
        frozenset(draw(st.sets(st.sampled_from(columns)))),
        draw(st.sampled_from(["", "3 more are not shown"])),
    )


def by_rich(grid: Grid, width: int = 1000) -> list[str]:
    console = Console(file=io.StringIO(), width=width, color_system=None, highlight=False)
    with console.capture() as capture:
        console.print(folding_table(grid))
    return [line.rstrip() for line in capture.get().splitlines()]


@given(grids())
def test_plain_lines_are_those_of_rich(grid: Grid) -> None:
    assert grid.is_plain
    caption = [*filter(None, [grid.caption])]
    assert plain_lines(grid) == by_rich(grid._replace(caption="")) + caption


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
