"""Of many vertices, those that no other one includes.

Two vertices at the same positions have the same multi-trace before them. If the interaction of one
can do whatever that of the other can do, what explains the rest from the other explains it from
the one as well. So the other need not be visited, as a vertex that was visited need not be visited
again.
"""

from __future__ import annotations

from choreomon.interaction.term import Interaction
from choreomon.verify.papers.inclusion import Inclusion
from choreomon.verify.papers.steps import State


class Antichain:
    """Vertices that differ in interactions and positions only."""

    def __init__(self, inclusion: Inclusion) -> None:
        self._inclusion = inclusion
        self._terms: dict[tuple[int, ...], list[Interaction]] = {}

    def __contains__(self, state: State) -> bool:
        """Whether a vertex was added, and none that includes it was since."""
        return state.term in self._terms.get(state.positions, ())

    def covers(self, state: State) -> bool:
        """Whether a vertex that was added includes this one."""
        includes = self._inclusion.includes
        term = state.term
        return any(includes(one, term) for one in self._terms.get(state.positions, ()))

    def add(self, state: State) -> bool:
        """Adds a vertex, and drops those that it includes; False where one includes it."""
        if self.covers(state):
            return False
        includes = self._inclusion.includes
        term = state.term
        others = self._terms.get(state.positions, [])
        self._terms[state.positions] = [*(one for one in others if not includes(term, one)), term]
        return True
