"""`choreomon audit` of logs of many sessions: options, exit codes, each kind of verdict once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.cli.command_line import ROOT, choreomon
from tests.cli.test_audit import HANDLED, A, B, handle, log, send


def as_json_lines(session: str, *events: str) -> str:
    """The same events as lines of JSON with other field names."""
    lines = []
    for event in map(json.loads, events):
        message = event["message"]
        told = {"order": session, "service": event["process"], "kind": event["event"]}
        peer = message["receiver"] if event["event"] == "send" else message["sender"]
        lines.append(json.dumps({**told, "message": message["name"], "peer": peer}) + "\n")
    return "".join(lines)


ASKED = ("audit", "property.yaml", "mixed.jsonl", "--session-key", "order")

BAD = (A, HANDLED, B)
GOOD = (B, send("P2", "x", "P1"), handle("P2", "x", "P1"), A)
UNCLEAR = (A, send("P2", "b", "P3"))


def logged(bad: int = 1, good: int = 1, unclear: int = 0) -> None:
    """Sessions that are called so and numbered, mixed."""
    sessions = [as_json_lines(f"bad{number}", *BAD) for number in range(bad)]
    sessions += [as_json_lines(f"good{number}", *GOOD) for number in range(good)]
    sessions += [as_json_lines(f"unclear{number}", *UNCLEAR) for number in range(unclear)]
    left = [session.splitlines(keepends=True) for session in sessions]
    log("mixed.jsonl", *(lines.pop(0) for _ in range(4) for lines in left if lines))


def found(*arguments: str) -> tuple[int, dict[str, Any]]:
    answer = choreomon(*ASKED, *arguments, "--json")
    return answer.code, json.loads(answer.out)


def test_each_session_is_judged_by_itself_where_it_is_said_what_tells_them_apart() -> None:
    logged()
    together = choreomon("audit", "property.yaml", "mixed.jsonl", "--json")
    assert "sessions" not in json.loads(together.out)
    code, said = found()
    assert code == 1
    assert said["overall"] == {"verdict": "violated"}
    assert said["sessions"]["count"] == 2
    assert said["sessions"]["verdicts"] == {"violated": 1, "none": 1}
    assert said["events"] == 7


def test_the_name_of_a_session_does_nothing_to_a_terminal() -> None:
    log("mixed.jsonl", as_json_lines("bad\x1b[2J\u202e", *BAD))
    answer = choreomon(*ASKED)
    assert answer.code == 1
    assert answer.out.count(r"'bad\x1b[2J\u202e'") == 2
    assert "\x1b" not in answer.out


def test_each_kind_is_told_once_with_the_sessions_that_show_it() -> None:
    logged(bad=30, good=5, unclear=3)
    code, said = found()
    assert code == 1
    assert said["sessions"]["verdicts"] == {"violated": 30, "possibly-violated": 3, "none": 5}
    surely, perhaps = said["kinds"]
    assert (surely["verdict"], surely["sessions"], surely["verdicts"]) == ("violated", 30, 30)
    assert surely["names"] == [f"bad{number}" for number in range(10)]
    assert surely["sequence"] == [{"label": "P1 -> P2 : a"}, {"label": "P2 -> P3 : b"}]
    assert surely["example"]["session"] == "bad0"
    assert len(surely["example"]["order_for"]["events"]) == 2
    assert (perhaps["verdict"], perhaps["sessions"]) == ("possibly-violated", 3)
    assert said["sessions"]["worst"][0] == {
        "session": "bad0",
        "verdict": "violated",
        "violated": 1,
        "possibly_violated": 0,
        "undecided": 0,
        "events": 3,
    }
    assert len(said["sessions"]["worst"]) == 33


def test_people_read_each_kind_once() -> None:
    logged(bad=30, good=5)
    answer = choreomon(*ASKED)
    lines = answer.out.splitlines()
    assert answer.code == 1
    assert lines[0].startswith("violated in 30 sessions (bad0, bad1, bad2, bad3, bad4, ..): ")
    assert answer.out.count("formed there in this order") == 1
    assert "session bad0: violated at P2 -> P3 : b" in answer.out
    assert "30 of 35 sessions violated. 70 of 110 events matter to this property." in answer.out


def test_a_page_shows_each_kind_once() -> None:
    logged(bad=30, unclear=4)
    assert choreomon(*ASKED, "--report", "page.html").code == 1
    page = Path("page.html").read_text(encoding="utf-8")
    assert "30 of 35 sessions violated, 4 possibly violated" in page
    assert "choreomon audit property.yaml " in page.partition("<footer>")[2]
    assert page.count("<h3>Violated: ") == page.count("<h3>Possibly violated: ") == 1
    assert page.count("It was formed in this order") == 2
    assert "bad0, bad1" in page


def test_machines_are_told_each_kind_once() -> None:
    logged(bad=30, unclear=4)
    assert choreomon(*ASKED, "--junit", "j.xml", "--sarif", "s.json").code == 1
    cases = [*ElementTree.parse("j.xml").getroot()]
    assert [[child.tag for child in case] for case in cases] == [["failure"], ["skipped"], []]
    assert cases[0].attrib["name"] == "violated: P1 -> P2 : a, then P2 -> P3 : b"
    assert "sessions bad0, bad1" in "".join(cases[0].itertext())
    assert cases[2].attrib["name"] == "1 sessions in which nothing was formed"
    (run,) = json.loads(Path("s.json").read_text(encoding="utf-8"))["runs"]
    assert [result["ruleId"] for result in run["results"]] == [
        "sequence-formed",
        "sequence-possibly-formed",
    ]
    assert "in 30 sessions (bad0, bad1" in run["results"][0]["message"]["text"]


MAPPING = """
format: jsonl
process: service
kind: kind
name: message
peer: peer
number: n
"""


def test_a_mapping_that_names_sessions_splits() -> None:
    logged()
    Path("plain.yaml").write_text(MAPPING, encoding="utf-8")
    Path("splits.yaml").write_text(MAPPING + "session: order\n", encoding="utf-8")
    Path("other.yaml").write_text(MAPPING + "session: service\n", encoding="utf-8")
    rule = "events: [{where: {kind: send}, session: order}]\n"
    Path("rule.yaml").write_text(MAPPING + rule, encoding="utf-8")
    asked = ("audit", "property.yaml", "mixed.jsonl", "--json", "--mapping")
    assert "sessions" not in json.loads(choreomon(*asked, "plain.yaml").out)
    split = json.loads(choreomon(*asked, "splits.yaml").out)
    assert split["sessions"]["count"] == 2
    assert json.loads(choreomon(*asked, "rule.yaml").out)["sessions"]["count"] == 3
    # The option's field, and not that of the mapping.
    assert json.loads(choreomon(*asked, "other.yaml").out)["sessions"]["worst"] != []
    both = json.loads(choreomon(*asked, "other.yaml", "--session-key", "order").out)
    assert both["sessions"] == split["sessions"]


def numbered(*lost: int) -> None:
    """Two sessions of processes that number all that they do: `a`, its handling, `b` each."""
    lines = [
        *as_json_lines("1", A, HANDLED).splitlines(),
        *as_json_lines("2", A, HANDLED).splitlines(),
        *as_json_lines("1", B).splitlines(),
        *as_json_lines("2", B).splitlines(),
    ]
    counts: dict[str, int] = {}
    kept = []
    for place, text in enumerate(lines):
        record = json.loads(text)
        counts[record["service"]] = counts.get(record["service"], 0) + 1
        if place not in lost:
            kept.append(json.dumps({**record, "n": counts[record["service"]]}) + "\n")
    log("mixed.jsonl", *kept)
    Path("splits.yaml").write_text(MAPPING + "session: order\n", encoding="utf-8")


def test_numbers_may_go_on_through_all_sessions() -> None:
    asked = ("audit", "property.yaml", "mixed.jsonl", "--mapping", "splits.yaml", "--json")
    numbered()
    whole = json.loads(choreomon(*asked).out)
    assert (whole["gaps"], whole["sessions"]["verdicts"]) == ([], {"violated": 2})
    apart = json.loads(choreomon(*asked, "--numbers", "session").out)
    assert apart["gap_count"] > 0
    assert json.loads(choreomon(*asked, "--numbers", "process").out) == whole
    numbered(1)  # of which nobody knows the session
    lacking = json.loads(choreomon(*asked).out)
    assert {gap["reason"] for gap in lacking["gaps"]} == {
        "event 1 of P2 is not in its log, in whatever session"
    }
    assert lacking["gap_count"] == 2


def test_a_session_of_too_many_events_is_bad_input() -> None:
    logged(bad=2, good=1)
    answer = choreomon(*ASKED, "--max-events", "3", "--junit", "j.xml", "--sarif", "s.json")
    assert answer.code == 2
    assert "session good0: 4 events are more than --max-events 3: not judged" in answer.err
    assert "2 of 3 sessions violated, 1 not judged" in answer.out
    cases = [*ElementTree.parse("j.xml").getroot()]
    assert [[child.tag for child in case] for case in cases] == [["failure"], ["error"]]
    (run,) = json.loads(Path("s.json").read_text(encoding="utf-8"))["runs"]
    assert run["invocations"][0]["executionSuccessful"] is False


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--jobs", "2"), "where sessions are told apart"),
        (("--numbers", "process"), "where sessions are told apart"),
        (("--max-events", "5"), "where sessions are told apart"),
        (("--max-sessions", "5", "--follow"), "where sessions are told apart"),
        (("--session-key", "order", "--max-sessions", "5"), "with --follow"),
        (("--session-key", "order", "--jobs", "2", "--follow"), "without --follow"),
        (("--session-key", "order", "--max-events", "2", "--follow"), "without --follow"),
        (("--explain-mapping", "--jobs", "2"), "without --explain-mapping"),
    ],
)
def test_options_that_would_do_nothing_are_refused(arguments: tuple[str, ...], told: str) -> None:
    logged()
    answer = choreomon("audit", "property.yaml", "mixed.jsonl", *arguments)
    assert answer.code == 2
    assert told in " ".join(answer.err.split())


def test_jobs_change_nothing() -> None:
    logged(bad=20, good=10, unclear=4)
    assert found("--jobs", "2") == found() == found("--jobs", "3")


def test_a_log_that_is_refused_is_refused_in_the_same_words() -> None:
    """`events` are lines of our own, in which no field is a session."""
    Path("own.jsonl").write_text("".join((A, HANDLED, B)), encoding="utf-8")
    asked = ("audit", "property.yaml", "own.jsonl", "--format", "events", "--session-key", "no")
    one, two = (choreomon(*asked, "--jobs", jobs) for jobs in ("1", "2"))
    assert (one.code, one.err) == (two.code, two.err)
    assert "own.jsonl: is read as events, which has no use for a session key" in two.err


STRUCK = """
import signal, sys
from contextlib import nullcontext
import choreomon.cli.offline.audit_sessions as sessions
from choreomon.cli import main

def struck(doing, done, of):
    if doing == {doing!r}:
        signal.raise_signal({number})

sessions._progress = lambda: nullcontext(struck)
sys.argv = ["choreomon", *{arguments!r}]
if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize("doing", ["reading", "judging"])
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_all_processes_and_leaves_nothing(
    place: Path, number: signal.Signals, jobs: str, doing: str
) -> None:
    """The processes have their end of the pipes, so who reads these to the end knows of theirs."""
    logged(bad=3)
    text = STRUCK.format(doing=doing, number=int(number), arguments=[*ASKED, "--jobs", jobs])
    place.joinpath("program.py").write_text(text, encoding="utf-8")
    with TemporaryDirectory() as folder:  # that of pytest has too long a name for sockets
        done = subprocess.run(
            [sys.executable, "program.py"],
            env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": folder},
            capture_output=True,
            text=True,
            timeout=300,  # it might have no end
            check=False,
        )
        left = [*Path(folder).iterdir()]
    assert (done.returncode, done.stdout) == (128 + number, "")
    assert done.stderr.split() in (["interrupted"], ["terminated"])
    assert left == []


def test_an_incomplete_process_that_the_property_does_not_have_is_refused() -> None:
    Path("one.yaml").write_text(
        'property: {sequences: [{steps: ["P1 -> P2 : a"]}]}\n', encoding="utf-8"
    )
    Path("one.jsonl").write_text("{}\n", encoding="utf-8")
    answer = choreomon(
        *("audit", "one.yaml", "one.jsonl", "--session-key", "s", "--incomplete", "P9")
    )
    assert answer.code == 2
    assert "--incomplete: the property has no label of a process 'P9'" in answer.err


def test_sessions_that_are_out_of_order_are_read_by_their_numbers() -> None:
    lines = [json.loads(line) for line in as_json_lines("s", *BAD).splitlines()]
    numbers: dict[str, int] = {}
    for line in lines:
        line["seq"] = numbers[line["service"]] = numbers.get(line["service"], 0) + 1
    mixed = sorted(lines, key=lambda line: (line["service"], -line["seq"]))
    log("mixed.jsonl", *(json.dumps(line) + "\n" for line in mixed))
    code, said = found()
    assert code == 1
    assert said["sessions"]["verdicts"] == {"violated": 1}
    assert said["diagnostics"]["counts"]["out-of-order"] == 1
    code, said = found("--strict")
    assert code == 2
    assert said["sessions"]["not_judged"] == 1


def test_mended_clocks_are_counted_and_refused_by_strict() -> None:
    clock = json.dumps(json.dumps({"P1": 1}))
    events = [
        {"service": "P1", "kind": "send", "message": "a", "peer": "P2", "clock": clock, "order": n}
        for n in range(3)
    ]
    log("mixed.jsonl", *(json.dumps(line) + "\n" for line in events))
    told = choreomon(*ASKED)
    assert told.code == 3
    assert "its clock is within quotes (2 more like it)" in " ".join(told.out.split())
    assert "3 mended" in told.out
    strict = choreomon(*ASKED, "--strict")
    assert strict.code == 2
    assert "--strict: 3 events had to be mended" in strict.err
