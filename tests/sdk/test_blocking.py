"""A service of threads and its agent, over real streams. The agent has a loop and a thread of
its own; times are real and short, and nothing is asserted about them."""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from choreomon.agent_files.clocks.text import Carried, decode_clocks_untrusted, encode_clocks
from choreomon.agent_files.local import Policy
from choreomon.core.errors import AgentUnavailable, ProcessClosed
from choreomon.sdk.address import Backoff
from choreomon.sdk.blocking import ConnectedProcess, connect
from choreomon.sdk.process import BLOCKING_OFF
from tests.sdk.fake_agent import FakeAgent
from tests.sdk.model_agent import KEY

PATIENCE = 300.0
"""Seconds after which a test that hangs fails."""


class ThreadedAgent:
    """A `FakeAgent` that is told what to do from another thread."""

    def __init__(self, agent: FakeAgent, loop: asyncio.AbstractEventLoop) -> None:
        self.agent = agent
        self.loop = loop

    def do(self, action: Callable[[], Any]) -> Any:
        async def act() -> Any:
            result = action()
            return await result if asyncio.iscoroutine(result) else result

        return asyncio.run_coroutine_threadsafe(act(), self.loop).result(PATIENCE)

    def wait_for(self, condition: Callable[[], bool]) -> None:
        self.do(lambda: self.agent.until(condition))

    @property
    def taken(self) -> list[str]:
        taken: list[str] = self.do(lambda: self.agent.taken)
        return taken


@contextmanager
def threaded_agent(
    address: Path | str, *, lease: float = 30.0, token: str = ""
) -> Iterator[ThreadedAgent]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    agent = ThreadedAgent(FakeAgent(str(address), lease=lease, token=token), loop)
    agent.do(agent.agent.start)
    try:
        yield agent
    finally:
        agent.do(agent.agent.stop)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(PATIENCE)
        loop.close()


def connected(
    agent: ThreadedAgent,
    policy: Policy = "block",
    *,
    deadline: float | None = PATIENCE,
    buffer: int = 1000,
    token_file: Path | None = None,
) -> ConnectedProcess:
    process = connect(
        agent.agent.address,
        policy=policy,
        deadline=deadline,
        buffer=buffer,
        token_file=token_file,
        backoff=Backoff(0.001, 2, 0.01),
    )
    assert isinstance(process, ConnectedProcess)
    return process


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "shop.sock"


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as executor:
        yield executor


def clock_of(carried: Carried) -> tuple[int, ...]:
    return decode_clocks_untrusted(carried.clock)[KEY]


def test_events_are_told_and_clocks_carried_on(path: Path) -> None:
    with threaded_agent(path) as agent, connected(agent) as process:
        assert process.name == "shop"
        process.handling(Carried("bank", "rate", encode_clocks({KEY: (0, 7)})))
        assert clock_of(process.sending("customer", "hello")) == (0, 7)
        assert clock_of(process.sending("customer", "parcel")) == (1, 7)
        process.handling(Carried("customer", "order", ""))
        process.handling_from_outside("start")
        assert agent.taken == ["parcel", "order", "start"]


def test_many_threads_get_a_clock_each(path: Path, pool: ThreadPoolExecutor) -> None:
    with threaded_agent(path) as agent, connected(agent) as process:
        clocks = pool.map(lambda _: clock_of(process.sending("customer", "parcel")), range(500))
        assert sorted(clocks) == [(count, 0) for count in range(1, 501)]


def test_what_was_not_answered_is_repeated_and_counted_once(
    path: Path, pool: ThreadPoolExecutor
) -> None:
    with threaded_agent(path) as agent, connected(agent) as process:
        agent.agent.swallows_clocks = True
        sending = pool.submit(process.sending, "customer", "parcel")
        agent.wait_for(lambda: agent.agent.taken == ["parcel"])
        agent.agent.swallows_clocks = False
        agent.do(agent.agent.cut)
        assert clock_of(sending.result(PATIENCE)) == (1, 0)
        assert agent.taken == ["parcel"]


def test_connections_that_break_all_the_time_lose_and_repeat_nothing(
    path: Path, pool: ThreadPoolExecutor
) -> None:
    with threaded_agent(path) as agent, connected(agent) as process:
        sending = [pool.submit(process.sending, "customer", "parcel") for _ in range(300)]
        while not all(one.done() for one in sending):
            agent.do(agent.agent.cut)
        assert sorted(clock_of(one.result()) for one in sending) == [
            (count, 0) for count in range(1, 301)
        ]


def test_under_block_an_event_fails_at_its_deadline(path: Path) -> None:
    with threaded_agent(path) as agent:
        process = connected(agent, deadline=0.5)
        agent.agent.stands_still = True
        with pytest.raises(AgentUnavailable, match="choreomon agent"):
            process.sending("customer", "parcel")
        process.close(0.0)


@pytest.mark.parametrize(("policy", "expected"), [("buffer", "parcel"), ("let-go", "gap")])
def test_after_the_lease_events_leave(path: Path, policy: Policy, expected: str) -> None:
    with threaded_agent(path, lease=0.5) as agent, connected(agent, policy) as process:
        agent.do(agent.agent.stop)
        assert clock_of(process.sending("customer", "parcel")) == (0, 0)
        agent.do(agent.agent.start)
        agent.wait_for(lambda: agent.agent.taken == [expected])


def test_fire_and_forget_never_waits(path: Path) -> None:
    with threaded_agent(path) as agent:
        process = connected(agent, "fire-and-forget")
        agent.agent.stands_still = True
        for _ in range(300):
            process.sending("customer", "parcel")
        agent.do(agent.agent.go_on)
        process.close()
        assert agent.taken == ["parcel"] * 300


def test_what_the_stream_does_not_take_at_once_is_written_later(path: Path) -> None:
    with threaded_agent(path) as agent, connected(agent, "fire-and-forget") as process:
        (served,) = agent.agent.served
        agent.do(served.transport.pause_reading)
        assert process._socket is not None
        process._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
        for _ in range(100):
            process.sending("customer", "parcel")
        assert len(process._unsent) > 1000
        agent.do(served.transport.resume_reading)
        agent.wait_for(lambda: agent.agent.taken == ["parcel"] * 100)


def test_an_interrupted_sending_is_abandoned(path: Path) -> None:
    """As by Ctrl-C in the main thread; the message does not leave, and others go on."""

    class Interrupted(BaseException):
        pass

    def interrupt(number: int, frame: object) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGUSR1, interrupt)
    try:
        with threaded_agent(path) as agent, connected(agent) as process:
            agent.agent.stands_still = True
            main = threading.main_thread().ident
            assert main is not None

            def interrupt_when_told() -> None:
                agent.wait_for(agent.agent.waits_with_a_report)
                signal.pthread_kill(main, signal.SIGUSR1)

            interrupting = threading.Thread(target=interrupt_when_told)
            interrupting.start()
            with pytest.raises(Interrupted):
                process.sending("customer", "parcel")
            interrupting.join(PATIENCE)
            agent.do(agent.agent.go_on)
            process.sending("customer", "bill")
            assert agent.taken == ["parcel", "bill"]
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_closing_fails_who_still_waits(path: Path, pool: ThreadPoolExecutor) -> None:
    with threaded_agent(path) as agent:
        process = connected(agent)
        agent.agent.stands_still = True
        sending = pool.submit(process.sending, "customer", "parcel")
        agent.wait_for(agent.agent.waits_with_a_report)
        process.close(0.01)
        with pytest.raises(ProcessClosed):
            sending.result(PATIENCE)
        with pytest.raises(ProcessClosed):
            process.sending("customer", "parcel")
        process.close()
        assert not process._thread.is_alive()


def test_without_an_agent_connecting_fails_and_leaves_no_thread(path: Path) -> None:
    before = threading.active_count()
    with pytest.raises(AgentUnavailable, match="CHOREOMON=off"):
        connect(path, deadline=0.05)
    assert threading.active_count() == before


def test_another_token_is_refused_without_waiting(tmp_path: Path) -> None:
    token = tmp_path / "token"
    with threaded_agent("tcp://", token="right") as agent:
        token.write_text("wrong")
        with pytest.raises(AgentUnavailable, match="token_file"):
            connected(agent, deadline=None, token_file=token)
        token.write_text("right")
        with connected(agent, token_file=token) as process:
            process.sending("customer", "parcel")
        assert agent.taken == ["parcel"]


def test_a_token_file_in_the_environment_is_not_for_unix_sockets(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = tmp_path / "token"
    token.write_text("a token of another agent\n")
    monkeypatch.setenv("CHOREOMON_TOKEN_FILE", str(token))
    with threaded_agent(path) as agent:
        with connected(agent) as process:
            process.sending("customer", "parcel")
        assert agent.taken == ["parcel"]


def test_switched_off_in_the_environment_nothing_is_connected(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHOREOMON", "off")
    assert connect(path) is BLOCKING_OFF
