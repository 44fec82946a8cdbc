"""Verdicts by process and count become verdicts by index."""

from __future__ import annotations

from dataclasses import replace

import pytest

from choreomon.core.errors import InternalError
from choreomon.core.live import EventName, LiveReason, LiveVerdict
from choreomon.core.run import RunReason
from choreomon.deployment.event_records import Timing
from choreomon.deployment.instructions import Said
from choreomon.deployment.run_verdicts import last_verdicts, run_verdict

INDICES = {("A", 1): 4, ("A", 2): 9, ("B", 1): 2, ("B", 2): 6}

REASON = LiveReason(
    event=EventName("B", 2),
    transition=("q1", "q0"),
    role="vio",
    result="Frm_p",
    relation="concurrent",
    certain=False,
    of=EventName("B", 1),
    of_transition=("q0", "q1"),
    since=EventName("B", 1),
)
VERDICT = LiveVerdict(
    id="0/A/2/possibly-violated",
    verdict="possibly-violated",
    provisional=True,
    system="0" * 32,
    property="test",
    process="A",
    count=2,
    label="A -> B : m",
    clock={"A": 2, "B": 2},
    transitions=(("q1", "q2"),),
    because=(REASON,),
    silent=("B",),
    waiting_for=(),
    unseen=False,
    time="2026-01-31T12:00:00.250Z",
)


def index_of(process: str, count: int) -> int:
    return INDICES[process, count]


def test_every_event_gets_its_index() -> None:
    verdict = run_verdict(VERDICT, 1234, index_of)
    assert (verdict.event_index, verdict.monitor, verdict.label) == (9, "A", "A -> B : m")
    assert (verdict.verdict, verdict.silent, verdict.early) == ("possibly-violated", ("B",), True)
    assert verdict.declared_at == 1234
    assert verdict.because == (
        RunReason(
            event_index=6,
            transition=("q1", "q0"),
            role="vio",
            result="Frm_p",
            relation="concurrent",
            certain=False,
            of=2,
            of_transition=("q0", "q1"),
            since=2,
        ),
    )


def test_the_last_word_about_an_event_counts_and_events_come_in_order() -> None:
    said = [
        Said(2.0, VERDICT),
        Said(3.0, replace(VERDICT, verdict="violated", provisional=False)),
        Said(2.5, replace(VERDICT, count=1, provisional=False)),
    ]
    verdicts = last_verdicts(said, index_of, Timing.of(1.0, 10.0))
    assert [(v.event_index, v.verdict, v.declared_at) for v in verdicts] == [
        (4, "possibly-violated", 15_000_000),
        (9, "violated", 20_000_000),
    ]


@pytest.mark.parametrize(
    "verdict",
    [
        replace(VERDICT, unseen=True),
        replace(VERDICT, label=None),
        replace(VERDICT, because=(replace(REASON, event=EventName("B", 2, gap=True)),)),
        replace(VERDICT, because=(replace(REASON, event=EventName("B", None, gap=True)),)),
        replace(VERDICT, because=(replace(REASON, result="Gap"),)),
    ],
)
def test_in_a_run_there_are_no_gaps(verdict: LiveVerdict) -> None:
    with pytest.raises(InternalError, match="gap"):
        run_verdict(verdict, 0, index_of)
