"""Our layered layout beside Graphviz and grandalf, on graphs that searches visit.

    python -m benchmarks.layouts [--pictures FOLDER]

Needs `dot` (Graphviz) and grandalf, which choreomon does not: what one of them lacks is said. Each
draws the same boxes with the same labels at the edges; counted are seconds, the size of the drawing
and how many pairs of a label and a box, or of two labels, lie on each other.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from choreomon.core.action import parse_action
from choreomon.hibou.model import read_interaction
from choreomon.multitrace.multitrace import component, multi_trace
from choreomon.pictures.graphs.search_graph import GraphPicture
from choreomon.pictures.graphs.search_pictures import picture_of_exploration, picture_of_search
from choreomon.pictures.shapes.drawing import (
    INK,
    PAPER,
    Box,
    Drawing,
    Point,
    Polyline,
    Shape,
    Text,
    text_width,
)
from choreomon.pictures.shapes.layered_layout import Extent, LabelledEdge, layered_layout
from choreomon.pictures.shapes.svg import svg_document
from choreomon.verify.papers.engine import search
from choreomon.verify.papers.exploration import explore
from choreomon.verify.papers.heuristics import Filters
from choreomon.verify.papers.options import Options

ORDER = """
loopW(seq(customer -- order -> shop, seq(shop -- charge -> bank,
    alt(seq(bank -- yes -> shop, shop -- parcel -> customer),
        seq(bank -- no -> shop, shop -- sorry -> customer)))))
"""
LATE = {
    "customer": "customer!order customer?parcel",
    "shop": "shop?yes shop!parcel",
    "bank": "bank!yes",
}
HEIGHT, SIZE, BELOW = 28.0, 12.0, 60.0


class Rectangle(NamedTuple):
    """`x` and `y` are its middle."""

    x: float
    y: float
    width: float
    height: float

    def overlaps(self, other: Rectangle) -> bool:
        return (
            2 * abs(self.x - other.x) < self.width + other.width - 2
            and 2 * abs(self.y - other.y) < self.height + other.height - 2
        )


class Placed(NamedTuple):
    """Boxes by name, and labels with the ends of their edges."""

    boxes: dict[str, Rectangle]
    labels: list[tuple[str, str, str, Rectangle]]


class Graph(NamedTuple):
    nodes: dict[str, str]
    edges: list[tuple[str, str, str]]


def tree_of(nodes: int) -> Graph:
    """The execution tree of an interaction, breadth first."""
    filters = Filters(max_node_number=nodes)
    return graph_of(
        picture_of_exploration(explore(read_interaction(ORDER), strategy="bfs", filters=filters))
    )


def searched() -> Graph:
    """What is visited to find logs that began late: branches meet again there."""
    interaction = read_interaction(ORDER)
    logs = multi_trace(
        component([name], [parse_action(one) for one in actions.split()])
        for name, actions in LATE.items()
    )
    options = Options(strategy="bfs", goal=None, record=True)
    found = search(interaction, logs, "slice", options)
    assert found.graph is not None
    return graph_of(picture_of_search(found.graph))


def graph_of(drawn: GraphPicture) -> Graph:
    return Graph(
        {str(n): f"{one.lines[0][:30]}" for n, one in enumerate(drawn.nodes)},
        [(str(edge.source), str(edge.target), edge.label) for edge in drawn.edges],
    )


def width(text: str) -> float:
    return text_width(text, SIZE) + 10


def ours(graph: Graph) -> Placed:
    made = layered_layout(
        {n: Extent(HEIGHT, width(t) / 2, width(t) / 2) for n, t in graph.nodes.items()},
        ["0"],
        [
            LabelledEdge(one, other, True, Extent(18, width(t) / 2, width(t) / 2))
            for one, other, t in graph.edges
        ],
    )
    boxes = {
        n: Rectangle(at.y, at.x, width(graph.nodes[n]), HEIGHT) for n, at in made.states.items()
    }
    labels = [
        (*edge, Rectangle(at.y, at.x, width(edge[2]) - 10, 14))
        for edge, at in zip(graph.edges, made.labels, strict=True)
    ]
    return Placed(boxes, labels)


def graphviz(graph: Graph) -> Placed:
    """By `dot -Tplain`, whose units are inches."""
    lines = ["digraph { node [shape=box fixedsize=true] edge [fontsize=12]"]
    for name, text in graph.nodes.items():
        lines.append(f'{name} [width={width(text) / 72:.3f} height={HEIGHT / 72:.3f} label=""]')
    lines += [f'{one} -> {other} [label="{text}"]' for one, other, text in graph.edges]
    told = subprocess.run(
        ["dot", "-Tplain"],
        input="\n".join([*lines, "}"]),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    boxes: dict[str, Rectangle] = {}
    labels = []
    for line in told.splitlines():
        words = line.split()
        if words[0] == "node":
            x, y, wide, high = (72 * float(word) for word in words[2:6])
            boxes[words[1]] = Rectangle(x, -y, wide, high)
        elif words[0] == "edge":
            text, x, y = words[-5], float(words[-4]) * 72, -72 * float(words[-3])
            label = text.strip('"')
            labels.append((words[1], words[2], label, Rectangle(x, y, width(label) - 10, 14)))
    return Placed(boxes, labels)


def grandalf(graph: Graph) -> Placed:
    """Its edges have no labels: they stand in the middle of their edges, as its own examples do."""
    from grandalf.graphs import Edge, Vertex
    from grandalf.graphs import Graph as Whole
    from grandalf.layouts import SugiyamaLayout, VertexViewer

    made = {name: Vertex(name) for name in graph.nodes}
    for name, vertex in made.items():
        vertex.view = VertexViewer(width(graph.nodes[name]), HEIGHT)
    whole = Whole([*made.values()], [Edge(made[one], made[other]) for one, other, _ in graph.edges])
    layout = SugiyamaLayout(whole.C[0])
    layout.yspace = BELOW
    layout.init_all(roots=[made["0"]])
    layout.draw()
    boxes = {
        name: Rectangle(*vertex.view.xy, vertex.view.w, vertex.view.h)
        for name, vertex in made.items()
    }
    labels = []
    for one, other, text in graph.edges:
        (a, b) = boxes[one], boxes[other]
        middle = Rectangle((a.x + b.x) / 2, (a.y + b.y) / 2, width(text) - 10, 14)
        labels.append((one, other, text, middle))
    return Placed(boxes, labels)


def overlaps(placed: Placed) -> int:
    labels = [label for *_, label in placed.labels]
    return sum(one.overlaps(other) for one, other in combinations(labels, 2)) + sum(
        label.overlaps(box) for label in labels for box in placed.boxes.values()
    )


def picture(graph: Graph, placed: Placed, title: str) -> Drawing:
    """Boxes, straight edges and labels, where a layout has them."""
    everything = [*placed.boxes.values(), *(label for *_, label in placed.labels)]
    left = min(one.x - one.width / 2 for one in everything) - 10
    top = min(one.y - one.height / 2 for one in everything) - 10
    shapes: list[Shape] = []
    for one, other, text, at in placed.labels:
        a, b = placed.boxes[one], placed.boxes[other]
        points = tuple(
            Point(p.x - left, p.y - top)
            for p in (Point(a.x, a.y), Point(at.x, at.y), Point(b.x, b.y))
        )
        shapes.append(Polyline(points=points))
        words = Point(at.x - left, at.y - top + 4)
        shapes.append(Text(at=words, content=text, size=SIZE, anchor="middle", halo=True))
    for name, box in placed.boxes.items():
        corner = Point(box.x - box.width / 2 - left, box.y - box.height / 2 - top)
        words = Point(box.x - left, box.y - top + 4)
        shapes.append(
            Box(at=corner, width=box.width, height=box.height, fill=PAPER, colour=INK, stroke=1)
        )
        shapes.append(Text(at=words, content=graph.nodes[name], size=SIZE, anchor="middle"))
    right = max(one.x + one.width / 2 for one in everything) - left + 10
    bottom = max(one.y + one.height / 2 for one in everything) - top + 10
    return Drawing(width=right, height=bottom, shapes=tuple(shapes), title=title)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pictures", type=Path, help="write drawings of the smallest graph there")
    asked = parser.parse_args(arguments)
    layouts: dict[str, Callable[[Graph], Placed]] = {"choreomon": ours}
    if shutil.which("dot") is None:
        print("dot is not installed: Graphviz is left out")
    else:
        layouts["Graphviz"] = graphviz
    if find_spec("grandalf") is None:
        print("grandalf is not installed: it is left out")
    else:
        layouts["grandalf"] = grandalf
    print("| vertices | layout | seconds | width | height | overlaps |")
    print("|---:|---|---:|---:|---:|---:|")
    for graph in (*map(tree_of, (15, 60, 250)), searched()):
        nodes = len(graph.nodes)
        for name, layout in layouts.items():
            begin = time.perf_counter()
            placed = layout(graph)
            seconds = time.perf_counter() - begin
            drawn = picture(graph, placed, f"{nodes} vertices laid out by {name}")
            size = f"{drawn.width:,.0f} | {drawn.height:,.0f}"
            print(f"| {nodes} | {name} | {seconds:.2f} | {size} | {overlaps(placed)} |")
            if asked.pictures is not None and nodes == 15:
                asked.pictures.mkdir(parents=True, exist_ok=True)
                target = asked.pictures / f"layout-{name.lower()}.svg"
                target.write_text(svg_document(drawn), encoding="utf-8")


if __name__ == "__main__":
    main()
