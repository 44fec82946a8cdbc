"""Self-loops and their formulas (the paper, section 3; docs/properties.md, "Self-loops")."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.core.errors import PropertyError
from choreomon.core.message import HANDLE, Label
from choreomon.properties.automaton import SelfLoop, SequenceAutomaton, sequence_automaton
from choreomon.properties.automaton_defects import MAX_TRANSITIONS
from choreomon.properties.formula import And, Atom, Formula, Not, Truth, labels_of, satisfies
from choreomon.sentences.wording import formula_in_words
from tests.properties.words import automaton, formed, letter, pairs, stated

A, B, C, V = letter("a"), letter("b"), letter("c"), letter("v")
LOOP = ("transitions", 9)


def loop(state: str, *formulas: Formula) -> tuple[SelfLoop, ...]:
    return tuple(SelfLoop(state, formula, LOOP) for formula in formulas)


# --- formulas -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("formula", "satisfied"),
    [
        (Truth(), "abc"),
        (Not(Truth()), ""),
        (Atom(A), "a"),
        (Not(Atom(A)), "bc"),
        (And((Not(Atom(A)), Not(Atom(B)))), "c"),
        (And((Atom(A), Atom(B))), ""),
        (Not(And((Atom(A), Not(Atom(B))))), "bc"),
        (And(()), "abc"),
    ],
)
def test_a_formula_is_satisfied_by_exactly_these_labels(formula: Formula, satisfied: str) -> None:
    assert "".join(x.message.name for x in (A, B, C) if satisfies(x, formula)) == satisfied


def test_sending_and_handling_one_message_are_told_apart() -> None:
    assert not satisfies(Label(HANDLE, A.message), Atom(A))


formulas: st.SearchStrategy[Formula] = st.recursive(
    st.sampled_from([Truth(), Atom(A), Atom(B), Atom(C)]),
    lambda inner: st.builds(Not, inner) | st.builds(And, st.lists(inner, max_size=3).map(tuple)),
    max_leaves=6,
)


@given(formulas, formulas)
def test_a_label_that_a_formula_does_not_name_is_like_any_other_such_label(
    formula: Formula, other: Formula
) -> None:
    assert labels_of(And((formula, other))) == labels_of(formula) | labels_of(other)
    unnamed = [x for x in (A, B, C, V, letter("z")) if x not in labels_of(formula)]
    assert len({satisfies(x, formula) for x in unnamed}) == 1


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        (Truth(), "true"),
        (Not(Atom(A)), f"not {A}"),
        (And((Not(Atom(A)), Truth())), f"(not {A}) and true"),
        (And((Atom(A), Atom(B), Atom(C))), f"{A} and {B} and {C}"),
        (Not(And((Atom(A), Truth()))), f"not ({A} and true)"),
        (And((And((Atom(A), Atom(B))), Atom(C))), f"({A} and {B}) and {C}"),
        (Not(Not(Atom(A))), f"not (not {A})"),
        (And((And((Not(Atom(A)),)), Atom(B))), f"(not {A}) and {B}"),
        (And((Not(Atom(A)),)), f"not {A}"),
        (And((And(()), Atom(A))), f"true and {A}"),
    ],
)
def test_a_formula_in_words_says_what_belongs_together(formula: Formula, words: str) -> None:
    assert formula_in_words(formula) == words


# --- self-loops ---------------------------------------------------------------------

FIG_2 = "q0 1 q1, q1 3 q2, q2 7 q4, q0 2 q3, q3 4 q4, q2 5 q0, q2 6 q1, q3 5 q0"


def test_the_self_loop_of_the_papers_figure_2_can_be_split() -> None:
    """q3 ignores every message but m4 and m5, for which it has transitions."""
    formula = And((Not(Atom(letter("4"))), Not(Atom(letter("5")))))
    plain = automaton(FIG_2, final="q4")
    looped = automaton(FIG_2, final="q4", self_loops=loop("q3", formula))
    assert (looped.forward, looped.backward) == (plain.forward, plain.backward)
    assert looped.self_loops == loop("q3", formula)
    assert pairs(looped, "backward") == {"q2 5 q0", "q2 6 q1", "q3 5 q0"}
    assert formed(looped, "24") == [1]
    assert formed(looped, "254") == []
    assert formed(looped, "2524") == [3]
    assert formed(looped, "2137..4") == [3, 6]
    assert formed(looped, "21364") == [4]


STEPS = "q0 a q1, q1 b q2, q2 c q3"


def test_a_self_loop_that_forbids_a_message_without_a_transition_is_refused() -> None:
    with pytest.raises(PropertyError) as caught:
        automaton(STEPS, final="q3", self_loops=loop("q1", Not(Atom(C))))
    (defect,) = caught.value.defects
    assert defect.path == LOOP
    assert "the self-loop of q1 forbids P1 -> P9 : c" in defect.message
    assert "undecidable_self_loop: cancel" in defect.message


def test_what_is_undecidable_at_the_only_initial_state_is_told_once() -> None:
    """It could not be cancelled either, but nobody asked for that."""
    with pytest.raises(PropertyError) as caught:
        automaton(STEPS, final="q3", self_loops=loop("q0", Not(Atom(C))))
    (defect,) = caught.value.defects
    assert "the self-loop of q0 forbids P1 -> P9 : c, for which q0 has no other" in defect.message


def test_a_message_that_only_a_formula_names_is_in_the_range_of_self_loops() -> None:
    with pytest.raises(PropertyError, match="q1 forbids P1 -> P9 : v"):
        automaton(STEPS, final="q3", self_loops=loop("q1", Not(Atom(V))))
    with pytest.raises(PropertyError, match="q2 forbids P1 -> P9 : v"):
        automaton(
            STEPS,
            final="q3",
            self_loops=(
                *loop("q1", Truth(), Atom(V)),
                *loop("q2", Atom(A), Atom(B), Atom(C)),
            ),
        )


def test_messages_that_only_a_formula_names_come_in_their_own_order() -> None:
    """A formula names a set of them, in no order that two runs share."""
    names = "vwxyz"
    forbidding = And(tuple(Not(Atom(letter(name))) for name in reversed(names)))
    found = automaton(
        STEPS, final="q3", self_loops=loop("q1", forbidding), undecidable_self_loop="cancel"
    )
    assert "".join(t.label.message.name for t in found.backward) == names


def test_a_forbidden_message_with_a_transition_is_not_undecidable() -> None:
    triples = f"{STEPS}, q1 v q0, q2 v q0"
    assert automaton(triples, final="q3", self_loops=loop("q1", Not(Atom(V)))).self_loops


def test_several_self_loops_of_one_state_are_a_union() -> None:
    allowed = loop("q1", Not(Atom(C)), Atom(C))
    assert automaton(STEPS, final="q3", self_loops=allowed).backward == ()
    with pytest.raises(PropertyError, match="q1 forbids P1 -> P9 : c"):
        automaton(STEPS, final="q3", self_loops=loop("q1", Atom(A), Atom(B)))


def test_a_state_without_a_self_loop_ignores_whatever_it_does_not_mention() -> None:
    assert formed(automaton(STEPS, final="q3"), "acacbabc") == [7]


def test_cancel_turns_a_forbidden_message_into_a_transition_back_to_the_initial_state() -> None:
    found = automaton(
        STEPS, final="q3", self_loops=loop("q1", Not(Atom(C))), undecidable_self_loop="cancel"
    )
    assert pairs(found, "backward") == {"q1 c q0"}
    assert formed(found, "abc") == [2]
    assert formed(found, "acbc") == []


def test_cancel_leads_back_to_every_initial_state_that_reaches_it_and_to_no_other() -> None:
    found = automaton(
        "q0 a q2, q1 b q2, q2 c q3, q4 d q3, q4 e q5, q5 f q3",
        initial="q0 q1 q4",
        final="q3",
        self_loops=loop("q2", Not(And((Not(Atom(A)), Not(Atom(letter("e"))))))),
        undecidable_self_loop="cancel",
    )
    forbidden = "bdf"  # q2 itself has a transition on c, the loop allows a and e
    assert pairs(found, "backward") == {
        f"q2 {name} {start}" for name in forbidden for start in ("q0", "q1")
    }


def test_cancel_is_refused_where_it_would_lie_on_a_simple_path() -> None:
    """q1 --b--> q2 --back--> q0 --a--> q3 would be a simple path to the final state."""
    with pytest.raises(PropertyError) as caught:
        automaton(
            "q1 b q2, q0 c q2, q2 d q4, q0 a q3",
            initial="q0 q1",
            final="q3 q4",
            self_loops=loop("q2", Not(Atom(A))),
            undecidable_self_loop="cancel",
        )
    (defect,) = caught.value.defects
    assert defect.path == LOOP
    assert "a cancellation from there to q0 would lie on a simple path" in defect.message
    assert "stated" not in defect.message


def test_cancel_is_refused_where_no_other_initial_state_reaches_the_state() -> None:
    with pytest.raises(PropertyError) as caught:
        automaton(
            STEPS, final="q3", self_loops=loop("q0", Not(Atom(C))), undecidable_self_loop="cancel"
        )
    (defect,) = caught.value.defects
    assert defect.path == LOOP
    assert "q0 forbids P1 -> P9 : c, but there is no other initial state" in defect.message


def test_the_transitions_that_self_loops_add_count_towards_the_bound() -> None:
    messages = [letter(f"m{number}") for number in range(400)]
    chain = ", ".join(f"q{number} a q{number + 1}" for number in range(12))
    with pytest.raises(PropertyError, match=f"at most {MAX_TRANSITIONS} are supported"):
        sequence_automaton(
            initial=["q0"],
            final=["q12"],
            transitions=stated(chain),
            self_loops=[
                SelfLoop(f"q{number}", And(tuple(Not(Atom(m)) for m in messages)))
                for number in range(1, 12)
            ],
            undecidable_self_loop="cancel",
        )


def test_self_loops_and_what_they_add_count_together() -> None:
    """Two transitions, the loop, one for a and one for each other message."""

    def forbidding(messages: int) -> SequenceAutomaton:
        others = tuple(Atom(letter(f"m{number}")) for number in range(messages))
        return automaton(
            "q0 a q1, q1 b q2",
            final="q2",
            self_loops=loop("q1", And((Not(Truth()), *others))),
            undecidable_self_loop="cancel",
        )

    assert len(forbidding(MAX_TRANSITIONS - 4).backward) == MAX_TRANSITIONS - 3
    with pytest.raises(PropertyError, match=f"has {MAX_TRANSITIONS + 1} transitions"):
        forbidding(MAX_TRANSITIONS - 3)
