"""Transitions with all of their owners, for people and files: references that differ in nothing but
the process may be said as one."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

from choreomon.core.verdict import Reference
from choreomon.properties.automaton import Transition
from choreomon.properties.classification import Pair
from choreomon.properties.resting import MANY, states_of
from choreomon.properties.tables import Row


class Owned(NamedTuple):
    """References, one for each of these processes, in their order: one, or at least `MANY`."""

    source: str
    processes: tuple[str, ...]
    target: str

    def __str__(self) -> str:
        names = ", ".join(self.processes)
        owners = names if len(self.processes) == 1 else f"{{{names}}}"
        return f"({self.source}, @{owners}, {self.target})"


class OwnedRow(NamedTuple):
    """Rows of a table that differ in nothing but the owner of their pre-transition."""

    transition: Transition
    final: bool
    pre: Owned | None
    vio: tuple[Owned, ...]


def owned(references: Iterable[Reference]) -> tuple[Owned, ...]:
    """Put neighbours between the same states together, where there are `MANY`."""
    found: list[Owned] = []
    for (source, target), group in groupby(references, key=states_of):
        processes = tuple([each.process for each in group])
        apart = [processes] if len(processes) >= MANY else [(each,) for each in processes]
        found += [Owned(source, owners, target) for owners in apart]
    return tuple(found)


def owned_rows(rows: Iterable[Row]) -> tuple[OwnedRow, ...]:
    """Put neighbours together that differ in nothing but the owner of their pre-transition."""
    found: list[OwnedRow] = []
    for (transition, final, vio, _), group in groupby(rows, key=all_but_the_owner):
        pres = [row.pre for row in group if row.pre is not None]
        taking = owned(vio)
        found += [OwnedRow(transition, final, pre, taking) for pre in owned(pres) or (None,)]
    return tuple(found)


def all_but_the_owner(row: Row) -> tuple[Transition, bool, tuple[Reference, ...], Pair | None]:
    """Return what rows have in common that differ in nothing but the owner of their
    pre-transition."""
    return row.transition, row.final, row.vio, None if row.pre is None else states_of(row.pre)
