"""A driver and its journal: nothing is out before its commit, a disk that takes nothing harms
nothing, and a start has few rows to read."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from choreomon.core.verdict import POSSIBLY_VIOLATED
from choreomon.runtime.driver import RETRY, ROWS_PER_SNAPSHOT, Driver, Timeouts
from choreomon.runtime.inputs import Report, decode_batch
from choreomon.runtime.instances.rows import InstanceRow
from choreomon.runtime.outputs import Close
from choreomon.runtime.outstanding import FEW, IN_FLIGHT
from choreomon.runtime.ports import CommitFailed
from tests.runtime.driven import Ports, event, made
from tests.runtime.world.disk import Disk


def test_nothing_leaves_before_its_inputs_are_on_the_disk() -> None:
    driver, ports, _, _ = made()
    event(driver, 1)
    event(driver, 2)
    assert ports.left == [("Welcome", 1)]
    driver.flush()
    assert ports.left[1:] == [("ask", 3), ("Clock", 3), ("ask", 3), ("Clock", 3)]


def test_a_full_disk_holds_everything_back_and_loses_nothing() -> None:
    driver, ports, disk, clock = made()
    disk.full = True
    event(driver, 1)
    assert not driver.flush()
    assert driver.failing
    assert ports.left == [("Welcome", 1)]
    state = driver.state
    clock.time += RETRY
    driver.tick()
    assert driver.state is state  # memory is never rolled back
    assert disk.failures == 2
    disk.full = False
    clock.time += RETRY
    driver.tick()
    assert not driver.failing
    assert ports.left[1:] == [("ask", 2), ("Clock", 2)]
    assert ports.failures == ["the disk is full", None]


def test_the_same_rows_are_tried_again_and_come_once() -> None:
    driver, _, disk, clock = made()
    disk.full = True
    event(driver, 1)
    driver.flush()
    disk.full = False
    clock.time += RETRY
    driver.tick()
    numbers = [
        given.number for row in disk.rows for given in decode_batch(row) if type(given) is Report
    ]
    assert numbers == [1]


def test_while_a_disk_is_full_nothing_is_asked_again() -> None:
    driver, ports, disk, clock = made()
    event(driver, 1)
    driver.flush()
    disk.full = True
    event(driver, 2)
    driver.flush()
    before = len(ports.left)
    clock.time += 60.0
    driver.tick()
    assert len(ports.left) == before


@pytest.mark.parametrize("events", [20_000])
def test_a_peer_that_stays_dead_costs_the_same_for_every_event(events: int) -> None:
    """Things are counted, not seconds: what is open, what is asked, what is remembered."""
    timeouts = Timeouts(deadline=1.0, give_up=30.0)
    driver, ports, _, clock = made(most_open=64, timeouts=timeouts)
    sizes: list[tuple[int, int, int]] = []
    asked = 0
    for number in range(1, events + 1):
        event(driver, number)
        driver.flush()
        clock.time += 0.1
        driver.tick()
        if number % (events // 4) == 0:
            monitor = driver.state.hosts[0].monitor
            sizes.append((len(monitor.inspections), monitor.records, ports.asks - asked))
            asked = ports.asks
    opened, records, asks = zip(*sizes, strict=True)
    assert max(opened) <= 64
    assert max(records) <= 64 + 8
    assert max(asks[1:]) <= events // 4 + events // 4 * FEW
    assert max(asks[1:]) - min(asks[1:]) <= max(asks[1:]) // 5
    in_flight = [len(asking._sent) for asking in driver._asking.values()]
    assert max(in_flight) <= IN_FLIGHT
    provisional = [word for word in ports.words if word.provisional]
    assert len(provisional) > events // 2
    assert {word.verdict.kind for word in provisional} == {POSSIBLY_VIOLATED}
    assert {name for word in provisional for name in word.verdict.silent} == {"A"}


def test_a_driver_goes_on_from_a_snapshot() -> None:
    driver, _, disk, _ = made()
    event(driver, 1)
    driver.flush()
    driver.snapshot()
    event(driver, 2)
    driver.flush()
    again, _, _, _ = made(disk=disk, session=None)
    assert again.state.hosts == driver.state.hosts


def test_a_journal_has_as_many_rows_as_a_snapshot_is_for_and_no_more() -> None:
    driver, _, disk, _ = made(most_open=8)
    for number in range(1, ROWS_PER_SNAPSHOT):
        event(driver, number)
        driver.flush()
    assert ROWS_PER_SNAPSHOT == len(disk.rows) == 4096  # as docs/operations.md says
    assert [count for count, _ in disk.snapshots] == [4096]


def test_rows_are_counted_over_restarts() -> None:
    disk = Disk(lambda moment: None)
    most = 0
    for life in range(40):
        driver, _, _, _ = made(disk=disk, session=None if life else "s", rows_per_snapshot=10)
        for number in range(1, 4):
            event(driver, 3 * life + number)
            driver.flush()
            most = max(most, len(disk.load()[1]))
    assert most < 10
    assert [count for count, _ in disk.snapshots] == [*range(10, len(disk.rows) + 1, 10)]


def test_rows_are_counted_anew_after_a_snapshot() -> None:
    driver, _, disk, _ = made(rows_per_snapshot=10)
    for number in range(1, 35):
        event(driver, number)
        driver.flush()
    assert [count for count, _ in disk.snapshots] == [10, 20, 30]


class NoRoomForSnapshots(Disk):
    tried = 0

    def snapshot(self, state: bytes, instances: Sequence[InstanceRow] = ()) -> None:
        self.tried += 1
        raise CommitFailed("no room")


def test_a_snapshot_that_failed_is_tried_again_after_as_many_rows_and_nothing_is_held_back() -> (
    None
):
    disk = NoRoomForSnapshots(lambda moment: None)
    driver, ports, _, _ = made(disk=disk, rows_per_snapshot=10)
    tried = []
    for number in range(1, 30):
        event(driver, number)
        assert driver.flush()
        tried.append(disk.tried)
    assert tried == [row // 10 for row in range(2, 31)]
    assert ports.failures == []
    assert len(disk.rows) == 30


class RaisesAtTheSecond(Ports):
    """Closes connections; while the second one is closed, another output comes, and it raises."""

    driver: Driver

    def __init__(self, disk: Disk) -> None:
        super().__init__(disk)
        self.closed: list[int] = []

    def close(self, connection: int) -> None:
        self.closed.append(connection)
        if connection == 2:
            self.driver.hold(Close(5))
            raise OSError("gone")


def test_what_a_port_raises_loses_nothing_and_changes_no_order() -> None:
    disk = Disk(lambda moment: None)
    ports = RaisesAtTheSecond(disk)
    driver, _, _, _ = made(ports=ports, disk=disk)
    ports.driver = driver
    for connection in (1, 2, 3, 4):
        driver.hold(Close(connection))
    with pytest.raises(OSError, match="gone"):
        driver.flush()
    assert ports.closed == [1, 2]
    driver.flush()
    assert ports.closed == [1, 2, 3, 4, 5]
