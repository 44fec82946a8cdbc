"""The file of one process's table: what is written is read again, and nothing else is."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choreomon.agent_files.clocks.text import MAX_ENTRIES
from choreomon.agent_files.split_names import system_id, table_file_names
from choreomon.agent_files.table_file import (
    MAX_TABLE_BYTES,
    SplitTable,
    is_table,
    load_table,
    read_table,
    write_table,
)
from choreomon.agent_files.table_shape import MAX_PROCESSES, SYSTEM_ID_BYTES
from choreomon.agent_files.wire import SYSTEM_BYTES
from choreomon.core.errors import DocumentError
from choreomon.core.message import HANDLE, SEND, Label, Message
from choreomon.documents.read import load_document, parse_document
from choreomon.monitor.pull import Monitor
from choreomon.properties.automaton import (
    SequenceAutomaton,
    StatedTransition,
    sequence_automaton,
)
from choreomon.properties.instances import Forgetting
from choreomon.properties.tables import RulesName, transition_tables
from tests.core.names_for_tests import HARD_NAMES
from tests.imported import imported_by
from tests.laws.drawn import draw_automaton, processes
from tests.strategies import PROCESSES, automata

ROOT = Path(__file__).parents[2]
ID = "0123456789abcdef" * 2
NONCE = b"\x07" * 16


def split(
    automaton: SequenceAutomaton, names: tuple[str, ...], rules: RulesName = "sound"
) -> dict[str, SplitTable]:
    return {
        process: SplitTable(ID, "a property", rules, names, table, automaton.sequences)
        for process, table in transition_tables(automaton, names, rules).items()
    }


def smart_home() -> dict[str, SplitTable]:
    document = load_document(ROOT / "scenarios" / "smart-home-violating.yaml")
    assert document.property is not None
    return split(document.property.automaton, document.processes)


HALLWAY = smart_home()["hallway"]


# --- round trips --------------------------------------------------------------------


@settings(max_examples=200)
@given(
    automata(processes=PROCESSES, label_count=(3, 8)),
    st.permutations(PROCESSES),
    st.sampled_from(["sound", "paper"]),
)
def test_what_is_written_is_read_again(
    automaton: SequenceAutomaton, order: list[str], rules: RulesName
) -> None:
    for table in split(automaton, tuple(order), rules).values():
        again = read_table(write_table(table), "table.json")
        assert again == table
        assert again.table.inspections == table.table.inspections
        assert again.table.watched_by == table.table.watched_by


@settings(max_examples=100)
@given(automata(processes=PROCESSES, label_count=(3, 8)))
def test_a_monitor_of_what_is_read_numbers_references_and_readers_as_before(
    automaton: SequenceAutomaton,
) -> None:
    """A stored state means something by position."""
    for table in split(automaton, PROCESSES).values():
        again = read_table(write_table(table), "table.json")
        assert list(again.table.readers.items()) == list(table.table.readers.items())
        before, after = (Monitor(one.table, PROCESSES) for one in (table, again))
        assert (after.references, after.readers_of) == (before.references, before.readers_of)
        assert [*after.readers.items()] == [*before.readers.items()]
        assert after.initial() == before.initial()


def test_a_table_without_rows_is_a_file_too() -> None:
    table = smart_home()["light"]
    assert table.table.rows == ()
    assert read_table(write_table(table), "light.json") == table
    assert (table.asked, table.asking) == ((), ())


def test_it_is_json_with_a_row_a_line() -> None:
    text = write_table(HALLWAY)
    assert json.loads(text) == {
        "kind": "table",
        "version": 1,
        "system": ID,
        "title": "a property",
        "rules": "sound",
        "process": "hallway",
        "processes": ["phone", "hub", "hallway", "car", "cooler", "light", "garage"],
        "sequences": [3],
        "rows": [
            {
                "on": "hallway -> light : turnOn",
                "from": "q1",
                "to": "q2",
                "final": False,
                "pre": ["q0", "hub", "q1"],
                "vio": [["q1", "hub", "q0"], ["q2", "hub", "q0"]],
            },
            {
                "on": "hallway -> light : turnOff",
                "from": "q2",
                "to": "q1",
                "final": False,
                "pre": ["q1", "hallway", "q2"],
                "vio": [["q2", "hub", "q0"], ["q2", "hallway", "q1"]],
            },
        ],
        "readers": [
            {"from": "q1", "to": "q2", "by": ["hub", "hallway", "car"]},
            {"from": "q2", "to": "q1", "by": ["hub", "hallway", "car"]},
        ],
        "named_rules": [{"states": ["q1", "q2"]}],
    }
    assert len([line for line in text.splitlines() if b'"on"' in line]) == 2


def test_it_says_whom_its_monitor_asks_and_who_may_ask() -> None:
    assert HALLWAY.asked == ("hub",)
    assert HALLWAY.asking == ("hub", "car")
    assert {process: table.asked for process, table in smart_home().items() if table.asked} == {
        "hub": ("hallway",),
        "hallway": ("hub",),
        "car": ("hub", "hallway"),
    }


def test_readers_and_their_order_are_no_matter_of_the_files_order() -> None:
    document = json.loads(write_table(HALLWAY))
    document["readers"].reverse()
    document["readers"][0]["by"].reverse()
    again = read_table(json.dumps(document).encode(), "hallway.json")
    assert list(again.table.readers.items()) == list(HALLWAY.table.readers.items())


# --- secrecy ------------------------------------------------------------------------


def leaks(automaton: SequenceAutomaton, names: tuple[str, ...]) -> Iterator[str]:
    """Names of messages in files of processes that neither send nor handle them, as labels of
    the property say."""
    for process, table in split(automaton, names).items():
        text = write_table(table).decode()
        own = {label.message.name for label in automaton.labels if label.process == process}
        for label in automaton.labels:
            named = any(
                f"{before}{label.message.name}{after}" in text
                for before, after in ((" ", '"'), ('"', '"'))
            )
            assert named or label.message.name not in own, "what is looked for would be seen"
            if named and label.message.name not in own:
                yield f"{process}: {label.message.name}"


def drawn_automata(count: int) -> Iterator[tuple[SequenceAutomaton, tuple[str, ...]]]:
    for seed in range(count):
        random = Random(seed)
        names = processes(random.randint(2, 5))
        yield draw_automaton(random, names), names


def test_no_file_names_a_message_of_another_process() -> None:
    looked_for = 0
    for automaton, names in drawn_automata(150):
        assert not list(leaks(automaton, names))
        looked_for += len(automaton.labels)
    assert looked_for > 300


def test_the_law_notices_rows_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: every process is given all rows."""
    honest = transition_tables

    def planted(*arguments: Any) -> dict[str, Any]:
        tables = honest(*arguments)
        rows = tuple(row for table in tables.values() for row in table.rows)
        return {process: replace(table, rows=rows) for process, table in tables.items()}

    monkeypatch.setattr(sys.modules[__name__], "transition_tables", planted)
    assert sum(bool(list(leaks(*drawn))) for drawn in drawn_automata(20)) > 15


# --- the system id ------------------------------------------------------------------


def two_steps(*labels: Label, final: str = "q2") -> SequenceAutomaton:
    return sequence_automaton(
        initial=["q0"],
        final=[final],
        transitions=[
            StatedTransition(f"q{number}", label, f"q{number + 1}")
            for number, label in enumerate(labels)
        ],
    )


A = Label(SEND, Message("P1", "a", "P2"))
B = Label(SEND, Message("P2", "b", "P1"))


def test_a_system_id_is_32_digits_and_the_same_for_the_same() -> None:
    found = system_id(two_steps(A, B), ("P1", "P2"), "sound", NONCE)
    assert found == system_id(two_steps(A, B), ["P1", "P2"], "sound", NONCE)
    assert len(found) == 32
    assert bytes.fromhex(found).hex() == found


def test_ids_and_clocks_are_as_large_in_files_as_in_frames_and_headers() -> None:
    assert SYSTEM_ID_BYTES == SYSTEM_BYTES
    assert MAX_PROCESSES == MAX_ENTRIES


def test_whatever_makes_another_system_makes_another_id() -> None:
    handled = Label(HANDLE, B.message)
    others = [
        system_id(two_steps(A, B), ("P1", "P2"), "sound", NONCE),
        system_id(two_steps(A, B), ("P2", "P1"), "sound", NONCE),
        system_id(two_steps(A, B), ("P1", "P2", "P3"), "sound", NONCE),
        system_id(two_steps(A, B), ("P1P2",), "sound", NONCE),
        system_id(two_steps(A, B), ("P1", "P2"), "paper", NONCE),
        system_id(two_steps(A, B), ("P1", "P2"), "sound", NONCE[1:]),
        system_id(two_steps(A, B), ("P1", "P2"), "sound", b"\x08" * 16),
        system_id(two_steps(B, A), ("P1", "P2"), "sound", NONCE),
        system_id(two_steps(A, handled), ("P1", "P2"), "sound", NONCE),
        system_id(two_steps(A, B, A, final="q3"), ("P1", "P2"), "sound", NONCE),
    ]
    assert len(set(others)) == len(others)


# --- names of files -----------------------------------------------------------------


def test_files_are_called_after_processes() -> None:
    assert table_file_names(("shop", "a.b-c_1")) == {"shop": "shop.json", "a.b-c_1": "a.b-c_1.json"}


def test_names_that_differ_in_case_alone_or_are_devices_get_names_of_their_own() -> None:
    names = table_file_names(("Shop", "shop", "SHOP", "con", "CON", "com1.x", "console"))
    assert names == {
        "Shop": "Shop.json",
        "shop": "shop~2.json",
        "SHOP": "SHOP~3.json",
        "con": "process~con.json",
        "CON": "process~CON~2.json",
        "com1.x": "process~com1.x.json",
        "console": "console.json",
    }
    assert len({name.casefold() for name in names.values()}) == len(names)


def test_whatever_processes_are_called_their_files_are_in_the_folder_and_apart() -> None:
    processes = (*HARD_NAMES, "A/b", "a_b", "../..", "con", "con.x", "CON:")
    files = table_file_names(processes).values()
    assert len({name.casefold() for name in files}) == len(processes)
    for name in files:
        assert re.fullmatch(r"[A-Za-z0-9_~][A-Za-z0-9_.~-]*\.json", name)
        assert len(name) <= 205


# --- of a property for each instance ------------------------------------------------

ORDERS = """
property:
  for_each: [tenant, order]
  sequences:
    - steps: ["billing -> bank : refund(tenant, order)", "shop -> carrier : ship(tenant, order)"]
      cancel: [{on: "billing -> bank : reset", after: [1, 1], back_to: 0}]
"""


def orders() -> dict[str, SplitTable]:
    document = parse_document(ORDERS, "orders.yaml")
    loaded = document.property
    assert loaded is not None
    names, parameters = document.processes, loaded.parameters
    return {
        process: SplitTable(ID, "orders", "precise", names, table, (2,), key=NONCE)
        for process, table in transition_tables(
            loaded.automaton, names, "precise", parameters
        ).items()
    }


BILLING = orders()["billing"]


def test_tables_of_a_property_for_each_instance_say_what_own_messages_carry() -> None:
    for table in orders().values():
        again = read_table(write_table(table), "table.json")
        assert again == table
        assert again.key == NONCE
    written = json.loads(write_table(BILLING))
    assert written["for_each"] == ["tenant", "order"]
    assert written["key"] == NONCE.hex()
    assert written["carries"] == [
        "billing -> bank : refund(tenant, order)",
        "billing -> bank : reset",
    ]
    assert b"ship" not in write_table(BILLING)
    assert written["rows"][0]["on"] == "billing -> bank : refund"


FORGETTING = replace(
    BILLING,
    table=replace(BILLING.table, forgetting=Forgetting(5400.0, frozenset({("order", "tenant")}))),
)


def test_a_table_says_what_is_forgotten_only_where_something_is() -> None:
    text = write_table(FORGETTING)
    assert read_table(text, "table.json") == FORGETTING
    assert json.loads(text)["forget"] == {"after": 5400.0, "bindings": [["order", "tenant"]]}
    line = b'  "forget": {"after": 5400.0, "bindings": [["order", "tenant"]]},\n'
    assert text.replace(line, b"") == write_table(BILLING)


@pytest.mark.parametrize(
    ("forget", "said"),
    [
        ({"after": 0, "bindings": []}, "forget.after: should be a number of seconds above 0"),
        ({"after": 9, "bindings": [[]]}, "forget.bindings[0]: should be parameters of the"),
        ({"after": 9, "bindings": [["order"], ["tenant", "order"]]}, "forget.bindings[1]: should"),
        ({"after": 9, "bindings": [["ordre"]]}, "forget.bindings[0]: should be parameters of the"),
        ({"after": 9, "bindings": [], "more": 1}, "forget: has a field `more`, which is none"),
        ({"after": 9}, "forget"),
    ],
)
def test_what_is_wrong_with_what_is_forgotten_is_told(forget: object, said: str) -> None:
    document = {**json.loads(write_table(BILLING)), "forget": forget}
    assert said in refusal(json.dumps(document, indent=1).encode())


def test_the_system_of_a_property_for_each_instance_is_another_one() -> None:
    document = parse_document(ORDERS, "orders.yaml")
    loaded = document.property
    assert loaded is not None
    given = (loaded.automaton, document.processes, loaded.rules, NONCE)
    assert system_id(*given) != system_id(*given, loaded.parameters)


# --- what is wrong with a file ------------------------------------------------------


def refusal(text: bytes) -> str:
    with pytest.raises(DocumentError) as refused:
        read_table(text, "hallway.json")
    return str(refused.value)


def changed(change: Callable[[dict[str, Any]], object]) -> bytes:
    document = json.loads(write_table(HALLWAY))
    change(document)
    return json.dumps(document, indent=1).encode()


Change = Callable[[dict[str, Any]], object]

WRONG: dict[str, tuple[Change, str]] = {
    "another kind": (
        lambda d: d.update(kind="interaction"),
        "hallway.json:2: kind: is 'interaction': expected 'table'",
    ),
    "no kind": (lambda d: d.pop("kind"), "hallway.json:1: kind: is missing: expected 'table'"),
    "another version": (
        lambda d: d.update(version=2, rows=None),
        "hallway.json: version: is 2, and this choreomon reads 1: split the property again with it",
    ),
    "a version that is none": (
        lambda d: d.update(version="1"),
        "hallway.json:3: version: should be an integer, not text",
    ),
    "a missing field": (lambda d: d.pop("rows"), "hallway.json:1: has no field `rows`: give one"),
    "a field more": (
        lambda d: d["rows"][1].update(why=""),
        "hallway.json:44: rows[1]: has a field `why`, which is none of this document: take it out",
    ),
    "a short id": (
        lambda d: d.update(system="12"),
        "hallway.json:4: system: should be 32 digits 0-9 and a-f: split the property again",
    ),
    "capital digits": (lambda d: d.update(system=ID.upper()), "hallway.json:4: system: should be"),
    "two lines": (
        lambda d: d.update(title="a\nb"),
        "hallway.json:5: title: should be one line of text",
    ),
    "unknown rules": (
        lambda d: d.update(rules="sounds"),
        "hallway.json:6: rules: should be precise, sound or paper, not 'sounds'; "
        "did you mean 'sound'?",
    ),
    "an unknown process": (
        lambda d: d.update(process="hallwai"),
        "hallway.json:7: process: 'hallwai' is none of the processes; did you mean 'hallway'?",
    ),
    "another process": (
        lambda d: d.update(process="car"),
        "rows[0].on: is watched by hallway, and this is the table of car: split the property again",
    ),
    "a process twice": (
        lambda d: d["processes"].append("car"),
        "hallway.json:16: processes[7]: 'car' comes twice: split the property again",
    ),
    "a process that is none": (
        lambda d: d["processes"].append("car\x1b"),
        "hallway.json:16: processes[7]: is no name: it has U+001B as character 4",
    ),
    "the environment": (
        lambda d: d["processes"].append("env"),
        "hallway.json:16: processes[7]: 'env' has no monitor: split the property again",
    ),
    "too many processes": (
        lambda d: d["processes"].extend(f"p{number}" for number in range(1020)),
        "hallway.json:8: processes: are 1027; at most 1024 are supported: use fewer",
    ),
    "no label": (
        lambda d: d["rows"][0].update(on="hallway => light"),
        'rows[0].on: should be a label "[handle] SENDER -> RECEIVER : NAME"',
    ),
    "a state that is none": (
        lambda d: d["rows"][0].update({"to": ""}),
        "rows[0].to: should be a name of",
    ),
    "a loop": (
        lambda d: d["rows"][0].update({"to": "q1"}),
        "rows[0].to: should be another state than 'q1', from which it leads",
    ),
    "a row twice": (
        lambda d: d["rows"].append(d["rows"][0]),
        "rows[2]: comes twice: keep one of the two",
    ),
    "sequences without steps": (
        lambda d: d.update(sequences=[3, 0]),
        "sequences: should say how many steps each sequence has: split the property again",
    ),
    "half final": (
        lambda d: d["rows"].append({**d["rows"][0], "on": "hallway -> light : x", "final": True}),
        "rows[0].final: should be the same in all rows from and to the same states",
    ),
    "cancelled from the start": (
        lambda d: d["rows"][0].update(pre=None),
        "rows[0].vio: should be empty where there is no pre-transition",
    ),
    "a pre-transition elsewhere": (
        lambda d: d["rows"][0].update(pre=["q0", "hub", "q3"]),
        "rows[0].pre: leads to 'q3', and this transition leaves 'q1': split the property again",
    ),
    "an unknown owner": (
        lambda d: d["rows"][0].update(pre=["q0", "hob", "q1"]),
        "rows[0].pre: 'hob' is none of the processes; did you mean 'hub'?",
    ),
    "an own transition without row": (
        lambda d: d["rows"][0]["vio"].append(["q3", "hallway", "q0"]),
        "rows[0].vio: (q3, @hallway, q0) has no row in this table: split the property again",
    ),
    "no reference": (lambda d: d["rows"][0].update(pre=["q0"]), "rows[0].pre"),
    "readers of nothing": (
        lambda d: d["readers"][0].update({"to": "q7"}),
        "readers[0]: the transition from 'q1' to 'q7' has no row in this table: take it out",
    ),
    "readers twice": (
        lambda d: d["readers"].append(d["readers"][0]),
        "readers[2]: the transition from 'q1' to 'q2' comes twice: keep one of the two",
    ),
    "readers left out": (
        lambda d: d["readers"].pop(),
        "readers: do not say who may ask about the transition from 'q2' to 'q1'",
    ),
    "an unknown reader": (
        lambda d: d["readers"][0]["by"].append("cat"),
        "readers[0].by[3]: 'cat' is none of the processes; did you mean 'car'?",
    ),
    "a reader twice": (
        lambda d: d["readers"][0]["by"].append("hub"),
        "readers[0].by[3]: 'hub' comes twice: keep one of the two",
    ),
    "not its own reader": (
        lambda d: d["readers"][0]["by"].remove("hallway"),
        "readers[0].by: hallway asks about the transition from 'q1' to 'q2'",
    ),
}


WRONG_PARAMETERS: dict[str, tuple[Change, str]] = {
    "no key": (
        lambda d: d.pop("key"),
        "for_each: goes with for_each, key and carries, and not all of them are here",
    ),
    "a short key": (lambda d: d.update(key="12"), "key: should be 32 digits 0-9 and a-f"),
    "no parameters": (lambda d: d.update(for_each=[]), "for_each: should be 1 to 8 parameters"),
    "a parameter twice": (
        lambda d: d["for_each"].append("order"),
        "for_each[2]: 'order' comes twice: keep one of the two",
    ),
    "no name": (lambda d: d["for_each"].append("a b"), "for_each[2]: should be a name of"),
    "other rules": (
        lambda d: d.update(rules="sound", skeleton=None, followers=None),
        "rules: should be precise in a property for each instance: split the property again",
    ),
    "an unknown parameter": (
        lambda d: d["carries"].__setitem__(0, "billing -> bank : refund(tenant, ordre)"),
        "carries[0]: 'ordre' is none of the parameters; did you mean 'order'?",
    ),
    "no label": (
        lambda d: d["carries"].__setitem__(0, "refund()"),
        'carries[0]: should be a label "[handle] SENDER -> RECEIVER : NAME(PARAMETER, ...)"',
    ),
    "a label of others": (
        lambda d: d["carries"].append("shop -> carrier : ship(order)"),
        "carries[2]: shop -> carrier : ship has no row in this table: take it out",
    ),
    "a label twice": (
        lambda d: d["carries"].append("billing -> bank : reset"),
        "carries[2]: billing -> bank : reset comes twice: keep one of the two",
    ),
    "a label left out": (
        lambda d: d["carries"].pop(),
        "carries: do not say what billing -> bank : reset carries: split the property again",
    ),
}


@pytest.mark.parametrize(("change", "said"), WRONG_PARAMETERS.values(), ids=WRONG_PARAMETERS)
def test_what_is_wrong_with_parameters_is_told(change: Change, said: str) -> None:
    document = json.loads(write_table(BILLING))
    change(document)
    assert said in refusal(json.dumps(document, indent=1).encode())


@pytest.mark.parametrize(("change", "said"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_told_with_its_line_and_what_would_be_right(
    change: Change, said: str
) -> None:
    assert said in refusal(changed(change))


def test_a_reader_of_what_it_never_asks_is_refused_as_itself_only() -> None:
    """Of others only they know whom they ask."""
    text = write_table(smart_home()["car"])
    document = json.loads(text)
    document["readers"][0]["by"] = ["hub"]
    read_table(json.dumps(document).encode(), "car.json")
    document["readers"][0]["by"] = ["car"]
    assert "car does not ask about the transition" in refusal(json.dumps(document).encode())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "is empty"),
        (b"[]", "is a list"),
        (b"kind: table", "is no mapping"),
        (b'{"kind": "table",', "is not JSON"),
        (b'{"kind": "\xff"}', "is not"),
        (b'{"a": ' + b"[" * 100_000, "is nested deeper than 64 levels: make it flatter"),
        (b'{"kind": "table", "version": 1, "version": 1}', "has no field"),
        (b" " * (MAX_TABLE_BYTES + 1), "is larger than 16 MiB: use a smaller property"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_is_no_table_at_all_is_refused(text: bytes, said: str) -> None:
    assert said in refusal(text)


def test_a_key_that_comes_twice_is_refused() -> None:
    """Else a right would be what its second statement says."""
    text = write_table(HALLWAY)
    twice = text.replace(b'"by": ["hub", "hallway", "car"]', b'"by": [], "by": ["hallway"]', 1)
    assert twice != text
    assert "comes twice" in refusal(twice)
    assert "keep one of the two" in refusal(twice)


def test_many_mistakes_are_told_in_part() -> None:
    def spoil(document: dict[str, Any]) -> None:
        document["processes"] = [f"p{number}\n" for number in range(200)]

    assert len(refusal(changed(spoil)).splitlines()) == 20


@settings(max_examples=300)
@given(st.data())
def test_changed_bytes_are_another_table_or_refused(data: st.DataObject) -> None:
    text = bytearray(write_table(HALLWAY))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(text) - 1))
        kind = data.draw(st.sampled_from(["replace", "delete", "repeat"]))
        if kind == "replace":
            text[place] = data.draw(st.integers(0, 255))
        elif kind == "delete":
            del text[place]
        else:
            text[place:place] = text[place : place + data.draw(st.integers(1, 80))]
    try:
        found = read_table(bytes(text), "hallway.json")
    except DocumentError:
        return
    assert read_table(write_table(found), "hallway.json") == found


@settings(max_examples=200)
@given(st.binary(max_size=300))
def test_any_bytes_are_refused_in_order(text: bytes) -> None:
    refusal(text)
    assert not is_table(text)


def test_a_file_is_a_table_where_it_says_so() -> None:
    assert is_table(write_table(HALLWAY))
    assert is_table(b'{"kind": "table", "version": 7}')
    assert not is_table(b'{"kind": "signature"}')
    assert not is_table(b"kind: table")
    assert not is_table(b"\xff")


def test_a_file_is_read_and_one_that_cannot_be_is_an_error_of_its_author(tmp_path: Path) -> None:
    path = tmp_path / "hallway.json"
    path.write_bytes(write_table(HALLWAY))
    assert load_table(path) == HALLWAY
    with pytest.raises(DocumentError, match="there is no such file"):
        load_table(tmp_path / "nowhere.json")
    with pytest.raises(DocumentError, match="is a directory"):
        load_table(tmp_path)


def test_reading_a_table_imports_nothing_heavy(tmp_path: Path) -> None:
    """Agents and services with a monitor inside read it when they start."""
    path = tmp_path / "hallway.json"
    path.write_bytes(write_table(HALLWAY))
    reading = f"from choreomon.agent_files.table_file import load_table\nload_table({str(path)!r})"
    heavy = ["pydantic", "yaml", "rich", "click", "choreomon.files.source_positions"]
    assert imported_by(reading, [*heavy, "msgspec"]) == {"msgspec"}
