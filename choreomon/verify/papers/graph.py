"""Results of a search: the states it visits, the verdict, and on request the graph.

Vertices are those of the removal paper, Definition 10 and the slices paper, Definition 7: an
interaction, what is left of the multi-trace, on which components observation has started, and the
measure. The verdict vertices (`Ok`, `Ko`, `Cov` and so on) are a field of the vertex that leads to
them.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from choreomon.core.action import Action
from choreomon.interaction.step import Position
from choreomon.interaction.term import Interaction
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify.verdict import Verdict

Rule: TypeAlias = Literal["execute", "simulate", "remove"]
"""`execute` consumes an observed action, `simulate` does an unobserved one, `remove` takes out
the lifelines of the components that are used up."""

End: TypeAlias = Literal["Cov", "TooShort", "MultiPref", "Slice", "LackObs", "Out", "OutSim"]
"""The end of a path, as HIBOU names it: the multi-trace is used up and the interaction may stop
(`Cov`), or may not (`TooShort`); it is used up, and the observed part is a multi-prefix or a slice;
or nothing more can be done, for lack of observation (`LackObs`), within the bounds of simulation
(`OutSim`), or at all (`Out`)."""

Measure: TypeAlias = tuple[int, int]
"""(lambda, alpha) of the slices paper, section 5.1: loops and actions that may still be
simulated."""


class State(NamedTuple):
    """The identity of a vertex: two vertices with the same state are one.

    `removed` has bit n set where the lifelines of component n were removed. The flags of the slices
    paper say which positions are not 0, so they are no field.
    """

    term: Interaction
    positions: tuple[int, ...]
    removed: int
    measure: Measure | None


class Vertex(NamedTuple):
    """A vertex that was visited.

    - `number`: its place in `Graph.vertices`, which is the order of visits;
    - `positions`: for each component of the multi-trace, how many of its actions are consumed;
    - `removed`: the components whose lifelines were removed;
    - `measure`: in the mode `simulate`, else None;
    - `end`: the end of a path here, None if it goes on;
    - `by_local_analysis`: whether a component alone was reason enough to go no further.
    """

    number: int
    interaction: Interaction
    positions: tuple[int, ...]
    removed: tuple[int, ...]
    measure: Measure | None
    end: End | None
    by_local_analysis: bool

    @property
    def started(self) -> tuple[bool, ...]:
        """The flags of the slices paper, section 4.1: on which components observation has
        started."""
        return tuple(position > 0 for position in self.positions)


class Edge(NamedTuple):
    """A step between two vertices, by their numbers.

    `action`, `position` and `component` (a number) are None for `remove`; `position` is also
    None for unobserved steps of the exact search, which merges equal steps at different ones.
    """

    source: int
    target: int
    rule: Rule
    action: Action | None
    position: Position | None
    component: int | None


class Graph(NamedTuple):
    """The part of a graph that a search visited.

    `multitrace` has an empty component for every lifeline of the interaction that had none. `cut`
    are the vertices from which a filter cut something off.
    """

    multitrace: MultiTrace
    vertices: tuple[Vertex, ...]
    edges: tuple[Edge, ...]
    cut: tuple[int, ...]


class PathStep(NamedTuple):
    """A step of the path that decided: see `Edge` for the fields."""

    rule: Rule
    action: Action | None
    position: Position | None


class SearchResult(NamedTuple):
    """The result of a search.

    - `reason`: why nothing better is known: empty, or one of `options.Reason`;
    - `vertices`: how many were visited in the graph of the mode;
    - `checked`: how many more, in the graph of `accept`, to distinguish Pass from WeakPass;
    - `path`: how the end was reached that decided for Pass or WeakPass. After a removal, or
      after the sound reduction, which searches the weakened interaction, this is no global trace
      of the interaction; `choreomon.verify.explanation` makes those. Whether a WeakPass is a Pass
      is always checked with that reduction;
    - `graph`: that of the mode, where it was to be recorded.
    """

    verdict: Verdict
    reason: str
    vertices: int
    checked: int = 0
    path: tuple[PathStep, ...] = ()
    graph: Graph | None = None
