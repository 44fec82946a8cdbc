"""An agent of a schedule that is to be disturbed from within: `python -m benchmarks.faults.agent`.

It is `choreomon agent` in all but what it lets a schedule do to it:

    SIGUSR1     the disk is full: its file may not grow any more (`PRAGMA max_page_count`)
    SIGUSR2     there is room again
    SIGHUP      the wall clock jumps, a day forth or back at random

and it counts services that are gone as dead after `--absent` seconds. Other schedules start
`choreomon agent` itself.
"""

from __future__ import annotations

import argparse
import signal
import time
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import TextIO

from benchmarks.instrumented_agent import Handlers, serve
from choreomon.agent_files.agent_config import AgentConfig
from choreomon.agent_files.table_file import SplitTable
from choreomon.runtime.agent import Agent
from choreomon.runtime.operations.logs import Log

DAY = 86_400.0
UNBOUNDED = 1 << 30


class Disturbed:
    """An agent that writes its trace to `trace`, with what disturbs it from within."""

    def __init__(self, trace: TextIO, absent: float) -> None:
        self._trace, self._absent = trace, absent
        self._random = Random()
        self._offset = 0.0

    def prepare(
        self, config: AgentConfig, tables: Sequence[SplitTable], log: Log
    ) -> tuple[Agent, Handlers]:
        agent = Agent(config, tables, log=log, trace=self._trace, wall=self._wall)
        driver = agent.node.driver
        driver._timeouts = replace(driver._timeouts, absent=self._absent)
        store = agent.node._store
        assert store is not None
        database = store._database

        def full() -> None:
            (pages,) = database.execute("PRAGMA page_count").fetchone()
            database.execute(f"PRAGMA max_page_count={pages}")

        def room() -> None:
            database.execute(f"PRAGMA max_page_count={UNBOUNDED}")

        return agent, {signal.SIGUSR1: full, signal.SIGUSR2: room, signal.SIGHUP: self._jump}

    def _wall(self) -> float:
        return time.time() + self._offset

    def _jump(self) -> None:
        factor = self._random.choice((-DAY, DAY, -1.0, 1.0, 3 * DAY))
        self._offset += factor * self._random.random()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", required=True)
    parser.add_argument("--trace", required=True)
    parser.add_argument("--absent", type=float, default=60.0)
    options = parser.parse_args()
    with open(options.trace, "a", encoding="ascii", buffering=1) as trace:
        serve(options.config, Disturbed(trace, options.absent).prepare)


if __name__ == "__main__":
    main()
