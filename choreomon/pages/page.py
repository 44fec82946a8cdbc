"""Build self-contained HTML pages: no scripts, nothing from outside; they read on a phone, at
night and on paper."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final, NamedTuple

from choreomon.pages.report_style import STYLE
from choreomon.pictures.shapes.drawing import Picture, Scrolled
from choreomon.pictures.shapes.svg import svg_element

_LEAST_SCALE: Final = 0.9  # a picture shrinks this far to fit; then it scrolls
_NO_NAME: Final = re.compile(r"[^a-z0-9]+")
_OPTION: Final = re.compile(r"(?<=\s)--?[a-z][a-z-]*")
_NUMBER: Final = re.compile(r"[-–−]?[\d,.]*( ?(ms|s|µs|%))?")


class Section(NamedTuple):
    """A part of a page that its contents list; `anchor` is their target."""

    heading: str
    anchor: str
    html: str


def page(
    title: str, body: Iterable[str | Section], made_with: Sequence[tuple[str, str]] = ()
) -> str:
    """A whole page of these parts, without empty ones: the first one (its `header`), the contents,
    the others, and at the foot names and values that say how it was made."""
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
    """The top of a page: its subject, its result, and a few more sentences."""
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
    """A part of the page that is hidden until opened."""
    return f"<details><summary>{as_html(summary)}</summary>{''.join(parts)}</details>"


def figure(
    picture: Picture, caption: str = "", focus: float | None = None, *, described_by: str = ""
) -> str:
    """A picture. If it is wider than the screen, it scrolls, and first shows its `focus`, the x of
    what matters most; None: its left end. Names at its left edge stay in sight, and its legend
    stands below it. `described_by` is the id of an equivalent text."""
    scrolled = picture.scrolled or Scrolled(drawing=picture.drawing)
    drawing = scrolled.drawing
    width = drawing.width
    least = 0 if scrolled.shrinks else _LEAST_SCALE * width
    size = f"max-width:{width:.0f}px;min-width:{least:.0f}px"
    seen = "" if focus is None else f'<i style="left:{100 * focus / width:.1f}%"></i>'
    words = as_html(" ".join(filter(None, (caption, scrolled.notes))))
    below = _legend(scrolled) + (f"<p>{words}</p>" if words else "")
    below = f"<figcaption>{below}</figcaption>" if below else ""
    return (
        f'<figure style="flex-basis:min(100%,{_LEAST_SCALE * width:.0f}px)">'
        f'<div class="scroll" tabindex="0" role="group" '
        f'aria-label="{as_html(drawing.title)}"><div class="picture" style="{size}">'
        f"{svg_element(drawing, described_by=described_by)}{_names(scrolled)}{seen}</div></div>"
        f"{below}</figure>"
    )


def _names(scrolled: Scrolled) -> str:
    """A copy of the left edge of a picture, in a layer that does not scroll."""
    if scrolled.names is None:
        return ""
    share = 100 * scrolled.names.width / scrolled.drawing.width
    strip = svg_element(scrolled.names)
    return f'<div class="names" aria-hidden="true" style="width:{share:.2f}%">{strip}</div>'


def _legend(scrolled: Scrolled) -> str:
    entries = "".join(
        f'<li><span aria-hidden="true">{svg_element(sign)}</span>{as_html(words)}</li>'
        for sign, words in scrolled.legend
    )
    return f'<ul class="legend" aria-label="Legend">{entries}</ul>' if entries else ""


def facts(named: Sequence[tuple[str, str]], *, numbers: bool = False) -> str:
    """A table of names and values; `numbers` stand at the right."""
    rows = "".join(
        f'<tr><th scope="row">{as_html(name)}</th><td>{_unbroken(value)}</td></tr>'
        for name, value in named
    )
    kind = "facts numbers" if numbers else "facts"
    return wide(f'<table class="{kind}">{rows}</table>', named[0][0] if named else "facts")


def _unbroken(value: str) -> str:
    """The text with options of commands that no line break can cut in two."""
    return _OPTION.sub(r'<span class="option">\g<0></span>', as_html(value))


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, in_sight: bool = False) -> str:
    """A table; columns of numbers are right-aligned. `in_sight`: the first three columns, of short
    words, stay in place when the others scroll."""
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
    kind = ' class="in-sight"' if in_sight else ""
    return wide(
        f"<table{kind}><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>",
        ", ".join(columns),
    )


def wide(inner: str, name: str) -> str:
    """Wrap content that may be wider than the screen: it scrolls by itself, with the keyboard,
    too."""
    label = as_html(f"Table: {name}")
    return f'<div class="wide" tabindex="0" role="region" aria-label="{label}">{inner}</div>'
