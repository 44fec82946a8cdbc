"""The shape of a table's file (`choreomon.agent_files.table_file`)."""

from __future__ import annotations

from typing import Final

import msgspec

from choreomon.agent_files.table_rules import WrittenRule
from choreomon.agent_files.table_sets import ProcessSet, WrittenReference
from choreomon.files.json_shapes import JsonDocument

MAX_PROCESSES: Final = 1024
"""Entries of a clock."""
SYSTEM_ID_BYTES: Final = 16
MAX_PARAMETERS: Final = 8
"""The most parameters, so that the values of a verdict fit into its line."""
SPLIT_AGAIN: Final = "split the property again"


class WrittenRow(msgspec.Struct, forbid_unknown_fields=True):
    on: str
    source: str = msgspec.field(name="from")
    target: str = msgspec.field(name="to")
    final: bool
    pre: WrittenReference | None
    vio: tuple[WrittenReference, ...]


class WrittenReaders(msgspec.Struct, forbid_unknown_fields=True):
    source: str = msgspec.field(name="from")
    target: str = msgspec.field(name="to")
    by: ProcessSet | int


class WrittenSkeleton(msgspec.Struct, forbid_unknown_fields=True):
    of: WrittenReference
    pre: WrittenReference | None
    vio: tuple[WrittenReference, ...]


class WrittenAlike(msgspec.Struct, forbid_unknown_fields=True):
    source: str = msgspec.field(name="from")
    target: str = msgspec.field(name="to")
    was: tuple[str, str]


class WrittenPredecessor(msgspec.Struct, forbid_unknown_fields=True):
    system: str
    clock: str
    alike: list[WrittenAlike]


class WrittenForgetting(msgspec.Struct, forbid_unknown_fields=True):
    after: float
    bindings: list[tuple[str, ...]]


class WrittenTable(JsonDocument, forbid_unknown_fields=True):
    """A file, field by field. `sequences` are those of a property that was written as such;
    `for_each`, `key` and `carries` are those of a property for each instance, `forget` of one whose
    instances are forgotten, `skeleton` and `followers` of `precise` rules, `after` of a system that
    follows another one, `named_rules` of a property that is written as rules, `sets` of one
    where many processes may take the same step, and `roles` of a system with replicas."""

    kind: str
    version: int
    system: str
    title: str
    rules: str
    process: str
    processes: tuple[str, ...]
    rows: list[WrittenRow]
    readers: list[WrittenReaders]
    sequences: tuple[int, ...] | None = None
    for_each: tuple[str, ...] | None = None
    key: str | None = None
    carries: list[str] | None = None
    forget: WrittenForgetting | None = None
    skeleton: list[WrittenSkeleton] | None = None
    followers: list[WrittenReaders] | None = None
    after: WrittenPredecessor | None = None
    named_rules: list[WrittenRule] | None = None
    sets: tuple[ProcessSet, ...] | None = None
    roles: dict[str, int] | None = None

    def keys(self) -> int:
        """Count the keys of mappings that were read."""
        more = [each for each in (self.skeleton, self.followers) if each is not None]
        keys = 9 + (self.sequences is not None) + 6 * len(self.rows) + 3 * len(self.readers)
        keys += sum(each is not None for each in (self.for_each, self.key, self.carries, self.sets))
        if self.forget is not None:
            keys += 3
        if self.roles is not None:
            keys += 1 + len(self.roles)
        if self.after is not None:
            keys += 4 + 3 * len(self.after.alike)
        return keys + sum(1 + 3 * len(each) for each in more)

    def colons(self) -> int:
        """Count the colons in what was read, besides one after every key."""
        texts = (self.title, *(row.on for row in self.rows), *(self.carries or ()))
        return sum(text.count(":") for text in texts)
