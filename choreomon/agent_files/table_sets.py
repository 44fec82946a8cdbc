"""References in the file of a table, of which those that differ in nothing but their process may be
written as one.

A reference is `[from, process, to]`. Where several processes may own a transition, `process` may be
the place of a set in the field `sets` of the file, from 0: `["q0", 1, "q1"]` stands for one
reference for each process of the second set, in its order. Which processes may ask (`by`) may be
such a place, too. So files grow with the number of processes, and not with its square.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple, TypeAlias

from choreomon.core.roles import NO_ROLES, Roles
from choreomon.core.verdict import Reference
from choreomon.properties.owned import Owned, owned
from choreomon.properties.resting import states_of

ProcessSet: TypeAlias = tuple[str, ...]


class WrittenReference(NamedTuple):
    """A reference, or with the place of a set one for each of its processes."""

    source: str
    process: str | int
    target: str

    def __str__(self) -> str:
        return f"({self.source}, @{self.process}, {self.target})"


class Sets:
    """The sets that a file is written with, in the order in which they come up. All slots of one of
    the `roles` are written by its name."""

    def __init__(self, roles: Roles = NO_ROLES) -> None:
        self._roles = roles
        self._places: dict[ProcessSet, int] = {}

    @property
    def written(self) -> tuple[ProcessSet, ...]:
        return tuple(self._places)

    def references(self, references: Iterable[Reference]) -> tuple[WrittenReference, ...]:
        found: list[WrittenReference] = []
        for (source, target), group in groupby(references, key=states_of):
            for processes in self._apart([each.process for each in group]):
                if isinstance(processes, str):
                    found.append(WrittenReference(source, processes, target))
                else:
                    of_states = (Reference(source, process, target) for process in processes)
                    found += [self._one(each) for each in owned(of_states)]
        return tuple(found)

    def _one(self, transition: Owned) -> WrittenReference:
        source, processes, target = transition
        name: str | int = processes[0]
        if len(processes) > 1:
            name = self._places.setdefault(processes, len(self._places))
        return WrittenReference(source, name, target)

    def processes(self, processes: ProcessSet) -> ProcessSet | int:
        """Write processes, as a set if references have it."""
        if processes in self._places:
            return self._places[processes]
        apart = self._apart(processes)
        return tuple(name for one in apart for name in ((one,) if isinstance(one, str) else one))

    def _apart(self, processes: Sequence[str]) -> list[str | list[str]]:
        """The processes in their order, all slots of a role in a row as its name."""
        found: list[str | list[str]] = []
        place = 0
        while place < len(processes):
            role = self._roles.role_of(processes[place])
            slots = self._roles.slots_of(role)
            if role != processes[place] and (*processes[place : place + len(slots)],) == slots:
                found.append(role)
                place += len(slots)
                continue
            if not found or isinstance(found[-1], str):
                found.append([])
            rest = found[-1]
            assert isinstance(rest, list)
            rest.append(processes[place])
            place += 1
        return found


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
