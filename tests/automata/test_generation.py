"""Random words of automata, and letters that are given to locations."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from choreomon.automata.automaton import automaton
from choreomon.automata.generation import AcceptedWords, relocated
from choreomon.automata.words import words
from choreomon.core.action import Action, emission
from tests.automata.drawn import drawn_automaton

X, Y = emission("l", "x"), emission("l", "y")


@pytest.mark.parametrize("seed", range(200))
def test_what_is_drawn_is_accepted_and_every_word_is_drawn_at_last(seed: int) -> None:
    rng = Random(seed)
    protocol = drawn_automaton(rng)
    shortest = rng.randint(0, 2)
    longest = shortest + rng.randint(0, 1)
    expected = {word for word in words(protocol, longest) if len(word) >= shortest}
    if not expected:
        with pytest.raises(ValueError, match=f"no accepted word has {shortest} to {longest}"):
            AcceptedWords(protocol, shortest, longest)
        return
    drawn = AcceptedWords(protocol, shortest, longest)
    seen = set()
    for _ in range(3000):
        path = drawn.draw_path(rng)
        assert all(edge in protocol.edges for edge in path)
        assert all(one.target == other.source for one, other in pairwise(path))
        seen.add(drawn.word(path))
        if seen == expected:
            break
    assert seen == expected


def test_lengths_that_no_word_has_are_left_out() -> None:
    pairs = automaton([(0, X, 1), (1, Y, 0)], initial=[0], final=[0])
    drawn = AcceptedWords(pairs, 3, 7)
    assert {len(drawn.draw(Random(seed))) for seed in range(50)} == {4, 6}


def test_one_seed_is_one_word_and_one_place_for_each_letter() -> None:
    protocol = automaton([(0, X, 0), (0, Y, 0)], initial=[0], final=[0])
    once, again = (AcceptedWords(protocol, 20, 30).draw(Random(7)) for _ in range(2))
    assert once == again
    assert relocated(Random(7), protocol, "ab") == relocated(Random(7), protocol, "ab")


@pytest.mark.parametrize("seed", range(100))
def test_letters_are_shared_out_evenly_and_the_words_are_the_same(seed: int) -> None:
    rng = Random(seed)
    names = [f"m{number}" for number in range(rng.randint(1, 7))]
    letters = [emission("l", name) for name in names]
    some = range(4)
    edges = [(rng.choice(some), rng.choice(letters), rng.choice(some)) for _ in range(8)]
    before = automaton(edges, initial=[0], final=[3], letters=letters)
    locations = [f"p{number}" for number in range(rng.randint(1, len(names)))]
    after = relocated(rng, before, locations)
    counts = [len(own) for own in after.letters_of.values()]
    assert sorted(after.letters_of) == locations
    assert max(counts) - min(counts) <= 1
    back: dict[Action, Action] = {letter: emission("l", letter.message) for letter in after.letters}
    assert {tuple(back[letter] for letter in word) for word in words(after, 4)} == words(before, 4)


def test_what_cannot_be_shared_out_is_refused() -> None:
    two = automaton([(0, X, 0), (0, emission("k", "x"), 0)], initial=[0], final=[0])
    with pytest.raises(ValueError, match="would be one at a location"):
        relocated(Random(0), two, ["p"])
    with pytest.raises(ValueError, match="2 letters are too few for 3 locations"):
        relocated(Random(0), two, ["p", "q", "r"])
