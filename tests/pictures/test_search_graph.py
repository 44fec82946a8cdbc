from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from examples_to_draw import Area, area_of, texts, titled, written
from hypothesis import given
from hypothesis import strategies as st
from interactions_to_draw import FIGURE_2, a

from choreomon.core.action import parse_action
from choreomon.interaction.term import Interaction, alt, loop_w, seq
from choreomon.multitrace.multitrace import MultiTrace, component, multi_trace
from choreomon.pictures.graphs.folded_lines import with_folded_lines
from choreomon.pictures.graphs.search_graph import GraphEdge, GraphPicture, graph_svg
from choreomon.pictures.graphs.search_graph_node import MOST_ROWS, MOST_ROWS_BELOW, GraphNode
from choreomon.pictures.graphs.search_pictures import (
    illustrations,
    picture_of_exploration,
    picture_of_search,
)
from choreomon.pictures.shapes.drawing import Box, Curve, Drawing, flattened, folded
from choreomon.pictures.shapes.svg import svg_document
from choreomon.verify.papers.engine import search
from choreomon.verify.papers.exploration import explore
from choreomon.verify.papers.heuristics import Filters
from choreomon.verify.papers.options import Options
from choreomon.verify.verdict import Mode, Verdict


def observed(*parts: str) -> MultiTrace:
    """Components like `l1: l1!a l1?b`."""
    found = []
    for part in parts:
        name, _, actions = part.partition(":")
        found.append(component(name.split(","), [parse_action(one) for one in actions.split()]))
    return multi_trace(found)


def chain(length: int) -> GraphPicture:
    return GraphPicture(
        nodes=tuple(GraphNode(lines=(f"node {number}",)) for number in range(length)),
        edges=tuple(
            GraphEdge(source=number, target=number + 1, label=f"step {number}")
            for number in range(length - 1)
        ),
        title="A chain",
    )


def covered(drawing: Drawing) -> list[tuple[str, str]]:
    return [
        (one.content, other.content)
        for one, other in combinations(texts(drawing), 2)
        if area_of(one).overlaps(area_of(other))
    ]


def test_nodes_stand_in_layers_and_edges_between_them() -> None:
    nodes = tuple(GraphNode(lines=(str(number),)) for number in range(4))
    edges = tuple(
        GraphEdge(source=source, target=target, label=f"{source} to {target}")
        for source, target in ((0, 1), (0, 2), (1, 3), (2, 3))
    )
    picture = graph_svg(GraphPicture(nodes=nodes, edges=edges, title="A diamond"))
    assert [node["layer"] for node in picture.structure["nodes"]] == [0, 1, 1, 2]
    assert [edge["label"] for edge in picture.structure["edges"]] == [
        "0 to 1",
        "0 to 2",
        "1 to 3",
        "2 to 3",
    ]
    assert picture.structure["left_out"] == {"nodes": 0, "edges": 0}
    assert covered(picture.drawing) == []


def test_several_edges_between_two_nodes_are_one_line_with_all_labels() -> None:
    graph = GraphPicture(
        nodes=(GraphNode(lines=("x",)), GraphNode(lines=("y",))),
        edges=tuple(GraphEdge(source=0, target=1, label=label) for label in ("one", "other")),
        title="",
    )
    picture = graph_svg(graph)
    (group,) = titled(picture.drawing, "one")
    assert sum(isinstance(shape, Curve) for shape in group.shapes) == 1
    assert {"one", "other"} <= set(written(picture.drawing))
    assert len(picture.structure["edges"]) == 2


def test_an_edge_back_to_its_node_is_a_line_of_its_text_and_cycles_are_drawn() -> None:
    graph = GraphPicture(
        nodes=(GraphNode(lines=("x",)), GraphNode(lines=("y",))),
        edges=(
            GraphEdge(source=0, target=1, label="there"),
            GraphEdge(source=1, target=0, label="back"),
            GraphEdge(source=1, target=1, label="stay"),
        ),
        title="",
    )
    picture = graph_svg(graph)
    assert "back here by stay" in written(picture.drawing)
    assert {"there", "back"} <= set(written(picture.drawing))
    assert covered(picture.drawing) == []


def test_a_search_that_was_stopped_at_once_is_drawn_as_such() -> None:
    term = seq(a("l1!m"), a("l2!n"))
    seen = multi_trace([component(["l1"], [parse_action("l1!m")])])
    options = Options(record=True, should_stop=lambda: "OutOfMemory")
    found = search(term, seen, "accept", options)
    assert found.graph is not None
    assert not found.graph.vertices
    picture = graph_svg(picture_of_search(found.graph, found.path))
    (node,) = picture.structure["nodes"]
    assert node["lines"] == ["nothing was visited"]


def test_of_a_large_graph_the_first_nodes_are_drawn_and_the_others_counted() -> None:
    picture = graph_svg(chain(12), limit=5)
    assert len(picture.structure["nodes"]) == 5
    assert picture.structure["left_out"] == {"nodes": 7, "edges": 7}
    assert "7 further nodes and 7 further edges not drawn" in written(picture.drawing)
    assert graph_svg(chain(3), limit=3).structure["left_out"] == {"nodes": 0, "edges": 0}


@given(
    st.text(st.sampled_from("ab(),. ")) | st.from_regex("([a-c]{1,9}[(,.]){0,20}", fullmatch=True),
    st.integers(2, 12),
    st.integers(1, 5),
)
def test_folded_text_is_whole_where_it_fits_and_no_line_is_too_long(
    content: str, limit: int, most: int
) -> None:
    lines = folded(content, limit, most)
    assert 1 <= len(lines) <= most
    assert all(len(line) <= limit for line in lines)
    said = "".join(lines).replace(" ", "")
    whole = content.replace(" ", "")
    assert said == whole or (said[-1] == "…" and whole.startswith(said[:-1]))


def test_text_is_folded_behind_commas_dots_and_parentheses() -> None:
    assert folded("seq(l1!m,alt(l2?n,o))", 14, 3) == ["seq(l1!m,alt(", "l2?n,o))"]
    assert folded("seq(l1!m,alt(l2?n,o))", 14, 1) == ["seq(l1!m,alt(…"]
    assert folded("a!m.b!m.c!m", 8, 2) == ["a!m.b!m.", "c!m"]
    assert folded("abcdefgh", 4, 2) == ["abcd", "efgh"]
    assert folded("", 4, 2) == [""]


def test_long_lines_of_nodes_are_folded_and_whole_in_the_structure() -> None:
    names = [f"message{number}" for number in range(40)]
    node = GraphNode(lines=(", ".join(names), ".".join(names)))
    picture = graph_svg(GraphPicture(nodes=(node,), edges=(), title=""))
    rows = texts(picture.drawing)
    bold = [row.content for row in rows if row.bold]
    assert (len(bold), len(rows)) == (MOST_ROWS, MOST_ROWS + MOST_ROWS_BELOW)
    assert bold[0].startswith("message0, message1, ")
    assert bold[-1].endswith("…")
    assert len({row.at.x for row in rows}) == 2
    assert tuple(picture.structure["nodes"][0]["lines"]) == node.lines
    assert covered(picture.drawing) == []
    assert max(area_of(row).right for row in rows) < picture.drawing.width


def test_what_a_node_says_has_its_colour() -> None:
    outcomes = ("good", "partly", "open", "bad")
    nodes = tuple(GraphNode(lines=("x",), said=one, outcome=one, full=one) for one in outcomes)
    edges = tuple(GraphEdge(source=0, target=n, label="x") for n in range(1, 4))
    drawing = graph_svg(GraphPicture(nodes=nodes, edges=edges, title="")).drawing
    colours = []
    for outcome in outcomes:
        (group,) = titled(drawing, outcome)
        (box,) = (shape for shape in group.shapes if isinstance(shape, Box))
        colours.append(box.colour)
    assert len(set(colours)) == 4


def test_unobserved_steps_are_dashed_and_the_path_is_bold() -> None:
    graph = GraphPicture(
        nodes=tuple(GraphNode(lines=(str(number),)) for number in range(3)),
        edges=(
            GraphEdge(source=0, target=1, label="seen", on_path=True),
            GraphEdge(source=0, target=2, label="guessed", unobserved=True),
        ),
        title="",
    )
    drawing = graph_svg(graph).drawing
    (seen,) = (shape for shape in titled(drawing, "seen")[0].shapes if isinstance(shape, Curve))
    (guess,) = (s for s in titled(drawing, "guessed")[0].shapes if isinstance(s, Curve))
    assert (seen.dashed, guess.dashed) == (False, True)
    assert seen.width > guess.width


def test_a_recorded_search_shows_positions_what_is_left_and_how_it_ended() -> None:
    term = seq(a("l1!x"), alt(a("l2?y"), a("l2?z")))
    question = observed("l1: l1!x", "l2: l2?z")
    result = search(
        term, question, "accept", Options(record=True, goal=None, reduction="none", local=None)
    )
    assert result.graph is not None
    picture = graph_svg(picture_of_search(result.graph, result.path))
    nodes, edges = picture.structure["nodes"], picture.structure["edges"]
    assert len(nodes) == len(result.graph.vertices)
    assert nodes[0]["lines"] == [
        "0: seq(l1 -- x ->|, alt(y -> l2, z -> l2))",
        "[l1] 0/1 l1!x",
        "[l2] 0/1 l2?z",
    ]
    assert {node["said"] for node in nodes} == {"", "Cov"}
    assert {edge["label"] for edge in edges} >= {"execute l1!x@1", "execute l2?z@22"}
    assert [edge["label"] for edge in edges if edge["on_path"]] == [
        "execute l1!x@1",
        "execute l2?z@2",
    ]
    assert len(result.path) == 2 < len(edges)
    assert covered(picture.drawing) == []
    svg = svg_document(picture.drawing)
    assert "<title>execute l1!x@1</title>" in svg
    assert ">execute l1!x</text>" in svg


def test_nodes_show_the_logs_that_the_step_to_them_changed_and_ends_show_all() -> None:
    result = search(
        seq(a("l1!x"), a("l2?y")),
        observed("l1: l1!x l1!x", "l2: l2?y"),
        "accept",
        Options(record=True, goal=None, reduction="none", local=None),
    )
    assert result.graph is not None
    nodes = picture_of_search(result.graph).nodes
    assert nodes[0].lines[1:] == ("[l1] 0/2 l1!x.l1!x", "[l2] 0/1 l2?y")
    changed = {node.lines[1:] for node in nodes[1:] if not node.said}
    assert changed == {("[l1] 1/2 l1!x",), ("[l2] 1/1",)}
    ends = {node.lines[1:] for node in nodes if node.said}
    assert ends == {("[l1] 1/2 l1!x", "[l2] 1/1")}
    assert all("\n[l1] " in node.full and "\n[l2] " in node.full for node in nodes)


def test_logs_are_shown_whole_where_a_filter_ends_the_path() -> None:
    result = search(
        seq(a("l1!x"), a("l2?y")),
        observed("l1: l1!x", "l2: l2?y"),
        "accept",
        Options(record=True, goal=None, filters=Filters(max_depth=1), local=None),
    )
    assert result.graph is not None
    (cut, *_) = (node for node in picture_of_search(result.graph).nodes if node.said)
    assert cut.said == "cut off by a filter"
    assert len(cut.lines) == 3


def test_simulated_steps_and_measures_are_shown() -> None:
    result = search(
        loop_w(seq(a("l1!x"), a("l2?y"))),
        observed("l1:", "l2: l2?y"),
        "simulate",
        Options(record=True, goal=None, local=None),
    )
    assert result.graph is not None
    assert result.verdict in (Verdict.PASS, Verdict.WEAK_PASS)
    structure = graph_svg(picture_of_search(result.graph)).structure
    assert any(edge["unobserved"] for edge in structure["edges"])
    assert structure["nodes"][0]["lines"][-1].startswith("λ = ")


@pytest.mark.parametrize(
    ("mode", "said"), [("slice", "no next action fits"), ("simulate", "OutSim")]
)
def test_a_path_ends_within_bounds_only_where_there_are_some(mode: Mode, said: str) -> None:
    result = search(
        seq(a("l1!x"), a("l2?y")),
        observed("l1: l1!x l1!x", "l2:"),
        mode,
        Options(record=True, goal=None, reduction="none", local=None),
    )
    assert result.graph is not None
    nodes = picture_of_search(result.graph).nodes
    assert {(node.said, node.outcome) for node in nodes if node.said} == {
        (said, "open" if result.verdict.inconclusive else "bad")
    }


def test_removed_components_are_named() -> None:
    result = search(
        seq(a("l1!x"), a("l2!y")),
        observed("l1:", "l2: l2!y"),
        "multiprefix",
        Options(record=True, goal=None, method="removal", local=None),
    )
    assert result.graph is not None
    lines = [line for node in picture_of_search(result.graph).nodes for line in node.lines]
    assert "removed: l1" in lines


def test_what_filters_cut_off_is_said_in_both_kinds_of_pictures() -> None:
    term = loop_w(a("l1!x"))
    result = search(
        term,
        observed("l1: l1!x l1!x l1!x"),
        "accept",
        Options(record=True, goal=None, filters=Filters(max_depth=1), local=None),
    )
    assert result.graph is not None
    said = {(node.said, node.outcome) for node in picture_of_search(result.graph).nodes}
    assert ("cut off by a filter", "open") in said
    tree = picture_of_exploration(explore(term, filters=Filters(max_depth=1)))
    assert tree.nodes[1].lines[1:] == ("cut off here: max_depth",)


@pytest.mark.parametrize("strategy", ["dfs", "bfs"])
def test_an_execution_tree_has_an_edge_to_every_node_but_the_first(strategy: str) -> None:
    exploration = explore(
        FIGURE_2,
        strategy="dfs" if strategy == "dfs" else "bfs",
        filters=Filters(max_node_number=25),
    )
    graph = picture_of_exploration(exploration)
    assert sorted(edge.target for edge in graph.edges) == list(range(1, 25))
    assert all(edge.source < edge.target for edge in graph.edges)
    assert {node.said for node in graph.nodes} <= {"accepted", ""}
    assert graph.nodes[0].outcome == "good"
    assert covered(graph_svg(graph).drawing) == []


def test_interactions_too_large_for_a_hint_are_counted() -> None:
    term: Interaction = a("l1!m")
    for _ in range(50):
        term = seq(term, term)
    nodes = picture_of_exploration(explore(term, filters=Filters(max_node_number=3))).nodes
    assert len(nodes) == 3
    assert all("symbols" in node.full and not node.brief for node in nodes)


@pytest.mark.parametrize("diagrams", [False, True])
@pytest.mark.parametrize("trees", [False, True])
def test_a_vertical_graph_grows_downwards_and_overlaps_nothing(diagrams: bool, trees: bool) -> None:
    tree = explore(FIGURE_2, filters=Filters(max_depth=3, max_loop_depth=1))
    picture = graph_svg(
        picture_of_exploration(tree),
        vertical=True,
        illustrate=illustrations(FIGURE_2, sequence_diagrams=diagrams, term_trees=trees),
        legend=("one", "two"),
    )
    boxes = [
        next(shape for shape in titled(picture.drawing, node.full)[0].shapes)
        for node in picture_of_exploration(tree).nodes[:2]
    ]
    first, second = boxes
    assert isinstance(first, Box)
    assert isinstance(second, Box)
    assert first.at.y + first.height < second.at.y
    assert picture.structure["layout"] == "vertical"
    assert picture.structure["legend"] == ["one", "two"]
    assert {"one", "two"} <= set(written(picture.drawing))
    assert all(len(node["drawings"]) == diagrams + trees for node in picture.structure["nodes"])
    if not diagrams:
        assert covered(picture.drawing) == []


def test_illustrations_lie_within_the_boxes_of_their_nodes() -> None:
    illustrate = illustrations(FIGURE_2, sequence_diagrams=True, term_trees=True)
    node = GraphNode(lines=("x",), full="node", interaction=FIGURE_2)
    drawing = graph_svg(
        GraphPicture(nodes=(node,), edges=(), title=""), illustrate=illustrate
    ).drawing
    (group,) = titled(drawing, "node")
    box = next(shape for shape in group.shapes if isinstance(shape, Box))
    for one in texts(drawing):
        area = area_of(one)
        assert box.at.x <= area.left <= area.right <= box.at.x + box.width
        assert box.at.y <= area.top <= area.bottom <= box.at.y + box.height


def test_all_sequence_diagrams_of_a_graph_have_the_same_lifelines() -> None:
    illustrate = illustrations(FIGURE_2, sequence_diagrams=True, term_trees=False)
    assert illustrate is not None
    (whole,), (ended,) = illustrate(FIGURE_2), illustrate(a("l1!x"))
    assert set(written(ended)) >= {"l1", "l2"}
    assert illustrate(FIGURE_2)[0] is whole
    assert illustrations(FIGURE_2, sequence_diagrams=False, term_trees=False) is None


def tree_of(nodes: int) -> GraphPicture:
    body = seq(a("l1!m1"), seq(a("l2?m1"), alt(a("l1!m2"), a("l3!m3"))))
    filters = Filters(max_node_number=nodes)
    return picture_of_exploration(explore(loop_w(body), strategy="bfs", filters=filters))


def test_a_node_at_which_something_is_cut_off_is_not_folded() -> None:
    whole = chain(40)
    said = GraphNode(lines=("node 20", "cut off here: max_depth"), signs=("cut off here",))
    nodes = tuple(said if number == 20 else node for number, node in enumerate(whole.nodes))
    folded_graph = with_folded_lines(GraphPicture(nodes=nodes, edges=whole.edges, title=""))
    assert [node.lines[0] for node in folded_graph.nodes] == [
        "node 0",
        "node 1 to node 19: straight on",
        "node 20",
        "node 21 to node 38: straight on",
        "node 39",
    ]


def test_straight_lines_of_large_graphs_are_one_node_with_their_steps() -> None:
    assert with_folded_lines(chain(30)) == chain(30)
    folded_graph = with_folded_lines(chain(31))
    # The first node, the line, and the last one, from which nothing leads on.
    assert [node.lines for node in folded_graph.nodes] == [
        ("node 0",),
        ("node 1 to node 29: straight on", "step 1", "step 2", "step 3", "… 25 more steps"),
        ("node 30",),
    ]
    assert [(e.source, e.target, e.label) for e in folded_graph.edges] == [
        (0, 1, "step 0"),
        (1, 2, "step 29"),
    ]
    assert folded_graph.nodes[1].full.splitlines()[:2] == ["step 1", "step 2"]


@given(st.lists(st.integers(0, 12), min_size=1, max_size=30), st.sets(st.integers(0, 30)))
def test_folding_keeps_every_path_between_nodes_that_branch_or_say_something(
    parents: list[int], ends: set[int]
) -> None:
    """Slow and obvious: the labels along every path from the first node to each leaf."""
    nodes = tuple(
        GraphNode(lines=(str(n),), said="end" if n in ends else "") for n in range(len(parents) + 1)
    )
    edges = tuple(
        GraphEdge(source=max(0, number - parent // 3), target=number + 1, label=f"to {number + 1}")
        for number, parent in enumerate(parents)
    )
    graph = GraphPicture(nodes=nodes, edges=edges, title="")

    def paths(of: GraphPicture) -> set[tuple[str, ...]]:
        onward: dict[int, list[GraphEdge]] = {}
        for edge in of.edges:
            onward.setdefault(edge.source, []).append(edge)
        found: set[tuple[str, ...]] = set()
        pending: list[tuple[int, tuple[str, ...]]] = [(0, ())]
        while pending:
            at, way = pending.pop()
            inner = of.nodes[at].full.splitlines()
            way += tuple(line for line in inner if line.startswith("to "))
            if at not in onward:
                found.add(way)
            pending += [(edge.target, (*way, edge.label)) for edge in onward.get(at, [])]
        return found

    small = with_folded_lines(graph, beyond=0)
    assert paths(small) == paths(graph)
    kept = {node.lines[0] for node in small.nodes}
    assert all(node.lines[0] in kept for node in nodes if node.said)


def boxes_of(drawing: Drawing) -> list[Area]:
    return [
        Area(box.at.x, box.at.y, box.at.x + box.width, box.at.y + box.height)
        for box in flattened(drawing.shapes)
        if isinstance(box, Box)
    ]


def test_layers_that_are_too_wide_are_wrapped_and_nothing_overlaps() -> None:
    nodes = tuple(GraphNode(lines=(f"a node of many {number}",)) for number in range(40))
    edges = tuple(GraphEdge(source=0, target=number, label="step") for number in range(1, 40))
    picture = graph_svg(GraphPicture(nodes=nodes, edges=edges, title=""))
    per_layer = Counter(node["layer"] for node in picture.structure["nodes"])
    assert [per_layer[layer] for layer in sorted(per_layer)] == [1, 10, 10, 10, 9]
    assert covered(picture.drawing) == []
    assert not any(one.overlaps(other) for one, other in combinations(boxes_of(picture.drawing), 2))


@pytest.mark.parametrize("nodes", [61, 500])
def test_many_nodes_are_an_outline_no_wider_than_a_screen(nodes: int) -> None:
    graph = tree_of(nodes)
    picture = graph_svg(graph)
    assert picture.structure["layout"] == "outline"
    assert picture.drawing.width < 1400
    assert picture.structure["left_out"]["nodes"] == 0
    assert len(boxes_of(picture.drawing)) == nodes
    assert covered(picture.drawing) == []
    assert not any(one.overlaps(other) for one, other in combinations(boxes_of(picture.drawing), 2))
    depth = {0: 0}
    for edge in graph.edges:
        depth[edge.target] = depth[edge.source] + 1
    layers = [node["layer"] for node in picture.structure["nodes"]]
    assert layers == [depth[number] for number in range(nodes)]


def test_an_outline_says_where_a_node_stands_to_which_a_second_edge_leads() -> None:
    nodes = tuple(GraphNode(lines=(f"{number}: term",)) for number in range(70))
    edges = [GraphEdge(source=n // 2, target=n + 1, label=f"to {n + 1}") for n in range(69)]
    edges.append(GraphEdge(source=69, target=5, label="again"))
    picture = graph_svg(GraphPicture(nodes=nodes, edges=tuple(edges), title=""))
    assert written(picture.drawing).count("see 5") == 1
    assert len(boxes_of(picture.drawing)) == 70


def test_nodes_that_show_a_diagram_have_their_number_in_place_of_the_term() -> None:
    graph = tree_of(4)
    root = graph.nodes[0].interaction
    assert root is not None
    draw = illustrations(root, sequence_diagrams=True, term_trees=False)
    content = written(graph_svg(graph, illustrate=draw).drawing)
    assert "0" in content
    assert not any(words.startswith("0: loopW(") for words in content)
    assert any(words.startswith("0: loopW(") for words in written(graph_svg(graph).drawing))


def test_layers_of_an_outline_are_distances_also_where_a_longer_way_is_drawn_first() -> None:
    """The walk meets 68 at the end of a chain, and the last edge leads to it from the first."""
    edges = [GraphEdge(source=n, target=n + 1, label=f"to {n + 1}") for n in range(69)]
    edges.append(GraphEdge(source=0, target=68, label="at once"))
    nodes = tuple(GraphNode(lines=(f"{number}: term",)) for number in range(70))
    picture = graph_svg(GraphPicture(nodes=nodes, edges=tuple(edges), title=""))
    layers = [node["layer"] for node in picture.structure["nodes"]]
    assert layers == [*range(68), 1, 2]
