"""Automata over actions as protocols: their states from which a final one can be reached."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from choreomon.automata.automaton import Automaton, members
from choreomon.automata.emptiness import trimmed
from choreomon.core.message import Label
from choreomon.possible.actions import readings
from choreomon.possible.protocol import Events


class AutomatonProtocol:
    """The accepted words of an automaton. `watched` are the labels of the property."""

    def __init__(self, automaton: Automaton, watched: Collection[Label]) -> None:
        self.processes = tuple(automaton.letters_of)
        events = readings(automaton.letters, self.processes, watched)
        self.labels = frozenset(
            label for each in events.values() for some in each for label in some
        )
        useful = trimmed(automaton)
        self._initial = tuple(members(useful.initial))
        self._final = frozenset(members(useful.final))
        self._steps: list[list[tuple[Events, int]]] = [[] for _ in range(useful.states)]
        for source, letter, target in useful.edges:
            own = events[useful.letters[letter]]
            self._steps[source] += [(some, target) for some in own]

    def loosened(self, watched: Collection[Label]) -> None:
        """Loosens nothing: there are not too many states."""

    def initial(self) -> tuple[int, ...]:
        return self._initial

    def may_end(self, state: int) -> bool:
        return state in self._final

    def steps(self, state: int) -> Iterator[tuple[Events, int]]:
        return iter(self._steps[state])
