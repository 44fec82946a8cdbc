"""The four ways in which the literal pseudo-code misses a violation (docs/adr/022-monitors.md,
"The rules"), event by event. The `sound` rules declare it; the `paper` rules are seen to
miss it."""

from __future__ import annotations

import pytest

from choreomon.core.message import SEND, Label, Message
from choreomon.monitor.record_by_record import PAPER, SOUND
from choreomon.monitor.rules import Rules
from choreomon.properties.automaton import (
    SequenceAutomaton,
    StatedTransition,
    sequence_automaton,
)
from tests.laws.interleaving import Run, System, Told
from tests.laws.planted import TrustsUncertainCancellations

NAMES = ("P1", "P2", "P3", "P4")


def automaton(
    transitions: dict[str, Message], *, final: str, initial: tuple[str, ...] = ("q0",)
) -> SequenceAutomaton:
    """`{"q0 q1": message}`: sends on transitions."""
    return sequence_automaton(
        initial=initial,
        final=[final],
        transitions=[
            StatedTransition(pair.split()[0], Label(SEND, message), pair.split()[1])
            for pair, message in transitions.items()
        ],
    )


def tell(rules: Rules, of: SequenceAutomaton) -> Told:
    return Told.of(System(of, NAMES, rules))


def cancelled_after_the_end(rules: Rules) -> Run:
    """Cause 1: v happens after the final b, concurrent to it, and before P3 is answered."""
    a, b = Message("P1", "a", "P2"), Message("P3", "b", "P1")
    v = Message("P2", "v", "P1")
    news = Message("P1", "news", "P3")
    told = tell(rules, automaton({"q0 q1": a, "q1 q2": b, "q1 q0": v}, final="q2"))
    told.sends(a)
    told.works("P1")
    told.sends(news)
    told.handles(a)
    told.handles(news)
    told.sends(b)
    told.sends(v)
    told.works("P3")
    return told.settles()


def cancelled_by_what_did_not_fire(rules: Rules) -> Run:
    """Cause 2: v was at most possible, since b is concurrent to it and still open; it did
    not fire, so the a that it would cancel leads to the final c."""
    a, b = Message("P1", "a", "P2"), Message("P3", "b", "P1")
    v, c = Message("P2", "v", "P4"), Message("P4", "c", "P1")
    x = Message("P4", "x", "P1")
    news = Message("P1", "news", "P3")
    told = tell(
        rules,
        automaton(
            {"q0 q1": a, "q1 q2": b, "q2 q3": x, "q1 q3": c, "q2 q0": v},
            final="q3",
        ),
    )
    told.sends(a)
    told.works("P1")
    told.sends(news)
    told.handles(a)
    told.handles(news)
    told.sends(v)
    told.sends(b)
    told.works("P3")
    told.works("P2")
    # v's question is answered while b is still under inspection: possibly fired.
    told.delivers("P2", "P3")
    told.delivers("P3", "P2")
    told.handles(v)
    told.sends(c)
    told.works("P4")
    return told.settles()


def cancelled_from_a_state_already_left(rules: Rules) -> Run:
    """Cause 3: w leaves q2, so v, which leaves q2 too, does nothing."""
    a, b, w, v, c = (Message("P1", name, "P2") for name in "abwvc")
    told = tell(
        rules,
        automaton(
            {"q0 q1": a, "q1 q2": b, "q2 q3": c, "q2 q1": w, "q2 q0": v},
            final="q3",
        ),
    )
    for message in (a, b, w, v, b, c):
        told.sends(message)
        told.works("P1")
    return told.settles()


def started_in_the_middle(rules: Rules) -> Run:
    """Cause 4: q1 is initial although a forward transition leads into it."""
    a, b = Message("P1", "a", "P2"), Message("P1", "b", "P2")
    told = tell(rules, automaton({"q0 q1": a, "q1 q2": b}, final="q2", initial=("q0", "q1")))
    told.sends(b)
    told.works("P1")
    return told.settles()


def test_a_cancellation_concurrent_to_the_end_leaves_it_possible() -> None:
    run = cancelled_after_the_end(SOUND)
    assert run.formed == run.possibly() == {4}
    assert not run.violated()


def test_a_cancellation_concurrent_to_the_end_hides_it_from_the_paper() -> None:
    run = cancelled_after_the_end(PAPER)
    assert run.formed == run.missed() == {4}


def test_a_cancellation_that_possibly_fired_leaves_the_end_possible() -> None:
    run = cancelled_by_what_did_not_fire(SOUND)
    assert run.formed == run.possibly()
    assert len(run.formed) == 1


@pytest.mark.parametrize("rules", [PAPER, TrustsUncertainCancellations()])
def test_a_cancellation_that_possibly_fired_hides_the_end_where_it_is_trusted(
    rules: Rules,
) -> None:
    run = cancelled_by_what_did_not_fire(rules)
    assert run.formed == run.missed()
    assert len(run.formed) == 1


def test_a_cancellation_out_of_a_state_already_left_does_nothing() -> None:
    run = cancelled_from_a_state_already_left(SOUND)
    assert run.formed == run.violated() == {5}


def test_a_cancellation_out_of_a_state_already_left_hides_the_end_from_the_paper() -> None:
    run = cancelled_from_a_state_already_left(PAPER)
    assert run.formed == run.missed() == {5}


def test_an_initial_state_with_incoming_transitions_starts_sequences() -> None:
    run = started_in_the_middle(SOUND)
    assert run.formed == run.violated() == {0}


def test_an_initial_state_with_incoming_transitions_starts_none_for_the_paper() -> None:
    run = started_in_the_middle(PAPER)
    assert run.formed == run.missed() == {0}
