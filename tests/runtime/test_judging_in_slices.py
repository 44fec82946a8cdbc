"""Frames wait their turn, and what is judged is judged in slices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import pytest

from choreomon.runtime.driver import Driver
from choreomon.runtime.inputs import FromPeer, Input, WentOn, decode_batch
from choreomon.runtime.openings import Openings
from choreomon.runtime.outputs import LeftUnfinished
from choreomon.runtime.slices import LONGEST, OVERHEAD, SHORTEST, ReceivedFrames, Slices
from tests.runtime.driven import event, made


def test_frames_of_a_peer_keep_their_order_and_peers_take_turns() -> None:
    frames = ReceivedFrames()
    for number in range(4):
        frames.add("A", b"%d" % number)
    frames.add("B", b"b")
    taken = []
    while frames:
        taken.append(tuple(frames.next()))
    assert taken == [("A", b"0"), ("B", b"b"), ("A", b"1"), ("A", b"2"), ("A", b"3")]


def test_of_what_one_peer_says_only_so_much_waits_and_others_have_room() -> None:
    frames = ReceivedFrames(most=3 * OVERHEAD)
    assert [frames.add("A", b"") for _ in range(4)] == [True, True, True, False]
    assert frames.add("B", b"")
    frames.next()
    assert frames.add("A", b"")
    assert not frames.add("A", b"")


class Turns:
    """A loop whose turns are called for, and a processor of which each frame takes `cost`."""

    def __init__(self, cost: float = 0.0) -> None:
        self.cost = cost
        self.spent = 0.0
        self.calls: list[Callable[[], None]] = []
        self.taken: list[Input] = []
        self.flushes = 0
        self.driver = SpendingDriver(self)
        self.slices = Slices(
            cast(Driver, self.driver),
            loop=cast(Any, self),
            flush=self.flush,
            spent=lambda: self.spent,
        )

    def call_soon(self, call: Callable[[], None]) -> None:
        self.calls.append(call)

    def flush(self) -> None:
        self.flushes += 1

    def turn(self) -> int:
        """How much was taken in one turn of the loop."""
        before = len(self.taken)
        calls, self.calls = self.calls, []
        for call in calls:
            call()
        return len(self.taken) - before


class SpendingDriver:
    def __init__(self, turns: Turns) -> None:
        self.turns = turns
        self.behind = False
        self.failing = False
        self.raises = False

    def go_on(self, enough: Callable[[], bool]) -> None:
        self.behind = False

    def take(self, input_: Input) -> None:
        if self.raises:
            self.raises = False
            raise RuntimeError("a defect")
        self.turns.taken.append(input_)
        self.turns.spent += self.turns.cost


def with_frames(number: int, cost: float = 0.0) -> Turns:
    turns = Turns(cost)
    for _ in range(number):
        turns.slices.add("A", b"x")
    turns.slices.soon()
    turns.slices.soon()
    return turns


def test_everybody_else_has_a_turn_after_each_slice() -> None:
    turns = with_frames(10, cost=SHORTEST / 4)
    assert [turns.turn() for _ in range(4)] == [4, 4, 2, 0]
    assert turns.flushes == 3
    assert not turns.calls


def test_a_step_that_takes_long_is_a_slice_of_its_own() -> None:
    turns = with_frames(2, cost=10 * LONGEST)
    assert [turns.turn() for _ in range(3)] == [1, 1, 0]


def test_a_slice_is_as_long_as_what_everybody_else_took_up_to_a_bound() -> None:
    turns = with_frames(100, cost=SHORTEST / 4)
    turns.turn()
    turns.spent += 2 * SHORTEST
    assert turns.turn() == 8
    turns.spent += 100 * LONGEST
    assert turns.turn() == round(4 * LONGEST / SHORTEST)


def test_nothing_is_taken_while_the_disk_takes_nothing_or_after_the_end() -> None:
    turns = with_frames(1)
    turns.driver.failing = True
    assert turns.turn() == 0
    turns.slices.soon()
    assert not turns.calls
    turns.driver.failing = False
    turns.slices.soon()
    turns.slices.close()
    assert turns.turn() == 0


def test_a_frame_at_which_something_raises_holds_up_no_other() -> None:
    turns = with_frames(2)
    turns.driver.raises = True
    with pytest.raises(RuntimeError):
        turns.turn()
    assert turns.turn() == 1


def test_what_the_driver_is_behind_with_is_a_reason_for_a_slice() -> None:
    turns = Turns()
    turns.slices.soon()
    assert not turns.calls
    turns.driver.behind = True
    turns.slices.soon()
    turns.turn()
    assert not turns.driver.behind
    assert turns.flushes == 1


# The driver.


def opened(driver: Driver, events: int) -> None:
    for number in range(1, events + 1):
        event(driver, number)
    driver.flush()


def test_of_what_is_due_at_once_only_so_much_is_taken_as_there_is_time_for() -> None:
    driver, ports, disk, clock = made()
    opened(driver, 3)
    clock.time = 60.0
    driver.tick(lambda: True)
    assert driver.behind
    assert driver.due() == 60.0
    while driver.behind:
        driver.go_on(lambda: True)
        driver.flush()
    kinds = [type(each).__name__ for row in disk.rows for each in decode_batch(row)]
    assert kinds.count("Expired") == kinds.count("GivenUp") == 3
    assert not driver.state.hosts[0].monitor.inspections
    assert len(disk.rows) > 6
    assert [word.event_count for word in ports.words if not word.provisional] == [1, 2, 3]


class Informed:
    """A service that knows what to tell."""

    def greet_again(self) -> None:
        raise AssertionError("nothing is to be told that was not before")

    def uninformed(self) -> list[str]:
        return []


def test_another_sidecar_waits_for_what_was_due_which_is_taken_in_slices() -> None:
    driver, _, _, clock = made()
    opened(driver, 3)
    clock.time = 60.0
    driver.tick(lambda: True)
    present = driver.sidecar
    following = replace(present, closing=frozenset(present.systems))
    openings = Openings(driver, now=lambda: clock.time, opened=lambda tables: None)
    openings.plan(following, (), Informed())
    slices = 0
    while driver.passing:
        openings.open(Informed())
        assert driver.sidecar is present
        driver.go_on(lambda: True)
        driver.flush()
        slices += 1
    assert slices > 3
    openings.open(Informed())
    assert driver.sidecar is following


def test_what_a_step_left_unfinished_is_gone_on_with_after_the_commit() -> None:
    driver, _, _, _ = made()
    driver.hold(LeftUnfinished(0))
    assert not driver.behind
    driver.flush()
    assert driver.behind
    driver.go_on(lambda: False)
    assert not driver.behind


def test_after_a_restart_every_property_is_gone_on_with() -> None:
    driver, _, disk, _ = made()
    opened(driver, 1)
    again, _, _, _ = made(session=None, disk=disk)
    again.flush()
    assert again.behind


def test_going_on_with_nothing_is_not_written_down() -> None:
    driver, _, disk, _ = made()
    before = len(disk.rows)
    driver.take(WentOn(0))
    driver.take(FromPeer("A", b"nonsense"))
    driver.flush()
    assert len(disk.rows) == before
