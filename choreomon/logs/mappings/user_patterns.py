"""Regular expressions that users give, stopped where they backtrack without end.

Both `(?<name>...)`, as in JavaScript, and `(?P<name>...)`, as in Python, are named groups. As in
JavaScript `\\d`, `\\w` and `\\s` are of ASCII, and `^` and `$` are at lines, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import process_time
from typing import Any, Final, TypeVar

import regex

from choreomon.core.errors import DocumentError, Problem
from choreomon.core.suggestion import did_you_mean

MAX_PATTERN: Final = 10_000
"""Characters of an expression."""

PATIENCE: Final = 2.0
"""Seconds that one search may take: what is decided in a second at most needs some microseconds
with any sensible expression."""


IN_ALL: Final = 10
"""Times `PATIENCE`: what slow searches may take together. A log has many lines, and one that takes
a second is not stopped."""

SLOW: Final = 0.05
SLOW_PER_CHARACTER: Final = 1e-6
"""Seconds above which a search is a slow one."""

_Found = TypeVar("_Found")


class PatternError(ValueError):
    """An expression that is none; the message says what is wrong with it."""


class Hopeless(Exception):
    """A search that was stopped."""


class UserPattern:
    """An expression with its named groups."""

    def __init__(
        self,
        text: str,
        patience: float = PATIENCE,
        clock: Callable[[], float] = process_time,
    ) -> None:
        """`clock` tells seconds of the processor. Raises `PatternError`."""
        if len(text) > MAX_PATTERN:
            raise PatternError(f"is longer than {MAX_PATTERN:,} characters")
        try:
            self._compiled = regex.compile(text, regex.MULTILINE | regex.ASCII)
        except (regex.error, OverflowError, RecursionError, ValueError, KeyError) as wrong:
            raise PatternError(f"is no regular expression: {wrong or 'too deep'}") from None
        self.text = text
        self.groups: tuple[str, ...] = tuple(self._compiled.groupindex)
        self._patience = patience
        self._clock = clock
        self._slowly = 0.0

    def require(self, *names: str) -> None:
        """Raises `PatternError` where a group is not there."""
        for name in names:
            if name not in self.groups:
                meant = did_you_mean(name, self.groups)
                have = f"it has {', '.join(self.groups)}" if self.groups else "it has none"
                raise PatternError(
                    f"has no group {name!r} ({have}{meant}): write (?<{name}>...) around what "
                    f"gives the {name}"
                )

    def found(self, text: str) -> Mapping[str, str] | None:
        """The named groups of the first match, those that took part; None where there is none.
        Raises `Hopeless`."""
        match = self._patiently(text, lambda: self._compiled.search(text, timeout=self._patience))
        if match is None:
            return None
        return {name: part for name, part in match.groupdict().items() if part is not None}

    def matches(self, text: str) -> list[Any]:
        """Find all matches, from left to right. Raises `Hopeless`."""
        return self._patiently(
            text, lambda: list(self._compiled.finditer(text, timeout=self._patience))
        )

    def _patiently(self, text: str, search: Callable[[], _Found]) -> _Found:
        begun = self._clock()
        try:
            found = search()
        except TimeoutError:
            raise self._stopped(self._patience) from None
        spent = self._clock() - begun
        if spent > SLOW + len(text) * SLOW_PER_CHARACTER:
            self._slowly += spent
            if self._slowly > IN_ALL * self._patience:
                raise self._stopped(self._slowly)
        return found

    def _stopped(self, seconds: float) -> Hopeless:
        return Hopeless(
            f"the expression {shown(self.text)} was stopped after {seconds:.3g} s: it may "
            "try its repetitions in more ways than can be tried; say more exactly what each of "
            r"them takes, as in [^ ]* or \d+, and none inside of another"
        )


def shown(text: str) -> str:
    """An expression, short enough for a message."""
    return text if len(text) <= 60 else f"{text[:57]}..."


def refused(file: str, line: int, field: str, message: str) -> DocumentError:
    """The error about one place."""
    return DocumentError((Problem(file, line, field, message),))
