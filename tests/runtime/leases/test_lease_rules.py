"""Who may take a slot, and what becomes of its lease."""

from __future__ import annotations

from itertools import pairwise
from math import inf

import pytest

from choreomon.core.vector_clock import JUMP
from choreomon.monitor.host import LEAP
from choreomon.runtime.leases.holding import NOTHING_HELD, Holding
from choreomon.runtime.leases.moving import Forgotten, Told, answer_there, must_be_fenced
from choreomon.runtime.leases.rules import (
    Lease,
    for_service,
    given_back,
    is_free,
    may_be_taken,
    reached_before,
    renewed,
    taken,
    to_adopt,
    until_next,
    with_store,
)
from choreomon.runtime.sessions import Session

USED = Lease("shop/0", 4, "pod-a", "a:1", 10.0, used=True, lives=1, pod="pod-a")
VACANT = USED._replace(slot="shop/1", used=False)
NEW = Lease("shop/2")


@pytest.mark.parametrize(
    ("lease", "holder", "now", "free", "for_a_service"),
    [
        (NEW, "pod-b", 0.0, True, True),
        (USED, "pod-b", 9.9, False, False),
        (USED, "pod-b", 10.0, True, True),
        (USED, "pod-a", 0.0, True, True),
        (VACANT, "pod-b", 9.9, False, True),
        (VACANT, "pod-b", 10.0, True, True),
    ],
)
def test_who_may_take_a_slot(
    lease: Lease, holder: str, now: float, free: bool, for_a_service: bool
) -> None:
    assert is_free(lease, holder, now) == free
    assert may_be_taken(lease, holder, now, used=False) == free
    assert may_be_taken(lease, holder, now, used=True) == for_a_service


def test_the_number_grows_whenever_a_slot_is_taken_and_never_goes_back() -> None:
    lease = taken(VACANT, "pod-b", "b:1", 20.0, used=True)
    assert lease == Lease("shop/1", 5, "pod-b", "b:1", 20.0, True, 1, "pod-b")
    assert renewed(lease, 4, 30.0) is None
    assert given_back(lease, 4) is None
    assert renewed(lease, 5, 30.0) == lease._replace(until=30.0)
    back = given_back(lease, 5)
    assert back == Lease("shop/1", 5, lives=1, pod="pod-b")
    assert taken(back, "pod-c", "", 40.0, used=False).pod == "pod-b"
    assert taken(back, "pod-c", "", 40.0, used=False).number == 6


def test_a_life_begins_with_a_store_and_ends_where_it_is_lost() -> None:
    assert with_store(NEW, empty=True) == (NEW._replace(lives=1), False)
    assert with_store(USED, empty=False) == (USED, False)
    assert with_store(USED, empty=True) == (USED._replace(lives=2), True)
    assert with_store(USED, empty=False, behind=True) == (USED._replace(lives=2), True)


def test_no_two_lives_count_alike_and_none_is_too_far_for_others() -> None:
    starts = [0, *(reached_before(lives) + LEAP for lives in range(2, 6))]
    assert all(later - earlier >= LEAP for earlier, later in pairwise(starts))
    assert reached_before(1 << 19) < JUMP


def test_a_service_gets_the_slot_that_its_pod_had_and_takes_nobodys_first() -> None:
    leases = [USED, VACANT._replace(pod="pod-c"), NEW]
    assert for_service(leases, "pod-a", 0.0) == USED
    assert for_service([leases[1], *leases], "pod-c", 0.0) == leases[1]
    assert for_service([NEW, given_back(USED, 4)], "pod-a", 0.0) == given_back(USED, 4)
    assert for_service([USED._replace(holder="pod-d", pod="pod-d"), NEW], "pod-a", 0.0) == NEW
    leases = [USED, VACANT, NEW]
    assert for_service(leases, "pod-b", 0.0) == NEW
    assert for_service(leases[:2], "pod-b", 0.0) == VACANT
    assert for_service(leases[:1], "pod-b", 0.0) is None
    assert for_service(leases[:1], "pod-b", 10.0) == USED


def test_an_agent_adopts_what_nobody_answers_for() -> None:
    leases = [USED, VACANT, NEW]
    assert to_adopt(leases, "pod-b", (), 0.0) == [NEW]
    assert to_adopt(leases, "pod-b", ["shop/2"], 10.0) == [USED, VACANT]
    assert to_adopt(leases, "pod-a", ["shop/0"], 0.0) == [NEW]
    assert to_adopt(leases, "pod-a", ["shop/0"], 0.0, starts=True) == [VACANT, NEW]


def test_the_next_look_is_when_the_first_lease_of_others_is_over() -> None:
    leases = [USED, VACANT._replace(until=12.0), NEW]
    assert until_next(leases, (), 7.0) == 3.0
    assert until_next(leases, ["shop/0"], 7.0) == 5.0
    assert until_next(leases, (), 10.0) == 2.0
    assert until_next(leases, (), 12.0) == until_next([NEW], (), 0.0) == inf


def test_what_is_left_of_the_slots_of_an_agent_that_was_fenced() -> None:
    holding = NOTHING_HELD.taken(USED).taken(VACANT)
    assert holding == Holding({"shop/0": 4, "shop/1": 4}, "shop/0")
    assert holding.without(["shop/1"]) == Holding({"shop/0": 4}, "shop/0")
    assert holding.without(["shop/0"]) == Holding({"shop/1": 4})


def test_the_slot_where_a_service_told_something_is_fenced_until_its_number_has_moved_on() -> None:
    told = Told("shop/0", 4, "s")
    assert must_be_fenced(told, USED)
    assert not must_be_fenced(told, taken(USED, "pod-b", "", 20.0, used=False))
    given = given_back(USED, 4)
    assert given is not None
    assert must_be_fenced(told, given)


def test_what_was_committed_is_answered_and_what_was_not_is_told_anew() -> None:
    told = Told("shop/0", 4, "s")
    sessions = {"s": Session("block", 1, last=3, replies=((2, "two"), (3, "three")))}
    assert answer_there(told, sessions, 3) == "three"
    assert answer_there(told, sessions, 4) is None
    for wanted in (told._replace(session="other"), told):
        with pytest.raises(Forgotten):
            answer_there(wanted, sessions, 1)
