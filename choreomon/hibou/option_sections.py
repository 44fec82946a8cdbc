"""Options as HIBOU's configurations write them: entries `key = value`, in sections.

A value is a word or several, a number, or a list of entries in brackets. Words may be joined by `_`
or by spaces, as in `max_depth` and `max depth`. A file is read in two steps: into entries, here,
which ends at the first thing that is not in this form; and from there into values, by the setters
that `Meaning` makes, which collects everything that is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

from choreomon.core.errors import Problem
from choreomon.hibou.scanner import Cursor, is_name, shown

_DEEPEST: Final = 4
"""Lists in lists in lists: nothing in the format needs more."""

_LONGEST_NUMBER: Final = 18
TRUE: Final = ("true", "⊤")
FALSE: Final = ("false", "⊥")


@dataclass(frozen=True, slots=True)
class Value:
    """The text behind a key: `words` joined by `_`, a number, a list of entries, or groups of names
    as in `{(a,b),(c)}`; words may have a number or a list behind them."""

    at: int
    words: str = ""
    number: int | None = None
    entries: tuple[Entry, ...] | None = None
    groups: tuple[tuple[str, ...], ...] | None = None

    @property
    def is_bare(self) -> bool:
        """True if nothing stands behind the key."""
        return self == Value(self.at)

    @property
    def quoted(self) -> str:
        """The value as errors name it."""
        if self.words:
            return shown(self.words)
        if self.number is not None:
            return str(self.number)
        return "nothing" if self.is_bare else "a list"


@dataclass(frozen=True, slots=True)
class Entry:
    """`key`, `key = value`, `key[..]` or `key 3`."""

    at: int
    key: str
    value: Value


class Section(NamedTuple):
    """`@name{ entry; entry; .. }`"""

    at: int
    name: str
    entries: tuple[Entry, ...]


def read_section(cursor: Cursor) -> Section:
    """Passes the section whose name comes next. Raises DocumentError."""
    at, name = cursor.at, cursor.take()
    cursor.expect("{", f" after `{name}`")
    entries: list[Entry] = []
    while not cursor.accepts("}"):
        entries.append(_entry(cursor, 0))
        if cursor.word != "}" and not cursor.accepts(";"):
            cursor.expected("`;` or `}` after an option")
    return Section(at, name, tuple(entries))


def _words(cursor: Cursor) -> str:
    found: list[str] = []
    while is_name(cursor.word):
        found.append(cursor.take())
    return "_".join(found)


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdecimal()


def _entry(cursor: Cursor, depth: int) -> Entry:
    at = cursor.at
    key = _words(cursor)
    if not key:
        cursor.expected("an option")
    if cursor.accepts("=") or cursor.word == "[" or _is_number(cursor.word):
        return Entry(at, key, _value(cursor, depth))
    return Entry(at, key, Value(at))


def _value(cursor: Cursor, depth: int) -> Value:
    at = cursor.at
    if cursor.word in ("⊤", "⊥"):
        return Value(at, words=cursor.take())
    if cursor.word == "{":
        return Value(at, groups=_groups(cursor))
    words = _words(cursor)
    if cursor.word == "[":
        return Value(at, words=words, entries=_list(cursor, depth))
    if cursor.word == "-" or _is_number(cursor.word):
        return Value(at, words=words, number=_number(cursor))
    if not words:
        cursor.expected("a value")
    return Value(at, words=words)


def _number(cursor: Cursor) -> int:
    sign = -1 if cursor.accepts("-") else 1
    if not _is_number(cursor.word) or len(cursor.word) > _LONGEST_NUMBER:
        cursor.expected(f"a number of at most {_LONGEST_NUMBER} digits")
    return sign * int(cursor.take())


def _list(cursor: Cursor, depth: int) -> tuple[Entry, ...]:
    if depth >= _DEEPEST:
        cursor.refuse(cursor.at, "lists are nested too deeply")
    cursor.take()
    entries: list[Entry] = []
    while not cursor.accepts("]"):
        entries.append(_entry(cursor, depth + 1))
        if cursor.word != "]" and not cursor.accepts(","):
            cursor.expected("`,` or `]`")
    return tuple(entries)


def _groups(cursor: Cursor) -> tuple[tuple[str, ...], ...]:
    cursor.take()
    groups: list[tuple[str, ...]] = []
    while True:
        cursor.expect("(", " and lifelines")
        groups.append(cursor.names("a lifeline", ")"))
        if not cursor.accepts(","):
            break
    if not cursor.accepts("}"):
        cursor.expected("`,` or `}`")
    return tuple(groups)


Options: TypeAlias = dict[str, Any]
"""Values by the names of the fields that they are for."""

Setter: TypeAlias = Callable[[Value, Options], None]
"""Puts what a value means into options."""


class Meaning:
    """Makes setters. What is wrong goes to `problems`, and no option is set."""

    def __init__(self, cursor: Cursor, problems: list[Problem]) -> None:
        self._cursor = cursor
        self._problems = problems

    def wrong(self, at: int, message: str) -> None:
        """Notes a problem."""
        self._problems.append(self._cursor.problem(at, message))

    def read(
        self, entries: tuple[Entry, ...], options: Options, known: Mapping[str, Setter]
    ) -> None:
        """Reads each entry by the setter of its key, in lower case. No two may mean one option."""
        said: dict[str, str] = {}
        for entry in entries:
            key = entry.key.lower()
            setter = known.get(key)
            if setter is None:
                names = ", ".join(known)
                self.wrong(entry.at, f"unknown option {shown(entry.key)}; expected {names}")
                continue
            meant: Options = {}
            setter(entry.value, meant)
            if key in said.values():
                self.wrong(entry.at, f"`{entry.key}` stands here for the second time")
            elif other := next((said[name] for name in meant if name in said), None):
                self.wrong(entry.at, f"`{entry.key}` and `{other}` mean the same option")
            said |= dict.fromkeys(meant or {key: None}, key)
            options |= meant

    def entries(self, value: Value, what: str) -> tuple[Entry, ...]:
        """The entries of a value that is a list."""
        if value.entries is None or value.words:
            self.wrong(value.at, f"expected a list of {what} in `[` and `]`")
            return ()
        return value.entries

    def flag(self, name: str, *, bare: bool = False) -> Setter:
        """An option that is true or false; the key alone is true where `bare` allows it."""

        def read(value: Value, options: Options) -> None:
            words = value.words.lower()
            alone = value == Value(value.at, value.words)
            if (words in TRUE and alone) or (bare and value.is_bare):
                options[name] = True
            elif words in FALSE and alone:
                options[name] = False
            else:
                self.wrong(value.at, f"`{name}` is true or false")

        return read

    def one_of(self, name: str, values: Mapping[str, object]) -> Setter:
        """An option whose value is one of some words."""

        def read(value: Value, options: Options) -> None:
            words = value.words.lower()
            if words in values and value == Value(value.at, value.words):
                options[name] = values[words]
            else:
                expected = ", ".join(values)
                self.wrong(value.at, f"unknown {name} {value.quoted}; expected {expected}")

        return read

    def number(self, name: str, *, negative: bool = False) -> Setter:
        """An option that is a number, from 0 on unless it may be negative."""

        def read(value: Value, options: Options) -> None:
            number = value.number
            if number is None or value.words or (number < 0 and not negative):
                self.wrong(value.at, f"`{name}` is a number" + ("" if negative else " from 0 on"))
            else:
                options[name] = number

        return read

    def fixed(self, name: str, to: object) -> Setter:
        """A key without a value."""

        def read(value: Value, options: Options) -> None:
            if not value.is_bare:
                self.wrong(value.at, f"this criterion of `{name}` has no value")
            options[name] = to

        return read

    def text(self, name: str) -> Setter:
        """An option that is a name."""

        def read(value: Value, options: Options) -> None:
            if is_name(value.words) and value == Value(value.at, value.words):
                options[name] = value.words
            else:
                self.wrong(value.at, f"`{name}` is a name")

        return read
