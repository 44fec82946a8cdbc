"""An agent from its start to its end, and the signals that it hears in between."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Sequence

from choreomon.agent_files.agent_config import AgentConfig, refuse
from choreomon.agent_files.table_file import SplitTable
from choreomon.core.errors import Defect
from choreomon.runtime.adopting import Adopting
from choreomon.runtime.agent import Agent, LineSink
from choreomon.runtime.front import Front
from choreomon.runtime.operations.logs import Log, configure


async def run_agent(
    config: AgentConfig,
    tables: Sequence[SplitTable],
    *,
    trace: LineSink | None = None,
    ready: Callable[[Agent], None] | None = None,
    hung_up: Callable[[], bool] = lambda: False,
    front: Callable[[Agent], Front] | None = None,
) -> None:
    """Run one agent until SIGTERM or SIGINT; at SIGHUP it reads its configuration anew. `hung_up`:
    whether there was one before. `front`: makes that of the agent. Raises as `Agent`
    does, and `DocumentError` when its slot is somebody else's."""
    undo = configure(config.log)
    log = Log(process=config.process)
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(
        lambda _, context: log.failed(str(context["message"]), context.get("exception"))
    )
    asked_to_stop, asked_to_reload = asyncio.Event(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, asked_to_stop.set)
    loop.add_signal_handler(signal.SIGHUP, asked_to_reload.set)
    try:
        agent = Agent(config, tables, log=log, trace=trace)
        if front is not None:
            agent.front = front(agent)
        await agent.start()
        if asked_to_reload.is_set() or hung_up():
            agent.reload()
        loop.add_signal_handler(signal.SIGHUP, agent.reload)
        if ready is not None:
            ready(agent)
        vacant = None
        if agent.others is not None:
            vacant = loop.create_task(Adopting(agent, agent.others).run())
        over = agent.node.over
        waits = [loop.create_task(event.wait()) for event in (asked_to_stop, over)]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for each in waits:
            each.cancel()
        if vacant is not None:
            vacant.cancel()
            await asyncio.wait([vacant])
        await agent.stop()
        if over.is_set():
            refuse(config, [Defect(("store",), f"{agent.node.failing_why}")])
    finally:
        log.close()
        undo()
