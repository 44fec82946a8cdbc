"""Questions about logs and automata, small enough for the product of all."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from choreomon.automata.automaton import Automaton, automaton, members
from choreomon.automata.logs import WHOLE, Log, Missing
from choreomon.automata.product import product
from choreomon.automata.words import words
from choreomon.core.action import Action, emission
from tests.automata.drawn import LETTERS, drawn_automaton

PREFIXES = Missing(after=True)
SLICES = Missing(before=True, after=True)
QUESTIONS = (WHOLE, PREFIXES, SLICES)
CLOCKS = (
    (("a",), ("b",), ("c",)),
    (("a", "c"), ("b",), ("d",)),
    (("a", "b", "c"),),
    (("b",), ("c",)),
)


def drawn_logs(rng: Random, one: Automaton) -> list[Log]:
    """What is left of an accepted word, or of a few letters, of which one may be exchanged."""
    known = sorted(words(one, 5))
    word = list(rng.choice(known)) if known and rng.random() < 0.7 else []
    if not word:
        word = [rng.choice(one.letters) for _ in range(rng.randint(0, 4))]
    if word and rng.random() < 0.4:
        word[rng.randrange(len(word))] = rng.choice(LETTERS)
    logs: list[Log] = []
    for clock in rng.choice(CLOCKS):
        told = [action for action in word if action.lifeline in clock]
        if rng.random() < 0.6:
            first = rng.randint(0, len(told))
            told = told[first * (rng.random() < 0.5) : rng.randint(first, len(told))]
        logs.append((clock, tuple(told)))
    return logs


def cases(number: int, first: int = 0) -> Iterator[tuple[Automaton, list[Log]]]:
    """Four for each of so many seeds."""
    for seed in range(first, first + number):
        rng = Random(seed)
        one = drawn_automaton(rng, 5, 4)
        for _ in range(4):
            yield one, drawn_logs(rng, one)


def composed(rng: Random) -> Automaton:
    """Two automata side by side, of which a few edges are taken away or lead elsewhere: in much of
    it letters may change places, and not everywhere."""
    letters = list(LETTERS)
    rng.shuffle(letters)
    split = rng.randint(2, 3)
    sides = [drawn_automaton(rng, 3, 3, side) for side in (letters[:split], letters[split - 1 :])]
    whole = product(*sides)
    edges = [(source, whole.letters[by], target) for source, by, target in whole.edges]
    for _ in range(rng.randint(0, 2)):
        if edges:
            source, letter, _ = edges.pop(rng.randrange(len(edges)))
            if rng.random() < 0.5:
                edges.append((source, letter, rng.randrange(whole.states)))
    return automaton(
        edges,
        initial=members(whole.initial),
        final=members(whole.final),
        states=whole.states,
        letters=whole.letters,
    )


def walk(rng: Random, one: Automaton, most: int) -> list[Action]:
    """A random walk from an initial state, to a final one if it comes by one late enough."""
    if not one.initial:
        return []
    state = rng.choice([*members(one.initial)])
    word: list[Action] = []
    while len(word) < most and one.outgoing[state]:
        _, letter, state = one.edges[rng.choice(one.outgoing[state])]
        word.append(one.letters[letter])
        if 2 * len(word) > most and one.final >> state & 1:
            break
    return word


def longer_cases(number: int, first: int = 0) -> Iterator[tuple[Automaton, list[Log]]]:
    """Three for each of so many seeds: logs of random walks of up to 12 letters, all of one walk
    or of two, at times cut."""
    for seed in range(first, first + number):
        rng = Random(seed)
        one = composed(rng) if rng.random() < 0.8 else drawn_automaton(rng, 7, 5)
        for _ in range(3):
            walks = [walk(rng, one, 12), walk(rng, one, 12)]
            mixed, cut = rng.random() < 0.6, rng.random() < 0.4
            logs: list[Log] = []
            for number_of_log, clock in enumerate(rng.choice(CLOCKS)):
                told = [a for a in walks[mixed and number_of_log % 2] if a.lifeline in clock]
                first_told = rng.randint(0, len(told)) if cut and rng.random() < 0.5 else 0
                last_told = rng.randint(first_told, len(told)) if cut else len(told)
                logs.append((clock, tuple(told[first_told:last_told])))
            yield one, logs


def wide_cases(number: int, first: int = 0) -> Iterator[tuple[Automaton, list[Log]]]:
    """Three for each of so many seeds: four lifelines that say one of two things each, in some
    combinations and orders, mostly of one branch for each; the logs say any combination. At times
    two share a clock, and at times all can be repeated."""
    for seed in range(first, first + number):
        rng = Random(seed)
        edges: list[tuple[int, Action, int]] = []
        states = 2
        for bits in rng.sample(range(16), rng.randint(4, 9)):
            word = [emission(name, "xy"[bits >> n & 1]) for n, name in enumerate("abcd")]
            rng.shuffle(word)
            path = [0, states, states + 1, states + 2, 1 if rng.random() < 0.8 else 0]
            if rng.random() < 0.3:  # by way of another branch
                path[2] = rng.randrange(states + 3)
            states += 3
            edges += zip(path, word, path[1:], strict=False)
        one = automaton(edges, initial=[0], final=[0, 1] if rng.random() < 0.2 else [1])
        for _ in range(3):
            said = [(name, [emission(name, rng.choice("xy"))]) for name in "abcd"]
            logs: list[Log] = [((name,), tuple(word)) for name, word in said]
            if rng.random() < 0.2:
                logs[:2] = [(("a", "b"), (*said[0][1], *said[1][1]))]
            yield one, logs
