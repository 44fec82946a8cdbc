"""`choreomon run`: exit codes, options and what is printed; that nothing is left of a run."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command_line import KEYS, ROOT, STARTED, VIOLATED, choreomon

FAST = ("--speed", 20, "--embedded")

FORMED = """
application:
  processes:
    - id: P1
      handlers: {go: [{send: {to: P2, message: a}}]}
    - id: P2
      handlers: {a: [{send: {to: P3, message: b}}]}
    - id: P3
      handlers: {b: []}
  start: [{to: P1, message: go}]
property:
  sequences: [{steps: ["P1 -> P2 : a", "P2 -> P3 : b"]}]
"""
"""However fast or slow anything is, b follows a."""
NEVER_FORMED = """
application:
  processes:
    - id: P1
      handlers: {go: [{send: {to: P2, message: a}}]}
    - id: P2
      handlers: {a: [], begin: [{send: {to: P3, message: b}}]}
    - id: P3
      handlers: {b: [{send: {to: P1, message: go}}]}
  start: [{to: P2, message: begin}]
property:
  sequences: [{steps: ["P1 -> P2 : a", "P2 -> P3 : b"]}]
"""
"""And here a follows b."""


REAL_NAMES = """
application:
  processes:
    - id: 10.0.0.7:8080
      handlers: {go: [{send: {to: a/b, message: "POST /orders/{id}"}}]}
    - id: a/b
      handlers: {"POST /orders/{id}": [{send: {to: .., message: "$x \\U0001f600 <\\"\\\\>"}}]}
    - id: ..
      handlers: {"$x \\U0001f600 <\\"\\\\>": []}
  start: [{to: 10.0.0.7:8080, message: go}]
property:
  sequences:
    - steps:
        - '"10.0.0.7:8080" -> "a/b" : "POST /orders/{id}"'
        - '"a/b" -> ".." : "$x \U0001f600 <\\"\\\\>"'
"""


@pytest.fixture(autouse=True)
def forced(place: Path) -> None:
    """Documents whose events have one order only: real time forgives nothing."""
    place.joinpath("formed.yaml").write_text(FORMED, encoding="utf-8")
    place.joinpath("names.yaml").write_text(REAL_NAMES, encoding="utf-8")
    place.joinpath("never.yaml").write_text(NEVER_FORMED, encoding="utf-8")


@pytest.mark.parametrize(
    ("document", "code", "headline"),
    [
        ("never", 0, "No forbidden sequence was found."),
        ("formed", 1, "The forbidden sequence was formed."),
    ],
)
@pytest.mark.parametrize("options", [FAST, ("--speed", 10)], ids=["embedded", "beside"])
def test_the_exit_code_and_the_last_line_say_what_was_found(
    document: str, code: int, headline: str, options: tuple[object, ...]
) -> None:
    answer = choreomon("run", f"{document}.yaml", *options)
    assert (answer.code, answer.err) == (code, "")
    assert answer.out.splitlines()[-1] == headline


def test_a_violation_is_said_when_it_is_found_and_explained_at_the_end() -> None:
    answer = choreomon("run", "formed.yaml", *FAST)
    said = answer.out.splitlines()[0]
    assert re.fullmatch(r" *[\d,]+\.?\d* ms  P2 violated at P2 -> P3 : b", said)
    assert "P2 declares violated at event" in answer.out
    assert "which only the simulator knows, it was formed once:" in answer.out
    verbose = choreomon("run", "formed.yaml", *FAST, "--verbose")
    assert "Step 2 of sequence 1 (q1 -> q2) certainly happened here" in verbose.out


def test_json_has_the_keys_of_the_simulator_and_one_run_after_the_other() -> None:
    answer = choreomon("run", "formed.yaml", *FAST, "--json", "--runs", 2, "--seed", 5)
    assert (answer.code, answer.err) == (1, "")
    runs = json.loads(answer.out)["runs"]
    assert [run["seed"] for run in runs] == [5, 6]
    assert all([*run] == KEYS for run in runs)
    simulated = json.loads(choreomon("simulate", "formed.yaml", "--json").out)["runs"][0]
    # All that may differ is when, how often was asked again, and who was how slow.
    for key in ("events", "verdicts", "formed"):
        assert runs[0][key] == simulated[key]
    assert runs[0]["monitoring_messages"] >= simulated["monitoring_messages"]


def test_traces_are_what_verify_reads() -> None:
    answer = choreomon("run", "formed.yaml", *FAST, "--trace", "deep/traces", "--json")
    assert answer.code == 1
    lines = Path("deep/traces/run-0.jsonl").read_text(encoding="ascii").splitlines()
    events = [json.loads(line) for line in lines]
    assert [event["index"] for event in events] == [*range(len(events))]
    assert len(events) == json.loads(answer.out)["runs"][0]["events"]
    times = [event["time"] for event in events]
    assert times == sorted(times)
    simulated = choreomon("simulate", "formed.yaml", "--trace", "virtual")
    assert simulated.code == 1
    virtual = Path("virtual/run-0.jsonl").read_text(encoding="ascii").splitlines()
    for one, other in zip(lines, virtual, strict=True):
        ours, theirs = json.loads(one), json.loads(other)
        assert [*ours] == [*theirs]
        for key in ("index", "event", "process", "message"):
            assert ours[key] == theirs[key]
    for first, code in (("go -> P1", 0), ("go -> P2", 1)):
        text = f"seq({first}, P1 -- a -> P2, P2 -- b -> P3)"
        Path("formed.hif").write_text(text, encoding="utf-8")
        verified = choreomon("verify", "-i", "formed.hif", "--mode", "accept", "deep/traces")
        assert verified.code == code, verified.out


def test_the_logs_of_runs_can_be_verified_at_once() -> None:
    Path("checked.yaml").write_text(NEVER_FORMED + "interaction: it.hif\n", encoding="utf-8")
    for last, code, said in (
        ("P3 -- go -> P1, P1 -- a -> P2", 0, "fit the interaction: Pass"),
        ("P1 -- a -> P2, P3 -- go -> P1", 1, "do not fit the interaction: Fail"),
    ):
        text = f"seq(begin -> P2, P2 -- b -> P3, {last})"
        Path("it.hif").write_text(text, encoding="utf-8")
        answer = choreomon("run", "checked.yaml", *FAST, "--verify", "accept")
        assert answer.code == code
        assert said in answer.out.splitlines()[-1]


def test_a_report_is_one_page_and_says_how_it_was_run() -> None:
    answer = choreomon("run", "formed.yaml", *FAST, "--report", "out.html")
    assert answer.code == 1
    assert "Report: out.html" in answer.out
    page = Path("out.html").read_text(encoding="utf-8")
    for said in ("P2 declares violated", "for real", "within the processes", "<svg"):
        assert said in page


def test_without_a_property_nothing_is_monitored() -> None:
    answer = choreomon("run", "application.yaml", "--trace", "traces")
    assert answer.code == 0
    assert answer.err == "warning: application.yaml: no property: nothing is monitored\n"
    assert answer.out == "1 run, 3 events: nothing was monitored\n"
    lines = Path("traces/run-0.jsonl").read_text(encoding="ascii").splitlines()
    assert [json.loads(line)["clock"] for line in lines] == [{}, {}, {}]
    refused = choreomon("run", "application.yaml", "--embedded")
    assert refused.code == 2
    assert "--embedded can only be used with a property to monitor" in refused.err


@pytest.mark.parametrize("strategy", ["push", "central"])
def test_strategies_to_compare_with_are_the_simulator_s(strategy: str) -> None:
    answer = choreomon("run", "violated.yaml", "--strategy", strategy)
    assert answer.code == 2
    assert "use `choreomon simulate`" in answer.err
    assert choreomon("run", "formed.yaml", *FAST, "--strategy", "pull").code == 1


def test_rules_of_the_command_line_come_before_those_of_the_document() -> None:
    Path("started.yaml").write_text(STARTED, encoding="utf-8")
    assert choreomon("run", "started.yaml", *FAST).code == 1
    answer = choreomon("run", "started.yaml", *FAST, "--rules", "paper")
    assert answer.code == 0
    assert "Missed by the monitors: event" in answer.out


def test_runs_without_end_are_stopped_at_max_events() -> None:
    answer = choreomon("run", "endless.yaml", *FAST)
    assert answer.code == 2
    (events,) = re.findall(
        r"endless.yaml:7: network.max_events: stopped after (\d+) events", answer.err
    )
    assert 300 <= int(events) <= 303
    assert "stopped at max_events" in answer.out


def test_a_run_that_takes_too_long_is_given_up_and_says_what_is_missing() -> None:
    late = VIOLATED.replace("at: 500", "at: 3600000")
    Path("late.yaml").write_text(late, encoding="utf-8")
    answer = choreomon("run", "late.yaml", "--embedded", "--timeout", 2)
    assert answer.code == 2
    assert answer.err.startswith(
        "not at its end after 2 seconds, with seed 0: 3 events happened; messages on their way: 1; "
        "being handled: none: give it more time with --timeout"
    )


def test_documents_without_an_application_are_told() -> None:
    answer = choreomon("run", "property.yaml")
    assert answer.code == 2
    assert answer.err == "property.yaml: application: is missing: there is nothing to run\n"


ORDERS = """
application:
  processes:
    - id: shop
      handlers:
        order: [{send: {to: bank, message: charge, with: {order: $order}}}]
        return:
          - {send: {to: bank, message: refund, with: {order: $order}}}
          - {send: {to: carrier, message: ship, with: {order: $order}}}
    - id: bank
      handlers: {charge: [], refund: []}
    - id: carrier
      handlers: {ship: []}
  start:
    - {to: shop, message: order, repeat: {order: "1..20", every: 1}}
    - {to: shop, message: return, at: 3, with: {order: 7}}
    - {to: shop, message: return, at: 5, with: {order: A-17}}
property:
  for_each: [order]
  sequences: [{steps: ["handle shop -> bank : refund(order)", "shop -> carrier : ship(order)"]},
              {steps: ["shop -> bank : refund(order)", "handle shop -> carrier : ship(order)"]}]
"""
"""Both of two orders are refunded and shipped, one after the other: that is what instances are
for."""


@pytest.mark.parametrize("options", [FAST, ("--speed", 10)], ids=["embedded", "beside"])
def test_each_instance_is_judged_by_itself(options: tuple[object, ...]) -> None:
    Path("orders.yaml").write_text(ORDERS, encoding="utf-8")
    answer = choreomon("run", "orders.yaml", "--json", "--trace", "traces", *options)
    assert answer.code == 1
    (run,) = json.loads(answer.out)["runs"]
    handled = [each for each in run["verdicts"] if each["label"].startswith("handle")]
    assert [(each["verdict"], each["for"]) for each in handled] == [
        ("violated", {"order": "7"}),
        ("violated", {"order": "A-17"}),
    ]
    # Whether the bank has it before the parcel leaves is open, and known for each order alone.
    assert {each["for"]["order"] for each in run["verdicts"]} == {"7", "A-17"}
    assert {*run["formed"]} >= {each["event_index"] for each in handled}
    (trace,) = Path("traces").iterdir()
    events = [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]
    assert {event["values"]["order"] for event in events} == {*map(str, range(1, 21)), "A-17"}


# ---------------------------------------------------------------- what is left

HANGING = FORMED.replace("message: go}]", "message: go}, {to: P1, message: go, at: 3600000}]")
"""Says something soon, and is not at its end for an hour."""


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder for temporary files whose name is so short that sockets can be in it."""
    with tempfile.TemporaryDirectory(prefix="t-", dir="/tmp") as name:
        yield Path(name)


@contextmanager
def started(*arguments: object, place: Path) -> Iterator[subprocess.Popen[str]]:
    """A command in a process of its own that has said its first line. All processes that it starts
    have its outputs. It is gone at the end, also where a test fails."""
    Path("hanging.yaml").write_text(HANGING, encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, "-m", "choreomon", "run", "hanging.yaml", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(place), "COLUMNS": "100"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # Who is started in the background of a shell inherits that interrupts are ignored.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    ) as process:
        try:
            assert process.stdout is not None
            assert "violated at P2 -> P3 : b" in process.stdout.readline()
            assert [*place.glob("choreomon-*")]
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("options", [(), ("--embedded",)], ids=["beside", "embedded"])
@pytest.mark.parametrize(
    ("number", "to_all", "code"),
    [
        (signal.SIGINT, True, 130),
        (signal.SIGTERM, False, 143),
        (signal.SIGKILL, False, -signal.SIGKILL),
    ],
    ids=["Ctrl-C", "SIGTERM", "SIGKILL"],
)
def test_of_a_run_that_is_interrupted_no_process_and_no_file_is_left(
    short: Path, number: signal.Signals, to_all: bool, code: int, options: tuple[str, ...]
) -> None:
    with started(*options, place=short) as process:
        (os.killpg if to_all else os.kill)(process.pid, number)
        # The outputs are at their end when the last process is gone that has them.
        _, errors = process.communicate(timeout=300)
    assert process.returncode == code
    said = {130: "interrupted", 143: "terminated"}
    assert errors.strip() == said.get(code, "")
    assert [*short.iterdir()] == []


def processes_of(session: int) -> dict[int, str]:
    """The processes of a session and what they are doing, by their numbers."""
    found: dict[int, Any] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = entry.joinpath("stat").read_text()
                if int(stat.rpartition(")")[2].split()[3]) == session:
                    found[int(entry.name)] = entry.joinpath("cmdline").read_text()
            except OSError:
                continue
    return found


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks processes up in /proc")
def test_a_process_that_dies_ends_the_run_with_an_error_of_our_own(short: Path) -> None:
    with started(place=short) as process:
        children = sorted(processes_of(process.pid))
        # The command, its fork_server, and from it the network, three actors, and three agents.
        assert len(children) == 1 + 1 + 1 + 3 + 3
        os.kill(children[-1], signal.SIGKILL)
        _, errors = process.communicate(timeout=300)
    assert process.returncode == 70
    assert "is gone, with exit code -9" in errors
    assert [*short.iterdir()] == []


@pytest.mark.parametrize("options", [FAST, FAST[:2]])
def test_names_are_what_they_are(options: tuple[str | int, ...]) -> None:
    answer = choreomon("run", "names.yaml", "--json", *options)
    assert (answer.code, answer.err) == (1, "")
    assert r'"a/b\" -> \"..\" : \"$x ' in answer.out
