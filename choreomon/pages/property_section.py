"""Say on a page what must not happen: as a picture of the automaton, and in words."""

from __future__ import annotations

from typing import Final

from choreomon.pages.page import Section, as_html, figure, folded, section
from choreomon.pictures.graphs.automaton_drawing import automaton_picture
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.sentences.forbidden_sequences import first_sequences
from choreomon.sentences.wording import with_arrow
from choreomon.terminal.sentences import property_sentences

MAX_DRAWN: Final = 4
"""The most sequences with an open picture; of more it is folded away, as their rows look alike."""

_WORDS: Final = "property-in-words"


def property_section(automaton: SequenceAutomaton, title: str) -> Section:
    """The picture with its words below it; for many sequences the words, and the picture folded."""
    picture = figure(automaton_picture(automaton, title), described_by=_WORDS)
    words = f'<div id="{_WORDS}">{_in_words(property_sentences(automaton))}</div>'
    if len(first_sequences(automaton)) > MAX_DRAWN:
        parts = [words, folded("The automaton", [picture])]
    else:
        parts = [picture, words]
    return section("What must not happen", parts)


def _in_words(sentences: list[str]) -> str:
    """Sentences; indented ones become a list below the one before them."""
    parts: list[str] = []
    for sentence in sentences:
        told = as_html(with_arrow(sentence.strip()))
        if not sentence.startswith(" "):
            parts.append(f"<p>{told}</p>")
        elif parts[-1].endswith("</ul>"):
            parts[-1] = f"{parts[-1][:-5]}<li>{told}</li></ul>"
        else:
            parts.append(f'<ul class="plain"><li>{told}</li></ul>')
    return "".join(parts)
