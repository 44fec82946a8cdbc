"""Multi-traces that are right, or wrong in one of the three ways of the automata paper.

The paper, section 5: for Pass an accepted word is projected; for LocalError errors are put into
such a multi-trace; for InterError local traces of several are mixed; for CentralError a cycle of an
accepted word is iterated a different number of times at each location. A result need not be of the
intended kind: the caller asks the paper's procedure, and draws again.

Deviation: automata whose only cycles are loops of one letter accept a word however often these are
iterated, so there CentralError is sought among mixed local traces, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from choreomon.automata.accepted_words import AcceptedWords
from choreomon.automata.automaton import Automaton
from choreomon.multitrace.multitrace import Component, MultiTrace
from choreomon.multitrace.mutation import insert_action, remove_actions, swap_actions
from choreomon.multitrace.projection import Partition, project_trace

if TYPE_CHECKING:
    from random import Random

Kind: TypeAlias = Literal["Pass", "LocalError", "InterError", "CentralError"]

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

ERRORS: Final = 2
"""The most errors put into a multi-trace."""

ITERATIONS: Final = 3
"""The most iterations of a cycle at a location."""


class Drawing:
    """Draws multi-traces of `shortest` to `longest` actions that may be of a kind.

    `onto`: the lifelines that share a clock. Raises ValueError if no accepted word has such a
    length.
    """

    def __init__(
        self, protocol: Automaton, onto: Partition, *, shortest: int, longest: int
    ) -> None:
        self._protocol = protocol
        self._onto = onto
        self._lengths = range(shortest, longest + 1)
        self._words = AcceptedWords(protocol, shortest, longest)
        self._bases = AcceptedWords(protocol, 0, longest)
        self._has_cycles = has_cycle_of_several_states(protocol)

    def candidate(self, rng: Random, kind: Kind) -> MultiTrace | None:
        """A multi-trace that may be of this kind; None if this draw led to none of such a
        length."""
        made: MultiTrace | None
        if kind == "Pass":
            made = self._right(rng)
        elif kind == "LocalError":
            made = self._with_errors(rng)
        elif kind == "InterError" or not self._has_cycles:
            made = self._mixed(rng)
        else:
            made = self._iterated(rng)
        return made if made is not None and made.length in self._lengths else None

    def _right(self, rng: Random) -> MultiTrace:
        return project_trace(self._words.draw(rng), self._onto)

    def _with_errors(self, rng: Random) -> MultiTrace | None:
        made: MultiTrace | None = self._right(rng)
        for _ in range(rng.randint(1, ERRORS)):
            if made is None:
                return None
            error = rng.randrange(3)
            if error == 0:
                made = insert_action(rng, made, self._protocol.letters)
            elif error == 1:
                made = swap_actions(rng, made)
            else:
                made = remove_actions(rng, made)
        return made

    def _mixed(self, rng: Random) -> MultiTrace:
        """A mixture of two words, each clock taken from one or the other."""
        two = self._right(rng), self._right(rng)
        return MultiTrace(
            tuple(rng.choice(two).components[place] for place in range(len(self._onto)))
        )

    def _iterated(self, rng: Random) -> MultiTrace | None:
        """A word with a cycle, which each clock saw a different number of times."""
        path = self._bases.draw_path(rng)
        cycles = [
            (start, end + 1)
            for start, first in enumerate(path)
            for end, last in enumerate(path[start:], start)
            if first.source == last.target
        ]
        if not cycles:
            return None
        start, end = rng.choice(cycles)
        before, cycle, after = (
            project_trace(self._bases.word(part), self._onto)
            for part in (path[:start], path[start:end], path[end:])
        )
        components = []
        for place, lifelines in enumerate(self._onto):
            ahead, again, behind = (
                tuple(part.components[place].actions) for part in (before, cycle, after)
            )
            times = rng.randint(0, ITERATIONS)
            components.append(Component(lifelines, ahead + again * times + behind))
        return MultiTrace(tuple(components))


def has_cycle_of_several_states(protocol: Automaton) -> bool:
    """Tell whether a path leads from some state to another one and back."""
    reached = {state: {state} for state in range(protocol.states)}
    changed = True
    while changed:
        changed = False
        for source, _, target in protocol.edges:
            if not reached[target] <= reached[source]:
                reached[source] |= reached[target]
                changed = True
    return any(
        source != target and source in reached[target] for source, _, target in protocol.edges
    )
