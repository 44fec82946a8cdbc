"""One self-contained page about an experiment: what a paper claims beside what was measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from choreomon.render.drawing import Picture
from choreomon.render.page import (
    Section,
    as_html,
    figure,
    folded,
    header,
    page,
    section,
    table,
)
from choreomon.render.wording import counted

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
    """A table with its title; a long one can be folded away."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    folded: bool


class Part(NamedTuple):
    """What is said of one experiment; `notes` are sentences under headings."""

    title: str
    claims: Sequence[Compared]
    notes: Sequence[tuple[str, Sequence[str]]]
    pictures: Sequence[tuple[Picture, str]]
    tables: Sequence[Tabulated]


def experiment_page(
    title: str, parts: Sequence[Part], made_with: Sequence[tuple[str, str]], notes: Sequence[str]
) -> str:
    """A whole HTML page; pictures come with their captions. `made_with` are names and values that
    say how to make it again, `notes` what the columns of tables mean."""
    claims = [claim for part in parts for claim in part.claims]
    degree = max((claim.degree for claim in claims), default=0)
    counts = Counter(claim.agreement for claim in claims)
    result = ", ".join(f"{number} {words}" for words, number in counts.items())
    heading = f"{counted(len(claims), 'claim')} of the paper: {result}"
    body: list[str | Section] = [
        header(_TONES[degree], title, heading),
        *(section(part.title, _part(part)) for part in parts),
        section("What the columns mean", [f"<p>{as_html(note)}</p>" for note in notes]),
    ]
    return page(f"{title}: {heading}", body, made_with)


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
        f'<article><h3>The paper</h3><p>{as_html(claim.claim)}</p><h3>Measured: <span class="'
        f'{_TONES[claim.degree]}">{as_html(claim.agreement)}</span></h3>'
        f"<p>{as_html(claim.measured)}</p>{f'<ul>{because}</ul>' if because else ''}</article>"
    )


def _table(each: Tabulated) -> str:
    shown = table(each.head, each.rows)
    if each.folded:
        return folded(each.title, [shown])
    return f"<h3>{as_html(each.title)}</h3>{shown}"
