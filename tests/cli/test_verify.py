"""`choreomon verify`: exit codes, options and what is printed."""

from __future__ import annotations

import json
import os
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

from choreomon.batch import bounds
from tests.cli.command_line import Answer, choreomon, unread
from tests.cli.offline import TRACES, write_offline_files

KEYS = [
    *("trace", "mode", "verdict", "reason", "strange", "fault", "method"),
    *("vertices", "seconds"),
    *("witness", "failure", "others"),
]


@pytest.fixture(autouse=True)
def _files(place: Path) -> None:
    write_offline_files(place)


def verify(*arguments: object) -> Answer:
    return choreomon("verify", "-i", "i.hif", *arguments)


def lines(answer: Answer) -> list[dict[str, Any]]:
    return [json.loads(line) for line in answer.out.splitlines()]


def verdicts(*arguments: object) -> list[str | None]:
    return [line["verdict"] for line in lines(verify(*arguments, "--json"))]


@pytest.mark.parametrize(
    ("traces", "code"),
    [
        (["pass.htf", "weak.htf"], 0),
        (["pass.htf", "fail.htf", "weak.htf"], 1),
        (["bad.htf"], 2),
        (["fail.htf", "bad.htf", "pass.htf"], 2),
        (["missing.htf", "pass.htf"], 2),
    ],
    ids=str,
)
@pytest.mark.parametrize("more", [[], ["--json"]], ids=str)
def test_the_exit_code_says_what_all_come_to(traces: list[str], code: int, more: list[str]) -> None:
    assert verify(*traces, *more).code == code


def test_what_is_not_known_is_the_exit_code_3_and_a_failure_beside_it_1() -> None:
    """Bounded simulation finds no explanation for an action that never happens there."""
    weak = ["--mode", "simulate", "fail.htf"]
    assert verdicts(*weak) == ["WeakFail"]
    assert verify(*weak).code == 3
    stopped = ["--budget", "0.000000001", "pass.htf"]
    (line,) = lines(verify(*stopped, "--json"))
    assert (line["verdict"], line["reason"]) == ("Inconc", "TimedOut")
    assert verify(*stopped).code == 3


def test_a_bad_file_costs_the_good_ones_nothing() -> None:
    answer = verify("pass.htf", "bad.htf", "fail.htf", "--json")
    assert answer.code == 2
    first, second, third = lines(answer)
    assert (first["verdict"], third["verdict"]) == ("Pass", "Fail")
    assert second["verdict"] is None
    assert second["reason"].startswith("bad.htf:1: ")
    assert answer.err == second["reason"] + "\n"


def test_a_line_of_json_has_these_fields() -> None:
    (line,) = lines(verify("weak.htf", "--json"))
    assert [*line] == KEYS
    assert (line["trace"], line["mode"], line["verdict"]) == ("weak.htf", "multiprefix", "WeakPass")
    assert (line["reason"], line["witness"], line["failure"]) == ("", None, None)
    assert isinstance(line["vertices"], int)
    assert line["seconds"] > 0


def test_results_come_in_the_order_of_the_arguments_whatever_the_number_of_jobs() -> None:
    traces = [name for name in TRACES if name != "unknown.htf"] * 3
    expected = [(line["trace"], line["verdict"]) for line in lines(verify(*traces, "--json"))]
    assert [trace for trace, _ in expected] == traces
    for jobs in (0, 2):
        found = lines(verify(*traces, "--json", "--jobs", jobs))
        assert [(line["trace"], line["verdict"]) for line in found] == expected


def test_a_folder_is_all_multi_traces_in_it_sorted_by_name() -> None:
    inner = Path("logs/inner")
    inner.mkdir(parents=True)
    for name in (
        *("z.htf", "inner/b.htf", "a.htf", "run-1.jsonl"),
        *("notes.txt", "events.jsonl", ".hidden.htf"),
    ):
        Path("logs", name).write_text(TRACES["pass.htf"], encoding="utf-8")
    found = [line["trace"] for line in lines(verify("weak.htf", "logs", "--json"))]
    assert found == ["weak.htf", "logs/a.htf", "logs/inner/b.htf", "logs/run-1.jsonl", "logs/z.htf"]


def test_nothing_in_a_folder_is_passed_over_that_may_be_a_multi_trace() -> None:
    """A link that leads nowhere is bad input; a pipe, which would be waited for, is left alone."""
    Path("logs/folder.htf").mkdir(parents=True)
    Path("logs/LOUD.HTF").write_text(TRACES["pass.htf"], encoding="utf-8")
    Path("logs/gone.htf").symlink_to("nowhere")
    Path("logs/again").symlink_to(".")
    os.mkfifo("logs/pipe.htf")
    answer = verify("logs", "--json")
    assert answer.code == 2
    found = [(line["trace"], line["verdict"]) for line in lines(answer)]
    assert found == [("logs/LOUD.HTF", "Pass"), ("logs/gone.htf", None)]


def test_a_folder_that_cannot_be_looked_into_is_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("logs/locked").mkdir(parents=True)
    Path("logs/a.htf").write_text(TRACES["pass.htf"], encoding="utf-8")
    scandir = os.scandir

    def locked(path: str) -> Any:
        if os.path.basename(path) == "locked":
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", locked)
    answer = verify("logs")
    assert (answer.code, answer.out) == (2, "")
    assert "logs/locked: cannot be looked into: Permission denied" in answer.err


def test_a_folder_without_multi_traces_is_bad_input() -> None:
    Path("empty").mkdir()
    answer = verify("empty")
    assert answer.code == 2
    assert "empty: holds no multi-traces" in answer.err


def test_an_empty_argument_is_not_the_current_directory() -> None:
    answer = verify("")
    assert answer.code == 2
    assert "this one is empty" in answer.err


def test_a_pipe_is_read_once_whatever_the_number_of_jobs() -> None:
    reader, writer = os.pipe()
    os.write(writer, Path("i.hif").read_bytes())
    os.close(writer)
    answer = choreomon(
        *("verify", "-i", f"/dev/fd/{reader}", "pass.htf", "fail.htf", "--jobs", 2, "--json")
    )
    os.close(reader)
    assert [line["verdict"] for line in lines(answer)] == ["Pass", "Fail"]


def test_people_get_a_table_and_a_summary() -> None:
    answer = verify("pass.htf", "fail.htf", "bad.htf")
    assert "│ pass.htf    │ Pass      │" in answer.out
    assert "│ bad.htf     │ bad input │" in answer.out
    assert (
        answer.out.splitlines()[-1]
        == "3 multi-traces, mode multiprefix: 1 Pass, 1 Fail, 1 bad input"
    )


@pytest.mark.parametrize("mode", ["prefix", "multiprefix"])
def test_where_a_failing_log_begins_late_the_mode_that_allows_it_is_named(mode: str) -> None:
    asked = ("verify", "-i", "i.hif", "late.htf", "fail.htf", "pass.htf")
    answer = choreomon(*asked, "--mode", mode)
    assert answer.code == 1
    assert answer.out.splitlines()[-1] == f"3 multi-traces, mode {mode}: 1 Pass, 2 Fail"
    assert answer.err == "1 of these would fit if logs may begin late: try --mode slice\n"
    again = choreomon(*asked, "--mode", "slice")
    assert (again.err, again.out.splitlines()[-1]) == (
        "",
        "3 multi-traces, mode slice: 1 Pass, 1 WeakPass, 1 Fail",
    )
    assert choreomon(*asked[:3], "fail.htf", "--mode", mode).err == ""
    assert "begun late" not in choreomon(*asked, "--mode", "accept").err


def test_of_many_those_that_do_not_pass_are_shown_first() -> None:
    answer = verify(*["pass.htf"] * 60, "fail.htf")
    assert "│ fail.htf    │ Fail    │" in answer.out
    assert answer.out.count("pass.htf") == 49
    assert "11 more are not shown" in answer.out
    assert answer.out.splitlines()[-1] == "61 multi-traces, mode multiprefix: 60 Pass, 1 Fail"


def test_progress_is_shown_beside_the_output_where_somebody_watches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    watched = verify("pass.htf", "weak.htf", "--json")
    assert "Verifying" in watched.err
    assert len(lines(watched)) == 2
    assert verify("pass.htf", "--json").err == ""


def test_junit_is_written_beside_the_results() -> None:
    assert verify("pass.htf", "fail.htf", "bad.htf", "--junit", "out.xml", "--json").code == 2
    suite = ElementTree.parse("out.xml").getroot()
    assert suite.attrib["name"] == "choreomon verify i.hif"
    assert [[child.tag for child in case] for case in suite] == [[], ["failure"], ["error"]]


@pytest.mark.parametrize("read", ["i.hif", "s.hsf", "weak.htf"])
def test_junit_is_not_written_over_what_is_read(read: str) -> None:
    before = Path(read).read_bytes()
    answer = verify("-s", "s.hsf", "pass.htf", "weak.htf", "--junit", read)
    assert answer.code == 2
    assert f"{read}: is read, too" in answer.err
    assert Path(read).read_bytes() == before


def test_junit_that_cannot_be_written_is_found_before_the_work() -> None:
    answer = verify("pass.htf", "--junit", "i.hif/out.xml")
    assert (answer.code, answer.out) == (2, "")
    assert "i.hif: is no folder" in answer.err


class TestModes:
    @pytest.mark.parametrize(
        ("mode", "expected"),
        [
            ("accept", ["Pass", "Fail", "Fail", "Fail"]),
            ("test", ["Pass", "WeakPass", "Inconc", "Inconc"]),
            ("prefix", ["Pass", "WeakPass", "Fail", "Fail"]),
            ("multiprefix", ["Pass", "WeakPass", "Fail", "Fail"]),
            ("simulate", ["Pass", "WeakPass", "WeakFail", "WeakPass"]),
            ("slice", ["Pass", "WeakPass", "Fail", "WeakPass"]),
        ],
    )
    def test_ask_different_questions(self, mode: str, expected: list[str]) -> None:
        traces = ["pass.htf", "weak.htf", "fail.htf", "late.htf"]
        assert verdicts("--mode", mode, *traces) == expected

    def test_multi_prefixes_are_asked_for_where_nothing_is_said(self) -> None:
        assert [line["mode"] for line in lines(verify("pass.htf", "--json"))] == ["multiprefix"]


class TestHowToSearch:
    @pytest.mark.parametrize(
        "options",
        [
            ["--por"],
            ["--no-por"],
            ["--paper-por"],
            ["--local", "none"],
            ["--local", "1"],
            ["--local", "all", "--local-on", "all"],
            ["--local-on", "changed"],
            ["--strategy", "bfs"],
            ["--strategy", "hcs"],
            ["--strategy", "portfolio"],
            ["--whole-graph"],
            ["--method", "removal"],
            ["--method", "search"],
            ["--memory", "100000"],
            ["--budget", "60"],
        ],
        ids=" ".join,
    )
    def test_changes_no_verdict(self, options: list[str]) -> None:
        assert verdicts(*options, "pass.htf", "weak.htf", "fail.htf") == [
            "Pass",
            "WeakPass",
            "Fail",
        ]

    def test_the_reduction_as_published_fails_what_is_right(self) -> None:
        """Where the emission of a comes first, it discards the loop; the sound one does not."""
        Path("i.hif").write_text("strict(loopS(m -> b), a -- m ->|)", encoding="utf-8")
        Path("t.htf").write_text("{[a] a!m; [b] b?m}", encoding="utf-8")
        Path("c.hcf").write_text(
            "@analyze_option{ analysis_kind = accept; strategy = DFS; goal = Pass; "
            "local_analysis = none; priorities = [emission = 1] }",
            encoding="utf-8",
        )
        asked = ["t.htf", "--config", "c.hcf"]
        assert verdicts(*asked, "--paper-por") == ["Fail"]
        assert verdicts(*asked, "--por") == verdicts(*asked, "--no-por") == ["Pass"]

    def test_a_whole_graph_has_more_vertices_than_a_search_that_stops(self) -> None:
        plain = ["--no-por", "--local", "none", "--mode", "accept", "--json", "pass.htf"]
        (found,), (whole,) = (lines(verify(*more, *plain)) for more in ([], ["--whole-graph"]))
        assert found["vertices"] <= whole["vertices"]
        (wider,) = lines(verify("--whole-graph", *plain, "--mode", "slice"))
        assert whole["vertices"] < wider["vertices"]

    def test_used_up_memory_is_a_reason(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(bounds, "resident_bytes", lambda: 1_500_000)
        (line,) = lines(verify("pass.htf", "--memory", 1, "--json"))
        assert (line["verdict"], line["reason"]) == ("Inconc", "OutOfMemory")

    def test_a_thousand_megabytes_may_be_used_where_nothing_is_said(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(bounds, "resident_bytes", lambda: 1_001_000_000)
        (line,) = lines(verify("pass.htf", "--json"))
        assert (line["verdict"], line["reason"]) == ("Inconc", "OutOfMemory")
        (line,) = lines(verify("pass.htf", "--memory", 2_000, "--json"))
        assert (line["verdict"], line["reason"]) == ("Pass", "")

    def test_a_configuration_says_what_is_asked_and_how(self) -> None:
        Path("c.hcf").write_text(
            "@analyze_option{ analysis_kind = accept; strategy = DFS; goal = Pass; "
            "filters = [max_depth = 2] }",
            encoding="utf-8",
        )
        (line,) = lines(verify("pass.htf", "--config", "c.hcf", "--json"))
        assert (line["mode"], line["verdict"]) == ("accept", "Inconc")
        assert line["reason"] == "FilteredNodes"
        (line,) = lines(verify("pass.htf", "--config", "c.hcf", "--mode", "prefix", "--json"))
        assert line["mode"] == "prefix"

    @pytest.mark.parametrize(
        ("criteria", "expected"),
        [
            ("simulate[before = true, loop max depth, act num = 10]", "WeakPass"),
            ("simulate[before = false, loop max depth, act num = 10]", "WeakFail"),
            ("simulate[before = true, loop max num, reset = true, multiply = true]", "WeakPass"),
            ("simulate[before = true, loop num = 0, act num = 0]", "WeakFail"),
        ],
    )
    def test_a_configuration_bounds_simulation(self, criteria: str, expected: str) -> None:
        Path("c.hcf").write_text(
            f"@analyze_option{{ analysis_kind = {criteria}; strategy = DFS; goal = WeakPass }}",
            encoding="utf-8",
        )
        assert verdicts("late.htf", "--config", "c.hcf") == [expected]

    def test_a_configuration_without_an_analysis_is_bad_input(self) -> None:
        Path("c.hcf").write_text("@explore_option{ strategy = BFS }", encoding="utf-8")
        answer = verify("pass.htf", "--config", "c.hcf")
        assert answer.code == 2
        assert answer.err == "c.hcf: has no section @analyze_option{..}\n"


class TestLoggersOfAnAnalysis:
    """The slices paper, Fig. 18."""

    def configure(self, loggers: str) -> list[str]:
        Path("c.hcf").write_text(
            f"@analyze_option{{ loggers = [{loggers}]; analysis_kind = simulate[before = true, "
            "loop max depth, reset = true, multiply = false, act num = 10]; strategy = DFS; "
            "priorities = [simu = -1]; goal = WeakPass }",
            encoding="utf-8",
        )
        return ["--config", "c.hcf"]

    def test_the_configuration_of_the_paper_draws_what_was_searched(self) -> None:
        answer = verify("late.htf", *self.configure("graphic[svg]"), "--json")
        assert (answer.code, answer.err) == (0, "graphs drawn in this folder\n")
        (line,) = lines(answer)
        picture = Path("i-late.svg").read_text(encoding="utf-8")
        assert "simulate: WeakPass" in picture
        assert f"Graph of a search: {line['vertices']} vertices" in picture
        assert picture.count("Sequence diagram: ") == line["vertices"]

    def test_drawing_changes_no_verdict(self) -> None:
        traces = ["pass.htf", "weak.htf", "fail.htf", "late.htf"]
        drawn = verdicts(*traces, *self.configure("graphic[svg]"))
        assert drawn == verdicts(*traces, *self.configure(""))

    @pytest.mark.parametrize("jobs", [1, 2])
    def test_every_multi_trace_that_can_be_read_has_its_pictures(self, jobs: int) -> None:
        asked = self.configure("graphic[svg,folder=f], graphic[png,horizontal,folder=f,name=g]")
        Path("x").mkdir()
        Path("x/late.htf").write_text(TRACES["late.htf"], encoding="utf-8")
        assert verify("late.htf", "x/late.htf", "bad.htf", "-j", jobs, *asked).code == 2
        assert sorted(path.name for path in Path("f").iterdir()) == [
            "g-late-again-2.png",
            "g-late.png",
            "i-late-again-2.svg",
            "i-late.svg",
        ]

    def test_draw_draws_as_the_logger_says_and_where_its_option_says(self) -> None:
        asked = ["draw", "i.hif", "--trace", "late.htf", "-o", "t.svg", "--json"]
        plain = json.loads(choreomon(*asked).out)
        answer = choreomon(*asked, *self.configure("graphic[png,horizontal]"))
        assert (plain["layout"], json.loads(answer.out)["layout"]) == ("vertical", "horizontal")
        assert "simulate: WeakPass" in Path("t.svg").read_text(encoding="utf-8")
        assert not Path("i-late.png").exists()

    @pytest.mark.parametrize(
        ("loggers", "options", "problem"),
        [
            ("tracegen[exact]", [], "the logger tracegen is one of explore"),
            ("graphic[svg], graphic[svg]", [], "two pictures would be i-late.svg"),
            ("graphic[svg]", ["--strategy", "portfolio"], "choose one to draw"),
        ],
    )
    def test_what_cannot_be_done_is_refused(
        self, loggers: str, options: list[str], problem: str
    ) -> None:
        answer = verify("late.htf", *self.configure(loggers), *options)
        assert (answer.code, answer.out) == (2, "")
        assert problem in answer.err

    def test_a_picture_is_not_written_over_what_is_read(self) -> None:
        Path("i-t.svg").write_text(TRACES["late.htf"], encoding="utf-8")
        Path("t.htf").write_text(TRACES["late.htf"], encoding="utf-8")
        answer = verify("t.htf", "i-t.svg", *self.configure("graphic[svg]"))
        assert answer.code == 2
        assert "i-t.svg: is read, too" in answer.err
        assert Path("i-t.svg").read_text(encoding="utf-8") == TRACES["late.htf"]

    @pytest.mark.parametrize("jobs", [1, 2])
    def test_a_picture_that_cannot_be_drawn_is_an_error_of_its_multi_trace(self, jobs: int) -> None:
        Path("i.hif").write_text("loopW(" * 300 + "a!m" + ")" * 300, encoding="utf-8")
        Path("t.htf").write_text("{ [a] a!m }", encoding="utf-8")
        Path("c.hcf").write_text(
            "@analyze_option{ loggers = [graphic[svg]]; filters = [max_node_number = 3] }",
            encoding="utf-8",
        )
        answer = verify("t.htf", "bad.htf", "--config", "c.hcf", "--jobs", jobs, "--json")
        assert answer.code == 2
        drawn, unread = lines(answer)
        assert (drawn["trace"], drawn["verdict"]) == ("t.htf", None)
        assert "t.htf: is Pass, but i-t.svg: cannot be drawn: " in drawn["reason"]
        assert "bad.htf" in unread["reason"]

    @pytest.mark.parametrize("jobs", [1, 2])
    def test_a_picture_that_cannot_be_written_costs_the_others_nothing(self, jobs: int) -> None:
        Path("i-late.svg").mkdir()
        asked = self.configure("graphic[svg]")
        answer = verify("late.htf", "pass.htf", "--jobs", jobs, *asked, "--json")
        assert answer.code == 2
        assert [line["verdict"] for line in lines(answer)] == [None, "WeakPass"]
        assert "late.htf: is WeakPass, but i-late.svg: cannot be written" in answer.err
        assert Path("i-pass.svg").is_file()


class TestFiles:
    def test_a_signature_makes_what_it_does_not_declare_bad_input(self) -> None:
        assert verdicts("unknown.htf") == ["Fail"]
        answer = verify("unknown.htf", "--signature", "s.hsf", "--json")
        assert answer.code == 2
        assert "unknown message 'x'" in lines(answer)[0]["reason"]

    def test_event_logs_of_the_simulator_are_multi_traces(self, place: Path) -> None:
        Path("app.hif").write_text("seq(go -> P1, P1 -- a -> P2)", encoding="utf-8")
        assert choreomon("simulate", "application.yaml", "--trace", "logs", "--runs", 3).code == 0
        found = choreomon("verify", "-i", "app.hif", "logs", "--mode", "accept", "--json")
        assert [line["verdict"] for line in lines(found)] == ["Pass"] * 3

    def test_processes_of_event_logs_may_share_a_clock(self, place: Path) -> None:
        """Only a common clock shows that a was sent before it was handled."""
        Path("app.hif").write_text("strict(P2 -- a ->|, P1 -- a ->|, go -> P1)".replace(
            "P2 -- a ->|", "a -> P2"), encoding="utf-8")  # fmt: skip
        Path("odd.hif").write_text("par(strict(a -> P2, P1 -- a ->|), go -> P1)", encoding="utf-8")
        choreomon("simulate", "application.yaml", "--trace", "logs")
        asked = ["verify", "-i", "odd.hif", "logs", "--mode", "accept"]
        assert choreomon(*asked).code == 0
        assert choreomon(*asked, "--colocated", "P1,P2").code == 1
        assert choreomon(*asked, "--colocated", "P1,P2", "--colocated", "P1").code == 2
        assert choreomon(*asked, "--colocated", "P1").code == 2
        unknown = choreomon(*asked, "--colocated", "P1,P3")
        assert unknown.code == 2
        assert (
            "run-0.jsonl: has no process 'P3' that could share a clock; it has P1, P2"
            in unknown.err
        )

    def test_json_is_read_too(self) -> None:
        assert choreomon("canonize", "i.hif", "-o", "i.json").code == 0
        assert choreomon("slice", "pass.htf", "--wide", "1", "--json", "-o", "cut").code == 0
        answer = choreomon("verify", "-i", "i.json", "cut", "--json", "--mode", "accept")
        assert [line["verdict"] for line in lines(answer)] == ["Pass"]

    @pytest.mark.parametrize("wrong", ["missing.hif", "pass.htf", "."])
    def test_an_interaction_that_cannot_be_read_is_bad_input(self, wrong: str) -> None:
        for jobs in (1, 2):
            answer = choreomon("verify", "-i", wrong, "pass.htf", "weak.htf", "--jobs", jobs)
            assert (answer.code, answer.out) == (2, "")
            assert answer.err.startswith(wrong)
            assert len(answer.err.splitlines()) == 1


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["pass.htf", "--mode", "guess"],
        ["pass.htf", "--local", "0"],
        ["pass.htf", "--local", "some"],
        ["pass.htf", "--jobs", "-1"],
        ["pass.htf", "--budget", "0"],
        ["pass.htf", "--memory", "0"],
        ["pass.htf", "--strategy", "best"],
        ["pass.htf", "--por", "--paper-por"],
        ["pass.htf", "--no-por", "--paper-por"],
        ["pass.htf", "--budget", "nan"],
        ["pass.htf", "--strategy", "portfolio", "--local", "none"],
        ["pass.htf", "--strategy", "portfolio", "--local-on", "all"],
        ["pass.htf", "--local", "none", "--local-on", "all"],
        ["pass.htf", "--mode", "slice", "--method", "removal"],
        ["pass.htf", "--mode", "test", "--paper-por"],
        ["pass.htf", "--colocated", "a,,b"],
        ["pass.htf", "--colocated", "a,b", "--colocated", "b"],
        ["pass.htf", "--colocated", "a,b"],
        ["pass.htf", "--junit", ""],
    ],
    ids=" ".join,
)
def test_wrong_options_are_bad_usage(options: list[str]) -> None:
    answer = verify(*options)
    assert (answer.code, answer.out) == (2, "")
    assert "Usage: choreomon verify" in answer.err


def test_a_goal_that_is_none_is_bad_input() -> None:
    configuration = {"kind": "configuration", "analyze": {"goal": "Fail"}}
    Path("c.json").write_text(json.dumps(configuration), encoding="utf-8")
    answer = verify("pass.htf", "--config", "c.json")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == "c.json: Fail is no goal; choose Pass, WeakPass, Inconc or none\n"


def test_removal_over_shared_clocks_is_bad_input_for_that_trace_alone() -> None:
    Path("shared.htf").write_text("{[a,b] a!m.b?m; [c]}", encoding="utf-8")
    answer = verify("shared.htf", "pass.htf", "--method", "removal", "--json")
    first, second = lines(answer)
    assert (first["verdict"], second["verdict"], answer.code) == (None, "Pass", 2)
    assert "discrete partition" in first["reason"]


class TestExplanationsThatAreNotFoundInTime:
    """A clock that stands still while deciding, and runs out while explaining."""

    @pytest.fixture(autouse=True)
    def _no_time_to_explain(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(bounds, "EXPLAINING", -1.0)

    @pytest.mark.parametrize(
        ("trace", "mode", "verdict", "code"),
        [
            ("pass.htf", "accept", "Pass", 0),
            ("fail.htf", "slice", "Fail", 1),
            ("fail.htf", "simulate", "WeakFail", 3),
        ],
    )
    def test_change_no_verdict_and_say_why_they_are_missing(
        self, trace: str, mode: str, verdict: str, code: int
    ) -> None:
        asked = [trace, "--mode", mode, "--explain"]
        answer = verify(*asked, "--json")
        (line,) = lines(answer)
        assert [*line] == KEYS
        assert (line["verdict"], answer.code) == (verdict, code)
        assert (line["witness"], line["failure"]) == (None, None)
        assert line["reason"] == "no explanation was found in time"
        text = verify(*asked)
        assert text.code == code
        assert f"{trace}: {verdict}\n" in text.out
        assert "\n  Not explained: no explanation was found in time.\n" in text.out

    def test_have_as_long_as_the_budget_says(self) -> None:
        (line,) = lines(verify("pass.htf", "--explain", "--budget", "600", "--json"))
        assert (line["verdict"], line["reason"]) == ("Pass", "")
        assert line["witness"]

    def test_are_not_drawn(self) -> None:
        asked = ["draw", "i.hif", "--trace", "pass.htf", "--explain", "-o", "x.svg"]
        answer = choreomon(*asked)
        assert answer.code == 2
        assert "not explained: no explanation was found in time" in answer.err
        assert not Path("x.svg").exists()


def test_what_memory_does_not_suffice_to_explain_has_its_verdict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def too_much(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("choreomon.verify.explanation.explain", too_much)
    (line,) = lines(verify("pass.htf", "--explain", "--json"))
    assert (line["verdict"], line["reason"]) == ("Pass", "no explanation was found within memory")


def test_of_large_interactions_the_clock_is_looked_at_whenever_it_may(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks = {}
    for large in (0, 1_000):
        clock = count()
        monkeypatch.setattr(bounds, "LARGE", large)
        monkeypatch.setattr(bounds, "time", SimpleNamespace(perf_counter=clock.__next__))
        asked = ("fail.htf", "--strategy", "bfs", "--budget", "600", "--json")
        assert [line["verdict"] for line in lines(verify(*asked))] == ["Fail"]
        looks[large] = next(clock)
    assert looks[0] > looks[1_000]


DEEP = "loopS(strict(" * 201 + "a -- m -> b" + ", b -- n -> c))" * 201


class TestDeepInteractions:
    """201 loops within each other."""

    @pytest.fixture(autouse=True)
    def _deep(self, monkeypatch: pytest.MonkeyPatch) -> None:
        Path("deep.hif").write_text(DEEP, encoding="utf-8")
        Path("chain.hif").write_text(
            "seq(" + "a -- m -> b, " * 1999 + "a -- m -> b)", encoding="utf-8"
        )
        monkeypatch.setattr(bounds, "DECIDING_DEEP", 1e-9)

    def test_have_a_bound_where_nothing_is_said(self) -> None:
        Path("deep.htf").write_text("{ [a] a!m; [b] b?m.b!n; [c] c?n.c?n }", encoding="utf-8")
        answer = choreomon("verify", "-i", "deep.hif", "deep.htf", "--json")
        (line,) = lines(answer)
        assert (line["verdict"], line["reason"], answer.code) == ("Inconc", "TimedOut", 3)
        assert answer.err == (
            "deep.hif: operators are nested more than 200 deep, so each decision had 1e-09 s; "
            "--budget SECONDS gives it more\n"
        )

    def test_have_what_the_budget_says(self) -> None:
        answer = choreomon("verify", "-i", "deep.hif", "fail.htf", "--budget", "600", "--json")
        (line,) = lines(answer)
        assert (line["reason"], answer.err) == ("", "")

    def test_chains_are_none(self) -> None:
        answer = choreomon("verify", "-i", "chain.hif", "pass.htf", "--json")
        assert (lines(answer)[0]["reason"], answer.err) == ("", "")


class TestExplain:
    def test_a_witness_is_a_trace_of_the_interaction(self) -> None:
        (line,) = lines(verify("weak.htf", "--explain", "--json"))
        assert line["failure"] is None
        assert line["witness"] == [
            {"action": "a!m", "observed": True},
            {"action": "b?m", "observed": True},
            {"action": "b!n", "observed": True},
            {"action": "c?n", "observed": False},
        ]

    def test_a_failure_says_of_each_component_how_far_it_is_explained(self) -> None:
        Path("t.htf").write_text("{ [a] a!m; [b] b?m.b?m; [c] }", encoding="utf-8")
        (line,) = lines(verify("t.htf", "--explain", "--json"))
        assert line["witness"] is None
        found = {part["lifelines"][0]: part for part in line["failure"]}
        assert found["b"] == {
            "lifelines": ["b"],
            "position": 1,
            "next": "b?m",
            "allowed": ["b!n", "b?k"],
            "rank": 1,
            "sent": None,
        }
        assert line["others"] == []
        assert (found["a"]["position"], found["a"]["next"]) == (1, None)

    def test_both_are_told_in_sentences(self) -> None:
        Path("t.htf").write_text("{ [a] a!m; [b] b?m.b?m; [c] }", encoding="utf-8")
        answer = verify("t.htf", "weak.htf", "bad.htf", "--explain")
        assert "a!m b?m b!n (c?n)" in answer.out
        said = " ".join(answer.out.split())
        assert "b: the first of 2 actions is explained; then comes b?m, but the inter" in said
        assert answer.out.index("t.htf: Fail") < answer.out.index("weak.htf: WeakPass")

    def test_says_the_verdict_first_and_then_what_it_is_explained_as(self) -> None:
        simulated = verify("fail.htf", "pass.htf", "--explain", "--mode", "simulate").out
        assert "fail.htf: WeakFail, explained as slice, which says Fail\n" in simulated
        assert "pass.htf: Pass\n" in simulated
        tested = verify("fail.htf", "--explain", "--mode", "test").out
        assert "fail.htf: Inconc, explained as prefix, which says Fail\n" in tested
        sliced = verify("fail.htf", "--explain", "--mode", "slice").out
        assert "fail.htf: Fail\n" in sliced

    def test_of_many_the_worst_are_explained(self) -> None:
        answer = verify(*["pass.htf"] * 12, "fail.htf", "--explain")
        assert answer.out.count("Explained by this trace") == 9
        assert "fail.htf: Fail" in answer.out
        assert "3 more are not explained here: --json does" in answer.out

    def test_a_budget_bounds_explanations_too(self) -> None:
        answer = verify("pass.htf", "--explain", "--budget", "0.000000001")
        assert answer.code == 3
        assert "Not explained: " in answer.out
        (line,) = lines(verify("pass.htf", "--explain", "--budget", "0.000000001", "--json"))
        assert (line["witness"], line["failure"]) == (None, None)


@pytest.mark.parametrize("columns", ["-1", "0", "x", ""])
def test_strange_widths_of_screens_do_no_harm(columns: str) -> None:
    answer = choreomon("verify", "-i", "i.hif", "pass.htf", columns=columns)
    assert (answer.code, answer.err) == (0, "")
    assert "pass.htf" in answer.out


@pytest.mark.parametrize("more", [[], ["--json"]], ids=str)
def test_junit_is_written_though_nobody_reads_what_is_printed(more: list[str]) -> None:
    traces = ["pass.htf", "fail.htf", "bad.htf"]
    finished = unread("verify", "-i", "i.hif", *traces, "--junit", "j.xml", *more)
    assert finished.returncode == 141
    assert len([*ElementTree.parse("j.xml").iter("testcase")]) == 3


def test_what_was_found_is_printed_though_junit_cannot_be_written() -> None:
    Path("full.xml").symlink_to("/dev/full")
    answer = verify("pass.htf", "--junit", "full.xml")
    assert (answer.code, answer.out) == (2, verify("pass.htf").out)
    assert "full.xml: cannot be written: No space left on device" in answer.err


def test_a_report_says_how_many_do_not_fit_whom_that_blames_and_where_it_breaks() -> None:
    answer = verify("pass.htf", "fail.htf", "bad.htf", "--report", "page.html")
    assert answer.code == 2
    page = Path("page.html").read_text(encoding="utf-8")
    assert "<h1>1 of 3 runs does not fit i.hif; 1 of 3 runs cannot be read.</h1>" in page
    found, _, results = page.partition('<section id="results">')
    assert "Fail: fail.htf" in found
    assert "bad.htf:" in found  # file and line of what is wrong with it
    assert "may come first" in found or "then comes" in found
    assert found.count("<svg ") == 1
    assert "pass.htf" in results
    assert "pass.htf" not in found
    assert "script" not in page.replace("describedby", "")


def test_a_report_explains_though_the_screen_is_not_asked_to() -> None:
    answer = verify("fail.htf", "--report", "page.html")
    assert "may come first" not in answer.out
    assert "then comes" not in answer.out
    page = Path("page.html").read_text(encoding="utf-8")
    assert "may come first" in page or "then comes" in page


def test_equal_results_are_one_row_of_a_report() -> None:
    for number in range(30):
        text = Path("pass.htf").read_text(encoding="utf-8")
        Path(f"again{number}.htf").write_text(text, encoding="utf-8")
    names = [f"again{number}.htf" for number in range(30)]
    assert verify(*names, "--report", "page.html").code == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert "<h1>All 30 runs fit i.hif.</h1>" in page
    (row,) = [part for part in page.split("<tr>") if "again0.htf, again1.htf" in part]
    assert '<td class="number">30</td>' in row


def test_a_report_is_not_written_over_what_is_read() -> None:
    assert verify("pass.htf", "--report", "pass.htf").code == 2
    assert verify("pass.htf", "--report", "i.hif").code == 2
