"""The table of docs/adr/022-monitors.md, "The rules", cell by cell. p is of P1, v of P2 and
the judged event m of P3, where nothing else is said; p leads to q1, from where m goes on."""

from __future__ import annotations

from itertools import permutations

import pytest

from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import FRM, FRM_P, Reason, Reference, Result
from choreomon.monitor.history import OPEN, Record, RecordResult
from choreomon.monitor.record_by_record import PAPER, SOUND
from choreomon.monitor.rules import Rules
from choreomon.properties.resting import Need
from choreomon.properties.tables import Inspected

INDEX_OF = {"P1": 0, "P2": 1, "P3": 2}
CERTAIN, POSSIBLE, NOTHING = FRM, FRM_P, None
PRE, VIO = Reference("q0", "P1", "q1"), Reference("q1", "P2", "q0")


def inspected(need: Need) -> Inspected:
    return Inspected(Reference("q1", "P3", "q2"), True, False, (need,), ())


def judged(
    event: VectorClock,
    p: tuple[VectorClock, RecordResult],
    v: tuple[VectorClock, RecordResult] | None = None,
    *,
    pre: Reference = PRE,
    vio: Reference = VIO,
) -> dict[str, Result | None]:
    """What becomes of m, by rules, with a record of p and one of v."""
    records = [Record(pre, *p), *([Record(vio, *v)] if v else [])]
    need = inspected(Need(pre, (vio,)))
    return {
        rules.name: rules.judge(need, event, 2, records, INDEX_OF).result
        for rules in (SOUND, PAPER)
    }


def both(result: Result | None) -> dict[str, Result | None]:
    return {"sound": result, "paper": result}


@pytest.mark.parametrize(
    ("event", "p", "expected"),
    [
        ((1, 0, 1), ((1, 0, 0), FRM), CERTAIN),
        ((1, 0, 1), ((1, 0, 0), FRM_P), POSSIBLE),
        ((0, 0, 1), ((1, 0, 0), FRM), POSSIBLE),
        ((0, 0, 1), ((1, 0, 1), FRM), NOTHING),
    ],
    ids=["certain before", "possible before", "concurrent", "after"],
)
def test_a_pre_record_counts_unless_it_happened_after(
    event: VectorClock, p: tuple[VectorClock, RecordResult], expected: Result | None
) -> None:
    assert judged(event, p) == both(expected)


def test_an_event_that_is_its_own_pre_record_counts_for_the_paper_alone() -> None:
    said = judged((0, 0, 1), ((0, 0, 1), FRM), pre=Reference("q0", "P3", "q1"))
    assert said == {"sound": NOTHING, "paper": POSSIBLE}


@pytest.mark.parametrize(
    ("event", "p", "v", "sound", "paper"),
    [
        ((1, 1, 1), (1, 1, 0), (0, 1, 0), CERTAIN, CERTAIN),
        ((1, 1, 1), (1, 0, 0), (1, 1, 0), NOTHING, NOTHING),
        ((1, 1, 1), (1, 0, 0), (0, 1, 0), POSSIBLE, POSSIBLE),
        ((1, 0, 1), (1, 0, 0), (0, 1, 0), POSSIBLE, POSSIBLE),
        ((1, 0, 1), (1, 0, 0), (1, 1, 0), POSSIBLE, NOTHING),
        ((1, 0, 1), (1, 0, 0), (1, 1, 1), CERTAIN, NOTHING),
        ((0, 1, 1), (1, 0, 0), (0, 1, 0), POSSIBLE, POSSIBLE),
        ((0, 0, 1), (1, 0, 0), (1, 1, 0), POSSIBLE, NOTHING),
    ],
    ids=[
        "before p",
        "between",
        "before m, concurrent to p",
        "concurrent to both",
        "after p, concurrent to m",
        "after m",
        "before m, p concurrent to both",
        "after p, both concurrent to m",
    ],
)
def test_a_cancellation_counts_by_where_it_happened(
    event: VectorClock,
    p: VectorClock,
    v: VectorClock,
    sound: Result | None,
    paper: Result | None,
) -> None:
    assert judged(event, (p, FRM), (v, FRM)) == {"sound": sound, "paper": paper}


@pytest.mark.parametrize(
    ("source", "expected"),
    [("q1", {"sound": NOTHING, "paper": NOTHING}), ("q5", {"sound": POSSIBLE, "paper": NOTHING})],
)
def test_a_possible_cancellation_is_certain_where_it_starts_where_the_pre_record_ends(
    source: str, expected: dict[str, Result | None]
) -> None:
    vio = Reference(source, "P2", "q0")
    assert judged((1, 1, 1), ((1, 0, 0), FRM), ((1, 1, 0), FRM_P), vio=vio) == expected


def test_a_certain_cancellation_cancels_wherever_it_starts() -> None:
    vio = Reference("q5", "P2", "q0")
    assert judged((1, 1, 1), ((1, 0, 0), FRM), ((1, 1, 0), FRM), vio=vio) == both(NOTHING)


def test_the_event_of_the_pre_record_does_not_cancel_it() -> None:
    vio = Reference("q1", "P1", "q0")
    said = judged((1, 0, 1), ((1, 0, 0), FRM), ((1, 0, 0), FRM), vio=vio)
    assert said == {"sound": CERTAIN, "paper": POSSIBLE}


def test_the_judged_event_does_not_cancel_what_it_continues() -> None:
    vio = Reference("q1", "P3", "q0")
    said = judged((1, 0, 1), ((1, 0, 0), FRM), ((1, 0, 1), FRM), vio=vio)
    assert said == {"sound": CERTAIN, "paper": NOTHING}


@pytest.mark.parametrize("rules", [SOUND, PAPER], ids=["sound", "paper"])
@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((1, 2), CERTAIN),
        ((2, 1), CERTAIN),
        ((2, 3), POSSIBLE),
        ((3, 2), POSSIBLE),
    ],
)
def test_the_best_of_several_pre_records_decides(
    rules: Rules, counts: tuple[int, ...], expected: Result
) -> None:
    """The first event of P1 happened before m, the second is concurrent to it, and the third
    happened after it."""
    event = (1, 0, 1)
    clocks = {1: (1, 0, 0), 2: (2, 0, 0), 3: (3, 0, 1)}
    records = [Record(PRE, clocks[count], FRM) for count in counts]
    need = inspected(Need(PRE, ()))
    judgement = rules.judge(need, event, 2, records, INDEX_OF)
    assert judgement.result == expected


def test_merged_records_may_have_happened_before_where_their_first_event_may() -> None:
    """The last event of each happened after m."""
    p = Record(PRE, (3, 0, 1), FRM, (1, 0, 0))
    v = Record(VIO, (1, 3, 1), FRM, (1, 1, 0))
    need = inspected(Need(PRE, (VIO,)))
    assert SOUND.judge(need, (1, 0, 1), 2, [p], INDEX_OF).result == FRM_P
    certain = Record(PRE, (1, 0, 0), FRM)
    assert SOUND.judge(need, (1, 1, 1), 2, [certain, v], INDEX_OF).result == FRM_P


@pytest.mark.parametrize("order", [*permutations((1, 2, 3))])
def test_one_certain_cancellation_is_enough(order: tuple[int, ...]) -> None:
    """Of P2's events the first is concurrent to p, the second lies between p and m, and the
    third is concurrent to m."""
    clocks = {1: (0, 1, 0), 2: (1, 2, 0), 3: (1, 3, 0)}
    records = [Record(PRE, (1, 0, 0), FRM), *(Record(VIO, clocks[n], FRM) for n in order)]
    need = inspected(Need(PRE, (VIO,)))
    for rules in (SOUND, PAPER):
        assert rules.judge(need, (1, 2, 1), 2, records, INDEX_OF).result is None


def test_records_of_other_references_change_nothing() -> None:
    records = [
        Record(Reference("q7", "P1", "q1"), (1, 0, 0), FRM),
        Record(Reference("q8", "P2", "q0"), (1, 1, 0), FRM),
    ]
    need = inspected(Need(PRE, (VIO,)))
    for rules in (SOUND, PAPER):
        assert rules.judge(need, (1, 1, 1), 2, records, INDEX_OF).result is None
        with_p = [Record(PRE, (1, 0, 0), FRM), *records]
        assert rules.judge(need, (1, 1, 1), 2, with_p, INDEX_OF).result == FRM


@pytest.mark.parametrize("rules", [SOUND, PAPER], ids=["sound", "paper"])
def test_each_record_that_matters_is_a_reason(rules: Rules) -> None:
    """The v before p is harmless, and none."""
    p, v = (1, 1, 0), (0, 2, 0)
    records = [Record(PRE, p, FRM), Record(VIO, (0, 1, 0), FRM), Record(VIO, v, FRM_P)]
    need = inspected(Need(PRE, (VIO,)))
    judgement = rules.judge(need, (1, 1, 1), 2, records, INDEX_OF)
    assert judgement.result == FRM_P
    assert judgement.because == (
        Reason("pre", PRE, p, FRM, "before", False, None, None, None),
        Reason("vio", VIO, v, FRM_P, "concurrent", False, p, PRE, None),
    )


@pytest.mark.parametrize(
    ("event", "relation", "since"),
    [((3, 0, 1), "before", None), ((2, 0, 1), "concurrent", (1, 0, 0))],
)
def test_a_merged_record_is_a_reason_since_its_first_event_where_that_matters(
    event: VectorClock, relation: str, since: VectorClock | None
) -> None:
    """Where m knows the last event, the others do not matter."""
    merged = Record(PRE, (3, 0, 0), FRM, (1, 0, 0))
    judgement = SOUND.judge(inspected(Need(PRE, ())), event, 2, [merged], INDEX_OF)
    (reason,) = judgement.because
    assert (reason.relation, reason.since) == (relation, since)


def test_the_paper_is_told_whatever_did_not_happen_after() -> None:
    """Of P1's four records one is known to m, two are concurrent to it, and one knows it."""
    chain = tuple(
        Record(PRE, clock, state)
        for clock, state in (
            ((1, 0, 0), FRM),
            ((2, 0, 0), FRM_P),
            ((3, 0, 0), OPEN),
            ((4, 0, 1), FRM),
        )
    )
    told = PAPER.tell(chain, 0, (1, 0, 1), 2)
    assert [(record.clock[0], record.result) for record in told] == [
        (3, FRM_P),
        (2, FRM_P),
        (1, FRM),
    ]


def test_the_paper_is_told_of_the_event_itself_and_of_nothing_later() -> None:
    reference = Reference("q0", "P3", "q1")
    chain = tuple(Record(reference, (0, 0, count), FRM) for count in (1, 2, 3))
    told = PAPER.tell(chain, 2, (0, 0, 2), 2)
    assert [record.clock[2] for record in told] == [2, 1]
