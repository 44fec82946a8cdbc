"""Templates of texts that programs log: `Read <*> rows of <*>` for all that differ in these words.

The algorithm is that of Drain (He, Zhu, Zheng and Lyu, "Drain: An Online Log Parsing Approach with
Fixed Depth Tree", ICWS 2017) with a tree of depth two: texts with equally many words and the same
first word are compared with the existing templates, and join the one that shares most of its words,
if it shares at least half of them; words that differ become variable. Words with digits are
variable from the beginning.

Unlike in the paper, the number of templates of a place in the tree is bounded (`MOST_ALIKE`), and
so is their total: the caller counts texts that find no place.
"""

from __future__ import annotations

from typing import Final

VARIABLE: Final = "<*>"
"""Stands for a word that differs."""

ALIKE: Final = 0.5
"""The share of words that a text has in common with a template that it joins."""

MOST_WORDS: Final = 100
"""The most words of a text compared; the rest counts as one more."""

MOST_ALIKE: Final = 100
"""The most templates with the same first word and as many words."""


class Template:
    """A template: its `words`, the number of `texts`, and the first of them as an `example`."""

    __slots__ = ("example", "texts", "words")

    def __init__(self, words: list[str], example: str) -> None:
        self.words = words
        self.texts = 0
        self.example = example

    def __str__(self) -> str:
        return " ".join(self.words)


class Templates:
    """Texts, one after the other, and their templates, at most `most`."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._places: dict[tuple[int, str], list[Template]] = {}
        self._known: dict[str, Template] = {}
        self.all: list[Template] = []

    def add(self, text: str) -> Template | None:
        """Count a text; None if there are too many templates for a new one."""
        found = self._known.get(text)
        if found is None:
            found = self._found(text)
            if found is None:
                return None
            if len(self._known) < self._most:
                self._known[text] = found
        found.texts += 1
        return found

    def _found(self, text: str) -> Template | None:
        words = words_of(text)
        place = self._places.setdefault((len(words), words[0] if words else ""), [])
        best, most = None, 0.0
        for template in place:
            alike = _alike(template.words, words)
            if alike > most:
                best, most = template, alike
        if best is not None and most >= ALIKE:
            best.words = [
                one if one == other else VARIABLE
                for one, other in zip(best.words, words, strict=True)
            ]
            return best
        if len(self.all) >= self._most or len(place) >= MOST_ALIKE:
            return None
        made = Template(words, text)
        place.append(made)
        self.all.append(made)
        return made


def words_of(text: str) -> list[str]:
    """The words of a text, with those that have digits as variable ones."""
    words = text.split(maxsplit=MOST_WORDS)
    return [VARIABLE if any(map(str.isdigit, word)) else word for word in words]


def _alike(template: list[str], words: list[str]) -> float:
    """The share of words that are the same; variable ones of the template count as different,
    unless variable in both, so that a more special template is preferred."""
    same = sum(one == other for one, other in zip(template, words, strict=True))
    return same / len(words) if words else 1.0
