"""The execution tree of an interaction, and the multi-traces that it generates.

The slices paper, section 7.3, and the small-step paper, section 3.3: nodes are interactions, arcs
are actions at positions, and the paths to nodes that may stop are the accepted traces. With loops
the tree is infinite, so filters say which part of it is made; the same interaction, strategy,
priorities and filters give the same part.

This is a tree: what is reached on two paths is two nodes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from choreomon.core.action import Action
from choreomon.interaction.enabled import Enabled, enabled
from choreomon.interaction.measures import loop_depth
from choreomon.interaction.step import Position
from choreomon.interaction.term import Interaction
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.multitrace.projection import Partition, project_trace
from choreomon.verify.papers.heuristics import (
    Cut,
    Filters,
    Priorities,
    Strategy,
    Worklist,
    worklist_of,
)

Generation: TypeAlias = Literal["exact", "prefix", "terminal"]
"""The nodes whose paths are generated: `exact`, those where the interaction may stop, so that the
traces are accepted; `prefix`, all; `terminal`, those from which nothing more was explored."""


class Pruned:
    """A step that was not taken, and the filter that forbade it. There may be very many, so its
    position in the term is computed only when it is read."""

    __slots__ = ("_step", "filter")

    def __init__(self, step: Enabled, filter: Cut) -> None:
        self._step = step
        self.filter: Cut = filter

    @property
    def action(self) -> Action:
        return self._step.action

    @property
    def position(self) -> Position:
        return self._step.position()


class Node(NamedTuple):
    """A node of the tree.

    - `number`: its place in `Exploration.nodes`, which is the order of visits; 0 is the root;
    - `parent`, `action`, `position`: where it was reached from, by what; None and () at the root;
    - `depth`: actions on the way; `loop_depth`: loops entered on the way, where an action within
      n nested loops enters n;
    - `children`: the nodes reached from here, in the order of visits; `pruned`: what filters
      forbade from here.
    """

    number: int
    parent: int | None
    action: Action | None
    position: Position
    interaction: Interaction
    depth: int = 0
    loop_depth: int = 0
    children: tuple[int, ...] = ()
    pruned: tuple[Pruned, ...] = ()

    @property
    def terminates(self) -> bool:
        """True if the path to here is an accepted trace."""
        return self.interaction.terminates


class Exploration(NamedTuple):
    """The part of an execution tree that was explored, in the order of visits."""

    nodes: tuple[Node, ...]

    @property
    def is_whole(self) -> bool:
        """True if no filter cut anything off, so that the tree is complete."""
        return not any(node.pruned for node in self.nodes)

    def trace(self, number: int) -> tuple[Action, ...]:
        """The actions on the path from the root to a node."""
        actions: list[Action] = []
        node = self.nodes[number]
        while node.parent is not None:
            assert node.action is not None
            actions.append(node.action)
            node = self.nodes[node.parent]
        return tuple(reversed(actions))


class _Found(NamedTuple):
    """A step that waits in the worklist."""

    parent: int
    step: Enabled


def explore(
    interaction: Interaction,
    *,
    strategy: Strategy = "dfs",
    priorities: Priorities = Priorities(),  # noqa: B008 (a value)
    filters: Filters = Filters(),  # noqa: B008 (a value)
) -> Exploration:
    """The execution tree, or what filters leave of it.

    Raises ValueError where the interaction has loops and no filter limits the exploration: any
    one of the three makes it finite. Of every node visited all steps are listed; what remains after
    one is made when it is taken.
    """
    if loop_depth(interaction) and filters == Filters():
        raise ValueError(
            "the execution tree of an interaction with loops is infinite; limit its depth, its "
            "loops or its nodes"
        )
    nodes = [Node(number=0, parent=None, action=None, position=(), interaction=interaction)]
    children: list[list[int]] = [[]]
    pruned: list[list[Pruned]] = [[]]
    worklist: Worklist[_Found] = worklist_of(strategy)
    worklist.add(_steps(nodes[0], priorities), 0)
    while len(worklist):
        parent, step = worklist.take()
        before = nodes[parent]
        depth = before.depth + 1
        entered = before.loop_depth + step.loops
        cut = filters.cut(depth=depth, loop_depth=entered, nodes=len(nodes))
        if cut is not None:
            pruned[parent].append(Pruned(step, cut))
            continue
        number = len(nodes)
        rest = step.follow_up()
        node = Node(
            number=number,
            parent=parent,
            action=step.action,
            position=step.position(),
            interaction=rest,
            depth=depth,
            loop_depth=entered,
        )
        nodes.append(node)
        children.append([])
        pruned.append([])
        children[parent].append(number)
        worklist.add(_steps(node, priorities), depth)
    return Exploration(
        tuple(
            node._replace(children=tuple(below), pruned=tuple(cuts))
            for node, below, cuts in zip(nodes, children, pruned, strict=True)
        )
    )


def _steps(node: Node, priorities: Priorities) -> tuple[_Found, ...]:
    """The steps that may be executed at a node, in the order of execution."""
    found: list[_Found] = []
    ranks: list[int] = []
    for step in enabled(node.interaction):
        found.append(_Found(node.number, step))
        ranks.append(priorities.of_action(step.action.kind, in_loop=step.loops > 0))
    return priorities.ordered(found, ranks, node.number)


def generated_multi_traces(
    exploration: Exploration, onto: Partition, generation: Generation = "exact"
) -> Iterator[MultiTrace]:
    """The multi-traces over a partition that the paths of a tree project onto, once each, in
    the order in which the nodes at their ends were visited.

    Raises ValueError where the partition lacks a lifeline of a path.
    """
    seen: set[MultiTrace] = set()
    for node in exploration.nodes:
        if generation == "exact" and not node.terminates:
            continue
        if generation == "terminal" and node.children:
            continue
        made = project_trace(exploration.trace(node.number), onto)
        if made not in seen:
            seen.add(made)
            yield made
