"""Logs that are nearly right are audited like those they were made from, and that is counted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from io import BytesIO
from random import Random
from typing import TypeAlias

import pytest

from choreomon.audit.auditor import Auditor
from choreomon.core.errors import DocumentError
from choreomon.core.recorded import Diagnostic, RecordedEvent
from choreomon.logs.mappings.mapping import RecordMapping
from choreomon.logs.mappings.mapping_document import Mapping, parse_mapping
from choreomon.logs.readers import clocks as clocks_module
from choreomon.logs.readers.clocks import ClockError, MendedClock, clock_in
from choreomon.logs.readers.reading import read_recorded
from tests.audit.cases import Case, case
from tests.audit.test_in_order import said
from tests.logs.readers.test_wrapped import in_cri, in_docker

Records: TypeAlias = list[dict[str, object]]
Harm: TypeAlias = Callable[[Random, Records], tuple[str, int]]
"""Records -> the text of a log that is nearly right, and how many events are to be mended."""

NAMES = {"P1": "node-1", "P2": "node-2", "P3": "node-3", "X": "other"}
VALUES = """
format: jsonl
process: {process}
kind: kind
name: name
peer: {peer}
message_id: message_id
clock: clock
number: number
"""
RIGHT = parse_mapping(VALUES.format(process="process", peer="peer"), "right.yaml")
TABLE = json.dumps({old: new for new, old in NAMES.items()})
RENAMING = parse_mapping(
    VALUES.format(process=f"{{table: {TABLE}, of: process}}", peer=f"{{table: {TABLE}, of: peer}}"),
    "renaming.yaml",
)


def records_of(one: Case) -> Records:
    found: Records = []
    for event in one.events:
        record: dict[str, object] = {
            "process": event.process,
            "kind": event.kind,
            "name": event.name,
            "peer": event.peer,
            "message_id": event.message_id,
            "number": event.number,
            "clock": None if event.clock is None else dict(event.clock),
        }
        found.append({key: value for key, value in record.items() if value is not None})
    return found


def text_of(records: Records) -> str:
    return "".join(f"{json.dumps(record)}\n" for record in records)


def quoted(random: Random, records: Records) -> tuple[str, int]:
    """Clocks as texts within quotes, or escaped once more, or once too often more."""
    mended = 0
    for record in records:
        if "clock" in record:
            clock = json.dumps(record["clock"])
            escaped = clock.replace('"', r"\"")
            choice = random.choice(
                [
                    *((f'"{clock}"', 1), (f"'{clock}'", 1), (clock, 0), (escaped, 0)),
                    *((f'"{escaped}"', 1), (clock.replace('"', r"\\\"") or clock, 1)),
                    (f'"{clock.replace(chr(34), chr(34) * 2)}"', 1),
                ]
            )
            record["clock"], more = choice
            mended += more
    return text_of(records), mended


def renamed(_: Random, records: Records) -> tuple[str, int]:
    """All processes have other names, which clocks use, too."""
    for record in records:
        for key in ("process", "peer"):
            if key in record:
                record[key] = NAMES[str(record[key])]
        clock = record.get("clock")
        if isinstance(clock, dict):
            record["clock"] = {NAMES[name]: count for name, count in clock.items()}
    return text_of(records), sum("clock" in record for record in records)


def wrapped(random: Random, records: Records) -> tuple[str, int]:
    """Lines as others keep them, perhaps after a preamble."""
    text = text_of(records)
    way = random.choice(["docker", "cri", "journal", "prefix", "preamble"])
    if way == "docker":
        return "\n".join(in_docker(text, random.choice([20, 10_000]))), 0
    if way == "cri":
        return "\n".join(in_cri(text, random.choice([20, 10_000]))), 0
    lines = text.splitlines()
    if way == "journal":
        said = [random.choice([line, [*line.encode()]]) for line in lines]
        entries = [{"__CURSOR": "s=1", "_HOSTNAME": "h", "MESSAGE": each} for each in said]
        return "\n".join(map(json.dumps, entries)), 0
    if way == "prefix":
        return "".join(f"12:00:0{n % 10} INFO  {line}\n" for n, line in enumerate(lines)), 0
    return f"Starting up ...\nversion 1.2\n\n{text}", 0


HARMS: dict[str, tuple[Harm, Mapping]] = {
    "quoted": (quoted, RIGHT),
    "renamed": (renamed, RENAMING),
    "wrapped": (wrapped, RIGHT),
}


def audited(one: Case, text: str, mapping: Mapping) -> tuple[object, Counter[str]]:
    strange: Counter[str] = Counter()
    auditor = Auditor(one.automaton, incomplete=one.incomplete)
    try:
        for each in read_recorded(BytesIO(text.encode()), mapping=mapping, file="log"):
            if isinstance(each, Diagnostic):
                strange[each.kind] += 1
            else:
                auditor.add(each)
        return said_by_line(auditor), strange
    except DocumentError as error:
        return str(error).partition(": ")[2], strange


def said_by_line(auditor: Auditor) -> object:
    verdicts, *rest = said(auditor.finish())  # type: ignore[misc]
    return sorted(verdict for verdict in verdicts.values()), rest


def wrong(seeds: range) -> list[tuple[str, int]]:
    """The harms and the seeds of logs that are judged otherwise, or miscounted."""
    found = []
    for seed in seeds:
        one = case(seed)
        if not one.events:
            continue
        right, _ = audited(one, text_of(records_of(one)), RIGHT)
        for name, (harm, mapping) in HARMS.items():
            text, mended = harm(Random(seed), records_of(one))
            judged, strange = audited(one, text, mapping)
            if isinstance(right, str):
                judged = right if isinstance(judged, str) else judged  # other names, and lines
            if judged != right or strange["mended"] != mended:
                found.append((name, seed))
    return found


def test_logs_that_are_nearly_right_are_judged_like_those_they_were_made_from() -> None:
    assert wrong(range(300)) == []


def test_a_clock_that_is_not_mended_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RecordMapping, "renamed_clock", lambda *given: given[-1])
    assert {name for name, _ in wrong(range(40))} == {"renamed"}
    monkeypatch.undo()
    monkeypatch.setattr(clocks_module, "unquoted", lambda text: (text, ""))
    assert {name for name, _ in wrong(range(40))} == {"quoted"}


def test_what_was_wrong_with_a_clock_is_said() -> None:
    clock = '{"a": 1}'
    for text, note in (
        (f'"{clock}"', "its clock is within quotes"),
        (clock.replace('"', r"\\\""), "its clock is escaped more than once"),
        ('"{""a"": 1}"', "its clock is within quotes, and its own are doubled"),
    ):
        found = clock_in(text, "a")
        assert isinstance(found, MendedClock)
        assert (dict(found), found.note) == ({"a": 1}, note)
    assert type(clock_in(clock, "a")) is dict
    assert type(clock_in(clock.replace('"', r"\""), "a")) is dict
    for bad in ('"', '""', '"{"', "'{}"):
        with pytest.raises(ClockError):
            clock_in(bad, "a")


def test_texts_with_quoted_clocks_are_read() -> None:
    log = 'Sent order to bank\nshop "{"shop": 1}"\nGot it\nbank "{"shop": 1, "bank": 1}"\n'
    found = [*read_recorded(BytesIO(log.encode()), file="log")]
    events = [each for each in found if isinstance(each, RecordedEvent)]
    assert [(each.process, dict(each.clock or {})) for each in events] == [
        ("shop", {"shop": 1}),
        ("bank", {"shop": 1, "bank": 1}),
    ]


def test_two_names_that_become_one_are_not_mended() -> None:
    mapping = parse_mapping(
        VALUES.format(process="{table: {a: x, b: x}, of: process}", peer="peer"), "m.yaml"
    )
    line = {"process": "a", "kind": "local", "name": "n", "clock": {"a": 1, "b": 2}}
    with pytest.raises(DocumentError, match="its clock has no entry of 'x'"):
        [*read_recorded(BytesIO(json.dumps(line).encode()), mapping=mapping, file="log")]


def test_texts_about_json_are_no_prefixes() -> None:
    log = 'Sent reply {"status": "ok"}\nshop {"shop": 1}\n'
    log += 'Got reply {"status": "no"}\nshop {"shop": 2}\n'
    found = [*read_recorded(BytesIO(log.encode()), file="log")]
    events = [each for each in found if isinstance(each, RecordedEvent)]
    assert [each.name for each in events] == [
        'Sent reply {"status": "ok"}',
        'Got reply {"status": "no"}',
    ]
