"""Which references of two properties are alike: they fire at the same events of every order.

Two references are alike where they have the same process and the same labels, and for each label
both start a sequence, or to each pre-transition of one there is one of the other that is alike,
with vio-transitions that are alike as sets. The greatest relation of that kind is a bisimulation,
and is found by refining a partition of all references until nothing differs within a part. That
alike ones fire alike follows along any order (docs/adr/030-systems-that-follow.md, "What is
alike").

It needs the tables of all processes, those of `sound` or `precise` rules: by the literal ones the
rows of backward transitions lack what they need (docs/adr/022-monitors.md, "3. A cancellation from
a state that was left").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from choreomon.core.message import BEGIN, BEGINNING, Label
from choreomon.core.verdict import Reference
from choreomon.properties.resting import Need
from choreomon.properties.tables import TransitionTable

Rows: TypeAlias = Mapping[Reference, Mapping[Label, tuple[Need, ...] | None]]
"""By reference and label what it rests on; `None` where it starts a sequence."""


def rows_of(tables: Iterable[TransitionTable]) -> Rows:
    """Return what all references rest on; those of `BEGIN` start a sequence, and are in
    skeletons."""
    found: dict[Reference, dict[Label, tuple[Need, ...] | None]] = {}
    for table in tables:
        for reference in table.skeleton:
            if reference.process == BEGINNING:
                found[reference] = {BEGIN: None}
        for label, inspected in table.inspections.items():
            for each in inspected:
                rests_on = None if each.starts else each.needs
                found.setdefault(each.reference, {})[label] = rests_on
    return found


def alike(old: Rows, new: Rows) -> dict[Reference, tuple[Reference, ...]]:
    """Map each new reference to the old ones that are alike, in their order; to none for most of a
    property that says something else."""
    sides = [(0, reference) for reference in old] + [(1, reference) for reference in new]
    rows = (old, new)
    part: dict[tuple[int, Reference], int] = dict.fromkeys(sides, 0)
    parts = 0
    while True:
        signatures: dict[object, int] = {}
        refined = {
            (side, reference): signatures.setdefault(
                signature(reference, rows[side][reference], side, part), len(signatures)
            )
            for side, reference in sides
        }
        if len(signatures) == parts:
            break
        part, parts = refined, len(signatures)
    members: dict[int, list[Reference]] = {}
    for reference in old:
        members.setdefault(part[0, reference], []).append(reference)
    return {
        reference: tuple(members[part[1, reference]])
        for reference in new
        if part[1, reference] in members
    }


def signature(
    reference: Reference,
    rows: Mapping[Label, tuple[Need, ...] | None],
    side: int,
    part: Mapping[tuple[int, Reference], int],
) -> object:
    """Return what has to be the same in one part. With the present part in it, parts are only
    divided."""
    return (
        part[side, reference],
        reference.process,
        frozenset(
            (
                label,
                None
                if needs is None
                else frozenset(
                    (part[side, pre], vio)
                    for need in needs
                    for vio in (frozenset(part[side, each] for each in need.vio),)
                    for pre in need.pres
                ),
            )
            for label, needs in rows.items()
        ),
    )


def remembered_alike(
    old: Mapping[str, TransitionTable], new: Mapping[str, TransitionTable]
) -> dict[str, dict[Reference, Reference]]:
    """Map, by process, each new reference to the old one that is alike and was remembered, where
    there is one: an old one that nobody could ask for was not. Both have the same processes."""
    named: dict[str, dict[Reference, Reference]] = {process: {} for process in new}
    for reference, same in alike(rows_of(old.values()), rows_of(new.values())).items():
        process = reference.process
        if process == BEGINNING:
            continue  # nobody remembers it
        if new[process].readers.get(reference):
            remembered = next((each for each in same if old[process].readers.get(each)), None)
            if remembered is not None:
                named[process][reference] = remembered
    return named
