"""Parts of self-contained HTML pages: no scripts, nothing from outside; they read on a phone and on
paper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

from choreomon.render.drawing import Picture
from choreomon.render.report_style import STYLE
from choreomon.render.svg import svg_element

_LEAST_SCALE: Final = 0.75  # a picture shrinks so far to fit; then it scrolls


def page(title: str, body: Iterable[str]) -> str:
    """A whole page with these parts, of which empty ones are left out."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{as_html(title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{chr(10).join(part for part in body if part)}\n</main>\n"
        "</body>\n</html>\n"
    )


def as_html(text: str) -> str:
    return escape("".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text))


def section(heading: str, parts: Iterable[str]) -> str:
    return f"<section>\n<h2>{as_html(heading)}</h2>\n{chr(10).join(parts)}\n</section>"


def figure(picture: Picture, caption: str = "") -> str:
    words = f"<figcaption>{as_html(caption)}</figcaption>" if caption else ""
    width = picture.drawing.width
    size = f"max-width:{width:.0f}px;min-width:{_LEAST_SCALE * width:.0f}px"
    return (
        f'<figure tabindex="0"><div class="picture" style="{size}">'
        f"{svg_element(picture.drawing)}</div>{words}</figure>"
    )


def facts(named: Sequence[tuple[str, str]]) -> str:
    rows = "".join(
        f'<tr><th scope="row">{as_html(name)}</th><td>{as_html(value)}</td></tr>'
        for name, value in named
    )
    return f'<div class="wide"><table class="facts">{rows}</table></div>'


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{as_html(column)}</th>' for column in columns)
    body = "\n".join(
        "<tr>" + "".join(f"<td>{as_html(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return (
        f'<div class="wide"><table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody>'
        "</table></div>"
    )
