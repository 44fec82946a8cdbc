"""A service on asyncio and its agent, over real streams, in virtual time."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import uvloop

from choreomon.agent_files.clocks.text import Carried, decode_clocks_untrusted, encode_clocks
from choreomon.agent_files.local import Policy
from choreomon.core.errors import AgentUnavailable, ProcessClosed
from choreomon.sdk.address import Backoff
from choreomon.sdk.asynchronous import ConnectedProcess, connect
from choreomon.sdk.process import OFF
from tests.sdk.fake_agent import FakeAgent, fake_agent
from tests.sdk.model_agent import KEY
from tests.sdk.virtual_time import in_virtual_time


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "shop.sock"


async def connected(
    agent: FakeAgent, policy: Policy = "block", *, deadline: float | None = 5.0, buffer: int = 100
) -> ConnectedProcess:
    process = await connect(
        agent.address, policy=policy, deadline=deadline, buffer=buffer, backoff=Backoff(0.1, 2, 1.0)
    )
    assert isinstance(process, ConnectedProcess)
    return process


def clock_of(carried: Carried) -> tuple[int, ...]:
    return decode_clocks_untrusted(carried.clock)[KEY]


@in_virtual_time
async def test_a_sending_is_an_event_before_the_message_leaves(path: Path) -> None:
    async with fake_agent(path) as agent, await connected(agent) as process:
        carried = await process.sending("customer", "parcel")
        assert carried == Carried("shop", "parcel", encode_clocks({KEY: (1, 0)}))
        assert agent.taken == ["parcel"]


@in_virtual_time
async def test_a_handling_tells_the_clock_that_came_with_the_message(path: Path) -> None:
    async with fake_agent(path) as agent, await connected(agent) as process:
        await process.handling(Carried("customer", "order", encode_clocks({KEY: (0, 7)})))
        await process.handling_from_outside("start")
        assert agent.taken == ["order", "start"]
        assert agent.last.clock == (2, 7)


@in_virtual_time
async def test_events_that_no_table_mentions_cost_no_round_trip_and_forget_no_clock(
    path: Path,
) -> None:
    async with fake_agent(path) as agent, await connected(agent) as process:
        agent.stands_still = True
        await process.handling(Carried("bank", "rate", encode_clocks({KEY: (0, 3)})))
        assert clock_of(await process.sending("customer", "hello")) == (0, 3)
        agent.go_on()
        assert agent.taken == []
        assert clock_of(await process.sending("customer", "parcel")) == (1, 3)


@in_virtual_time
async def test_many_senders_at_once_share_a_write(path: Path) -> None:
    """However many they are, the agent has one thing to read."""
    async with fake_agent(path) as agent, await connected(agent) as process:
        before = agent.served[0].reads
        for expected in (1, 2):
            all_carried = await asyncio.gather(
                *(process.sending("customer", "parcel") for _ in range(64))
            )
            assert len({carried.clock for carried in all_carried}) == 64
            assert agent.served[0].reads - before == expected
        assert agent.model.clock == (128, 0)


@in_virtual_time
async def test_what_was_not_answered_is_repeated_and_counted_once(path: Path) -> None:
    async with fake_agent(path) as agent, await connected(agent) as process:
        agent.swallows_clocks = True
        sending = asyncio.create_task(process.sending("customer", "parcel"))
        await asyncio.sleep(1)
        assert agent.taken == ["parcel"]
        agent.swallows_clocks = False
        agent.cut()
        assert clock_of(await sending) == (1, 0)
        assert agent.taken == ["parcel"]
        assert agent.greeted == 2


@in_virtual_time
async def test_under_block_an_event_fails_at_its_deadline_with_the_fix(path: Path) -> None:
    async with fake_agent(path) as agent, await connected(agent, deadline=3.0) as process:
        await agent.stop()
        start = asyncio.get_running_loop().time()
        with pytest.raises(AgentUnavailable) as raised:
            await process.sending("customer", "parcel")
        assert asyncio.get_running_loop().time() - start == pytest.approx(3.0)
        assert str(path) in str(raised.value)
        assert "choreomon agent" in str(raised.value)
        await agent.start()
        await process.sending("customer", "bill")
        assert agent.taken == ["bill"]


@in_virtual_time
async def test_under_block_without_a_deadline_an_event_waits_for_ever(path: Path) -> None:
    async with fake_agent(path) as agent, await connected(agent, deadline=None) as process:
        await agent.stop()
        sending = asyncio.create_task(process.sending("customer", "parcel"))
        await asyncio.sleep(100_000)
        assert not sending.done()
        await agent.start()
        await sending
        assert agent.taken == ["parcel"]


@in_virtual_time
async def test_under_buffer_events_leave_after_the_lease_and_are_told_later(path: Path) -> None:
    async with fake_agent(path, lease=9.0) as agent, await connected(agent, "buffer") as process:
        await agent.stop()
        start = asyncio.get_running_loop().time()
        assert clock_of(await process.sending("customer", "parcel")) == (0, 0)
        assert asyncio.get_running_loop().time() - start == pytest.approx(9.0, abs=0.01)
        assert clock_of(await process.sending("customer", "bill")) == (0, 0)
        assert asyncio.get_running_loop().time() - start == pytest.approx(9.0, abs=0.01)
        await agent.start()
        await asyncio.sleep(2)
        assert agent.taken == ["parcel", "bill"]
        assert process.lost == 0
        assert clock_of(await process.sending("customer", "bill")) == (3, 0)


@in_virtual_time
async def test_a_buffer_that_runs_over_leaves_a_gap_at_its_end(path: Path) -> None:
    async with fake_agent(path) as agent, await connected(agent, "buffer", buffer=2) as process:
        await agent.stop()
        for _ in range(5):
            await process.sending("customer", "parcel")
        await agent.start()
        await asyncio.sleep(2)
        await process.sending("customer", "bill")
        assert agent.taken == ["parcel", "parcel", "gap", "bill"]
        assert process.lost == 3


@in_virtual_time
async def test_under_let_go_events_leave_after_the_lease_and_are_a_gap(path: Path) -> None:
    async with fake_agent(path) as agent, await connected(agent, "let-go") as process:
        await agent.stop()
        for _ in range(3):
            await process.sending("customer", "parcel")
        await agent.start()
        await asyncio.sleep(2)
        await process.sending("customer", "bill")
        assert agent.taken == ["gap", "bill"]
        assert process.lost == 3


@in_virtual_time
async def test_fire_and_forget_never_waits(path: Path) -> None:
    async with fake_agent(path) as agent, await connected(agent, "fire-and-forget") as process:
        agent.stands_still = True
        for _ in range(3):
            assert clock_of(await process.sending("customer", "parcel")) == (0, 0)
        agent.go_on()
        await asyncio.sleep(1)
        assert agent.taken == ["parcel"] * 3
        assert clock_of(await process.sending("customer", "bill")) == (3, 0)


@in_virtual_time
async def test_an_agent_that_stands_still_is_left_when_the_lease_is_over(path: Path) -> None:
    async with fake_agent(path, lease=9.0) as agent, await connected(agent, "let-go") as process:
        agent.stands_still = True
        start = asyncio.get_running_loop().time()
        await process.sending("customer", "parcel")
        assert 6.0 <= asyncio.get_running_loop().time() - start <= 9.0
        agent.go_on()
        await asyncio.sleep(10)
        assert agent.taken == ["gap"]


@in_virtual_time
async def test_the_lease_is_renewed_while_nothing_happens(path: Path) -> None:
    async with fake_agent(path, lease=9.0) as agent, await connected(agent, "buffer"):
        await asyncio.sleep(100)
        assert agent.greeted == 1
        agent.model.now = asyncio.get_running_loop().time()
        assert agent.model.promised()


@in_virtual_time
async def test_a_cancelled_sending_that_was_not_told_is_no_event(path: Path) -> None:
    async with fake_agent(path) as agent, await connected(agent, deadline=None) as process:
        await agent.stop()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1):
                await process.sending("customer", "parcel")
        await agent.start()
        await process.sending("customer", "bill")
        assert agent.taken == ["bill"]


@in_virtual_time
async def test_a_cancelled_sending_that_was_told_stays_an_event(path: Path) -> None:
    async with fake_agent(path) as agent, await connected(agent, deadline=None) as process:
        agent.stands_still = True
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1):
                await process.sending("customer", "parcel")
        agent.go_on()
        await process.sending("customer", "bill")
        assert agent.taken == ["parcel", "bill"]


@in_virtual_time
async def test_a_forgotten_session_is_begun_again_with_a_gap(path: Path) -> None:
    async with fake_agent(path) as agent, await connected(agent) as process:
        agent.swallows_clocks = True
        sending = asyncio.create_task(process.sending("customer", "parcel"))
        await asyncio.sleep(1)
        agent.model.forget_sessions()
        agent.cut()
        agent.swallows_clocks = False
        await sending
        assert agent.taken == ["parcel", "gap"]
        await process.sending("customer", "bill")
        assert agent.taken == ["parcel", "gap", "bill"]


@in_virtual_time
async def test_closing_tells_what_was_kept(path: Path) -> None:
    async with fake_agent(path) as agent:
        process = await connected(agent, "fire-and-forget", buffer=200)
        for _ in range(200):
            await process.sending("customer", "parcel")
        await process.close()
        assert agent.taken == ["parcel"] * 200
        with pytest.raises(ProcessClosed):
            await process.sending("customer", "parcel")
        await process.close()
        assert agent.served == []


@in_virtual_time
async def test_closing_does_not_wait_longer_than_asked(path: Path) -> None:
    async with fake_agent(path) as agent:
        process = await connected(agent, "fire-and-forget")
        agent.stands_still = True
        await process.sending("customer", "parcel")
        start = asyncio.get_running_loop().time()
        await process.close(2.0)
        assert asyncio.get_running_loop().time() - start == pytest.approx(2.0)


@in_virtual_time
async def test_connecting_waits_for_an_agent_that_comes_later(path: Path) -> None:
    agent = FakeAgent(str(path))
    asyncio.get_running_loop().call_later(2, lambda: asyncio.ensure_future(agent.start()))
    process = await connected(agent)
    assert process.name == "shop"
    await process.close()
    await agent.stop()


@pytest.mark.parametrize("policy", ["block", "buffer", "let-go", "fire-and-forget"])
def test_without_an_agent_connecting_fails_under_every_policy(path: Path, policy: Policy) -> None:
    @in_virtual_time
    async def run() -> None:
        with pytest.raises(AgentUnavailable, match=r"CHOREOMON=off"):
            await connect(path, policy=policy, deadline=3.0)

    run()


@in_virtual_time
async def test_another_token_is_refused_at_once_with_the_fix(tmp_path: Path) -> None:
    token = tmp_path / "token"
    async with fake_agent("tcp://", token="right") as agent:
        token.write_text("wrong\n")
        with pytest.raises(AgentUnavailable, match="token_file"):
            await connect(agent.address, token_file=token, deadline=None)
        token.write_text("right\n")
        process = await connect(agent.address, token_file=token)
        await process.sending("customer", "parcel")
        await process.close()
        assert agent.taken == ["parcel"]


@pytest.mark.parametrize("content", ["a token of another agent\n", None])
def test_a_token_file_in_the_environment_is_not_for_unix_sockets(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None
) -> None:
    """One environment may be that of services at both; the file of others need not be there."""
    token = tmp_path / "token"
    if content is not None:
        token.write_text(content)
    monkeypatch.setenv("CHOREOMON_TOKEN_FILE", str(token))

    @in_virtual_time
    async def run() -> None:
        async with fake_agent(path) as agent:
            process = await connect(path)
            await process.sending("customer", "parcel")
            await process.close()
            assert agent.taken == ["parcel"]

    run()


@in_virtual_time
async def test_a_new_token_is_read_when_the_agent_comes_back(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("one")
    async with fake_agent("tcp://", token="one") as agent:
        process = await connect(agent.address, token_file=token, deadline=None)
        agent.model.token = "two"
        agent.cut()
        sending = asyncio.create_task(process.sending("customer", "parcel"))
        await asyncio.sleep(10)
        token.write_text("two")
        await sending
        await process.close()


@in_virtual_time
async def test_rubbish_from_an_agent_breaks_the_connection_and_nothing_else(path: Path) -> None:
    async with fake_agent(path) as agent, await connected(agent) as process:
        for rubbish in (b"\xff\xff\xff\xff", b"\x00\x00\x00\x01{"):
            agent.served[0].transport.write(rubbish)
            await asyncio.sleep(3)
            await process.sending("customer", "parcel")
        assert agent.greeted == 3
        assert agent.taken == ["parcel"] * 2


@in_virtual_time
@pytest.mark.parametrize("times", [1, 2])
async def test_a_close_that_is_cancelled_leaves_nothing_behind(path: Path, times: int) -> None:
    async with fake_agent(path) as agent:
        process = await connected(agent, deadline=None)
        agent.stands_still = True
        sending = asyncio.create_task(process.sending("customer", "parcel"))
        closing = asyncio.create_task(process.close(None))
        await asyncio.sleep(1)
        for _ in range(times):
            closing.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await closing
        await asyncio.sleep(1)
        assert agent.served == []
        assert isinstance(sending.exception(), ProcessClosed)


@in_virtual_time
async def test_a_name_that_is_none_is_the_callers_fault(path: Path) -> None:
    async with fake_agent(path) as agent, await connected(agent) as process:
        with pytest.raises(ValueError, match="printable"):
            await process.sending("customer", "a\nb")


@pytest.mark.parametrize("said", ["off", "OFF", ""])
def test_switched_off_in_the_environment_nothing_is_connected(
    said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHOREOMON", said)

    @in_virtual_time
    async def run() -> None:
        assert await connect() is OFF
        if said:
            assert await connect("/nowhere/agent.sock") is OFF

    run()


def test_the_address_may_come_from_the_environment(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHOREOMON", str(path))

    @in_virtual_time
    async def run() -> None:
        async with fake_agent(path):
            process = await connect()
            assert process.on
            assert process.name == "shop"
            await process.close()

    run()


def test_on_uvloop_it_is_the_same(path: Path) -> None:
    async def run() -> None:
        async with fake_agent(path) as agent, await connected(agent) as process:
            for expected in (64, 128):
                await asyncio.gather(*(process.sending("customer", "parcel") for _ in range(64)))
                assert agent.model.clock == (expected, 0)
            agent.cut()
            await process.sending("customer", "bill")
            assert agent.taken[-1] == "bill"

    uvloop.run(run())
