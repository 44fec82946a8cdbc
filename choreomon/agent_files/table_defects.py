"""What the shape of a table's file cannot say (`choreomon.agent_files.table_shape`).

Everything is held against the table's own rows alone. Whether the rows are those of some property,
and whether others ask what `readers` allow, cannot be seen here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from choreomon.agent_files.digests import KEY_BYTES
from choreomon.agent_files.table_rules import rule_defects
from choreomon.agent_files.table_sets import WrittenOut, WrittenReference
from choreomon.agent_files.table_shape import (
    MAX_PARAMETERS,
    MAX_PROCESSES,
    SPLIT_AGAIN,
    SYSTEM_ID_BYTES,
    WrittenForgetting,
    WrittenPredecessor,
    WrittenReaders,
    WrittenTable,
)
from choreomon.core.errors import Path
from choreomon.core.labels import parse_carrying_label, parse_label
from choreomon.core.message import BEGINNING, ENVIRONMENT, Label
from choreomon.core.names import PLAIN_RULE, is_plain, name_defect
from choreomon.core.suggestion import did_you_mean
from choreomon.core.verdict import Reference
from choreomon.properties.sequences import possible_lengths
from choreomon.properties.tables import RULES_NAMES

MOST_WRITTEN_OUT: Final = 2_000_000
"""References that the sets of a file may stand for, so that a small file takes no large memory."""

_Pairs: TypeAlias = Mapping[tuple[str, str], object]
"""The own transitions, by their states."""

_KEY: Final = re.compile(f"[0-9a-f]{{{2 * KEY_BYTES}}}")
_SYSTEM_ID: Final = re.compile(f"[0-9a-f]{{{2 * SYSTEM_ID_BYTES}}}")


def table_defects(document: WrittenTable) -> Iterator[tuple[Path, str]]:
    """Defects of a table that has the right shape: where, and what would be right."""
    if not _SYSTEM_ID.fullmatch(document.system):
        yield ("system",), f"should be {2 * SYSTEM_ID_BYTES} digits 0-9 and a-f: {SPLIT_AGAIN}"
    if not (document.title.strip() and document.title.isprintable()):
        yield ("title",), "should be one line of text"
    if document.rules not in RULES_NAMES:
        told = did_you_mean(document.rules, RULES_NAMES)
        yield ("rules",), f"should be precise, sound or paper, not {document.rules!r}{told}"
    if document.sequences is not None and not possible_lengths(document.sequences):
        yield ("sequences",), f"should say how many steps each sequence has: {SPLIT_AGAIN}"
    yield from _defects_of_processes(document)
    wrong_sets = [*_defects_of_sets(document)]
    if wrong_sets:
        yield from wrong_sets
        return  # the rest speaks of them
    out = WrittenOut(document.sets or ())
    yield from _defects_of_rows(document, out)
    own = dict.fromkeys((row.source, row.target) for row in document.rows)
    yield from _defects_of_readers(document, "readers", document.readers, own, out)
    yield from _defects_of_own_asks(document, own, out)
    precise = document.rules == "precise"
    for field, value in (("skeleton", document.skeleton), ("followers", document.followers)):
        if precise and value is None:
            yield (), f"has no {field}, which precise rules need: {SPLIT_AGAIN}"
        elif value is not None and not precise:
            yield (field,), f"should be left out with {document.rules} rules"
    if precise:
        yield from _defects_of_skeleton(document, own, out)
        yield from _defects_of_readers(document, "followers", document.followers or (), own, out)
    if document.after is not None:
        yield from _defects_of_predecessor(document, document.after, own)
    yield from _defects_of_parameters(document)
    if document.named_rules is not None:
        rows = dict.fromkeys((row.source, row.target, row.final) for row in document.rows)
        yield from rule_defects(document.named_rules, rows)
    if document.forget is not None:
        yield from _defects_of_forgetting(document.forget, document.for_each or ())


def _defects_of_forgetting(
    forget: WrittenForgetting, parameters: Sequence[str]
) -> Iterator[tuple[Path, str]]:
    if not 0 < forget.after < math.inf:
        yield ("forget", "after"), f"should be a number of seconds above 0: {SPLIT_AGAIN}"
    for place, names in enumerate(forget.bindings):
        if not names or list(names) != sorted({*names} & {*parameters}):
            told = "should be parameters of the property, sorted, each once"
            yield ("forget", "bindings", place), f"{told}: {SPLIT_AGAIN}"


def _defects_of_parameters(document: WrittenTable) -> Iterator[tuple[Path, str]]:
    """Check that each own label carries parameters of the property, and none others do."""
    parameters, carries = document.for_each, document.carries
    if parameters is None or document.key is None or carries is None:
        for field in ("for_each", "key", "carries"):
            if getattr(document, field) is not None:
                told = "goes with for_each, key and carries, and not all of them are here"
                yield (field,), f"{told}: {SPLIT_AGAIN}"
        return
    if not 0 < len(parameters) <= MAX_PARAMETERS:
        yield ("for_each",), f"should be 1 to {MAX_PARAMETERS} parameters: {SPLIT_AGAIN}"
    for place, name in enumerate(parameters):
        if not is_plain(name):
            yield ("for_each", place), f"should be a name of {PLAIN_RULE}"
        elif name in parameters[:place]:
            yield ("for_each", place), f"{name!r} comes twice: keep one of the two"
    if not _KEY.fullmatch(document.key):
        yield ("key",), f"should be {2 * KEY_BYTES} digits 0-9 and a-f: {SPLIT_AGAIN}"
    if document.rules != "precise":
        yield ("rules",), f"should be precise in a property for each instance: {SPLIT_AGAIN}"
    own = {str(parse_label(row.on)) for row in document.rows}
    seen: set[str] = set()
    for place, text in enumerate(carries):
        path: Path = ("carries", place)
        carrying = parse_carrying_label(text)
        if carrying is None:
            yield path, 'should be a label "[handle] SENDER -> RECEIVER : NAME(PARAMETER, ...)"'
            continue
        label = str(carrying.label)
        if label not in own:
            yield path, f"{label} has no row in this table: take it out"
        elif label in seen:
            yield path, f"{label} comes twice: keep one of the two"
        for name in carrying.parameters:
            if name not in parameters:
                told = did_you_mean(name, parameters) or f": {SPLIT_AGAIN}"
                yield path, f"{name!r} is none of the parameters{told}"
        seen.add(label)
    for label in sorted(own - seen):
        yield ("carries",), f"do not say what {label} carries: {SPLIT_AGAIN}"


def _defects_of_pair(
    path: Path, pair: tuple[str, str], own: _Pairs, seen: set[tuple[str, str]]
) -> Iterator[tuple[Path, str]]:
    """Yield what is wrong with one of several transitions of this table, and add it to `seen`."""
    named = f"the transition from {pair[0]!r} to {pair[1]!r}"
    if pair in seen:
        yield path, f"{named} comes twice: keep one of the two"
    elif pair not in own:
        yield path, f"{named} has no row in this table: take it out"
    seen.add(pair)


def _defects_of_predecessor(
    document: WrittenTable, after: WrittenPredecessor, own: _Pairs
) -> Iterator[tuple[Path, str]]:
    for field, system in (("system", after.system), ("clock", after.clock)):
        if not _SYSTEM_ID.fullmatch(system):
            told = f"should be {2 * SYSTEM_ID_BYTES} digits 0-9 and a-f: {SPLIT_AGAIN}"
            yield ("after", field), told
        elif system == document.system:
            yield ("after", field), f"is the system of this table itself: {SPLIT_AGAIN}"
    seen: set[tuple[str, str]] = set()
    for place, each in enumerate(after.alike):
        path: Path = ("after", "alike", place)
        yield from _defects_of_pair(path, (each.source, each.target), own, seen)
        for state in each.was:
            if not is_plain(state):
                yield (*path, "was"), f"should lead from and to names of {PLAIN_RULE}"


def _defects_of_processes(document: WrittenTable) -> Iterator[tuple[Path, str]]:
    if len(document.processes) > MAX_PROCESSES:
        count = len(document.processes)
        yield ("processes",), f"are {count}; at most {MAX_PROCESSES} are supported: use fewer"
    seen: set[str] = set()
    for place, process in enumerate(document.processes):
        if process == ENVIRONMENT:
            yield ("processes", place), f"{ENVIRONMENT!r} has no monitor: {SPLIT_AGAIN}"
        elif defect := name_defect(process):
            yield ("processes", place), f"is no name: it {defect}"
        elif process in seen:
            yield ("processes", place), f"{process!r} comes twice: {SPLIT_AGAIN}"
        seen.add(process)
    if document.process not in seen:
        yield ("process",), _unknown(document.process, document)


def _unknown(process: str, document: WrittenTable) -> str:
    told = did_you_mean(process, document.processes) or f": {SPLIT_AGAIN}"
    return f"{process!r} is none of the processes{told}"


def _defects_of_sets(document: WrittenTable) -> Iterator[tuple[Path, str]]:
    """Check that sets are some of the processes each, that every place is one of a set, and that
    all of them together are not too many."""
    processes, sets = frozenset(document.processes), document.sets or ()
    for place, members in enumerate(sets):
        if not members:
            yield ("sets", place), f"should have a process: {SPLIT_AGAIN}"
        seen: set[str] = set()
        for number, process in enumerate(members):
            if process not in processes:
                yield ("sets", place, number), _unknown(process, document)
            elif process in seen:
                yield ("sets", place, number), f"{process!r} comes twice: keep one of the two"
            seen.add(process)
    written_out = 0
    for path, name in _named(document):
        if isinstance(name, str):
            continue
        if 0 <= name < len(sets):
            written_out += len(sets[name])
        else:
            told = f"{name} is the place of no set, and there are {len(sets)}"
            yield path, f"{told}: {SPLIT_AGAIN}"
    if written_out > MOST_WRITTEN_OUT:
        told = f"stand for {written_out} references; at most {MOST_WRITTEN_OUT} are supported"
        yield ("sets",), f"{told}: use a smaller property"


def _named(document: WrittenTable) -> Iterator[tuple[Path, str | int]]:
    """The processes that are named, or the places of their sets."""
    for place, row in enumerate(document.rows):
        for field, reference in _asked(row.pre, row.vio):
            yield ("rows", place, field), reference.process
    for place, described in enumerate(document.skeleton or ()):
        yield ("skeleton", place, "of"), described.of.process
        for field, reference in _asked(described.pre, described.vio):
            yield ("skeleton", place, field), reference.process
    for name, written in (("readers", document.readers), ("followers", document.followers or ())):
        for place, readers in enumerate(written):
            if isinstance(readers.by, int):
                yield (name, place, "by"), readers.by


def _asked(
    pre: WrittenReference | None, vio: Sequence[WrittenReference]
) -> list[tuple[str, WrittenReference]]:
    """The references that a row names, each with its field."""
    return [*([("pre", pre)] if pre else []), *[("vio", each) for each in vio]]


def _defects_of_rows(document: WrittenTable, out: WrittenOut) -> Iterator[tuple[Path, str]]:
    processes = frozenset(document.processes)
    own = {(row.source, row.target): row.final for row in document.rows}
    seen: set[tuple[Label | None, str, str, Reference | None]] = set()
    for place, row in enumerate(document.rows):
        path: Path = ("rows", place)
        label = parse_label(row.on)
        named = {
            (label, row.source, row.target, pre)
            for pre in ((None,) if row.pre is None else out.of(row.pre))
        }
        if label is None:
            yield (*path, "on"), 'should be a label "[handle] SENDER -> RECEIVER : NAME"'
        elif label.process != document.process:
            told = f"is watched by {label.process}, and this is the table of {document.process}"
            yield (*path, "on"), f"{told}: {SPLIT_AGAIN}"
        elif named & seen:
            yield path, "comes twice: keep one of the two"
        seen |= named
        for field, state in (("from", row.source), ("to", row.target)):
            if not is_plain(state):
                yield (*path, field), f"should be a name of {PLAIN_RULE}"
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
        for field, reference in _asked(row.pre, row.vio):
            if reference.process == BEGINNING and field == "pre":
                if document.rules != "precise":
                    told = f"is begin, of which {document.rules} rules know nothing"
                    yield (*path, field), f"{told}: {SPLIT_AGAIN}"
                continue
            name = reference.process
            if isinstance(name, str) and name not in processes:
                yield (*path, field), _unknown(name, document)
            if _is_missing(document, reference, own, out):
                yield (*path, field), f"{reference} has no row in this table: {SPLIT_AGAIN}"


def _is_missing(
    document: WrittenTable, reference: WrittenReference, own: _Pairs, out: WrittenOut
) -> bool:
    """Return whether it is an own transition, or one of several is, that has no row."""
    mine = document.process in out.processes(reference.process)
    return mine and (reference.source, reference.target) not in own


def _defects_of_skeleton(
    document: WrittenTable, own: _Pairs, out: WrittenOut
) -> Iterator[tuple[Path, str]]:
    """Check that every transition of others that is named, in a row or in the skeleton, has its own
    rows in the skeleton; own ones have theirs in the table."""
    rows = document.skeleton or ()
    described = {each for row in rows for each in out.of(row.of)}
    starting = {each for row in rows if row.pre is None for each in out.of(row.of)}
    seen: set[tuple[WrittenReference, WrittenReference | None]] = set()
    for place, row in enumerate(rows):
        path: Path = ("skeleton", place)
        if document.process in out.processes(row.of.process):
            yield (*path, "of"), f"{row.of} is its own, which the rows describe: take it out"
        elif row.of.process == BEGINNING:
            if row.pre is not None:
                yield (*path, "pre"), f"should be null, as nothing is before begin: {SPLIT_AGAIN}"
        elif isinstance(row.of.process, str) and row.of.process not in document.processes:
            yield (*path, "of"), _unknown(row.of.process, document)
        for state in (row.of.source, row.of.target):
            if not is_plain(state):
                yield (*path, "of"), f"should lead from and to names of {PLAIN_RULE}"
        twice = (row.of, row.pre) in seen
        if twice or (row.pre is not None and not starting.isdisjoint(out.of(row.of))):
            yield path, f"{row.of} has this row and others: {SPLIT_AGAIN}"
        seen.add((row.of, row.pre))
        if row.pre is None and row.vio:
            yield (*path, "vio"), "should be empty where there is no pre-transition"
        if row.pre is not None and row.pre.target != row.of.source:
            told = f"leads to {row.pre.target!r}, and this transition leaves {row.of.source!r}"
            yield (*path, "pre"), f"{told}: {SPLIT_AGAIN}"
    at_once = {(row.source, row.target) for row in document.rows if row.pre is None}
    asking = [
        *(
            (("rows", place), row.pre, row.vio)
            for place, row in enumerate(document.rows)
            if (row.source, row.target) not in at_once  # the start of a sequence rests on nothing
        ),
        *((("skeleton", place), row.pre, row.vio) for place, row in enumerate(rows)),
    ]
    looked_at: set[WrittenReference] = set()
    for path, pre, vio in asking:
        if path[0] == "skeleton" and any(each.process == BEGINNING for each in vio):
            yield (*path, "vio"), f"has begin in it, which takes nothing back: {SPLIT_AGAIN}"
        for field, written in _asked(pre, vio):
            if written in looked_at:
                continue
            looked_at.add(written)
            if _is_missing(document, written, own, out):
                yield (*path, field), f"{written} has no row in this table: {SPLIT_AGAIN}"
            for reference in out.of(written):
                if reference.process != document.process and reference not in described:
                    yield (*path, field), f"{reference} has no row in the skeleton: {SPLIT_AGAIN}"


def _defects_of_own_asks(
    document: WrittenTable, own: _Pairs, out: WrittenOut
) -> Iterator[tuple[Path, str]]:
    """Check that the readers have the process itself where it asks itself, and nowhere else."""
    asked = {each for row in document.rows for _, each in _asked(row.pre, row.vio)}
    asked_by_itself = {
        (reference.source, reference.target)
        for reference in asked
        if document.process in out.processes(reference.process)
    }
    for place, readers in enumerate(document.readers):
        pair = (readers.source, readers.target)
        itself = document.process in out.processes(readers.by)
        if pair in own and itself is not (pair in asked_by_itself):
            named = f"the transition from {pair[0]!r} to {pair[1]!r}"
            does = "asks" if pair in asked_by_itself else "does not ask"
            told = f"{document.process} {does} about {named}: {SPLIT_AGAIN}"
            yield ("readers", place, "by"), told


def _defects_of_readers(
    document: WrittenTable,
    field: str,
    written: Sequence[WrittenReaders],
    own: _Pairs,
    out: WrittenOut,
) -> Iterator[tuple[Path, str]]:
    processes = frozenset(document.processes)
    seen: set[tuple[str, str]] = set()
    for place, readers in enumerate(written):
        path: Path = (field, place)
        yield from _defects_of_pair(path, (readers.source, readers.target), own, seen)
        by: set[str] = set()
        for number, process in enumerate(out.processes(readers.by)):
            if process not in processes:
                yield (*path, "by", number), _unknown(process, document)
            elif process in by:
                yield (*path, "by", number), f"{process!r} comes twice: keep one of the two"
            by.add(process)
    for source, target in own:
        if (source, target) not in seen:
            told = f"do not say who may ask about the transition from {source!r} to {target!r}"
            yield (field,), f"{told}: {SPLIT_AGAIN}"
