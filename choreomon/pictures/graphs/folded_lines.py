"""Large graphs made smaller: straight lines of nodes at which nothing branches, folded into one."""

from __future__ import annotations

from collections import Counter
from typing import Final

from choreomon.pictures.graphs.search_graph import GraphEdge, GraphPicture
from choreomon.pictures.graphs.search_graph_node import GraphNode
from choreomon.sentences.wording import counted

FOLDED_BEYOND: Final = 30
"""Graphs of more nodes are folded; smaller ones can be read node by node."""

_FOLDED: Final = "straight on"

_STEPS_SHOWN: Final = 4
"""The number of labels of a folded line that are written out."""


def with_folded_lines(graph: GraphPicture, beyond: int = FOLDED_BEYOND) -> GraphPicture:
    """The graph, with one node in place of each straight line of at least two nodes. A node belongs
    to a line if one edge leads to it, one from it to another node, and it has nothing to say: no
    `said`, nothing cut off, and it is not the first. The steps within a line become lines of its
    node. Graphs of at most `beyond` nodes stay as they are."""
    if len(graph.nodes) <= beyond:
        return graph
    entering = Counter(edge.target for edge in graph.edges)
    leaving = Counter(edge.source for edge in graph.edges)
    back = {edge.source for edge in graph.edges if edge.source == edge.target}
    plain = {
        number
        for number, node in enumerate(graph.nodes)
        if number
        and entering[number] == leaving[number] == 1
        and not node.said
        and "cut off here" not in node.signs
    } - back
    within = {  # each edge that stays within its line, by source
        edge.source: edge
        for edge in graph.edges
        if edge.source in plain and edge.target in plain and edge.target > edge.source
    }
    last = {edge.target for edge in within.values()}
    lines: dict[int, list[int]] = {}
    for first in sorted(plain - last):
        line = [first]
        while line[-1] in within:
            line.append(within[line[-1]].target)
        if len(line) > 1:
            lines[first] = line
    stands_for = {member: first for first, line in lines.items() for member in line}
    kept = [
        number for number in range(len(graph.nodes)) if stands_for.get(number, number) == number
    ]
    place = {number: new for new, number in enumerate(kept)}
    nodes = tuple(
        _line_node(graph, lines[number], within) if number in lines else graph.nodes[number]
        for number in kept
    )
    edges = tuple(
        GraphEdge(
            source=place[stands_for.get(edge.source, edge.source)],
            target=place[stands_for.get(edge.target, edge.target)],
            label=edge.label,
            position=edge.position,
            unobserved=edge.unobserved,
            on_path=edge.on_path,
            signs=edge.signs,
        )
        for edge in graph.edges
        if within.get(edge.source) is not edge
    )
    return GraphPicture(nodes=nodes, edges=edges, title=graph.title)


def _line_node(graph: GraphPicture, line: list[int], within: dict[int, GraphEdge]) -> GraphNode:
    """The node in place of a line: its steps, the first ones written out."""
    steps = [within[member] for member in line[:-1]]
    labels = [step.label for step in steps]
    if len(labels) > _STEPS_SHOWN:
        left = counted(len(labels) - _STEPS_SHOWN + 1, "more step")
        labels = [*labels[: _STEPS_SHOWN - 1], f"… {left}"]
    numbers = [graph.nodes[member].lines[0].partition(":")[0] for member in (line[0], line[-1])]
    return GraphNode(
        lines=(f"{numbers[0]} to {numbers[1]}: {_FOLDED}", *labels),
        full="\n".join((*(step.full for step in steps), graph.nodes[line[-1]].full)),
        signs=tuple(dict.fromkeys(sign for step in steps for sign in (*step.signs, _FOLDED))),
    )
