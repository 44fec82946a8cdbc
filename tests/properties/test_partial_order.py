"""The semantics over a partial order: searching consistent cuts = enumerating orders."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choreomon.core.errors import BudgetExceeded
from choreomon.core.message import HANDLE, SEND, Event, Label, Message
from choreomon.properties import partial_order
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.partial_order import MAX_CUTS, Formed, evaluate, evaluate_slowly
from tests.properties.words import automaton, letter
from tests.strategies import PROCESSES, Execution, automata, executions

ALWAYS, NEVER, SOMETIMES = Formed.ALWAYS, Formed.NEVER, Formed.SOMETIMES


@st.composite
def cases(draw: st.DrawFn) -> tuple[SequenceAutomaton, Execution]:
    processes = PROCESSES[: draw(st.integers(2, 4))]
    found = draw(automata(processes=processes))
    return found, draw(executions(found, processes=processes))


@settings(max_examples=500)
@given(cases())
def test_searching_cuts_says_what_enumerating_all_orders_says(
    case: tuple[SequenceAutomaton, Execution],
) -> None:
    automaton, execution = case
    events = execution.labelled(automaton)
    assert evaluate(automaton, execution.processes, events) == evaluate_slowly(
        automaton, execution.processes, events
    )


@settings(max_examples=100)
@given(cases(), st.randoms(use_true_random=False))
def test_neither_unlabelled_events_nor_the_order_of_the_list_change_the_answer(
    case: tuple[SequenceAutomaton, Execution], random: Random
) -> None:
    automaton, execution = case
    labelled = execution.labelled(automaton)
    expected = dict(zip(labelled, evaluate(automaton, execution.processes, labelled), strict=True))
    shuffled = list(execution.events)
    random.shuffle(shuffled)
    for event, formed in zip(
        shuffled, evaluate(automaton, execution.processes, shuffled), strict=True
    ):
        assert formed == expected.get(event, NEVER)


P3 = ("P1", "P2", "P3")
STEPS = "q0 a q1, q1 b q2, q1 v q0"


def event(name: str, process: str, *clock: int) -> Event:
    return Event(letter(name, process), clock)


def both(
    automaton: SequenceAutomaton, processes: Sequence[str], events: Sequence[Event]
) -> list[Formed]:
    found = evaluate(automaton, processes, events)
    assert found == evaluate_slowly(automaton, processes, events)
    return found


def test_ordered_events_leave_no_doubt() -> None:
    found = automaton(STEPS, final="q2", watchers={"b": "P2", "v": "P3"})
    a, b = event("a", "P1", 1, 0, 0), event("b", "P2", 1, 1, 0)
    assert both(found, P3, [a, b]) == [NEVER, ALWAYS]
    assert both(found, P3, [a, event("v", "P3", 1, 0, 1), event("b", "P2", 1, 1, 1)])[2] == NEVER


def test_concurrent_events_leave_doubt() -> None:
    found = automaton(STEPS, final="q2", watchers={"b": "P2", "v": "P3"})
    a = event("a", "P1", 1, 0, 0)
    assert both(found, P3, [a, event("b", "P2", 0, 1, 0)]) == [NEVER, SOMETIMES]
    assert both(found, P3, [a, event("b", "P2", 1, 1, 0), event("v", "P3", 1, 0, 1)])[1] == (
        SOMETIMES
    )


def test_a_cancellation_spares_what_lies_before_the_state_that_it_leads_back_to() -> None:
    """And v does nothing, for w left the state that it leads out of."""
    found = automaton("q0 a q1, q1 b q2, q2 c q3, q2 w q1, q2 v q0", final="q3")
    for word in ("abwbc", "abwvbc"):
        events = [event(name, "P1", count) for count, name in enumerate(word, 1)]
        assert both(found, ("P1",), events) == [*[NEVER] * (len(word) - 1), ALWAYS]


def test_alternatives_that_exclude_each_other_can_leave_no_doubt_together() -> None:
    """b goes on from a whether or not v came between, by one way or the other."""
    found = automaton(
        "q0 a q1, q1 b q3, q1 v q2, q2 b q3", final="q3", watchers={"b": "P2", "v": "P3"}
    )
    events = [event("a", "P1", 1, 0, 0), event("b", "P2", 1, 1, 0), event("v", "P3", 1, 0, 1)]
    assert both(found, P3, events) == [NEVER, ALWAYS, NEVER]


def test_sending_and_handling_one_message_are_ordered_events() -> None:
    found = automaton("q0 a q1, q1 b q2", final="q2")
    message = Message("P1", "m", "P2")
    handled = Label(HANDLE, message)
    twice = SequenceAutomaton(
        states=found.states,
        initial=found.initial,
        final=found.final,
        forward=(
            found.forward[0]._replace(label=Label(SEND, message)),
            found.forward[1]._replace(label=handled),
        ),
        backward=(),
    )
    events = [Event(handled, (1, 1)), Event(Label(SEND, message), (1, 0))]
    assert both(twice, ("P1", "P2"), events) == [ALWAYS, NEVER]


def test_a_run_without_events_has_no_answers() -> None:
    assert both(automaton(STEPS, final="q2"), P3, []) == []


# --- bounds -------------------------------------------------------------------------


def silent_processes(
    processes: int, events: int
) -> tuple[SequenceAutomaton, tuple[str, ...], list[Event]]:
    """Processes that never hear of each other, with `events` events each, against an
    automaton of 4 states with 2 cancellations; every process sends all that it may."""
    names = tuple(f"P{number + 1}" for number in range(processes))
    letters = "abcvw"
    found = automaton(
        "q0 a q1, q1 b q2, q2 c q3, q1 v q0, q2 w q1",
        final="q3",
        watchers={letters[number]: name for number, name in enumerate(names)},
    )
    every = [
        event(letters[own], name, *(count if other == own else 0 for other in range(processes)))
        for own, name in enumerate(names)
        for count in range(1, events + 1)
    ]
    return found, names, every


def test_forty_events_on_five_silent_processes_visit_every_cut_once() -> None:
    found, names, events = silent_processes(5, 8)
    assert len(events) == 40
    answers = evaluate(found, names, events, max_cuts=9**5)
    assert [a == SOMETIMES for a in answers] == [e.process == "P3" for e in events]
    with pytest.raises(BudgetExceeded, match="more than 59048 consistent cuts"):
        evaluate(found, names, events, max_cuts=9**5 - 1)
    assert MAX_CUTS > 9**5


def test_a_run_in_which_all_is_ordered_visits_one_cut_an_event() -> None:
    found = automaton(STEPS, final="q2")
    events = [event("abv"[count % 3], "P1", count + 1) for count in range(300)]
    answers = evaluate(found, ("P1",), events, max_cuts=301)
    assert [a == ALWAYS for a in answers] == [count % 3 == 1 for count in range(300)]
    with pytest.raises(BudgetExceeded):
        evaluate(found, ("P1",), events, max_cuts=300)


def test_unlabelled_events_make_no_cuts() -> None:
    found, names, events = silent_processes(5, 1)
    other = [event("z", "P1", count, 0, 0, 0, 0) for count in range(2, 100)]
    assert evaluate(found, names, [*events, *other], max_cuts=2**5)


def test_the_budget_counts_sets_of_live_transitions_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two silent processes; at some cuts more than one set is possible."""
    found = automaton("q0 a q1, q1 b q2", final="q2", watchers={"a": "P1", "b": "P2"})
    events = [Event(label, (1, 0) if label.process == "P1" else (0, 1)) for label in found.labels]
    assert len(evaluate(found, ("P1", "P2"), events, max_cuts=4)) == 2
    monkeypatch.setattr(partial_order, "SETS_A_CUT", 1)
    with pytest.raises(BudgetExceeded, match="sets of live transitions"):
        evaluate(found, ("P1", "P2"), events, max_cuts=4)
