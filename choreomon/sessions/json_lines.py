"""Sessions as JSON lines: an action a line, or a session a line.

    {"session": "s1", "action": "a!m", "clock": "host1"}
    {"session": "s1", "actions": ["a!m", "b?m"]}
    {"trace_id": 7, "service": "a", "event": "send", "name": "m", "host": "..."}

Other fields may be present: these files are others' logs. The last form is read with the names of
its fields (`choreomon.sessions.source.Fields`).
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator
from itertools import count
from typing import Any, Final

import msgspec

from choreomon.core.errors import DocumentError, Problem
from choreomon.files.input_files import limit, opened, size
from choreomon.files.json_shapes import placed_problem
from choreomon.sessions.blocks import Alphabet, Block, Lost, Piece, block_of
from choreomon.sessions.source import Fields

KINDS: Final = {
    **dict.fromkeys(("!", "send", "emission"), "!"),
    **dict.fromkeys(("?", "receive", "handle", "reception"), "?"),
}
"""Words for an emission or a reception."""

AT_ONCE: Final = 100_000
"""Actions in a block."""

LONGEST_LINE: Final = 32_000_000
"""The most bytes of a line. A longer one is lost, as it would fill the memory."""

ENDLESS: Final = 4
"""Multiples of the longest line: a file without a line end for that long is no file of lines."""

_Name = str | int

_CUT_OFF: Final = ("Input data was truncated", "is not JSON: is cut off")


def endless(file: str, number: int, longest: int) -> Problem:
    """The problem of a line that has no end."""
    told = (
        f"has no end within {size(ENDLESS * longest)}: is it the right file? No more of it is read"
    )
    return Problem(file, number, "", told)


class JsonLines:
    """A file of JSON lines. `names` and `pieces` raise DocumentError if it cannot be read."""

    def __init__(self, path: str, fields: Fields, called: str | None = None) -> None:
        """`called`: its name in errors, if not its path."""
        self._path = path
        self._called = called or path
        self._fields = fields
        self._longest = limit(LONGEST_LINE)
        split = fields.split
        shape: list[tuple[str, Any, Any]] = [("session", _Name)]  # type: ignore[list-item]
        renamed = {"session": fields.session}
        if split is None:
            shape += [("action", str | None, None), ("actions", list[str] | None, None)]
        else:
            shape += [(name, str) for name in ("lifeline", "kind", "message")]  # type: ignore[misc]
            renamed |= dict(zip(("lifeline", "kind", "message"), split, strict=True))
        shape.append(("clock", str | int | None, None))
        line = msgspec.defstruct("Line", shape, rename=renamed)
        self._line: msgspec.json.Decoder[Any] = msgspec.json.Decoder(line)
        only = msgspec.defstruct("Only", [("session", _Name)], rename={"session": fields.session})
        self._only: msgspec.json.Decoder[Any] = msgspec.json.Decoder(only)

    def names(self) -> Iterator[list[str]]:
        """The sessions of runs, in order, many at a time; without those of lines that cannot be
        read. A run may be given as several."""
        found: list[str] = []
        last: str | None = None
        for line in self._lines():
            name = self._name(line)
            if name is not None and name != last:
                found.append(name)
                last = name
                if len(found) == AT_ONCE:
                    yield found
                    found = []
        yield found

    def pieces(self, alphabet: Alphabet) -> Iterator[Piece]:
        """Read the file, in order."""
        runs: list[tuple[str, list[int], list[int] | None]] = []
        problems: dict[int, str] = {}
        held = 0
        is_plain = self._fields.split is None
        ordinary: dict[str, int] = {}
        """The numbers of actions with which nothing is wrong."""

        def taken() -> Block:
            nonlocal runs, problems, held
            block = block_of(runs, problems)
            runs, problems, held = [], {}, 0
            return block

        for number, line in enumerate(self._lines(), start=1):
            if line.isspace():
                continue
            read = self._decoded(line)
            if is_plain and read is not None and read.actions is None and read.clock is None:
                # Nearly all lines of nearly all files: one more action of the run at hand.
                one = ordinary.get(read.action)
                if one is not None and runs and runs[-1][0] == read.session and runs[-1][2] is None:
                    runs[-1][1].append(one)
                    held += 2
                    if held >= AT_ONCE:
                        yield taken()
                    continue
            name, actions, clock, problem = self._understood(line, read, alphabet)
            if name is None:
                if runs:
                    yield taken()
                yield Lost(f"{self._called}:{number}: {problem}")
                continue
            if is_plain and read is not None and read.action is not None and not problem:
                ordinary[read.action] = actions[0]
            if runs and runs[-1][0] == name and (runs[-1][2] is None) is (clock is None):
                runs[-1][1].extend(actions)
            else:
                runs.append((name, actions, None if clock is None else []))
            if clock is not None and (told_clocks := runs[-1][2]) is not None:
                told_clocks.extend([clock] * len(actions))
            if problem:
                place = f"{self._called}:{number}: session {name!r}: {problem}"
                problems.setdefault(len(runs) - 1, place)
            held += len(actions) + 1
            if held >= AT_ONCE:
                yield taken()
        if runs:
            yield taken()

    def _decoded(self, line: bytes) -> Any:
        """Return what a line says; None where it cannot be read."""
        try:
            return self._line.decode(line) if len(line) <= self._longest else None
        except (msgspec.DecodeError, UnicodeError, RecursionError, ValueError):
            return None

    def _understood(
        self, line: bytes, read: Any, alphabet: Alphabet
    ) -> tuple[str | None, list[int], int | None, str]:
        """The session of a line, None where not even that is known; the numbers of its actions, its
        clock, and what is wrong with it."""
        try:
            if len(line) > self._longest:
                raise ValueError(f"is longer than {size(self._longest)}")
            if read is None:
                read = self._line.decode(line)  # which raises what is wrong
            actions, problem = self._actions(read, alphabet)
            clock = None if read.clock is None else alphabet.clocks.number(str(read.clock))
        except (msgspec.DecodeError, UnicodeError, RecursionError, ValueError) as wrong:
            field, told = placed_problem(str(wrong).replace(*_CUT_OFF))
            return self._name(line), [], None, ": ".join(filter(None, (field, told)))
        return str(read.session), actions, clock, problem

    def _actions(self, read: Any, alphabet: Alphabet) -> tuple[list[int], str]:
        """The numbers of a line's actions, and what is wrong with it."""
        if self._fields.split is not None:
            kind = KINDS.get(read.kind.lower())
            if kind is None:
                _, field, _ = self._fields.split
                return [], f"{field}: {read.kind!r} is none of {', '.join(KINDS)}"
            texts = [f"{read.lifeline}{kind}{read.message}"]
        elif (read.action is None) is (read.actions is None):
            return [], "has no action: expected `action`, or `actions`, one of the two"
        else:
            texts = read.actions if read.action is None else [read.action]
        numbers = [alphabet.actions.number(text) for text in texts]
        problems = (alphabet.actions.problem(number) for number in numbers)
        return numbers, next(filter(None, problems), "")

    def _name(self, line: bytes) -> str | None:
        """The session of a line, if it says one."""
        try:
            return str(self._only.decode(line).session)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return None

    def _lines(self) -> Iterator[bytes]:
        """Yields the lines, without a byte order mark; of too long lines a beginning that is still
        too long. Raises DocumentError if a line does not end within `ENDLESS` times that."""
        longest = self._longest
        with opened(self._path) as stream:
            for number in count(1):
                line = stream.readline(longest + 1)
                if not line:
                    return
                yield line.removeprefix(BOM_UTF8) if number == 1 else line
                unended = len(line)
                while len(line) > longest and not line.endswith(b"\n"):
                    line = stream.readline(longest + 1)
                    unended += len(line)
                    if unended > ENDLESS * longest:
                        raise DocumentError((endless(self._called, number, longest),))
