"""Live verdicts as lines of JSON: what is written is read again, and nothing else is."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.agent_files import verdict_json
from choreomon.agent_files.told_traces import EventTrace
from choreomon.agent_files.verdict_json import (
    decode_verdict_untrusted,
    live_verdict,
    rfc3339,
    verdict_line,
)
from choreomon.core.errors import MalformedMessage
from choreomon.core.live import EventName, LiveReason, LiveRule, LiveVerdict
from choreomon.core.verdict import (
    FRM,
    GAP,
    NEVER,
    POSSIBLY_VIOLATED,
    VIOLATED,
    MonitorVerdict,
    Reason,
    Reference,
)
from choreomon.monitor.effects import Declared, Send
from choreomon.monitor.messages import Inquiry
from tests.agent_files.live_verdicts import BY_HAND, SYSTEM, A, B, host_of, live_verdicts, two_steps


@given(live_verdicts)
def test_what_is_written_is_read_again(verdict: LiveVerdict) -> None:
    line = verdict_line(verdict)
    assert line.isascii()
    assert "\n" not in line
    assert decode_verdict_untrusted(line) == verdict
    assert decode_verdict_untrusted(line.encode()) == verdict
    assert verdict_line(decode_verdict_untrusted(line)) == line  # with what is no part of a name


def test_the_fields_are_these_in_this_order() -> None:
    assert json.loads(verdict_line(BY_HAND)) == {
        "id": f"{SYSTEM}/P2/1/possibly-violated",
        "verdict": "possibly-violated",
        "provisional": False,
        "system": SYSTEM,
        "property": "two steps",
        "process": "P2",
        "count": 1,
        "label": "P2 -> P3 : b",
        "clock": {"P1": 4, "P2": 1},
        "transitions": [["q1", "q2"]],
        "because": [
            {
                "event": {"process": "P1", "count": 4},
                "transition": ["q0", "q1"],
                "role": "pre",
                "result": "Frm",
                "relation": "before",
                "certain": False,
            },
            {
                "event": {"process": "P1", "gap": True},
                "transition": ["q1", "q0"],
                "role": "vio",
                "of": {"process": "P1", "count": 4},
                "of_transition": ["q0", "q1"],
                "result": "Gap",
                "relation": "concurrent",
                "certain": False,
                "since": {"process": "P1", "count": 4},
            },
        ],
        "silent": ["P3"],
        "waiting_for": [],
        "unseen": False,
        "time": "2026-01-31T12:00:00.250Z",
        "sequences": [2],
    }
    bounded = replace(BY_HAND, left_out={"because": 3})
    assert json.loads(verdict_line(bounded))["left_out"] == {"because": 3}
    of_one = replace(bounded, instance={"order": "A-17"})
    assert json.loads(verdict_line(of_one))["for"] == {"order": "A-17"}
    of_rule = replace(of_one, rule=LiveRule("no-work", {"w": "w1"}, "Never.", tags=("a",)))
    assert json.loads(verdict_line(of_rule))["rule"] == {
        "id": "no-work",
        "where": {"w": "w1"},
        "description": "Never.",
        "severity": "error",
        "tags": ["a"],
    }
    assert decode_verdict_untrusted(verdict_line(of_rule)) == of_rule
    traced = replace(of_rule, trace_id="0af7651916cd43dd8448eb211c80319c")
    assert json.loads(verdict_line(traced))["trace_id"] == "0af7651916cd43dd8448eb211c80319c"
    assert decode_verdict_untrusted(verdict_line(traced)) == traced
    assert [*json.loads(verdict_line(traced))] == WRITTEN
    assert decode_verdict_untrusted(verdict_line(of_one)) == of_one


def test_of_an_automaton_no_sequences_are_told() -> None:
    assert "sequences" not in json.loads(verdict_line(replace(BY_HAND, sequences=())))


@pytest.mark.parametrize("lengths", [(0,), (2, -1), (10**9,)])
def test_impossible_sequences_are_refused(lengths: tuple[int, ...]) -> None:
    with pytest.raises(MalformedMessage, match="sequences"):
        decode_verdict_untrusted(verdict_line(replace(BY_HAND, sequences=lengths)))


WRITTEN = ["for" if each.name == "instance" else each.name for each in fields(LiveVerdict)]


def test_every_field_is_described() -> None:
    said = verdict_json.__doc__ or ""
    assert all(f"`{name}`" in said for name in WRITTEN)


# --- what monitors say --------------------------------------------------------------


def told(gap: bool) -> LiveVerdict:
    """P1 sends a, of which P2 hears; then P2 sends b and asks P1. `gap`: since a, P1 may do what
    its agent is not told of."""
    first, second = host_of("P1"), host_of("P2")
    one, clock, _ = first.report(first.initial(), A)
    if gap:
        one = first.gap_opens(one)
    two, _ = second.heard(second.initial(), clock)
    two, _, effects = second.report(two, B)
    (inquiry,) = (each.message for each in effects if isinstance(each, Send))
    assert isinstance(inquiry, Inquiry)
    one, effects = first.receive(one, inquiry)
    (response,) = (each.message for each in effects if isinstance(each, Send))
    _, effects = second.receive(two, response)
    return declared(effects)


def declared(effects: list[Any]) -> LiveVerdict:
    (said,) = (each for each in effects if isinstance(each, Declared))
    assert said.verdict is not None
    return live_verdict(
        said.verdict,
        two_steps()["P2"],
        id="an id",
        count=said.event[1],
        label="" if said.label is None else str(said.label),
        provisional=said.provisional,
        time=0.0,
    )


def test_events_are_named_by_process_and_count() -> None:
    verdict = told(gap=False)
    assert verdict.verdict == VIOLATED
    assert (verdict.process, verdict.count, verdict.label) == ("P2", 1, "P2 -> P3 : b")
    assert verdict.clock == {"P1": 1, "P2": 1}
    assert (verdict.system, verdict.property) == (SYSTEM, "two steps")
    assert verdict.because == (
        LiveReason(EventName("P1", 1), ("q0", "q1"), "pre", FRM, "before", True),
    )


def test_an_event_in_a_reason_has_its_trace_where_it_is_known() -> None:
    reference, clock = Reference("q0", "P1", "q1"), (1, 0, 0)
    gap = Reason("vio", Reference("q1", "P1", "q0"), (NEVER, 0, 0), GAP, "concurrent", False)
    because = (
        Reason("pre", reference, clock, FRM, "before", True),
        gap._replace(of=clock, of_reference=reference, since=clock),
    )
    said = MonitorVerdict(VIOLATED, "P2", (1, 1, 0), (Reference("q1", "P2", "q2"),), because)
    verdict = live_verdict(
        said,
        two_steps()["P2"],
        id="",
        count=1,
        label=str(B),
        provisional=False,
        time=0.0,
        traces=[EventTrace("P1", 1, bytes(range(16))), EventTrace("P3", 1, bytes(16))],
    )
    events = [each["event"] for each in json.loads(verdict_line(verdict))["because"]]
    assert events == [
        {"process": "P1", "count": 1, "trace_id": bytes(range(16)).hex()},
        {"process": "P1", "gap": True},
    ]
    assert verdict.because[0].event == EventName("P1", 1) == verdict.because[1].of
    assert verdict_line(decode_verdict_untrusted(verdict_line(verdict))) == verdict_line(verdict)


def test_a_gap_that_has_not_ended_has_no_count() -> None:
    verdict = told(gap=True)
    assert verdict.verdict == POSSIBLY_VIOLATED
    assert any(reason.result == GAP and reason.role == "vio" for reason in verdict.because)
    for reason in verdict.because:
        assert reason.event.gap == (reason.result == GAP)
        if reason.event.gap:
            assert reason.event == EventName("P1", None, gap=True)
            assert reason.since == EventName("P1", 1)
    assert {reason.of for reason in verdict.because if reason.role == "vio"} >= {EventName("P1", 1)}
    assert str(NEVER) not in verdict_line(verdict)


def test_events_are_of_the_process_of_their_transition() -> None:
    """By hand: of P1, a gap that has ended may have led there, and P3 may have cancelled it."""
    since, until = (2, 0, 0), (5, 0, 0)
    pre = Reference("q0", "P1", "q1")
    because = (
        Reason("pre", pre, until, GAP, "concurrent", False, since=since),
        Reason(
            *("vio", Reference("q1", "P3", "q0"), (5, 0, 7), FRM, "concurrent", False),
            of=until,
            of_reference=pre,
            since=(5, 0, 6),
        ),
    )
    said = MonitorVerdict(
        POSSIBLY_VIOLATED, "P2", (4, 3, 0), (Reference("q1", "P2", "q2"),), because
    )
    verdict = live_verdict(
        said, two_steps()["P2"], id="", count=3, label=str(B), provisional=False, time=0.0
    )
    gap = EventName("P1", 5, gap=True)
    first, second = verdict.because
    assert (first.event, first.since) == (gap, EventName("P1", 2))
    assert (second.event, second.since) == (EventName("P3", 7), EventName("P3", 6))
    assert (second.of, second.of_transition) == (gap, ("q0", "q1"))


def test_the_end_of_a_gap_has_no_label() -> None:
    host = host_of("P2")
    _, effects = host.gap_ends(host.gap_opens(host.initial()), lost=True)
    verdict = declared(effects)
    assert verdict.unseen
    assert verdict.label is None
    assert verdict.count == 1


# --- bad input ----------------------------------------------------------------------

REASON = json.loads(verdict_line(BY_HAND))["because"][0]


@pytest.mark.parametrize(
    "change",
    [
        {"verdict": "perhaps"},
        {"count": "3"},
        {"count": -1},
        {"clock": {"P1": 0.5}},
        {"transitions": [["q0"]]},
        {"because": [{}]},
        {"because": [{**REASON, "event": {"count": 1}}]},
        {"because": [{**REASON, "of": {"process": "P"}}]},
        {"because": [{**REASON, "event": {**REASON["event"], "trace_id": 7}}]},
        {
            "because": [
                {
                    **REASON,
                    "since": {"process": "P", "count": -1},
                }
            ]
        },
        {"time": None},
        {"left_out": {"because": -1}},
        {"left_out": {"because": "many"}},
    ],
)
def test_what_has_another_shape_is_refused(change: dict[str, Any]) -> None:
    plain = json.loads(verdict_line(BY_HAND))
    with pytest.raises(MalformedMessage):
        decode_verdict_untrusted(json.dumps({**plain, **change}))


def test_unknown_fields_are_passed_over() -> None:
    plain = json.loads(verdict_line(BY_HAND))
    assert decode_verdict_untrusted(json.dumps({**plain, "more": [1]})) == BY_HAND


@given(st.binary(max_size=40) | st.text(max_size=40))
def test_rubbish_is_refused(line: bytes | str) -> None:
    with pytest.raises(MalformedMessage):
        decode_verdict_untrusted(line)


@given(st.data())
def test_a_line_with_a_piece_cut_out_is_refused_or_a_verdict(data: st.DataObject) -> None:
    line = verdict_line(BY_HAND)
    start = data.draw(st.integers(0, len(line)))
    end = data.draw(st.integers(start, len(line)))
    try:
        verdict = decode_verdict_untrusted(line[:start] + line[end:])
    except MalformedMessage:
        return
    assert isinstance(verdict, LiveVerdict)


def test_deep_nesting_is_refused() -> None:
    for line in ("[" * 100_000, verdict_line(BY_HAND)[:-1] + ',"more":' + "[" * 100_000):
        with pytest.raises(MalformedMessage):
            decode_verdict_untrusted(line)


# --- times --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "1970-01-01T00:00:00.000Z"),
        (1_769_860_800.25, "2026-01-31T12:00:00.250Z"),
        (1_769_860_800.9999, "2026-01-31T12:00:00.999Z"),
        (-5.0, "1970-01-01T00:00:00.000Z"),
        (1e18, "9999-12-31T23:59:59.000Z"),
    ],
)
def test_times_are_rfc_3339_however_the_clock_is_set(seconds: float, text: str) -> None:
    assert rfc3339(seconds) == text
