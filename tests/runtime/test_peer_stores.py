"""Two agents with one name and key, and a store each: others notice, and believe neither; and no
two events have one verdict id."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.agent_files.addresses import Address
from choreomon.agent_files.status_json import decode_status_untrusted
from choreomon.agent_files.wire import STORE_BYTES, open_untrusted
from choreomon.core.message import SEND, Label, Message
from choreomon.core.verdict import POSSIBLY_VIOLATED
from choreomon.monitor.host import Host
from choreomon.monitor.pull import Monitor
from choreomon.properties.tables import transition_tables
from choreomon.runtime.agent import Agent
from choreomon.runtime.delivery.http_client import request
from choreomon.runtime.driver import Driver, Timeouts
from choreomon.runtime.inputs import FromPeer, Hello, Report
from choreomon.runtime.network.peer_stores import MOST, QUIET, PeerStores
from choreomon.runtime.outputs import Dropped
from choreomon.runtime.sidecar import Sidecar
from choreomon.runtime.stores.sqlite import SqliteStore
from choreomon.terminal.watch import Polled, problems
from tests.properties.stated import automaton_of
from tests.runtime.conftest import Run
from tests.runtime.driven import SYSTEM, Clock, Ports
from tests.runtime.real_agents import agent_of, config_of
from tests.runtime.world.disk import Disk

ONE, OTHER, THIRD = (bytes([number]) * STORE_BYTES for number in (1, 2, 3))


# --- what is noticed ----------------------------------------------------------------


def heard(*frames: tuple[bytes, float]) -> list[bytes | None]:
    stores = PeerStores()
    return [stores.refused("B", store, at) for store, at in frames]


def test_a_peer_with_one_store_is_believed() -> None:
    assert heard((ONE, 0.0), (ONE, 1.0), (ONE, 1e6)) == [None, None, None]


def test_a_peer_that_lost_its_store_is_believed() -> None:
    assert heard((ONE, 0.0), (ONE, 1.0), (OTHER, 2.0), (OTHER, 3.0), (THIRD, 4.0)) == [None] * 5


def test_two_that_speak_in_turn_are_both_refused() -> None:
    frames = [(ONE, 0.0), (OTHER, 1.0), (ONE, 2.0), (ONE, 3.0), (OTHER, 4.0), (ONE, 5.0)]
    assert heard(*frames) == [None, None, OTHER, OTHER, ONE, OTHER]


def test_when_one_is_stopped_the_other_one_is_believed_again() -> None:
    frames = [(ONE, 0.0), (OTHER, 1.0), (ONE, 2.0), (ONE, 30.0), (ONE, 1.0 + QUIET), (ONE, 1e6)]
    assert heard(*frames) == [None, None, OTHER, OTHER, None, None]


def test_of_two_that_seldom_speak_each_turn_is_noticed() -> None:
    hours = [(ONE, 0.0), (OTHER, 3600.0), (ONE, 7200.0), (ONE, 7201.0), (OTHER, 9000.0)]
    assert heard(*hours) == [None, None, OTHER, None, ONE]


def test_peers_do_not_concern_each_other() -> None:
    stores = PeerStores()
    for at, (peer, store) in enumerate([("B", ONE), ("C", OTHER), ("B", ONE), ("C", OTHER)] * 3):
        assert stores.refused(peer, store, float(at)) is None
    assert stores.doubled(12.0) == []


def test_who_is_not_believed_can_be_asked() -> None:
    stores = PeerStores()
    for at, store in enumerate([ONE, OTHER]):
        stores.refused("B", store, float(at))
    assert stores.doubled(1.0) == []
    stores.refused("B", ONE, 2.0)
    assert stores.doubled(2.0) == ["B"]
    assert stores.doubled(2.0 + QUIET) == []


@given(st.lists(st.tuples(st.integers(0, 5), st.floats(0, 100)), max_size=60))
def test_it_is_refused_from_the_second_time_that_one_speaks_on(
    steps: list[tuple[int, float]],
) -> None:
    """As long as no two are quiet for long, and there are few: by the whole history."""
    stores, said, now = PeerStores(quiet=1e9), list[int](), 0.0
    for store, passed in steps:
        now += passed
        found = stores.refused("B", bytes([store]) * STORE_BYTES, now)
        between = said[said.index(store) :] if store in said else []
        overlapping = {each for each in between if each != store}
        assert (found is not None) == bool(overlapping)
        assert found is None or found[0] in overlapping
        said.append(store)


def test_it_stays_small_whatever_names_come() -> None:
    random, stores = Random(0), PeerStores()
    for at in range(1000):
        stores.refused("B", random.randbytes(STORE_BYTES), float(at))
    assert len(stores._heard["B"]) == MOST


# --- among agents -------------------------------------------------------------------

NAMES = ("A", "B")
LAST = Label(SEND, Message("B", "b", "A"))
TABLES = transition_tables(
    automaton_of("q0", "q2", ("q0", Message("A", "a", "B"), "q1"), ("q1", LAST, "q2")),
    NAMES,
)


class Noting(Ports):
    def __init__(self, disk: Disk) -> None:
        super().__init__(disk)
        self.dropped: list[Dropped] = []

    def happened(self, output: object) -> None:
        if isinstance(output, Dropped):
            self.dropped.append(output)


def agent(process: str, store: bytes) -> tuple[Driver, Noting, Clock]:
    disk, clock = Disk(lambda moment: None), Clock()
    ports = Noting(disk)
    host = Host(Monitor(TABLES[process], NAMES, has_deadline=True))
    sidecar = Sidecar(process, (SYSTEM,), (host,), store=store)
    driver = Driver(sidecar, disk, ports, clock, Timeouts(give_up=5.0))
    driver.recover(forgetful=False)
    driver.take(Hello(1, "block", "", "s", 0))
    driver.flush()
    return driver, ports, clock


def steps(driver: Driver, ports: Ports, number: int) -> bytes:
    """One more event of B, and what it asks A then."""
    driver.take(Report(1, "s", number, number - 1, SEND, "A", "b", "", 0))
    driver.flush()
    return ports.asked[-1][1]


def test_what_an_agent_says_names_its_store() -> None:
    driver, ports, _ = agent("B", ONE)
    assert open_untrusted(steps(driver, ports, 1)).store == ONE


def test_two_agents_of_one_process_are_refused_loudly_by_who_hears_both() -> None:
    asked, told, clock = agent("A", THIRD)
    one, of_one, _ = agent("B", ONE)
    other, of_other, _ = agent("B", OTHER)

    def hears(frame: bytes) -> int:
        """How many answers A has given by then."""
        asked.take(FromPeer("B", frame))
        asked.flush()
        return len(told.answered)

    assert hears(steps(one, of_one, 1)) == 1
    assert hears(steps(other, of_other, 1)) == 2
    assert told.dropped == []
    assert hears(steps(one, of_one, 2)) == 2
    assert hears(steps(other, of_other, 2)) == 2
    assert [(each.reason, each.sender) for each in told.dropped] == [("store", "B")] * 2
    detail = told.dropped[0].detail
    assert detail.startswith(f"it speaks from the stores {ONE.hex()} and {OTHER.hex()}: two agents")
    assert asked.peers.doubled() == ["B"]
    # And once one of them is stopped, what the other one repeats is answered.
    clock.time += QUIET + 1.0
    frame = steps(one, of_one, 3)
    assert hears(frame) == 2
    assert hears(frame) == 3
    assert asked.peers.doubled() == []


def test_two_agents_of_one_process_never_give_two_events_one_id() -> None:
    ids = []
    for store in (ONE, OTHER):
        driver, ports, clock = agent("B", store)
        steps(driver, ports, 1)
        for _ in range(3):
            clock.time += 6.0
            driver.tick()
        assert [each.verdict.kind for each in ports.words if not each.provisional] == [
            POSSIBLY_VIOLATED
        ]
        ids += [each.id for each in ports.words]
    assert len(ids) == len({*ids}) == 4
    assert ids[0] == f"{SYSTEM.hex()}/B/1/possibly-violated-for-now/{ONE.hex()}"


def test_it_is_seen_on_the_pages_of_a_real_agent(run: Run, tmp_path: Path) -> None:
    async def main() -> None:
        asked = agent_of(config_of(tmp_path, "A", http=Address("127.0.0.1", 0)))
        await asked.start()
        askers = []
        try:
            for number in (1, 2):
                folder = tmp_path / str(number)
                folder.mkdir()
                peers = {"A": asked.node.endpoint}
                asker = agent_of(config_of(folder, "B", peers=peers))
                await asker.start()
                askers.append(asker)
                asker.node.driver.take(Hello(1, "block", "", "s", 0))
            for number in (1, 2, 3):
                for asker in askers:
                    driver = asker.node.driver
                    driver.take(Report(1, "s", number, number - 1, SEND, "A", "b", "", 0))
                    asker.node.flush()
                    heard = asked.metrics.sent_messages["response"] + refused(asked)
                    while asked.metrics.sent_messages["response"] + refused(asked) == heard:
                        await asyncio.sleep(0)
            assert refused(asked) >= 2
            answer = await request(f"http://{asked.http_address}/status", timeout=60)
            status = decode_status_untrusted(answer.body)
            assert status.doubled == ("B",)
            told = [words for words, _ in problems(Polled("A", status))]
            assert "two agents of B run, and neither is believed: stop one" in told
        finally:
            for each in (*askers, asked):
                await each.stop()

    def refused(asked: Agent) -> int:
        return asked.metrics.refusals.get("store", 0)

    run(main)


# --- names of stores ----------------------------------------------------------------


def test_a_store_keeps_its_name_and_no_two_have_one(tmp_path: Path) -> None:
    names = []
    for file in ("one.db", "one.db", "other.db"):
        store = SqliteStore(tmp_path / file, "process", "boot")
        names.append(store.name)
        store.close()
    assert names[0] == names[1] != names[2]
    assert {len(name) for name in names} == {STORE_BYTES}


def test_a_store_from_before_there_were_names_has_none(tmp_path: Path) -> None:
    """So that its verdicts keep their ids."""
    store = SqliteStore(tmp_path / "old.db", "process", "boot")
    store._database.execute("DROP TABLE name")
    store.close()
    store = SqliteStore(tmp_path / "old.db", "process", "boot")
    assert store.name == b""
    store.close()


@pytest.mark.parametrize("durability", ["process", "off"])
async def test_an_agent_is_known_by_its_store_or_by_its_life(
    run: Run, tmp_path: Path, durability: str
) -> None:
    config = config_of(tmp_path, durability=durability)
    names = []
    for _ in range(2):
        started = agent_of(config)
        await started.start()
        names.append(started.node.driver.sidecar.store)
        await started.stop()
    assert [len(name) for name in names] == [STORE_BYTES] * 2
    assert (names[0] == names[1]) == (durability == "process")
