"""Patterns and sequences in one sentence of English, where their authors have none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class PatternWords(NamedTuple):
    """A `choreomon.properties.patterns.Pattern` in its author's words: of each field the labels as
    they are written, joined; empty where it has none."""

    never: str
    unless: tuple[str, ...] = ()
    after: str = ""
    after_each: str = ""
    until: str = ""
    before: str = ""
    told_at_end: bool = False


def pattern_sentence(words: PatternWords) -> str:
    """`A -> B : ship is forbidden from the beginning or the last C -> A : reversed until
    D -> A : paid.`"""
    _, unless, after, after_each, until, before, told_at_end = words
    told = f"{words.never} is forbidden"
    ends = ""
    if told_at_end:
        told += f" between {after} and the next {until}"
    elif after:
        told += f" after the first {after}"
        told += f" since the beginning or the last {until}," if until and unless else ""
        ends = f" until {until}" if until and not unless else ""
    elif after_each:
        told += f" after each {after_each}"
        ends = f" until {until}" if until else ""
    elif unless:
        told += " from the beginning" + (f" or the last {until}" if until else "")
    if unless:
        allowing = ", then ".join(unless)
        ends = f"{ends} or {allowing}" if ends else f" until {allowing}"
    told += ends
    if before:
        told += f", if {before} follows"
    return f"{told}."


def steps_sentence(steps: Sequence[str], cancelling: Sequence[str]) -> str:
    """`A -> B : m, then B -> C : n is forbidden, but for what C -> A : undo takes back.`"""
    told = f"{', then '.join(steps)} is forbidden"
    if cancelling:
        told += f", but for what {' or '.join(dict.fromkeys(cancelling))} takes back"
    return f"{told}."
