"""`choreomon simulate`: exit codes, options and what is printed."""

from __future__ import annotations

import json
import os
import re
import select
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from choreomon.cli.command_line.writing import check_writable
from choreomon.core.run import Run, RunVerdict
from choreomon.core.strategy_names import STRATEGIES
from simulator.run import Simulation
from tests.cli.command_line import KEYS, PROPERTY, STARTED, VIOLATED, choreomon, unread


@pytest.mark.parametrize(
    ("document", "code", "headline"),
    [
        ("conforming", 0, "No forbidden sequence was found."),
        ("violated", 1, "The forbidden sequence was formed."),
        ("possible", 3, "The forbidden sequence may have been formed."),
    ],
)
def test_the_exit_code_and_the_last_line_say_what_was_found(
    document: str, code: int, headline: str
) -> None:
    answer = choreomon("simulate", f"{document}.yaml")
    assert answer.code == code
    assert answer.out.splitlines()[-1] == headline
    assert answer.err == ""


@pytest.mark.parametrize(
    ("document", "code"), [("conforming", 0), ("violated", 1), ("possible", 3)]
)
def test_json_has_the_same_exit_code_and_prints_nothing_but_json(document: str, code: int) -> None:
    answer = choreomon("simulate", f"{document}.yaml", "--json", "--runs", 3, "--seed", 5)
    assert (answer.code, answer.err) == (code, "")
    assert answer.out.count("\n") == 1
    runs = json.loads(answer.out)["runs"]
    assert [run["seed"] for run in runs] == [5, 6, 7]
    assert all([*run] == KEYS for run in runs)


def test_one_violation_among_many_runs_decides_the_exit_code() -> None:
    """Whether a reaches P2 before b leaves depends on the seed."""
    Path("mixed.yaml").write_text(VIOLATED.replace("at: 500", "at: 10"), encoding="utf-8")
    alone = [choreomon("simulate", "mixed.yaml", "--seed", seed).code for seed in range(8)]
    assert {*alone} == {1, 3}
    assert choreomon("simulate", "mixed.yaml", "--runs", 8).code == 1
    possible = alone.index(3)
    assert choreomon("simulate", "mixed.yaml", "--seed", possible, "--runs", 1).code == 3


def test_a_document_of_the_issue_s_kind_explains_its_verdict() -> None:
    answer = choreomon("simulate", "violated.yaml")
    assert "P2 declares violated at event" in answer.out
    assert "which only the simulator knows, it was formed once:" in answer.out
    announced = answer.out.splitlines()[0]
    assert re.fullmatch(r" *5\d\d\.?\d* ms  P2 violated at event \d+ \(P2 -> P3 : b\)", announced)


def test_states_are_named_where_somebody_asks() -> None:
    plain = choreomon("simulate", "violated.yaml")
    assert "Step 2 of sequence 1 certainly happened here" in plain.out
    assert "q1" not in plain.out
    verbose = choreomon("simulate", "violated.yaml", "--verbose")
    assert "Step 2 of sequence 1 (q1 -> q2) certainly happened here" in verbose.out
    assert verbose.code == plain.code
    refused = choreomon("simulate", "violated.yaml", "--verbose", "--json")
    assert refused.code == 2
    assert "--verbose can only be used without --json" in refused.err


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_strategy_can_be_chosen(strategy: str) -> None:
    """A conforming run of concurrent events is decided by asking alone."""
    answer = choreomon("simulate", "conforming.yaml", "--strategy", strategy)
    assert answer.code == (0 if strategy == "pull" else 3)


def test_rules_of_the_command_line_come_before_those_of_the_document() -> None:
    text = STARTED.replace("property:", "property:\n  rules: paper")
    Path("started.yaml").write_text(text, encoding="utf-8")
    assert choreomon("simulate", "started.yaml").code == 0
    assert choreomon("simulate", "started.yaml", "--rules", "sound").code == 1
    answer = choreomon("simulate", "started.yaml", "--rules", "paper")
    assert "Missed by the monitors: event" in answer.out
    assert answer.out.splitlines()[-1] == (
        "A forbidden sequence was formed, and no monitor declared it."
    )
    assert answer.err.startswith("warning: started.yaml:")
    many = choreomon("simulate", "started.yaml", "--runs", 3, columns=60)
    assert many.code == 0
    assert many.out.splitlines()[-1] == (
        "A forbidden sequence was formed in 3 of 3 runs, and no monitor declared it."
    )


def test_traces_have_one_event_a_line_in_the_order_in_which_they_happened() -> None:
    answer = choreomon("simulate", "violated.yaml", "--trace", "deep/traces", "--runs", 2, "--json")
    assert sorted(path.name for path in Path("deep/traces").iterdir()) == [
        "run-0.jsonl",
        "run-1.jsonl",
    ]
    lines = Path("deep/traces/run-0.jsonl").read_text(encoding="ascii").splitlines()
    events = [json.loads(line) for line in lines]
    assert [event["index"] for event in events] == [*range(len(events))]
    assert len(events) == json.loads(answer.out)["runs"][0]["events"]
    assert lines[0] == (
        '{"index":0,"time":0.0,"event":"handle","process":"P1","message":{"sender":"env",'
        '"name":"go","receiver":"P1"},"clock":{"P1":1}}'
    )
    times = [event["time"] for event in events]
    assert times == sorted(times)


def test_what_monitors_do_is_written_beside_the_traces() -> None:
    options = ["violated.yaml", "--runs", 2, "--json", "--trace"]
    answer = choreomon("simulate", *options, "traces", "--trace-monitors")
    assert sorted(path.name for path in Path("traces").iterdir()) == [
        "monitors-0.jsonl",
        "monitors-1.jsonl",
        "run-0.jsonl",
        "run-1.jsonl",
    ]
    text = Path("traces/monitors-1.jsonl").read_text(encoding="ascii")
    lines = [json.loads(line) for line in text.splitlines()]
    run = json.loads(answer.out)["runs"][1]
    assert sum(line["what"] == "sent" for line in lines) == run["monitoring_messages"] == 2
    assert lines[-1]["what"] == "declared"
    assert lines[-1]["event_index"] == run["verdicts"][0]["event_index"]
    assert choreomon("simulate", *options, "alone").out == answer.out
    assert sorted(path.name for path in Path("alone").iterdir()) == ["run-0.jsonl", "run-1.jsonl"]


def test_what_monitors_do_is_written_beside_a_trace_alone() -> None:
    answer = choreomon("simulate", "violated.yaml", "--trace-monitors")
    assert (answer.code, answer.out) == (2, "")
    assert "--trace-monitors can only be used with --trace, which says where" in answer.err


def test_a_report_is_one_page_that_needs_nothing_else() -> None:
    answer = choreomon("simulate", "violated.yaml", "--report", "out.html")
    assert answer.code == 1
    assert "Report: out.html" in answer.out
    page = Path("out.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert page.rstrip().endswith("</html>")
    assert "<script" not in page
    foot = re.sub("<[^>]*>", "", page.partition("<footer>")[2])
    assert "choreomon simulate violated.yaml --report out.html" in foot
    assert not re.search(r"""(src|href)\s*=(?!\s*["']?#)|@import|url\((?!#)""", page)
    for said in ("P2 declares violated", "What must not happen", "monitoring messages", "<svg"):
        assert said in page


def test_a_report_beside_json_leaves_the_json_alone() -> None:
    answer = choreomon("simulate", "possible.yaml", "--json", "--report", "out.html", "--runs", 2)
    assert answer.code == 3
    assert len(json.loads(answer.out)["runs"]) == 2
    assert "2 of 2 runs" in Path("out.html").read_text(encoding="utf-8")


def test_many_runs_are_a_table_and_a_summary() -> None:
    answer = choreomon("simulate", "violated.yaml", "--runs", 60)
    (row,) = re.findall(r"│ violated, formed 1 .*", answer.out)
    assert [cell.strip() for cell in row.split("│")][2:4] == ["60", "0 to 59"]
    assert answer.out.splitlines()[-1] == "Violated in 60 of 60 runs."
    assert "declares" not in answer.out


RARE = (
    """
application:
  processes:
    - id: P0
      handlers: {go: [{send: {to: P1, message: go}}]}
    - id: P1
      handlers: {go: [{send: {to: P2, message: a}}]}
    - id: P2
      handlers: {a: [], go: [{send: {to: P3, message: b}}]}
    - id: P3
      handlers: {b: []}
  start: [{to: P0, message: go, at: 0}, {to: P2, message: go, at: 3}]
"""
    + PROPERTY
)
"""a and b are concurrent, and in the real order a is rarely before b."""


def test_a_page_made_again_is_the_same_where_the_date_is_stated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    choreomon("simulate", "violated.yaml", "--report", "out.html")
    first = Path("out.html").read_bytes()
    assert b"1970-01-02 00:00 UTC" in first
    choreomon("simulate", "violated.yaml", "--report", "out.html")
    assert Path("out.html").read_bytes() == first


def test_of_many_runs_the_page_shows_those_in_which_the_sequence_was_really_formed() -> None:
    Path("rare.yaml").write_text(RARE, encoding="utf-8")
    options = ["--runs", 28, "--strategy", "push", "--report", "rare.html", "--verbose"]
    answer = choreomon("simulate", "rare.yaml", *options)
    (named,) = re.findall(r"seeds, really formed +│ +(.*) │", answer.out)
    assert named == "3, 6, 21, 25, 27"
    assert re.search(r"seeds, possibly violated +│ +0 to 27 ", answer.out)
    page = Path("rare.html").read_text(encoding="utf-8")
    assert re.findall(r"in the run with seed (\d+)</h3>", page) == ["3", "0"]
    assert page.count("Marked: a sequence that was formed") == 1
    assert "4 more like this, in 4 runs" in page


def test_many_runs_show_their_progress_beside_the_output_where_somebody_watches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    watched = choreomon("simulate", "violated.yaml", "--runs", 3, "--json")
    assert "Running" in watched.err
    assert len(json.loads(watched.out)["runs"]) == 3
    assert choreomon("simulate", "violated.yaml", "--json").err == ""


class TestARunThatReachesMaxEvents:
    def test_ends_with_exit_code_2_and_says_so_on_one_line(self) -> None:
        answer = choreomon("simulate", "endless.yaml")
        assert answer.code == 2
        (line,) = answer.err.splitlines()
        assert line.startswith("endless.yaml:7: network.max_events: stopped after 300 events, with")
        assert "with seed 0: raise it if the run should be longer, or look for" in line

    def test_still_prints_the_verdicts_but_not_hundreds_of_them(self) -> None:
        answer = choreomon("simulate", "endless.yaml")
        assert answer.out.count(" ms  A violated at event") == 50
        assert answer.out.count("A declares violated") == 10
        assert "140 more verdicts, not graver than these: --json prints all" in answer.out
        assert "was formed 150 times" in answer.out

    def test_says_so_in_its_json_too(self) -> None:
        answer = choreomon("simulate", "endless.yaml", "--json")
        assert answer.code == 2
        assert json.loads(answer.out)["runs"][0]["max_events_reached"] is True


def test_a_document_without_a_property_runs_unmonitored() -> None:
    answer = choreomon("simulate", "application.yaml", "--trace", "traces")
    assert answer.code == 0
    assert answer.err == "warning: application.yaml: no property: nothing is monitored\n"
    assert answer.out == "1 run, 3 events: nothing was monitored\n"
    assert len(Path("traces/run-0.jsonl").read_text().splitlines()) == 3


@pytest.mark.parametrize(
    "option", [("--rules", "sound"), ("--strategy", "pull"), ("--trace-monitors", "--trace=t")]
)
def test_what_is_about_monitors_is_refused_where_there_are_none(option: tuple[str, str]) -> None:
    answer = choreomon("simulate", "application.yaml", *option)
    assert (answer.code, answer.out) == (2, "")
    assert f"{option[0]} can only be used with a property to monitor" in answer.err


def test_a_report_without_a_property_is_refused_before_anything_runs() -> None:
    options = ["--report", "x.html", "--trace", "t", "--json"]
    answer = choreomon("simulate", "application.yaml", *options)
    assert (answer.code, answer.out) == (2, "")
    assert "--report needs a property" in answer.err
    assert not Path("t").exists()


def test_a_document_without_an_application_has_nothing_to_simulate() -> None:
    answer = choreomon("simulate", "property.yaml")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == ("property.yaml: application: is missing: there is nothing to simulate\n")


@pytest.mark.parametrize(
    "options",
    [
        ["--runs", "0"],
        ["--runs", "many"],
        ["--seed", "x"],
        ["--strategy", "shout"],
        ["--rules", "none"],
        ["--trace", "violated.yaml"],
        ["--report", "."],
        ["--report", ""],
        ["--trace", ""],
        ["--unknown"],
    ],
    ids=" ".join,
)
def test_a_wrong_option_is_bad_usage(options: list[str]) -> None:
    answer = choreomon("simulate", "violated.yaml", *options)
    assert (answer.code, answer.out) == (2, "")
    assert "Usage: choreomon simulate" in answer.err


@pytest.mark.parametrize(
    ("document", "options"),
    [
        ("conforming.yaml", ["--report", "conforming.yaml"]),
        ("run-1.jsonl", ["--trace", "."]),
        ("monitors-1.jsonl", ["--trace", ".", "--trace-monitors"]),
    ],
    ids=["--report", "--trace", "--trace-monitors"],
)
def test_nothing_is_written_over_the_document(document: str, options: list[str]) -> None:
    before = Path("conforming.yaml").read_bytes()
    Path(document).write_bytes(before)
    answer = choreomon("simulate", document, "--runs", "2", *options)
    assert (answer.code, answer.out) == (2, "")
    assert f"{document}: is read, too: write another file" in answer.err
    assert Path(document).read_bytes() == before


def test_nothing_is_written_over_the_interaction_of_the_document() -> None:
    Path("order.hif").write_text("go -> P1", encoding="utf-8")
    text = Path("violated.yaml").read_text(encoding="utf-8")
    Path("stated.yaml").write_text(f"{text}interaction: order.hif\n", encoding="utf-8")
    Path("order.svg").symlink_to("order.hif")
    for command in (
        ["simulate", "stated.yaml", "--report", "order.hif"],
        ["draw", "stated.yaml", "--run", "-o", "order.svg"],
    ):
        answer = choreomon(*command)
        assert (answer.code, answer.out) == (2, "")
        assert f"{command[-1]}: is read, too: write another file" in answer.err
    assert Path("order.hif").read_text(encoding="utf-8") == "go -> P1"


@pytest.mark.parametrize("name", ["run-1.jsonl", "monitors-1.jsonl"])
def test_a_page_is_not_written_over_a_trace(name: str) -> None:
    options = ["--runs", "2", "--trace", "traces", "--trace-monitors"]
    answer = choreomon("simulate", "violated.yaml", *options, "--report", f"traces/./{name}")
    assert (answer.code, answer.out) == (2, "")
    assert f"{name}: is a trace of these runs, too: write another file" in answer.err


class TestWhatCannotBeWritten:
    @pytest.mark.parametrize(
        ("options", "said"),
        [
            (["--trace", "violated.yaml/traces"], "violated.yaml/traces: cannot be made: Not a"),
            (["--report", "violated.yaml/report.html"], "violated.yaml: is no folder"),
            (["--report", "loop"], "loop: cannot be written: Too many levels of symbolic links"),
            (["--trace", "traces", "--runs", "2"], "run-1.jsonl: cannot be written: Is a direct"),
        ],
        ids=str,
    )
    def test_is_said_with_its_name_before_any_run(
        self, options: list[str], said: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        Path("loop").symlink_to("loop")
        Path("traces/run-1.jsonl").mkdir(parents=True)
        monkeypatch.delattr(Simulation, "run")
        answer = choreomon("simulate", "conforming.yaml", *options)
        assert (answer.code, answer.out) == (2, "")
        assert said in answer.err

    def test_leaves_the_files_that_could_be_written(self) -> None:
        """They are not emptied, nor do empty ones stay where there were none."""
        Path("t").mkdir()
        Path("t/run-0.jsonl").write_text("of yesterday", encoding="utf-8")
        options = ["--trace", "t", "--runs", "2", "--report", "empty.yaml/report.html"]
        assert choreomon("simulate", "conforming.yaml", *options).code == 2
        assert Path("t/run-0.jsonl").read_text(encoding="utf-8") == "of yesterday"
        assert not Path("t/run-1.jsonl").exists()


def test_an_interrupted_run_leaves_the_report_of_yesterday(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(*_: object, **__: object) -> Run:
        raise KeyboardInterrupt

    monkeypatch.setattr(Simulation, "run", interrupted)
    Path("report.html").write_text("of yesterday", encoding="utf-8")
    Path("link.html").symlink_to("target.html")
    for report in ("report.html", "link.html", "new.html"):
        assert choreomon("simulate", "conforming.yaml", "--report", report).code == 130
    assert Path("report.html").read_text(encoding="utf-8") == "of yesterday"
    assert Path("link.html").is_symlink()
    assert not Path("target.html").exists()
    assert not Path("new.html").exists()


def test_a_report_is_written_through_links_and_into_the_directory_of_traces() -> None:
    Path("link.html").symlink_to("target.html")
    for report in ("link.html", "t/report.html"):
        options = ["--report", report, "--trace", "t"]
        assert choreomon("simulate", "conforming.yaml", *options).code == 0
        assert Path(report).read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert Path("link.html").is_symlink()


def test_a_report_can_be_written_to_a_pipe() -> None:
    """As a shell's `--report >(command)` has it."""
    reading, writing = os.pipe()
    with os.fdopen(reading, encoding="utf-8") as pipe, ThreadPoolExecutor(1) as pool:
        page = pool.submit(pipe.read)
        try:
            answer = choreomon("simulate", "conforming.yaml", "--report", f"/dev/fd/{writing}")
        finally:
            os.close(writing)
        assert page.result().startswith("<!DOCTYPE html>")
    assert answer.code == 0


def test_a_named_pipe_is_not_tried_because_its_reader_would_take_that_for_the_end() -> None:
    os.mkfifo("pipe")
    reading = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    poll = select.poll()
    poll.register(reading)
    try:
        check_writable(Path("pipe"))
        assert poll.poll(0) == []
    finally:
        os.close(reading)


def test_a_full_disk_is_no_error_of_ours() -> None:
    Path("run-0.jsonl").symlink_to("/dev/full")
    answer = choreomon("simulate", "endless.yaml", "--trace", ".")
    assert answer.code == 2
    assert "No space left on device" in answer.err
    assert "Traceback" not in answer.err


def test_json_says_where_the_sequence_was_really_formed() -> None:
    Path("rare.yaml").write_text(RARE, encoding="utf-8")
    options = ["--runs", 28, "--strategy", "push"]
    runs = json.loads(choreomon("simulate", "rare.yaml", *options, "--json").out)["runs"]
    assert [run["seed"] for run in runs if run["formed"]] == [3, 6, 21, 25, 27]
    judged = [verdict["event_index"] for verdict in runs[3]["verdicts"]]
    assert runs[3]["formed"] == judged
    unmonitored = json.loads(choreomon("simulate", "application.yaml", "--json").out)["runs"][0]
    assert "formed" not in unmonitored


@pytest.mark.parametrize("more", [[], ["--runs", 3], ["--json"]], ids=str)
def test_the_report_is_written_though_nobody_reads_what_is_printed(more: list[object]) -> None:
    """A single run prints words while it goes on."""
    finished = unread("simulate", "violated.yaml", "--report", "out.html", *more)
    assert (finished.returncode, finished.stderr) == (141, b"")
    page = Path("out.html").read_text(encoding="utf-8")
    assert "P2 declares violated" in page
    assert page.rstrip().endswith("</html>")


@pytest.mark.parametrize(
    "arguments", [["endless.yaml"], ["violated.yaml", "--json", "--runs", 30]], ids=str
)
def test_traces_are_written_though_nobody_reads_what_is_printed(arguments: list[object]) -> None:
    """Thirty runs are more than a buffer of JSON."""
    choreomon("simulate", *arguments, "--trace", "read")
    assert unread("simulate", *arguments, "--trace", "unread").returncode == 141
    whole = {path.name: path.read_bytes() for path in Path("read").iterdir()}
    assert {path.name: path.read_bytes() for path in Path("unread").iterdir()} == whole


@pytest.mark.parametrize("more", [[], ["--json"]], ids=str)
def test_what_was_found_is_printed_though_the_report_cannot_be_written(more: list[str]) -> None:
    Path("full.html").symlink_to("/dev/full")
    whole = choreomon("simulate", "violated.yaml", *more).out
    answer = choreomon("simulate", "violated.yaml", "--report", "full.html", *more)
    assert (answer.code, answer.out) == (2, whole)
    assert "full.html: cannot be written: No space left on device" in answer.err


class TestProvisionalWords:
    """A link of 100 ms and a deadline of 10 ms."""

    @pytest.fixture(autouse=True)
    def _slow(self) -> None:
        slow = VIOLATED + ("network: {delay: {constant: 100}, monitoring: {deadline: 10}}\n")
        Path("slow.yaml").write_text(slow, encoding="utf-8")
        Path("withdrawn.yaml").write_text(
            slow.replace("message: go, at: 0}", "message: go, at: 900}"), encoding="utf-8"
        )

    def test_are_printed_as_they_are_given_with_who_was_silent(self) -> None:
        first, second, *_ = choreomon("simulate", "slow.yaml").out.splitlines()
        assert "510 ms  P2 possibly violated" in first
        assert first.endswith("for now: no answer from P1")
        assert "700 ms  P2 violated" in second

    def test_only_withdrawn_ones_are_nothing_found(self) -> None:
        answer = choreomon("simulate", "withdrawn.yaml")
        assert answer.code == 0
        assert "P2 withdraws its verdict" in answer.out
        assert answer.out.splitlines()[-1] == "No forbidden sequence was found."
        verdicts = json.loads(choreomon("simulate", "withdrawn.yaml", "--json").out)["runs"][0]
        assert [verdict["verdict"] for verdict in verdicts["verdicts"]] == ["withdrawn"]


def test_the_same_word_for_other_reasons_is_not_announced_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A pushing monitor judges anew with every piece of news; the reader wants the words."""
    run = Simulation.run

    def twice(self: Simulation, seed: int, **settings: Any) -> Run:
        announce = settings.pop("on_verdict")

        def on_verdict(word: RunVerdict) -> None:
            announce(word)
            announce(replace(word, because=()))

        return run(self, seed, on_verdict=on_verdict, **settings)

    monkeypatch.setattr(Simulation, "run", twice)
    answer = choreomon("simulate", "violated.yaml")
    assert len(re.findall(r"^ +\S+ ms  P2 violated", answer.out, re.MULTILINE)) == 1


def test_long_explanations_are_indented_where_they_are_wrapped() -> None:
    lines = choreomon("simulate", "violated.yaml", columns=60).out.splitlines()
    start = next(n for n, line in enumerate(lines) if "declares violated" in line)
    sentences = lines[start + 1 : lines.index("", start)]
    assert len(sentences) > 3
    assert all(re.match(r"  \S", line) and line == line.rstrip() for line in sentences)
    assert any(line[2].islower() for line in sentences)


def test_of_many_verdicts_the_gravest_are_explained() -> None:
    """Twelve b that are concurrent to a, and one long after it."""
    concurrent = "{to: P2, message: go, at: 0}, " * 12
    text = VIOLATED.replace("at: 0}, {", "at: 0}, " + concurrent + "{")
    Path("many.yaml").write_text(text, encoding="utf-8")
    answer = choreomon("simulate", "many.yaml")
    assert answer.out.count("P2 declares possibly violated") == 9
    assert answer.out.count("P2 declares violated") == 1
    assert "3 more verdicts, not graver than these" in answer.out
