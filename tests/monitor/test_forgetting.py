"""How old an instance is: moments that are noted, and what of them is kept."""

from __future__ import annotations

from choreomon.core.verdict import FORGOTTEN, FRM, Reference
from choreomon.monitor.history import Record
from choreomon.monitor.of_instances.forgetting import (
    NOTED_EACH,
    NOTHING_FORGOTTEN,
    Forgotten,
    Moment,
    noted,
    old_clock,
    unseen,
)
from choreomon.monitor.of_instances.state import NOTHING, Instance

DAY = 86400.0
R, S = Reference("q0", "A", "q1"), Reference("q1", "A", "q2")


def after(*moments: tuple[float, int]) -> Forgotten:
    """What is noted of days at which the process of two had this count, of 16 days."""
    forgotten = NOTHING_FORGOTTEN
    for day, count in moments:
        forgotten = noted(forgotten, Moment(day * DAY, (count, 7)), 0, 16 * DAY)
    return forgotten


def test_moments_are_noted_where_enough_time_has_passed_and_something_happened() -> None:
    found = after((0, 0), (1, 2), (1.5, 5), (2.0, 5), (3.0, 5), (4.0, 6))
    assert [(each.time / DAY, each.clock[0]) for each in found.moments] == [(1, 2), (2, 5), (4, 6)]
    same = noted(found, Moment(4.5 * DAY, (9, 7)), 0, 16 * DAY)
    assert same is found


def test_the_newest_clock_that_is_old_enough_is_found_and_older_ones_go() -> None:
    found = after(*[(day, day) for day in range(1, 100)])
    assert len(found.moments) == NOTED_EACH + 1
    assert old_clock(found, 99 * DAY, 16 * DAY) == (83, 7)
    assert old_clock(found, 98 * DAY, 16 * DAY) is None  # it has gone: nothing is forgotten then
    assert old_clock(found, 200 * DAY, 16 * DAY) == (99, 7)
    assert old_clock(NOTHING_FORGOTTEN, 99 * DAY, 16 * DAY) is None


def test_what_was_noted_by_a_clock_that_was_set_back_counts_from_now_on() -> None:
    found = after((50, 3), (10, 4))
    assert [(each.time / DAY, each.clock[0]) for each in found.moments] == [(10, 3)]
    assert old_clock(found, 25 * DAY, 16 * DAY) is None
    assert old_clock(found, 26 * DAY, 16 * DAY) == (3, 7)


def test_an_instance_that_may_have_been_forgotten_may_have_had_any_past() -> None:
    chains = unseen((5, 2), (R, S), (True, False))
    assert chains == ((Record(R, (5, 2), FORGOTTEN, (0, 0)),), ())
    for nothing in (Instance(chains), NOTHING):
        assert nothing.is_bare
        assert not nothing.has_records
    known = Instance(((*chains[0], Record(R, (6, 2), FRM)), ()))
    assert known.has_records
    assert known.is_bare


def test_what_has_a_newer_record_or_waits_is_not_forgotten() -> None:
    two = Instance(((Record(R, (2, 0), FRM), Record(R, (5, 0), FRM)), (Record(S, (3, 0), FRM),)))
    assert two.may_be_forgotten(0, (5, 9))
    assert not two.may_be_forgotten(0, (4, 9))
    inquiry: object = None
    waits = two._replace(postponed=(inquiry,))  # type: ignore[arg-type]
    assert not waits.may_be_forgotten(0, (5, 9))
