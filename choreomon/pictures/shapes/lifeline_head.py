"""Draw lifelines, and components, which stand for several: their lines, and heads with names."""

from __future__ import annotations

from typing import Final

from choreomon.pictures.shapes.drawing import (
    INK,
    PAPER,
    THREAD,
    Box,
    Group,
    Point,
    Polyline,
    Text,
    middle_of_line,
    shortened,
    text_width,
)

HEAD: Final = 30.0
"""The height of heads."""


def head_width(name: str, longest: int) -> float:
    """The width of a head; names of more than `longest` characters are shortened."""
    return text_width(shortened(name, longest), bold=True) + 20


def lifeline(x: float, top: float, bottom: float) -> Polyline:
    """The line itself."""
    return Polyline(points=(Point(x, top), Point(x, bottom)), colour=THREAD, width=1.2)


def lifeline_head(name: str, x: float, top: float, *, width: float, longest: int) -> Group:
    """The head, centred at `x`."""
    box = Box(
        at=Point(x - width / 2, top),
        width=width,
        height=HEAD,
        corner=3,
        fill=PAPER,
        colour=INK,
        stroke=1.4,
    )
    words = Text(
        at=Point(x, middle_of_line(top + HEAD / 2)),
        content=shortened(name, longest),
        anchor="middle",
        bold=True,
    )
    return Group(shapes=(box, words), title=f"lifeline {name}")
