"""What somebody may have meant who wrote a name that nobody knows."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches


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
