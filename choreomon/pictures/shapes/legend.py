"""Draw a legend: signs with their words, in rows below a picture or one by one for a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

from choreomon.pictures.shapes.drawing import (
    MUTED,
    Drawing,
    Point,
    Shape,
    Text,
    middle_of_line,
    text_width,
)

SIZE: Final = 12.0
ROW: Final = 20.0
_SIGN: Final = 28.0
_BETWEEN: Final = 22.0

Entry: TypeAlias = tuple[Callable[[Point], tuple[Shape, ...]], str]
"""A sign, drawn around a point and at most 28 wide, and what it means."""


class Rows(NamedTuple):
    """The end of the widest row, and the middle of the last one."""

    shapes: tuple[Shape, ...]
    right: float
    bottom: float


def legend_rows(entries: Sequence[Entry], left: float, end: float, y: float) -> Rows:
    """The entries beside each other as far as there is room up to `end`, in rows from `y` down."""
    shapes: list[Shape] = []
    x, right = left, left
    for symbol, words in entries:
        needed = _SIGN + 4 + text_width(words, SIZE)
        if x + needed > end and x > left:
            x, y = left, y + ROW
        shapes += symbol(Point(x + _SIGN / 2, y))
        shapes.append(legend_line(words, x + _SIGN + 4, y))
        right = max(right, x + needed)
        x += needed + _BETWEEN
    return Rows(tuple(shapes), right, y)


def legend_line(words: str, x: float, y: float) -> Text:
    """A line of small text whose middle is at `y`."""
    return Text(at=Point(x, middle_of_line(y, SIZE)), content=words, size=SIZE, colour=MUTED)


def signs(entries: Sequence[Entry]) -> tuple[tuple[Drawing, str], ...]:
    """The signs, each as a picture of its own, with its words."""
    at = Point(_SIGN / 2, 9)
    return tuple(
        (Drawing(width=_SIGN, height=18, shapes=symbol(at), title=words), words)
        for symbol, words in entries
    )
