"""What an analysis or an exploration visited, as a picture in layers from left to right.

Papers 000, 001 and 003 draw such graphs (paper 001, Fig. 4, 5 and 7): at every vertex the
interaction and what is left of the multi-trace, at every edge the rule and the action at its
position. A `GraphPicture` is what is drawn, whatever search it comes from; the functions that make
one of a recorded search and of an execution tree stand at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from choreomon.interaction.step import position_text
from choreomon.interaction.term import Interaction, text
from choreomon.render.drawing import (
    CANCELS,
    INK,
    MUTED,
    PAPER,
    POSSIBLY,
    QUIET,
    VIOLATED,
    Box,
    Curve,
    Drawing,
    Group,
    Picture,
    Point,
    Shape,
    Text,
    arrowhead,
    direction,
    shortened,
    text_width,
)
from choreomon.render.layered_layout import Extent, LabelledEdge, Layout, layered_layout
from choreomon.render.wording import counted
from choreomon.verify.exploration import Exploration
from choreomon.verify.search.graph import Edge, Graph, PathStep, Vertex

MAX_NODES: Final = 150
"""Of larger graphs the nodes that were visited first are drawn, with the number of the others."""

Outcome: TypeAlias = Literal["good", "partly", "open", "bad"]
"""What a node says about the answer: it is what was asked for exactly, or all that was asked for;
nothing is known; it is not."""

_COLOUR: Final[dict[Outcome, str]] = {
    "good": QUIET,
    "partly": CANCELS,
    "open": POSSIBLY,
    "bad": VIOLATED,
}
_OUTCOME_OF_END: Final[dict[str, Outcome]] = {
    "Cov": "good",
    "TooShort": "partly",
    "MultiPref": "partly",
    "Slice": "partly",
    "LackObs": "open",
    "OutSim": "open",
    "Out": "bad",
}

_SIZE: Final = 12.0
_LINE: Final = 16.0
_PADDING: Final = 8.0
_MARGIN: Final = 20.0
_LONGEST_LINE: Final = 44
_FOOT: Final = 26.0


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphNode:
    """A vertex: its lines of text, and what it says about the answer. `said` is empty where
    `outcome` is None. `full` is the text that is shown where the pointer rests on it."""

    lines: tuple[str, ...]
    said: str = ""
    outcome: Outcome | None = None
    full: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphEdge:
    """A step from one node to another, by their places in `GraphPicture.nodes`. `unobserved`
    steps are dashed, those `on_path` bold."""

    source: int
    target: int
    label: str
    unobserved: bool = False
    on_path: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphPicture:
    """What is to be drawn. Every node but the first is reached by an edge from one before it."""

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    title: str


class _Bundle(NamedTuple):
    """All edges from one node to another."""

    source: int
    target: int
    edges: tuple[GraphEdge, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(shortened(edge.label, _LONGEST_LINE) for edge in self.edges)


def graph_svg(graph: GraphPicture, *, limit: int = MAX_NODES) -> Picture:
    """The graph; of more than `limit` nodes (at least 1) the first ones, and the picture says how
    many it leaves out.

    `structure` has `nodes` (lines, said, outcome, layer), `edges` (source, target, label,
    unobserved, on_path) and `left_out` (how many nodes and edges are not drawn).
    """
    shown = graph.nodes[: max(1, limit)]
    edges = [edge for edge in graph.edges if max(edge.source, edge.target) < len(shown)]
    bundles = _bundles(edges)
    layout = layered_layout(
        {str(number): _extent(node, edges, number) for number, node in enumerate(shown)},
        ["0"],
        [
            LabelledEdge(
                str(bundle.source),
                str(bundle.target),
                True,
                Extent(_label_width(bundle), _LINE * len(bundle.lines) + 4, 5.0),
            )
            for bundle in bundles
        ],
    )
    left_out = {"nodes": len(graph.nodes) - len(shown), "edges": len(graph.edges) - len(edges)}
    shapes: list[Shape] = []
    for number, bundle in enumerate(bundles):
        shapes.append(_edge(bundle, number, layout, shown))
    for number, node in enumerate(shown):
        shapes.append(_node(node, _moved(layout.states[str(number)]), edges, number))
    width, height = layout.width + 2 * _MARGIN, layout.height + 2 * _MARGIN
    if any(left_out.values()):
        words = (
            f"{counted(left_out['nodes'], 'further node')} and "
            f"{counted(left_out['edges'], 'further edge')} not drawn"
        )
        shapes.append(Text(at=Point(_MARGIN, height + 4), content=words, colour=MUTED))
        width = max(width, text_width(words) + 2 * _MARGIN)
        height += _FOOT
    return Picture(
        drawing=Drawing(width=width, height=height, shapes=tuple(shapes), title=graph.title),
        structure={
            "nodes": [
                {
                    "lines": list(node.lines),
                    "said": node.said,
                    "outcome": node.outcome,
                    "layer": layout.layers[str(number)],
                }
                for number, node in enumerate(shown)
            ],
            "edges": [
                {
                    "source": edge.source,
                    "target": edge.target,
                    "label": edge.label,
                    "unobserved": edge.unobserved,
                    "on_path": edge.on_path,
                }
                for edge in edges
            ],
            "left_out": left_out,
        },
    )


def _bundles(edges: Sequence[GraphEdge]) -> list[_Bundle]:
    found: dict[tuple[int, int], list[GraphEdge]] = {}
    for edge in edges:
        if edge.source != edge.target:
            found.setdefault((edge.source, edge.target), []).append(edge)
    return [_Bundle(source, target, tuple(own)) for (source, target), own in found.items()]


def _label_width(bundle: _Bundle) -> float:
    return max(text_width(line, _SIZE, bold=True) for line in bundle.lines) + 10


def _written(node: GraphNode, edges: Sequence[GraphEdge], number: int) -> list[str]:
    """The lines in the box, without what the node says."""
    own = [edge.label for edge in edges if edge.source == edge.target == number]
    again = [f"back here by {label}" for label in own]
    return [shortened(line, _LONGEST_LINE) for line in (*node.lines, *again)]


def _extent(node: GraphNode, edges: Sequence[GraphEdge], number: int) -> Extent:
    lines = _written(node, edges, number)
    width = max(text_width(line, _SIZE, bold=not row) for row, line in enumerate((*lines, "")))
    width = max(width, text_width(node.said, _SIZE, bold=True)) + 2 * _PADDING
    half = (_LINE * (len(lines) + bool(node.said)) + 2 * _PADDING) / 2
    return Extent(width, half, half)


def _moved(point: Point) -> Point:
    return Point(point.x + _MARGIN, point.y + _MARGIN)


def _node(node: GraphNode, at: Point, edges: Sequence[GraphEdge], number: int) -> Group:
    extent = _extent(node, edges, number)
    colour = MUTED if node.outcome is None else _COLOUR[node.outcome]
    left, top = at.x - extent.width / 2, at.y - extent.up
    shapes: list[Shape] = [
        Box(
            at=Point(left, top),
            width=extent.width,
            height=2 * extent.up,
            corner=5,
            fill=PAPER,
            colour=colour,
            stroke=1.2 if node.outcome is None else 2.2,
        )
    ]
    y = top + _PADDING + 0.78 * _LINE
    for row, line in enumerate(_written(node, edges, number)):
        shapes.append(
            Text(
                at=Point(left + _PADDING, y),
                content=line,
                size=_SIZE,
                bold=not row,
                colour=INK if not row else MUTED,
            )
        )
        y += _LINE
    if node.said:
        shapes.append(
            Text(
                at=Point(left + _PADDING, y),
                content=node.said,
                size=_SIZE,
                bold=True,
                colour=colour,
            )
        )
    return Group(shapes=tuple(shapes), title=node.full)


def _edge(bundle: _Bundle, number: int, layout: Layout, nodes: Sequence[GraphNode]) -> Group:
    """From the right side of the source, below its label, to the left side of the target; an
    edge that leads back goes from left to right sides."""
    unobserved = all(edge.unobserved for edge in bundle.edges)
    on_path = any(edge.on_path for edge in bundle.edges)
    colour = CANCELS if unobserved else INK
    source, target = (layout.states[str(one)] for one in (bundle.source, bundle.target))
    heading = 1.0 if target.x > source.x else -1.0
    half = [
        _extent(nodes[one], bundle.edges, one).width / 2 for one in (bundle.source, bundle.target)
    ]
    label = layout.labels[number]
    start = Point(source.x + heading * half[0], source.y)
    end = Point(target.x - heading * half[1], target.y)
    points = [start]
    reach = _label_width(bundle) / 2
    for bend in (*layout.routes[number], end):
        width = reach if bend == label else 0.0
        entry, leave = (Point(bend.x + side * heading * width, bend.y) for side in (-1, 1))
        previous = points[-1]
        pull = heading * 0.5 * abs(entry.x - previous.x)
        points += [Point(previous.x + pull, previous.y), Point(entry.x - pull, entry.y), entry]
        if width:
            points += [entry, leave, leave]
    placed = tuple(map(_moved, points))
    line = Curve(points=placed, colour=colour, dashed=unobserved, width=2.6 if on_path else 1.3)
    head = arrowhead(placed[-1], direction(Point(0, 0), Point(heading, 0)), colour)
    at = _moved(label)
    texts = [
        Text(
            at=Point(at.x, at.y - 6 - _LINE * (len(bundle.lines) - 1 - row)),
            content=written,
            size=_SIZE,
            anchor="middle",
            bold=on_path,
            colour=colour,
            halo=True,
        )
        for row, written in enumerate(bundle.lines)
    ]
    return Group(shapes=(line, head, *texts), title="\n".join(edge.label for edge in bundle.edges))


def picture_of_search(graph: Graph, path: Sequence[PathStep] = ()) -> GraphPicture:
    """The graph that a search recorded. `path` is that of its result; where it leads through this
    graph, its edges are bold.

    Nodes say their number and interaction, how far each component is consumed and what is left
    of it, and the measure (lambda, alpha) of paper 001, section 5.1. Removed components are not
    among them.
    """
    on_path = _edges_of_path(graph, path)
    return GraphPicture(
        nodes=tuple(_node_of_vertex(graph, vertex) for vertex in graph.vertices),
        edges=tuple(
            GraphEdge(
                source=edge.source,
                target=edge.target,
                label=_step_in_words(edge),
                unobserved=edge.rule == "simulate",
                on_path=number in on_path,
            )
            for number, edge in enumerate(graph.edges)
        ),
        title=f"Graph of a search: {counted(len(graph.vertices), 'vertex', 'vertices')}, "
        f"{counted(len(graph.edges), 'edge')}",
    )


def _node_of_vertex(graph: Graph, vertex: Vertex) -> GraphNode:
    lines = [_abbreviated(vertex.number, vertex.interaction)]
    for number, part in enumerate(graph.multitrace.components):
        if number in vertex.removed or not part.actions:
            continue
        done = vertex.positions[number]
        left = ".".join(map(str, part.actions[done : done + _LONGEST_LINE]))
        lines.append(f"[{','.join(part.lifelines)}] {done}/{len(part.actions)} {left}".rstrip())
    if vertex.removed:
        gone = [
            name
            for number in vertex.removed
            for name in graph.multitrace.components[number].lifelines
        ]
        lines.append(f"removed: {', '.join(gone)}")
    if vertex.measure is not None:
        loops, actions = vertex.measure
        lines.append(f"λ = {loops}, α = {actions}")
    said: str = vertex.end or ""
    outcome = _OUTCOME_OF_END.get(said)
    if vertex.by_local_analysis:
        said = f"{said} by local analysis"
    elif not said and vertex.number in graph.cut:
        said, outcome = "cut off by a filter", "open"
    return GraphNode(lines=tuple(lines), said=said, outcome=outcome, full=_full(vertex.interaction))


def _abbreviated(number: int, interaction: Interaction) -> str:
    return f"{number}: {shortened(_full(interaction), _LONGEST_LINE - 6)}"


def _full(interaction: Interaction) -> str:
    """The text of an interaction that is not too large for a hint."""
    if interaction.size > 400:
        return f"an interaction of {counted(interaction.size, 'symbol')}"
    return text(interaction)


def _step_in_words(step: Edge | PathStep) -> str:
    if step.action is None:
        return step.rule
    at = "" if step.position is None else f"@{position_text(step.position)}"
    return f"{step.rule} {step.action}{at}"


def _edges_of_path(graph: Graph, path: Sequence[PathStep]) -> frozenset[int]:
    """The numbers of the edges that make up the path from the first vertex; none, where it does
    not lead through this graph as a whole."""
    leaving: dict[tuple[int, str], tuple[int, int]] = {
        (edge.source, _step_in_words(edge)): (number, edge.target)
        for number, edge in enumerate(graph.edges)
    }
    found: list[int] = []
    at = 0
    for step in path:
        edge = leaving.get((at, _step_in_words(step)))
        if edge is None:
            return frozenset()
        number, at = edge
        found.append(number)
    return frozenset(found)


def picture_of_exploration(exploration: Exploration) -> GraphPicture:
    """The execution tree, or what was explored of it: nodes say whether the path to them is an
    accepted trace, and where a filter cut something off."""
    return GraphPicture(
        nodes=tuple(
            GraphNode(
                lines=(
                    _abbreviated(node.number, node.interaction),
                    *sorted({f"cut off here: {one.filter}" for one in node.pruned}),
                ),
                said="accepted" if node.terminates else "",
                outcome="good" if node.terminates else None,
                full=_full(node.interaction),
            )
            for node in exploration.nodes
        ),
        edges=tuple(
            GraphEdge(
                source=node.parent,
                target=node.number,
                label=f"{node.action}@{position_text(node.position)}",
            )
            for node in exploration.nodes
            if node.parent is not None
        ),
        title=f"Execution tree: {counted(len(exploration.nodes), 'node')}",
    )
