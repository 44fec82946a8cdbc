"""Write a drawing as SVG: well-formed, self-contained, without scripts or references.

Attributes hold the colours of the light scheme, for every renderer; a style sheet replaces them
where the reader prefers a dark one.
"""

from __future__ import annotations

from typing import Final, assert_never
from xml.sax.saxutils import escape, quoteattr

from choreomon.pictures.shapes.drawing import (
    DARK,
    PAPER,
    Box,
    Circle,
    Curve,
    Drawing,
    Group,
    Point,
    Polygon,
    Polyline,
    Shape,
    Text,
)

FONTS: Final = (
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, "
    "'DejaVu Sans', sans-serif"
)


DARK_STYLE: Final = "\n".join(
    f'svg [{attribute}="{light}"] {{ {attribute}: {dark}; }}'
    for light, dark in DARK.items()
    for attribute in ("fill", "stroke")
)
"""CSS rules for a dark scheme, to stand within its media query."""

_STYLE: Final = (
    f"<style>@media screen and (prefers-color-scheme: dark) {{\n{DARK_STYLE}\n}}</style>"
)


def svg_document(drawing: Drawing) -> str:
    """A whole SVG file, ending in a newline, in the colour scheme that its reader prefers."""
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{svg_element(drawing, style=_STYLE)}\n'


def svg_element(drawing: Drawing, *, style: str = "", described_by: str = "") -> str:
    """The `svg` element alone, as it is put into a page that has `DARK_STYLE`. It uses no ids, so
    that a page may hold many. `described_by` is the id of an equivalent text on the page."""
    width, height = _number(drawing.width), _number(drawing.height)
    body = "\n".join(_shape(shape) for shape in drawing.shapes)
    described = f"aria-describedby={_attribute(described_by)} " if described_by else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label={_attribute(drawing.title)} '
        f"{described}font-family={_attribute(FONTS)}>{style}\n"
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>\n{body}\n</svg>'
    )


def _shape(shape: Shape) -> str:
    match shape:
        case Polyline():
            points = " ".join(map(_pair, shape.points))
            return f'<polyline points="{points}" {_stroke(shape)}/>'
        case Curve():
            start, *rest = map(_pair, shape.points)
            return f'<path d="M {start} C {" ".join(rest)}" {_stroke(shape)}/>'
        case Polygon():
            return f'<polygon points="{" ".join(map(_pair, shape.points))}" fill="{shape.fill}"/>'
        case Circle():
            return (
                f'<circle cx="{_number(shape.centre.x)}" cy="{_number(shape.centre.y)}" '
                f'r="{_number(shape.radius)}" fill="{shape.fill}" stroke="{shape.colour}" '
                f'stroke-width="{_number(shape.width)}"/>'
            )
        case Box():
            outline = (
                f' stroke="{shape.colour}" stroke-width="{_number(shape.stroke)}"'
                if shape.colour
                else ""
            )
            return (
                f'<rect x="{_number(shape.at.x)}" y="{_number(shape.at.y)}" '
                f'width="{_number(shape.width)}" height="{_number(shape.height)}" '
                f'rx="{_number(shape.corner)}" fill="{shape.fill}"{outline}/>'
            )
        case Text():
            return _text(shape)
        case Group():
            title = f"<title>{_content(shape.title)}</title>\n" if shape.title else ""
            inner = "\n".join(_shape(one) for one in shape.shapes)
            return f"<g>{title}{inner}</g>"
        case _:
            assert_never(shape)


def _text(text: Text) -> str:
    weight = ' font-weight="600"' if text.bold else ""
    anchor = f' text-anchor="{text.anchor}"' if text.anchor != "start" else ""
    halo = (
        f' stroke="{PAPER}" stroke-width="4" stroke-linejoin="round" paint-order="stroke"'
        if text.halo
        else ""
    )
    return (
        f'<text x="{_number(text.at.x)}" y="{_number(text.at.y)}" '
        f'font-size="{_number(text.size)}"{anchor}{weight} fill="{text.colour}"{halo}>'
        f"{_content(text.content)}</text>"
    )


def _stroke(line: Polyline | Curve) -> str:
    dashes = ' stroke-dasharray="6 4"' if line.dashed else ""
    return (
        f'fill="none" stroke="{line.colour}" stroke-width="{_number(line.width)}" '
        f'stroke-linecap="round" stroke-linejoin="round"{dashes}'
    )


def _pair(point: Point) -> str:
    return f"{_number(point.x)},{_number(point.y)}"


def _number(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _content(text: str) -> str:
    return escape(_legal(text))


def _attribute(text: str) -> str:
    return quoteattr(_legal(text))


def _legal(text: str) -> str:
    """Replace control characters, most of which XML cannot write, by U+FFFD."""
    return "".join(
        character
        if character in "\t\n\r"
        or "\x20" <= character <= "\ud7ff"
        or "\ue000" <= character <= "\ufffd"
        or character >= "\U00010000"
        else "\ufffd"
        for character in text
    )
