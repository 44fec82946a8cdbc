"""A large graph as an outline: a row for each node, below and to the right of the one it is reached
from.

In layers a tree of 500 nodes is many screens wide, with arrows across all of them. As an outline it
is one screen wide, and is read downwards like a table of contents. Where a further edge leads to a
node, a row in its place says where the node stands.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from choreomon.pictures.graphs.search_graph_node import TEXT_SIZE, MeasuredNode, drawn_node
from choreomon.pictures.shapes.drawing import (
    CANCELS,
    INK,
    MUTED,
    Group,
    Point,
    Polyline,
    Shape,
    Text,
    arrowhead,
    middle_of_line,
    text_width,
)

_STEP: Final = 12.0
_BRANCH: Final = 30.0
_BETWEEN: Final = 9.0
_ARROW: Final = 26.0
_REFERENCE: Final = 22.0


class OutlineEdge(NamedTuple):
    """An edge, or several between the same two nodes; `label` is written on it, `title` is shown
    where the pointer rests on it."""

    source: int
    target: int
    label: str
    title: str
    unobserved: bool
    on_path: bool


class Outline(NamedTuple):
    """The shapes, the room that they need, and the layer of each node: here its distance in edges
    from the first one, in `search_graph` the layer of `layered_layout`."""

    shapes: tuple[Shape, ...]
    width: float
    height: float
    depths: Mapping[int, int]


class _Row(NamedTuple):
    """A node reached by an edge, which comes from `begin`; the first one by none."""

    node: int
    left: float
    edge: OutlineEdge | None
    begin: Point


def outline(nodes: Sequence[MeasuredNode], edges: Sequence[OutlineEdge], at: Point) -> Outline:
    """The outline with its upper left corner `at` a point. Every node but the first is reached from
    the first; it stands below the first edge to it, depth first."""
    leaving: dict[int, list[OutlineEdge]] = {}
    for edge in edges:
        leaving.setdefault(edge.source, []).append(edge)
    shapes: list[Shape] = []
    boxes: list[Shape] = []
    taken: set[int] = set()
    y, right = at.y, at.x
    pending = [_Row(0, at.x, None, at)]
    while pending:
        row = pending.pop()
        stands = row.node not in taken
        taken.add(row.node)
        box = nodes[row.node]
        height = box.height if stands else _REFERENCE
        middle = y + height / 2
        left = row.left
        if row.edge is not None:
            left = row.left + _ARROW + text_width(row.edge.label, TEXT_SIZE, bold=True) + 12
            shapes.append(_arrow(row, row.edge, left, middle))
        if stands:
            boxes.append(drawn_node(box, Point(left + box.width / 2, middle)))
            right = max(right, left + box.width)
            own = leaving.get(row.node, [])
            indent = _STEP if len(own) == 1 else _BRANCH
            begin = Point(row.left + 6, y + height if row.edge is None else middle)
            pending += [_Row(edge.target, row.left + indent, edge, begin) for edge in reversed(own)]
        else:
            words = f"see {box.node.lines[0].partition(':')[0]}"
            boxes.append(
                Text(
                    at=Point(left, middle_of_line(middle, TEXT_SIZE)),
                    content=words,
                    size=TEXT_SIZE,
                    colour=MUTED,
                )
            )
            right = max(right, left + text_width(words, TEXT_SIZE))
        y += height + _BETWEEN
    return Outline((*shapes, *boxes), right - at.x, y - _BETWEEN - at.y, _distances(leaving))


def _distances(leaving: Mapping[int, Sequence[OutlineEdge]]) -> dict[int, int]:
    """The distance of each node from the first one, in edges."""
    distances = {0: 0}
    pending = deque([0])
    while pending:
        node = pending.popleft()
        for edge in leaving.get(node, ()):
            if edge.target not in distances:
                distances[edge.target] = distances[node] + 1
                pending.append(edge.target)
    return distances


def _arrow(row: _Row, edge: OutlineEdge, end: float, y: float) -> Group:
    """The arrow down from the row of the parent, and to the right, with the label on it."""
    colour = CANCELS if edge.unobserved else INK
    width = text_width(edge.label, TEXT_SIZE, bold=True)
    # The line has a gap for its label: a halo would leave it between the words.
    at, behind = row.left + _ARROW - 12, row.left + _ARROW + width - 4
    pieces = (
        (row.begin, Point(row.begin.x, y), Point(at if edge.label else behind, y)),
        (Point(behind, y), Point(end - 4, y)),
    )
    lines = [
        Polyline(
            points=points,
            colour=colour,
            dashed=edge.unobserved,
            width=2.6 if edge.on_path else 1.2,
        )
        for points in pieces
    ]
    label = Text(
        at=Point(row.left + _ARROW - 8, middle_of_line(y, TEXT_SIZE)),
        content=edge.label,
        size=TEXT_SIZE,
        bold=edge.on_path,
        colour=colour,
    )
    return Group(shapes=(*lines, arrowhead(Point(end, y), 0.0, colour), label), title=edge.title)
