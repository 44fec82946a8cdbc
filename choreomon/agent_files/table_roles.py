"""Tables of systems with roles (`choreomon.core.roles`): one file for all slots of a role.

The tables of the slots of a role differ in nothing but the slot. So a file has that of any of them:
it names the role as its `process` and at the own end of its labels, and says in `roles` how many
slots each has. In `processes`, in references and among readers the name of a role stands for all of
its slots:

    "process": "shop",
    "roles": {"shop": 2, "billing": 3},
    "processes": ["bank", "shop", "billing", "carrier"],
    "rows": [
      {"on": "shop -> carrier : ship", "from": "q1", "to": "q2", "final": true,
       "pre": ["q0", "billing", "q1"], "vio": []},
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import msgspec

from choreomon.agent_files.table_sets import WrittenReference
from choreomon.agent_files.table_shape import (
    MAX_PROCESSES,
    SPLIT_AGAIN,
    WrittenReaders,
    WrittenSkeleton,
    WrittenTable,
)
from choreomon.core.errors import Path
from choreomon.core.labels import CarryingLabel, parse_carrying_label
from choreomon.core.roles import Roles, at_slot, slot_name
from choreomon.core.verdict import Reference
from choreomon.properties.resting import Need
from choreomon.properties.tables import Row, TransitionTable


def table_at(table: TransitionTable, slot: str, roles: Roles) -> TransitionTable:
    """The table of another slot of the same role."""
    before = table.process
    if slot == before:
        return table
    siblings = roles.slots_of(roles.role_of(slot))

    def own(reference: Reference) -> Reference:
        return reference._replace(process=slot) if reference.process == before else reference

    def others(names: tuple[str, ...]) -> tuple[str, ...]:
        """Processes that follow an own transition, among which the process itself is not."""
        if siblings == (slot,) or not {*names} & {*siblings}:
            return names
        kept = {*names, *siblings} - {slot}
        return tuple(name for name in roles.processes(_names(names, roles)) if name in kept)

    return replace(
        table,
        process=slot,
        rows=tuple(
            Row(
                row.transition._replace(label=at_slot(row.transition.label, slot)),
                row.final,
                row.pre,
                row.vio,
            )
            for row in table.rows
        ),
        readers={own(reference): by for reference, by in table.readers.items()},
        followers={own(each): others(by) for each, by in table.followers.items()},
        skeleton=_skeleton_at(table, slot),
        carries={at_slot(label, slot): names for label, names in table.carries.items()},
    )


def _names(processes: tuple[str, ...], roles: Roles) -> tuple[str, ...]:
    """The roles of processes, in the order in which they come up."""
    return tuple(dict.fromkeys(map(roles.role_of, processes)))


def _skeleton_at(table: TransitionTable, slot: str) -> Mapping[Reference, tuple[Need, ...]]:
    """The own transitions of the table are the slot's, and the other way round where both are
    there."""
    found: dict[Reference, tuple[Need, ...]] = {}
    for reference, needs in table.skeleton.items():
        moved = reference
        if reference.process == table.process:
            moved = reference._replace(process=slot)
        elif reference.process == slot:
            moved = reference._replace(process=table.process)
        found[moved] = needs
    return found


# ---------------------------------------------------------------- in files


def by_role(label: CarryingLabel, roles: Roles) -> str:
    """An own label as the file of its role has it."""
    role = roles.role_of(label.label.process)
    return str(label._replace(label=at_slot(label.label, role)))


def role_defects(document: WrittenTable) -> Iterator[tuple[Path, str]]:
    """Defects of the roles of a file that has the right shape."""
    roles = document.roles or {}
    for role, count in roles.items():
        path: Path = ("roles", role)
        if count < 1:
            yield path, f"should be at least 1, not {count}: {SPLIT_AGAIN}"
        if role not in document.processes:
            yield path, f"{role!r} is none of the processes: {SPLIT_AGAIN}"
    slots = sum(max(count, 0) for count in roles.values())
    if slots > MAX_PROCESSES:
        told = f"come to {slots} slots; at most {MAX_PROCESSES} processes are supported"
        yield ("roles",), f"{told}: use fewer"


def over_slots(document: WrittenTable) -> WrittenTable:
    """The file as that of the first slot of its role, where sets stand in place of roles. Its roles
    have no defects."""
    if not document.roles:
        return document
    return _WrittenOut(document, Roles(document.roles)).document()


class _WrittenOut:
    """A file in which roles are written out."""

    def __init__(self, written: WrittenTable, roles: Roles) -> None:
        self._written, self._roles = written, roles
        self._sets = [*(written.sets or ())]
        self._places: dict[str, int] = {}

    def document(self) -> WrittenTable:
        written, role = self._written, self._written.process
        rows = [
            msgspec.structs.replace(
                row,
                on=self._label(row.on),
                pre=None if row.pre is None else self._reference(row.pre),
                vio=self._references(row.vio),
            )
            for row in written.rows
        ]
        skeleton = [
            WrittenSkeleton(
                of=self._reference(each.of),
                pre=None if each.pre is None else self._reference(each.pre),
                vio=self._references(each.vio),
            )
            for each in written.skeleton or ()
        ]
        carries, followers = written.carries, written.followers
        return msgspec.structs.replace(
            written,
            process=slot_name(role, 0) if role in self._roles.slots else role,
            processes=self._roles.processes(written.processes),
            rows=rows,
            carries=None if carries is None else [*map(self._label, carries)],
            readers=[*map(self._readers, written.readers)],
            skeleton=None if written.skeleton is None else skeleton,
            followers=None if followers is None else [*map(self._readers, followers)],
            sets=tuple(self._sets) or None,
        )

    def _label(self, text: str) -> str:
        """An own label at the first slot; another one, which is a defect, as it is."""
        role = self._written.process
        label = parse_carrying_label(text)
        if label is None or role not in self._roles.slots or label.label.process != role:
            return text
        return str(label._replace(label=at_slot(label.label, slot_name(role, 0))))

    def _reference(self, reference: WrittenReference) -> WrittenReference:
        role = reference.process
        if not isinstance(role, str) or role not in self._roles.slots:
            return reference
        if role not in self._places:
            self._places[role] = len(self._sets)
            self._sets.append(self._roles.slots_of(role))
        return reference._replace(process=self._places[role])

    def _references(self, written: Iterable[WrittenReference]) -> tuple[WrittenReference, ...]:
        return tuple(map(self._reference, written))

    def _readers(self, readers: WrittenReaders) -> WrittenReaders:
        if isinstance(readers.by, int):
            return readers
        return msgspec.structs.replace(readers, by=self._roles.processes(readers.by))
