"""Simulated runs of properties for each instance: what monitors and audits of their traces say,
beside slices that are evaluated by themselves."""

from __future__ import annotations

import json
from dataclasses import replace
from io import BytesIO, StringIO
from pathlib import Path

import pytest

from choreomon.audit.instances import InstancesAuditor
from choreomon.audit.oracle import label_of, truth
from choreomon.audit.outcome import Outcome
from choreomon.core.binding import Binding, agree, in_words
from choreomon.core.recorded import RecordedEvent
from choreomon.core.run import Run, RunEvent
from choreomon.documents.read import Document, parse_document
from choreomon.logs.readers.reading import read_recorded
from choreomon.properties import formed as formed_module
from choreomon.properties.instances import Parameters
from choreomon.properties.progress import rules_of
from choreomon.properties.reference import formations
from choreomon.reports.results import runs_json
from simulator.recording import tracing, tracing_monitors
from simulator.run import simulation
from tests.cli.command_line import choreomon

TENANTS = """application:
  processes:
    - id: customer
      handlers:
        buy:
          - send: {to: shop, message: order, with: {tenant: $tenant, order: $order}}
          - send: {to: bank, message: pay, with: {tenant: $tenant, order: $order}}
        regret: [{send: {to: bank, message: undo, with: {tenant: $tenant, order: $order}}}]
    - id: shop
      handlers:
        order: [{send: {to: bank, message: ask, with: {tenant: $tenant, order: $order}}}]
        go: [{send: {to: carrier, message: ship, with: {tenant: $tenant, order: $order}}}]
        close: [{send: {to: bank, message: closed, with: {tenant: $tenant}}}]
        rest: [{send: {to: bank, message: night}}]
    - id: bank
      handlers:
        pay: []
        ask: [{send: {to: shop, message: go, with: {tenant: $tenant, order: $order}}}]
        undo: [{send: {to: customer, message: refund, with: {tenant: $tenant, order: $order}}}]
        closed: []
        night: []
    - id: carrier
      handlers: {ship: []}
  start: START
network: {delay: {uniform: [1, 60]}, SERVICE}
property:
  for_each: [tenant, order]
  sequences:
    - steps: ["bank -> customer : refund(tenant, order)", "shop -> carrier : ship(tenant, order)"]
      cancel: [{on: "handle customer -> bank : pay(tenant, order)", after: [1, 1], back_to: 0}]
    - steps: ["shop -> bank : closed(tenant)", "shop -> carrier : ship(tenant, order)"]
      cancel: [{on: "shop -> bank : night", after: [1, 1], back_to: 0}]
""".replace("        regret:", "        refund: []\n        regret:")

MANY = """
    - {to: customer, message: buy, with: {tenant: a}, repeat: {order: "1..6", every: 9}}
    - {to: customer, message: buy, with: {tenant: b}, repeat: {order: "1..6", every: 11}}
    - {to: customer, message: regret, with: {tenant: a}, repeat: {order: "1..6", every: 13}, at: 20}
    - {to: customer, message: regret, with: {tenant: b}, repeat: {order: "3..5", every: 5}, at: 50}
    - {to: shop, message: close, with: {tenant: a}, at: 40}
    - {to: shop, message: close, with: {tenant: b}, at: 60}
    - {to: shop, message: rest, at: 90}"""

FEW = """
    - {to: customer, message: buy, with: {tenant: a}, repeat: {order: "1..2", every: 9}}
    - {to: customer, message: regret, with: {tenant: a, order: 1}, at: 20}
    - {to: shop, message: close, with: {tenant: a}, at: 70}
    - {to: shop, message: rest, at: 60}"""


def document(start: str, service: str = "service: {constant: 0}") -> Document:
    return parse_document(TENANTS.replace(" START", start).replace("SERVICE", service), "t.yaml")


def parameters_of(one: Document) -> Parameters:
    assert one.property is not None
    assert one.property.parameters is not None
    return one.property.parameters


def slowly_formed(one: Document, events: tuple[RunEvent, ...]) -> dict[int, set[Binding]]:
    """The definition, word for word: for each instance the run without what is of others."""
    parameters = parameters_of(one)
    assert one.property is not None
    found: dict[int, set[Binding]] = {}
    for rule in rules_of(one.property.automaton):
        part, names = rule.automaton, set()
        for label in part.labels:
            names.update(parameters.of(label))
        instances = {tuple((n, v) for n, v in event.values if n in names) for event in events}
        for binding in instances:
            if len(binding) < len(names):
                continue
            labels = []
            for event in events:
                bound = parameters.binding(event.label, dict(event.values))
                assert bound is not None
                labels.append(event.label if agree(binding, bound) else None)
            for formation in formations(part, labels):
                found.setdefault(events[formation.index].index, set()).add(binding)
    return found


def run_of(one: Document, seed: int) -> Run:
    return simulation(one).run(seed, keep_events=True)


def differences(one: Document, seeds: range) -> list[str]:
    """Where runs say otherwise than the definition does; what is formed, missed or made up."""
    found = []
    for seed in seeds:
        run = run_of(one, seed)
        slow = slowly_formed(one, run.kept_events)
        assert run.formed is not None
        if {index for index, *_ in run.formed} != slow.keys():
            found.append(f"{seed}: formed at {run.formed}, not {slow}")
        said = {verdict.event_index: verdict for verdict in run.verdicts}
        found += [f"{seed}: missed {index}" for index in slow if index not in said]
        for index, verdict in said.items():
            if verdict.verdict == "violated" and index not in slow:
                found.append(f"{seed}: made up {index}")
            if index in slow and verdict.binding not in slow[index]:
                found.append(f"{seed}: {verdict.binding} at {index}")
    return found


SERVICES = (
    "service: {constant: 0}",
    "service: {uniform: [0, 30]}, monitoring: {in_order: false}",
    "monitoring: {service: {uniform: [0, 15]}}",
    "monitoring: {deadline: 20}",
)


@pytest.mark.parametrize("service", SERVICES)
def test_monitors_judge_every_instance_as_its_slice_is_formed(service: str) -> None:
    one = document(MANY, service)
    assert differences(one, range(25)) == []


def test_the_law_is_not_empty_and_notices_instances_that_mix(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = document(MANY)
    runs = [run_of(one, seed) for seed in range(10)]
    kinds = {verdict.verdict for run in runs for verdict in run.verdicts}
    assert {"violated", "possibly-violated"} <= kinds
    assert sum(len(run.formed or ()) for run in runs) > 20

    def mixed(part, parameters, events):  # type: ignore[no-untyped-def]
        yield (), [event for event in events if event.label in part.labels]

    with monkeypatch.context() as patch:
        patch.setattr(formed_module, "slices", mixed)
        assert any("formed at" in told for told in differences(one, range(5)))


def recorded(one: Document, seed: int, *, monitored: bool) -> tuple[list[RecordedEvent], Run]:
    trace = StringIO()
    prepared = simulation(one if monitored else replace(one, property=None))
    recorder = tracing(trace, prepared.application.processes)
    run = prepared.run(seed, recorder=recorder, keep_events=True)
    events = [*read_recorded(BytesIO(trace.getvalue().encode()), "events", file="run")]
    assert all(isinstance(event, RecordedEvent) for event in events)
    return events, run  # type: ignore[return-value]


def audited(one: Document, events: list[RecordedEvent]) -> dict[str, list[Outcome]]:
    """The outcomes of each instance, one for each part of the property."""
    assert one.property is not None
    auditor = InstancesAuditor(one.property.automaton, parameters_of(one))
    found: dict[str, list[Outcome]] = {}

    def add(rank: object, name: str, outcome: Outcome, *_: object) -> None:
        found.setdefault(name, []).append(outcome)

    auditor.summary.add = add  # type: ignore[method-assign, assignment]
    for event in events:
        auditor.add(event)
    auditor.finish()
    return found


@pytest.mark.parametrize("monitored", [True, False])
def test_an_audit_of_a_trace_misses_nothing_and_makes_nothing_up(monitored: bool) -> None:
    one = document(MANY)
    violated = 0
    for seed in range(10):
        events, run = recorded(one, seed, monitored=monitored)
        said: dict[int, set[tuple[str, str]]] = {}
        for name, outcomes in audited(one, events).items():
            for verdict in (each for outcome in outcomes for each in outcome.verdicts):
                assert verdict.item.event is not None
                index = verdict.item.event.place.line - 1
                said.setdefault(index, set()).add((name, verdict.kind))
        slow = slowly_formed(one, run.kept_events)
        for index, bindings in slow.items():
            for binding in bindings:
                assert in_words(binding) in {name for name, _ in said.get(index, ())}
        for index, told in said.items():
            for name, kind in told:
                if kind == "violated":
                    violated += 1
                    assert name in map(in_words, slow[index])
    assert violated


def test_an_audit_says_of_each_instance_what_all_orders_of_its_slice_say() -> None:
    """By brute force: the events of others are such as nobody asks for."""
    one = document(FEW)
    assert one.property is not None
    parameters, found = parameters_of(one), []
    for seed in range(6):
        events, _ = recorded(one, seed, monitored=False)
        judged = audited(one, events)
        assert {*judged} == {"order=1, tenant=a", "order=2, tenant=a"}
        for binding in ((("order", "1"), ("tenant", "a")), (("order", "2"), ("tenant", "a"))):
            sliced = []
            for event in events:
                label = label_of(one.property.automaton, event)
                bound = None if label is None else parameters.binding(label, event.values)
                if bound is not None and not agree(binding, bound):
                    event = event._replace(kind="local", peer=None)
                sliced.append(event)
            said = {
                verdict.item.event.place.line - 1: verdict.kind
                for outcome in judged[in_words(binding)]
                for verdict in outcome.verdicts
                if verdict.item.event is not None
            }
            each = truth(one.property.automaton, sliced).events
            expected = {
                place: "violated" if values == {True} else "possibly-violated"
                for place, values in each.items()
                if True in values
            }
            assert said == expected, seed
            found += expected.values()
    assert {*found} == {"violated", "possibly-violated"}


def test_verdicts_name_their_instance_in_json_and_in_what_monitors_do() -> None:
    one = document(MANY)
    prepared = simulation(one)
    lines = StringIO()
    log = tracing_monitors(lines, prepared.application.processes)
    run = prepared.run(1, keep_events=True, monitor_recorder=log)
    told = json.loads(runs_json([run]))["runs"][0]["verdicts"]
    assert told
    assert all({*verdict["for"]} == {"tenant", "order"} for verdict in told)
    entries = [json.loads(line) for line in lines.getvalue().splitlines()]
    sent = [entry for entry in entries if entry["what"] == "sent"]
    assert {entry["kind"] for entry in sent} >= {"inquiry", "response"}
    assert all(entry["for"] for entry in sent)
    assert sum(entry["bytes"] for entry in sent) == run.monitoring_bytes
    declared = [entry for entry in entries if entry["what"] == "declared"]
    assert all(entry["for"] for entry in declared)


@pytest.mark.parametrize(("strategy", "rules"), [("push", None), ("central", None),
                                                 ("pull", "sound"), ("pull", "paper")])  # fmt: skip
def test_what_knows_of_no_instances_refuses_them(strategy, rules) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match="know of no instances, and the property has for_each"):
        simulation(document(FEW)).run(0, strategy=strategy, rules=rules)


def test_reports_and_pages_say_of_which_instance_each_verdict_is(tmp_path: Path) -> None:
    scenario = Path(__file__).parents[2] / "scenarios" / "orders-violating.yaml"
    page, sarif, junit = (tmp_path / name for name in ("r.html", "r.sarif", "r.xml"))
    answer = choreomon(
        *("simulate", scenario, "--report", page, "--sarif", sarif, "--junit", junit)
    )
    assert answer.code == 1
    for order in (17, 101, 158):
        assert f"warehouse violated for order={order} at event" in answer.out
        assert f"order={order}" in page.read_text("utf-8")
        assert f"violated for order={order}: warehouse at" in sarif.read_text("utf-8")
        assert f"violated for order={order} at warehouse" in junit.read_text("utf-8")
    found = json.loads(sarif.read_text("utf-8"))["runs"][0]["results"]
    assert len({str(result["partialFingerprints"]) for result in found}) == 3
