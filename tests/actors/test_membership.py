"""Who is at which slot of a role, planned before a run."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.actors.balancing import ByKey, Replicas
from choreomon.actors.membership import Change, ImpossibleChange, Membership, Move
from choreomon.actors.randomness import Streams
from choreomon.core.roles import Roles


def moves(membership: Membership) -> list[Move]:
    return [*membership.moves("A", Streams(0))]


def test_who_joins_takes_the_lowest_free_slot() -> None:
    changes = (Change(5, "leave", 0), Change(9, "join"), Change(9, "join"))
    assert moves(Membership(3, 2, changes, lease=100)) == [
        Move(5, "leave", 0),
        Move(9, "join", 0),
        Move(9, "join", 2),
    ]


def test_the_slot_of_one_that_was_killed_is_free_when_its_lease_is_over() -> None:
    changes = (Change(5, "kill", 0), Change(9, "join"), Change(20, "leave", 1))
    assert moves(Membership(2, 2, changes, lease=100)) == [
        Move(5, "kill", 0),
        Move(20, "leave", 1),
        Move(105, "join", 0),
    ]


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ((Change(1, "join"), Change(2, "join")), 1),
        ((Change(1, "kill", 0), Change(2, "leave", 0)), 1),
        ((Change(1, "kill", 0), Change(2, "join"), Change(3, "kill", 1), Change(4, "kill", 0)), 3),
        ((Change(1, "leave", 1),), 0),
        ((Change(1, "leave", -1),), 0),
    ],
)
def test_what_cannot_be_is_refused(changes: tuple[Change, ...], place: int) -> None:
    with pytest.raises(ImpossibleChange) as refused:
        moves(Membership(2, 1, changes, lease=100))
    assert refused.value.place == place


@given(st.integers(2, 4), st.integers(0, 10_000), st.integers(0, 2**32))
def test_random_changes_leave_one_replica_and_no_slot_is_held_twice_or_within_a_lease(
    slots: int, lease: int, seed: int
) -> None:
    random = Random(seed)
    held, until, now = {*range(random.randint(1, slots))}, [0] * slots, 0
    membership = Membership(slots, len(held), every=1.0, lease=lease)
    for at, happening, slot in islice(membership.moves("A", Streams(seed)), 60):
        assert at >= now
        now = at
        if happening == "join":
            assert slot not in held
            assert at >= until[slot]
            held.add(slot)
        else:
            held.remove(slot)
            until[slot] = at + (lease if happening == "kill" else 0)
        assert held


def test_who_serves_not_is_not_chosen() -> None:
    replicas = Replicas(Roles({"A": 4}), {}, {"A": Membership(4, 3)})
    balancer = replicas.balancer("A", Streams(0))
    assert [balancer(()) for _ in range(5)] == [0, 1, 2, 0, 1]
    balancer.leave_out(2)
    balancer.add(3)
    assert [balancer(()) for _ in range(4)] == [3, 0, 1, 3]
    for each in (0, 1, 3):
        balancer.leave_out(each)
    assert balancer(()) is None


def test_a_value_keeps_its_replica_while_that_serves() -> None:
    replicas = Replicas(Roles({"A": 4}), {"A": ByKey("k")})
    balancer = replicas.balancer("A", Streams(0))
    before = {str(n): balancer((("k", str(n)),)) for n in range(40)}
    assert {*before.values()} == {0, 1, 2, 3}
    balancer.leave_out(2)
    after = {str(n): balancer((("k", str(n)),)) for n in range(40)}
    assert {after[n] for n in before if before[n] == 2} == {0, 1, 3}
    assert all(after[n] == was for n, was in before.items() if was != 2)
    assert balancer(()) == 0
