"""What an analysis or an exploration visited, as a picture in layers from the top to the bottom,
or from left to right.

The papers on interactions draw such graphs (the slices paper, Fig. 4, 5 and 7): at every vertex the
interaction and what is left of the multi-trace, at every edge the rule and the action at its
position. A `GraphPicture` is what is drawn, whatever search it comes from;
`choreomon.render.search_pictures` makes one of a recorded search and of an execution tree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from choreomon.interaction.term import Interaction
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
    folded,
    moved,
    shortened,
    text_width,
)
from choreomon.render.layered_layout import Extent, LabelledEdge, Layout, layered_layout
from choreomon.render.wording import counted

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
_SIZE: Final = 12.0
_LINE: Final = 16.0
_PADDING: Final = 8.0
_MARGIN: Final = 20.0
_INDENT: Final = 12.0
_FOOT: Final = 26.0

LONGEST_LINE: Final = 44
"""Characters. Longer lines of nodes are folded; of labels of edges the middle is left out."""
MOST_ROWS: Final = 6
"""Of the first line of a node, which is its interaction; the rest is in its `full` text."""
MOST_ROWS_BELOW: Final = 3
"""Of each other line of it."""

Illustrate: TypeAlias = Callable[[Interaction], tuple[Drawing, ...]]
"""The drawings that go with the text of a node, by its interaction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphNode:
    """A vertex: its lines of text, and what it says about the answer. `said` is empty where
    `outcome` is None. `full` is the text that is shown where the pointer rests on it.
    `interaction` is what illustrations of the node show; None: nothing."""

    lines: tuple[str, ...]
    said: str = ""
    outcome: Outcome | None = None
    full: str = ""
    interaction: Interaction | None = None


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
        return tuple(shortened(edge.label, LONGEST_LINE) for edge in self.edges)


class _Row(NamedTuple):
    """A line of a node, or a piece of one; `indent` is that of the pieces behind the first."""

    content: str
    bold: bool
    indent: float

    @property
    def width(self) -> float:
        return self.indent + text_width(self.content, _SIZE, bold=self.bold)


class _Node(NamedTuple):
    """A node that is drawn, with the size of its box."""

    node: GraphNode
    rows: tuple[_Row, ...]
    drawings: tuple[Drawing, ...]
    width: float
    height: float


class _Way(NamedTuple):
    """Which way the layers follow each other. Layouts are from left to right, `along` their width
    and across their height; where the picture is `vertical`, it is the layout turned."""

    vertical: bool

    def extent(self, width: float, height: float) -> Extent:
        along, across = (height, width) if self.vertical else (width, height)
        return Extent(along, across / 2, across / 2)

    def along(self, node: _Node) -> float:
        return node.height if self.vertical else node.width

    def placed(self, point: Point) -> Point:
        x, y = (point.y, point.x) if self.vertical else point
        return Point(x + _MARGIN, y + _MARGIN)


def graph_svg(
    graph: GraphPicture,
    *,
    limit: int = MAX_NODES,
    vertical: bool = True,
    illustrate: Illustrate | None = None,
    legend: Sequence[str] = (),
) -> Picture:
    """The graph; of more than `limit` nodes (at least 1) the first ones, and the picture says how
    many it leaves out. `vertical` graphs grow from the top to the bottom, others from left to
    right. `illustrate` draws what nodes show below their text, and `legend` are lines that stand
    below the graph.

    `structure` has `nodes` (lines, said, outcome, layer, and what their `drawings` are called),
    `edges` (source, target, label, unobserved, on_path), `left_out` (how many nodes and edges are
    not drawn), `layout` ("vertical" or "horizontal") and `legend`.
    """
    way = _Way(vertical)
    chosen = graph.nodes[: max(1, limit)]
    edges = [edge for edge in graph.edges if max(edge.source, edge.target) < len(chosen)]
    bundles = _bundles(edges)
    shown = [_measured(node, edges, number, illustrate) for number, node in enumerate(chosen)]
    layout = layered_layout(
        {str(number): way.extent(node.width, node.height) for number, node in enumerate(shown)},
        ["0"],
        [
            LabelledEdge(str(bundle.source), str(bundle.target), True, _label(bundle, way))
            for bundle in bundles
        ],
    )
    left_out = {"nodes": len(graph.nodes) - len(shown), "edges": len(graph.edges) - len(edges)}
    shapes: list[Shape] = []
    for number, bundle in enumerate(bundles):
        shapes.append(_edge(bundle, number, layout, shown, way))
    for number, node in enumerate(shown):
        shapes.append(_node(node, way.placed(layout.states[str(number)])))
    size = (layout.height, layout.width) if vertical else (layout.width, layout.height)
    width, height = (one + 2 * _MARGIN for one in size)
    foot = list(legend)
    if any(left_out.values()):
        foot.append(
            f"{counted(left_out['nodes'], 'further node')} and "
            f"{counted(left_out['edges'], 'further edge')} not drawn"
        )
    for words in foot:
        shapes.append(Text(at=Point(_MARGIN, height + 4), content=words, colour=MUTED))
        width = max(width, text_width(words) + 2 * _MARGIN)
        height += _FOOT
    return Picture(
        drawing=Drawing(width=width, height=height, shapes=tuple(shapes), title=graph.title),
        structure={
            **_structure(shown, edges, layout),
            "left_out": left_out,
            "layout": "vertical" if vertical else "horizontal",
            "legend": list(legend),
        },
    )


def _structure(
    nodes: Sequence[_Node], edges: Sequence[GraphEdge], layout: Layout
) -> dict[str, Any]:
    """The nodes and edges that are drawn, as `graph_svg` says."""
    return {
        "nodes": [
            {
                "lines": list(one.node.lines),
                "said": one.node.said,
                "outcome": one.node.outcome,
                "layer": layout.layers[str(number)],
                "drawings": [drawing.title for drawing in one.drawings],
            }
            for number, one in enumerate(nodes)
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
    }


def _bundles(edges: Sequence[GraphEdge]) -> list[_Bundle]:
    found: dict[tuple[int, int], list[GraphEdge]] = {}
    for edge in edges:
        if edge.source != edge.target:
            found.setdefault((edge.source, edge.target), []).append(edge)
    return [_Bundle(source, target, tuple(own)) for (source, target), own in found.items()]


def _label_width(bundle: _Bundle) -> float:
    return max(text_width(line, _SIZE, bold=True) for line in bundle.lines) + 10


def _label(bundle: _Bundle, way: _Way) -> Extent:
    """Room for the text, above the line or, where that is vertical, on it."""
    width, height = _label_width(bundle), _LINE * len(bundle.lines) + 4
    return way.extent(width, height) if way.vertical else Extent(width, height, 5.0)


def _measured(
    node: GraphNode, edges: Sequence[GraphEdge], number: int, illustrate: Illustrate | None
) -> _Node:
    own = [edge.label for edge in edges if edge.source == edge.target == number]
    again = [f"back here by {label}" for label in own]
    rows = tuple(
        _Row(piece, bold=not line, indent=_INDENT if later else 0.0)
        for line, content in enumerate((*node.lines, *again))
        for later, piece in enumerate(
            folded(content, LONGEST_LINE, MOST_ROWS_BELOW if line else MOST_ROWS)
        )
    )
    drawings: tuple[Drawing, ...] = ()
    if illustrate is not None and node.interaction is not None:
        drawings = illustrate(node.interaction)
    words = [row.width for row in rows] + [text_width(node.said, _SIZE, bold=True)]
    width = max(*words, *(drawing.width for drawing in drawings))
    height = _LINE * (len(rows) + bool(node.said)) + sum(drawing.height for drawing in drawings)
    return _Node(node, rows, drawings, width + 2 * _PADDING, height + 2 * _PADDING)


def _node(measured: _Node, at: Point) -> Group:
    node = measured.node
    colour = MUTED if node.outcome is None else _COLOUR[node.outcome]
    left, top = at.x - measured.width / 2, at.y - measured.height / 2
    shapes: list[Shape] = [
        Box(
            at=Point(left, top),
            width=measured.width,
            height=measured.height,
            corner=5,
            fill=PAPER,
            colour=colour,
            stroke=1.2 if node.outcome is None else 2.2,
        )
    ]
    y = top + _PADDING + 0.78 * _LINE
    for row in measured.rows:
        shapes.append(
            Text(
                at=Point(left + _PADDING + row.indent, y),
                content=row.content,
                size=_SIZE,
                bold=row.bold,
                colour=INK if row.bold else MUTED,
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
        y += _LINE
    y -= 0.78 * _LINE
    for drawing in measured.drawings:
        own = tuple(moved(shape, left + _PADDING, y) for shape in drawing.shapes)
        shapes.append(Group(shapes=own, title=drawing.title))
        y += drawing.height
    return Group(shapes=tuple(shapes), title=node.full)


def _edge(bundle: _Bundle, number: int, layout: Layout, nodes: Sequence[_Node], way: _Way) -> Group:
    """From the far side of the source, below its label, to the near side of the target; an
    edge that leads back goes from near to far sides."""
    unobserved = all(edge.unobserved for edge in bundle.edges)
    on_path = any(edge.on_path for edge in bundle.edges)
    colour = CANCELS if unobserved else INK
    source, target = (layout.states[str(one)] for one in (bundle.source, bundle.target))
    heading = 1.0 if target.x > source.x else -1.0
    half = [way.along(nodes[one]) / 2 for one in (bundle.source, bundle.target)]
    label = layout.labels[number]
    start = Point(source.x + heading * half[0], source.y)
    end = Point(target.x - heading * half[1], target.y)
    points = [start]
    reach = _label(bundle, way).width / 2
    for bend in (*layout.routes[number], end):
        width = reach if bend == label else 0.0
        entry, leave = (Point(bend.x + side * heading * width, bend.y) for side in (-1, 1))
        previous = points[-1]
        pull = heading * 0.5 * abs(entry.x - previous.x)
        points += [Point(previous.x + pull, previous.y), Point(entry.x - pull, entry.y), entry]
        if width:
            points += [entry, leave, leave]
    placed = tuple(map(way.placed, points))
    line = Curve(points=placed, colour=colour, dashed=unobserved, width=2.6 if on_path else 1.3)
    ahead = Point(0, heading) if way.vertical else Point(heading, 0)
    head = arrowhead(placed[-1], direction(Point(0, 0), ahead), colour)
    at = way.placed(label)
    # The lowest line: above the edge, or such that all lines are around the middle of it.
    lowest = at.y + (_LINE * (len(bundle.lines) - 1) / 2 + 4 if way.vertical else -6)
    texts = [
        Text(
            at=Point(at.x, lowest - _LINE * (len(bundle.lines) - 1 - row)),
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
