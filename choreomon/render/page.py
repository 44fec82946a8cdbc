"""Parts of self-contained HTML pages: no scripts, nothing from outside; they read on a phone, at
night and on paper."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final, NamedTuple

from choreomon.render.drawing import Picture
from choreomon.render.report_style import STYLE
from choreomon.render.svg import svg_element

_LEAST_SCALE: Final = 0.75  # a picture shrinks so far to fit; then it scrolls
_NO_NAME: Final = re.compile(r"[^a-z0-9]+")
_NUMBER: Final = re.compile(r"[-–−]?[\d,.]*( ?(ms|s|µs|%))?")


class Section(NamedTuple):
    """A part of a page that its contents name; `anchor` is what they lead to."""

    heading: str
    anchor: str
    html: str


def page(
    title: str, body: Iterable[str | Section], made_with: Sequence[tuple[str, str]] = ()
) -> str:
    """A whole page of these parts, of which empty ones are left out: the first one (its `header`),
    the contents, the others, and at the foot names and values that say how it was made."""
    parts = [part for part in body if part]
    sections = [part for part in parts if isinstance(part, Section)]
    head, *shown = (part.html if isinstance(part, Section) else part for part in parts)
    foot = f"<footer>{facts(made_with)}</footer>" if made_with else ""
    inner = "\n".join(filter(None, (head, _contents(sections), *shown, foot)))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{as_html(title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{inner}\n</main>\n</body>\n</html>\n"
    )


def _contents(sections: Sequence[Section]) -> str:
    if len(sections) < 2:
        return ""
    links = "".join(
        f'<li><a href="#{each.anchor}">{as_html(each.heading)}</a></li>' for each in sections
    )
    return f'<nav aria-label="Contents"><ul>{links}</ul></nav>'


def as_html(text: str) -> str:
    return escape("".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text))


def header(tone: str, title: str, result: str, sentences: Iterable[str] = ()) -> str:
    """The top of a page: what it is about, what came of it, and a few sentences more."""
    told = "".join(f"<p>{as_html(sentence)}</p>" for sentence in sentences)
    return (
        f'<header class="{tone}"><p>{as_html(title)}</p><h1>{as_html(result)}</h1>{told}</header>'
    )


def section(heading: str, parts: Iterable[str]) -> Section:
    anchor = _NO_NAME.sub("-", heading.lower()).strip("-")
    inner = "\n".join(parts)
    return Section(
        heading,
        anchor,
        f'<section id="{anchor}">\n<h2>{as_html(heading)}</h2>\n{inner}\n</section>',
    )


def folded(summary: str, parts: Iterable[str]) -> str:
    """What is there and not shown until it is asked for."""
    return f"<details><summary>{as_html(summary)}</summary>{''.join(parts)}</details>"


def figure(picture: Picture, caption: str = "", focus: float | None = None) -> str:
    """A picture. Where it is wider than the screen, it scrolls, and is first seen where its
    `focus` is, the x of what matters most; None: at its left end."""
    words = f"<figcaption>{as_html(caption)}</figcaption>" if caption else ""
    width = picture.drawing.width
    size = f"max-width:{width:.0f}px;min-width:{_LEAST_SCALE * width:.0f}px"
    seen = "" if focus is None else f'<i style="left:{100 * focus / width:.1f}%"></i>'
    return (
        f'<figure tabindex="0"><div class="picture" style="{size}">'
        f"{svg_element(picture.drawing)}{seen}</div>{words}</figure>"
    )


def facts(named: Sequence[tuple[str, str]], *, numbers: bool = False) -> str:
    """A table of names and values; `numbers` stand at the right."""
    rows = "".join(
        f'<tr><th scope="row">{as_html(name)}</th><td>{as_html(value)}</td></tr>'
        for name, value in named
    )
    kind = "facts numbers" if numbers else "facts"
    return f'<div class="wide"><table class="{kind}">{rows}</table></div>'


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; columns in which there are only numbers stand at the right."""
    cells = [tuple(row) for row in rows]
    numbers = [
        any(row[place] for row in cells) and all(_NUMBER.fullmatch(row[place]) for row in cells)
        for place in range(len(columns))
    ]
    kinds = [' class="number"' if number else "" for number in numbers]
    head = "".join(
        f'<th scope="col"{kind}>{as_html(column)}</th>'
        for column, kind in zip(columns, kinds, strict=True)
    )
    body = "\n".join(
        "<tr>"
        + "".join(f"<td{kind}>{as_html(cell)}</td>" for cell, kind in zip(row, kinds, strict=True))
        + "</tr>"
        for row in cells
    )
    return (
        f'<div class="wide"><table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody>'
        "</table></div>"
    )
