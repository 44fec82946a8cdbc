"""Long traces, stored tightly: a number for each action.

A tuple needs eight bytes an action; here it is one, two or four, as many as the number of
different actions asks for. The actions themselves are stored once.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Final, overload

from choreomon.core.action import Action

_WIDTHS: Final = (("B", 1 << 8), ("H", 1 << 16), ("I", 1 << 32))
"""Types of arrays, and how many different numbers each can hold."""

LONG: Final = 4096
"""Least number of actions of a trace that is stored tightly."""


class CodedTrace(Sequence[Action]):
    """A sequence of actions that equals, and hashes as, the tuple of the same actions.

    A slice is a coded trace too.
    """

    __slots__ = ("_actions", "_codes")

    def __init__(self, actions: tuple[Action, ...], codes: array[int]) -> None:
        """`codes` are places in `actions`. Neither may change afterwards."""
        self._actions = actions
        self._codes = codes

    def __len__(self) -> int:
        return len(self._codes)

    @overload
    def __getitem__(self, index: int) -> Action: ...

    @overload
    def __getitem__(self, index: slice) -> CodedTrace: ...

    def __getitem__(self, index: int | slice) -> Action | CodedTrace:
        if isinstance(index, slice):
            return CodedTrace(self._actions, self._codes[index])
        return self._actions[self._codes[index]]

    def __iter__(self) -> Iterator[Action]:
        return map(self._actions.__getitem__, self._codes)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, CodedTrace | tuple):
            return len(self) == len(other) and all(
                mine == its for mine, its in zip(self, other, strict=True)
            )
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"<{len(self)} actions, {len(self._actions)} different ones>"

    @property
    def alphabet(self) -> tuple[Action, ...]:
        """The different actions; the codes are places in it."""
        return self._actions

    @property
    def codes(self) -> Sequence[int]:
        """The place of each action in `alphabet`."""
        return memoryview(self._codes).toreadonly()


class TraceBuilder:
    """Makes a trace from codes, which it gives out itself."""

    def __init__(self) -> None:
        self._known: dict[Action, int] = {}
        self._codes: array[int] = array(_WIDTHS[0][0])
        self._room = _WIDTHS[0][1]

    def code(self, action: Action) -> int:
        """The code of an action, a new one if it has none yet."""
        code = self._known.setdefault(action, len(self._known))
        if code >= self._room:
            kind, self._room = next(width for width in _WIDTHS if code < width[1])
            self._codes = array(kind, self._codes)
        return code

    def extend(self, codes: Sequence[int]) -> None:
        """Appends actions by their codes."""
        # An array is appended as a whole, anything else number by number.
        self._codes.extend(array(self._codes.typecode, codes))

    @property
    def lifelines(self) -> frozenset[str]:
        """The lifelines of the actions that have codes."""
        return frozenset(action.lifeline for action in self._known)

    def trace(self) -> Sequence[Action]:
        """The trace that was appended: a tuple, a CodedTrace from LONG actions on."""
        actions = tuple(self._known)
        if len(self._codes) < LONG:
            return tuple([actions[code] for code in self._codes])
        return CodedTrace(actions, self._codes)
