"""Agents that cannot start, and how they stop: nothing stays open, and nothing is lost."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from choreomon.agent_files import local
from choreomon.agent_files.addresses import Address
from choreomon.agent_files.agent_config import AgentConfig, Keys, LocalAccess
from choreomon.agent_files.delivered.sinks import FileSink, WebhookSink
from choreomon.core.errors import ChoreomonError, DocumentError
from choreomon.runtime.agent import Agent
from choreomon.runtime.inputs import Gap, Hello, Report
from choreomon.runtime.network import security
from choreomon.runtime.operations.logs import Log
from choreomon.runtime.outputs import Ticked
from tests.runtime.conftest import Run
from tests.runtime.real_agents import (
    agent_of,
    config_of,
    held_port,
    open_files,
    tables_of,
)

LOOPBACK = Address("127.0.0.1", 0)


def rows(config: AgentConfig) -> list[tuple[int, bytes]]:
    with closing(sqlite3.connect(str(config.store))) as database:
        return database.execute("SELECT number, inputs FROM journal").fetchall()


async def filled(config: AgentConfig, events: int = 3) -> None:
    """Runs an agent on the store, which dies after these events, each a row."""
    agent = agent_of(config)
    await agent.start()
    driver = agent.node.driver
    driver.take(Hello(1, "block", "", "session", 0))
    driver.flush()
    for number in range(1, events + 1):
        driver.take(Report(1, "session", number, 0, "send", "A", "noise", "", number))
        driver.flush()
    agent.node.driver._store = None  # no last snapshot: as by `kill -9`
    await agent.stop()


def connection_to(config: AgentConfig) -> Any:
    return asyncio.open_unix_connection(str(config.local.path))


async def until_closed(opened: list[str]) -> None:
    """Until nothing is open but what was. Loops take some turns to close what they are told to."""
    while open_files() != opened:
        await asyncio.sleep(0)


# Starts that fail.

Change = Callable[[Path, int], dict[str, Any]]

STARTS: dict[str, Change] = {
    "its port for HTTP is in use": lambda folder, port: {"http": Address("127.0.0.1", port)},
    "its port for peers is in use": lambda folder, port: {
        "listen": f"tcp://127.0.0.1:{port}",
        "http": LOOPBACK,
    },
    "its local port is in use": lambda folder, port: {
        "local": LocalAccess(tcp=Address("127.0.0.1", port), token=folder / "token"),
        "http": LOOPBACK,
    },
    "its folder is open to others": lambda folder, port: {
        "local": LocalAccess(path=folder / "open" / "B.sock"),
        "http": LOOPBACK,
    },
    "its folder is a file": lambda folder, port: {
        "local": LocalAccess(path=folder / "token" / "B.sock")
    },
    "there is no token": lambda folder, port: {
        "local": LocalAccess(tcp=LOOPBACK, token=folder / "missing")
    },
    "there are no keys": lambda folder, port: {
        "insecure": False,
        "keys": Keys(folder / "missing.key", folder),
        "http": LOOPBACK,
    },
    "it cannot write its words": lambda folder, port: {
        "verdicts": (FileSink(folder / "missing" / "words"),)
    },
    "its store has no folder": lambda folder, port: {"store": folder / "missing" / "B.db"},
}


def test_a_token_that_is_not_there_is_told_with_how_to_make_it(run: Run, tmp_path: Path) -> None:
    config = config_of(tmp_path, **STARTS["there is no token"](tmp_path, 0))

    async def main() -> None:
        with pytest.raises(
            DocumentError, match=r"^local\.token: .*missing: .*no such file: make one, as"
        ):
            await agent_of(config).start()

    run(main)


def with_token_and_open_folder(folder: Path) -> None:
    """What some of `STARTS` name."""
    (folder / "token").write_text("a secret of some length")
    (folder / "token").chmod(0o600)
    (folder / "open").mkdir(mode=0o755)


@pytest.mark.parametrize("why", STARTS)
def test_a_start_that_fails_leaves_nothing_open_and_the_store_as_it_was(
    run: Run, tmp_path: Path, why: str
) -> None:
    with_token_and_open_folder(tmp_path)
    config = config_of(tmp_path)

    async def main() -> None:
        await filled(config)
        before = rows(config)
        assert len(before) == 4
        with closing(held_port()) as holder:
            changed = config_of(tmp_path, **STARTS[why](tmp_path, holder.getsockname()[1]))
            await asyncio.sleep(0)
            opened, tasks = open_files(), asyncio.all_tasks()
            with pytest.raises(ChoreomonError):
                await agent_of(changed).start()
            await until_closed(opened)
            assert asyncio.all_tasks() == tasks
        assert rows(config)[:4] == before  # at most that it was started again is there, too
        agent = agent_of(config)
        await agent.start()
        assert agent.node.driver.state.sessions["session"].last == 3
        await agent.stop()

    run(main)


@pytest.mark.parametrize("why", STARTS)
def test_a_start_that_fails_leaves_no_store_where_there_was_none(
    run: Run, tmp_path: Path, why: str
) -> None:
    with_token_and_open_folder(tmp_path)
    before = sorted(tmp_path.iterdir())

    async def main() -> None:
        with closing(held_port()) as holder:
            changed = config_of(tmp_path, **STARTS[why](tmp_path, holder.getsockname()[1]))
            with pytest.raises(ChoreomonError):
                await agent_of(changed).start()

    run(main)
    assert sorted(tmp_path.iterdir()) == before


TOLD = {
    "its port for HTTP is in use": r"^a\.yaml:1: http: .*: Address already in use: name an address",
    "its port for peers is in use": r"^a\.yaml:2: listen: tcp:.* already in use: name an address",
    "its local port is in use": r"^a\.yaml:3: local\.tcp: .* already in use: name an address",
    "its folder is open to others": r"^a\.yaml:4: local\.path: .*B\.sock: .*: others can enter",
    "there are no keys": r"^a\.yaml:5: keys\.secret: .*: cannot be read: there is no such file: `",
    "its store has no folder": r"^a\.yaml:6: store: .*B\.db: .*: there is no folder .*: make it",
}
LINES = {
    ("http",): 1,
    ("listen",): 2,
    ("local", "tcp"): 3,
    ("local", "path"): 4,
    ("keys", "secret"): 5,
    ("store",): 6,
}


@pytest.mark.parametrize("why", TOLD)
def test_a_start_that_fails_is_told_with_line_field_and_what_would_be_right(
    run: Run, tmp_path: Path, why: str
) -> None:
    with_token_and_open_folder(tmp_path)

    async def main() -> None:
        with closing(held_port()) as holder:
            changes = STARTS[why](tmp_path, holder.getsockname()[1])
            config = config_of(tmp_path, file="a.yaml", lines=LINES, **changes)
            with pytest.raises(DocumentError, match=TOLD[why]):
                await agent_of(config).start()

    run(main)


def test_a_start_that_fails_by_a_mistake_of_its_own_ends(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where sockets between agents were open already, which ZeroMQ would wait for."""

    def mistaken(*_: object, **__: object) -> None:
        raise TypeError("a mistake")

    async def main() -> None:
        opened = open_files()
        with pytest.raises(TypeError, match="a mistake"):
            await agent_of(config_of(tmp_path)).start()
        await until_closed(opened)

    monkeypatch.setattr(security, "DrainingReader", mistaken)
    run(main)


def test_what_is_half_read_does_not_take_the_place_of_the_journal(run: Run, tmp_path: Path) -> None:
    config = config_of(tmp_path)

    async def main() -> None:
        await filled(config)
        with closing(sqlite3.connect(str(config.store))) as database:
            database.execute("INSERT INTO journal VALUES (100, x'00ff')")
            database.commit()
        before = rows(config)
        with pytest.raises(DocumentError, match="cannot be read"):
            await agent_of(config).start()
        assert rows(config) == before

    run(main)


def test_the_store_of_another_process_is_refused(run: Run, tmp_path: Path) -> None:
    async def main() -> None:
        await filled(config_of(tmp_path, "A", store=tmp_path / "one.db"))
        before = rows(config_of(tmp_path, store=tmp_path / "one.db"))
        with pytest.raises(DocumentError, match="is that of A, and this is the agent of B"):
            agent_of(config_of(tmp_path, "B", store=tmp_path / "one.db"))
        other = config_of(tmp_path, "A", store=tmp_path / "one.db")
        with pytest.raises(DocumentError, match=r"lack one of the system .* name it under closing"):
            Agent(other, [tables_of(b"split again")["A"]], log=Log())
        assert rows(other) == before

    run(main)


def test_two_agents_with_one_store_or_one_path(run: Run, tmp_path: Path) -> None:
    async def main() -> None:
        config = config_of(tmp_path)
        first = agent_of(config)
        await first.start()
        with pytest.raises(DocumentError, match="another agent uses it"):
            agent_of(config_of(tmp_path, local=LocalAccess(path=tmp_path / "other" / "B.sock")))
        with pytest.raises(DocumentError, match="another agent listens there"):
            await agent_of(config_of(tmp_path, store=tmp_path / "other.db")).start()
        _, writer = await connection_to(config)
        writer.close()
        await first.stop()

    run(main)


@pytest.mark.skipif(os.geteuid() != 0, reason="who is not root cannot make folders of others")
def test_a_folder_of_another_user_is_not_used(run: Run, tmp_path: Path) -> None:
    """Its owner could put another socket in the place of the agent's."""

    async def main() -> None:
        folder = tmp_path / "run"
        folder.mkdir(mode=0o700)
        os.chown(folder, 12345, 12345)
        with pytest.raises(DocumentError, match="is another user's"):
            await agent_of(config_of(tmp_path)).start()

    run(main)


# Stops.


def test_an_agent_stops_once_and_leaves_nothing_open(run: Run, tmp_path: Path) -> None:
    async def main() -> None:
        config = config_of(tmp_path, http=LOOPBACK)
        await filled(config)  # a loop opens some things once
        opened, tasks = open_files(), asyncio.all_tasks()
        agent = agent_of(config)
        await agent.start()
        address = agent.http_address
        assert address is not None
        connections = [await connection_to(config) for _ in range(3)]
        connections.append(await asyncio.open_connection(address.host, address.port))
        reader, writer = connections[0]
        writer.write(local.encode(local.Hello("block")))
        assert await reader.read(1)
        await agent.stop()
        await agent.stop()
        for reader, writer in connections:
            await reader.read()
            writer.close()
        await until_closed(opened)
        assert asyncio.all_tasks() == tasks

    run(main)


def test_a_full_disk_does_not_keep_an_agent_from_stopping(run: Run, tmp_path: Path) -> None:
    """The last state is not taken; the rows are there all the same."""

    async def main() -> None:
        config = config_of(tmp_path)
        await filled(config, events=30)
        agent = agent_of(config)
        await agent.start()
        store = agent.node._store
        assert store is not None
        store._database.execute(
            "CREATE TRIGGER full BEFORE INSERT ON snapshot "
            "BEGIN SELECT raise(FAIL, 'database or disk is full'); END"
        )
        await agent.stop()
        assert len(rows(config)) == 32
        agent = agent_of(config)
        await agent.start()
        assert agent.node.driver.state.sessions["session"].last == 30
        await agent.stop()

    run(main)


def violate(agent: Agent) -> None:
    """By a gap, of which there is a word."""
    agent.node.driver.take(Hello(1, "block", "", "session", 0))
    agent.node.driver.take(Gap(1, "session", 1, 0, 1))
    agent.node.flush()


async def the_word_is_told(folder: Path) -> None:
    """By the next agent, to a sink that takes it."""
    file = folder / "taken"
    agent = agent_of(config_of(folder, verdicts=(FileSink(file),)))
    await agent.start()
    await agent.stop()
    (line,) = file.read_text().splitlines()
    assert '"possibly-violated"' in line


def test_a_sink_that_hangs_does_not_keep_an_agent_from_stopping(run: Run, tmp_path: Path) -> None:
    """A pipe that nobody reads cannot even be opened. Its word is kept."""
    pipe = tmp_path / "words"
    os.mkfifo(pipe)

    async def main() -> None:
        config = config_of(tmp_path, verdicts=(FileSink(pipe),))
        agent = agent_of(config)
        await agent.start()
        violate(agent)
        assert agent.sinks.undelivered == 1
        await asyncio.sleep(0)
        stopping = asyncio.ensure_future(agent.stop())
        await asyncio.wait([stopping], timeout=120)
        assert stopping.done()
        reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)  # so that its thread ends
        os.close(reading)
        await the_word_is_told(tmp_path)

    run(main)


def test_a_webhook_that_does_not_answer_does_not_keep_an_agent_from_stopping(
    run: Run, tmp_path: Path
) -> None:
    async def main() -> None:
        with closing(held_port()) as silent:
            url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
            config = config_of(tmp_path, verdicts=(WebhookSink(url, 300.0),))
            agent = agent_of(config)
            await agent.start()
            violate(agent)
            await asyncio.sleep(0)
            await agent.stop()
        await the_word_is_told(tmp_path)

    run(main)


FORGOTTEN = """
import asyncio, gc, pathlib, sys
from choreomon.runtime.event_loop import new_event_loop
from tests.runtime.real_agents import agent_of, config_of

async def main():
    await agent_of(config_of(pathlib.Path(sys.argv[1]))).start()

with asyncio.Runner(loop_factory=new_event_loop) as runner:
    runner.run(main())
del runner
gc.collect()
print("collected")
"""


def test_an_agent_whose_loop_ended_before_it_can_be_collected(tmp_path: Path) -> None:
    """As where a service that holds its monitor itself fails, and its process goes on."""
    ended = subprocess.run(
        [sys.executable, "-c", FORGOTTEN, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (ended.stdout, ended.returncode) == ("collected\n", 0), ended.stderr


# Whoever raises within a turn of the loop.


class Unwritable:
    """A trace on a disk that is full."""

    def write(self, text: str) -> object:
        raise OSError(28, "No space left on device")


def test_a_trace_that_cannot_be_written_keeps_nothing_else_back(run: Run, tmp_path: Path) -> None:
    async def main() -> None:
        config = config_of(tmp_path)
        agent = agent_of(config, trace=Unwritable())
        await agent.start()
        await an_event_is_answered(config)
        await agent.stop()

    run(main)


async def an_event_is_answered(config: AgentConfig) -> None:
    reader, writer = await connection_to(config)
    writer.write(local.encode(local.Hello("block")))
    splitter = local.FrameSplitter(local.MAX_AGENT_FRAME)
    (welcome,) = splitter.feed(await reader.read(65536))
    assert isinstance(local.decode_agent_untrusted(welcome), local.Welcome)
    writer.write(local.encode(local.Report(1, 0, "send", "A", "b")))
    (answer,) = splitter.feed(await reader.read(65536))
    assert isinstance(local.decode_agent_untrusted(answer), local.Clock)
    writer.close()


def test_what_one_output_raises_keeps_no_other_back_and_timers_go_on(
    run: Run, tmp_path: Path
) -> None:
    async def main() -> None:
        raised: list[dict[str, Any]] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: raised.append(context))
        config = config_of(tmp_path, deadline=0.05)
        agent = agent_of(config)
        await agent.start()
        happened = agent.happened

        def raising(output: Any) -> None:
            if type(output) is Ticked:
                raise RuntimeError("planted")
            happened(output)

        agent.happened = raising  # type: ignore[method-assign]
        await an_event_is_answered(config)  # its answer comes after what raises
        while not agent.node.driver.committed.counts[0].provisional:
            await asyncio.sleep(0)
        assert [str(each["exception"]) for each in raised] == ["planted"]
        await agent.stop()

    run(main)


def test_that_a_service_left_is_waited_for_where_there_is_nothing_to_commit(
    run: Run, tmp_path: Path
) -> None:
    async def main() -> None:
        agent = agent_of(config_of(tmp_path))
        await agent.start()
        node = agent.node
        node.driver.take(Hello(1, "block", "", "session", 0))
        node.flush()
        assert node._timer is None
        node.driver.disconnected("session")
        node.soon()
        for _ in range(3):
            await asyncio.sleep(0)
        assert node._timer is not None
        await agent.stop()

    run(main)
