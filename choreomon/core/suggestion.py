"""What somebody may have meant who wrote a name that nobody knows."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches
from itertools import islice
from typing import Final

MOST: Final = 12
"""So many names are listed."""


def closest(word: str, known: Collection[str]) -> str:
    """The known name that is most like the word; empty where none is, and where looking for it
    would take long."""
    if len(known) > 100 or len(word) > 60:
        return ""
    return next(iter(get_close_matches(word, known, n=1)), "")


def did_you_mean(word: str, known: Collection[str]) -> str:
    """A suggestion to end a message with; empty where nothing is close."""
    meant = closest(word, known)
    return f"; did you mean {meant!r}?" if meant else ""


def listed(names: Collection[str]) -> str:
    """The names, or the first of many and how many more there are."""
    if len(names) > MOST:
        return f"{', '.join(islice(names, MOST))} and {len(names) - MOST} more"
    return ", ".join(names) or "(none)"


def unknown(kind: str, name: str, known: Collection[str], plural: str | None = None) -> str:
    """That there is no such thing, and which was perhaps meant, or which there are."""
    told = did_you_mean(name, known) or f"; the {plural or kind + 's'} are {listed(known)}"
    return f"unknown {kind} {name!r}{told}"
