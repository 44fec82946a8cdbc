"""Pre- and vio-transitions, and the tables they are split into (Definitions 5 to 7)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choreomon.core.message import HANDLE, SEND, Label, Message
from choreomon.core.stated_rule import NOT_TOLD, RuleStates, StatedRule
from choreomon.core.verdict import Reference
from choreomon.properties.automaton import (
    SequenceAutomaton,
    StatedTransition,
    Transition,
    sequence_automaton,
)
from choreomon.properties.relations import cancels, pre_transitions, vio_transitions
from choreomon.properties.resting import MANY, Need
from choreomon.properties.tables import (
    RULES_NAMES,
    Inspected,
    Row,
    RulesName,
    TransitionTable,
    transition_tables,
)
from tests.laws.crowds import crowded
from tests.properties.stated import automaton_of
from tests.properties.tables_by_definition import rows_by_definition, skeletons_by_definition
from tests.properties.words import automaton, letter
from tests.strategies import PROCESSES, automata

NONE: tuple[Reference, ...] = ()


def send(sender: str, name: str, receiver: str) -> Label:
    return Label(SEND, Message(sender, name, receiver))


M1, M4, M7 = send("P1", "m1", "P3"), send("P1", "m4", "P3"), send("P1", "m7", "P3")
M3, M5 = send("P2", "m3", "P3"), send("P2", "m5", "P3")
M2, M6 = send("P3", "m2", "P1"), send("P3", "m6", "P1")


def fig_4() -> SequenceAutomaton:
    return sequence_automaton(
        initial=["q0"],
        final=["q4"],
        transitions=[
            StatedTransition(source, label, target)
            for source, label, target in [
                ("q0", M1, "q1"),
                ("q1", M3, "q2"),
                ("q2", M7, "q4"),
                ("q0", M2, "q3"),
                ("q3", M4, "q4"),
                ("q2", M5, "q0"),
                ("q2", M6, "q1"),
                ("q3", M5, "q0"),
            ]
        ],
    )


def row(
    source: str,
    label: Label,
    target: str,
    pre: Reference | None,
    vio: tuple[Reference, ...] = NONE,
    *,
    final: bool = False,
) -> Row:
    return Row(Transition(source, label, target), final, pre, vio)


def at(source: str, process: str, target: str) -> Reference:
    return Reference(source, process, target)


def tables_of(
    automaton: SequenceAutomaton, rules: RulesName = "sound"
) -> dict[str, TransitionTable]:
    return transition_tables(automaton, ("P1", "P2", "P3"), rules)


# --- the paper's Tables 1 to 3 ------------------------------------------------------


def test_table_1_of_the_paper() -> None:
    """The first row is not final: the sign that says otherwise in extracted text is wrong."""
    assert tables_of(fig_4(), "paper")["P1"].rows == (
        row("q0", M1, "q1", None),
        row(
            "q2",
            M7,
            "q4",
            at("q1", "P2", "q2"),
            (at("q2", "P2", "q0"), at("q2", "P3", "q1")),
            final=True,
        ),
        row("q3", M4, "q4", at("q0", "P3", "q3"), (at("q3", "P2", "q0"),), final=True),
    )


def test_table_2_of_the_paper_with_two_rows_for_m5() -> None:
    assert tables_of(fig_4(), "paper")["P2"].rows == (
        row("q1", M3, "q2", at("q0", "P1", "q1"), (at("q2", "P2", "q0"),)),
        row("q2", M5, "q0", at("q1", "P2", "q2")),
        row("q3", M5, "q0", at("q0", "P3", "q3")),
    )


def test_table_3_of_the_paper() -> None:
    assert tables_of(fig_4(), "paper")["P3"].rows == (
        row("q0", M2, "q3", None),
        row("q2", M6, "q1", at("q1", "P2", "q2")),
    )


def test_sound_rules_add_to_figure_4_the_vio_transitions_of_backward_rows_alone() -> None:
    sound, paper = tables_of(fig_4()), tables_of(fig_4(), "paper")
    assert sound["P1"].rows == paper["P1"].rows
    assert sound["P2"].rows == (
        paper["P2"].rows[0],
        row("q2", M5, "q0", at("q1", "P2", "q2"), (at("q2", "P2", "q0"), at("q2", "P3", "q1"))),
        row("q3", M5, "q0", at("q0", "P3", "q3"), (at("q3", "P2", "q0"),)),
    )
    assert sound["P3"].rows == (
        paper["P3"].rows[0],
        row("q2", M6, "q1", at("q1", "P2", "q2"), (at("q2", "P2", "q0"), at("q2", "P3", "q1"))),
    )


def test_one_message_is_inspected_once_for_each_transition_that_it_labels() -> None:
    inspected = tables_of(fig_4(), "paper")["P2"].inspections[M5]
    assert [(i.reference, i.needs) for i in inspected] == [
        (at("q2", "P2", "q0"), (Need(at("q1", "P2", "q2"), NONE),)),
        (at("q3", "P2", "q0"), (Need(at("q0", "P3", "q3"), NONE),)),
    ]


def test_readers_are_the_processes_whose_rows_name_a_transition() -> None:
    tables = tables_of(fig_4(), "paper")
    assert tables["P1"].readers == {
        at("q0", "P1", "q1"): ("P2",),
        at("q2", "P1", "q4"): (),
        at("q3", "P1", "q4"): (),
    }
    assert tables["P2"].readers == {
        at("q1", "P2", "q2"): ("P1", "P2", "P3"),
        at("q2", "P2", "q0"): ("P1", "P2"),
        at("q3", "P2", "q0"): ("P1",),
    }
    assert tables["P3"].readers == {
        at("q0", "P3", "q3"): ("P1", "P2"),
        at("q2", "P3", "q1"): ("P1",),
    }


# --- relations ----------------------------------------------------------------------


def names(transitions: tuple[Transition, ...]) -> list[str]:
    return [t.label.message.name for t in transitions]


def test_pre_transitions_of_a_backward_transition_lie_on_a_way_from_its_target() -> None:
    """Definition 5: b enters q3 on the way that v leads back over, c does not."""
    found = automaton("q0 a q1, q1 b q3, q0 d q2, q2 c q3, q3 e q4, q3 v q1", final="q4")
    back = found.backward[0]
    assert names(pre_transitions(found, back)) == ["b"]
    ahead = next(t for t in found.forward if t.label.message.name == "e")
    assert names(pre_transitions(found, ahead)) == ["b", "c"]


def test_a_cancellation_reaches_the_transitions_between_its_ends_and_no_others() -> None:
    found = automaton("q0 a q1, q1 b q2, q2 c q3, q3 d q4, q3 v q1, q2 w q0", final="q4")
    assert {t.label.message.name: names(vio_transitions(found, t)) for t in found.forward} == {
        "a": ["w"],
        "b": ["v", "w"],
        "c": ["v"],
        "d": [],
    }


def test_without_a_reflexive_reach_the_papers_own_example_would_have_no_vio_transitions() -> None:
    found = fig_4()
    ahead = Transition("q0", M2, "q3")
    assert vio_transitions(found, ahead) == (Transition("q3", M5, "q0"),)
    assert cancels(found, Transition("q3", M5, "q0"), ahead)
    assert not cancels(found, Transition("q2", M5, "q0"), ahead)


# --- what sound rules add -----------------------------------------------------------


def test_an_initial_state_with_incoming_transitions_has_an_initial_row_only_when_sound() -> None:
    found = automaton("q0 a q1, q1 b q2", initial="q0 q1", final="q2")
    b = found.forward[1]
    assert tables_of(found)["P1"].rows[1:] == (
        Row(b, True, None, ()),
        Row(b, True, at("q0", "P1", "q1"), ()),
    )
    assert tables_of(found, "paper")["P1"].rows[1:] == (Row(b, True, at("q0", "P1", "q1"), ()),)
    (inspected,) = tables_of(found)["P1"].inspections[b.label]
    assert inspected.starts
    assert inspected.needs == (Need(at("q0", "P1", "q1"), ()),)


def test_a_backward_transition_never_has_an_initial_row_and_is_never_final() -> None:
    found = automaton("q0 a q1, q1 b q2, q2 c q3, q2 v q1, q1 w q0", initial="q0 q1", final="q1 q3")
    rows = [r for r in tables_of(found)["P1"].rows if r.transition in found.backward]
    assert [(r.transition.label.message.name, r.final) for r in rows] == [
        ("v", False),
        ("w", False),
    ]
    assert all(r.pre is not None for r in rows)


# --- shared references, owners ------------------------------------------------------


def test_several_labels_of_one_process_between_two_states_share_one_reference() -> None:
    found = automaton("q0 a q1, q0 b q1, q1 c q2, q1 v q0, q1 w q0", final="q2")
    table = tables_of(found)["P1"]
    start, back = at("q0", "P1", "q1"), at("q1", "P1", "q0")
    assert table.watched_by == {
        start: {letter("a"), letter("b")},
        at("q1", "P1", "q2"): {letter("c")},
        back: {letter("v"), letter("w")},
    }
    assert table.inspections[letter("c")] == (
        Inspected(
            reference=at("q1", "P1", "q2"),
            final=True,
            starts=False,
            needs=(Need(start, (back,)),),
            asks=(("P1", (start, back)),),
        ),
    )


def test_labels_of_different_processes_between_two_states_have_references_of_their_own() -> None:
    found = automaton("q0 a q1, q0 b q1, q1 c q2", final="q2", watchers={"b": "P2", "c": "P3"})
    tables = tables_of(found)
    assert tables["P3"].inspections[letter("c", "P3")][0].asks == (
        ("P1", (at("q0", "P1", "q1"),)),
        ("P2", (at("q0", "P2", "q1"),)),
    )
    assert tables["P2"].watched_by == {at("q0", "P2", "q1"): {letter("b", "P2")}}


def test_a_handle_label_is_owned_by_the_receiver() -> None:
    handled = Label(HANDLE, Message("P1", "m", "P2"))
    found = automaton_of("q0", "q2", ("q0", handled, "q1"), ("q1", send("P3", "n", "P1"), "q2"))
    tables = tables_of(found)
    assert list(tables["P2"].inspections) == [handled]
    assert tables["P1"].rows == ()
    assert tables["P3"].rows[0].pre == at("q0", "P2", "q1")


def test_tables_keep_the_order_of_the_processes() -> None:
    assert list(transition_tables(fig_4(), ("P3", "P4", "P1", "P2"))) == ["P3", "P4", "P1", "P2"]


# --- laws ---------------------------------------------------------------------------


@settings(max_examples=200)
@given(automata(processes=PROCESSES, label_count=(3, 8)), st.sampled_from(["sound", "paper"]))
def test_no_table_contains_the_message_name_of_a_label_that_only_others_watch(
    automaton: SequenceAutomaton, rules: RulesName
) -> None:
    for process, table in transition_tables(automaton, PROCESSES, rules).items():
        text = repr((table, table.inspections, table.watched_by))
        own = {x.message.name for x in automaton.labels if x.process == process}
        for label in automaton.labels:
            assert (label.message.name in text) == (label.message.name in own)


@settings(max_examples=200)
@given(automata(processes=PROCESSES))
def test_the_tables_together_say_what_the_relations_say(automaton: SequenceAutomaton) -> None:
    for process, table in transition_tables(automaton, PROCESSES).items():
        for transition in (*automaton.forward, *automaton.backward):
            rows = [r for r in table.rows if r.transition == transition]
            if transition.label.process != process:
                assert rows == []
                continue
            starts = transition in automaton.forward and transition.source in automaton.initial
            assert (None in {r.pre for r in rows}) == starts
            assert {(r.pre, v) for r in rows for v in r.vio} == {
                (pre.reference, vio.reference)
                for pre in pre_transitions(automaton, transition)
                for vio in vio_transitions(automaton, pre)
            }
            assert {r.pre for r in rows} - {None} == {
                pre.reference for pre in pre_transitions(automaton, transition)
            }


@settings(max_examples=200, deadline=None)
@given(
    automata(processes=PROCESSES),
    st.sampled_from([1, 2, MANY, MANY + 1]),
    st.sampled_from(RULES_NAMES),
)
def test_what_the_owners_of_a_step_share_is_what_each_rests_on_by_definition(
    automaton: SequenceAutomaton, crowd: int, rules: RulesName
) -> None:
    found, processes = crowded(automaton, PROCESSES, crowd)
    skeletons = skeletons_by_definition(found, processes)
    for process, table in transition_tables(found, processes, rules).items():
        rows = [(r.transition, r.pre, frozenset(r.vio)) for r in table.rows]
        assert len(rows) == len(set(rows))
        assert set(rows) == rows_by_definition(found, process, rules)
        if rules == "precise":
            assert {
                of: {(pre, frozenset(need.vio)) for need in needs for pre in need.pres}
                for of, needs in table.skeleton.items()
            } == skeletons[process]


def test_the_owners_of_a_step_share_what_it_rests_on() -> None:
    found, processes = crowded(automaton("q0 a q1, q1 b q2, q1 c q0", final="q2"), PROCESSES, 50)
    tables = transition_tables(found, processes, "precise")
    needs = [
        needed
        for table in tables.values()
        for of, needed in table.skeleton.items()
        if (of.source, of.target) == ("q1", "q0")
    ]
    assert len(needs) == 50 * 50
    assert len({id(each) for each in needs}) == 1
    (need,) = needs[0]
    assert (len(need.pres), len(need.vio)) == (50, 50)


@settings(max_examples=200)
@given(automata(processes=PROCESSES), st.sampled_from(["sound", "paper"]))
def test_a_process_reads_a_transition_exactly_when_it_would_ask_for_it(
    automaton: SequenceAutomaton, rules: RulesName
) -> None:
    tables = transition_tables(automaton, PROCESSES, rules)
    asked = {
        (reference, process)
        for process, table in tables.items()
        for inspections in table.inspections.values()
        for inspected in inspections
        for owner, references in inspected.asks
        for reference in references
        if owner == reference.process
    }
    assert asked == {
        (reference, reader)
        for table in tables.values()
        for reference, readers in table.readers.items()
        for reader in readers
    }


@pytest.mark.parametrize("rules", ["sound", "paper"])
def test_the_transitions_that_a_row_names_are_owned_by_the_process_that_it_names(
    rules: RulesName,
) -> None:
    tables = tables_of(fig_4(), rules)
    for table in tables.values():
        for found in table.rows:
            for reference in (*((found.pre,) if found.pre else ()), *found.vio):
                assert reference in tables[reference.process].watched_by


def test_of_a_rule_a_table_has_the_states_that_its_rows_lead_from_and_to() -> None:
    one = automaton_of("q0", "q2", ("q0", M1.message, "q1"), ("q1", send("P2", "n", "P1"), "q2"))
    stated = RuleStates(StatedRule("r", line=3), frozenset(("q0", "q1", "q2")))
    tables = transition_tables(replace(one, rules=(stated,)), PROCESSES)
    assert tables["P1"].rules == (RuleStates(NOT_TOLD, frozenset(("q0", "q1"))),)
    assert tables["P2"].rules == (RuleStates(StatedRule("r"), frozenset(("q1", "q2"))),)
