"""`choreomon agent`, of which a benchmark alters something before it starts."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from choreomon.agent_files.agent_config import AgentConfig, load_tables
from choreomon.agent_files.agent_document import load_agent_config
from choreomon.agent_files.table_file import SplitTable
from choreomon.runtime.agent import Agent
from choreomon.runtime.event_loop import new_event_loop
from choreomon.runtime.operations.logs import Log, configure

Handlers: TypeAlias = Mapping[signal.Signals, Callable[[], None]]
"""What is done at which signal."""

Prepare: TypeAlias = Callable[[AgentConfig, Sequence[SplitTable], Log], tuple[Agent, Handlers]]
"""Makes the agent; called on its loop."""


def serve(file: str, prepare: Prepare) -> None:
    """Runs the agent of a configuration until SIGTERM."""

    async def run() -> None:
        config = load_agent_config(file)
        tables = load_tables(config)
        undo = configure(config.log)
        log = Log(process=config.process)
        agent, handlers = prepare(config, tables, log)
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number, handler in {signal.SIGTERM: stop.set, **handlers}.items():
            loop.add_signal_handler(number, handler)
        await agent.start()
        await stop.wait()
        await agent.stop()
        log.close()
        undo()

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(run())
