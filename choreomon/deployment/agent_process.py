"""The agent of one process of a run, in a process of its own: that of `choreomon agent`."""

from __future__ import annotations

from asyncio import AbstractEventLoop
from dataclasses import dataclass
from pathlib import Path

from choreomon.agent_files.agent_config import AgentConfig, load_tables
from choreomon.deployment.instructions import Control, Listening, Settle
from choreomon.deployment.observation import MonitorObserver
from choreomon.runtime.agent import Agent
from choreomon.runtime.delivery.webhook import Callback
from choreomon.runtime.event_loop import new_event_loop
from choreomon.runtime.operations.logs import Log


@dataclass(frozen=True)
class AgentRole:
    """`trace`: where the events that tick are written, a line each."""

    config: AgentConfig
    trace: Path

    def new_loop(self) -> AbstractEventLoop:
        """As `choreomon agent` has it."""
        return new_event_loop()

    async def play(self, control: Control) -> None:
        """See `choreomon.deployment.instructions.Role`."""
        process = self.config.process
        watch = MonitorObserver(control.tell)
        with self.trace.open("x", encoding="ascii") as trace:
            agent = Agent(
                self.config,
                load_tables(self.config),
                log=Log(process=process),
                trace=trace,
                sinks=[Callback(watch.said)],
            )
            watch.attach(agent)
            await agent.start()
            control.tell(Listening({process: agent.node.endpoint}))
            assert isinstance(await control.instruction(), Settle)
            await watch.settled()
            await control.instruction()  # `End`
            await agent.stop()
        control.tell(watch.cost())
