"""`choreomon look`: what is in logs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from choreomon.terminal.contents_tables import UNKNOWN
from tests.cli.command_line import choreomon


def line(event: str, process: str, name: str, number: int, **more: object) -> str:
    message = {"sender": "P1", "name": name, "receiver": "P2"}
    told = {"event": event, "process": process, "message": message, "number": number, **more}
    return json.dumps(told) + "\n"


def logs() -> None:
    folder = Path("logs")
    folder.mkdir()
    sent = [line("send", "P1", "a", n, id=f"{n}") for n in (1, 2, 3)]
    (folder / "p1.jsonl").write_text("".join(sent), encoding="utf-8")
    handled = line("handle", "P2", "a", 1, id="1") + "no json\n"
    (folder / "p2.jsonl").write_text(handled, encoding="utf-8")


def test_what_is_in_a_folder_of_logs() -> None:
    logs()
    answer = choreomon("look", "logs")
    assert answer.code == 0
    assert "4 events of 2 processes in 1 session." in answer.out
    rows = [
        [cell.strip() for cell in row.strip("│ ").split("│")]
        for row in answer.out.splitlines()
        if row.startswith("│")
    ]
    assert ["P1 -> P2 : a", "3", "1"] in rows
    assert ["P1", "3", "3", "0", "0", "0", "3"] in rows
    assert "not understood: it is not JSON" in " ".join(answer.out.split())
    assert UNKNOWN not in answer.out


def test_the_same_for_programs() -> None:
    logs()
    answer = choreomon("look", "logs", "--json")
    said = json.loads(answer.out)
    assert said["messages"] == [
        {"sender": "P1", "receiver": "P2", "name": "a", "sent": 3, "handled": 1}
    ]
    assert said["processes"][0]["process"] == "P1"
    assert (said["events"], said["sessions"], said["with_id"]) == (4, 1, 4)


def test_rows_are_limited_and_that_is_said() -> None:
    names = "".join(line("send", "P1", f"m{n}", n) for n in range(1, 31))
    Path("p1.jsonl").write_text(names, encoding="utf-8")
    assert "10 more: --most 30 shows all" in choreomon("look", "p1.jsonl").out
    whole = choreomon("look", "p1.jsonl", "--most", "30").out
    assert "P1 -> P2 : m30" in whole
    assert "more: --most" not in whole


def test_sessions_are_counted_by_the_field_that_is_named() -> None:
    events = "".join(line("send", "P1", "a", n, order=f"o{n % 3}") for n in range(1, 10))
    Path("p1.jsonl").write_text(events, encoding="utf-8")
    answer = choreomon("look", "p1.jsonl", "--session-key", "order")
    assert "in 3 sessions" in answer.out


def test_what_cannot_be_read_is_refused() -> None:
    assert choreomon("look", "none.jsonl").code == 2
    Path("a.txt").write_text("hello\n", encoding="utf-8")
    answer = choreomon("look", "a.txt")
    assert answer.code == 2
    assert "a.txt" in answer.err


def test_a_field_of_sessions_does_not_say_what_logs_look_like() -> None:
    Path("logs").mkdir()
    Path("logs/p1.jsonl").write_text(line("send", "P1", "a", 1, order="o"), encoding="utf-8")
    Path("logs/README.md").write_text("nothing here\n", encoding="utf-8")
    answer = choreomon("look", "logs", "--session-key", "order")
    assert answer.code == 0
    assert "logs/README.md: is left out" in answer.err


LINES = "".join(
    json.dumps(each) + "\n"
    for n in range(6)
    for each in (
        {"svc": "shop", "dir": "out", "what": "order", "id": f"m{n}", "cart": n // 3},
        {"svc": "bank", "dir": "in", "what": "order", "id": f"m{n}", "cart": n // 3},
        {"svc": "bank", "dir": "note", "what": "counted", "cart": n // 3},
    )
)


def test_a_draft_is_written_and_shown_and_audits_take_it() -> None:
    Path("saga.jsonl").write_text(LINES, encoding="utf-8")
    refused = choreomon("look", "saga.jsonl")
    assert refused.code == 2
    assert "choreomon look saga.jsonl -o mapping.yaml drafts one" in refused.err
    answer = choreomon("look", "saga.jsonl", "-o", "mapping.yaml", "--rules", "rules.yaml")
    assert answer.code == 0
    assert "shop -> bank : order │    6 │       6" in answer.out
    assert "tell instances apart (--session-key): cart (2 values)." in answer.out
    audited = choreomon("audit", "rules.yaml", "saga.jsonl", "--mapping", "mapping.yaml")
    assert audited.code == 1  # the only message, twice
    assert "12 of 18 events" not in audited.out
    assert choreomon("check", "rules.yaml").code == 0
    twice = choreomon("look", "saga.jsonl", "-o", "other.yaml", "--mapping", "mapping.yaml")
    assert "--output drafts a mapping: leave --mapping out" in twice.err
    again = choreomon("look", "saga.jsonl", "-o", "mapping.yaml")
    assert (again.code, "add --force to replace it" in again.err) == (2, True)
    assert choreomon("look", "saga.jsonl", "-o", "mapping.yaml", "--force").code == 0
    own = choreomon("look", "saga.jsonl", "-o", "saga.jsonl")
    assert (own.code, Path("saga.jsonl").read_text("utf-8")) == (2, LINES)


def test_rules_need_messages_with_both_ends() -> None:
    told = json.dumps({"process": "a", "kind": "send", "name": "x"})
    Path("a.jsonl").write_text(told, encoding="utf-8")
    answer = choreomon("look", "a.jsonl", "--rules", "rules.yaml")
    assert "--rules: no message is known with both of its ends" in answer.err
    assert not Path("rules.yaml").exists()


def test_a_part_is_looked_at_and_drawn() -> None:
    events = [line("send", "P1", f"m{n % 3}", n, id=f"{n}") for n in range(1, 10)]
    Path("p1.jsonl").write_text("".join(events), encoding="utf-8")
    asked = ("look", "p1.jsonl", "--name", "m1", "--name", "m2", "--report", "page.html")
    answer = choreomon(*asked, "--limit", "2", "--skip", "1", "--json")
    assert json.loads(answer.out)["events"] == 6
    page = Path("page.html").read_text(encoding="utf-8")
    assert "4 more events of the chosen part are not drawn" in page
    assert "only names" in page
    drawing = page.partition("<svg")[2].partition("</svg>")[0]
    assert "m1" in drawing
    assert "m0" not in drawing
    none = choreomon("look", "p1.jsonl", "--process", "P2", "--report", "page.html")
    assert none.code == 2
    assert "Part of it" not in Path("page.html").read_text(encoding="utf-8")
    sessions = choreomon("look", "p1.jsonl", "--session", "s", "--json")
    assert json.loads(sessions.out)["events"] == 0


def test_a_pattern_stands_for_the_logs_that_it_fits() -> None:
    logs()
    answer = choreomon("look", "logs/p[12].jsonl")
    assert "4 events of 2 processes" in answer.out
    assert "logs/q*: cannot be read" in choreomon("look", "logs/q*").err
    Path("odd[1].jsonl").write_text(line("send", "P1", "a", 1), encoding="utf-8")
    assert "1 event of 1 process" in choreomon("look", "odd[1].jsonl").out


def test_the_first_events_are_listed_where_it_is_asked_how_many() -> None:
    events = [line("send", "P1", f"m{n}", n, id=f"{n}") for n in (1, 2, 3, 7)]
    Path("p1.jsonl").write_text("".join(events), encoding="utf-8")
    answer = choreomon("look", "p1.jsonl", "--skip", "1", "--limit", "2")
    assert "│ 2    │ P1      │ send │ m2   │ P2   │" in answer.out
    assert "m1   │ P2" not in answer.out
    assert "2 more events are not shown" in answer.out
    rows = [row.split("│") for row in answer.out.splitlines() if row.startswith("│ P1 ")]
    assert rows[0][-2].strip() == "3"  # missing: 4, 5 and 6
    told = json.loads(choreomon("look", "p1.jsonl", "--limit", "1", "--json").out)
    assert [each["name"] for each in told["first"]] == ["m1"]
    assert "first" not in json.loads(choreomon("look", "p1.jsonl", "--json").out)


@pytest.mark.parametrize("mapped", [True, False])
def test_routes_and_hosts_of_spans_are_audited_by_their_own_names(mapped: bool) -> None:
    def span(service: str, number: int, kind: str, parent: int, **more: str) -> str:
        def attribute(key: str, value: str) -> dict[str, object]:
            return {"key": key, "value": {"stringValue": value}}

        one = {
            "traceId": "5b8aa5a2d2c872e8321cf37308d69df2",
            "spanId": f"{number:016x}",
            **({"parentSpanId": f"{parent:016x}"} if parent else {}),
            "name": "POST",
            "kind": kind,
            "startTimeUnixNano": str(100 + number),
            "endTimeUnixNano": str(200 - number),
            "attributes": [attribute(f"http.{key}", value) for key, value in more.items()],
        }
        own = {"attributes": [attribute("service.name", service)]}
        spans = [{"scopeSpans": [{"spans": [one]}], "resource": own}]
        return json.dumps({"resourceSpans": spans}) + "\n"

    server = {"method": "POST", "route": "/orders/{id}"}
    Path("spans.jsonl").write_text(
        span("10.0.0.7:8080", 1, "SPAN_KIND_CLIENT", 0)
        + span("10.0.0.9:443", 2, "SPAN_KIND_SERVER", 1, **server),
        encoding="utf-8",
    )
    drafting = ("-o", "m.yaml") if mapped else ()
    looked = choreomon("look", "spans.jsonl", *drafting, "--rules", "rules.yaml")
    assert looked.code == 0, looked.err
    label = '"10.0.0.7:8080" -> "10.0.0.9:443" : "POST /orders/{id}"'
    assert label in looked.out
    assert f"after: '{label}'" in Path("rules.yaml").read_text(encoding="utf-8")
    mapping = ("--mapping", "m.yaml") if mapped else ()
    audited = choreomon("audit", "rules.yaml", "spans.jsonl", *mapping)
    assert audited.code == 1, audited.err
    assert f"1 {label}" in audited.out
