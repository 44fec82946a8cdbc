"""The shape of a table's file (`choreomon.formats.table_file`), and what a shape cannot say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from choreomon.core.errors import Path
from choreomon.core.message import ENVIRONMENT, Label
from choreomon.core.suggestion import did_you_mean
from choreomon.core.verdict import Reference
from choreomon.formats.labels import NAME_PATTERN, NAME_RULE, parse_label

MAX_PROCESSES: Final = 1024
"""Entries of a clock."""
SYSTEM_ID_BYTES: Final = 16
SPLIT_AGAIN: Final = "split the property again"

_NAME: Final = re.compile(NAME_PATTERN)
_SYSTEM_ID: Final = re.compile(f"[0-9a-f]{{{2 * SYSTEM_ID_BYTES}}}")


class WrittenRow(msgspec.Struct, forbid_unknown_fields=True):
    on: str
    source: str = msgspec.field(name="from")
    target: str = msgspec.field(name="to")
    final: bool
    pre: Reference | None
    vio: tuple[Reference, ...]


class WrittenReaders(msgspec.Struct, forbid_unknown_fields=True):
    source: str = msgspec.field(name="from")
    target: str = msgspec.field(name="to")
    by: tuple[str, ...]


class WrittenTable(msgspec.Struct, forbid_unknown_fields=True):
    kind: str
    version: int
    system: str
    title: str
    rules: str
    process: str
    processes: tuple[str, ...]
    rows: list[WrittenRow]
    readers: list[WrittenReaders]

    def keys(self) -> int:
        """How many keys of mappings were read."""
        return 9 + 6 * len(self.rows) + 3 * len(self.readers)

    def colons(self) -> int:
        """How many colons are in what was read, besides one after every key."""
        texts = (self.title, *(row.on for row in self.rows))
        return sum(text.count(":") for text in texts)


def table_defects(document: WrittenTable) -> Iterator[tuple[Path, str]]:
    """What is wrong with a table that has the right shape: where, and what would be right.

    Everything is held against the table's own rows alone. Whether the rows are those of some
    property, and whether others ask what `readers` allow, cannot be seen here.
    """
    if not _SYSTEM_ID.fullmatch(document.system):
        yield ("system",), f"should be {2 * SYSTEM_ID_BYTES} digits 0-9 and a-f: {SPLIT_AGAIN}"
    if not (document.title.strip() and document.title.isprintable()):
        yield ("title",), "should be one line of text"
    if document.rules not in ("sound", "paper"):
        told = did_you_mean(document.rules, ("sound", "paper"))
        yield ("rules",), f"should be sound or paper, not {document.rules!r}{told}"
    yield from _defects_of_processes(document)
    yield from _defects_of_rows(document)
    yield from _defects_of_readers(document)


def _defects_of_processes(document: WrittenTable) -> Iterator[tuple[Path, str]]:
    if len(document.processes) > MAX_PROCESSES:
        count = len(document.processes)
        yield ("processes",), f"are {count}; at most {MAX_PROCESSES} are supported: use fewer"
    seen: set[str] = set()
    for place, process in enumerate(document.processes):
        if process == ENVIRONMENT:
            yield ("processes", place), f"{ENVIRONMENT!r} has no monitor: {SPLIT_AGAIN}"
        elif not _NAME.fullmatch(process):
            yield ("processes", place), f"should be a name of {NAME_RULE}"
        elif process in seen:
            yield ("processes", place), f"{process!r} comes twice: {SPLIT_AGAIN}"
        seen.add(process)
    if document.process not in seen:
        yield ("process",), _unknown(document.process, document)


def _unknown(process: str, document: WrittenTable) -> str:
    told = did_you_mean(process, document.processes) or f": {SPLIT_AGAIN}"
    return f"{process!r} is none of the processes{told}"


def _defects_of_rows(document: WrittenTable) -> Iterator[tuple[Path, str]]:
    processes = frozenset(document.processes)
    own = {(row.source, row.target): row.final for row in document.rows}
    seen: set[tuple[Label | None, str, str, Reference | None]] = set()
    for place, row in enumerate(document.rows):
        path: Path = ("rows", place)
        label = parse_label(row.on)
        if label is None:
            yield (*path, "on"), 'should be a label "[handle] SENDER -> RECEIVER : NAME"'
        elif label.process != document.process:
            told = f"is watched by {label.process}, and this is the table of {document.process}"
            yield (*path, "on"), f"{told}: {SPLIT_AGAIN}"
        elif (label, row.source, row.target, row.pre) in seen:
            yield path, "comes twice: keep one of the two"
        seen.add((label, row.source, row.target, row.pre))
        for field, state in (("from", row.source), ("to", row.target)):
            if not _NAME.fullmatch(state):
                yield (*path, field), f"should be a name of {NAME_RULE}"
        if row.source == row.target:
            yield (*path, "to"), f"should be another state than {row.source!r}, from which it leads"
        if own[row.source, row.target] != row.final:
            told = "should be the same in all rows from and to the same states"
            yield (*path, "final"), f"{told}: {SPLIT_AGAIN}"
        if row.pre is None and row.vio:
            yield (*path, "vio"), "should be empty where there is no pre-transition"
        if row.pre is not None and row.pre.target != row.source:
            told = f"leads to {row.pre.target!r}, and this transition leaves {row.source!r}"
            yield (*path, "pre"), f"{told}: {SPLIT_AGAIN}"
        asked = (*([("pre", row.pre)] if row.pre else ()), *(("vio", vio) for vio in row.vio))
        for field, reference in asked:
            if reference.process not in processes:
                yield (*path, field), _unknown(reference.process, document)
            elif (
                reference.process == document.process
                and (reference.source, reference.target) not in own
            ):
                yield (*path, field), f"{reference} has no row in this table: {SPLIT_AGAIN}"


def _defects_of_readers(document: WrittenTable) -> Iterator[tuple[Path, str]]:
    processes = frozenset(document.processes)
    own = dict.fromkeys((row.source, row.target) for row in document.rows)
    asked_by_itself = {
        (reference.source, reference.target)
        for row in document.rows
        for reference in ((row.pre,) if row.pre else ()) + row.vio
        if reference.process == document.process
    }
    seen: set[tuple[str, str]] = set()
    for place, readers in enumerate(document.readers):
        path: Path = ("readers", place)
        pair = (readers.source, readers.target)
        named = f"the transition from {pair[0]!r} to {pair[1]!r}"
        if pair in seen:
            yield path, f"{named} comes twice: keep one of the two"
        elif pair not in own:
            yield path, f"{named} has no row in this table: take it out"
        seen.add(pair)
        by: set[str] = set()
        for number, process in enumerate(readers.by):
            if process not in processes:
                yield (*path, "by", number), _unknown(process, document)
            elif process in by:
                yield (*path, "by", number), f"{process!r} comes twice: keep one of the two"
            by.add(process)
        if (document.process in by) is not (pair in asked_by_itself):
            does = "asks" if pair in asked_by_itself else "does not ask"
            yield (*path, "by"), f"{document.process} {does} about {named}: {SPLIT_AGAIN}"
    for source, target in own:
        if (source, target) not in seen:
            told = f"do not say who may ask about the transition from {source!r} to {target!r}"
            yield ("readers",), f"{told}: {SPLIT_AGAIN}"
