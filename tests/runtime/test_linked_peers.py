"""Agents among many processes: what they tell each other of their clocks, over restarts."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from choreomon.agent_files.wire import NO_SYSTEM, VERSION, encode, open_untrusted
from choreomon.core.errors import MalformedMessage
from choreomon.core.message import Message
from choreomon.core.verdict import Reference
from choreomon.monitor.host import Host
from choreomon.monitor.messages import Waiting
from choreomon.monitor.pull import Monitor
from choreomon.properties.tables import transition_tables
from choreomon.runtime.driver import Driver
from choreomon.runtime.inputs import FromPeer, Happened, decode_batch
from choreomon.runtime.instances.rows import InstanceRow
from choreomon.runtime.network.linked_peers import LinkedPeers
from choreomon.runtime.outputs import Answered, Decided, Dropped, Output
from choreomon.runtime.ports import AnswerKind
from choreomon.runtime.sidecar import Sidecar
from tests.properties.stated import automaton_of

NAMES = ("A", "B", *(f"P{n}" for n in range(98)))
PROPERTY = automaton_of(
    "q0", "q2", ("q0", Message("B", "b", "A"), "q1"), ("q1", Message("A", "a", "B"), "q2")
)
HEARD = (0, 0, *(37 * n % 1000 for n in range(2, 100)))
"""A clock whose entries differ, so that it is long."""


class Rows:
    """A disk with a journal."""

    def __init__(self) -> None:
        self.rows: list[bytes] = []

    def load(self) -> tuple[None, list[bytes]]:
        return None, list(self.rows)

    def commit(self, row: bytes) -> None:
        self.rows.append(row)

    def snapshot(self, state: bytes, instances: Sequence[InstanceRow] = ()) -> None:
        raise AssertionError

    def instance(self, system: bytes, key: bytes) -> None:
        return None

    def instances(self, system: bytes, after: bytes, most: int) -> list[tuple[bytes, bytes]]:
        return []


class Agent:
    """A driver whose frames are kept until somebody takes them."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.disk = Rows()
        self.time = 0.0
        self.sent: list[bytes] = []
        self.told: list[Output] = []
        self.start()

    def start(self) -> None:
        table = transition_tables(PROPERTY, NAMES)[self.name]
        host = Host(Monitor(table, NAMES, has_deadline=True, most_open=8))
        sidecar = Sidecar(self.name, (NO_SYSTEM,), (host,))
        self.driver = Driver(sidecar, self.disk, self, lambda: self.time)  # type: ignore[arg-type]
        self.driver.recover(forgetful=False)
        self.driver.flush()

    def happens(self, message: str, heard: tuple[int, ...] = ()) -> None:
        peer = "B" if self.name == "A" else "A"
        self.driver.take(Happened("send", peer, message, [heard], 0))
        self.driver.flush()

    def hears(self, peer: str, frame: bytes) -> None:
        self.driver.take(FromPeer(peer, frame))
        self.driver.flush()

    def repeats(self) -> None:
        self.time += 10.0
        self.driver.tick()

    def takes(self) -> list[bytes]:
        sent, self.sent = self.sent, []
        return sent

    def dropped(self) -> list[str]:
        return [each.reason for each in self.told if isinstance(each, Dropped)]

    # Ports of the driver.

    def ask(self, peer: str, frame: bytes) -> None:
        self.sent.append(frame)

    def answer(self, peer: str, frame: bytes, *, kind: AnswerKind) -> None:
        self.sent.append(frame)

    def happened(self, output: Output) -> None:
        self.told.append(output)

    def tell(self, declared: object) -> None:
        pass


@pytest.fixture
def a() -> Agent:
    agent = Agent("A")
    agent.happens("a", HEARD)
    return agent


@pytest.fixture
def b() -> Agent:
    return Agent("B")


def exchange(asker: Agent, asked: Agent) -> list[int]:
    """All that they have to say, and how long the frames were."""
    sizes = []
    while asker.sent or asked.sent:
        for one, other in ((asker, asked), (asked, asker)):
            for frame in one.takes():
                sizes.append(len(frame))
                other.hears(one.name, frame)
    return sizes


def test_clocks_get_short_and_answers_come(a: Agent, b: Agent) -> None:
    first = exchange(a, b)
    b.happens("b")
    a.happens("a")
    second = exchange(a, b)
    assert (first, second) == ([309, 55], [69, 79])
    assert len([each for each in a.told if isinstance(each, Answered)]) == 2
    assert len([each for each in a.told if isinstance(each, Decided)]) == 2
    assert not a.dropped() + b.dropped()


def test_the_journal_has_whole_frames(a: Agent, b: Agent) -> None:
    exchange(a, b)
    a.happens("a")
    exchange(a, b)
    for agent in (a, b):
        frames = [
            open_untrusted(given.data)
            for row in agent.disk.rows
            for given in decode_batch(row)
            if isinstance(given, FromPeer)
        ]
        assert frames
        assert not any(frame.is_linked for frame in frames)
        state = agent.driver.state
        agent.start()
        assert agent.driver.state.hosts == state.hosts


def test_a_journal_with_frames_of_another_version_is_refused(a: Agent, b: Agent) -> None:
    """Stepped through, it would give another state than was committed."""
    exchange(a, b)
    begins = msgspec.msgpack.encode((VERSION, NO_SYSTEM, 0, None))[:4]
    older = msgspec.msgpack.encode((2, NO_SYSTEM, 0, None))[:4]
    assert any(begins in row for row in b.disk.rows)
    b.disk.rows = [row.replace(begins, older) for row in b.disk.rows]
    with pytest.raises(MalformedMessage, match="wire version 2"):
        b.start()


@pytest.mark.parametrize("who", ["A", "B", "both"])
def test_who_comes_back_knows_nothing_and_is_answered_all_the_same(
    a: Agent, b: Agent, who: str
) -> None:
    exchange(a, b)
    a.happens("a")
    under_way = a.takes()
    if who != "B":
        a.start()
        assert len(a.takes()) == 1  # what is open is asked again
    if who != "A":
        b.start()
    for frame in under_way:
        b.hears("A", frame)
    assert b.dropped() == (["base"] if who != "A" else [])
    exchange(a, b)
    assert not a.dropped()  # what it asks again has the clock that it asked with: the same base
    a.repeats()
    exchange(a, b)
    assert not a.driver.state.hosts[0].monitor.inspections
    a.happens("a")
    assert sum(exchange(a, b)) < 250  # and clocks are short again


def test_planted_who_never_doubts_is_never_answered(
    a: Agent, b: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LinkedPeers, "doubt", lambda *_: None)
    exchange(a, b)
    b.start()
    a.happens("a")
    for _ in range(5):
        exchange(a, b)
        a.repeats()
    assert set(b.dropped()) == {"base"}
    assert a.driver.state.hosts[0].monitor.inspections


def test_who_is_not_known_by_name_has_no_link(a: Agent, b: Agent) -> None:
    """Where anybody may say that he is anybody."""
    (inquiry,) = a.takes()
    b.hears("", inquiry)
    (whole,) = b.takes()
    assert open_untrusted(whole).base is None


def test_what_others_refuse_is_let_through_to_them(b: Agent) -> None:
    peers = LinkedPeers(b.driver.sidecar)
    clock = (*HEARD[:99], 7)
    waiting = Waiting("A", "B", Reference("q1", "A", "q2"), 1, (), clock)
    data = encode(waiting)
    for given in (
        FromPeer("A", b""),
        FromPeer("A", data[:-1]),
        FromPeer("A", data),
        FromPeer("nobody", data),
        FromPeer("A", encode(waiting, bytes(range(16)))),
    ):
        assert peers.whole(given) is given
