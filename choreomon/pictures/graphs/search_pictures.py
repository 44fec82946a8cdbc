"""Graphs to be drawn of recorded searches and execution trees, with drawings of interactions for
their nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from choreomon.interaction.step import position_text
from choreomon.interaction.term import Interaction
from choreomon.interaction.written import written
from choreomon.pictures.graphs.search_graph import GraphEdge, GraphPicture
from choreomon.pictures.graphs.search_graph_node import GraphNode, Illustrate, Outcome, changed_text
from choreomon.pictures.interactions.sequence_diagram import sequence_diagram
from choreomon.pictures.interactions.sequence_diagram_parts import lifelines_of, parts_of
from choreomon.pictures.interactions.term_tree import term_tree
from choreomon.pictures.shapes.drawing import Drawing
from choreomon.sentences.wording import counted
from choreomon.verify.papers.exploration import Exploration, Node
from choreomon.verify.papers.graph import Edge, Graph, PathStep, Vertex

_MOST_LEFT: Final = 50
"""The most actions left of a component that are written out; a node has room for fewer."""

_MOST_SYMBOLS: Final = 400
"""The most symbols of an interaction that is written out."""

STUCK: Final = "no next action fits"
"""Words for the end `Out` of the papers."""

_OUTCOME_OF_END: Final[dict[str, Outcome]] = {
    "Cov": "good",
    "TooShort": "partly",
    "MultiPref": "partly",
    "Slice": "partly",
    "LackObs": "open",
    "OutSim": "open",
    STUCK: "bad",
}


def picture_of_search(
    graph: Graph, path: Sequence[PathStep] = (), *, local_analyses: bool = True
) -> GraphPicture:
    """The graph that a search recorded. `path` is that of its result; if it leads through this
    graph, its edges are bold. `local_analyses`: whether nodes report what these found.

    Nodes show their number and interaction, how far components are consumed and what is left of
    them, and the measure (lambda, alpha) of the slices paper, section 5.1. The first node and those
    at ends show all components that are not removed, others the components that the step to them
    consumed; the `full` text has all of them.
    """
    on_path = _edges_of_path(graph, path)
    before: dict[int, int] = {}
    for edge in graph.edges:
        if edge.source < edge.target:
            before[edge.target] = min(edge.source, before.get(edge.target, edge.source))
    return GraphPicture(
        nodes=tuple(
            _node_of_vertex(
                graph,
                vertex,
                graph.vertices[before[vertex.number]] if vertex.number in before else None,
                local_analyses,
            )
            for vertex in graph.vertices
        ),
        edges=tuple(
            GraphEdge(
                source=edge.source,
                target=edge.target,
                label=_step_in_words(edge),
                position=_position(edge),
                unobserved=edge.rule == "simulate",
                on_path=number in on_path,
                signs=_signs_of_step(edge, on_path=number in on_path),
            )
            for number, edge in enumerate(graph.edges)
        ),
        title=f"Graph of a search: {counted(len(graph.vertices), 'vertex', 'vertices')}, "
        f"{counted(len(graph.edges), 'edge')}",
    )


def _signs_of_step(edge: Edge, *, on_path: bool) -> tuple[str, ...]:
    signs: list[str] = [edge.rule]
    if on_path:
        signs.append("bold arrow")
    return tuple(signs)


def _node_of_vertex(
    graph: Graph, vertex: Vertex, before: Vertex | None, local_analyses: bool
) -> GraphNode:
    """The node of a vertex. `before` is a vertex from which a step leads here, None for the first
    one."""
    signs: list[str] = []
    logs = _logs(graph, vertex)
    shown = logs
    if before is not None and vertex.end is None and vertex.number not in graph.cut:
        shown = {
            at: log for at, log in logs.items() if vertex.positions[at] != before.positions[at]
        }
    lines = [f"{vertex.number}: {_full(vertex.interaction)}", *shown.values()]
    if shown:
        signs.append("k/n")
    if vertex.removed:
        gone = [
            name
            for number in vertex.removed
            for name in graph.multitrace.components[number].lifelines
        ]
        lines.append(f"removed: {', '.join(gone)}")
        signs.append("removed")
    if vertex.measure is not None:
        loops, actions = vertex.measure
        lines.append(f"λ = {loops}, α = {actions}")
        signs.append("λ, α")
    said: str = vertex.end or ""
    if said == "Out" or (said == "OutSim" and vertex.measure is None):
        said = STUCK  # "OutSim" without measures: nothing bounded what was simulated
    outcome = _OUTCOME_OF_END.get(said)
    if not said and vertex.number in graph.cut:
        said, outcome = "cut off by a filter", "open"
    if said:
        signs.append(said)
    if vertex.by_local_analysis and local_analyses:
        said = f"{said} by local analysis"
        signs.append("by local analysis")
    return GraphNode(
        lines=tuple(lines),
        said=said,
        outcome=outcome,
        brief=_brief(vertex, before),
        full="\n".join((_full(vertex.interaction), *logs.values())),
        interaction=vertex.interaction,
        signs=tuple(signs),
    )


def _logs(graph: Graph, vertex: Vertex) -> dict[int, str]:
    """The consumed and remaining part of each component, by number, except empty or removed
    ones."""
    logs: dict[int, str] = {}
    for number, part in enumerate(graph.multitrace.components):
        if number in vertex.removed or not part.actions:
            continue
        done = vertex.positions[number]
        left = ".".join(map(str, part.actions[done : done + _MOST_LEFT]))
        words = f"[{','.join(part.lifelines)}] {done}/{len(part.actions)} {left}"
        logs[number] = words.rstrip()
    return logs


def _brief(here: Vertex | Node, before: Vertex | Node | None) -> str:
    """The text that a node shows of an interaction that is too long for it."""
    if before is None or here.interaction.size > _MOST_SYMBOLS:
        return ""
    return f"{here.number}: {changed_text(here.interaction, before.interaction)}"


def _full(interaction: Interaction) -> str:
    """The text of an interaction, unless it is too large for that."""
    if interaction.size > _MOST_SYMBOLS:
        return f"an interaction of {counted(interaction.size, 'symbol')}"
    return written(interaction)


def _step_in_words(step: Edge | PathStep) -> str:
    if step.action is None:
        return step.rule
    return f"{step.rule} {step.action}"


def _position(step: Edge | PathStep) -> str:
    return "" if step.position is None else f"@{position_text(step.position)}"


def _edges_of_path(graph: Graph, path: Sequence[PathStep]) -> frozenset[int]:
    """The numbers of the edges of the path from the first vertex; none unless the whole path leads
    through this graph."""
    leaving: dict[tuple[int, str], tuple[int, int]] = {
        (edge.source, _step_in_words(edge) + _position(edge)): (number, edge.target)
        for number, edge in enumerate(graph.edges)
    }
    found: list[int] = []
    at = 0
    for step in path:
        edge = leaving.get((at, _step_in_words(step) + _position(step)))
        if edge is None:
            return frozenset()
        number, at = edge
        found.append(number)
    return frozenset(found)


def picture_of_exploration(exploration: Exploration) -> GraphPicture:
    """The explored part of the execution tree: nodes tell whether the path to them is an accepted
    trace, and where a filter cut something off."""
    nodes = exploration.nodes
    return GraphPicture(
        nodes=tuple(
            GraphNode(
                lines=(
                    f"{node.number}: {_full(node.interaction)}",
                    *sorted({f"cut off here: {one.filter}" for one in node.pruned}),
                ),
                said="accepted" if node.terminates else "",
                outcome="good" if node.terminates else None,
                brief=_brief(node, None if node.parent is None else nodes[node.parent]),
                full=_full(node.interaction),
                interaction=node.interaction,
                signs=(
                    *(("cut off here",) if node.pruned else ()),
                    *(("accepted",) if node.terminates else ()),
                ),
            )
            for node in nodes
        ),
        edges=tuple(
            GraphEdge(
                source=node.parent,
                target=node.number,
                label=str(node.action),
                position=f"@{position_text(node.position)}",
            )
            for node in nodes
            if node.parent is not None
        ),
        title=f"Execution tree: {counted(len(nodes), 'node')}",
    )


def illustrations(
    root: Interaction, *, sequence_diagrams: bool, term_trees: bool
) -> Illustrate | None:
    """Draws interactions of a graph that begins with `root`, as a sequence diagram, as the tree of
    its term, or both; None for neither. All sequence diagrams have all lifelines of the root, even
    ended ones. Equal interactions are drawn once. It raises ChoreomonError for interactions that
    are too large for such a picture, and so does the function that it returns.
    """
    if not sequence_diagrams and not term_trees:
        return None
    lifelines = lifelines_of(parts_of(root), ()) if sequence_diagrams else ()
    drawn: dict[Interaction, tuple[Drawing, ...]] = {}

    def illustrate(interaction: Interaction) -> tuple[Drawing, ...]:
        known = drawn.get(interaction)
        if known is None:
            pictures = []
            if sequence_diagrams:
                pictures.append(sequence_diagram(interaction, lifelines=lifelines))
            if term_trees:
                pictures.append(term_tree(interaction))
            known = drawn[interaction] = tuple(picture.drawing for picture in pictures)
        return known

    return illustrate
