"""The services of the cluster with real agents beside them, all in this process: with the agents'
own configurations, keys and sockets, and without containers."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import pytest

from choreomon.agent_files.agent_config import AgentConfig, Keys, LocalAccess, load_tables
from choreomon.agent_files.agent_document import load_agent_config
from choreomon.agent_files.clocks.text import Carried
from choreomon.agent_files.table_file import load_table
from choreomon.core.live import LiveVerdict
from choreomon.runtime.agent import Agent
from choreomon.runtime.delivery.webhook import Callback
from choreomon.runtime.operations.logs import Log
from choreomon.sdk import BlockingProcess
from choreomon.sdk.blocking import connect
from cluster.cases import CASES, HALVES
from cluster.prepare import CONFIGURATION, prepare
from cluster.rollout import close_old, leave_out, open_next
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


class Reloading:
    """What a reload does to agents that run. `folder` has what the steps of a rollout gave them."""

    def __init__(self, folder: Path, running: list[Agent], loop: asyncio.AbstractEventLoop) -> None:
        self._folder, self._running, self._loop = folder, running, loop

    def reload(self) -> None:
        """What they are given now, at each, until all go on with it."""
        wanted: dict[str, int] = {}

        async def reload() -> None:
            for agent in self._running:
                given = self._folder / agent.config.process
                named = load_agent_config(given / CONFIGURATION)
                config = replace(
                    agent.config,
                    tables=tuple(given / table.name for table in named.tables),
                    closing=tuple(given / table.name for table in named.closing),
                )
                tables = load_tables(config)
                wanted[config.process] = len(tables)
                agent.node.reload(config, tables)

        self._do(reload())
        self.until(lambda agent: len(agent.tables) == wanted[agent.config.process])

    def until(self, true: Callable[[Agent], bool]) -> None:
        """Until it is true of all agents."""

        async def all_are() -> None:
            while not all(map(true, self._running)):
                await asyncio.sleep(0.01)

        self._do(all_are())

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=300)


@contextmanager
def agents(folder: Path, told: Callable[[LiveVerdict], None]) -> Iterator[Reloading]:
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
        yield Reloading(folder, running, loop)
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


Words: TypeAlias = dict[str, str]
"""The last verdict about each parcel of which something is said, by its order."""


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
            for order in play(services, case)["parcels"]:
                if case.word is not None:
                    wanted[order] = case.word
        (table,) = load_tables(configured("orders", folder, {}))
        for place, process in enumerate(table.processes):
            counted = count(str(folder / f"{process}-socket" / "agent.sock"), place)
            labels, state = counted["labels"], services.state(process)
            assert counted["events"] == acknowledged(labels, state), process
        while len(words) < len(wanted):
            verdict = told.get(timeout=300)
            words[verdict.instance["order"]] = verdict.verdict
    while not told.empty():
        verdict = told.get()
        words[verdict.instance["order"]] = verdict.verdict
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

        def handling(self, carried: Carried, /, **values: str) -> None:
            pass

    wanted, words = played(folder, Deaf)
    assert words != wanted


def test_another_property_is_certain_of_what_begins_when_all_know_of_it(folder):
    """Of an order that was under way at the opening it says that it cannot know, since no history
    is taken over, and so of the first one after it: who orders has heard of nobody. That is what
    the trial of a rollout counts and expects (`cluster.trial.rollouts`)."""
    prepare(ROOT / "cluster/property.yaml", folder)
    told: queue.SimpleQueue[LiveVerdict] = queue.SimpleQueue()
    said: dict[str, Words] = {}

    def until_said(order: str) -> dict[str, str]:
        """By property what was said last of the order, when something was."""
        while not any(order in words for words in said.values()):
            verdict = told.get(timeout=300)
            words = said.setdefault(verdict.property, {})
            words[verdict.instance["order"]] = verdict.verdict
        return {title: words[order] for title, words in said.items() if order in words}

    def is_drained(agent: Agent) -> bool:
        driver = agent.node.driver
        return driver.state.is_drained(1, driver.sidecar.hosts[1].monitor.own)

    def services_are_back(agent: Agent) -> bool:
        assert agent.node.service is not None
        return not agent.node.service.uninformed()

    with agents(folder, told.put) as running, monitored_saga(folder, lambda m: m) as services:
        play(services, CASES["delivered"])
        play(services, HALVES["goods-on-their-way"])
        open_next(ROOT / "cluster/property-2.yaml", folder)
        running.reload()
        before = {process: services.state(process) for process in HANDLERS}
        close_old(folder)
        running.reload()
        (order,) = play(services, HALVES["goods-arrive"])["parcels"]
        assert until_said(order) == {"payment saga, second version": "possibly-violated"}
        running.until(is_drained)
        leave_out(folder)
        running.reload()
        running.until(services_are_back)
        (order,) = play(services, CASES["delivered"])["parcels"]
        assert until_said(order) == {"payment saga, second version": "possibly-violated"}
        wanted: Words = {}
        for case in CASES.values():
            for order in play(services, case)["parcels"]:
                if case.word is not None:
                    wanted[order] = case.word
        for order, word in wanted.items():
            assert until_said(order) == {"payment saga, second version": word}
        assert told.empty()
        table = load_table(folder / "orders" / "orders-2.json")
        for place, process in enumerate(table.processes):
            counted = count(str(folder / f"{process}-socket" / "agent.sock"), place)
            events = [
                acknowledged(counted["labels"], state)
                for state in (before[process], services.state(process))
            ]
            assert counted["events"] == events[1] - events[0] + 1, process
