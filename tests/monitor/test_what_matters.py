"""What matters of all that is known (choreomon/monitor/what_matters.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import FRM, FRM_P, Reference
from choreomon.monitor import precise, what_matters
from choreomon.monitor.consistent_cuts import Found, possible_outcomes
from choreomon.monitor.history import Record
from choreomon.monitor.precise import PRECISE
from choreomon.monitor.setup import MonitorSetup
from choreomon.monitor.what_matters import mattering, mattering_directly
from tests.laws import planted
from tests.laws.test_guarantees import runs
from tests.monitor.mattering_by_definition import (
    mattering_by_definition,
    mattering_directly_by_definition,
)
from tests.monitor.test_precise import A_FIRES, B_FIRES, C_FIRES, monitor_of


def compared(number: int, **settings: Any) -> tuple[int, int]:
    """Over all that was ever judged in random runs: what is found by all that is known, and by what
    of it matters. How many records there were, and how many of them matter."""
    known = kept = 0

    def both(
        monitor: MonitorSetup,
        event: VectorClock,
        own: int,
        references: Sequence[Reference],
        records: Sequence[Record],
    ) -> list[Record]:
        nonlocal known, kept
        matters = mattering(monitor, event, own, references, records)
        assert matters == mattering_by_definition(monitor, event, own, references, records)
        for some in (records, matters):
            assert mattering_directly(
                monitor, event, own, references, some
            ) == mattering_directly_by_definition(monitor, event, own, references, some)
        asked = [(each, True) for each in references]
        bits, index_of = monitor.bits, monitor.index_of
        assert_the_same(
            possible_outcomes(bits, index_of, event, own, asked, records, most=10**6),
            possible_outcomes(bits, index_of, event, own, asked, matters, most=10**6),
        )
        known += len(records)
        kept += len(matters)
        return matters

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(precise, "mattering", both)
        for run in runs(number, **settings):
            assert run.events
    return known, kept


def assert_the_same(all_of_them: Found, mattering: Found) -> None:
    """What is open and does not matter may leave more unknown, never less."""
    pairs = zip(
        (*all_of_them.each, all_of_them.final), (*mattering.each, mattering.final), strict=True
    )
    for every, some in pairs:
        assert every == some or (every.unknown and not some.unknown) or (every.both and some.both)
        assert some.yes or not every.yes
        assert some.no or not every.no


def test_what_does_not_matter_changes_nothing() -> None:
    known, kept = compared(700, rules=PRECISE)
    assert known > 4000
    assert kept < 0.9 * known
    known, kept = compared(30, rules=planted.ShortPreciseChains(2), count=(2, 3), events=(15, 30))
    assert known > 1000


def test_that_law_notices_an_event_that_settles_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(what_matters, "settled", planted.settles_itself)
    with pytest.raises(AssertionError):
        compared(50, rules=PRECISE)


def test_a_sure_record_takes_the_place_of_what_is_before_it_for_whoever_comes_after() -> None:
    p3 = monitor_of("P3")
    older, newer = Record(B_FIRES, (0, 1, 0), FRM), Record(B_FIRES, (0, 2, 0), FRM)
    assert mattering(p3, (0, 2, 1), 2, [C_FIRES], [older, newer]) == [newer]
    assert mattering(p3, (0, 1, 1), 2, [C_FIRES], [older, newer]) == [older, newer]
    after = Record(B_FIRES, (0, 3, 1), FRM)
    assert mattering(p3, (0, 2, 1), 2, [C_FIRES], [newer, after]) == [newer]


def test_what_undecided_records_rest_on_matters_and_what_sure_ones_rest_on_does_not() -> None:
    p3 = monitor_of("P3")
    a = Record(A_FIRES, (1, 0, 0), FRM)
    perhaps, surely = Record(B_FIRES, (0, 1, 0), FRM_P), Record(B_FIRES, (0, 1, 0), FRM)
    assert mattering(p3, (0, 1, 1), 2, [C_FIRES], [a, perhaps]) == [perhaps, a]
    assert mattering(p3, (0, 1, 1), 2, [C_FIRES], [a, surely]) == [surely]
