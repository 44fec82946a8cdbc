"""Verdicts that were not delivered, as a value of which a changed one is made quickly.

While a sink takes nothing there are more and more of them, and each new one makes a new state. So
they are kept in blocks: one that is added copies the last block, and those that are taken out,
mostly the oldest, their own; all other blocks are shared.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from typing import Final

from choreomon.runtime.outputs import DeclaredVerdict

BLOCK: Final = 256
"""Verdicts in one block at most."""


class UndeliveredVerdicts:
    """Verdicts by their ids, oldest first. It never changes."""

    __slots__ = ("_blocks", "_length")

    def __init__(self, blocks: tuple[Mapping[str, DeclaredVerdict], ...] = ()) -> None:
        self._blocks = blocks
        self._length = sum(map(len, blocks))

    @classmethod
    def of(cls, verdicts: Mapping[str, DeclaredVerdict]) -> UndeliveredVerdicts:
        ids = [*verdicts]
        starts = range(0, len(ids), BLOCK)
        return cls(tuple({id: verdicts[id] for id in ids[at : at + BLOCK]} for at in starts))

    def added(self, declared: DeclaredVerdict) -> UndeliveredVerdicts:
        """The verdicts with this one as the newest; unchanged if it is there already."""
        if declared.id in self:
            return self
        *full, last = self._blocks or ({},)
        if len(last) < BLOCK:
            return UndeliveredVerdicts((*full, {**last, declared.id: declared}))
        return UndeliveredVerdicts((*self._blocks, {declared.id: declared}))

    def without(self, ids: Collection[str]) -> UndeliveredVerdicts:
        """Return the verdicts except those with these ids."""
        left = {*ids}
        blocks: list[Mapping[str, DeclaredVerdict]] = []
        for place, block in enumerate(self._blocks):
            if not left:
                blocks += self._blocks[place:]
                break
            gone = left & block.keys()
            if gone:
                left -= gone
                block = {id: declared for id, declared in block.items() if id not in gone}
            if block:
                blocks.append(block)
        return UndeliveredVerdicts(tuple(blocks))

    def items(self) -> Iterator[tuple[str, DeclaredVerdict]]:
        return chain.from_iterable(block.items() for block in self._blocks)

    def values(self) -> Iterator[DeclaredVerdict]:
        return chain.from_iterable(block.values() for block in self._blocks)

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(self._blocks)

    def __contains__(self, id: object) -> bool:
        return any(id in block for block in self._blocks)

    def __len__(self) -> int:
        return self._length

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UndeliveredVerdicts) and dict(self.items()) == dict(other.items())

    __hash__ = None  # type: ignore[assignment]
