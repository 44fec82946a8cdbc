"""The lines of a file, in memory that does not depend on its length or on theirs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Protocol

BLOCK: Final = 1 << 20
LONGEST: Final = 1 << 24
"""Bytes of a line. A longer one is cut off there, and nothing else of it is read."""


class Reading(Protocol):
    """What lines are read from: bytes, as many as there are up to some number."""

    def read(self, size: int, /) -> bytes:
        """No bytes: there are none, at the moment."""


def lines_of(stream: Reading, *, growing: bool = False) -> Iterator[bytes | None]:
    """Every line, without its end. Of a file that is `growing` None comes whenever there is no
    further whole line yet; who reads on asks again, and who does not has seen enough."""
    begun: list[bytes] = []
    length = 0
    while True:
        block = stream.read(BLOCK)
        if not block:
            if not growing:
                break
            yield None
            continue
        first, *more = block.split(b"\n")
        if length < LONGEST:
            begun.append(first)
        length += len(first)
        if more:
            yield b"".join(begun)[:LONGEST]
            *whole, last = more
            yield from whole
            begun, length = [last], len(last)
    if length:
        yield b"".join(begun)[:LONGEST]
