"""Random words of automata, and letters that are given to locations."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from choreomon.automata.accepted_words import AcceptedWords, shared_out
from choreomon.automata.automaton import automaton
from choreomon.automata.words import words
from choreomon.core.action import emission
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
    assert shared_out(Random(7), "abcde", "pq") == shared_out(Random(7), "abcde", "pq")


@pytest.mark.parametrize("seed", range(100))
def test_letters_are_shared_out_evenly(seed: int) -> None:
    rng = Random(seed)
    letters = [f"m{number}" for number in range(rng.randint(1, 7))]
    locations = [f"p{number}" for number in range(rng.randint(1, len(letters)))]
    found = shared_out(rng, letters, locations)
    counts = [len(own) for own in found.values()]
    assert [*found] == locations
    assert max(counts) - min(counts) <= 1
    assert sorted(letter for own in found.values() for letter in own) == letters


def test_too_few_letters_are_refused() -> None:
    with pytest.raises(ValueError, match="2 letters are too few for 3 locations"):
        shared_out(Random(0), "xy", "pqr")
