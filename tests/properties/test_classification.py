"""Definition 4: which transitions are forward."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choreomon.core.errors import PropertyError
from choreomon.properties import classification
from choreomon.properties.automaton import SelfLoop, StatedTransition, sequence_automaton
from choreomon.properties.automaton_defects import MAX_STATES, MAX_TRANSITIONS
from choreomon.properties.classification import forward_pairs, reflexive_reach, simple_path_pairs
from choreomon.properties.formula import Truth
from tests.properties.words import automaton, formed, letter, pairs, stated

STATES = [f"q{number}" for number in range(7)]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[str], list[str], list[tuple[str, str]]]:
    """Initial states, final states and pairs of up to 7 states."""
    states = STATES[: draw(st.integers(2, 7))]
    ends = st.lists(st.sampled_from(states), min_size=1, max_size=3)
    every = [(u, v) for u in states for v in states]
    edges = st.lists(st.sampled_from(every), max_size=3 * len(states))
    return draw(ends), draw(ends), draw(edges)


@settings(max_examples=3000)
@given(graphs())
def test_the_search_finds_the_pairs_that_enumerating_all_simple_paths_finds(graph: Any) -> None:
    initial, final, edges = graph
    assert forward_pairs(initial, final, edges) == simple_path_pairs(initial, final, edges)


@settings(max_examples=200)
@given(graphs())
def test_reach_is_reflexive_transitive_and_made_of_pairs(graph: Any) -> None:
    _, _, edges = graph
    reach = reflexive_reach(STATES, edges)
    slow = {(state, state) for state in STATES} | set(edges)
    for middle in STATES:
        slow |= {(u, v) for u in STATES for v in STATES if {(u, middle), (middle, v)} <= slow}
    assert {(u, v) for u in STATES for v in reach[u]} == slow


def test_a_simple_path_may_pass_through_initial_and_final_states() -> None:
    edges = [("q0", "q1"), ("q1", "q2"), ("q2", "q3")]
    assert forward_pairs(["q0", "q1"], ["q1", "q3"], edges) == set(edges)


def test_both_ways_of_a_pair_are_forward_where_both_lie_on_simple_paths() -> None:
    edges = [("q0", "q1"), ("q0", "q2"), ("q1", "q2"), ("q2", "q1"), ("q1", "q3"), ("q2", "q3")]
    assert forward_pairs(["q0"], ["q3"], edges) == set(edges)


def test_transitions_that_lead_back_are_recognised_without_being_stated() -> None:
    found = automaton("q0 a q1, q1 b q2, q2 v q0, q2 w q1", final="q2")
    assert pairs(found, "forward") == {"q0 a q1", "q1 b q2"}
    assert pairs(found, "backward") == {"q2 v q0", "q2 w q1"}


def test_parallel_transitions_share_their_kind() -> None:
    found = automaton("q0 a q1, q0 b q1, q1 v q0, q1 w q0", final="q1")
    assert pairs(found, "forward") == {"q0 a q1", "q0 b q1"}
    assert pairs(found, "backward") == {"q1 v q0", "q1 w q0"}


def test_transitions_that_differ_in_nothing_are_one() -> None:
    found = automaton("q0 a q1, q0 a q1, q1 v q0, q1 v q0!", final="q1")
    assert (len(found.forward), len(found.backward)) == (1, 1)


def test_a_right_statement_about_backward_changes_nothing() -> None:
    triples = "q0 a q1, q1 b q2, q2 v q0"
    assert automaton(triples + "!", final="q2") == automaton(triples, final="q2")


def test_a_forward_transition_stated_to_be_backward_is_refused_with_its_path() -> None:
    with pytest.raises(PropertyError) as caught:
        automaton("q0 a q1, q1 b q2!", final="q2")
    (defect,) = caught.value.defects
    assert defect.path == ("transitions", 1)
    assert "q1 -> q2 (P1 -> P9 : b) is stated to be backward, but lies on a sim" in defect.message


def test_a_backward_transition_stated_to_be_forward_is_refused_with_its_path() -> None:
    back = StatedTransition("q1", letter("v"), "q0", False, ("transitions", 1))
    with pytest.raises(PropertyError) as caught:
        sequence_automaton(initial=["q0"], final=["q1"], transitions=[*stated("q0 a q1"), back])
    (defect,) = caught.value.defects
    assert defect.path == ("transitions", 1)
    assert "q1 -> q0 (P1 -> P9 : v) is stated to be forward" in defect.message


@pytest.mark.parametrize("triple", ["q1 c q3", "q1 c q3!"])
def test_a_transition_to_a_dead_end_is_neither_forward_nor_backward(triple: str) -> None:
    with pytest.raises(PropertyError) as caught:
        automaton(f"q0 a q1, q1 b q2, {triple}", final="q2")
    (defect,) = caught.value.defects
    assert defect.path == ("transitions", 2)
    assert "is neither forward" in defect.message
    assert "nor backward" in defect.message


@pytest.mark.parametrize(
    ("triples", "initial", "final", "states"),
    [
        ("q0 a q1, q1 b q0", "q0", "q0", "q0"),
        ("q2 a q1, q2 b q0", "q2 q0 q1", "q2", "q2"),
    ],
)
def test_an_automaton_that_can_never_be_formed_is_refused_at_its_final_states(
    triples: str, initial: str, final: str, states: str
) -> None:
    with pytest.raises(PropertyError) as caught:
        automaton(triples, initial=initial, final=final)
    (defect,) = caught.value.defects
    assert defect.path == ("final",)
    assert f"no forward transition leads into {states}, so" in defect.message


@pytest.mark.parametrize(
    ("triples", "place", "state", "fix"),
    [
        ("q0 a q1, q7 b q2, q1 v q0", 1, "q7", "; did you mean 'q1'?"),
        ("q0 a q1, q1 b q2, q2 c q3, q9 v q0, q9 w q1", 3, "q9", "; did you mean 'q3'?"),
        ("q0 a open, opne b q2", 1, "opne", "; did you mean 'open'?"),
        ("q0 a q1, q1 b q2, late c q1", 2, "late", ": let one lead there, or name late as initial"),
        ("q0 a q2, x b y, y c x, y d q2", 1, "x", ": let one lead there, or name x as initial"),
    ],
)
def test_a_transition_from_a_state_that_is_never_reached_is_told_before_what_follows(
    triples: str, place: int, state: str, fix: str
) -> None:
    with pytest.raises(PropertyError) as caught:
        automaton(triples, final="q2")
    defect = caught.value.defects[0]
    assert defect.path == ("transitions", place)
    assert f"since no transitions lead from an initial state to {state}{fix}" in defect.message
    assert [d for d in caught.value.defects if f"to {state}{fix}" in d.message] == [defect]


def test_an_automaton_of_self_loops_alone_is_refused() -> None:
    with pytest.raises(PropertyError) as caught:
        sequence_automaton(
            initial=["q0"], final=["q0"], transitions=[], self_loops=[SelfLoop("q0", Truth())]
        )
    (defect,) = caught.value.defects
    assert defect.path == ("final",)
    assert "starting in a final state does not form it" in defect.message


def test_a_forward_transition_into_an_initial_state_forms_the_sequence() -> None:
    assert formed(automaton("q0 a q1", initial="q0 q1", final="q1"), "a") == [0]


def test_every_defect_is_told_and_not_only_the_first() -> None:
    with pytest.raises(PropertyError) as caught:
        automaton("q0 a q1!, q1 b q2, q1 c q3, q3 d q4", final="q2")
    assert [defect.path[1] for defect in caught.value.defects] == [0, 2, 3]


def test_a_transition_from_a_state_to_itself_is_told_to_be_a_self_loop() -> None:
    with pytest.raises(PropertyError) as caught:
        automaton("q0 a q1, q1 b q1", final="q1")
    (defect,) = caught.value.defects
    assert defect.path == ("transitions", 1)
    assert "is a self-loop" in defect.message


@pytest.mark.parametrize(
    ("initial", "final", "path", "words"),
    [
        ("", "q1", ("initial",), "at least one initial state"),
        ("q0", "", ("final",), "at least one final state"),
        ("q0 q7", "q1", ("initial", 1), "unknown state 'q7'"),
        ("q0", "q8 q1", ("final", 0), "the states are q0, q1"),
    ],
)
def test_initial_and_final_states_must_be_given_and_known(
    initial: str, final: str, path: tuple[str | int, ...], words: str
) -> None:
    with pytest.raises(PropertyError) as caught:
        automaton("q0 a q1", initial=initial, final=final)
    (defect,) = caught.value.defects
    assert defect.path == path
    assert words in defect.message


def chain(states: int) -> list[StatedTransition]:
    return [
        StatedTransition(f"q{number}", letter(f"m{number}"), f"q{number + 1}")
        for number in range(states - 1)
    ]


def test_as_many_states_as_promised_are_supported_and_no_more() -> None:
    last = f"q{MAX_STATES - 1}"
    found = sequence_automaton(initial=["q0"], final=[last], transitions=chain(MAX_STATES))
    assert len(found.states) == MAX_STATES == 256
    with pytest.raises(PropertyError, match="has 257 states; at most 256"):
        sequence_automaton(initial=["q0"], final=[last], transitions=chain(MAX_STATES + 1))


def test_as_many_transitions_as_promised_are_supported_and_no_more() -> None:
    parallel = [StatedTransition("q0", letter(f"m{n}"), "q1") for n in range(MAX_TRANSITIONS + 1)]
    found = sequence_automaton(initial=["q0"], final=["q1"], transitions=parallel[:-1])
    assert len(found.forward) == MAX_TRANSITIONS == 4096
    with pytest.raises(PropertyError, match="has 4097 transitions; at most 4096"):
        sequence_automaton(initial=["q0"], final=["q1"], transitions=parallel)


def test_self_loops_count_among_the_transitions() -> None:
    parallel = [StatedTransition("q0", letter(f"m{n}"), "q1") for n in range(MAX_TRANSITIONS)]
    with pytest.raises(PropertyError, match="has 4097 transitions; at most 4096"):
        sequence_automaton(
            initial=["q0"],
            final=["q1"],
            transitions=parallel,
            self_loops=[SelfLoop("q0", Truth())],
        )


def test_an_automaton_without_transitions_knows_no_states() -> None:
    with pytest.raises(PropertyError) as caught:
        sequence_automaton(initial=["q0"], final=["q1"], transitions=[])
    assert [defect.path for defect in caught.value.defects] == [("initial", 0), ("final", 0)]
    assert caught.value.defects[0].message.endswith("the states are (none)")


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Counts searches for reachable states, of which every step makes at most two."""
    count = [0]
    reachable = classification.reachable

    def counting(sources: Iterable[str], after: Any, avoiding: Collection[str] = ()) -> set[str]:
        count[0] += 1
        return reachable(sources, after, avoiding)

    monkeypatch.setattr(classification, "reachable", counting)
    return count


def entangled(states: int) -> list[tuple[str, str]]:
    """Every two of `states` are joined both ways; the edge (u, v) needs the state `bridge`
    twice, once to reach u and once to leave v, which only trying all paths shows."""
    inner = [f"k{number}" for number in range(states)]
    return [
        ("start", "k0"),
        *((one, other) for one in inner for other in inner[1:] if one != other),
        *((one, "bridge") for one in inner),
        ("bridge", "u"),
        ("u", "v"),
        ("v", "bridge"),
        ("bridge", "end"),
    ]


def test_an_entangled_automaton_is_refused_within_bounded_work(searches: list[int]) -> None:
    edges = entangled(12)
    states = {state for edge in edges for state in edge}
    transitions = [StatedTransition(u, letter("a"), v) for u, v in edges]
    with pytest.raises(PropertyError, match="too entangled"):
        sequence_automaton(initial=["start"], final=["end"], transitions=transitions)
    assert searches[0] <= 2 * (classification.MAX_STEPS + 1) + len(states) + 2


def test_a_small_entangled_graph_is_still_classified() -> None:
    edges = entangled(4)
    found = forward_pairs(["start"], ["end"], edges)
    assert found == simple_path_pairs(["start"], ["end"], edges)
    assert set(edges) - found == {("bridge", "u"), ("u", "v"), ("v", "bridge")}


def test_a_long_chain_with_many_cancellations_takes_few_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of 200 states, back from every one to the first, the middle and the one before it."""
    states = [f"q{number}" for number in range(200)]
    ahead = [*pairwise(states)]
    back = [
        (states[number], states[earlier])
        for number in range(2, 200)
        for earlier in {0, number // 2, number - 1}
    ]
    monkeypatch.setattr(classification, "MAX_STEPS", 2 * len(states) + len(back))
    assert forward_pairs(states[:1], states[-1:], [*back, *ahead]) == set(ahead)
