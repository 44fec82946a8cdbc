"""What the words in graphs of searches mean, and what nodes show of long terms."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any, get_args

import pytest
from examples_to_draw import area_of, texts, titled, written
from interactions_to_draw import FIGURE_2, a, random_interactions

from choreomon.core.action import parse_action
from choreomon.interaction.enabled import enabled
from choreomon.interaction.term import Interaction, loop_s, loop_w, par, seq, strict
from choreomon.interaction.written import written as as_text
from choreomon.multitrace.multitrace import MultiTrace, component, multi_trace
from choreomon.pictures.graphs.search_graph import GraphEdge, GraphPicture, graph_svg
from choreomon.pictures.graphs.search_graph_node import LEFT_OUT, MOST_ROWS, GraphNode, changed_text
from choreomon.pictures.graphs.search_legend import GLOSSARY
from choreomon.pictures.graphs.search_pictures import (
    STUCK,
    picture_of_exploration,
    picture_of_search,
)
from choreomon.pictures.shapes.drawing import Box
from choreomon.verify.papers.engine import search
from choreomon.verify.papers.exploration import explore
from choreomon.verify.papers.graph import End, Rule
from choreomon.verify.papers.heuristics import Filters
from choreomon.verify.papers.options import LocalAnalyses, Options
from choreomon.verify.verdict import Mode

PASSING = seq(a("l1!x"), a("l2?y"))
LOOP = loop_w(PASSING)
LONG = strict(strict(a("l1!first"), a("l2?first")), par(FIGURE_2, par(FIGURE_2, LOOP)))
"""More than a node has room for."""


def observed(**logs: str) -> MultiTrace:
    """A component for each lifeline."""
    return multi_trace(
        component([name], [parse_action(one) for one in log.split()]) for name, log in logs.items()
    )


def searched(term: Interaction, question: MultiTrace, mode: Mode, **options: Any) -> GraphPicture:
    """The graph of a search that takes no shortcuts but those of the options."""
    plain: dict[str, Any] = {"goal": None, "reduction": "none", "local": None, **options}
    result = search(term, question, mode, Options(record=True, **plain))
    assert result.graph is not None
    return picture_of_search(result.graph, result.path)


def explained_in(graph: GraphPicture, limit: int = 150) -> dict[str, str]:
    found = graph_svg(graph, limit=limit, glossary=GLOSSARY).structure["glossary"]
    assert isinstance(found, dict)
    return found


ACCEPTED = observed(l1="l1!x", l2="l2?y")
STOPPED = observed(l1="l1!x", l2="")
LATE = observed(l1="", l2="l2?y")
WRONG = observed(l1="l1!x l1!x", l2="")

SEARCHES: dict[str, tuple[Interaction, MultiTrace, Mode, dict[str, Any], set[str]]] = {
    "accepted": (PASSING, ACCEPTED, "accept", {}, {"execute", "bold arrow", "k/n", "Cov"}),
    "a prefix": (PASSING, STOPPED, "prefix", {}, {"execute", "bold arrow", "k/n", "TooShort"}),
    "wrong": (PASSING, WRONG, "accept", {}, {"execute", "k/n", "no next action fits"}),
    "wrong by itself": (
        PASSING,
        WRONG,
        "accept",
        {"local": LocalAnalyses()},
        {"k/n", "no next action fits", "by local analysis"},
    ),
    "perhaps not observed": (
        strict(a("l1!x"), strict(a("l2?y"), a("l1!z"))),
        observed(l1="l1!x l1!z", l2=""),
        "test",
        {},
        {"execute", "k/n", "LackObs"},
    ),
    "removed": (
        PASSING,
        LATE,
        "multiprefix",
        {"method": "removal"},
        {"remove", "execute", "bold arrow", "k/n", "removed", "MultiPref"},
    ),
    "late": (
        LOOP,
        LATE,
        "slice",
        {},
        {"simulate", "execute", "bold arrow", "k/n", "open", "Slice", "no next action fits"},
    ),
    "bounded": (
        PASSING,
        WRONG,
        "simulate",
        {},
        {"simulate", "execute", "k/n", "λ, α", "OutSim"},
    ),
    "filtered": (
        LOOP,
        ACCEPTED,
        "accept",
        {"filters": Filters(max_depth=1)},
        {"execute", "k/n", "cut off by a filter"},
    ),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_the_legend_of_a_search_explains_the_words_in_the_picture(name: str) -> None:
    term, question, mode, options, words = SEARCHES[name]
    found = explained_in(searched(term, question, mode, **options))
    assert set(found) == words
    assert [*found] == [word for word in GLOSSARY if word in found]


def test_the_legend_of_an_exploration_explains_the_words_in_the_picture() -> None:
    assert set(explained_in(picture_of_exploration(explore(PASSING)))) == {"accepted"}
    tree = picture_of_exploration(explore(LOOP, filters=Filters(max_depth=1)))
    assert set(explained_in(tree)) == {"cut off here", "accepted"}


def test_words_of_nodes_that_are_not_drawn_are_not_explained() -> None:
    graph = searched(PASSING, ACCEPTED, "accept")
    assert set(explained_in(graph, limit=1)) == {"k/n"}


def test_nothing_is_explained_without_a_glossary() -> None:
    picture = graph_svg(searched(PASSING, ACCEPTED, "accept"))
    assert picture.structure["glossary"] == {}
    assert not any(meaning in written(picture.drawing) for meaning in GLOSSARY.values())


def test_there_is_a_meaning_for_every_end_and_every_rule() -> None:
    told = {STUCK if end == "Out" else end for end in get_args(End)}
    assert {*told, *get_args(Rule)} <= set(GLOSSARY)


def test_the_documentation_has_every_word_of_the_legend_and_no_other() -> None:
    page = Path("docs/verify.md").read_text(encoding="utf-8")
    rows = page.partition("\n## Reading graphs\n")[2].partition("\n## ")[0].splitlines()
    heads = [row.split("|")[1].strip() for row in rows if row.startswith("| ")]
    words = [head.strip("`") for head in heads if head.startswith("`") or head in GLOSSARY]
    assert words == [*GLOSSARY]


def test_long_legends_are_wrapped_below_the_graph_and_overlap_nothing() -> None:
    nodes = tuple(GraphNode(lines=("x",), full=f"box {n}", signs=tuple(GLOSSARY)) for n in (0, 1))
    graph = GraphPicture(
        nodes=nodes, edges=(GraphEdge(source=0, target=1, label="step"),), title=""
    )
    line = "what was asked, " * 30
    picture = graph_svg(graph, legend=(line, "and how"), glossary=GLOSSARY)
    drawing = picture.drawing
    (box,) = (one for one in titled(drawing, "box 1")[0].shapes if isinstance(one, Box))
    assert drawing.width < 900
    below = [text for text in texts(drawing) if text.at.y > box.at.y + box.height]
    said = " ".join(text.content for text in below)
    assert line.strip() in said
    assert all(word in said for word in GLOSSARY)
    assert max(area_of(text).right for text in texts(drawing)) <= drawing.width
    assert max(area_of(text).bottom for text in texts(drawing)) <= drawing.height
    assert min(area_of(text).top for text in below) > box.at.y + box.height
    assert not [
        (one.content, other.content)
        for one, other in combinations(texts(drawing), 2)
        if area_of(one).overlaps(area_of(other))
    ]
    assert picture.structure["legend"] == [line, "and how"]


@pytest.mark.parametrize(
    ("now", "before", "shown"),
    [
        (
            seq(a("l2?m"), strict(a("l3!n"), a("l4?n"))),
            seq(strict(a("l1!m"), a("l2?m")), strict(a("l3!n"), a("l4?n"))),
            "seq(m -> l2, …)",
        ),
        (
            seq(strict(a("l1!m"), a("l2?m")), strict(a("l4?n"), a("l3!n"))),
            seq(strict(a("l1!m"), a("l2?m")), strict(a("l3!n"), a("l4?n"))),
            "seq(…, strict(n -> l4, l3 -- n ->|))",
        ),
        (strict(a("l2?m"), loop_s(a("l1!x"))), loop_s(a("l1!x")), "strict(m -> l2, …)"),
        (loop_w(a("l1!x")), seq(a("l1!x"), loop_w(a("l1!x"))), "loopW(l1 -- x ->|)"),
        (loop_s(a("l1!x")), loop_s(a("l1!x")), "…"),
        (
            seq(a("l1!x"), LOOP),
            par(a("l1!x"), LOOP),
            "seq(l1 -- x ->|, loopW(seq(l1 -- x ->|, y -> l2)))",
        ),
    ],
)
def test_what_is_as_it_was_in_the_term_before_is_left_out(
    now: Interaction, before: Interaction, shown: str
) -> None:
    assert changed_text(now, before) == shown


def test_terms_that_differ_are_told_apart_by_what_differs_from_the_term_before() -> None:
    compared = 0
    for term in random_interactions(3, 80):
        rests = {step.follow_up() for step in enabled(term)}
        assert len({changed_text(rest, term) for rest in rests}) == len(rests)
        compared += len(rests) > 1
    assert compared > 20


def test_nodes_show_what_differs_where_the_term_is_too_long() -> None:
    graph = picture_of_exploration(explore(LONG, filters=Filters(max_depth=1)))
    picture = graph_svg(graph, glossary=GLOSSARY)
    rows = [text.content for text in texts(picture.drawing) if text.bold]
    assert rows[0].startswith("0: strict(l1 -- first -> l2, ")
    assert rows[MOST_ROWS - 1].endswith(LEFT_OUT)
    assert rows[MOST_ROWS] == "1: strict(first -> l2, …)"
    assert LEFT_OUT in picture.structure["glossary"]
    first, then = (node["lines"][0] for node in picture.structure["nodes"])
    assert (first, then) == (f"0: {as_text(LONG)}", f"1: {graph.nodes[1].full}")


def test_nodes_show_all_of_terms_for_which_they_have_room() -> None:
    graph = picture_of_exploration(explore(seq(PASSING, PASSING)))
    assert LEFT_OUT in graph.nodes[1].brief
    picture = graph_svg(graph, glossary=GLOSSARY)
    assert not [one for one in written(picture.drawing) if LEFT_OUT in one]
    assert LEFT_OUT not in picture.structure["glossary"]


def test_of_several_nodes_before_the_one_with_the_lowest_number_is_compared() -> None:
    one, other = (seq(a(act), seq(a("l3!z"), a("l3!z"))) for act in ("l1!x", "l2?y"))
    graph = searched(par(one, other), ACCEPTED, "prefix", strategy="bfs")
    into = [
        number
        for number in range(len(graph.nodes))
        if len({e.source for e in graph.edges if e.source < e.target == number}) > 1
    ]
    assert into
    for number in into:
        before = min(edge.source for edge in graph.edges if edge.target == number)
        pair = [graph.nodes[one].interaction for one in (number, before)]
        assert pair[0] is not None
        assert pair[1] is not None
        assert graph.nodes[number].brief == f"{number}: {changed_text(pair[0], pair[1])}"


def test_an_edge_back_to_the_first_node_makes_it_no_node_after_another() -> None:
    result = search(PASSING, ACCEPTED, "accept", Options(record=True, goal=None, reduction="none"))
    assert result.graph is not None
    back = result.graph.edges[-1]._replace(source=1, target=0)
    graph = picture_of_search(result.graph._replace(edges=(*result.graph.edges, back)))
    assert graph.nodes[0].brief == ""
    assert graph.nodes[1].brief


def test_words_in_terms_are_explained_only_where_they_are_shown() -> None:
    shown, hidden = "0: open(l1!x)", "0: " + "seq(l1!a_message," * 30 + "open(l1!x)" + ")" * 30
    for line, words in (shown, {"open"}), (hidden, {LEFT_OUT}):
        graph = GraphPicture(nodes=(GraphNode(lines=(line,)),), edges=(), title="")
        assert set(explained_in(graph)) == words
