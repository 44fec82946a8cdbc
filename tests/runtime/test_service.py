"""The side of an agent that services talk to, frame by frame: what is out of order is refused."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from choreomon.agent_files import local
from choreomon.core.message import Message
from choreomon.monitor.gaps import MAX_GAPS
from choreomon.monitor.host import Host
from choreomon.monitor.pull import Monitor
from choreomon.properties.tables import transition_tables
from choreomon.runtime.driver import Driver
from choreomon.runtime.outputs import Dropped, Reply
from choreomon.runtime.service import HELLO_WITHIN, MAX_CONNECTIONS, MOST_UNKNOWN, ServiceSide
from choreomon.runtime.sidecar import Sidecar
from tests.properties.stated import automaton_of
from tests.runtime.world.connections import Loop, Pipe

SYSTEM = bytes(range(16))
TOKEN = "a token"


class Ports:
    """What the driver lets out, of which only what is for services matters here."""

    side: ServiceSide

    def __init__(self) -> None:
        self.dropped: Counter[str] = Counter()

    def reply(self, output: Reply) -> None:
        self.side.reply(output)

    def close(self, connection: int) -> None:
        self.side.close_connection(connection)

    def happened(self, output: object) -> None:
        if type(output) is Dropped:
            self.dropped[output.reason] += 1

    def __getattr__(self, name: str) -> Any:
        return lambda *_: None


class Agent:
    """As much of one as services see, on a clock of its own."""

    def __init__(self) -> None:
        self.time = 100.0
        self.lost = 0
        self.turns = 0
        self.refused: list[tuple[str, str]] = []
        self.unknown: list[str] = []
        automaton = automaton_of("q0", "q1", ("q0", Message("A", "a", "B"), "q1"))
        tables = transition_tables(automaton, ("A", "B"))
        host = Host(Monitor(tables["A"], ("A", "B")))
        self.ports = Ports()
        self.driver = Driver(
            Sidecar("A", (SYSTEM,), (host,), most_sessions=3), None, self.ports, self.now
        )
        self.loop = Loop(self.now)
        self.side = self.ports.side = ServiceSide(
            self.driver,
            loop=self.loop,  # type: ignore[arg-type]
            now=self.now,
            fresh_session=self._fresh,
            soon=self._soon,
            refused=lambda reason, detail: self.refused.append((reason, detail)),
            lost=self._lost,
            unknown_process=self.unknown.append,
            token=TOKEN,
        )
        self.side.known = frozenset(("A", "B", "env"))
        self._sessions = 0

    def now(self) -> float:
        return self.time

    def _fresh(self) -> str:
        self._sessions += 1
        return f"session-{self._sessions}"

    def _soon(self) -> None:
        self.turns += 1

    def _lost(self, events: int) -> None:
        self.lost += events

    def connect(self) -> Client:
        pipe = Pipe()
        pipe.protocol = self.side.connection()
        pipe.protocol.connection_made(pipe)
        return Client(self, pipe)


class Client:
    def __init__(self, agent: Agent, pipe: Pipe) -> None:
        self.agent = agent
        self.pipe = pipe

    @property
    def open(self) -> bool:
        return self.pipe.agent_open

    def says(self, *messages: local.ClientMessage | bytes) -> list[local.AgentMessage]:
        """All at once; what it is answered."""
        data = b"".join(
            each if isinstance(each, bytes) else local.encode(each) for each in messages
        )
        self.pipe.protocol.data_received(data)
        self.agent.driver.flush()
        self.agent.side.written()
        splitter = local.FrameSplitter(local.MAX_AGENT_FRAME)
        frames = splitter.feed(bytes(self.pipe.down))
        self.pipe.down.clear()
        return [local.decode_agent_untrusted(frame) for frame in frames]

    def hello(self, **fields: Any) -> local.Welcome:
        (welcome,) = self.says(hello(**fields))
        assert isinstance(welcome, local.Welcome)
        return welcome

    def leave(self) -> None:
        self.pipe.protocol.connection_lost(None)


def hello(**fields: Any) -> local.Hello:
    return local.Hello(**{"policy": "block", "token": TOKEN, **fields})


def report(number: int, done: int = 0) -> local.Report:
    return local.Report(number, done, "send", "B", "a")


@pytest.fixture
def agent() -> Agent:
    return Agent()


BEFORE_HELLO = {
    "a report": report(1),
    "a gap": local.Gap(1, 0, 5),
    "a renewal": local.Renew(1),
    "a goodbye": local.Goodbye(),
}


@pytest.mark.parametrize("what", BEFORE_HELLO)
def test_before_hello_nothing_is_taken_and_nothing_counted(agent: Agent, what: str) -> None:
    """Also not from one who has no token yet, and gets no other answer than the refusal."""
    client = agent.connect()
    (refused,) = client.says(BEFORE_HELLO[what], hello())
    assert refused == local.Refused(0, "session", "this connection has said no hello")
    assert not client.open
    assert (agent.lost, agent.driver.state.sessions) == (0, {})
    assert agent.refused == [("session", "this connection has said no hello")]
    assert not agent.ports.dropped


def test_a_connection_says_hello_once(agent: Agent) -> None:
    """A second session on it would keep back events for ever, and nobody would see it end."""
    client = agent.connect()
    client.hello(policy="buffer")
    (refused,) = client.says(hello(policy="buffer"))
    assert refused == local.Refused(0, "session", "this connection said hello already")
    assert not client.open
    assert list(agent.driver.state.sessions) == ["session-1"]
    assert agent.driver.due() is not None  # the session is seen to be absent


def test_what_was_taken_before_what_is_refused_is_answered_first(agent: Agent) -> None:
    client = agent.connect()
    client.hello()
    answers = client.says(report(1), b"\0\0\0\2{}", report(2))
    assert isinstance(answers[0], local.Refused)
    assert agent.driver.state.sessions["session-1"].last == 1
    again = agent.connect()
    assert again.hello(session="session-1").number == 1


def test_whatever_came_the_turn_goes_on(agent: Agent) -> None:
    """What was put to the driver is flushed, also where the rest was thrown away."""
    client = agent.connect()
    client.says(hello(session="of nobody"), hello(), report(2), report(3))
    assert agent.turns == 1


def test_events_that_were_lost_are_counted_once(agent: Agent) -> None:
    client = agent.connect()
    client.hello(lost=2)
    assert agent.lost == 2
    client.says(local.Gap(1, 0, 5))
    assert agent.lost == 7
    client.leave()
    again = agent.connect()
    again.hello(session="session-1")
    answers = again.says(local.Gap(1, 0, 5), local.Gap(3, 0, 5))
    assert [type(each) for each in answers] == [local.Clock, local.Refused]
    assert agent.lost == 7
    stranger = agent.connect()
    stranger.says(hello(session="of nobody", lost=100))
    assert agent.lost == 7


def test_a_wrong_token_or_version_is_told_and_nothing_else(agent: Agent) -> None:
    for wrong, reason in ((hello(token="x"), "token"), (hello(version=2), "version")):
        client = agent.connect()
        answers = client.says(wrong, hello(), report(1))
        assert [(type(each), getattr(each, "reason", "")) for each in answers] == [
            (local.Refused, reason)
        ]
        assert not client.open
    assert agent.driver.state.sessions == {}


def test_a_session_of_somebody_else_is_not_to_be_had_by_guessing(agent: Agent) -> None:
    owner = agent.connect()
    owner.hello()
    thief = agent.connect()
    answers = thief.says(hello(session="session-7"), report(1), local.Goodbye())
    assert {type(each) for each in answers} == {local.Refused}
    assert not thief.open
    assert [type(each) for each in owner.says(report(1))] == [local.Clock]


def test_of_an_older_connection_nothing_is_taken(agent: Agent) -> None:
    older = agent.connect()
    older.hello()
    newer = agent.connect()
    newer.hello(session="session-1")
    assert [type(each) for each in older.says(report(1))] == [local.Refused]
    assert not older.open
    assert [type(each) for each in newer.says(report(1))] == [local.Clock]
    first = agent.connect()
    second = agent.connect()
    second.hello(session="session-1")
    (refused,) = first.says(hello(session="session-1", lost=3))
    assert isinstance(refused, local.Refused)
    assert refused.reason == "closing"
    assert agent.lost == 0


def test_numbers_with_holes_and_what_cannot_be_done_end_the_connection(agent: Agent) -> None:
    for wrong in (report(2), report(1, done=1), report(local.MAX_NUMBER)):
        client = agent.connect()
        client.hello()
        (refused,) = client.says(wrong)
        assert isinstance(refused, local.Refused)
        assert (refused.reason, refused.number) == ("number", wrong.number)
        assert not client.open


def test_who_says_nothing_is_not_kept(agent: Agent) -> None:
    silent, half, slow = agent.connect(), agent.connect(), agent.connect()
    half.says(b"\0\0\0\x20{")
    slow.hello()
    agent.time += HELLO_WITHIN
    agent.loop.run()
    assert (silent.open, half.open, slow.open) == (False, False, True)
    assert len(agent.side.connections) == 1


def test_only_so_many_connections_are_kept(agent: Agent) -> None:
    clients = [agent.connect() for _ in range(MAX_CONNECTIONS + 5)]
    assert [client.open for client in clients] == [True] * MAX_CONNECTIONS + [False] * 5
    assert [reason for reason, _ in agent.refused] == ["connections"] * 5
    for client in clients:
        client.leave()
    assert not agent.side.connections
    assert agent.loop.due() is None


def test_sessions_without_end_push_out_the_oldest(agent: Agent) -> None:
    for _ in range(10):
        client = agent.connect()
        client.hello(policy="let-go")
        client.leave()
    assert len(agent.driver.state.sessions) == 3
    assert agent.ports.dropped == {"session": 7}
    assert len(agent.driver.state.hosts[0].monitor.gaps) <= MAX_GAPS + 1


@pytest.mark.parametrize("time", [100.0, 1000198.5700139999])
def test_a_promise_counts_from_a_grant_in_the_past_and_from_none_other(
    agent: Agent, time: float
) -> None:
    """Times that microseconds do not hold exactly are past at once, too."""
    agent.time = time
    client = agent.connect()
    welcome = client.hello(policy="buffer")
    for grant, promised in ((welcome.grant + 1, False), (welcome.grant, True)):
        client.says(local.Renew(grant))
        assert agent.driver.state.sessions[welcome.session].promised == promised


def test_a_process_that_no_property_has_is_told_of_once(agent: Agent) -> None:
    client = agent.connect()
    client.hello()
    for number, peer in enumerate(("B", "env", "Bb", "Bb", "C"), 1):
        client.says(local.Report(number, 0, "send", peer, "a", ""))
    assert agent.unknown == ["Bb", "C"]
    for number in range(6, 300):
        client.says(local.Report(number, number - 1, "send", f"other{number}", "a", ""))
    assert len(agent.unknown) == MOST_UNKNOWN
