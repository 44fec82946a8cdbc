"""Random words that an automaton accepts, and random locations for letters.

The same state of `rng` gives the same result, in every process.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from choreomon.automata.automaton import Automaton, Edge, States, members
from choreomon.core.action import Action

if TYPE_CHECKING:
    from random import Random

Word: TypeAlias = tuple[Action, ...]


class AcceptedWords:
    """Draws words of an automaton, of a length between `shortest` and `longest`.

    It draws a length, uniformly among those that some word has, then a path of that length: at each
    state, uniformly, an edge from which an end can still be reached in time. So words are not
    equally likely, and one with several paths is likelier. Raises ValueError if no word has such a
    length.
    """

    def __init__(self, protocol: Automaton, shortest: int, longest: int) -> None:
        self._protocol = protocol
        self._ending = _ending_in(protocol, longest)
        self._lengths = [
            length
            for length in range(shortest, longest + 1)
            if self._ending[length] & protocol.initial
        ]
        if not self._lengths:
            raise ValueError(f"no accepted word has {shortest} to {longest} actions")

    def draw(self, rng: Random) -> Word:
        return self.word(self.draw_path(rng))

    def draw_path(self, rng: Random) -> tuple[Edge, ...]:
        """The path of a word."""
        protocol, ending = self._protocol, self._ending
        length = rng.choice(self._lengths)
        state = rng.choice([*members(protocol.initial & ending[length])])
        path: list[Edge] = []
        for left in range(length - 1, -1, -1):
            edges = [protocol.edges[number] for number in protocol.outgoing[state]]
            edge = rng.choice([each for each in edges if ending[left] >> each.target & 1])
            path.append(edge)
            state = edge.target
        return tuple(path)

    def word(self, path: Iterable[Edge]) -> Word:
        """The word that a path reads."""
        return tuple(self._protocol.letters[edge.letter] for edge in path)


def _ending_in(protocol: Automaton, longest: int) -> list[States]:
    """The states from which n letters lead to an end, for each n."""
    found = [protocol.final]
    for _ in range(longest):
        states = 0
        for letter in range(len(protocol.letters)):
            states |= protocol.before(found[-1], letter)
        found.append(states)
    return found


def shared_out(
    rng: Random, letters: Sequence[str], locations: Sequence[str]
) -> dict[str, list[str]]:
    """Random locations of letters, each with as many as the others, or one more, in their order.

    Raises ValueError where there are fewer letters than locations.
    """
    if len(letters) < len(locations):
        raise ValueError(f"{len(letters)} letters are too few for {len(locations)} locations")
    places = [locations[number % len(locations)] for number in range(len(letters))]
    rng.shuffle(places)
    return {
        name: [letter for letter, place in zip(letters, places, strict=True) if place == name]
        for name in locations
    }
