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
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.instrumented_agent import Handlers, serve
from choreomon.agent_files.agent_config import AgentConfig
from choreomon.agent_files.table_file import SplitTable
from choreomon.runtime.agent import Agent
from choreomon.runtime.operations.http import HttpServer
from choreomon.runtime.operations.logs import Log
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


def instrument(agent: Agent) -> None:
    node: Any = agent.node
    node._from_peer = timed("frame", node._from_peer)
    node.driver.flush = timed("turn", node.driver.flush)
    vars_of: Any = (Connection, HttpServer)
    for owner, name, what in (
        (vars_of[0], "data_received", "stream"),
        (vars_of[1], "_answer", "page"),
    ):
        setattr(owner, name, timed(what, getattr(owner, name)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", required=True)
    parser.add_argument("--times", required=True, type=Path)
    options = parser.parse_args()

    def write_times() -> None:
        options.times.write_text(json.dumps(longest))
        longest.clear()

    def prepare(
        config: AgentConfig, tables: Sequence[SplitTable], log: Log
    ) -> tuple[Agent, Handlers]:
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: log.failed(str(context["message"]), context.get("exception"))
        )
        agent = Agent(config, tables, log=log)
        instrument(agent)
        return agent, {signal.SIGUSR1: write_times}

    serve(options.config, prepare)


if __name__ == "__main__":
    main()
