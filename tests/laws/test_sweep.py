"""The exhaustive sweep of benchmarks/sweep.py over scopes small enough for every run of the
tests. The counts are exact: a change of them is a change of what can happen."""

from __future__ import annotations

from itertools import islice
from random import Random

from benchmarks.sweep import ONCE, WIDE, Counts, drawn, instances, sweep
from choreomon.monitor.record_by_record import PAPER
from tests.laws.planted import TrustsUncertainRecords


def test_all_interleavings_of_three_events_that_wait_in_queues() -> None:
    counts = sweep(instances(ONCE._replace(events=3)), Random(1), queued=True)
    assert counts == Counts(
        automata=123,
        instances=123,
        sampled=0,
        worlds=92109,
        ends=1619,
        formations=2577,
        violated=42,
        possibly=15208,
        missed=0,
        false=0,
        unfinished=0,
    )


def test_all_interleavings_of_four_events_for_every_twelfth_instance() -> None:
    chosen = islice(instances(ONCE._replace(events=4)), 0, None, 12)
    counts = sweep(chosen, Random(1))
    assert counts == Counts(
        automata=39,
        instances=39,
        sampled=1,
        worlds=130471,
        ends=2469,
        formations=2235,
        violated=23,
        possibly=28820,
        missed=0,
        false=0,
        unfinished=0,
    )


def test_all_interleavings_of_five_events_for_some_instances_of_the_wide_scope() -> None:
    counts = sweep(islice(drawn(WIDE, Random(5)), 8), Random(1))
    assert counts == Counts(
        automata=8,
        instances=8,
        sampled=0,
        worlds=30346,
        ends=737,
        formations=4242,
        violated=275,
        possibly=7114,
        missed=0,
        false=0,
        unfinished=0,
    )


def test_the_sweep_notices_missed_violations() -> None:
    chosen = islice(instances(ONCE._replace(events=4)), 0, None, 12)
    assert sweep(chosen, Random(1), rules=PAPER).missed > 0


def test_the_sweep_notices_false_alarms() -> None:
    chosen = instances(ONCE._replace(events=3))
    assert sweep(chosen, Random(1), rules=TrustsUncertainRecords()).false > 0
