"""Shapes on a canvas: a picture before it is written as SVG or PNG.

Units are CSS pixels; x grows to the right, y downwards. Shapes are painted in their
order. There are no fonts here, so widths of text are estimates, made for a wide sans
serif: real text is as wide or narrower, and what does not overlap here does not overlap
on the screen.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, NamedTuple, TypeAlias

Anchor: TypeAlias = Literal["start", "middle", "end"]

INK: Final = "#17212b"
MUTED: Final = "#5a6673"
FAINT: Final = "#7a8694"
"""Colour of marks in the background that still mean something: contrast 3.7 to 1 on paper."""
THREAD: Final = "#9aa5b1"
"""Colour of the lines of processes, which carry marks and say nothing by themselves."""
RULE: Final = "#d9dfe5"
BAND: Final = "#eef2f6"
PAPER: Final = "#ffffff"
FORWARD: Final = "#1d3f72"
CANCELS: Final = "#0b6e63"
VIOLATED: Final = "#b3151b"
POSSIBLY: Final = "#a45200"
QUIET: Final = "#2f6b3a"
VIOLET: Final = "#6a3d9a"

DARK: Final = {
    INK: "#e3e8ed",
    MUTED: "#a3afba",
    FAINT: "#7f8b98",
    THREAD: "#5f6b78",
    RULE: "#3a4149",
    BAND: "#242a31",
    PAPER: "#171717",
    FORWARD: "#9fc1f5",
    CANCELS: "#5cc8b8",
    VIOLATED: "#ff8a85",
    POSSIBLY: "#f0b45c",
    QUIET: "#86cf95",
    VIOLET: "#c6a4f0",
}
"""The dark scheme: the counterpart of each colour. Drawings use no other colours."""

TEXT_SIZE: Final = 13.0


class Point(NamedTuple):
    x: float
    y: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Polyline:
    """Straight pieces through `points`."""

    points: tuple[Point, ...]
    colour: str = INK
    width: float = 1.5
    dashed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Cubic pieces one after the other: a start, then three points for each piece (two
    controls and an end), so `len(points) % 3 == 1`."""

    points: tuple[Point, ...]
    colour: str = INK
    width: float = 1.5
    dashed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Polygon:
    """A closed, filled outline."""

    points: tuple[Point, ...]
    fill: str = INK


@dataclass(frozen=True, slots=True, kw_only=True)
class Circle:
    centre: Point
    radius: float
    fill: str = PAPER
    colour: str = INK
    width: float = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A rectangle with corners rounded by `corner`; `at` is its upper left corner. `colour` is
    `None` if there is no outline, and `stroke` its width."""

    at: Point
    width: float
    height: float
    corner: float = 0.0
    fill: str = PAPER
    colour: str | None = None
    stroke: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A line of text; `at` lies on the baseline. `halo` paints a rim of paper around the letters,
    for text that lines may pass behind."""

    at: Point
    content: str
    size: float = TEXT_SIZE
    anchor: Anchor = "start"
    bold: bool = False
    colour: str = INK
    halo: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Shapes that belong together; `title` is shown where the pointer rests on them."""

    shapes: tuple[Shape, ...]
    title: str = ""


Shape: TypeAlias = Polyline | Curve | Polygon | Circle | Box | Text | Group


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """A canvas and what is on it. `title` says in words what the picture shows."""

    width: float
    height: float
    shapes: tuple[Shape, ...]
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scrolled:
    """A picture for a page that may scroll it sideways: `drawing` has no legend, and `names`, its
    left edge, stays in sight. The page writes the signs of the `legend` with their words, and the
    `notes`, below it. A picture that `shrinks` is made smaller rather than scrolled."""

    drawing: Drawing
    names: Drawing | None = None
    legend: tuple[tuple[Drawing, str], ...] = ()
    notes: str = ""
    shrinks: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A drawing, and its content as JSON-able data. `scrolled` is the version for pages; without
    it, pages show the `drawing`."""

    drawing: Drawing
    structure: dict[str, Any]
    scrolled: Scrolled | None = None


_NARROW: Final = frozenset("iljI.,:;'|!()[]{}/\\ ftr-")
_WIDE: Final = frozenset("mwMW@%→←—")


def text_width(content: str, size: float = TEXT_SIZE, *, bold: bool = False) -> float:
    """Estimate how wide `content` is; rather too wide than too narrow."""
    ems = 0.0
    for character in content:
        if character in _NARROW:
            ems += 0.42
        elif character in _WIDE:
            ems += 1.0
        elif unicodedata.east_asian_width(character) in "WF":
            ems += 1.05
        elif character.isupper() or character in "+=<>#~&_":
            ems += 0.79
        else:
            ems += 0.645
    return ems * size * (1.12 if bold else 1.0)


def shortened(content: str, limit: int) -> str:
    """Shorten to at most `limit` characters, with an ellipsis for the middle."""
    if len(content) <= limit:
        return content
    head = (limit - 1 + 1) // 2
    tail = limit - 1 - head
    return content[:head] + "…" + (content[-tail:] if tail else "")


_PIECE: Final = re.compile(r"[^ ,.(]*[ ,.(]+|[^ ,.(]+")


def folded(content: str, limit: int, most: int) -> list[str]:
    """`content` in at most `most` lines of at most `limit` characters, broken behind a space, a
    comma, a dot or an opening parenthesis if there is one; an ellipsis at the end of the last line
    stands for the rest."""
    lines = [""]
    for found in _PIECE.finditer(content):
        piece = found[0]
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > limit:
            lines.append("")
        while len(piece.rstrip()) > limit:
            lines[-1:] = [piece[:limit], ""]
            piece = piece[limit:]
        lines[-1] += piece
    lines = [line.rstrip() for line in lines]
    if len(lines) > most:
        return [*lines[: most - 1], lines[most - 1][: limit - 1] + "…"]
    return lines


def middle_of_line(y: float, size: float = TEXT_SIZE) -> float:
    """The baseline for text whose lower-case and upper-case letters centre on `y`."""
    return y + 0.35 * size


def arrowhead(tip: Point, towards: float, colour: str, size: float = 9.0) -> Polygon:
    """A filled arrowhead at `tip` of an arrow that points in the direction `towards` (radians, 0 to
    the right, growing clockwise on the screen)."""
    left, right = (towards + math.pi + turn for turn in (-0.38, 0.38))
    return Polygon(
        points=(
            tip,
            Point(tip.x + size * math.cos(left), tip.y + size * math.sin(left)),
            Point(tip.x + size * math.cos(right), tip.y + size * math.sin(right)),
        ),
        fill=colour,
    )


def direction(start: Point, end: Point) -> float:
    """The angle of the way from `start` to `end`, as in `arrowhead`."""
    return math.atan2(end.y - start.y, end.x - start.x)


def moved(shape: Shape, right: float, down: float) -> Shape:
    """The shape elsewhere."""

    def to(point: Point) -> Point:
        return Point(point.x + right, point.y + down)

    match shape:
        case Group():
            return replace(shape, shapes=tuple(moved(one, right, down) for one in shape.shapes))
        case Circle():
            return replace(shape, centre=to(shape.centre))
        case Box() | Text():
            return replace(shape, at=to(shape.at))
        case _:
            return replace(shape, points=tuple(map(to, shape.points)))


def flattened(shapes: Iterable[Shape]) -> Iterable[Shape]:
    """Yields all shapes that are no groups, in painting order."""
    for shape in shapes:
        if isinstance(shape, Group):
            yield from flattened(shape.shapes)
        else:
            yield shape
