"""A real agent that is told by who knows that a service is gone: its gap ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from choreomon.agent_files import local
from choreomon.agent_files.agent_document import load_agent_config
from choreomon.monitor.gaps import NEVER, Gap
from choreomon.runtime.agent import Agent
from choreomon.runtime.operator_requests import NotAsked, tell_of_ended
from tests.cli.command_line import choreomon
from tests.runtime.conftest import Run
from tests.runtime.test_reloaded_agent import agent_of, configure, split


@asynccontextmanager
async def running(path: Path) -> AsyncIterator[Agent]:
    made = agent_of(path)
    await made.start()
    try:
        yield made
    finally:
        await made.stop()


async def greeted(agent: Agent, policy: local.Policy) -> tuple[asyncio.StreamWriter, str]:
    """The connection of a service and its session."""
    path = agent.config.local.path
    assert path is not None
    reader, writer = await asyncio.open_unix_connection(path)
    writer.write(local.encode(local.Hello(policy)))
    length = int.from_bytes(await reader.readexactly(local.LENGTH_BYTES), "big")
    welcome = local.decode_agent_untrusted(await reader.readexactly(length))
    assert isinstance(welcome, local.Welcome)
    return writer, welcome.session


async def told(agent: Agent, session: str = "", process: str = "") -> local.Noted:
    config = agent.config
    return await asyncio.to_thread(tell_of_ended, config, 5.0, process=process, session=session)


async def ended(agent: Agent, session: str = "") -> int:
    """How many sessions end, once the agent has seen that they are not connected."""
    while not (noted := await told(agent, session)).sessions:
        assert noted.why in ("", f"the service of the session {session} is connected")
    return noted.sessions


def gaps(agent: Agent) -> tuple[Gap, ...]:
    return agent.node.driver.state.hosts[0].monitor.gaps


def is_open(agent: Agent) -> bool:
    return bool(gaps(agent)) and NEVER in gaps(agent)[-1].until


def test_the_gap_of_a_service_that_is_gone_ends_and_stays(run: Run, tmp_path: Path) -> None:
    split(tmp_path)

    async def main() -> None:
        async with running(configure(tmp_path, "1.json")) as agent:
            writer, _ = await greeted(agent, "let-go")
            assert is_open(agent)
            writer.close()
            assert await ended(agent) == 1
            assert len(gaps(agent)) == 1
            assert not is_open(agent)
            assert not agent.node.driver.state.sessions
            before = gaps(agent)
        async with running(configure(tmp_path, "1.json")) as again:
            assert gaps(again) == before

    run(main)


def test_a_service_that_is_connected_is_not_gone(run: Run, tmp_path: Path) -> None:
    split(tmp_path)

    async def main() -> None:
        async with running(configure(tmp_path, "1.json")) as agent:
            staying, here = await greeted(agent, "let-go")
            leaving, gone = await greeted(agent, "let-go")
            assert (await told(agent)).sessions == 0
            assert (await told(agent, here)).why.endswith(f"session {here} is connected")
            leaving.close()
            assert await ended(agent, gone) == 1
            assert [*agent.node.driver.state.sessions] == [here]
            assert is_open(agent)
            assert (await told(agent, gone)).why == f"there is no session {gone}"
            assert (await told(agent, process="bank/7")).why == (
                "this agent is at bank, and does not answer for bank/7: ask the one that does"
            )
            staying.close()

    run(main)


def test_under_block_nothing_was_let_go(run: Run, tmp_path: Path) -> None:
    split(tmp_path)

    async def main() -> None:
        async with running(configure(tmp_path, "1.json")) as agent:
            writer, _ = await greeted(agent, "block")
            writer.close()
            assert await ended(agent) == 1
            assert not gaps(agent)

    run(main)


def test_the_command_says_what_ended(run: Run, tmp_path: Path) -> None:
    split(tmp_path)

    async def main() -> None:
        path = configure(tmp_path, "1.json")
        with pytest.raises(NotAsked, match="is the agent running"):
            tell_of_ended(load_agent_config(path), 5.0)
        async with running(path) as agent:
            writer, session = await greeted(agent, "let-go")
            said = ["agent", "ended", "--config", str(path)]
            answer = await asyncio.to_thread(choreomon, *said, "--session", session)
            assert (answer.code, answer.out) == (2, "")
            assert f"nothing ended: the service of the session {session} is connected" in answer.err
            writer.close()
            assert await ended(agent) == 1
            answer = await asyncio.to_thread(choreomon, *said)
            assert (answer.code, answer.out) == (0, f"{path}: 0 sessions ended\n")

    run(main)


def test_names_that_are_too_long_are_no_names() -> None:
    for given in (["x" * 201], ["--session", "x" * 65]):
        answer = choreomon("agent", "ended", "--config", "agent.yaml", *given)
        assert answer.code == 2
        assert "characters" in answer.err
