"""Read single lines of files again, to show them beside what was found there."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import Final

from choreomon.core.recorded import Place
from choreomon.files.compressed import unpacked

LONGEST: Final = 300
"""Characters of a line; of a longer one the end is left out."""

MOST_LINES: Final = 5_000_000
"""Lines behind these are not looked for."""


def lines_at(places: Iterable[Place]) -> dict[Place, str]:
    """The text at each place, without blanks around it. Places in files that are gone, that are no
    regular files, or that are not UTF-8 are left out."""
    wanted: dict[str, set[int]] = {}
    for place in places:
        if 0 < place.line <= MOST_LINES:
            wanted.setdefault(place.file, set()).add(place.line)
    found: dict[Place, str] = {}
    for file, numbers in wanted.items():
        with suppress(OSError, ValueError):
            if Path(file).is_file():
                found |= _lines_of(file, numbers)
    return found


def _lines_of(file: str, numbers: set[int]) -> dict[Place, str]:
    found: dict[Place, str] = {}
    with open(file, "rb") as stream:
        text = TextIOWrapper(unpacked(stream), encoding="utf-8")
        for number, line in enumerate(islice(text, max(numbers)), 1):
            if number in numbers:
                told = line.strip()
                cut = told if len(told) <= LONGEST else f"{told[:LONGEST]}…"
                found[Place(file, number)] = cut
    return found
