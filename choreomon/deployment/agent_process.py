"""The process of an agent: that of `choreomon agent`, beside one process of a run."""

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
    """The role of an agent. `trace`: where the events that tick are written, a line each."""

    config: AgentConfig
    trace: Path

    def new_loop(self) -> AbstractEventLoop:
        """The loop that `choreomon agent` runs on."""
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
