"""What drives a sidecar: nothing is out before its commit, and a disk that takes nothing harms
nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from choreomon.core.message import SEND, Label, Message
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import NEVER, POSSIBLY_VIOLATED, VIOLATED
from choreomon.formats.clock_text import KEY_BYTES, encode_clocks
from choreomon.monitor.host import Host
from choreomon.monitor.pull import Monitor
from choreomon.properties.automaton import StatedTransition, sequence_automaton
from choreomon.properties.tables import transition_tables
from choreomon.runtime.driver import RETRY, CommitFailed, Driver, Timeouts
from choreomon.runtime.hosted import SidecarState, Stepped
from choreomon.runtime.inputs import FromPeer, Happened, Hello, Policy, Report, decode_batch
from choreomon.runtime.outputs import DeclaredVerdict, Reply
from choreomon.runtime.outstanding import FEW, IN_FLIGHT
from choreomon.runtime.sidecar import Sidecar
from tests.laws.live_rules import HearsBeforeTheBufferArrived, nothing_is_overtaken
from tests.runtime.world.disk import Disk

NAMES = ("A", "B")
SYSTEM = bytes(range(16))
FIRST = Label(SEND, Message("A", "a", "B"))
SECOND = Label(SEND, Message("B", "b", "A"))
PROPERTY = sequence_automaton(
    initial=["q0"],
    final=["q2"],
    transitions=[StatedTransition("q0", FIRST, "q1"), StatedTransition("q1", SECOND, "q2")],
)


class Ports:
    """Notes what leaves, and how many inputs the disk had taken by then."""

    def __init__(self, disk: Disk) -> None:
        self.disk = disk
        self.left: list[tuple[str, int]] = []
        self.words: list[DeclaredVerdict] = []
        self.failures: list[str | None] = []
        self.asks = 0
        self.asked: list[tuple[str, bytes]] = []
        self.answered: list[tuple[str, bytes]] = []
        self._rows = self._inputs = 0

    def _note(self, what: str) -> None:
        rows = self.disk.rows
        self._inputs += sum(len(decode_batch(row)) for row in rows[self._rows :])
        self._rows = len(rows)
        self.asks += what == "ask"
        self.left.append((what, self._inputs))

    def reply(self, output: Reply) -> None:
        self._note(type(output.message).__name__)

    def close(self, connection: int) -> None:
        self._note("close")

    def ask(self, peer: str, frame: bytes) -> None:
        self.asked.append((peer, frame))
        self._note("ask")

    def answer(self, peer: str, frame: bytes, *, waits: bool) -> None:
        self.answered.append((peer, frame))
        self._note("waiting" if waits else "answer")

    def tell(self, word: DeclaredVerdict) -> None:
        self._note("word")
        self.words.append(word)

    def happened(self, output: Any) -> None:
        pass

    def failing(self, why: str | None) -> None:
        self.failures.append(why)


class Clock:
    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


def made(
    *,
    most_open: int | None = None,
    timeouts: Timeouts | None = None,
    session: str | None = "s",
) -> tuple[Driver, Ports, Disk, Clock]:
    """The driver of B, which asks A about each of its events, and the session of a service."""
    disk, clock = Disk(lambda moment: None), Clock()
    ports = Ports(disk)
    table = transition_tables(PROPERTY, NAMES)["B"]
    host = Host(Monitor(table, NAMES, has_deadline=True, most_open=most_open))
    driver = Driver(Sidecar("B", (SYSTEM,), (host,)), disk, ports, clock, timeouts)
    driver.recover(forgetful=False)
    if session is not None:
        driver.take(Hello(1, "block", "", session, 0))
        driver.flush()
    return driver, ports, disk, clock


def event(driver: Driver, number: int) -> None:
    driver.take(Report(1, "s", number, number - 1, "send", "A", "b", "", 0))


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


class TakesNoSnapshots(Disk):
    tried = 0

    def snapshot(self, state: bytes) -> None:
        self.tried += 1
        raise CommitFailed("there is no room for a snapshot")


def test_a_snapshot_that_failed_is_tried_again_after_as_many_rows_as_the_first_time() -> None:
    disk, clock = TakesNoSnapshots(lambda moment: None), Clock()
    host = Host(Monitor(transition_tables(PROPERTY, NAMES)["B"], NAMES))
    sidecar, ports = Sidecar("B", (SYSTEM,), (host,)), Ports(disk)
    driver = Driver(sidecar, disk, ports, clock, rows_per_snapshot=3)
    driver.take(Hello(1, "block", "", "s", 0))
    tried = []
    for number in range(1, 9):
        assert driver.flush()
        tried.append(disk.tried)
        event(driver, number)
    assert tried == [0, 0, 1, 1, 1, 2, 2, 2]
    assert ports.failures == []


class RaisesOnce(Ports):
    """Of the first question it says nothing, after another event has come."""

    def ask(self, peer: str, frame: bytes) -> None:
        if not self.asked:
            self.asked.append((peer, frame))
            event(self.driver, 3)
            raise ConnectionError(peer)
        super().ask(peer, frame)

    driver: Driver


def test_what_a_port_raises_changes_no_order() -> None:
    driver, _, disk, clock = made(session=None)
    ports = RaisesOnce(disk)
    ports.driver = driver = Driver(driver.sidecar, disk, ports, clock)
    driver.take(Hello(1, "block", "", "s", 0))
    event(driver, 1)
    event(driver, 2)
    with pytest.raises(ConnectionError):
        driver.flush()
    assert [what for what, _ in ports.left] == ["Welcome"]
    driver.flush()
    assert [what for what, _ in ports.left[1:]] == ["Clock", "ask", "Clock", "ask", "Clock"]
    assert [inputs for _, inputs in ports.left[1:]] == [4] * 5


def test_an_older_grant_does_not_shorten_a_lease() -> None:
    driver, _, _, clock = made()
    clock.time = 10.0
    driver.renewed("s", 1, 10.0)
    driver.renewed("s", 1, 9.0)
    assert driver.due() == 10.0 + driver.sidecar.lease
    driver.renewed("s", 1, 10.5)
    assert driver.due() == 10.5 + driver.sidecar.lease


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


def test_a_driver_with_rows_per_snapshot_goes_on_from_the_snapshot() -> None:
    driver, _, disk, clock = made()
    event(driver, 1)
    driver.flush()
    driver.snapshot()
    event(driver, 2)
    driver.flush()
    table = transition_tables(PROPERTY, NAMES)["B"]
    host = Host(Monitor(table, NAMES, has_deadline=True))
    again = Driver(Sidecar("B", (SYSTEM,), (host,)), disk, Ports(disk), clock)
    recover: Callable[..., bool] = again.recover
    assert recover(forgetful=False)
    assert again.state.hosts == driver.state.hosts


def test_who_asks_again_is_told_that_he_has_to_wait() -> None:
    """C is first, then B, then A: A asks B, which waits for C."""
    names = ("A", "B", "C")
    steps = [Message("C", "c", "B"), Message("B", "b", "A"), Message("A", "a", "C")]
    chain = sequence_automaton(
        initial=["q0"],
        final=["q3"],
        transitions=[
            StatedTransition(f"q{place}", Label(SEND, step), f"q{place + 1}")
            for place, step in enumerate(steps)
        ],
    )
    drivers, ports = {}, {}
    for name, table in transition_tables(chain, names).items():
        ports[name] = Ports(Disk(lambda moment: None))
        sidecar = Sidecar(name, (SYSTEM,), (Host(Monitor(table, names)),))
        drivers[name] = Driver(sidecar, None, ports[name], Clock())
    heard: tuple[int, ...] = ()
    for sender, name, receiver in steps:
        drivers[sender].take(Happened("send", receiver, name, [heard], 0))
        drivers[sender].flush()
        heard = drivers[sender].state.hosts[0].clock

    def asks(name: str) -> None:
        for peer, frame in ports[name].asked:
            drivers[peer].take(FromPeer(name, frame))
            drivers[peer].flush()

    asks("A")
    assert [kind for kind, _ in ports["B"].left] == ["ask"]
    asks("A")  # he asks again
    assert [kind for kind, _ in ports["B"].left] == ["ask", "waiting"]
    asks("B")
    assert [kind for kind, _ in ports["C"].left] == ["answer"]


# Services that are not there any more.


def gap_is_open(driver: Driver) -> bool:
    gaps = driver.state.hosts[0].monitor.gaps
    return bool(gaps) and gaps[-1].until[1] == NEVER


def hello_and_promise(
    driver: Driver, connection: int, session: str, clock: Clock, policy: Policy = "let-go"
) -> None:
    driver.take(Hello(connection, policy, "", session, 0))
    driver.renewed(session, connection, clock.time)
    driver.flush()


def minutes_pass(driver: Driver, clock: Clock, minutes: int) -> None:
    for _ in range(60 * minutes):
        clock.time += 1.0
        driver.tick()


def test_a_gap_stays_open_while_a_service_may_live_that_nobody_followed() -> None:
    """It cannot be told from one that died, and if it lives it lets messages go."""
    driver, _, _, clock = made(session=None)
    hello_and_promise(driver, 1, "s", clock)
    assert not gap_is_open(driver)
    driver.disconnected("s")
    minutes_pass(driver, clock, 10)
    assert gap_is_open(driver)
    assert [*driver.state.sessions] == ["s"]


def test_a_gap_ends_where_a_service_has_a_successor() -> None:
    driver, _, _, clock = made(session=None)
    hello_and_promise(driver, 1, "s", clock)
    driver.disconnected("s")
    minutes_pass(driver, clock, 10)
    hello_and_promise(driver, 2, "successor", clock)
    for _ in range(90):
        clock.time += 1.0
        driver.renewed("successor", 2, clock.time)
        driver.tick()
    assert [*driver.state.sessions] == ["successor"]
    assert not gap_is_open(driver)


def test_nothing_is_open_where_a_service_that_waits_for_its_agent_died() -> None:
    driver, _, _, clock = made()
    driver.disconnected("s")
    minutes_pass(driver, clock, 2)
    assert not gap_is_open(driver)


def test_of_two_workers_the_one_that_began_earlier_counts_as_dead_when_it_was_away_for_long() -> (
    None
):
    """Of one that lives, and lets messages go without its agent for so long, it is not known any
    more (docs/live.md, "Limits"); of the other one it is."""
    driver, _, _, clock = made(session=None)
    hello_and_promise(driver, 1, "first", clock)
    hello_and_promise(driver, 2, "second", clock)
    driver.disconnected("second")
    minutes_pass(driver, clock, 2)
    assert [*driver.state.sessions] == ["first", "second"]
    assert gap_is_open(driver)
    driver.disconnected("first")
    minutes_pass(driver, clock, 2)
    assert [*driver.state.sessions] == ["second"]


def word_about_a_cancellation_that_was_told_late() -> str | None:
    """Of two workers of A one takes a back and keeps that; then the other one does a; then the
    first is back, and tells. Nothing was taken back after a, when B does b."""
    back = Message("A", "back", "B")
    automaton = sequence_automaton(
        initial=["q0"],
        final=["q2"],
        transitions=[
            StatedTransition("q0", FIRST, "q1"),
            StatedTransition("q1", SECOND, "q2"),
            StatedTransition("q1", Label(SEND, back), "q0"),
        ],
    )
    clock, ports, drivers = Clock(), {}, {}
    for name, table in transition_tables(automaton, NAMES).items():
        ports[name] = Ports(Disk(lambda moment: None))
        sidecar = Sidecar(name, (SYSTEM,), (Host(Monitor(table, NAMES)),))
        drivers[name] = Driver(sidecar, None, ports[name], clock)
    a, b = drivers["A"], drivers["B"]

    def hello(connection: int, session: str, worker: str) -> None:
        a.take(Hello(connection, "buffer", session, worker, 0))

    def promises(connection: int, worker: str) -> None:
        a.renewed(worker, connection, clock.time)

    def tells(connection: int, worker: str, name: str) -> None:
        a.take(Report(connection, worker, 1, 0, "send", "B", name, "", 0))

    for connection, worker in ((1, "one"), (2, "other")):
        hello(connection, "", worker)
        promises(connection, worker)
    a.disconnected("one")
    clock.time += 6.0
    promises(2, "other")
    tells(2, "other", "a")
    hello(3, "one", "unused")
    tells(3, "one", "back")
    promises(3, "one")
    a.flush()
    b.take(Happened("send", "A", "b", [a.state.hosts[0].clock], 0))
    b.flush()
    for driver, asker, frames in ((a, "B", ports["B"].asked), (b, "A", ports["A"].answered)):
        for _, frame in frames:
            driver.take(FromPeer(asker, frame))
            driver.flush()
    words = [word.verdict.kind for word in ports["B"].words]
    return words[-1] if words else None


def test_what_a_worker_kept_back_while_another_one_told_something_is_a_gap(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert word_about_a_cancellation_that_was_told_late() == POSSIBLY_VIOLATED
    nothing_is_overtaken(monkeypatch)
    assert word_about_a_cancellation_that_was_told_late() is None  # it is missed


LATE = sequence_automaton(
    initial=["q0"],
    final=["q2"],
    transitions=[StatedTransition("q0", SECOND, "q1"), StatedTransition("q1", FIRST, "q2")],
)
"""A does a after B did b."""


def agents_of_late(kind: type[Sidecar] = Sidecar) -> tuple[Driver, Ports, Driver, Ports, Clock]:
    """The agents of A, which is of this kind, and of B."""
    clock, ports, drivers = Clock(), {}, {}
    for name, table in transition_tables(LATE, NAMES).items():
        ports[name] = Ports(Disk(lambda moment: None))
        sidecar = (kind if name == "A" else Sidecar)(
            name, (SYSTEM,), (Host(Monitor(table, NAMES)),)
        )
        drivers[name] = Driver(sidecar, None, ports[name], clock)
    return drivers["A"], ports["A"], drivers["B"], ports["B"], clock


def passed_on(frames: list[tuple[str, bytes]], sender: str, receiver: Driver) -> None:
    for _, frame in frames:
        receiver.take(FromPeer(sender, frame))
        receiver.flush()
    frames.clear()


def words_about_what_was_kept_back(kind: type[Sidecar] = Sidecar) -> list[str]:
    """A does a twice, the second time without its agent. Then B does b, and answers what it was
    asked about the first one. Then A tells of the second one."""
    a, of_a, b, of_b, clock = agents_of_late(kind)
    hello_and_promise(a, 1, "s", clock, policy="buffer")
    a.take(Report(1, "s", 1, 0, "send", "B", "a", "", 0))
    a.flush()
    a.disconnected("s")
    clock.time += 6.0
    a.tick()
    b.take(Happened("send", "A", "b", [None], 0))
    b.flush()
    passed_on(of_a.asked, "A", b)
    passed_on(of_b.answered, "B", a)
    a.take(Hello(2, "buffer", "s", "unused", 0))
    a.take(Report(2, "s", 2, 1, "send", "B", "a", "", 0))
    a.renewed("s", 2, clock.time)
    a.flush()
    clock.time += 0.5
    a.tick()  # what was not answered is asked again
    passed_on(of_a.asked, "A", b)
    passed_on(of_b.answered, "B", a)
    return [word.verdict.kind for word in of_a.words]


def test_nothing_is_heard_of_others_before_what_was_kept_back_has_arrived() -> None:
    assert words_about_what_was_kept_back() == [POSSIBLY_VIOLATED, POSSIBLY_VIOLATED]
    mistaken = words_about_what_was_kept_back(HearsBeforeTheBufferArrived)
    assert mistaken[-1] == VIOLATED  # but both times a came first


def words_about_what_came_too_late(kind: type[Sidecar] = Sidecar) -> list[tuple[str, bool]]:
    """One of two workers of A does a, and its agent is away. Then B does b, the other worker hears
    of it, and tells its agent. Then the first one is back, and tells of a."""
    a, of_a, b, of_b, clock = agents_of_late(kind)
    hello_and_promise(a, 1, "one", clock, policy="buffer")
    hello_and_promise(a, 2, "other", clock, policy="buffer")
    a.disconnected("one")
    clock.time += 6.0
    a.renewed("other", 2, clock.time)
    b.take(Happened("send", "A", "b", [None], 0))
    b.flush()
    heard = encode_clocks({SYSTEM[:KEY_BYTES]: b.state.hosts[0].clock})
    a.take(Report(2, "other", 1, 0, "handle", "B", "unmentioned", heard, 0))
    a.take(Hello(3, "buffer", "one", "unused", 0))
    a.take(Report(3, "one", 1, 0, "send", "B", "a", "", 0))
    a.renewed("one", 3, clock.time)
    a.flush()
    passed_on(of_a.asked, "A", b)
    passed_on(of_b.answered, "B", a)
    return [(word.verdict.kind, word.verdict.unseen) for word in of_a.words]


class TakesWhatComesTooLate(Sidecar):
    """What an overtaken session tells happens now."""

    def _told_late(
        self, state: SidecarState, label: Label, heard: Iterable[tuple[int, VectorClock]]
    ) -> Stepped:
        return self._event(state, label, heard, 0)


def test_what_is_told_too_late_is_part_of_the_gap() -> None:
    assert words_about_what_came_too_late() == [(POSSIBLY_VIOLATED, True)]
    mistaken = words_about_what_came_too_late(TakesWhatComesTooLate)
    assert (VIOLATED, False) in mistaken  # but a came first


def test_a_session_whose_connection_was_made_later_is_a_successor_though_it_was_read_first() -> (
    None
):
    driver, _, _, clock = made(session=None)
    hello_and_promise(driver, 2, "new", clock, policy="buffer")
    driver.take(Hello(1, "buffer", "", "old", 0))
    driver.disconnected("old")
    for _ in range(130):
        clock.time += 1.0
        driver.renewed("new", 2, clock.time)
        driver.tick()
    assert [*driver.state.sessions] == ["new"]
    assert not gap_is_open(driver)


@pytest.mark.parametrize(
    ("timeouts", "due"),
    [
        (Timeouts(), 0.25),  # the inquiry is repeated
        (Timeouts(deadline=0.1), 0.1),
        (Timeouts(give_up=0.2), 0.2),
        (Timeouts(absent=0.05), 0.05),
    ],
    ids=["repetition", "deadline", "giving up", "absence"],
)
def test_what_is_due_next_is_the_soonest_of_all_that_is_waited_for(
    timeouts: Timeouts, due: float
) -> None:
    driver, _, _, _ = made(timeouts=timeouts)
    assert driver.due() is None
    event(driver, 1)
    driver.flush()
    driver.disconnected("s")
    assert driver.due() == due
