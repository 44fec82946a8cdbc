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
    assert "violated for order=7 at log.jsonl:5" in Path("j.xml").read_text(encoding="utf-8")
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


def test_where_no_event_has_its_value_nothing_is_said_to_be_well() -> None:
    bare = [each.replace("order", "basket") for each in EVENTS]
    Path("log.jsonl").write_text("".join(bare), encoding="utf-8")
    for more in ((), ("--for", "order=7")):
        answer = choreomon(*ASKED, *more)
        assert answer.code == 2
        assert "No instance could be judged." in answer.out
        assert "Nothing forbidden" not in answer.out
        assert (
            "no instance is known; at first: log.jsonl:1: it carries no order: parameters of a "
            "mapping say which field has it" in answer.err
        )


def test_lines_of_json_have_values_in_fields_that_are_called_as_the_parameters() -> None:
    refunded = {"process": "billing", "event": "send", "message": "refund", "to": "bank"}
    told = {"process": "billing", "event": "send", "message": "told", "to": "shop"}
    heard = {"process": "shop", "event": "receive", "message": "told", "from": "billing"}
    shipped = {"process": "shop", "event": "send", "message": "ship", "to": "carrier"}
    lines = [{**refunded, "order": 7}, told, heard, {**shipped, "values": {"order": "7"}}]
    Path("log.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines), "utf-8")
    assert "violated in 1 instance (order=7)" in choreomon(*ASKED).out
    mapping = "{process: process, kind: {constant: send}, name: message, peer: to}"
    Path("mapping.yaml").write_text(mapping, encoding="utf-8")
    assert choreomon(*ASKED, "--mapping", "mapping.yaml").code == 2  # it says what has values


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


def shipped(numbers: range) -> str:
    """Orders that are refunded and then shipped by the same shop."""
    events = []
    for number in numbers:
        order = {"order": number}
        events.append(line("billing", "send", "refund", "bank", 2 * number + 1, values=order))
        told = {"id": f"m{number}"}
        events.append(line("billing", "send", "told", "shop", 2 * number + 2, **told))
        events.append(line("shop", "handle", "told", "billing", 2 * number + 1, **told))
        events.append(line("shop", "send", "ship", "carrier", 2 * number + 2, values=order))
    return "".join(events)


def test_reports_have_one_entry_for_each_verdict_of_an_instance() -> None:
    late = line("shop", "send", "ship", "carrier", 9, values={"order": 9})
    lost = line("shop", "send", "ship", "carrier", 7, values={"order": 8})
    Path("log.jsonl").write_text(shipped(range(3)) + lost + late, encoding="utf-8")
    asked = (*ASKED, "--incomplete", "billing")
    choreomon(*asked, "--junit", "j.xml", "--sarif", "s.json", "--report", "page.html")
    said = json.loads(choreomon(*asked, "--json").out)
    found = [(each["verdict"], each["for"]["order"], each["place"]) for each in said["verdicts"]]
    assert found == [
        *(("violated", str(n), {"file": "log.jsonl", "line": 4 * n + 4}) for n in (2, 1, 0)),
        ("possibly-violated", "9", {"file": "log.jsonl", "line": 14}),
        ("possibly-violated", "8", {"file": "log.jsonl", "line": 13}),
    ]
    assert "order_for" in said["verdicts"][0]
    assert said["kinds"][0]["example"]["for"] == {"order": "0"}
    assert said["sessions"]["worst"][0]["for"] == {"order": "0"}
    assert "verdicts_not_kept" not in said
    junit = Path("j.xml").read_text(encoding="utf-8")
    assert junit.count("<failure ") == 3
    assert junit.count("<skipped ") == 2
    assert 'name="possibly-violated for order=9 at log.jsonl:14"' in junit
    results = json.loads(Path("s.json").read_text(encoding="utf-8"))["runs"][0]["results"]
    assert [each["ruleId"] for each in results].count("sequence-formed") == 3
    assert len({each["partialFingerprints"]["choreomon/v1"] for each in results}) == len(results)
    assert "for order=2: billing -> bank : refund, then" in results[0]["message"]["text"]
    page = Path("page.html").read_text(encoding="utf-8")
    each = page[page.index("<h2>Verdicts</h2>") :]
    assert each.index("order=2</td>") < each.index("order=1</td>") < each.index("order=9</td>")
    assert "shop → carrier : ship(order)" in page
    assert "More verdicts" not in page


def test_verdicts_beyond_a_thousand_are_counted() -> None:
    Path("log.jsonl").write_text(shipped(range(1200)), encoding="utf-8")
    said = json.loads(choreomon(*ASKED, "--json").out)
    orders = [each["for"]["order"] for each in said["verdicts"]]
    assert orders == [str(number) for number in range(1199, 199, -1)]
    assert said["verdicts_not_kept"] == {"violated": 200}
    assert [(each["sessions"], len(each["names"])) for each in said["kinds"]] == [(1200, 10)]
    text = choreomon(*ASKED).out
    assert text.count("violated in 1,200 instances (order=0, order=1, ") == 1
    assert text.count("log.jsonl:") < 10
    choreomon(*ASKED, "--junit", "j.xml", "--sarif", "s.json", "--report", "page.html")
    assert 'name="200 more verdicts that are violated"' in Path("j.xml").read_text("utf-8")
    assert "200 more verdicts of instances" in Path("s.json").read_text("utf-8")
    assert "More verdicts: 1,100 violated." in Path("page.html").read_text("utf-8")


def test_one_instance_can_be_asked_about() -> None:
    Path("log.jsonl").write_text(shipped(range(3)), encoding="utf-8")
    said = json.loads(choreomon(*ASKED, "--for", "order=1", "--json").out)
    assert said["sessions"]["count"] == 1
    assert [each["for"] for each in said["verdicts"]] == [{"order": "1"}]
    none = choreomon(*ASKED, "--for", "order=7")
    assert none.code == 0
    assert "warning: no instance in these logs has order=7" in none.err


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("ordr=1", "--for: unknown parameter 'ordr'; did you mean 'order'?"),
        ("order", "--for 'order': give a parameter and its value"),
    ],
)
def test_instances_that_cannot_be_chosen_are_told(given: str, told: str) -> None:
    answer = choreomon(*ASKED, "--for", given)
    assert answer.code == 2
    assert told in " ".join(answer.err.split())


def test_instances_are_chosen_of_properties_that_have_some() -> None:
    bare = RULE.replace("  for_each: [order]\n", "").replace("(order)", "")
    Path("rule.yaml").write_text(bare, encoding="utf-8")
    told = choreomon(*ASKED, "--for", "order=1").err
    assert "--for can only be used with a property that is for each instance" in told
