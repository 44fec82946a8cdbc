"""A split that follows an earlier one, whose files are in a folder: all of them together are the
old property, as far as anybody needs it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from choreomon.agent_files.table_file import MAX_TABLE_BYTES, SplitTable, is_table, load_table
from choreomon.core.errors import DocumentError, Problem
from choreomon.files.input_files import beginning
from choreomon.monitor.opening import Predecessor
from choreomon.properties.alike import remembered_alike
from choreomon.properties.tables import TransitionTable

NamedTables = Mapping[str, tuple[str, SplitTable]]
"""Tables by process, each with the name of its file."""


class Lineage(NamedTuple):
    """The result of following `system`: why it `cannot` be done, "" if it can; and how many of the
    new `transitions` that others may ask about take over their history, since they are `alike`."""

    system: str
    cannot: str
    alike: int
    transitions: int

    def told(self) -> str:
        """A sentence for people."""
        if self.cannot:
            return (
                f"It does not follow {self.system}: {self.cannot}. It can be opened beside that "
                "one all the same, with a clock of its own; what happened before is a gap to it."
            )
        rest = "all else that happened before is a gap to it"
        return (
            f"It follows {self.system}, and takes over the history of {self.alike} of "
            f"{self.transitions} transitions that others ask about; {rest}."
        )


def after(
    split: NamedTables, folder: str | os.PathLike[str]
) -> tuple[dict[str, tuple[str, SplitTable]], Lineage]:
    """The new tables as those of a system that follows the one in the folder, where that can be.
    Raises `DocumentError` where the folder does not hold all tables of one system."""
    old = load_split(folder)
    some, new = next(iter(old.values())), next(table for _, table in split.values())
    if some.processes != new.processes:
        told = "its processes are others, or in another order"
        return dict(split), Lineage(some.system_id, told, 0, 0)
    if some.table.parameters or new.table.parameters:
        told = "of a property for each instance no history is taken over"
        return dict(split), Lineage(some.system_id, told, 0, 0)
    follows = predecessors(
        some.system_id,
        some.clock_id,
        {process: table.table for process, table in old.items()},
        {process: table.table for process, (_, table) in split.items()},
        literal="paper" in (some.rules, new.rules),
    )
    tables = {
        process: (name, replace(table, after=follows[process]))
        for process, (name, table) in split.items()
    }
    asked = sum(bool(by) for _, table in split.values() for by in table.table.readers.values())
    found = sum(len(each.alike) for each in follows.values())
    return tables, Lineage(some.system_id, "", found, asked)


def predecessors(
    system: str,
    clock: str,
    old: Mapping[str, TransitionTable],
    new: Mapping[str, TransitionTable],
    *,
    literal: bool = False,
) -> dict[str, Predecessor]:
    """The predecessors that new tables state of the old system with this id and clock, by process.
    With `literal` rules on either side nothing is alike."""
    named = {} if literal else remembered_alike(old, new)
    return {process: Predecessor(system, clock, named.get(process, {})) for process in new}


def load_split(folder: str | os.PathLike[str]) -> dict[str, SplitTable]:
    """Load the tables of the one system in a folder, by process. Raises `DocumentError` if it holds
    none, not all of one, or tables of several."""
    where = os.fspath(folder)
    try:
        files = sorted(name for name in os.listdir(where) if name.endswith(".json"))
    except OSError as error:
        raise _refused(where, f"cannot be read: {error.strerror or error}") from None
    paths = [os.path.join(where, name) for name in files]
    found = [load_table(path) for path in paths if is_table(beginning(path, MAX_TABLE_BYTES + 1))]
    if not found:
        raise _refused(where, "holds no table: name a folder that `choreomon split` wrote")
    systems = dict.fromkeys(table.system_id for table in found)
    if len(systems) > 1:
        told = f"holds tables of {len(systems)} systems: take away those of all but one"
        raise _refused(where, told)
    tables = {slot: table.at(slot) for table in found for slot in table.roles.slots_of(table.named)}
    missing = [process for process in found[0].processes if process not in tables]
    if missing:
        told = f"lacks the table of {', '.join(missing)}: all of a split are needed"
        raise _refused(where, told)
    return {process: tables[process] for process in found[0].processes}


def _refused(file: str, told: str) -> DocumentError:
    return DocumentError((Problem(file, 0, "", told),))
