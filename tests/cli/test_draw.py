"""`choreomon draw`: automata, runs, interactions, analyses."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from choreomon.cli.command_line.installation import install_command
from simulator.run import Simulation
from tests.cli.command_line import choreomon
from tests.cli.offline import write_offline_files

SIGNATURES = {
    "svg": b"<?xml",
    "png": b"\x89PNG\r\n\x1a\n",
    "mmd": b"flowchart",
}


@pytest.mark.parametrize("kind", SIGNATURES)
@pytest.mark.parametrize("what", [[], ["--run"]], ids=["automaton", "run"])
def test_both_pictures_are_written_in_every_format(kind: str, what: list[str]) -> None:
    answer = choreomon("draw", "violated.yaml", *what, "-o", f"x.{kind}")
    assert answer == type(answer)(0, "", "")
    content = Path(f"x.{kind}").read_bytes()
    expected = b"sequenceDiagram" if (kind, what) == ("mmd", ["--run"]) else SIGNATURES[kind]
    assert content.lstrip().startswith((expected, b"<svg")) or expected in content[:200]
    if kind == "svg":
        ElementTree.fromstring(content)


def test_a_possible_verdict_is_drawn_with_the_earlier_steps_of_the_sequence() -> None:
    """Three steps, of which the last one was concurrent to the others, and really before them."""
    scenario = Path(__file__).parents[2] / "scenarios" / "fig3-pull-push-conforming.yaml"
    text = scenario.read_text(encoding="utf-8")
    for old, new in (
        ("[{send: {to: P3, message: m1}}]", "[{send: {to: P3, message: m0}}, "
         "{send: {to: P3, message: m1}}]"),
        ("        m2: []", "        m2: []\n        m0: []"),
        ('steps: ["P1 -> P3 : m1",', 'steps: ["P1 -> P3 : m0", "P1 -> P3 : m1",'),
    ):  # fmt: skip
        assert old in text
        text = text.replace(old, new)
    Path("three.yaml").write_text(text, encoding="utf-8")
    options = ("--strategy", "push", "--json")
    found = json.loads(choreomon("draw", "three.yaml", "--run", "-o", "x.svg", *options).out)
    marked = [(e["process"], e["role"], e["step"]) for e in found["events"] if e["role"]]
    assert marked == [("P2", "judged", 3), ("P1", "earlier", 1), ("P1", "step", 2)]


def shown_events(*options: object) -> list[int]:
    answer = choreomon("draw", "violated.yaml", "--run", "-o", "x.svg", "--json", *options)
    assert answer.code == 0
    return [event["index"] for event in json.loads(answer.out)["events"]]


def test_a_stretch_of_a_run_or_all_of_it_is_drawn() -> None:
    whole = shown_events("--all")
    assert whole == [*range(len(whole))]
    assert shown_events("--from", 2, "--to", 3) == [2, 3]
    assert shown_events("--from", 2) == whole[2:]
    assert shown_events("--to", 1) == [0, 1]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--all", "--from", 2], "--all and a stretch of events are two pictures"),
        (["--from", 3, "--to", 2], "--from 3 lies behind --to 2: no event is between them"),
        (["--from", 900], "no event lies between --from and --to: events are numbered from 0 to"),
    ],
)
def test_a_stretch_that_has_no_events_is_refused(options: list[object], words: str) -> None:
    answer = choreomon("draw", "violated.yaml", "--run", "-o", "x.svg", *options)
    assert answer.code == 2
    assert words in " ".join(answer.err.split())
    assert not Path("x.svg").exists()


@pytest.mark.parametrize("option", [["--all"], ["--from", 1], ["--to", 1]])
def test_what_is_shown_of_a_run_is_refused_without_one(option: list[object]) -> None:
    answer = choreomon("draw", "violated.yaml", "-o", "x.svg", *option)
    assert answer.code == 2
    assert "only a run has them" in answer.err


def test_more_events_than_a_picture_holds_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("choreomon.cli.simulation.draw_run.MOST_DRAWN", 3)
    answer = choreomon("draw", "violated.yaml", "--run", "-o", "x.svg", "--all")
    assert answer.code == 2
    assert "more than a picture holds, which is 3: say which by --from and --to" in answer.err
    assert shown_events("--to", 2) == [0, 1, 2]


@pytest.mark.parametrize("kind", SIGNATURES)
def test_a_suffix_may_be_in_capitals(kind: str) -> None:
    capitals = f"x.{kind.upper()}"
    assert choreomon("draw", "violated.yaml", "-o", capitals).code == 0
    choreomon("draw", "violated.yaml", "-o", f"y.{kind}")
    assert Path(capitals).read_bytes() == Path(f"y.{kind}").read_bytes()


def test_a_picture_that_cannot_be_written_is_said_before_its_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(Simulation, "run")
    answer = choreomon("draw", "violated.yaml", "--run", "-o", "empty.yaml/x.svg")
    assert (answer.code, answer.out) == (2, "")
    assert "empty.yaml: is no folder" in answer.err


def test_the_automaton_has_its_states_and_a_run_its_processes() -> None:
    choreomon("draw", "violated.yaml", "-o", "automaton.svg")
    choreomon("draw", "violated.yaml", "--run", "-o", "run.svg")
    automaton, run = Path("automaton.svg").read_text(), Path("run.svg").read_text()
    assert all(state in automaton for state in ("q0", "q1", "q2"))
    assert all(process in run for process in ("P1", "P2", "P3"))


def test_a_run_is_drawn_with_its_violating_sequence_marked() -> None:
    answer = choreomon("draw", "violated.yaml", "--run", "-o", "run.svg", "--json")
    events = json.loads(answer.out)["events"]
    assert [e["index"] for e in events if e["role"]] == [1, 4]  # a and b, of P1 and P2
    plain = choreomon("draw", "conforming.yaml", "--run", "-o", "x.svg", "--json")
    assert not any(event["role"] for event in json.loads(plain.out)["events"])


def test_seed_strategy_and_rules_are_those_of_the_run() -> None:
    def drawn(*options: object) -> str:
        assert choreomon("draw", "conforming.yaml", "--run", "-o", "x.svg", *options).code == 0
        return Path("x.svg").read_text(encoding="utf-8")

    assert drawn() == drawn("--seed", 0, "--strategy", "pull", "--rules", "sound")
    assert drawn() != drawn("--seed", 1)
    assert drawn() != drawn("--strategy", "push")


def test_the_interaction_that_a_document_states_can_be_drawn_and_verified_against() -> None:
    scenario = str(Path(__file__).parents[2] / "scenarios" / "lock-violating.yaml")
    itself = scenario.replace("lock-violating.yaml", "lock.hif")
    names: list[set[str]] = []
    for file, option in ((scenario, ["--interaction"]), (itself, [])):
        answer = choreomon("draw", file, *option, "-o", "x.svg", "--json")
        names.append({*json.loads(answer.out)["lifelines"]})
    assert names[0] == names[1] == {"ann", "ben", "lock", "store"}
    assert choreomon("draw", scenario, "--interaction", "--tree", "-o", "x.svg").code == 0
    document = {
        "application": {"processes": [{"id": "a", "handlers": {"m": []}}]},
        "interaction": "m -> a",
    }
    Path("inside.json").write_text(json.dumps(document), encoding="utf-8")
    drawn = choreomon("draw", "inside.json", "--interaction", "-o", "x.svg", "--json")
    assert [*json.loads(drawn.out)["lifelines"]] == ["a"]
    assert choreomon("simulate", scenario, "--trace", "logs").code == 1
    for interaction in (scenario, itself):
        logs = ("logs", "--colocated", "lock,store")
        assert choreomon("verify", "-i", interaction, *logs).code == 1
    Path("s.hsf").write_text("@message{write} @lifeline{ann;ben;lock;store}", encoding="utf-8")
    answer = choreomon("draw", scenario, "--interaction", "-s", "s.hsf", "-o", "x.svg")
    assert answer.code == 2
    assert "lock-violating.yaml: interaction: unknown message" in answer.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["violated.yaml", "--interaction"], "violated.yaml: interaction: is missing"),
        (["violated.yaml", "--interaction", "--run"], "--interaction and --run are two pictures"),
        (["i.hif", "--interaction"], "--interaction can only be used with documents"),
    ],
)
def test_where_no_interaction_is_stated_none_is_drawn(arguments: list[str], told: str) -> None:
    write_offline_files(Path())
    answer = choreomon("draw", *arguments, "-o", "x.svg")
    assert (answer.code, answer.out) == (2, "")
    assert told in answer.err


def test_the_verdict_that_is_marked_can_be_chosen() -> None:
    """The run has 150 verdicts."""

    def judged(*options: object) -> list[int]:
        answer = choreomon("draw", "endless.yaml", "--run", "-o", "x.svg", "--json", *options)
        return [e["index"] for e in json.loads(answer.out)["events"] if e["role"] == "judged"]

    (gravest,) = judged()
    later = gravest + 2
    assert judged("--event", gravest) == [gravest]
    assert judged("--event", later) == [later]
    answer = choreomon("draw", "endless.yaml", "--run", "-o", "x.svg", "--event", 999)
    assert answer.code == 2
    assert "there is no verdict about event 999; there are some about " in answer.err


TWICE = """
application:
  processes:
    - id: P1
      handlers:
        begin: [{send: {to: P2, message: a}}, {send: {to: P3, message: news}}]
        v: []
        b: []
    - {id: P2, handlers: {a: [{send: {to: P1, message: v}}]}}
    - {id: P3, handlers: {news: [{send: {to: P1, message: b}}]}}
  start: [{to: P1, message: begin, at: 0}, {to: P1, message: begin, at: 200}]
network: {delay: {uniform: [1, 20]}}
property:
  sequences:
    - steps: ["P1 -> P2 : a", "P3 -> P1 : b"]
      cancel: [{on: "P2 -> P1 : v", after: [1, 1], back_to: 0}]
"""
"""Nobody can tell whether b or v comes first."""


def test_of_equal_verdicts_one_that_is_right_in_the_real_order_is_marked() -> None:
    Path("twice.yaml").write_text(TWICE, encoding="utf-8")
    (run,) = json.loads(choreomon("simulate", "twice.yaml", "--json").out)["runs"]
    assert [(v["verdict"], v["event_index"]) for v in run["verdicts"]] == [
        ("possibly-violated", 6),
        ("possibly-violated", 13),
    ]
    assert run["formed"] == [13]
    answer = choreomon("draw", "twice.yaml", "--run", "-o", "x.svg", "--json")
    assert [e["index"] for e in json.loads(answer.out)["events"] if e["role"] == "judged"] == [13]


def test_the_rules_of_the_run_can_be_chosen() -> None:
    """q1 is initial although a transition leads to it, which the paper's tables forget."""
    text = (
        Path("violated.yaml").read_text(encoding="utf-8").split("property:")[0]
        + """
property:
  automaton:
    initial: [q0, q1]
    final: [q2]
    transitions:
      - {from: q0, to: q1, on: "P1 -> P2 : a"}
      - {from: q1, to: q2, on: "handle env -> P1 : go"}
"""
    )
    Path("started.yaml").write_text(text, encoding="utf-8")
    pictures = []
    for rules in ("sound", "paper"):
        options = ("-o", f"{rules}.svg", "--rules", rules, "--json")
        answer = choreomon("draw", "started.yaml", "--run", *options)
        assert answer.code == 0
        marked = [e["index"] for e in json.loads(answer.out)["events"] if e["role"]]
        assert marked == [0], "declared or not, it is the sequence that was formed"
        pictures.append(Path(f"{rules}.svg").read_text(encoding="utf-8"))
    assert "P1 declares violated" in pictures[0]
    assert "formed, and no monitor says so" in pictures[1]


def test_a_run_that_reaches_max_events_is_drawn_and_said_to_have() -> None:
    answer = choreomon("draw", "endless.yaml", "--run", "-o", "x.svg")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("endless.yaml:7: network.max_events: stopped after 300 events")
    assert Path("x.svg").exists()


def test_without_the_extra_a_png_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    answer = choreomon("draw", "violated.yaml", "-o", "x.png")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == (
        f"PNG pictures need matplotlib: {install_command('plot')} (SVG and Mermaid need nothing)\n"
    )
    assert "Traceback" not in answer.err
    assert not Path("x.png").exists()
    assert choreomon("draw", "violated.yaml", "-o", "x.svg").code == 0


def test_without_the_extra_nothing_is_begun_for_a_png(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    write_offline_files(Path())
    for section in "analyze", "explore":
        text = f"@{section}_option{{ loggers = [graphic[png]] }}"
        Path(f"{section}.hcf").write_text(text, encoding="utf-8")
    for command in (
        ["explore", "i.hif", "-o", "new/x.png"],
        ["explore", "i.hif", "--config", "explore.hcf"],
        ["verify", "-i", "i.hif", "pass.htf", "--config", "analyze.hcf"],
        ["draw", "i.hif", "-o", "x.png"],
        ["draw", "violated.yaml", "--run", "-o", "x.png"],
    ):
        answer = choreomon(*command)
        assert (answer.code, answer.out) == (2, ""), command
        assert install_command("plot") in answer.err
        assert "new" not in {path.name for path in Path().iterdir()}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["violated.yaml"], "Missing option '-o'"),
        (["violated.yaml", "-o", "x.gif"], "x.gif: the suffix must be .svg, .png or .mmd"),
        (["violated.yaml", "-o", "x"], "x: the suffix must be"),
        (["violated.yaml", "-o", "."], "is a directory"),
        (["violated.yaml", "-o", "empty.yaml/x.svg"], "empty.yaml: is no folder"),
        (["application.yaml", "-o", "x.svg"], "has no property to draw; --run draws a run"),
        (["property.yaml", "-o", "x.svg", "--run"], "there is nothing to simulate"),
        (["nowhere.yaml", "-o", "x.svg"], "there is no such file"),
        (["violated.yaml", "-o", ""], "Invalid value for '-o' / '--output': a file needs a name"),
        (["violated.yaml", "-o", "x.svg", "--seed", "0"], "--seed can only be used with --run"),
        (
            ["violated.yaml", "-o", "x.svg", "--rules", "paper", "--strategy", "pull"],
            "--strategy and --rules can only be used with --run",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_drawn_is_exit_code_2_and_why(arguments: list[str], said: str) -> None:
    answer = choreomon("draw", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err


def test_a_property_without_an_application_and_the_other_way_round_can_be_drawn() -> None:
    assert choreomon("draw", "property.yaml", "-o", "x.svg").code == 0
    assert choreomon("draw", "application.yaml", "--run", "-o", "x.svg").code == 0


class TestInteractions:
    @pytest.fixture(autouse=True)
    def _files(self, place: Path) -> None:
        write_offline_files(place)

    def structure(self, *options: object) -> dict[str, Any]:
        answer = choreomon("draw", "i.hif", *options, "--json")
        assert answer.code == 0, answer.err
        found = json.loads(answer.out)
        assert isinstance(found, dict)
        return found

    def test_are_drawn_as_sequence_diagrams(self) -> None:
        found = self.structure("-o", "i.svg")
        assert found["lifelines"] == ["a", "b", "c"]
        assert [arrow["message"] for arrow in found["arrows"]] == ["m", "n", "k"]
        assert "<svg" in Path("i.svg").read_text(encoding="utf-8")
        assert choreomon("draw", "i.hif", "-o", "i.png").code == 0
        assert Path("i.png").read_bytes().startswith(b"\x89PNG")

    def test_have_the_lifelines_of_their_signature_first(self) -> None:
        Path("s.hsf").write_text("@message{m;n;k} @lifeline{d;c;b;a}", encoding="utf-8")
        assert self.structure("-o", "i.svg", "-s", "s.hsf")["lifelines"] == ["d", "c", "b", "a"]

    def test_are_drawn_as_trees(self) -> None:
        nodes = self.structure("-o", "i.svg", "--tree")["nodes"]
        assert [node["label"] for node in nodes][:2] == ["seq", "a -- m -> b"]

    def test_are_written_as_mermaid_and_plantuml(self) -> None:
        assert choreomon("draw", "i.hif", "-o", "i.mmd").code == 0
        assert Path("i.mmd").read_text(encoding="utf-8").startswith("sequenceDiagram\n")
        assert choreomon("draw", "i.hif", "-o", "i.puml").code == 0
        assert Path("i.puml").read_text(encoding="utf-8").startswith("@startuml\n")

    def test_in_json_are_told_from_documents(self) -> None:
        assert choreomon("canonize", "i.hif", "-o", "i.json").code == 0
        assert choreomon("draw", "i.json", "-o", "i.svg").code == 0
        Path("d.json").write_text('{"property": 3}', encoding="utf-8")
        answer = choreomon("draw", "d.json", "-o", "i.svg")
        assert answer.err.startswith("d.json:1: property: should be a mapping")

    def test_text_beside_the_structure_is_that_of_the_diagram(self) -> None:
        found = self.structure("-o", "i.mmd")
        assert found == self.structure("-o", "i.svg")


class TestAnalyses:
    @pytest.fixture(autouse=True)
    def _files(self, place: Path) -> None:
        write_offline_files(place)

    def nodes(self, *options: object) -> list[dict[str, Any]]:
        answer = choreomon("draw", "i.hif", "-o", "g.svg", *options, "--json")
        assert answer.code == 0, answer.err
        found = json.loads(answer.out)["nodes"]
        assert isinstance(found, list)
        return found

    def test_are_drawn_as_the_graph_that_was_searched(self) -> None:
        found = self.nodes("--trace", "pass.htf", "--mode", "accept")
        assert [node["said"] for node in found if node["said"]] == ["Cov"]
        assert "<svg" in Path("g.svg").read_text(encoding="utf-8")

    def test_have_a_legend_also_where_nothing_is_configured(self) -> None:
        for name in "g.svg", "g.png":
            asked = ["--trace", "pass.htf", "--mode", "accept", "--json"]
            found = json.loads(choreomon("draw", "i.hif", "-o", name, *asked).out)
            assert found["legend"][0] == "accept: Pass"
            assert {"execute", "Cov"} <= set(found["glossary"])
        assert "covered: all logs" in Path("g.svg").read_text(encoding="utf-8")

    def test_say_in_their_legend_who_is_to_blame(self) -> None:
        asked = ["--trace", "fail.htf", "--mode", "accept", "--json"]
        legend = json.loads(choreomon("draw", "i.hif", "-o", "g.svg", *asked).out)["legend"]
        verified = choreomon("verify", "--interaction", "i.hif", *asked[1:])
        assert legend[0] == "accept: Fail"
        fault = json.loads(verified.out)["fault"]
        assert legend[1].startswith(f"{fault['kind']}: the log")

    def test_are_searched_as_options_say(self) -> None:
        asked = ["--trace", "pass.htf", "--mode", "slice"]
        plain = self.nodes(*asked)
        whole = self.nodes(*asked, "--whole-graph")
        broad = self.nodes(*asked, "--strategy", "bfs")
        reduced = self.nodes(*asked, "--whole-graph", "--por", "--local", "all")
        assert len(plain) < len(broad) <= len(whole)
        assert len(reduced) < len(whole)

    def test_nodes_are_drawn_as_diagrams_or_as_terms(self) -> None:
        def graph(*options: object) -> str:
            asked = ("draw", "i.hif", "-o", "g.svg", "--trace", "pass.htf", *options)
            assert choreomon(*asked).code == 0
            return Path("g.svg").read_text(encoding="utf-8")

        assert graph("--nodes", "diagram") == graph()
        assert ">0: " in graph("--nodes", "term")
        assert "Sequence diagram" in graph()
        assert ">0: " not in graph()

    def test_are_explained_by_a_witness_or_by_where_they_break(self) -> None:
        answer = choreomon(
            "draw", "i.hif", "-o", "e.svg", "--trace", "late.htf", "--explain", "--json",
            "--mode", "slice",
        )  # fmt: skip
        found = json.loads(answer.out)
        assert {arrow["message"] for arrow in found["arrows"]} == {"m", "k"}
        assert {seen for arrow in found["arrows"] for seen in arrow["observed"]} == {True, False}
        answer = choreomon(
            "draw", "i.hif", "-o", "e.png", "--trace", "fail.htf", "--explain", "--json"
        )
        components = json.loads(answer.out)["components"]
        assert [part["lifelines"] for part in components] == [["a"], ["b"], ["c"]]
        assert Path("e.png").read_bytes().startswith(b"\x89PNG")

    def test_are_explained_over_lifelines_in_the_order_of_the_interaction(self) -> None:
        Path("two.hif").write_text("par(a -- m -> b, c -- k -> d)", encoding="utf-8")
        Path("two.htf").write_text("{ [a,b,c,d] c!k.d?k.a!m.b?m }", encoding="utf-8")
        options = ("--trace", "two.htf", "--explain", "--json")
        found = json.loads(choreomon("draw", "two.hif", "-o", "e.svg", *options).out)
        assert [arrow["message"] for arrow in found["arrows"]] == ["k", "m"]
        assert found["lifelines"] == ["a", "b", "c", "d"]

    def test_are_configured_by_a_file(self) -> None:
        Path("c.hcf").write_text(
            "@analyze_option{ analysis_kind = accept; filters = [max_node_number = 2] }",
            encoding="utf-8",
        )
        assert len(self.nodes("--trace", "pass.htf", "--config", "c.hcf")) == 2

    @pytest.mark.parametrize("name", ["pass.htf", "pass.json", "run-1.jsonl"])
    def test_a_multi_trace_is_drawn_with_an_interaction(self, name: str) -> None:
        Path("pass.json").write_text('{"kind": "multi-trace", "components": []}', encoding="utf-8")
        answer = choreomon("draw", name, "-o", "x.svg")
        assert (answer.code, answer.out) == (2, "")
        said = " ".join(answer.err.replace("│", " ").split())
        assert f"{name} is a multi-trace" in said
        assert f"choreomon draw INTERACTION --trace {name}" in said

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            (["-o", "x.gif"], "the suffix must be .svg, .png, .mmd or .puml"),
            (["-o", "x.mmd", "--tree"], ".mmd is for sequence diagrams of interactions only"),
            (["-o", "x.puml", "--trace", "pass.htf"], ".puml is for sequence diagrams"),
            (["-o", "x.svg", "--tree", "--trace", "pass.htf"], "--tree draws the interaction"),
            (["-o", "x.svg", "--mode", "accept"], "say which with --trace"),
            (["-o", "x.svg", "--nodes", "term"], "--nodes says how a searched graph is drawn"),
            (["-o", "x.svg", "--explain"], "say which with --trace"),
            (["-o", "x.svg", "--trace", "pass.htf", "--explain", "--no-por"], "takes --mode only"),
            (["-o", "x.svg", "--trace", "pass.htf", "--explain", "--strategy", "bfs"], "shows no"),
            (["-o", "x.svg", "--no-por"], "say which with --trace"),
            (["-o", "x.svg", "--por"], "say which with --trace"),
            (["-o", "x.svg", "--strategy", "bfs"], "say which with --trace"),
            (["-o", "x.svg", "--strategy", "push"], "--strategy push can only be used with --run"),
            (["-o", "x.svg", "--run"], "only an application has runs"),
            (["-o", "x.svg", "--seed", "0"], "--seed can only be used with --run"),
            (
                ["-o", "x.svg", "--trace", "pass.htf", "--mode", "test", "--paper-por"],
                "no reduction there",
            ),
        ],
        ids=str,
    )
    def test_options_that_do_not_go_together_are_bad_usage(
        self, options: list[str], said: str
    ) -> None:
        answer = choreomon("draw", "i.hif", *options)
        assert (answer.code, answer.out) == (2, "")
        assert said in " ".join(answer.err.split())

    @pytest.mark.parametrize(
        "options",
        [["--tree"], ["--trace", "pass.htf"], ["--por"], ["--signature", "s.hsf"], ["--explain"]],
        ids=str,
    )
    def test_documents_have_none_of_their_options(self, options: list[str]) -> None:
        answer = choreomon("draw", "violated.yaml", "-o", "x.svg", *options)
        assert answer.code == 2
        assert (
            f"{options[0]} can only be used with interactions, and violated.yaml is none"
            in answer.err
        )

    def test_a_strategy_of_searches_is_none_of_monitors(self) -> None:
        for more, said in (
            (["--run"], "--strategy bfs can only be used with --trace"),
            ([], "--strategy can only be used with --run"),
        ):
            answer = choreomon("draw", "violated.yaml", "-o", "x.svg", "--strategy", "bfs", *more)
            assert answer.code == 2
            assert said in answer.err
