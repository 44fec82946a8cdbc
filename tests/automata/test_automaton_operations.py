"""Determinization, minimization, emptiness and products against automata-lib and against all words
up to a length, over random automata."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

import pytest

from choreomon.automata.automaton import Automaton, automaton, members, state_set
from choreomon.automata.determinization import deterministic
from choreomon.automata.emptiness import (
    ending,
    is_empty,
    reachable,
    shortest_word,
    trimmed,
    useful,
)
from choreomon.automata.minimization import minimal
from choreomon.automata.product import product
from choreomon.automata.semi_centralized import has_path, intersection
from choreomon.automata.words import words
from choreomon.core.action import Action
from choreomon.core.errors import BudgetExceeded
from tests.automata.drawn import LETTERS, drawn_automaton
from tests.automata.textbook import SIGN, as_nfa, minimized

CASES = 1500
A, B, C, D, E = LETTERS


def cases() -> Iterator[Automaton]:
    for seed in range(CASES):
        yield drawn_automaton(Random(seed))


def pairs() -> Iterator[tuple[Automaton, Automaton]]:
    for seed in range(CASES):
        rng = Random(seed)
        yield drawn_automaton(rng, 4, 3), drawn_automaton(rng, 4, 3)


def test_the_same_words_are_accepted_as_by_automata_lib() -> None:
    found = 0
    for one in cases():
        theirs = as_nfa(one)
        mine = words(one, 4)
        assert mine == {
            word for word in all_words(one, 4) if theirs.accepts_input("".join(map(SIGN.get, word)))
        }
        assert all(one.accepts(word) == (word in mine) for word in all_words(one, 3))
        found += len(mine)
    assert found > 9_000


def all_words(one: Automaton, length: int) -> Iterator[tuple[Action, ...]]:
    layer: list[tuple[Action, ...]] = [()]
    for _ in range(length + 1):
        yield from layer
        layer = [(*word, letter) for word in layer for letter in one.letters]


# ---------------------------------------------------------------- determinization, minimization


def wrong_determinization(made: Callable[[Automaton], Automaton]) -> bool:
    """Whether some case has another language, or is not deterministic."""
    return any(
        not (mine := made(one)).is_deterministic or as_nfa(mine) != as_nfa(one) for one in cases()
    )


def forgets_an_initial_state(one: Automaton) -> Automaton:
    return deterministic(replace(one, initial=one.initial & -one.initial))


def ends_only_where_all_end(one: Automaton) -> Automaton:
    if not one.is_deterministic:
        return deterministic(replace(one, final=one.final & (one.final - 1)))
    return deterministic(one)


def test_determinization_keeps_the_language() -> None:
    assert not wrong_determinization(deterministic)
    assert wrong_determinization(forgets_an_initial_state)
    assert wrong_determinization(ends_only_where_all_end)
    assert wrong_determinization(trimmed)  # is not deterministic


def test_states_of_a_deterministic_automaton_are_numbered_breadth_first() -> None:
    # On a and a, and on b: the order of letters decides.
    one = automaton([(0, A, 2), (0, A, 1), (0, B, 3), (1, A, 3), (2, B, 0)], initial=[0], final=[3])
    made = deterministic(one)
    assert made == automaton([(0, A, 1), (0, B, 2), (1, A, 2), (1, B, 0)], initial=[0], final=[2])


def test_determinization_stops_at_its_limit() -> None:
    # The letter before the last two is an a: 8 sets of states.
    edges = [(0, A, 0), (0, B, 0), (0, A, 1), (1, A, 2), (1, B, 2), (2, A, 3), (2, B, 3)]
    one = automaton(edges, initial=[0], final=[3])
    assert deterministic(one, 8).states == 8
    with pytest.raises(BudgetExceeded, match="more than 7 states"):
        deterministic(one, 7)
    with pytest.raises(BudgetExceeded, match="more than 7 states"):
        minimal(one, 7)


def wrong_minimization(made: Callable[[Automaton], Automaton]) -> bool:
    """Whether some case has another language, or more or fewer states than automata-lib finds."""
    for one in cases():
        mine, theirs = made(one), minimized(one)
        # automata-lib keeps one state where nothing is accepted.
        if mine.states != (0 if theirs.isempty() else len(theirs.states)):
            return True
        if as_nfa(mine) != as_nfa(one) or not mine.is_deterministic:
            return True
    return False


def test_minimal_automata_have_the_states_that_automata_lib_finds() -> None:
    assert not wrong_minimization(minimal)


def test_a_minimization_that_does_not_minimize_is_noticed() -> None:
    assert wrong_minimization(lambda one: trimmed(deterministic(one)))
    assert wrong_minimization(deterministic)


def test_equal_languages_have_equal_minimal_automata() -> None:
    """However the states are numbered, and whether the automaton is deterministic."""
    for number, one in enumerate(cases()):
        order = Random(number).sample(range(one.states), one.states)
        turned = automaton(
            [(order[source], one.letters[by], order[target]) for source, by, target in one.edges],
            initial=[order[state] for state in members(one.initial)],
            final=[order[state] for state in members(one.final)],
            states=one.states,
            letters=one.letters,
            lifelines=one.lifelines,
        )
        assert minimal(turned) == minimal(one) == minimal(deterministic(one))
        assert minimal(minimal(one)) == minimal(one)


# ---------------------------------------------------------------- emptiness


def test_useful_states_are_on_paths_from_beginning_to_end() -> None:
    for one in cases():
        leads = {(edge.source, edge.target) for edge in one.edges}
        paths = {(state, state) for state in range(one.states)}
        for _ in range(one.states):
            paths |= {(start, after) for start, end in paths for at, after in leads if at == end}
        begins, ends = set(members(one.initial)), set(members(one.final))
        can = {end for start, end in paths if start in begins}
        may = {start for start, end in paths if end in ends}
        assert set(members(reachable(one))) == can
        assert set(members(ending(one))) == may
        assert set(members(useful(one))) == can & may
        assert trimmed(one).states == len(can & may)
        assert words(trimmed(one), 4) == words(one, 4)
        assert is_empty(one) == (not can & ends)
        theirs = minimized(one)  # whose methods do not keep it
        assert is_empty(one) == theirs.isempty()


def test_paths_by_some_edges_are_those_of_the_automaton_without_the_others() -> None:
    for number, one in enumerate(cases()):
        edges = Random(number).getrandbits(len(one.edges))
        left = [one.edges[edge] for edge in members(edges)]
        rest = automaton(
            [(source, one.letters[by], target) for source, by, target in left],
            initial=members(one.initial),
            final=members(one.final),
            states=one.states,
            letters=one.letters,
        )
        assert has_path(one, edges) is not is_empty(rest)
    for one in cases():
        assert has_path(one, intersection([])) is not is_empty(one)


def test_the_shortest_word_is_the_first_of_the_shortest() -> None:
    empty = 0
    for one in cases():
        found = shortest_word(one)
        accepted = words(one, one.states - 1)
        if found is None:
            empty += 1
            assert not accepted
        else:
            assert found == min(accepted, key=lambda word: (len(word), word))
    assert 50 < empty < CASES / 2


# ---------------------------------------------------------------- products


def wrong_product(made: Callable[[Automaton, Automaton], Automaton]) -> bool:
    """Whether some case accepts other words than the definition says."""
    for left, right in pairs():
        both = made(left, right)
        ours, theirs = words(left, 4), words(right, 4)
        wanted = {
            word
            for word in all_words(both, 4)
            if tuple(one for one in word if one in left.letters) in ours
            and tuple(one for one in word if one in right.letters) in theirs
        }
        if words(both, 4) != wanted:
            return True
    return False


def test_products_accept_what_both_sides_accept_of_theirs() -> None:
    assert not wrong_product(product)
    assert wrong_product(lambda left, right: left)
    assert wrong_product(lambda left, right: replace(product(left, right), initial=1))


def test_products_are_the_intersection_and_the_shuffle_of_automata_lib() -> None:
    shuffles = 0
    for left, right in pairs():
        same = {letter for one in (left, right) for letter in one.letters}
        one, other = (with_letters(part, same) for part in (left, right))
        assert as_nfa(product(one, other)) == as_nfa(one).intersection(as_nfa(other))
        if not set(left.letters) & set(right.letters):
            mine, theirs = product(left, right), as_nfa(left).shuffle_product(as_nfa(right))
            assert as_nfa(mine) == theirs
            shuffles += 1
    assert shuffles > 100


def with_letters(one: Automaton, letters: set[Action]) -> Automaton:
    return automaton(
        [(source, one.letters[by], target) for source, by, target in one.edges],
        initial=members(one.initial),
        final=members(one.final),
        states=one.states,
        letters=letters,
    )


def test_a_product_has_all_letters_and_lifelines() -> None:
    left = automaton([(0, A, 1)], initial=[0], final=[1], lifelines=["z"])
    right = automaton([(0, D, 0)], initial=[0], final=[0], letters=[E])
    both = product(left, right)
    assert both.letters == (A, D, E)
    assert both.lifelines == ("a", "c", "z")
    assert state_set([1]) == both.final
