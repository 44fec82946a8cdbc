"""The agent that is attacked: `choreomon agent`, but that it times what it takes.

At SIGUSR1 it writes to `--times` the longest that it took since the last time, in seconds of its
own thread's processor time, since others use the machine, too:

    frame       one frame of another agent, read and stepped
    turn        a commit and all that it lets out
    stream      what came at once from a service
    page        one page
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from choreomon.formats.agent_config import load_agent_config, load_tables
from choreomon.runtime.agent import Agent
from choreomon.runtime.event_loop import new_event_loop
from choreomon.runtime.http import HttpServer
from choreomon.runtime.logs import Log, configure
from choreomon.runtime.service import Connection

longest: dict[str, float] = {}


def timed(what: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, whose longest call is noted."""

    def call(*arguments: Any) -> Any:
        began = time.thread_time()
        try:
            return function(*arguments)
        finally:
            longest[what] = max(longest.get(what, 0.0), time.thread_time() - began)

    return call


async def run(file: str, times: Path) -> None:
    config = load_agent_config(file)
    tables = load_tables(config)
    loop = asyncio.get_running_loop()
    undo = configure(config.log)
    log = Log(process=config.process)
    loop.set_exception_handler(
        lambda _, context: log.failed(str(context["message"]), context.get("exception"))
    )
    agent = Agent(config, tables, log=log)
    node: Any = agent.node
    node._from_peer = timed("frame", node._from_peer)
    node.driver.flush = timed("turn", node.driver.flush)
    vars_of: Any = (Connection, HttpServer)
    for owner, name, what in (
        (vars_of[0], "data_received", "stream"),
        (vars_of[1], "_answer", "page"),
    ):
        setattr(owner, name, timed(what, getattr(owner, name)))

    def tell() -> None:
        times.write_text(json.dumps(longest))
        longest.clear()

    stop = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    loop.add_signal_handler(signal.SIGUSR1, tell)
    await agent.start()
    await stop.wait()
    await agent.stop()
    log.close()
    undo()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", required=True)
    parser.add_argument("--times", required=True, type=Path)
    given = parser.parse_args()
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(run(given.config, given.times))


if __name__ == "__main__":
    main()
