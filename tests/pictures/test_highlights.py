from __future__ import annotations

from dataclasses import replace

from examples_to_draw import POSSIBLY, VIOLATED, automaton, events
from examples_to_draw import run as run_with

from choreomon.core.run import RunFormation, RunReason
from choreomon.pictures.space_time.highlights import (
    Highlight,
    highlights_in_run,
    highlights_of,
    highlights_of_missed,
    places_in_sequence,
)


def test_marks_come_from_the_formed_sequence_where_it_is_known() -> None:
    assert highlights_of(VIOLATED, (0, 1, 2)) == (
        Highlight(0, "step", 1),
        Highlight(1, "step", 2),
        Highlight(2, "judged", 3),
    )


def test_marks_come_from_the_reasons_otherwise() -> None:
    assert highlights_of(POSSIBLY) == (
        Highlight(1, "step", 1),
        Highlight(4, "cancellation"),
        Highlight(5, "judged", 2),
    )


def test_steps_are_numbered_as_the_sequence_has_them_and_not_as_they_happened() -> None:
    """The record that the verdict rests on is concurrent, and really came afterwards."""
    late = replace(POSSIBLY.because[0], event_index=6, relation="concurrent")
    verdict = replace(POSSIBLY, because=(late,))
    assert highlights_of(verdict) == (Highlight(5, "judged", 2), Highlight(6, "step", 1))


def test_records_that_may_each_be_the_step_before_have_one_number() -> None:
    other = replace(POSSIBLY.because[0], event_index=2)
    verdict = replace(POSSIBLY, because=(POSSIBLY.because[0], other))
    assert [highlight.step for highlight in highlights_of(verdict)] == [1, 1, 2]


def test_an_event_that_needs_nothing_before_it_is_the_first_step() -> None:
    assert highlights_of(replace(VIOLATED, because=())) == (Highlight(2, "judged", 1),)


def test_a_cancellation_of_something_that_is_no_step_is_not_marked() -> None:
    assert highlights_of(POSSIBLY, (2, 5)) == (Highlight(2, "step", 1), Highlight(5, "judged", 2))
    assert Highlight(4, "cancellation") in highlights_of(POSSIBLY, (1, 5))


def test_an_event_has_no_number_where_nothing_is_known_of_what_came_before_it() -> None:
    assert highlights_of(replace(POSSIBLY, because=())) == (Highlight(5, "judged"),)


LINE = automaton(
    ["q0"],
    ["q3"],
    [
        ("q0", "P1 -> P2 : a", "q1"),
        ("q1", "P1 -> P2 : b", "q2"),
        ("q2", "P1 -> P2 : c", "q3"),
        ("q1", "P2 -> P1 : undo", "q0"),
    ],
)
"""a, b, c, with a cancellation of a."""

PRE = RunReason(3, ("q1", "q2"), "pre", "Frm", "before", False)
JUDGED = replace(POSSIBLY, event_index=4, transitions=(("q2", "q3"),), because=(PRE,))


def test_steps_have_their_place_in_the_sequence_and_those_that_led_there_are_marked() -> None:
    run = events("P1>P2:a", "P1>P2:a", "P1>P2:n", "P1>P2:b", "P1>P2:c")
    places = places_in_sequence(JUDGED, LINE, run)
    assert places == {1: 1, 3: 2}, "the latest way"
    assert highlights_of(JUDGED, places=places) == (
        Highlight(1, "earlier", 1),
        Highlight(3, "step", 2),
        Highlight(4, "judged", 3),
    )
    assert highlights_of(JUDGED, (0, 3, 4), places) == (
        Highlight(0, "step", 1),
        Highlight(3, "step", 2),
        Highlight(4, "judged", 3),
    )


def test_in_a_run_the_sequence_that_was_really_formed_comes_first() -> None:
    kept = events("P1>P2:a", "P1>P2:a", "P1>P2:n", "P1>P2:b", "P1>P2:c")
    plain = replace(run_with(0), kept_events=kept)
    assert [highlight.event_index for highlight in highlights_in_run(plain, JUDGED, LINE)] == [
        1,
        3,
        4,
    ]
    formed = replace(plain, formed=(RunFormation(4, (0, 3, 4)),))
    assert [highlight.event_index for highlight in highlights_in_run(formed, JUDGED, LINE)] == [
        0,
        3,
        4,
    ]
    elsewhere = replace(plain, formed=(RunFormation(3, (0, 3)),))
    assert highlights_in_run(elsewhere, JUDGED, LINE) == highlights_in_run(plain, JUDGED, LINE)


def test_what_was_missed_is_marked_with_its_sequence_where_that_is_known() -> None:
    assert highlights_of_missed(RunFormation(4, (0, 3, 4))) == (
        Highlight(0, "step", 1),
        Highlight(3, "step", 2),
        Highlight(4, "judged", 3),
    )
    assert highlights_of_missed(RunFormation(5)) == (Highlight(5, "judged"),)
    assert highlights_of_missed(RunFormation(6, (6,))) == (Highlight(6, "judged", 1),)


def test_a_cancelled_way_is_taken_only_where_there_is_no_other() -> None:
    run = events("P1>P2:a", "P2>P1:undo", "P1>P2:n", "P1>P2:b", "P1>P2:c")
    assert places_in_sequence(JUDGED, LINE, run) == {0: 1, 3: 2}
    two_ways = automaton(
        ["q0"],
        ["q3"],
        [
            ("q0", "P1 -> P2 : a", "q1"),
            ("q0", "P1 -> P2 : d", "p1"),
            ("p1", "P1 -> P2 : e", "q1"),
            ("q1", "P1 -> P2 : b", "q2"),
            ("q2", "P1 -> P2 : c", "q3"),
            ("p1", "P2 -> P1 : undo", "q0"),
        ],
    )
    run = events("P1>P2:a", "P1>P2:d", "P2>P1:undo", "P1>P2:e", "P1>P2:b", "P1>P2:c")
    late = replace(JUDGED, event_index=5, because=(replace(PRE, event_index=4),))
    assert places_in_sequence(late, two_ways, run) == {0: 1, 4: 2}


def test_what_may_have_come_before_leads_to_a_step_where_nothing_did() -> None:
    run = events("P1>P2:n", "P1>P2:n", "P1>P2:n", "P1>P2:b", "P1>P2:c", "P2>P1:n", "P1>P2:a")
    assert places_in_sequence(JUDGED, LINE, run) == {6: 1, 3: 2}
    clocks = [(number + 1, 0) for number in range(7)]
    after = tuple(replace(event, clock=clock) for event, clock in zip(run, clocks, strict=True))
    assert places_in_sequence(JUDGED, LINE, after) == {3: 2}, "the least that its state allows"


def test_a_step_that_is_earlier_on_the_way_of_another_one_has_its_place_there() -> None:
    """Two orders of the same steps are forbidden; one of them is the real one."""
    both = automaton(
        ["q0"],
        ["q3"],
        [
            ("q0", "P1 -> P2 : a", "q1"),
            ("q1", "P1 -> P2 : b", "q2"),
            ("q2", "P1 -> P2 : c", "q3"),
            ("q0", "P1 -> P2 : b", "p1"),
            ("p1", "P1 -> P2 : a", "p2"),
            ("p2", "P1 -> P2 : c", "q3"),
        ],
    )
    first = replace(PRE, event_index=1, transition=("p1", "p2"))
    verdict = replace(JUDGED, because=(first, PRE))
    run = events("P1>P2:n", "P1>P2:a", "P1>P2:n", "P1>P2:b", "P1>P2:c")
    places = places_in_sequence(verdict, both, run)
    assert highlights_of(verdict, places=places) == (
        Highlight(1, "step", 1),
        Highlight(3, "step", 2),
        Highlight(4, "judged", 3),
    )


def test_a_step_that_was_certainly_cancelled_is_none_where_there_are_others() -> None:
    gone = replace(PRE, event_index=1)
    undone = RunReason(2, ("q2", "q0"), "vio", "Frm", "before", True, 1, ("q1", "q2"))
    verdict = replace(JUDGED, because=(gone, undone, PRE))
    run = events("P1>P2:a", "P1>P2:b", "P2>P1:n", "P1>P2:b", "P1>P2:c")
    places = places_in_sequence(verdict, LINE, run)
    assert places == {0: 1, 3: 2}
    assert [highlight.event_index for highlight in highlights_of(verdict, places=places)] == [
        0,
        3,
        4,
    ]
    withdrawn = replace(verdict, verdict="withdrawn", because=(gone, undone))
    assert [highlight.role for highlight in highlights_of(withdrawn)] == [
        "step",
        "cancellation",
        "judged",
    ]
