"""`BEGIN`: what it means is what an event means that is put before all others, of which everybody
knows."""

from __future__ import annotations

from random import Random

import pytest

from choreomon.core.errors import PropertyError
from choreomon.core.message import BEGIN, SEND, Event, Label, Message
from choreomon.properties.alike import alike, rows_of
from choreomon.properties.automaton import (
    SequenceAutomaton,
    StatedTransition,
    sequence_automaton,
)
from choreomon.properties.linear import FormationRules, FormationWatch, linear_formations
from choreomon.properties.partial_order import evaluate, evaluate_slowly
from choreomon.properties.progress import Progress, rules_of
from choreomon.properties.reference import formations
from choreomon.properties.sequences import Cancellation, MessageSequence, sequences_automaton
from choreomon.properties.tables import transition_tables
from tests.laws.drawn import FIRST, draw_begun, processes, with_first

PROCESSES = processes(3)
PAID = Label(SEND, Message("bank", "paid", "shop"))
SHIP = Label(SEND, Message("shop", "ship", "carrier"))
OTHER = Label(SEND, Message("carrier", "shipped", "shop"))
UNPAID = MessageSequence((BEGIN, SHIP), (Cancellation(PAID, (1, 1), 0),))


def drawn(seed: int) -> tuple[Random, SequenceAutomaton]:
    random = Random(f"begin {seed}")
    return random, draw_begun(random, PROCESSES)


def test_nothing_is_shipped_before_it_is_paid() -> None:
    automaton = sequences_automaton([UNPAID])
    for word, formed in (
        ([SHIP], [0]),
        ([PAID, SHIP], []),
        ([SHIP, PAID, SHIP, SHIP], [0]),
    ):
        assert [each.index for each in formations(automaton, word)] == formed


def test_it_is_an_event_before_all_others_and_is_in_no_sequence() -> None:
    formed = 0
    for seed in range(1500):
        random, automaton = drawn(seed)
        word = [random.choice([*automaton.labels, None]) for _ in range(random.randint(1, 12))]
        found = formations(automaton, word)
        literally = formations(with_first(automaton), [FIRST, *word])
        assert [(f.index, f.sequences) for f in found] == [
            (f.index - 1, tuple(tuple(i - 1 for i in s if i) for s in f.sequences))
            for f in literally
        ]
        assert linear_formations(automaton, word) == found
        watch = FormationWatch(FormationRules(automaton))
        told = [label is not None and bool(watch.formed_at(label)) for label in word]
        assert [place for place, each in enumerate(told) if each] == [f.index for f in found]
        formed += len(found)
    assert formed > 1500


def drawn_events(random: Random, automaton: SequenceAutomaton) -> list[Event]:
    """A run of few events, which know of each other at random."""
    clocks = {name: [0] * 3 for name in PROCESSES}
    events = []
    for label in random.choices(automaton.labels, k=random.randint(1, 6)):
        own = PROCESSES.index(label.process)
        clock = clocks[label.process]
        if random.random() < 0.4:
            other = clocks[random.choice(PROCESSES)]
            clock[:] = map(max, clock, other)
        clock[own] += 1
        events.append(Event(label, tuple(clock)))
    return events


def test_all_orders_of_a_run_begin_with_it() -> None:
    """Beside every order, and beside an event of a process of its own that all know of."""
    outcomes = set()
    for seed in range(1000):
        random, automaton = drawn(seed)
        events = drawn_events(random, automaton)
        found = evaluate(automaton, PROCESSES, events)
        assert found == evaluate_slowly(automaton, PROCESSES, events)
        literally = [
            Event(FIRST, (0, 0, 0, 1)),
            *(Event(label, (*clock, 1)) for label, clock in events),
        ]
        processes_and_its = (*PROCESSES, FIRST.process)
        assert evaluate(with_first(automaton), processes_and_its, literally)[1:] == found
        outcomes.update(found)
    assert len(outcomes) == 3


def test_no_event_makes_its_step() -> None:
    automaton = sequences_automaton([UNPAID, MessageSequence((BEGIN, OTHER, SHIP))])
    one, two = rules_of(automaton)
    assert (one.steps, one.sequence) == (1, (BEGIN, SHIP))
    assert (two.steps, two.sequence) == (2, (BEGIN, OTHER, SHIP))
    assert two.can_be_formed_by({OTHER, SHIP})
    assert not two.can_be_formed_by({SHIP})
    progress = Progress((one, two))
    for label, far in ((PAID, (0, 0)), (SHIP, (0, 0)), (OTHER, (0, 1)), (SHIP, (0, 2))):
        progress.add(label)
        assert progress.far == far


def test_events_do_not_have_its_label() -> None:
    automaton = sequences_automaton([UNPAID])
    assert automaton.labels == (SHIP, PAID)
    assert [t.label for t in automaton.begun] == [BEGIN]
    assert str(BEGIN) == "begin"


def test_no_monitor_is_asked_for_it() -> None:
    tables = transition_tables(
        sequences_automaton([UNPAID]), ("shop", "bank", "carrier"), "precise"
    )
    ((inspected,),) = tables["shop"].inspections.values()
    assert [owner for owner, _ in inspected.asks] == ["bank"]
    assert not tables["carrier"].rows


def test_what_rests_on_it_is_alike_and_it_is_not_what_an_event_is() -> None:
    names = ("shop", "bank", "carrier")

    def rows(steps: tuple[Label, ...]) -> object:
        automaton = sequences_automaton([MessageSequence(steps, UNPAID.cancel)])
        return rows_of(transition_tables(automaton, names, "precise").values())

    begun, other = rows((BEGIN, SHIP)), rows((OTHER, SHIP))
    ship = [reference for reference in begun if reference.process == "shop"]  # type: ignore[attr-defined]
    assert alike(begun, begun)[ship[0]] == tuple(ship)  # type: ignore[arg-type]
    assert ship[0] not in alike(other, begun)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        ((SHIP, BEGIN, OTHER), "before which nothing happens: let it be the first step"),
        ((BEGIN,), "is all of the sequence"),
    ],
)
def test_it_is_the_first_step_and_not_the_last(steps: tuple[Label, ...], told: str) -> None:
    with pytest.raises(PropertyError) as caught:
        sequences_automaton([MessageSequence(steps)])
    (defect,) = caught.value.defects
    assert defect.path == ("sequences", 0, "steps", steps.index(BEGIN))
    assert told in defect.message


@pytest.mark.parametrize(
    ("arcs", "told"),
    [
        ([("q0", SHIP, "q1"), ("q1", BEGIN, "q2")], "which is not initial"),
        ([("q0", BEGIN, "q2"), ("q0", SHIP, "q2")], "no beginning of a sequence"),
        ([("q1", BEGIN, "q0"), ("q0", SHIP, "q1"), ("q1", OTHER, "q2")], "which is not initial"),
    ],
)
def test_where_it_cannot_be_it_is_refused(arcs: list[tuple[str, Label, str]], told: str) -> None:
    stated = [StatedTransition(*arc, None, ("transitions", n)) for n, arc in enumerate(arcs)]
    with pytest.raises(PropertyError) as caught:
        sequence_automaton(initial=["q0"], final=["q2"], transitions=stated)
    (defect,) = caught.value.defects
    assert stated[defect.path[1]].label == BEGIN  # type: ignore[index]
    assert told in defect.message
