"""Random automata, small enough for definitions to be tried by brute force."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from choreomon.automata.automaton import Automaton, automaton
from choreomon.core.action import Action, emission, reception

LETTERS = (
    emission("a", "m"),
    emission("b", "x"),
    reception("b", "m"),
    emission("c", "y"),
    reception("c", "x"),
)


def drawn_automaton(
    rng: Random, states: int = 6, letters: int = 5, some: Sequence[Action] = LETTERS
) -> Automaton:
    """With up to that many states and letters, mostly nondeterministic, cyclic, and with states
    that are of no use. At times without initial or final states."""
    count = rng.randint(1, states)
    alphabet = rng.sample(some, rng.randint(1, min(letters, len(some))))
    edges = [
        (rng.randrange(count), rng.choice(alphabet), rng.randrange(count))
        for _ in range(rng.randint(0, 2 * count + 2))
    ]
    numbers = range(count)
    return automaton(
        edges,
        initial=rng.sample(numbers, min(count, rng.choice((0, 1, 1, 1, 2)))),
        final=rng.sample(numbers, rng.randint(0, count)),
        states=count,
        letters=alphabet,
        lifelines=("a", "d") if rng.random() < 0.3 else (),
    )
