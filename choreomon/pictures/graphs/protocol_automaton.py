"""The automaton of a protocol as a picture in layers, breadth first from its beginning."""

from __future__ import annotations

from typing import Final

from choreomon.automata.automaton import Automaton, members
from choreomon.pictures.graphs.search_graph import GraphEdge, GraphPicture, graph_svg
from choreomon.pictures.graphs.search_graph_node import GraphNode
from choreomon.pictures.shapes.drawing import Picture
from choreomon.sentences.wording import counted

MAX_STATES: Final = 150
"""The most states drawn, those nearest to the beginning; larger automata also show the number of
the others."""


def protocol_picture(automaton: Automaton, name: str = "", *, vertical: bool = False) -> Picture:
    """The states with their numbers, final ones in bold frames; the letters between two states are
    stacked at one arrow, letters that lead back to their state are written in it. Unreachable
    states are not drawn. Several initial states follow one box, `start`. `structure` is that of
    `choreomon.pictures.graphs.search_graph.graph_svg`.
    """
    order = _breadth_first(automaton)
    starts = [*members(automaton.initial)]
    ahead = int(len(starts) > 1)
    place = {state: number + ahead for number, state in enumerate(order)}
    nodes = [GraphNode(lines=("start",))] * ahead
    edges = [GraphEdge(source=0, target=place[state], label="") for state in starts * ahead]
    for state in order:
        final = bool(automaton.final >> state & 1)
        nodes.append(
            GraphNode(
                lines=(str(state), "initial") if state in starts else (str(state),),
                said="final" if final else "",
                outcome="good" if final else None,
            )
        )
        back: list[str] = []
        for number in automaton.outgoing[state]:
            _, letter, target = automaton.edges[number]
            label = str(automaton.letters[letter])
            if target == state:
                back.append(label)
            else:
                edges.append(GraphEdge(source=place[state], target=place[target], label=label))
        if back:
            here = place[state]
            edges.append(GraphEdge(source=here, target=here, label=", ".join(back)))
    legend = []
    if missing := automaton.states - len(order):
        legend.append(f"{counted(missing, 'state')} that nothing leads to: not drawn")
    title = (
        f"Automaton{f' of {name}' if name else ''}: {counted(automaton.states, 'state')}, "
        f"{counted(len(automaton.edges), 'edge')}, {counted(len(automaton.letters), 'letter')}"
    )
    graph = GraphPicture(nodes=tuple(nodes), edges=tuple(edges), title=title)
    return graph_svg(graph, limit=MAX_STATES + ahead, vertical=vertical, legend=legend)


def _breadth_first(automaton: Automaton) -> list[int]:
    """The states that can be reached, the nearest ones first."""
    found = dict.fromkeys(members(automaton.initial))
    order = [*found]
    for state in order:  # which grows meanwhile
        for number in automaton.outgoing[state]:
            target = automaton.edges[number].target
            if target not in found:
                found[target] = None
                order.append(target)
    return order
