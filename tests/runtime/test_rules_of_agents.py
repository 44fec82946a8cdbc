"""Agents with several rules: a verdict about each, in the store, and what is counted."""

from __future__ import annotations

from dataclasses import replace

from choreomon.agent_files.table_file import SplitTable, read_table, write_table
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED
from choreomon.documents.read import parse_document
from choreomon.monitor.host import Host
from choreomon.monitor.precise import PRECISE
from choreomon.monitor.pull import Monitor
from choreomon.properties.tables import TransitionTable, transition_tables
from choreomon.runtime.inputs import GivenUp, Hello, Report
from choreomon.runtime.operations.rule_verdicts import RuleVerdicts
from choreomon.runtime.outputs import Ask, Decided
from choreomon.runtime.sidecar import Sidecar
from choreomon.runtime.snapshot import decode_snapshot, encode_snapshot

SYSTEM = b"\7" * 16
NAMES = ("bank", "shop", "carrier")
DOCUMENT = parse_document(
    """
rules:
  - {id: never, severity: note, never: "shop -> carrier : ship"}
  - {id: unless-paid, never: "shop -> carrier : ship", unless: "bank -> shop : paid"}
  - {id: not-after-refund, never: "shop -> carrier : ship", after: "bank -> shop : refund"}
""",
    "rules.yaml",
)


def tables() -> dict[str, TransitionTable]:
    assert DOCUMENT.property is not None
    return transition_tables(DOCUMENT.property.automaton, NAMES, "precise")


def split(process: str) -> SplitTable:
    return SplitTable(SYSTEM.hex(), "rules", "precise", NAMES, tables()[process], (1, 2, 2))


def sidecar() -> Sidecar:
    monitor = Monitor(tables()["shop"], NAMES, PRECISE, most_open=8)
    return Sidecar("shop", (SYSTEM,), (Host(monitor),))


def test_tables_say_of_rules_what_their_process_tells_and_no_more() -> None:
    for process in NAMES[:2]:
        table = split(process)
        assert read_table(write_table(table), "table.json") == table
    told = {process: [stated.id for stated, _ in split(process).table.rules] for process in NAMES}
    assert told == {
        "shop": ["never", "unless-paid", "not-after-refund"],
        "bank": ["", ""],
        "carrier": [],
    }
    assert b"unless-paid" not in write_table(split("bank"))


def test_one_event_is_asked_about_once_and_has_a_verdict_for_each_rule() -> None:
    shop = sidecar()
    state, _ = shop.step(shop.initial(), Hello(1, "block", "", "s", 0))
    state, outputs = shop.step(state, Report(1, "s", 1, 0, "send", "carrier", "ship", "", 0))
    asked = [each.inquiry.receiver for each in outputs if isinstance(each, Ask)]
    assert asked == ["bank"]
    (at_once,) = [each.declared for each in outputs if isinstance(each, Decided)]
    assert at_once is not None
    assert at_once.id == f"{SYSTEM.hex()}/shop/1/never/violated"

    again = decode_snapshot(encode_snapshot(state, shop), shop)
    assert again == state
    state, outputs = shop.step(again, GivenUp(0, 1))
    later = [each.declared for each in outputs if isinstance(each, Decided)]
    assert [each and (each.id.split("/", 2)[2], each.verdict.kind) for each in later] == [
        ("1/unless-paid/possibly-violated", POSSIBLY_VIOLATED),
        ("1/not-after-refund/possibly-violated", POSSIBLY_VIOLATED),
    ]
    assert next(iter(state.undelivered.values())).id == at_once.id


def test_verdicts_are_counted_by_rule_from_the_beginning() -> None:
    shop = sidecar()
    state, _ = shop.step(shop.initial(), Hello(1, "block", "", "s", 0))
    _, outputs = shop.step(state, Report(1, "s", 1, 0, "send", "carrier", "ship", "", 0))
    counts = RuleVerdicts()
    counts.reloaded([split("shop")])
    assert len([*counts.all()]) == 9
    for each in outputs:
        if isinstance(each, Decided) and each.declared is not None:
            counts.declared(0, each.declared.verdict)
    counts.reloaded([replace(split("shop"), title="the same, reloaded")])
    told = [(each.rule.id, each.kind) for each in counts.all() if each.verdicts]
    assert told == [("never", VIOLATED)]
