"""Traces followed through nodes against the automaton's own word for it."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from choreomon.automata.automaton import Automaton
from choreomon.automata.stepping import Followed, Stepper
from tests.automata.drawn import drawn_automaton


def stepper(one: Automaton, most: int, known_as: Callable[[int], int] = int) -> Stepper[int]:
    return Stepper(
        len(one.letters),
        one.initial or None,
        lambda states, letter: known_as(one.after(states, letter)) or None,
        most,
    )


def by_steps(one: Automaton, word: list[int]) -> Followed[int]:
    states = one.initial
    for place, letter in enumerate(word):
        after = one.after(states, letter)
        if not states or not after:
            return Followed(None, place)
        states = after
    return Followed(states or None, len(word))


def disagreements(most: int, seeds: range, known_as: Callable[[int], int] = int) -> tuple[int, int]:
    """How many words are followed to another end, and how many are followed to theirs."""
    wrong = followed = 0
    for seed in seeds:
        rng = Random(seed)
        one = drawn_automaton(rng)
        many = stepper(one, most, known_as)
        for number in range(20):
            word = [rng.randrange(len(one.letters)) for _ in range(rng.randint(0, 6))]
            right = by_steps(one, word)
            for trace in (word, bytes(word)):
                wrong += many.follow(trace) != right
            followed += right.state is not None and number > 0
    return wrong, followed


@pytest.mark.parametrize("most", [20_000, 2, 0])
def test_traces_are_followed_as_by_single_steps(most: int) -> None:
    wrong, followed = disagreements(most, range(500))
    assert wrong == 0
    assert followed > 1_000


def test_a_state_that_is_taken_for_another_is_noticed() -> None:
    assert disagreements(20_000, range(200), lambda state: state & -state)[0] > 0


def test_what_is_known_is_not_asked_for_again() -> None:
    asked: list[tuple[int, int]] = []

    def after(state: int, letter: int) -> int | None:
        asked.append((state, letter))
        return (state + letter) % 3 if letter < 3 else None

    many = Stepper(4, 0, after)
    word = [1, 2, 1, 0, 2, 2] * 10
    assert many.follow(word) == many.follow(bytes(word)) == Followed(sum(word) % 3, 60)
    assert len(asked) == len(set(asked)) <= 9
    assert many.follow([1, 3, 1]) == many.follow([1, 3, 1]) == Followed(None, 1)
    assert asked.count((1, 3)) == 1


def test_an_exception_of_who_is_asked_passes_and_what_was_known_stays() -> None:
    def after(state: int, letter: int) -> int | None:
        if letter == 1:
            raise KeyboardInterrupt
        return state + 1

    many = Stepper(2, 0, after)
    with pytest.raises(KeyboardInterrupt):
        many.follow([0, 0, 1])
    assert many.follow([0, 0]) == Followed(2, 2)
