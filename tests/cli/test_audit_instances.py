"""`choreomon audit` of properties for each instance."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command_line import choreomon

RULE = """name: orders
property:
  for_each: [order]
  sequences:
    - steps: ["billing -> bank : refund(order)", "shop -> carrier : ship(order)"]
"""


def line(process: str, kind: str, name: str, peer: str, number: int, **more: object) -> str:
    sender, receiver = (process, peer) if kind == "send" else (peer, process)
    message = {"sender": sender, "name": name, "receiver": receiver}
    told = {"event": kind, "process": process, "message": message, "number": number, **more}
    return json.dumps(told) + "\n"


EVENTS = [
    line("billing", "send", "refund", "bank", 1, values={"order": "A"}),
    line("billing", "send", "refund", "bank", 2, values={"order": 7}),
    line("billing", "send", "told", "shop", 3, id="m"),
    line("shop", "handle", "told", "billing", 1, id="m"),
    line("shop", "send", "ship", "carrier", 2, values={"order": 7}),
    line("shop", "send", "ship", "carrier", 3, values={"order": "B"}),
]
ASKED = ("audit", "rule.yaml", "log.jsonl")


@pytest.fixture(autouse=True)
def _files(place: Path) -> None:
    Path("rule.yaml").write_text(RULE, encoding="utf-8")
    Path("log.jsonl").write_text("".join(EVENTS), encoding="utf-8")


def test_each_order_is_judged_by_itself() -> None:
    answer = choreomon(*ASKED, "--report", "page.html", "--junit", "j.xml", "--sarif", "s.json")
    assert answer.code == 1
    assert "violated in 1 instance (order=7)" in answer.out
    assert "1 of 3 instances violated. 4 of 6 events matter to this property." in " ".join(
        answer.out.split()
    )
    page = Path("page.html").read_text(encoding="utf-8")
    assert "<h2>Instances</h2>" in page
    assert "order=7" in page
    assert "in 1 instances" in Path("j.xml").read_text(encoding="utf-8")
    said = json.loads(choreomon(*ASKED, "--json").out)
    assert said["sessions"]["verdicts"] == {"violated": 1, "none": 2}
    assert (said["events"], said["labelled"]) == (6, 4)
    assert [each["sessions"] for each in said["labels"]] == [2, 2]
    assert said["rules"][0]["sessions_by_steps"] == [1, 1, 1]


def test_lines_out_of_order_are_read_by_their_numbers() -> None:
    Path("log.jsonl").write_text("".join(reversed(EVENTS)), encoding="utf-8")
    answer = choreomon(*ASKED)
    assert answer.code == 1
    assert "out of order" in answer.out
    assert choreomon(*ASKED, "--strict").code == 2


def test_an_event_without_its_value_is_told_and_may_be_of_any_instance() -> None:
    bare = line("billing", "send", "refund", "bank", 2)
    Path("log.jsonl").write_text("".join([EVENTS[0], bare, *EVENTS[2:]]), encoding="utf-8")
    answer = choreomon(*ASKED)
    assert answer.code == 3
    assert "it carries no order" in answer.out
    assert "possibly violated in 2 instances (order=7, order=B)" in " ".join(answer.out.split())


def test_sessions_do_not_go_with_instances_and_what_looks_at_the_property_does() -> None:
    for more in (["--session-key", "order"], ["--follow"]):
        assert "is for each order: leave out" in choreomon(*ASKED, *more).err
    for typed in (["split", "rule.yaml", "-o", "agents"], ["draw", "rule.yaml", "-o", "p.svg"]):
        assert choreomon(*typed).code == 0
    assert "for each order:" in choreomon("check", "rule.yaml").out
    told = json.loads(choreomon("check", "rule.yaml", "--json").out)["property"]
    assert told["for_each"] == ["order"]
    assert told["carries"]["shop -> carrier : ship"] == ["order"]


def test_a_key_twice_among_values_is_refused() -> None:
    doubled = EVENTS[0].replace('"order": "A"', '"order": "A", "order": "B"')
    Path("log.jsonl").write_text(doubled + "".join(EVENTS[1:]), encoding="utf-8")
    assert "has the key 'order' twice" in choreomon(*ASKED).out
