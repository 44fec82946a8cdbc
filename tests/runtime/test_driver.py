"""What drives a sidecar: who waits for whom, services that are away, and what is due when."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from choreomon.agent_files.clocks.text import KEY_BYTES, encode_clocks
from choreomon.core.message import SEND, Label, Message
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import NEVER, POSSIBLY_VIOLATED, VIOLATED
from choreomon.monitor.host import Host
from choreomon.monitor.pull import Monitor
from choreomon.properties.automaton import StatedTransition, sequence_automaton
from choreomon.properties.tables import transition_tables
from choreomon.runtime.driver import Driver, Timeouts
from choreomon.runtime.hosted import SidecarState, Stepped
from choreomon.runtime.inputs import FromPeer, Happened, Hello, Policy, Report
from choreomon.runtime.sidecar import Sidecar
from tests.laws.live_rules import HearsBeforeTheBufferArrived, nothing_is_overtaken
from tests.properties.stated import automaton_of
from tests.runtime.driven import FIRST, NAMES, SECOND, SYSTEM, Clock, Ports, event, made
from tests.runtime.world.disk import Disk


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
    automaton = automaton_of(
        "q0", "q2", ("q0", FIRST, "q1"), ("q1", SECOND, "q2"), ("q1", back, "q0")
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


LATE = automaton_of("q0", "q2", ("q0", SECOND, "q1"), ("q1", FIRST, "q2"))
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


def test_sessions_that_were_pushed_out_while_they_were_away_are_not_remembered() -> None:
    driver, _, _, _ = made(session=None, most_sessions=2)
    for connection in range(1, 50):
        name = f"s{connection}"
        driver.take(Hello(connection, "block", "", name, 0))
        driver.disconnected(name)
        driver.flush()
        assert len(driver.state.sessions) <= 2
        assert len(driver._absent) <= 4


def test_a_service_that_is_away_is_not_back_where_its_older_connection_is_read() -> None:
    driver, _, _, clock = made(session=None, timeouts=Timeouts(absent=60.0))
    driver.take(Hello(2, "let-go", "", "s", 0))
    driver.disconnected("s")
    driver.flush()
    clock.time = 30.0
    driver.take(Hello(1, "let-go", "s", "", 0))
    driver.flush()
    assert driver.due() == 60.0
    driver.take(Hello(3, "let-go", "s", "", 0))
    driver.flush()
    assert driver.due() is None


def test_an_older_promise_shortens_no_newer_one() -> None:
    """Renewals may be answered late, and in another order than they were granted in."""
    driver, _, _, clock = made(session=None)
    clock.time = 10.0
    driver.take(Hello(1, "let-go", "", "s", 0))
    driver.renewed("s", 1, 9.0)
    driver.renewed("s", 1, 7.0)
    driver.flush()
    assert driver.due() == 9.0 + driver.sidecar.lease
    clock.time = 7.0 + driver.sidecar.lease
    driver.tick()
    assert not gap_is_open(driver)
    clock.time = 9.0 + driver.sidecar.lease
    driver.tick()
    assert gap_is_open(driver)


def test_of_several_promises_the_one_that_ends_first_is_due() -> None:
    driver, _, _, _ = made(session=None)
    for connection, renewed in enumerate((8.0, 7.0, 9.0)):
        driver.take(Hello(connection, "let-go", "", f"s{connection}", 0))
        driver.renewed(f"s{connection}", connection, renewed)
    driver.flush()
    assert driver.due() == 7.0 + driver.sidecar.lease


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


def test_a_peer_that_is_there_again_is_asked_soon_and_no_other_one_is() -> None:
    driver, _, _, clock = made(timeouts=Timeouts(deadline=90.0, give_up=99.0))
    event(driver, 1)
    driver.flush()
    for _ in range(4):
        clock.time = driver.due() or 0.0
        driver.tick()
    late = driver.due()
    assert late == clock.time + 4.0
    driver.heard_of("nobody")
    assert driver.due() == late
    driver.heard_of("A")
    assert driver.due() == clock.time + 0.25
