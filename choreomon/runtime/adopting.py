"""The slots of a role that nobody has: an agent of the role answers for them, too.

Each has an agent of its own, in the same process: with the store of the slot, its promises, a lease
by which it is vacant, and a port. So all that holds of agents holds of it; it only has no service.
The agent of a service that starts may take such a slot, and does not ask: it is fenced then. What
nobody has is found by looking from time to time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from choreomon.agent_files.agent_config import load_tables
from choreomon.agent_files.role_config import vacant_at
from choreomon.core.errors import DocumentError
from choreomon.runtime.agent import Agent
from choreomon.runtime.network.addresses import UnusableAddress
from choreomon.runtime.network.security import UnusableKeys
from choreomon.runtime.operations.logs import Log
from choreomon.runtime.outputs import Reply
from choreomon.runtime.ports import CommitFailed
from choreomon.runtime.stores.agent_store import OtherSlots


class Nobody:
    """The side of a service that is not there (`choreomon.runtime.node.Service`)."""

    def reply(self, output: Reply) -> None:
        """Do nothing, as for all that follows: nobody is connected."""

    def written(self) -> None: ...

    def close_connection(self, connection: int) -> None: ...

    def pause(self) -> None: ...

    def resume(self) -> None: ...

    def greet_again(self) -> None: ...

    def uninformed(self) -> Sequence[str]:
        """The sessions that do not know something: none."""
        return ()


class Adopting:
    """The agents of vacant slots beside that of a service, by slot."""

    def __init__(self, agent: Agent, others: OtherSlots) -> None:
        self.agents: dict[str, Agent] = {}
        self._agent = agent
        self._others = others
        self._config = agent.config

    async def run(self) -> None:
        """Look from time to time until it is cancelled, and give back then what there is."""
        starts = True
        try:
            while True:
                await asyncio.sleep(self._others.pause)
                try:
                    await self.look(starts=starts)
                    starts = False
                except Exception as error:
                    self._agent.log.failed("looking for vacant slots failed", error)
        finally:
            await self._end([*self.agents])

    async def look(self, *, starts: bool = False) -> None:
        """Answer for the slots that nobody has, and no more for those that were taken. Where the
        configuration was read anew they are taken anew. `starts`: for the first time."""
        gone = [slot for slot, agent in self.agents.items() if agent.node.over.is_set()]
        if self._config is not self._agent.config:
            self._config, gone = self._agent.config, [*self.agents]
        await self._end(gone)
        try:
            held = [self._config.process, *self.agents]
            for slot in self._others.vacant(held, starts=starts):
                await self._adopt(slot)
        except CommitFailed:
            return  # commits fail, too, and say so
        except (DocumentError, UnusableAddress, UnusableKeys) as error:
            self._agent.log.seldom("vacant", "a vacant slot stays so", why=str(error))

    async def _adopt(self, slot: str) -> None:
        config = vacant_at(self._config, slot)
        tables = load_tables(config)
        store = self._others.adopt(slot, [table.system_id for table in tables])
        if store is None:
            return
        try:
            agent = Agent(config, tables, log=Log(process=slot), service=Nobody(), store=store)
        except BaseException:
            store.abandon()
            raise
        await agent.start()
        self.agents[slot] = agent
        self._agent.log.info("it answers for a slot that nobody has", slot=slot)

    async def _end(self, slots: Iterable[str]) -> None:
        for slot in slots:
            await self.agents.pop(slot).stop()
            self._agent.log.info("it does not answer for this slot any more", slot=slot)
