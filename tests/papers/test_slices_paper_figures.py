"""The figures of the slices paper, as far as its text carries them.

The README beside this file lists where each figure is tested. Not in the text, and so not here:
the drawings of Fig. 2 (a), 3 (a) and 4; the diagrams of the experiments of Fig. 12; Fig. 13, which
is about other approaches; the parts of Fig. 7 and 9 behind their dots.

Numbers of vertices are compared where a figure shows the whole graph (Fig. 11) or the whole of
what a search visits (Fig. 6 (b) and 10 (a)); Fig. 7 and 9 are partial, Fig. 8 (e) is one path.

Two labels of the pictures do not follow from section 5.1, which says that alpha becomes the
number of actions outside loops of what remains: vertex 6 of Fig. 7 has (0, 3), where nothing
remains, and the second `l1!m2` of Fig. 11 (c) leads to (0, 0), where `l2?m2` remains, while the
first one leads to (0, 1). Here it is as section 5.1 has it; no verdict depends on it.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from choreomon.interaction.lifelines import mask
from choreomon.interaction.measures import actions_outside_loops, loop_depth
from choreomon.interaction.step import prune, subterm
from choreomon.interaction.term import (
    EMPTY,
    Interaction,
    alt,
    coreg,
    loop_p,
    loop_w,
    par,
    seq,
    strict,
)
from choreomon.interaction_files.loading import load_multi_trace
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify.papers.engine import search
from choreomon.verify.papers.graph import Edge, Graph
from choreomon.verify.papers.options import Options
from choreomon.verify.verdict import Mode, Verdict
from choreomon.verify.verifier import Verifier
from tests.cli.command_line import choreomon
from tests.hibou.samples import FIGURE_14, FIGURE_15, FIGURE_16, FIGURE_17, FIGURE_18
from tests.papers.figures import BROADCAST, executable, follow_up, positions
from tests.verify.papers.questions import a, logs, passing

WHOLE = Options(goal=None, reduction="none", local=None, record=True)
COMPLETE = logs("l1,l2: l1!m1 l2?m1 l2?m4; l3: l3?m1 l3!m4")
"""Fig. 1 (c)."""
PARTIAL = logs("l1,l2: l2?m4; l3: l3?m1")
"""Fig. 1 (d)."""


def graph_of(term: Interaction, seen: MultiTrace, mode: Mode, options: Options = WHOLE) -> Graph:
    graph = search(term, seen, mode, options).graph
    assert graph is not None
    return graph


def path(graph: Graph, *steps: str) -> list[Edge]:
    """The edges of a path from the start, a step written as in `simulate l1!m`."""
    at = 0
    found = []
    for step in steps:
        (edge,) = (
            edge
            for edge in graph.edges
            if edge.source == at and f"{edge.rule} {edge.action}" == step
        )
        found.append(edge)
        at = edge.target
    return found


def test_section_3_1_positions() -> None:
    term = seq(alt(a("l1!m1"), a("l2?m2")), a("l1!m3"))
    assert subterm(term, "1") is alt(a("l1!m1"), a("l2?m2"))
    assert subterm(term, "12") is a("l2?m2")
    assert set(positions(term)) == {"", "1", "2", "11", "12"}


def test_figure_1_the_execution_is_explained_by_figure_2_however_it_is_observed() -> None:
    """(a) one clock, (b) three, (c) two; (d) some of (c). m5 has not been sent, so these are
    prefixes (of (d): a slice), and nothing of it is accepted yet."""
    for seen in (
        logs("l1,l2,l3: l1!m1 l3?m1 l2?m1 l3!m4 l2?m4"),
        logs("l1: l1!m1; l2: l2?m1 l2?m4; l3: l3?m1 l3!m4"),
        COMPLETE,
    ):
        assert Verifier(BROADCAST, "prefix").decide(seen).verdict is Verdict.WEAK_PASS
    assert Verifier(BROADCAST, "slice").decide(PARTIAL).verdict is Verdict.WEAK_PASS
    assert Verifier(BROADCAST, "multiprefix").decide(PARTIAL).verdict is Verdict.FAIL


def test_figure_2_messages_are_received_in_any_order_and_emitted_in_one() -> None:
    """Section 3.1: l1 has to emit m1 before m2, l2 can receive them in any order, which neither
    a `seq` nor a `par` in place of the co-region would say."""
    crossed = "l1: l1!m1 l1!m2; l2: l2?m2 l2?m1; l3: l3?m1"
    turned = "l1: l1!m2 l1!m1; l2: l2?m2 l2?m1; l3: l3?m1"
    one, other = subterm(BROADCAST, "11"), subterm(BROADCAST, "12")
    for term, verdicts in (
        (BROADCAST, (Verdict.PASS, Verdict.FAIL)),
        (seq(one, other), (Verdict.FAIL, Verdict.FAIL)),
        (par(one, other), (Verdict.PASS, Verdict.PASS)),
    ):
        verifier = Verifier(term, "accept")
        assert tuple(verifier.decide(logs(text)).verdict for text in (crossed, turned)) == verdicts


def test_figure_2_an_iteration_may_begin_before_the_first_one_is_done() -> None:
    """Section 3.1: after l1!m2, l2 may emit m3 several times before it receives m2."""
    trace = logs("l1,l2,l3: l1!m2 l2!m3 l3?m3 l2!m3 l3?m3 l2?m2")
    assert Verifier(BROADCAST, "accept").decide(trace).verdict is Verdict.PASS


def test_section_3_1_loops_abstract_buffers() -> None:
    """loopW is a queue, loopP a bag. Two kinds of message tell them apart."""
    body = alt(passing("l1", "m", "l2"), passing("l1", "n", "l2"))
    seen = logs("l1: l1!m l1!n; l2: l2?n l2?m")
    assert Verifier(loop_w(body), "accept").decide(seen).verdict is Verdict.FAIL
    assert Verifier(loop_p(body), "accept").decide(seen).verdict is Verdict.PASS


def test_figure_3_pruning() -> None:
    """Of the left side of Fig. 2, with respect to l3: the choice is reduced to its second
    alternative, which is simplified away, and the loop keeps m2 only."""
    left = subterm(BROADCAST, "1")
    assert prune(left, mask(["l3"])) is loop_w(passing("l1", "m2", "l2"))
    assert prune(subterm(BROADCAST, "111"), mask(["l3"])) is None
    assert prune(subterm(BROADCAST, "11"), mask(["l3"])) is EMPTY


def test_figure_4_four_actions_can_be_executed() -> None:
    assert executable(BROADCAST) == {
        "12111": "l1!m2", "12121": "l2!m3", "1111": "l1!m1", "2111": "l3!m4",
    }  # fmt: skip
    loop = subterm(BROADCAST, "12")
    later = subterm(BROADCAST, "2")
    own = passing("l2", "m3", "l3")
    assert follow_up(BROADCAST, "1111") is seq(
        coreg(mask(["l2"]), seq(a("l2?m1"), a("l3?m1")), loop), later
    )
    assert follow_up(BROADCAST, "12111") is seq(seq(loop_w(own), seq(a("l2?m2"), loop)), later)
    assert follow_up(BROADCAST, "12121") is seq(
        coreg(mask(["l2"]), subterm(BROADCAST, "11"), seq(a("l3?m3"), loop)), later
    )
    assert follow_up(BROADCAST, "2111") is seq(
        loop_w(passing("l1", "m2", "l2")),
        par(later, par(seq(a("l2?m4"), passing("l2", "m5", "l3")), later)),
    )


def test_figure_5_the_multi_trace_is_replayed_in_the_interaction() -> None:
    """The picture's five steps; the other order of l3!m4 and l2?m1 leads there as well. Its `Ok`
    is that of prefixes (section 3.4), since m5 is still to come."""
    graph = graph_of(BROADCAST, COMPLETE, "prefix")
    found = {
        path(graph, *(f"execute {action}" for action in order.split()))[-1].target
        for order in (
            "l1!m1 l3?m1 l3!m4 l2?m1 l2?m4",
            "l1!m1 l3?m1 l2?m1 l3!m4 l2?m4",
        )
    }
    (end,) = found
    assert graph.vertices[end].end == "TooShort"
    assert search(BROADCAST, COMPLETE, "prefix").verdict is Verdict.WEAK_PASS
    assert search(BROADCAST, COMPLETE, "accept").verdict is Verdict.FAIL


def test_figure_6_without_simulation_the_first_vertex_is_the_last() -> None:
    modes: tuple[Mode, ...] = ("accept", "prefix")
    for mode in modes:
        graph = graph_of(BROADCAST, PARTIAL, mode)
        assert [vertex.end for vertex in graph.vertices] == ["Out"]


def test_figure_7_the_measures_are_those_of_the_interactions() -> None:
    """Vertices 0 to 5: beta and eta of what remains after a consumed action."""
    graph = graph_of(BROADCAST, PARTIAL, "simulate")
    steps = path(
        graph,
        "simulate l1!m1",
        "execute l3?m1",
        "simulate l3!m4",
        "simulate l2?m1",
        "execute l2?m4",
    )
    on_the_way = [graph.vertices[0], *(graph.vertices[edge.target] for edge in steps)]
    for vertex in (on_the_way[0], on_the_way[2], on_the_way[5]):
        term = vertex.interaction
        assert vertex.measure == (loop_depth(term), actions_outside_loops(term))
    assert [vertex.started for vertex in on_the_way] == [
        (False, False), (False, False), (False, True), (False, True), (False, True), (True, True),
    ]  # fmt: skip
    assert on_the_way[-1].end == "Slice"


@pytest.mark.parametrize("message", ["l2!m3, l3?m3", "l1!m2, l2?m2"])
def test_figure_7_vertex_6_has_nothing_outside_loops_left_to_simulate(message: str) -> None:
    """Which of the two simulated messages leads to vertex 6 is not in the text; its three
    conditions for `Ko` hold after each."""
    graph = graph_of(BROADCAST, PARTIAL, "simulate")
    steps = [f"simulate {action}" for action in message.split(", ")]
    vertex = graph.vertices[path(graph, *steps)[-1].target]
    assert vertex.positions == (0, 0)
    assert actions_outside_loops(vertex.interaction) == 0
    assert vertex.measure == (0, 0)
    assert vertex.end == "OutSim"


def test_figure_8_the_smallest_execution_that_explains() -> None:
    """(b) and (d): of the execution that occurred, the observation; of the explanation, as much
    as it needs. Both are executions of (a)."""
    term = seq(loop_w(passing("l1", "m1", "l2")), passing("l1", "m2", "l2"))
    seen = logs("l1: l1!m1; l2: l2?m2")
    for execution in (
        "l1!m1 l1!m1 l2?m1 l2?m1 l1!m2 l2?m2",
        "l1!m1 l1!m2 l2?m1 l2?m2",
    ):
        known = Verifier(term, "accept").decide(logs(f"l1,l2: {execution}"))
        assert known.verdict is Verdict.PASS
    for mode in ("simulate", "slice"):
        assert search(term, seen, mode).verdict is Verdict.WEAK_PASS
    wide = Options(strategy="bfs", reduction="none", local=None)
    steps = [str(step.action) for step in search(term, seen, "simulate", wide).path]
    assert len(steps) == 4
    assert Counter(steps) == Counter(["l1!m1", "l1!m2", "l2?m1", "l2?m2"])


def test_figure_9_executing_first_ends_where_simulating_first_goes_on() -> None:
    term = seq(loop_w(passing("l1", "m1", "l2")), passing("l2", "m2", "l1"))
    graph = graph_of(term, logs("l1: l1!m1 l1?m2; l2: l2?m1 l2?m1 l2!m2"), "simulate")
    left = path(graph, "execute l1!m1", "execute l2?m1")[-1].target
    assert graph.vertices[left].end == "OutSim"
    middle = path(graph, "simulate l2!m2", "simulate l1?m2")[-1].target
    assert graph.vertices[middle].end == "OutSim"
    right = {path(graph, "simulate l1!m1", "execute l1!m1")[-1].target}
    for _ in graph.vertices:
        right |= {edge.target for edge in graph.edges if edge.source in right}
    assert "Slice" in {graph.vertices[number].end for number in right}


def test_figure_10a_a_search_visits_the_five_vertices_shown() -> None:
    """The whole graph has one more, where l2?m1 is simulated as well."""
    term = loop_w(passing("l1", "m1", "l2"))
    seen = logs("l1:; l2: l2?m1 l2?m1")
    until_found = Options(goal=Verdict.WEAK_PASS, reduction="none", local=None, record=True)
    graph = graph_of(term, seen, "simulate", until_found)
    assert [vertex.measure for vertex in graph.vertices] == [
        (1, 0), (0, 1), (1, 0), (0, 1), (1, 0),
    ]  # fmt: skip
    assert graph.vertices[-1].end == "Slice"
    assert len(graph_of(term, seen, "simulate").vertices) == 6


def test_figure_10b_the_measure_follows_what_remains() -> None:
    """The text gives the steps, the measures, and that pruning takes the loop depth from 2 to 1;
    an interaction with these is inferred: a loop around a loop that l3 takes part in."""
    inner = loop_w(passing("l2", "m2", "l3"))
    term = seq(loop_w(seq(passing("l1", "m1", "l2"), inner)), a("l3!m3"))
    seen = logs("l1:; l2: l2?m1; l3: l3!m3")
    graph = graph_of(term, seen, "simulate")
    steps = path(graph, "execute l3!m3", "simulate l1!m1", "execute l2?m1")
    vertices = [graph.vertices[0], *(graph.vertices[edge.target] for edge in steps)]
    assert [vertex.measure for vertex in vertices] == [(2, 1), (1, 0), (0, 1), (1, 0)]
    assert vertices[-1].end == "Slice"


def test_figure_11_the_whole_graphs() -> None:
    """Every vertex, edge and `Ko` of the pictures, and the measures but for one label (above)."""
    crossed = coreg(
        mask(["l2"]), loop_w(passing("l1", "m1", "l2")), loop_w(passing("l1", "m2", "l2"))
    )
    shown = {
        "a": (
            graph_of(loop_p(strict(a("l!m1"), a("l?m2"))), logs("l: l?m2 l?m2 l?m2"), "simulate"),
            {
                "simulate l!m1": (0, 1),
                "simulate l!m1, execute l?m2": (1, 0),
                "simulate l!m1, simulate l?m2": (0, 0),
            },
        ),
        "b": (
            graph_of(loop_w(passing("l1", "m", "l2")), logs("l1,l2: l2?m l2?m"), "simulate"),
            {
                "simulate l1!m": (0, 1),
                "simulate l1!m, execute l2?m": (1, 0),
                "simulate l1!m, simulate l2?m": (0, 0),
            },
        ),
        "c": (
            graph_of(crossed, logs("l1:; l2: l2?m2 l2?m1"), "simulate"),
            {
                "simulate l1!m2": (0, 1),
                "simulate l1!m2, execute l2?m2": (1, 0),
                "simulate l1!m2, execute l2?m2, simulate l1!m2": (0, 1),
                "simulate l1!m2, simulate l2?m2": (0, 0),
                "simulate l1!m1": (0, 1),
                "simulate l1!m1, simulate l2?m1": (0, 0),
            },
        ),
    }
    for name, (graph, expected) in shown.items():
        assert graph.vertices[0].measure == (1, 0)
        reached = {0}
        for steps, measure in expected.items():
            number = path(graph, *steps.split(", "))[-1].target
            assert graph.vertices[number].measure == measure, (name, steps)
            reached.add(number)
        assert len(reached) == len(graph.vertices) == len(graph.edges) + 1 == len(expected) + 1
        goes_on = {edge.source for edge in graph.edges}
        ends = {vertex.number: vertex.end for vertex in graph.vertices}
        assert {ends[number] for number in reached - goes_on} == {"OutSim"}


@pytest.mark.parametrize(
    "trace", [FIGURE_16, "[l1,l2] l2?m4;\n[l3] l3?m1\n"], ids=["figure 16", "figure 1 (d)"]
)
def test_figures_14_to_18_the_example_files_are_verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trace: str
) -> None:
    """Signature, interaction, multi-trace without braces, and the configuration with
    `simulate[before = true, loop max depth, reset = true, multiply = false, act num = 10]`."""
    files = {"s.hsf": FIGURE_14, "i.hif": FIGURE_15, "t.htf": trace, "c.hcf": FIGURE_18}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)  # where the pictures go that the configuration asks for
    answer = choreomon(
        "verify",
        *("--signature", tmp_path / "s.hsf", "--interaction", tmp_path / "i.hif"),
        *("--config", tmp_path / "c.hcf", "--json", tmp_path / "t.htf"),
    )
    assert answer.code == 0, answer
    line = json.loads(answer.out)
    assert (line["mode"], line["verdict"]) == ("simulate", "WeakPass")


def test_figure_17_the_exploration_generates_accepted_multi_traces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The configuration's strategy, bounds, random order and loggers, with a seed of ours: what is
    made is accepted, and the tree is drawn."""
    files = {"s.hsf": FIGURE_14, "i.hif": FIGURE_15, "c.hcf": FIGURE_17}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    answer = choreomon(
        "explore", "--signature", "s.hsf", "--config", "c.hcf", "--seed", 17, "i.hif"
    )
    assert answer.code == 0, answer
    assert (tmp_path / "i-tree.svg").is_file()
    made = tmp_path / "i-traces"
    verifier = Verifier(BROADCAST, "accept")
    multi_traces = [load_multi_trace(file) for file in sorted(made.iterdir())]
    assert len(multi_traces) > 10
    for seen in multi_traces:
        assert {part.lifelines for part in seen.components} == {("l1", "l2"), ("l3",)}
        assert verifier.decide(seen).verdict is Verdict.PASS, seen
