"""What of its gaps a process tells (choreomon/monitor/gaps.py), and what a judgement makes of them:
beside all gaps, and beside the rules of docs/adr/022-monitors.md, "Gaps", word for word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import given, settings

from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import FRM, FRM_P, Result
from choreomon.monitor.gaps import Gap, gap_records, relevant_gaps
from choreomon.monitor.history import Chain, Record
from choreomon.monitor.record_by_record import SOUND
from choreomon.properties.resting import Need
from choreomon.properties.tables import Inspected
from tests.laws import planted
from tests.laws.faults import Faults, draw_execution
from tests.laws.test_guarantees import randoms, thorough
from tests.laws.unreliable import Execution


class Case(NamedTuple):
    """An inspection at an event; for each process that it asks, by its index, the chains there and
    the gaps, oldest first."""

    inspected: Inspected
    event: VectorClock
    own: int
    chains: tuple[tuple[int, Chain], ...]
    gaps_of: dict[int, tuple[Gap, ...]]
    index_of: dict[str, int]


def cases(random: Random) -> Iterator[Case]:
    """Every inspection of a random run with gaps, with records whose results are drawn."""
    run = draw_execution(random, Faults(gaps=9, hiding=0.3), count=(2, 3), events=(12, 24))
    gaps_of = {
        place: tuple(found_out_late(random, run, place, gap) for gap in state.monitor.gaps)
        for place, state in enumerate(run.states)
    }
    told = [(event.clock, event) for event in run.events if event.clock is not None]
    for clock, event in told:
        monitor = run.setting.hosts[event.process].monitor
        for inspected in monitor.table.inspections[event.label]:
            chains: list[tuple[int, Chain]] = []
            for owner, asked in inspected.asks:
                place = run.index_of[owner]
                watched = run.setting.hosts[place].monitor.table.watched_by
                for reference in asked:
                    records = [
                        Record(reference, other, random.choice((FRM, FRM_P)))
                        for other, happened in told
                        if happened.process == place
                        and happened.label in watched[reference]
                        and random.random() < 0.7
                    ]
                    chains.append((place, tuple(records)))
            if not inspected.starts:
                yield Case(inspected, clock, event.process, tuple(chains), gaps_of, run.index_of)


def found_out_late(random: Random, run: Execution, process: int, gap: Gap) -> Gap:
    """The gap, or one that began earlier, maybe before the end of the one before."""
    clocks = [step.before.clock for step in run.steps if step.process == process]
    earlier = [clock for clock in clocks if sum(clock) < sum(gap.since)]
    return gap._replace(since=random.choice([gap.since, *earlier[-4:]]))


ToldGaps = Callable[[tuple[Gap, ...], int, VectorClock, int], tuple[Gap, ...]]


def all_gaps(gaps: tuple[Gap, ...], own: int, event: VectorClock, asker: int) -> tuple[Gap, ...]:
    return gaps


def records_of(case: Case) -> list[Record]:
    """All but those of gaps, without the event's own."""
    return [
        record
        for place, chain in case.chains
        for record in chain
        if not (place == case.own and record.clock == case.event)
    ]


def records_of_gaps(case: Case, told: ToldGaps) -> list[Record]:
    """Those that an answer adds for gaps."""
    return [
        record
        for owner, asked in case.inspected.asks
        for place in (case.index_of[owner],)
        for reference in asked
        for record in gap_records(told(case.gaps_of[place], place, case.event, case.own), reference)
    ]


def judge(case: Case, records: list[Record]) -> Result | None:
    return SOUND.judge(case.inspected, case.event, case.own, records, case.index_of).result


@settings(thorough, max_examples=120)
@given(randoms)
def test_two_gaps_at_most_judge_as_all_of_them(random: Random) -> None:
    for case in cases(random):
        records = records_of(case)
        few = judge(case, records + records_of_gaps(case, relevant_gaps))
        assert few == judge(case, records + records_of_gaps(case, all_gaps))
        for place, known in case.gaps_of.items():
            assert len(relevant_gaps(known, place, case.event, case.own)) <= 2


@pytest.mark.parametrize(
    "bug",
    [planted.no_gaps, planted.gaps_before, planted.gaps_not_before],
    ids=lambda bug: bug.__name__,
)
def test_the_law_of_two_gaps_notices(bug: ToldGaps) -> None:
    assert any(
        judge(case, records + records_of_gaps(case, bug))
        != judge(case, records + records_of_gaps(case, all_gaps))
        for seed in range(100)
        for case in cases(Random(seed))
        for records in (records_of(case),)
    )


def by_the_book(case: Case) -> Result | None:
    """What gaps do to a judgement, in the words of docs/adr/022-monitors.md, "Gaps": it is sure
    of a step before that was sure without them, unless a gap of who may have cancelled it is
    neither wholly before that step nor after the event. It is sure of nothing if it was without
    them, and every gap in which a step before may be hidden is after the event, or over when
    something certainly took that step back."""
    inspected, event, own, _, gaps_of, index_of = case
    records = records_of(case)
    needs = [Need(pre, need.vio) for need in inspected.needs for pre in need.pres]
    for need in needs:
        needed, taking, _ = need
        owners = {index_of[vio.process] for vio in taking}
        alone = case._replace(inspected=inspected._replace(needs=(need,)))
        for pre in (record for record in records if record.reference == needed):
            rest = [record for record in records if record.reference != needed]
            if needed not in taking and judge(alone, [pre, *rest]) == FRM:
                hidden = [
                    gap
                    for owner in owners
                    for gap in gaps_of[owner]
                    if not pre.clock[owner] >= gap.until[owner] and not gap.since[own] >= event[own]
                ]
                if not hidden:
                    return FRM
    for needed, taking, _ in needs:
        pre_own = index_of[needed.process]
        for gap in gaps_of[pre_own]:
            surely_over = any(
                vio.clock[pre_own] >= gap.until[pre_own]
                and event[index_of[vio.reference.process]]
                >= vio.clock[index_of[vio.reference.process]]
                and (vio.result == FRM or vio.reference.source == needed.target)
                for vio in records
                if vio.reference in taking
            )
            if gap.since[own] < event[own] and not surely_over:
                return FRM_P
    return FRM_P if judge(case, records) is not None else None


def test_gaps_make_uncertain_what_they_may_hide_and_nothing_else() -> None:
    results: Counter[tuple[Result | None, Result | None]] = Counter()
    for seed in range(300):
        for case in cases(Random(seed)):
            records = records_of(case)
            result = judge(case, records + records_of_gaps(case, relevant_gaps))
            assert result == by_the_book(case)
            if any(case.gaps_of.values()):
                results[judge(case, records), result] += 1
    assert set(results) == {(FRM, FRM), (FRM, FRM_P), (FRM_P, FRM_P), (None, FRM_P), (None, None)}
    assert min(results.values()) > 100


def test_that_law_notices_taking_a_gap_for_an_event_that_possibly_happened() -> None:
    def possibly(case: Case) -> list[Record]:
        return [r._replace(result=FRM_P) for r in records_of_gaps(case, relevant_gaps)]

    assert any(
        judge(case, records_of(case) + possibly(case)) != by_the_book(case)
        for seed in range(100)
        for case in cases(Random(seed))
    )
