"""Automata as values: what they refuse, and tables that say what the edges say."""

from __future__ import annotations

import pickle
from dataclasses import replace
from random import Random

import pytest

from choreomon.automata.automaton import Automaton, Edge, automaton, members, state_set
from choreomon.core.action import Action, emission, reception
from tests.automata.drawn import drawn_automaton

ASK, HEAR = emission("a", "m"), reception("b", "m")
TURNS = automaton([(0, ASK, 1), (1, HEAR, 0)], initial=[0], final=[0])


def test_parts_in_any_order_make_the_same_automaton() -> None:
    edges = [(1, HEAR, 0), (0, ASK, 1), (1, HEAR, 0)]
    assert automaton(edges, initial=[0, 0], final=(0,), letters=[HEAR]) == TURNS
    assert TURNS.letters == (ASK, HEAR)
    assert TURNS.edges == (Edge(0, 0, 1), Edge(1, 1, 0))
    assert (TURNS.states, TURNS.initial, TURNS.final) == (2, 1, 1)
    assert TURNS.lifelines == ("a", "b")


def test_states_letters_and_lifelines_may_be_without_edges() -> None:
    silent = emission("c", "x")
    more = automaton([], initial=[0], final=[4], states=3, letters=[silent], lifelines=["d"])
    assert (more.states, more.letters, more.lifelines) == (5, (silent,), ("c", "d"))
    assert more.letters_of == {"c": (0,), "d": ()}
    assert automaton([], initial=[], final=[]).states == 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"letters": (HEAR, ASK)}, "letters are to be sorted"),
        ({"letters": (ASK, ASK)}, "letters are to be sorted"),
        ({"lifelines": ("b", "a")}, "lifelines are to be sorted"),
        ({"lifelines": ("a",)}, r"letters are on \['b'\]"),
        ({"states": -1}, "no such number"),
        ({"initial": 4}, "initial states are numbered from 0 to 1"),
        ({"final": -1}, "final states are numbered from 0 to 1"),
        ({"edges": (Edge(0, 0, 2),)}, "there are 2 states and 2 letters"),
        ({"edges": (Edge(0, 2, 1),)}, "there are 2 states and 2 letters"),
        ({"edges": (Edge(-1, 0, 1),)}, "there are 2 states and 2 letters"),
        ({"edges": (Edge(1, 1, 0), Edge(0, 0, 1))}, "edges are to be sorted"),
        ({"edges": (Edge(0, 0, 1), Edge(0, 0, 1))}, "edges are to be sorted"),
    ],
)
def test_what_is_out_of_order_is_refused(change: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        replace(TURNS, **change)


def test_negative_states_are_refused() -> None:
    with pytest.raises(ValueError, match="numbered from 0"):
        automaton([(-1, ASK, 0)], initial=[0], final=[0])


def test_words_are_accepted_where_a_path_reads_them() -> None:
    assert TURNS.accepts([])
    assert TURNS.accepts([ASK, HEAR, ASK, HEAR])
    assert not TURNS.accepts([ASK])
    assert not TURNS.accepts([HEAR, ASK])
    assert not TURNS.accepts([emission("a", "unheard")])


@pytest.mark.parametrize("seed", range(50))
def test_tables_say_what_the_edges_say(seed: int) -> None:
    rng = Random(seed)
    one = drawn_automaton(rng)
    for letter in range(len(one.letters)):
        leads = {(edge.source, edge.target) for edge in one.edges if edge.letter == letter}
        assert set(members(one.sources[letter])) == {source for source, _ in leads}
        assert set(members(one.targets[letter])) == {target for _, target in leads}
        some = rng.getrandbits(one.states)
        after = {target for source, target in leads if some >> source & 1}
        before = {source for source, target in leads if some >> target & 1}
        assert set(members(one.after(some, letter))) == after
        assert set(members(one.before(some, letter))) == before
    assert [number for there in one.outgoing for number in there] == [*range(len(one.edges))]
    assert all(
        one.edges[n].source == state for state in range(one.states) for n in one.outgoing[state]
    )
    assert sorted(n for there in one.incoming for n in there) == [*range(len(one.edges))]
    assert all(
        one.edges[n].target == state for state in range(one.states) for n in one.incoming[state]
    )
    owners = {n: name for name, numbers in one.letters_of.items() for n in numbers}
    assert [owners[n] for n in range(len(one.letters))] == [by.lifeline for by in one.letters]
    choices = [(edge.source, edge.letter) for edge in one.edges]
    assert one.is_deterministic == (
        len(set(choices)) == len(choices) and len([*members(one.initial)]) < 2
    )


def test_digests_are_those_of_the_values() -> None:
    """The digest is pinned, since files that are kept for long have it."""
    assert TURNS.digest == "ada65c29575f1093e23ff60d6766eb5ff53d93dcc1a25ef96aeb4170f9afa6d4"
    assert pickle.loads(pickle.dumps(TURNS)).digest == TURNS.digest
    others: list[Automaton] = [
        replace(TURNS, states=3),
        replace(TURNS, initial=2),
        replace(TURNS, initial=3),
        replace(TURNS, final=0),
        replace(TURNS, lifelines=("a", "b", "c")),
        replace(TURNS, edges=TURNS.edges[:1]),
        automaton([(0, ASK, 1), (1, emission("b", "m"), 0)], initial=[0], final=[0]),
        automaton([(0, ASK, 1), (1, Action("b", "?", "\ud800"), 0)], initial=[0], final=[0]),
    ]
    assert len({TURNS.digest, *(other.digest for other in others)}) == 9


def test_sets_of_states_have_their_members() -> None:
    assert [*members(0b101001)] == [0, 3, 5]
    assert state_set([5, 0, 3, 3]) == 0b101001
    assert state_set([]) == 0
