"""Live verdicts in words: events by process and count, gaps, and nothing that moves a cursor."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from choreomon.core.live import EventName, LiveReason, LiveRule, LiveVerdict
from choreomon.core.verdict import (
    FORGOTTEN,
    FRM,
    FRM_P,
    GAP,
    POSSIBLY_VIOLATED,
    VIOLATED,
    WITHDRAWN,
)
from choreomon.terminal.live_verdict import live_explanation, live_word_line, printable
from tests.agent_files.live_verdicts import BY_HAND, live_verdicts

PRE = LiveReason(EventName("P1", 4), ("q0", "q1"), "pre", FRM, "before", True)
FORMED = replace(BY_HAND, verdict=VIOLATED, because=(PRE,), silent=())


def test_what_was_formed() -> None:
    assert live_explanation(FORMED) == (
        "P2 declares violated at event 1 (send P2 -> P3 : b).",
        (
            "Step 2 of sequence 1 certainly happened here; it completes the sequence.",
            "The step before it happened at event 4 of P1, before event 1 of P2.",
            "Nothing cancelled this step.",
            "In every possible order the forbidden sequence was formed.",
        ),
    )
    assert (
        live_word_line(FORMED).plain
        == "2026-01-31T12:00:00.250Z  P2 violated at event 1 (send P2 -> P3 : b)"
    )


def test_in_which_traces_it_happened() -> None:
    one, two = "1" * 32, "2" * 32
    events = [
        EventName("P1", 4, trace_id=two),
        EventName("P1", 4, trace_id=two),
        EventName("P3", 2, trace_id=two),
        EventName("P1", 5, trace_id=one),
        EventName("P1", 6),
    ]
    traced = replace(FORMED, because=tuple([replace(PRE, event=each) for each in events]))
    expected = f"In the trace {two} happened event 4 of P1, event 2 of P3."
    assert live_explanation(traced).sentences[-2:] == (
        expected,
        f"In the trace {one} happened event 5 of P1.",
    )
    assert live_explanation(replace(traced, trace_id=one)).sentences[-3:] == (
        f"It happened in the trace {one}.",
        expected,
        "In the same trace happened event 5 of P1.",
    )
    untraced = replace(traced, because=(PRE,))
    assert live_explanation(untraced) == live_explanation(FORMED)


def test_which_instance_it_is_about() -> None:
    of_one = replace(FORMED, instance={"tenant": "t\x1b1", "order": "A-17"})
    told = "event 1 (send P2 -> P3 : b) for order=A-17, tenant=t�1"
    assert live_word_line(of_one).plain.endswith(told)
    assert live_explanation(of_one).headline == f"P2 declares violated at {told}."


def test_what_was_formed_by_all_orders() -> None:
    verdict = replace(FORMED, because=(replace(PRE, certain=False),))
    assert live_explanation(verdict).sentences[-2:] == (
        "By itself that is not certain, but in every possible order it led here.",
        "In every possible order the forbidden sequence was formed.",
    )


def test_a_gap_may_have_cancelled() -> None:
    assert live_explanation(BY_HAND).sentences == (
        "Step 2 of sequence 1 may have happened here; it would complete the sequence.",
        "The step before it happened at event 4 of P1, before event 1 of P2.",
        "This step may have been cancelled in a gap of P1 after event 4 that has not ended: its "
        "monitor was not told what happened there.",
        "The monitor of P3 had not answered by then.",
        "So the forbidden sequence may have been formed: what the monitors know leaves that open.",
    )


def test_a_gap_may_have_led_there() -> None:
    gap = LiveReason(
        *(EventName("P1", 9, gap=True), ("q0", "q1"), "pre", GAP, "concurrent", False),
        since=EventName("P1", 0),
    )
    sentences = live_explanation(replace(BY_HAND, because=(gap,), silent=())).sentences
    assert sentences[1:3] == (
        "The step before it may have happened in a gap of P1 that ends at event 9, which may have "
        "come before or after event 1 of P2.",
        "Its monitor was not told what happened there.",
    )


def test_merged_records_and_what_is_not_sure() -> None:
    vio = LiveReason(
        *(EventName("P1", 7), ("q1", "q0"), "vio", FRM_P, "concurrent", False),
        of=EventName("P1", 4),
        of_transition=("q0", "q1"),
        since=EventName("P1", 5),
    )
    verdict = replace(BY_HAND, because=(replace(PRE, result=FRM_P, certain=False), vio))
    assert live_explanation(verdict).sentences[2:4] == (
        "Whether event 4 of P1 counts as that step is not certain: it depends on what happened "
        "before.",
        "This step may have been cancelled at event 7 of P1, remembered as one with the others of "
        "events 5 to 7 of P1: these may have come before or after event 1 of P2, and it is not "
        "certain that anything was cancelled there.",
    )


def test_a_provisional_word_says_who_is_waited_for_and_that_another_follows() -> None:
    verdict = replace(BY_HAND, provisional=True, silent=("P1",), waiting_for=("P3",))
    assert live_explanation(verdict).sentences[-3:] == (
        "The monitor of P1 had not answered by then.",
        "Who was asked waits for an answer from P3.",
        "So the forbidden sequence may have been formed: what the monitors know leaves that open. "
        "Another verdict about it follows.",
    )
    assert live_word_line(verdict).plain.endswith(", for now: no answer from P1")


def test_what_was_forgotten_may_have_led_there_or_cancelled() -> None:
    until = EventName("P1", 9)
    pre = LiveReason(until, ("q0", "q1"), "pre", FORGOTTEN, "concurrent", False)
    sentences = live_explanation(replace(BY_HAND, because=(pre,), silent=())).sentences
    assert sentences[1:3] == (
        "The step before it may have happened up to event 9 of P1, which may have come before or "
        "after event 1 of P2.",
        "Its monitor has forgotten older instances; this may be one of them.",
    )
    vio = replace(
        pre,
        transition=("q1", "q0"),
        role="vio",
        of=EventName("P1", 4),
        of_transition=("q0", "q1"),
    )
    because = (replace(PRE, certain=False), vio)
    sentences = live_explanation(replace(BY_HAND, because=because, silent=())).sentences
    assert sentences[2] == (
        "This step may have been cancelled up to event 9 of P1: its monitor has forgotten older "
        "instances; this may be one of them."
    )


def test_the_end_of_a_gap() -> None:
    verdict = replace(BY_HAND, because=(), label=None, unseen=True, silent=())
    assert live_explanation(verdict) == (
        "P2 declares possibly violated at the end of a gap, event 1.",
        (
            "Its monitor was not told what happened in the gap.",
            "Step 2 of sequence 1 may have happened in it; it would complete the sequence.",
            "So the forbidden sequence may have been formed, and nobody will know.",
        ),
    )


def test_the_end_of_a_gap_of_a_rule() -> None:
    verdict = replace(BY_HAND, because=(), label=None, unseen=True, silent=(), rule=LiveRule("r"))
    headline, sentences = live_explanation(verdict)
    assert headline == "P2 declares possibly violated at the end of a gap, event 1: r."
    assert sentences[1:] == (
        "Step 2 of r may have happened in it; it would complete the sequence.",
        "So r may have been violated, and nobody will know.",
    )


def test_a_withdrawal() -> None:
    verdict = replace(FORMED, verdict=WITHDRAWN)
    headline, sentences = live_explanation(verdict)
    assert headline == "P2 withdraws its verdict at event 1 (send P2 -> P3 : b)."
    assert sentences[-1] == "Later answers showed that the sequence was not formed here."


@given(live_verdicts)
def test_any_verdict_has_words_that_do_nothing_to_a_terminal(verdict: LiveVerdict) -> None:
    for text in (live_word_line(verdict).plain, str(live_explanation(verdict))):
        assert text.isprintable()


@pytest.mark.parametrize("text", ["\x1b[2J", "a\nb", "\u202e", "\x9b31m"])
def test_what_moves_a_cursor_is_replaced(text: str) -> None:
    assert printable(text).isprintable()
    assert len(printable(text)) == len(text)


def test_names_of_other_processes_messages_are_nowhere() -> None:
    verdict = replace(BY_HAND, verdict=POSSIBLY_VIOLATED)
    text = str(live_explanation(verdict))
    assert "undo" not in text
    assert " : a" not in text
