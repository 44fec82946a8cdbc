"""Pictures of what an analysis or an exploration visited, in layers from the top to the bottom, or
from left to right.

The papers on interactions draw such graphs (the slices paper, Fig. 4, 5 and 7): at every vertex the
interaction and what is left of the multi-trace, at every edge the rule and the action at its
position. A `GraphPicture` holds what is drawn, whatever search it comes from;
`choreomon.pictures.graphs.search_pictures` makes one of a recorded search and of an execution tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from choreomon.pictures.graphs.graph_outline import Outline, OutlineEdge, outline
from choreomon.pictures.graphs.search_graph_node import (
    LINE,
    LONGEST_LINE,
    TEXT_SIZE,
    GraphNode,
    Illustrate,
    MeasuredNode,
    drawn_node,
    measured_node,
)
from choreomon.pictures.graphs.search_legend import drawn_legend, explained
from choreomon.pictures.shapes.drawing import (
    CANCELS,
    INK,
    Curve,
    Drawing,
    Group,
    Picture,
    Point,
    Text,
    arrowhead,
    direction,
    shortened,
    text_width,
)
from choreomon.pictures.shapes.layered_layout import Extent, LabelledEdge, Layout, layered_layout
from choreomon.pictures.shapes.wrapped_strip import Strip, wrapped_strip
from choreomon.sentences.wording import counted

MAX_NODES: Final = 500
"""The most nodes drawn, those visited first; larger graphs also show the number of the others."""

MANY_NODES: Final = 60
"""A graph with more nodes, drawn in layers, is larger than any screen."""

_MARGIN: Final = 20.0
_WIDEST: Final = 1700.0
"""Wider layers of a vertical graph are wrapped."""
_LONGEST: Final = 1300.0
"""The greatest length of a horizontal graph; longer ones go on in a row below."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphEdge:
    """A step from one node to another, by their places in `GraphPicture.nodes`. `unobserved` steps
    are dashed, those `on_path` bold. `position`: the place in the term, shown where the pointer
    rests on the edge. `signs` are the words in it that a glossary may explain."""

    source: int
    target: int
    label: str
    position: str = ""
    unobserved: bool = False
    on_path: bool = False
    signs: tuple[str, ...] = ()

    @property
    def full(self) -> str:
        return self.label + self.position


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphPicture:
    """A graph to be drawn. Every node but the first is reached by an edge from an earlier one."""

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    title: str


class _Bundle(NamedTuple):
    """The edges from one node to another."""

    source: int
    target: int
    edges: tuple[GraphEdge, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(shortened(edge.label, LONGEST_LINE) for edge in self.edges)

    @property
    def title(self) -> str:
        return "\n".join(edge.full for edge in self.edges)


class _Way(NamedTuple):
    """The direction in which layers follow each other. Layouts are from left to right, `along`
    their width and across their height; where the picture is `vertical`, it is the layout
    turned."""

    vertical: bool

    def extent(self, width: float, height: float) -> Extent:
        along, across = (height, width) if self.vertical else (width, height)
        return Extent(along, across / 2, across / 2)

    def along(self, node: MeasuredNode) -> float:
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
    glossary: Mapping[str, str] = MappingProxyType({}),
) -> Picture:
    """The picture of a graph; of more than `limit` nodes (at least 1) the first ones, and it says
    how many it leaves out. `vertical` graphs grow from the top to the bottom, others from left to
    right; vertical ones of more than `MANY_NODES` are an outline (`graph_outline`). `illustrate`
    draws what nodes show below their text, and the lines of the `legend` stand below the graph.
    Below these stand the words of the `glossary` that occur in the picture, with their meanings.

    `structure` has `nodes` (lines, said, outcome, layer, and what their `drawings` are called),
    `edges` (source, target, label, unobserved, on_path), `left_out` (how many nodes and edges are
    not drawn), `layout` ("vertical", "horizontal" or "outline"), `legend` and `glossary` (the words
    explained).
    """
    # A search may be stopped before its first vertex.
    nodes = graph.nodes or (GraphNode(lines=("nothing was visited",)),)
    chosen = nodes[: max(1, limit)]
    edges = [edge for edge in graph.edges if max(edge.source, edge.target) < len(chosen)]
    many = len(chosen) > MANY_NODES and vertical and illustrate is None
    shown = [
        measured_node(node, _back_to(number, edges), illustrate, *((1, 1) if many else ()))
        for number, node in enumerate(chosen)
    ]
    left_out = {"nodes": len(nodes) - len(shown), "edges": len(graph.edges) - len(edges)}
    made = (_in_rows if many else _in_layers)(shown, _bundles(edges), _Way(vertical))
    shapes = [*made.shapes]
    width, height = made.width + 2 * _MARGIN, made.height + 2 * _MARGIN
    foot = list(legend)
    if any(left_out.values()):
        foot.append(
            f"{counted(left_out['nodes'], 'further node')} and "
            f"{counted(left_out['edges'], 'further edge')} not drawn"
        )
    signs = {sign for node in shown for sign in node.signs}
    words = explained(glossary, signs.union(*(edge.signs for edge in edges)))
    if foot or words:
        below = drawn_legend(foot, words, Point(_MARGIN, height), width - 2 * _MARGIN)
        shapes += below.shapes
        width = max(width, below.width + 2 * _MARGIN)
        height += below.height + _MARGIN
    return Picture(
        drawing=Drawing(width=width, height=height, shapes=tuple(shapes), title=graph.title),
        structure={
            **_structure(shown, edges, made.depths),
            "left_out": left_out,
            "layout": "outline" if many else "vertical" if vertical else "horizontal",
            "legend": list(legend),
            "glossary": words,
        },
    )


def _in_layers(nodes: Sequence[MeasuredNode], bundles: Sequence[_Bundle], way: _Way) -> Outline:
    layout = layered_layout(
        {str(number): way.extent(node.width, node.height) for number, node in enumerate(nodes)},
        ["0"],
        [
            LabelledEdge(str(bundle.source), str(bundle.target), True, _label(bundle, way))
            for bundle in bundles
        ],
        _WIDEST if way.vertical else None,
    )
    drawn = [
        *(_edge(bundle, number, layout, nodes, way) for number, bundle in enumerate(bundles)),
        *(
            drawn_node(node, way.placed(layout.states[str(number)]))
            for number, node in enumerate(nodes)
        ),
    ]
    depths = {int(one): at for one, at in layout.layers.items()}
    if way.vertical:
        return Outline(tuple(drawn), layout.height, layout.width, depths)
    strip = Strip(tuple(drawn), _MARGIN + layout.width, layout.height)
    rows = wrapped_strip(strip, _MARGIN, _LONGEST).strip
    return Outline(rows.shapes, rows.width - _MARGIN, rows.height, depths)


def _in_rows(nodes: Sequence[MeasuredNode], bundles: Sequence[_Bundle], _: _Way) -> Outline:
    edges = [
        OutlineEdge(
            bundle.source,
            bundle.target,
            ", ".join(bundle.lines),
            bundle.title,
            all(edge.unobserved for edge in bundle.edges),
            any(edge.on_path for edge in bundle.edges),
        )
        for bundle in bundles
    ]
    return outline(nodes, edges, Point(_MARGIN, _MARGIN))


def _structure(
    nodes: Sequence[MeasuredNode], edges: Sequence[GraphEdge], depths: Mapping[int, int]
) -> dict[str, Any]:
    """The nodes and edges that are drawn, as `graph_svg` says."""
    return {
        "nodes": [
            {
                "lines": list(one.node.lines),
                "said": one.node.said,
                "outcome": one.node.outcome,
                "layer": depths[number],
                "drawings": [drawing.title for drawing in one.drawings],
            }
            for number, one in enumerate(nodes)
        ],
        "edges": [
            {
                "source": edge.source,
                "target": edge.target,
                "label": edge.full,
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


def _back_to(number: int, edges: Sequence[GraphEdge]) -> list[str]:
    """The labels of the edges from a node to itself."""
    return [edge.label for edge in edges if edge.source == edge.target == number]


def _label_width(bundle: _Bundle) -> float:
    return max(text_width(line, TEXT_SIZE, bold=True) for line in bundle.lines) + 10


def _label(bundle: _Bundle, way: _Way) -> Extent:
    """Room for the text, above the line or, where that is vertical, on it."""
    width, height = _label_width(bundle), LINE * len(bundle.lines) + 4
    return way.extent(width, height) if way.vertical else Extent(width, height, 5.0)


def _edge(
    bundle: _Bundle, number: int, layout: Layout, nodes: Sequence[MeasuredNode], way: _Way
) -> Group:
    """Draw an edge from the far side of its source, below its label, to the near side of its
    target; an edge that leads back goes from near to far sides."""
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
    # The lowest line: above the edge, or such that the lines are centred on it.
    lowest = at.y + (LINE * (len(bundle.lines) - 1) / 2 + 4 if way.vertical else -6)
    texts = [
        Text(
            at=Point(at.x, lowest - LINE * (len(bundle.lines) - 1 - row)),
            content=written,
            size=TEXT_SIZE,
            anchor="middle",
            bold=on_path,
            colour=colour,
            halo=True,
        )
        for row, written in enumerate(bundle.lines)
    ]
    return Group(shapes=(line, head, *texts), title=bundle.title)
