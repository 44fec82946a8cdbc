"""`choreomon audit` of a document with roles, of logs of their replicas."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.command_line import choreomon
from tests.cli.test_audit import handle, log, send

PROPERTY = """\
name: shops
roles: {shop: 2, till: 2}
rules:
  - id: paid-after-order
    description: Nothing is paid once it is ordered.
    never: "till -> bank : pay"
    after: "handle till -> shop : order"
    until: "shop -> till : done"
"""

MAPPING = """\
format: jsonl
process: pod
kind: {of: dir, table: {"out": send, "in": handle}, otherwise: local}
name: what
peer: to
parameters: {order: order}
replicas:
  shop: "shop-*"
  till: [till-*, desk]
"""


def pods(*events: tuple[str, str, str, str]) -> None:
    lines = [
        json.dumps({"pod": pod, "dir": way, "what": what, "to": to, "order": "7", "run": "1"})
        for pod, way, what, to in events
    ]
    Path("pods.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


@pytest.fixture(autouse=True)
def _files() -> None:
    Path("shops.yaml").write_text(PROPERTY, encoding="utf-8")
    Path("pods.yaml").write_text(MAPPING, encoding="utf-8")
    pods(
        ("till-1", "out", "order", "shop"),
        ("till-1", "in", "done?", "shop-7d9f-x2x"),
        ("till-1", "out", "pay", "bank"),
        ("shop-7d9f-x2x", "in", "order", "till-1"),
        ("shop-7d9f-x2x", "out", "done?", "till"),
        ("desk", "out", "pay", "bank"),
        ("shop-8c2a-q7z", "out", "done?", "till"),
    )


AUDIT = ("audit", "shops.yaml", "pods.jsonl", "--mapping", "pods.yaml")


def test_a_violation_names_the_replicas_that_did_it() -> None:
    answer = choreomon(*AUDIT, "--report", "page.html")
    assert answer.code == 1
    said = " ".join(answer.out.split())
    assert "pods.jsonl:3: violated at till-1 -> bank : pay: paid-after-order" in said
    assert "1 handle till -> shop-7d9f-x2x : order (pods.jsonl:4)" in said
    assert "pods.jsonl:6: possibly violated at desk -> bank : pay" in said
    hint = 'did you mean shop -> till : "done?", which occurs 2 times?'
    assert f"shop -> till : done occurs nowhere in these logs; {hint}" in said
    page = Path("page.html").read_text(encoding="utf-8")
    assert "shop-7d9f-x2x" in page
    assert "handle till → shop : order" in page


def test_json_has_labels_over_roles_and_verdicts_of_replicas() -> None:
    said = json.loads(choreomon(*AUDIT, "--json").out)
    assert [each["label"] for each in said["labels"]] == [
        *("handle till -> shop : order", "till -> bank : pay", "shop -> till : done")
    ]
    assert [(each["process"], each["verdict"]) for each in said["verdicts"]] == [
        *(("till-1", "violated"), ("desk", "possibly-violated"))
    ]
    (rule,) = said["rules"]
    assert rule["result"] == "violated"
    assert rule["steps"] == ["handle till -> shop : order", "till -> bank : pay"]


def test_more_replicas_than_slots_are_audited_as_they_are() -> None:
    pods(*((f"shop-{number}", "in", "order", "till") for number in range(5)))
    said = json.loads(choreomon(*AUDIT, "--json").out)
    assert said["labelled"] == 5
    assert {gap["process"] for gap in said["gaps"]} == {"till"}


def test_slots_need_no_mapping() -> None:
    logs = (
        log("shop2", handle("till", "order", "shop/2", id="1"), send("shop/2", "x", "till/0")),
        log(
            "till0",
            send("till/0", "order", "shop", id="1"),
            handle("shop/2", "x", "till/0"),
            send("till/0", "pay", "bank"),
        ),
    )
    answer = choreomon("audit", "shops.yaml", *logs)
    assert answer.code == 1
    assert 'till0:3: violated at "till/0" -> bank : pay' in " ".join(answer.out.split())


def test_sessions_and_kinds_of_verdicts_are_over_roles() -> None:
    asked = (*AUDIT, "--session-key", "run", "--json", "--jobs")
    answers = [choreomon(*asked, jobs) for jobs in ("1", "2")]
    assert answers[0] == answers[1]
    assert answers[0].code == 1
    said = json.loads(answers[0].out)
    kinds = [[step["label"] for step in kind["sequence"]] for kind in said["kinds"]]
    assert kinds == [["handle till -> shop : order", "till -> bank : pay"]] * 2
    assert choreomon(*AUDIT, "--session-key", "run", "--report", "page.html").code == 1
    assert "shop-7d9f-x2x" in Path("page.html").read_text(encoding="utf-8")


def test_a_replica_that_only_others_name_has_no_log() -> None:
    """It may have handled the order, and the other replica of its role, whose log is there, has
    not."""
    pods(
        ("till-1", "out", "order", "shop-1"),
        ("till-1", "out", "pay", "bank"),
        ("shop-2", "out", "done?", "till"),
    )
    for more in ((), ("--session-key", "run")):
        answer = choreomon(*AUDIT, *more, "--json")
        said = json.loads(answer.out)
        assert answer.code == 3, more
        assert {gap["process"] for gap in said["gaps"]} == {"shop-1"}


def test_a_session_without_a_replica_is_not_taken_for_a_missing_log() -> None:
    first = {"pod": "shop-1", "dir": "in", "what": "order", "to": "env", "run": "1"}
    other = {"pod": "till-1", "dir": "out", "what": "pay", "to": "bank", "run": "2"}
    lines = (json.dumps(first), json.dumps(other))
    Path("pods.jsonl").write_text("\n".join(lines), encoding="utf-8")
    said = json.loads(choreomon(*AUDIT, "--session-key", "run", "--json").out)
    assert said["gaps"] == []


def test_each_instance_is_judged_over_roles() -> None:
    Path("shops.yaml").write_text(
        PROPERTY.replace("    never", "    for_each: [order]\n    never")
        .replace(' : pay"', ' : pay(order)"')
        .replace(' : order"', ' : order(order)"')
        .replace(' : done"', ' : done(order)"'),
        encoding="utf-8",
    )
    answer = choreomon(*AUDIT, "--json", "--for", "order=7")
    assert answer.code == 1
    said = json.loads(answer.out)
    assert {each["label"]: each["events"] for each in said["labels"]} == {
        "handle till -> shop : order": 1,
        "till -> bank : pay": 2,
        "shop -> till : done": 0,
    }
    assert [each["sessions"] for each in said["labels"]] == [1, 1, 0]
    (violated, _) = said["kinds"]
    assert violated["verdict"] == "violated"


def test_an_incomplete_role_or_replica_is_so() -> None:
    for process, expected in (
        ("till", {"desk", "till-1"}),
        ("till-1", {"till-1"}),
        ("till-9", {"till-9"}),
    ):
        said = json.loads(choreomon(*AUDIT, "--json", "--incomplete", process).out)
        told = {gap["process"] for gap in said["gaps"] if "said to be" in gap["reason"]}
        assert told == expected
    refused = choreomon(*AUDIT, "--incomplete", "tilll")
    assert refused.code == 2
    assert "did you mean 'till'?" in refused.err


def test_growing_logs_and_pipes_are_refused() -> None:
    refused = choreomon(*AUDIT, "--follow")
    assert refused.code == 2
    assert "shops.yaml: has roles, of which replicas may come" in " ".join(refused.err.split())
    os.mkfifo("pipe")
    refused = choreomon("audit", "shops.yaml", "pipe", "--mapping", "pods.yaml")
    assert refused.code == 2
    assert "pipe: can be read only once, and documents with roles need two readings" in refused.err


def test_a_mapping_that_names_no_role_is_told() -> None:
    Path("pods.yaml").write_text(MAPPING.replace("  shop:", "  shpo:"), encoding="utf-8")
    answer = choreomon(*AUDIT)
    assert "warning: pods.yaml: replicas: shpo is no role of shops.yaml" in answer.err
    assert "did you mean 'shop'?" in answer.err


@pytest.mark.parametrize(
    ("stated", "told"),
    [
        ('"*"', "'*' fits every name: write what replicas have in common, as in shop-*"),
        ('"**"', "'**' fits every name"),
        ('""', "an empty name fits nothing"),
        ("[]", "should not be empty"),
        ("{a: b}", "should be text"),
        ("[shop-*, null]", "should be text"),
    ],
)
def test_patterns_that_are_none_are_refused_with_their_line(stated: str, told: str) -> None:
    text = MAPPING.replace('"shop-*"', stated)
    Path("pods.yaml").write_text(text, encoding="utf-8")
    refused = choreomon(*AUDIT)
    assert refused.code == 2
    assert "pods.yaml:8: replicas.shop: " in refused.err
    assert told in refused.err


def test_check_shows_the_replicas_of_a_mapping() -> None:
    assert "shop-* │ is a replica   │ shop" in choreomon("check", "pods.yaml").out
    said = json.loads(choreomon("check", "pods.yaml", "--json").out)
    assert said["replicas"] == {"shop": ["shop-*"], "till": ["till-*", "desk"]}


def test_a_simulated_run_with_replicas_is_audited() -> None:
    Path("run.yaml").write_text(
        """\
roles: {shop: {slots: 3, balance: random}, carrier: 2}
application:
  processes:
    - id: shop
      handlers:
        order: [{send: {to: carrier, message: ship}}]
    - {id: carrier, handlers: {ship: []}}
  start: [{to: shop, message: order, repeat: {order: "1..6", every: 5}}]
property: {sequences: [{steps: ["shop -> carrier : ship", "handle shop -> carrier : ship"]}]}
""",
        encoding="utf-8",
    )
    choreomon("simulate", "run.yaml", "--trace", "run.jsonl")
    said = json.loads(choreomon("audit", "run.yaml", "run.jsonl", "--json").out)
    assert said["overall"]["verdict"] == "violated"
    assert len(said["verdicts"]) >= 6
    assert {each["process"] for each in said["verdicts"]} == {"carrier/0", "carrier/1"}
    assert said["gaps"] == []


def spans(service: str, instance: str, number: int, kind: int, operation: str) -> str:
    """A line with one span: the sending of an order, or what handles the one before."""
    resource = {"service.name": service, "service.instance.id": instance}
    told = {
        "messaging.system": "queue",
        "messaging.destination.name": "order",
        "messaging.operation.type": operation,
    }
    span = {
        "traceId": "a" * 32,
        "spanId": f"{number:016x}",
        "parentSpanId": f"{number - 1:016x}" if operation == "process" else "",
        "name": "order",
        "kind": kind,
        "startTimeUnixNano": str(number * 100),
        "endTimeUnixNano": str(number * 100 + 5),
        "attributes": attributes(told),
    }
    scopes = [{"spans": [span]}]
    found = {"resource": {"attributes": attributes(resource)}, "scopeSpans": scopes}
    return json.dumps({"resourceSpans": [found]}) + "\n"


def attributes(values: dict[str, str]) -> list[dict[str, object]]:
    return [{"key": key, "value": {"stringValue": value}} for key, value in values.items()]


def test_instances_of_spans_are_replicas() -> None:
    lines = [
        line
        for number, instance in ((1, "a1"), (3, "b2"))
        for line in (
            spans("till", "t0", number, 4, "send"),
            spans("shop", instance, number + 1, 5, "process"),
        )
    ]
    Path("spans.jsonl").write_text("".join(lines), encoding="utf-8")
    Path("spans.yaml").write_text('format: otlp\nreplicas: {shop: "shop.*"}\n', encoding="utf-8")
    Path("twice.yaml").write_text(
        "roles: {shop: 2}\nrules:\n  - {id: twice, steps: ['handle till -> shop : order', "
        "'handle till -> shop : order']}\n",
        encoding="utf-8",
    )
    answer = choreomon("audit", "twice.yaml", "spans.jsonl", "--mapping", "spans.yaml", "--json")
    assert answer.code == 1
    said = json.loads(answer.out)
    assert {each["process"] for each in said["verdicts"]} == {"shop.a1", "shop.b2"}
    assert [each["events"] for each in said["labels"]] == [2]
