"""Rules that say nothing, beside all short words."""

from __future__ import annotations

from itertools import product
from random import Random

from choreomon.core.message import BEGIN
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.needless import implied, implies
from choreomon.properties.patterns import Pattern, pattern_automaton
from choreomon.properties.reference import formations
from tests.laws.drawn import Dense, draw_dense_automaton
from tests.properties.test_patterns import Q, R, X, automaton_of, of

LONGEST = 5
DENSE = Dense(states=(3, 3), labels=(2, 2), backward=(0, 2))


def pairs(count: int) -> list[tuple[SequenceAutomaton, SequenceAutomaton]]:
    """Automata over labels that they share, some of which begin with the run."""
    found = []
    random = Random(3)
    for _ in range(count):
        state = random.getstate()
        drawn = []
        for begin in (random.choice((None, BEGIN)), random.choice((None, BEGIN))):
            again = Random(str(state[1][:2]))  # the same labels for both
            again.random()
            dense = DENSE._replace(begin=begin, following=random.choice((0.5, 0.9)))
            drawn.append(draw_dense_automaton(again, ("P1", "P2"), dense))
        found.append((drawn[0], drawn[1]))
    return found


def at(automaton: SequenceAutomaton, word: tuple[object, ...]) -> set[int]:
    return {each.index for each in formations(automaton, word)}  # type: ignore[arg-type]


def test_implication_is_what_all_words_say() -> None:
    """Of a word that tells them apart there is a short one in automata of three states."""
    answers = [0, 0]
    for one, other in pairs(150):
        labels = tuple(dict.fromkeys((*one.labels, *other.labels)))
        words = (word for size in range(LONGEST + 1) for word in product(labels, repeat=size))
        meant = all(at(other, word) <= at(one, word) for word in words)
        assert implies(one, other) is meant
        answers[meant] += 1
    assert min(answers) >= 10


def test_never_implies_never_after_and_not_the_other_way_round() -> None:
    never = automaton_of(pattern_automaton(Pattern(of(X))))
    after = automaton_of(pattern_automaton(Pattern(of(X), after=of(Q))))
    until = automaton_of(pattern_automaton(Pattern(of(X), after=of(Q), until=of(R))))
    assert implies(never, after)
    assert implies(after, until)
    assert not implies(until, after)
    assert implied([until, after, never]) == {0: 1, 1: 2}
    assert implied([never, never]) == {1: 0}


def test_a_bound_leaves_it_open() -> None:
    never = automaton_of(pattern_automaton(Pattern(of(X))))
    after = automaton_of(pattern_automaton(Pattern(of(X), after=of(Q), until=of(R))))
    assert not implies(never, after, most=1)
