"""Suggestions for unknown names: what may have been meant."""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice
from string import digits
from typing import Final

MOST: Final = 12
"""The most names listed."""
_NO_DIGITS: Final = str.maketrans("", "", digits)


def closest(word: str, known: Collection[str]) -> str:
    """The known name most similar to the word; empty if none is, or if the search would take long.
    Names that differ in case alone come first. Most short names are a letter away from each other:
    one is suggested only if no other is as close, and never a digit for another one.
    """
    if len(word) > 60:
        return ""
    for name in known:
        if name != word and name.casefold() == word.casefold():
            return name
    if len(known) > 100:
        return ""
    from difflib import get_close_matches  # only where something is wrong

    if similar := get_close_matches(word, known, n=1):
        return similar[0]
    near = {name for name in known if one_letter_apart(word, name) and _letters(word, name)}
    return near.pop() if len(near) == 1 else ""


def one_letter_apart(word: str, name: str) -> bool:
    """Tell whether two different words of at least two letters each become the same when one letter
    is replaced, inserted or left out, or two neighbours are exchanged."""
    short, long = sorted((word, name), key=len)
    if len(short) < 2 or len(long) > len(short) + 1 or word == name:
        return False
    first = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), -1)
    if len(short) < len(long):
        return first < 0 or short[first:] == long[first + 1 :]
    if short[first + 1 :] == long[first + 1 :]:
        return True
    return short[first:] == long[first + 1] + long[first] + long[first + 2 :]


def _letters(word: str, name: str) -> bool:
    """Tell whether two names differ in more than digits, which are seldom mistyped."""
    return word.translate(_NO_DIGITS) != name.translate(_NO_DIGITS)


def did_you_mean(word: str, known: Collection[str]) -> str:
    """A suggestion to end a message with; empty if nothing is close."""
    meant = closest(word, known)
    return f"; did you mean {meant!r}?" if meant else ""


def listed(names: Collection[str]) -> str:
    """The names, or the first of many and how many more there are."""
    if len(names) > MOST:
        return f"{', '.join(islice(names, MOST))} and {len(names) - MOST} more"
    return ", ".join(names) or "(none)"


def unknown(kind: str, name: str, known: Collection[str], plural: str | None = None) -> str:
    """Say that there is no such thing, and which was perhaps meant, or which exist."""
    told = did_you_mean(name, known) or f"; the {plural or kind + 's'} are {listed(known)}"
    return f"unknown {kind} {name!r}{told}"
