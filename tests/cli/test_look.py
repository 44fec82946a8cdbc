"""`choreomon look`: what is in logs."""

from __future__ import annotations

import json
from pathlib import Path

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
