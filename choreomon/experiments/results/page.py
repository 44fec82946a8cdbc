"""Build the page about experiments: what a paper claims beside what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from choreomon.pages.page import (
    Section,
    as_html,
    figure,
    folded,
    header,
    page,
    section,
    table,
    wide,
)
from choreomon.pictures.shapes.drawing import Picture
from choreomon.sentences.wording import counted

_TONES: Final = ("quiet", "possibly", "violated")


class Compared(NamedTuple):
    """A claim, what was measured, how far the two agree, in words and as 0 (they do), 1 (partly) or
    2 (they do not), and why not."""

    claim: str
    measured: str
    agreement: str
    degree: int
    because: Sequence[str]


class Tabulated(NamedTuple):
    """A table with its title; a long one can be folded away. With `first`, only these columns are
    shown until the reader opens all; the first three then stay in sight."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    folded: bool
    first: Sequence[str] = ()


class Part(NamedTuple):
    """The part of the page on one experiment; `notes` are sentences under headings."""

    title: str
    claims: Sequence[Compared]
    notes: Sequence[tuple[str, Sequence[str]]]
    pictures: Sequence[tuple[Picture, str]]
    tables: Sequence[Tabulated]


def experiment_page(
    title: str, parts: Sequence[Part], made_with: Sequence[tuple[str, str]], notes: Sequence[str]
) -> str:
    """A whole HTML page; pictures come with their captions. `made_with` are names and values that
    say how to reproduce it, `notes` say what the columns of tables mean."""
    claims = [claim for part in parts for claim in part.claims]
    degree = max((claim.degree for claim in claims), default=0)
    heading = _answer(parts, claims)
    told = [f"Not as the paper says: {claim.claim}" for claim in claims if claim.degree == 2]
    body: list[str | Section] = [
        header(_TONES[degree], title, heading, told),
        section("Claims", [_claims(parts)]) if claims else "",
        *(section(part.title, _part(part)) for part in parts),
        section("What the columns mean", [f"<p>{as_html(note)}</p>" for note in notes]),
    ]
    return page(f"{heading} {title}", body, made_with)


def _answer(parts: Sequence[Part], claims: Sequence[Compared]) -> str:
    """The answer: how many claims hold, and where to find those that do not."""
    holds = sum(claim.degree == 0 for claim in claims)
    told = f"{holds:,} of {counted(len(claims), 'claim')} of the paper hold"
    for degree, words in ((1, "in part"), (2, "not")):
        found = [
            (part.title, number)
            for part in parts
            for number in [sum(claim.degree == degree for claim in part.claims)]
            if number
        ]
        if found:
            where = ", ".join(title for title, _ in found)
            many = sum(number for _, number in found)
            told += f"; {many:,} {'does' if many == 1 else 'do'} {words}: {where}"
    return f"{told}."


def _claims(parts: Sequence[Part]) -> str:
    """The table of claims, those that do not hold first, with where to read on."""
    every = [(part, claim) for part in parts for claim in part.claims]
    every.sort(key=lambda one: -one[1].degree)
    signs = ("✓ holds", "~ in part", "✗ does not hold")
    rows = "".join(
        f"<tr><td>{as_html(claim.claim)}</td><td>{as_html(claim.measured)}</td>"
        f'<td class="{_TONES[claim.degree]}">{signs[claim.degree]}</td>'
        f'<td><a href="#{section(part.title, ()).anchor}">{as_html(part.title)}</a></td></tr>'
        for part, claim in every
    )
    head = "".join(
        f'<th scope="col">{name}</th>' for name in ("claim", "measured", "holds", "where")
    )
    table_of = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return wide(table_of, "claims of the paper")


def _part(part: Part) -> list[str]:
    found = [_claim(claim) for claim in part.claims]
    pictures = "".join(figure(picture, caption) for picture, caption in part.pictures)
    found.append(f'<div class="plots">{pictures}</div>')
    for heading, sentences in part.notes:
        items = "".join(f"<li>{as_html(sentence)}</li>" for sentence in sentences)
        found.append(f"<h3>{as_html(heading)}</h3><ul>{items}</ul>")
    return found + [_table(each) for each in part.tables]


def _claim(claim: Compared) -> str:
    because = "".join(f"<li>{as_html(reason)}</li>" for reason in claim.because)
    return (
        f'<article><h3>{as_html(claim.claim)}</h3><p class="{_TONES[claim.degree]}"><strong>'
        f"{as_html(claim.agreement.capitalize())}.</strong></p>"
        f"<p>{as_html(claim.measured)}</p>{f'<ul>{because}</ul>' if because else ''}</article>"
    )


def _table(each: Tabulated) -> str:
    whole = table(each.head, each.rows, in_sight=bool(each.first))
    if each.folded:
        return folded(each.title, [whole])
    heading = f"<h3>{as_html(each.title)}</h3>"
    places = [place for place, name in enumerate(each.head) if name in each.first]
    if not places:
        return heading + whole
    short = table(
        [each.head[at] for at in places], [[row[at] for at in places] for row in each.rows]
    )
    return heading + short + folded(f"All {len(each.head)} columns", [whole])
