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
import asyncio
import signal
import time
from dataclasses import replace
from random import Random

from choreomon.formats.agent_config import load_agent_config, load_tables
from choreomon.runtime.agent import Agent
from choreomon.runtime.event_loop import new_event_loop
from choreomon.runtime.logs import Log, configure

DAY = 86_400.0
UNBOUNDED = 1 << 30


async def run(file: str, trace: str, absent: float) -> None:
    config = load_agent_config(file)
    tables = load_tables(config)
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    random = Random()
    offset = 0.0

    def jump() -> None:
        nonlocal offset
        offset += random.choice((-DAY, DAY, -1.0, 1.0, 3 * DAY)) * random.random()

    undo = configure(config.log)
    log = Log(process=config.process)
    with open(trace, "a", encoding="ascii", buffering=1) as sink:
        agent = Agent(config, tables, log=log, trace=sink, wall=lambda: time.time() + offset)
        driver = agent.node.driver
        driver._patience = replace(driver._patience, absent=absent)
        store = agent.node._store
        assert store is not None
        database = store._database

        def full() -> None:
            (pages,) = database.execute("PRAGMA page_count").fetchone()
            database.execute(f"PRAGMA max_page_count={pages}")

        def room() -> None:
            database.execute(f"PRAGMA max_page_count={UNBOUNDED}")

        for number, what in (
            (signal.SIGTERM, stop.set),
            (signal.SIGUSR1, full),
            (signal.SIGUSR2, room),
            (signal.SIGHUP, jump),
        ):
            loop.add_signal_handler(number, what)
        await agent.start()
        await stop.wait()
        await agent.stop()
    log.close()
    undo()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", required=True)
    parser.add_argument("--trace", required=True)
    parser.add_argument("--absent", type=float, default=60.0)
    given = parser.parse_args()
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(run(given.config, given.trace, given.absent))


if __name__ == "__main__":
    main()
