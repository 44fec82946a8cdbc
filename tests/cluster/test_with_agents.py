"""The services of the cluster with real agents beside them, all in this process: with the agents'
own configurations, keys and sockets, and without containers."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import pytest

from choreomon.agent_files.agent_config import AgentConfig, Keys, LocalAccess, load_tables
from choreomon.agent_files.agent_document import load_agent_config
from choreomon.agent_files.clocks.text import Carried
from choreomon.core.live import LiveVerdict
from choreomon.runtime.agent import Agent
from choreomon.runtime.delivery.webhook import Callback
from choreomon.runtime.operations.logs import Log
from choreomon.sdk import BlockingProcess
from choreomon.sdk.blocking import connect
from cluster.cases import CASES
from cluster.prepare import prepare
from cluster.traffic import Services, play
from cluster.trial.counting import count
from cluster.trial.looking import acknowledged
from tests.cluster.in_one_process import HANDLERS, saga

ROOT = Path(__file__).parents[2]


def configured(process: str, folder: Path, endpoints: dict[str, str]) -> AgentConfig:
    """The configuration of the cluster's agent, with all that it names in `folder`."""
    config = load_agent_config(ROOT / f"cluster/agents/{process}.yaml")
    given = folder / process
    assert config.keys is not None
    return replace(
        config,
        tables=tuple(given / table.name for table in config.tables),
        listen="tcp://127.0.0.1:0",
        peers={peer: endpoints[peer] for peer in config.peers},
        keys=Keys(given / config.keys.secret.name, given / config.keys.peers.name),
        local=LocalAccess(path=folder / f"{process}-socket" / "agent.sock"),
        store=folder / f"{process}.db",
        http=None,
        # No provisional verdicts, however slow the machine is.
        deadline=300.0,
        give_up=120.0,
    )


@contextmanager
def agents(folder: Path, told: Callable[[LiveVerdict], None]) -> Iterator[None]:
    """All five, on a loop of their own thread. `told` is given their verdicts."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    running: list[Agent] = []

    async def start() -> None:
        endpoints: dict[str, str] = {}
        # Who asks comes last: it has to be told where the others are.
        for process in sorted(HANDLERS, key="shipping".__eq__):
            config = configured(process, folder, endpoints)
            agent = Agent(
                config, load_tables(config), log=Log(process=process), sinks=[Callback(told)]
            )
            await agent.start()
            running.append(agent)
            endpoints[process] = agent.node.endpoint

    async def stop() -> None:
        for agent in running:
            await agent.stop()

    try:
        asyncio.run_coroutine_threadsafe(start(), loop).result(timeout=300)
        yield
    finally:
        asyncio.run_coroutine_threadsafe(stop(), loop).result(timeout=300)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@contextmanager
def monitored_saga(
    folder: Path, instrumented: Callable[[BlockingProcess], BlockingProcess]
) -> Iterator[Services]:
    with ExitStack() as stack:

        def monitor_of(process: str) -> BlockingProcess:
            monitor = connect(folder / f"{process}-socket" / "agent.sock")
            stack.callback(monitor.close)
            return instrumented(monitor)

        yield stack.enter_context(saga(monitor_of))


Words: TypeAlias = dict[int, str]
"""The last verdict about each parcel of which something is said, by its number."""


def played(
    folder: Path, instrumented: Callable[[BlockingProcess], BlockingProcess] = lambda given: given
) -> tuple[Words, Words]:
    """Plays every case twice: what should be said, and what is said. That every agent counts
    every event once is looked at, too."""
    prepare(ROOT / "cluster/property.yaml", folder)
    told: queue.SimpleQueue[LiveVerdict] = queue.SimpleQueue()
    wanted: Words = {}
    words: Words = {}
    with agents(folder, told.put), monitored_saga(folder, instrumented) as services:
        for case in [*CASES.values(), *CASES.values()]:
            for parcel in play(services, case)["parcels"]:
                if case.word is not None:
                    wanted[parcel] = case.word
        (table,) = load_tables(configured("orders", folder, {}))
        for place, process in enumerate(table.processes):
            counted = count(str(folder / f"{process}-socket" / "agent.sock"), place)
            labels, state = counted["labels"], services.state(process)
            assert counted["events"] == acknowledged(labels, state), process
        while len(words) < len(wanted):
            verdict = told.get(timeout=300)
            words[verdict.count] = verdict.verdict
    while not told.empty():
        verdict = told.get()
        words[verdict.count] = verdict.verdict
    return wanted, words


@pytest.fixture
def folder() -> Iterator[Path]:
    """With a short name: the path of a socket may not be long."""
    with TemporaryDirectory(prefix="saga-") as made:
        yield Path(made)


def test_every_case_gets_its_word_and_every_event_is_counted_once(folder):
    wanted, words = played(folder)
    assert words == wanted


def test_a_service_that_does_not_tell_what_it_heard_is_noticed(folder):
    """The test above is no good if it cannot tell."""

    class Deaf:
        def __init__(self, monitor: BlockingProcess) -> None:
            self._monitor = monitor

        def __getattr__(self, name: str) -> Any:
            return getattr(self._monitor, name)

        def handling(self, carried: Carried) -> None:
            pass

    wanted, words = played(folder, Deaf)
    assert words != wanted
