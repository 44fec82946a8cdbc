"""The rows of a table, what its rows rest on and who may ask, as they are written in its file
(`choreomon.agent_files.table_file`), and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from choreomon.agent_files.table_roles import by_role
from choreomon.agent_files.table_sets import Sets, WrittenOut, WrittenReference
from choreomon.agent_files.table_shape import (
    WrittenReaders,
    WrittenRow,
    WrittenSkeleton,
    WrittenTable,
)
from choreomon.core.labels import CarryingLabel, parse_carrying_label
from choreomon.core.roles import Roles
from choreomon.core.verdict import Reference
from choreomon.properties.automaton import Transition
from choreomon.properties.owned import all_but_the_owner
from choreomon.properties.resting import Need, Rested, needs_of, states_of
from choreomon.properties.tables import Row, TransitionTable

# ---------------------------------------------------------------- writing


def written_rows(rows: Sequence[Row], sets: Sets, roles: Roles) -> list[WrittenRow]:
    """Neighbours that differ in nothing but the owner of their pre-transition may become one."""
    found = []
    for (transition, final, vio, _), group in groupby(rows, key=all_but_the_owner):
        pres = sets.references([row.pre for row in group if row.pre is not None])
        found += [
            WrittenRow(
                on=by_role(CarryingLabel(transition.label), roles),
                source=transition.source,
                target=transition.target,
                final=final,
                pre=pre,
                vio=sets.references(vio),
            )
            for pre in pres or (None,)
        ]
    return found


def written_skeleton(table: TransitionTable, sets: Sets) -> list[WrittenSkeleton]:
    """Return what the transitions of other processes rest on, one row for all owners of one of
    them."""
    others = [each for each in table.skeleton.items() if each[0].process != table.process]
    found = []
    for (_, needs), group in groupby(others, key=lambda each: (states_of(each[0]), each[1])):
        for of in sets.references([reference for reference, _ in group]):
            if not needs:
                found.append(WrittenSkeleton(of=of, pre=None, vio=()))
            for need in needs:
                found += [
                    WrittenSkeleton(of=of, pre=pre, vio=sets.references(need.vio))
                    for pre in sets.references(need.pres)
                ]
    return found


def written_readers(
    readers: Mapping[Reference, tuple[str, ...]], sets: Sets
) -> list[WrittenReaders]:
    return [
        WrittenReaders(
            source=reference.source, target=reference.target, by=sets.processes(processes)
        )
        for reference, processes in readers.items()
    ]


# ---------------------------------------------------------------- reading


def read_rows(document: WrittenTable, out: WrittenOut) -> tuple[Row, ...]:
    rows = []
    for written in document.rows:
        transition = Transition(written.source, carrying(written.on).label, written.target)
        vio = out.references(written.vio)
        pres = (None,) if written.pre is None else out.of(written.pre)
        rows += [Row(transition, written.final, pre, vio) for pre in pres]
    return tuple(rows)


def read_readers(
    document: WrittenTable,
    own: Iterable[Reference],
    written: Iterable[WrittenReaders],
    out: WrittenOut,
) -> dict[Reference, tuple[str, ...]]:
    by = {
        (readers.source, readers.target): frozenset(out.processes(readers.by))
        for readers in written
    }
    return {
        reference: tuple(
            process for process in document.processes if process in by[states_of(reference)]
        )
        for reference in own
        if by
    }


def read_skeleton(
    document: WrittenTable, rows: Iterable[Row], out: WrittenOut
) -> dict[Reference, tuple[Need, ...]]:
    """Needs of transitions: those of others from the file, own ones from the rows."""
    own: dict[Reference, dict[Rested, None] | None] = {}
    for row in rows:
        reference = row.transition.reference
        if row.pre is None:
            own[reference] = None
        elif (found := own.setdefault(reference, {})) is not None:
            found[Rested(row.pre, row.vio)] = None
    others: dict[WrittenReference, list[Rested]] = {}
    for written in document.skeleton or ():
        vio = out.references(written.vio)
        pres = () if written.pre is None else out.of(written.pre)
        others.setdefault(written.of, []).extend(Rested(pre, vio) for pre in pres)
    skeleton = {reference: needs_of(rested or ()) for reference, rested in own.items()}
    for of, rested in others.items():
        skeleton |= dict.fromkeys(out.of(of), needs_of(rested))
    return skeleton


def carrying(text: str) -> CarryingLabel:
    """The label in a file that was found to be right."""
    found = parse_carrying_label(text)
    assert found is not None, "read_table has refused it"
    return found
