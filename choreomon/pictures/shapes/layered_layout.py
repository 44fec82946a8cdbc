"""Places for the states and labels of a graph, in layers from left to right.

The method is that of Sugiyama, Tagawa and Toda (1981), with one addition: a label is a
node of its own between the layers of states, as large as its text, and its edge passes
below the text. So labels overlap neither states nor each other, whatever the graph.

Forward edges give a state its layer: the longest way from the states without incoming
forward edges, over the edges that close no cycle in depth-first order.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

from choreomon.pictures.shapes.drawing import Point


class Extent(NamedTuple):
    """Room that a node needs around its reference point: `width` centred on it, and the distances
    `up` and `down` from it."""

    width: float
    up: float
    down: float


class LabelledEdge(NamedTuple):
    """An edge with a label; `forward` edges give the layers and are kept straight if possible."""

    source: str
    target: str
    forward: bool
    label: Extent


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Positions of everything, from the upper left corner of the plane. For each edge `labels` has
    the reference point of its label, and `routes` its bends from source to target, the label among
    them. An edge between states of one layer bends around its label, which lies to the right of
    both.
    """

    layers: Mapping[str, int]
    states: Mapping[str, Point]
    labels: tuple[Point, ...]
    routes: tuple[tuple[Point, ...], ...]
    width: float
    height: float


_SWEEPS: Final = 12
_BETWEEN_RANKS: Final = 30.0
_BETWEEN_ROWS: Final = 16.0
_PULL: Final = 0.1
"""Pull towards the middle in wrapped layouts, which should be narrow: without it a tree of 500
nodes is twice as wide."""
_THREAD: Final = Extent(0.0, 4.0, 4.0)

_Node: TypeAlias = Hashable


class _Graph(NamedTuple):
    ranks: list[list[_Node]]
    extents: dict[_Node, Extent]
    before: dict[_Node, list[_Node]]
    after: dict[_Node, list[_Node]]
    important: set[_Node]
    lean: dict[_Node, bool]
    chains: list[list[_Node]]
    label_nodes: list[_Node]


def layered_layout(
    states: Mapping[str, Extent],
    initial: Sequence[str],
    edges: Sequence[LabelledEdge],
    highest: float | None = None,
) -> Layout:
    """The layout of one connected graph. `states` is not empty, in the order in which
    ties are broken; no edge joins a state to itself.

    If `highest` is given, a layer whose states would be higher is wrapped: states without room move
    to a later layer."""
    layers = _layers(list(states), initial, edges, states, highest)
    graph = _graph(states, layers, edges)
    _order(graph)
    y = _rows(graph, _PULL if highest is not None else 0.0)
    x = _columns(graph, y)
    top = min(y[node] - graph.extents[node].up for node in y)
    bottom = max(y[node] + graph.extents[node].down for node in y)
    place = {node: Point(x[node], y[node] - top) for node in y}
    width = max(place[node].x + graph.extents[node].width / 2 for node in place)
    routes = []
    for edge, chain in zip(edges, graph.chains, strict=True):
        bends = tuple(place[node] for node in chain)
        routes.append(bends if layers[edge.source] <= layers[edge.target] else bends[::-1])
    return Layout(
        layers=layers,
        states={state: place[state] for state in states},
        labels=tuple(place[node] for node in graph.label_nodes),
        routes=tuple(routes),
        width=width,
        height=bottom - top,
    )


def separated(
    wanted: Sequence[float], weights: Sequence[float], gaps: Sequence[float]
) -> list[float]:
    """The positions closest to `wanted` (weighted least squares) that keep the order and
    are at least `gaps[i]` apart from position `i` to `i + 1`."""
    offsets = [0.0]
    for gap in gaps[: max(0, len(wanted) - 1)]:
        offsets.append(offsets[-1] + gap)
    blocks: list[tuple[float, float, int]] = []  # mean, weight, how many
    for position, weight, offset in zip(wanted, weights, offsets, strict=False):
        mean, total, count = position - offset, weight, 1
        while blocks and blocks[-1][0] > mean:
            other, other_total, other_count = blocks.pop()
            mean = (mean * total + other * other_total) / (total + other_total)
            total += other_total
            count += other_count
        blocks.append((mean, total, count))
    means = [mean for mean, _, count in blocks for _ in range(count)]
    return [mean + offset for mean, offset in zip(means, offsets, strict=False)]


def _layers(
    states: Sequence[str],
    initial: Sequence[str],
    edges: Sequence[LabelledEdge],
    extents: Mapping[str, Extent],
    highest: float | None,
) -> dict[str, int]:
    after: dict[str, list[str]] = {state: [] for state in states}
    for edge in edges:
        if edge.forward and edge.target not in after[edge.source]:
            after[edge.source].append(edge.target)
    finished: list[str] = []
    entered: dict[str, bool] = {}  # False while on the stack
    acyclic: list[tuple[str, str]] = []
    for root in (*initial, *states):
        if root in entered:
            continue
        entered[root] = False
        stack = [(root, iter(after[root]))]
        while stack:
            state, ways = stack[-1]
            for target in ways:
                if entered.get(target) is False:
                    continue
                acyclic.append((state, target))
                if target not in entered:
                    entered[target] = False
                    stack.append((target, iter(after[target])))
                    break
            else:
                entered[state] = True
                finished.append(state)
                stack.pop()
    onward: dict[str, list[str]] = {}
    for source, target in acyclic:
        onward.setdefault(source, []).append(target)
    if highest is not None:
        return _wrapped_layers(states, onward, extents, highest)
    layer = dict.fromkeys(states, 0)
    for state in reversed(finished):
        for target in onward.get(state, ()):
            layer[target] = max(layer[target], layer[state] + 1)
    return layer


def _wrapped_layers(
    states: Sequence[str],
    onward: Mapping[str, Sequence[str]],
    extents: Mapping[str, Extent],
    highest: float,
) -> dict[str, int]:
    """Put each state into the first layer with room behind its predecessors (Coffman and Graham
    1972, with heights in place of numbers). States come depth first, so that a full layer pushes
    back whole branches, not a bit of each."""
    waits_for = Counter(target for targets in onward.values() for target in targets)
    earliest = dict.fromkeys(states, 0)
    layer: dict[str, int] = {}
    used: list[float] = []
    ready = [state for state in reversed(states) if not waits_for[state]]
    while ready:
        state = ready.pop()
        needed = extents[state].up + extents[state].down + _BETWEEN_ROWS
        at = earliest[state]
        while at < len(used) and used[at] + needed > highest:
            at += 1
        used.extend([0.0] * (at + 1 - len(used)))
        used[at] += needed
        layer[state] = at
        for target in reversed(onward.get(state, ())):
            earliest[target] = max(earliest[target], at + 1)
            waits_for[target] -= 1
            if not waits_for[target]:
                ready.append(target)
    return layer


def _graph(
    states: Mapping[str, Extent], layers: Mapping[str, int], edges: Sequence[LabelledEdge]
) -> _Graph:
    """States have even ranks, labels odd ones; threads carry an edge through the rest."""
    graph = _Graph(
        ranks=[[] for _ in range(2 * max(layers.values()) + 2)],
        extents=dict(states.items()),
        before={state: [] for state in states},
        after={state: [] for state in states},
        important=set(states),
        lean={},
        chains=[],
        label_nodes=[],
    )
    for state in states:
        graph.ranks[2 * layers[state]].append(state)
    leaving = Counter(edge.source for edge in edges if edge.forward)
    entering = Counter(edge.target for edge in edges if edge.forward)
    for number, edge in enumerate(edges):
        low, high = sorted((edge.source, edge.target), key=lambda state: layers[state])
        first, last = 2 * layers[low], 2 * layers[high]
        ranks = range(first + 1, max(last, first + 2))
        label_rank = first + 1 + 2 * ((last - first - 1) // 4) if last > first else first + 1
        chain: list[_Node] = []
        for rank in ranks:
            node = (number, rank)
            graph.extents[node] = edge.label if rank == label_rank else _THREAD
            graph.ranks[rank].append(node)
            graph.before[node], graph.after[node] = [], []
            if edge.forward:
                graph.important.add(node)
                # An edge runs level with its less busy end, and bends at the other.
                balance = leaving[edge.source] - entering[edge.target]
                if balance or len(ranks) > 1:
                    graph.lean[node] = balance > 0
            chain.append(node)
        for left, right in zip((low, *chain), chain, strict=False):
            graph.after[left].append(right)
            graph.before[right].append(left)
        if last > first:
            graph.after[chain[-1]].append(high)
            graph.before[high].append(chain[-1])
        else:
            graph.after[high].append(chain[-1])
            graph.before[chain[-1]].append(high)
        graph.chains.append(chain)
        graph.label_nodes.append((number, label_rank))
    return graph


def _order(graph: _Graph) -> None:
    """Sort every rank so that few edges cross: barycentres, the best of some sweeps."""
    best = [list(rank) for rank in graph.ranks]
    fewest = _crossings(graph)
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        rightwards = sweep % 2 == 0
        neighbours = graph.before if rightwards else graph.after
        order = range(1, len(graph.ranks)) if rightwards else range(len(graph.ranks) - 2, -1, -1)
        for rank in order:
            fixed = graph.ranks[rank - 1 if rightwards else rank + 1]
            _sort(graph.ranks[rank], fixed, neighbours)
        crossings = _crossings(graph)
        if crossings < fewest:
            fewest = crossings
            best = [list(rank) for rank in graph.ranks]
    graph.ranks[:] = best


def _sort(rank: list[_Node], fixed: list[_Node], neighbours: Mapping[_Node, list[_Node]]) -> None:
    position = {node: float(index) for index, node in enumerate(fixed)}
    scale = len(fixed) / max(1, len(rank))

    def barycentre(item: tuple[int, _Node]) -> float:
        places = [position[other] for other in neighbours[item[1]] if other in position]
        return sum(places) / len(places) if places else item[0] * scale

    rank[:] = [node for _, node in sorted(enumerate(rank), key=barycentre)]


def _crossings(graph: _Graph) -> int:
    count = 0
    for left, right in pairwise(graph.ranks):
        position = {node: index for index, node in enumerate(right)}
        seen: list[int] = []
        for node in left:
            ends = sorted(position[other] for other in graph.after[node] if other in position)
            count += sum(len(seen) - bisect_left(seen, end + 1) for end in ends)
            for end in ends:
                insort(seen, end)
    return count


def _rows(graph: _Graph, pull: float) -> dict[_Node, float]:
    """The y of every node: near its neighbours, forward edges straight where they can, long
    backward edges in a lane of their own. `pull` is the weight of staying near the middle against
    standing straight behind its neighbours."""
    y: dict[_Node, float] = {}
    for rank in graph.ranks:
        _settle(graph, rank, y, lambda node: 0.0)
    for sweep in range(3 * _SWEEPS):
        sides = (
            (graph.before, graph.after)
            if sweep >= 2 * _SWEEPS
            else (graph.before,)
            if sweep % 2 == 0
            else (graph.after,)
        )

        def wanted(node: _Node, sides: tuple[dict[_Node, list[_Node]], ...] = sides) -> float:
            if node in graph.lean:
                (end,) = graph.after[node] if graph.lean[node] else graph.before[node]
                return (1 - pull) * y[end]
            others = [other for side in sides for other in side[node]]
            if node in graph.important:
                others = [other for other in others if other in graph.important] or others
            straight = sum(y[other] for other in others) / len(others) if others else y[node]
            return (1 - pull) * straight

        for rank in graph.ranks if sweep % 2 == 0 else graph.ranks[::-1]:
            _settle(graph, rank, y, wanted)
    lanes = _lanes(graph, y)
    for rank in graph.ranks:
        _settle(graph, rank, y, lambda node: lanes.get(node, y[node]))
    return y


def _lanes(graph: _Graph, y: Mapping[_Node, float]) -> dict[_Node, float]:
    """Give all nodes of each long backward edge one height: the outermost of theirs, and beyond the
    lanes that lie between it and the states."""
    rank_of = {node: rank for rank in graph.ranks for node in rank}
    chains = [chain for chain in graph.chains if len(chain) > 1 and chain[0] not in graph.important]
    middle = [sum(y[node] for node in chain) / len(chain) for chain in chains]
    lanes: dict[_Node, float] = {}
    for side in (1, -1):  # below the ends of the edge, above them
        for at, chain in sorted(zip(middle, chains, strict=True), key=lambda pair: side * pair[0]):
            ends = (*graph.before[chain[0]], *graph.after[chain[-1]])
            below = at >= sum(y[end] for end in ends) / len(ends)
            if below != (side == 1):
                continue
            lane = max(side * y[node] for node in chain)
            for node in chain:
                rank = rank_of[node][::side]
                for inner in rank[: rank.index(node)]:
                    if inner in lanes:
                        lane = max(lane, side * lanes[inner] + _apart(graph, inner, node, side))
            lanes.update(dict.fromkeys(chain, side * lane))
    return lanes


def _apart(graph: _Graph, inner: _Node, outer: _Node, side: int) -> float:
    above, below = (inner, outer) if side == 1 else (outer, inner)
    return graph.extents[above].down + _BETWEEN_ROWS + graph.extents[below].up


def _settle(
    graph: _Graph, rank: list[_Node], y: dict[_Node, float], wanted: Callable[[_Node], float]
) -> None:
    gaps = [_apart(graph, above, below, 1) for above, below in pairwise(rank)]
    weights = [10_000.0 if node in graph.important else 1.0 for node in rank]
    y.update(zip(rank, separated([wanted(node) for node in rank], weights, gaps), strict=True))


def _columns(graph: _Graph, y: Mapping[_Node, float]) -> dict[_Node, float]:
    """The x of every node; steep edges get more room between their ranks."""
    x: dict[_Node, float] = {}
    edge = 0.0
    for index, rank in enumerate(graph.ranks):
        width = max((graph.extents[node].width for node in rank), default=0.0)
        if index and rank:
            steepest = max(
                (abs(y[node] - y[other]) for node in rank for other in graph.before[node]),
                default=0.0,
            )
            edge += _BETWEEN_RANKS + min(70.0, steepest / 5)
        for node in rank:
            x[node] = edge + width / 2
        edge += width
    return x
