"""Clocks within messages: found in the annotations of each class, once, so that none is forgotten
when a field is added.

A message in its *raw* form is an array of its fields in which every clock is coded: its field
`clock` relative to a base of the message, all others relative to that clock. An event that is asked
about happened before its inquiry left, and a record before the answer did, mostly not long before.
"""

from __future__ import annotations

from collections.abc import Callable
from types import GenericAlias, NoneType
from typing import Any, Final, NamedTuple, Union, get_args, get_origin, get_type_hints

from choreomon.agent_files.clocks.coding import CodedClock, clock_of, coded
from choreomon.agent_files.clocks.packed import PackedClock, packed
from choreomon.core.vector_clock import VectorClock

CLOCK: Final = "clock"
"""The field of a message that is its clock."""


class Coder(NamedTuple):
    """The coding of values of a type that has clocks in it. `wire`: the type of what is written."""

    wire: Any
    code: Callable[[Any, PackedClock | None], Any]
    read: Callable[[Any, int, VectorClock | None], Any]


class MessageCoder(NamedTuple):
    """The raw form of one class of messages. `clock` is the place of its clock among the fields."""

    wire: Any
    kind: Callable[..., Any]
    clock: int | None
    coders: tuple[Coder | None, ...]

    def raw(self, message: Any) -> tuple[Any, ...]:
        """The fields of a message that is whole."""
        if self.clock is None:
            return tuple(self._coded(message, None))
        own = packed(message[self.clock])
        return self.told(message, own, coded(own))

    def told(self, message: Any, own: PackedClock, code: CodedClock) -> tuple[Any, ...]:
        """The fields of a message whose clock is `own`, coded as `code`."""
        assert self.clock is not None
        fields = self._coded(message, own)
        fields[self.clock] = code
        return tuple(fields)

    def _coded(self, message: Any, own: PackedClock | None) -> list[Any]:
        """The fields but the clock of the message, which stays."""
        return [
            value if coder is None or place == self.clock else coder.code(value, own)
            for place, (value, coder) in enumerate(zip(message, self.coders, strict=True))
        ]

    def message(self, raw: tuple[Any, ...], entries: int) -> Any:
        """Raises `MalformedMessage`. Clocks that are not coded may have any number of entries."""
        own = None if self.clock is None else clock_of(raw[self.clock], entries)
        fields = [
            value if coder is None or place == self.clock else coder.read(value, entries, own)
            for place, (value, coder) in enumerate(zip(raw, self.coders, strict=True))
        ]
        if self.clock is not None:
            fields[self.clock] = own
        return self.kind(*fields)


def message_coder(kind: type) -> MessageCoder:
    """Make the coder of a class of messages, which is a named tuple."""
    hints = get_type_hints(kind)
    coders = tuple(_coder(hint) for hint in hints.values())
    place = list(hints).index(CLOCK) if CLOCK in hints else None
    return MessageCoder(_wire(hints, coders), kind, place, coders)


def _coder(hint: Any) -> Coder | None:
    """The coder for a type; `None` if it has no clocks. Raises `TypeError` for an unknown type."""
    if hint == VectorClock:
        return Coder(CodedClock, _code, clock_of)
    if isinstance(hint, type) and hasattr(hint, "_fields"):
        return _of_fields(hint)
    of = get_args(hint)
    inner = [coder for coder in map(_coder, of) if coder is not None]
    if not inner:
        return None
    if len(of) == 2 and of[1] is NoneType:
        return _optional(inner[0])
    if get_origin(hint) is tuple and len(of) == 2 and of[1] is Ellipsis:
        return _repeated(inner[0])
    raise TypeError(f"{hint} has clocks in it that cannot be coded")


def _code(clock: VectorClock, base: PackedClock | None) -> CodedClock:
    return coded(packed(clock), base)


def _of_fields(kind: type) -> Coder | None:
    hints = get_type_hints(kind)
    coders = tuple(_coder(hint) for hint in hints.values())
    if not any(coders):
        return None

    def code(value: Any, base: PackedClock | None) -> Any:
        return tuple(
            [
                field if coder is None else coder.code(field, base)
                for field, coder in zip(value, coders, strict=True)
            ]
        )

    def read(value: Any, entries: int, base: VectorClock | None) -> Any:
        return kind(
            *[
                field if coder is None else coder.read(field, entries, base)
                for field, coder in zip(value, coders, strict=True)
            ]
        )

    return Coder(_wire(hints, coders), code, read)


def _wire(hints: dict[str, Any], coders: tuple[Coder | None, ...]) -> Any:
    fields = zip(hints.values(), coders, strict=True)
    return GenericAlias(
        tuple, tuple(hint if coder is None else coder.wire for hint, coder in fields)
    )


def _optional(coder: Coder) -> Coder:
    def code(value: Any, base: PackedClock | None) -> Any:
        return None if value is None else coder.code(value, base)

    def read(value: Any, entries: int, base: VectorClock | None) -> Any:
        return None if value is None else coder.read(value, entries, base)

    return Coder(Union[coder.wire, None], code, read)  # noqa: UP007


def _repeated(coder: Coder) -> Coder:
    def code(values: Any, base: PackedClock | None) -> Any:
        return tuple([coder.code(value, base) for value in values])

    def read(values: Any, entries: int, base: VectorClock | None) -> Any:
        return tuple([coder.read(value, entries, base) for value in values])

    return Coder(GenericAlias(tuple, (coder.wire, ...)), code, read)
