"""References in the file of a table, of which those that differ in nothing but their process may be
written as one.

A reference is `[from, process, to]`. Where several processes may own a transition, `process` may be
the place of a set in the field `sets` of the file, from 0: `["q0", 1, "q1"]` stands for one
reference for each process of the second set, in its order. Which processes may ask (`by`) may be
such a place, too. So files grow with the number of processes, and not with its square.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from choreomon.core.verdict import Reference
from choreomon.properties.owned import Owned, owned

ProcessSet: TypeAlias = tuple[str, ...]


class WrittenReference(NamedTuple):
    """A reference, or with the place of a set one for each of its processes."""

    source: str
    process: str | int
    target: str

    def __str__(self) -> str:
        return f"({self.source}, @{self.process}, {self.target})"


class Sets:
    """The sets that a file is written with, in the order in which they come up."""

    def __init__(self) -> None:
        self._places: dict[ProcessSet, int] = {}

    @property
    def written(self) -> tuple[ProcessSet, ...]:
        return tuple(self._places)

    def references(self, references: Iterable[Reference]) -> tuple[WrittenReference, ...]:
        return self.owned(owned(references))

    def owned(self, transitions: Iterable[Owned]) -> tuple[WrittenReference, ...]:
        return tuple([self.one(each) for each in transitions])

    def one(self, transition: Owned) -> WrittenReference:
        source, processes, target = transition
        name: str | int = processes[0]
        if len(processes) > 1:
            name = self._places.setdefault(processes, len(self._places))
        return WrittenReference(source, name, target)

    def processes(self, processes: ProcessSet) -> ProcessSet | int:
        """Write processes, as a set if references have it."""
        return self._places.get(processes, processes)


class WrittenOut:
    """References of a file as they are meant. What is written alike is the same value, so that what
    many processes share is there once."""

    def __init__(self, sets: Sequence[ProcessSet]) -> None:
        self._sets = sets
        self._found: dict[tuple[WrittenReference, ...], tuple[Reference, ...]] = {}

    def references(self, written: tuple[WrittenReference, ...]) -> tuple[Reference, ...]:
        found = self._found.get(written)
        if found is None:
            found = self._found[written] = tuple(
                Reference(source, process, target)
                for source, name, target in written
                for process in self.processes(name)
            )
        return found

    def of(self, written: WrittenReference) -> tuple[Reference, ...]:
        return self.references((written,))

    def processes(self, written: str | int | ProcessSet) -> ProcessSet:
        """The processes that are meant by one, by the place of a set, or by a list."""
        if isinstance(written, int):
            return self._sets[written]
        return (written,) if isinstance(written, str) else written
