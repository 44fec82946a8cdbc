"""A service that holds its monitor itself, in its own event loop, instead of an agent beside it.

    process = await choreomon.sdk.embedded.embed("agent.yaml")

The same code decides, journals and asks other agents as in an agent of its own, with the same
guarantees; it is as dead as the service when the service dies, and goes on where it was when the
service comes back. An event costs no round trip. What the loop does for so long that nothing else
has a turn delays the answers to other agents.

The configuration is that of an agent, whose field `local` is not used. `http` serves the pages of
an agent from the service's loop.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import Final

from choreomon.agent_files.agent_config import (
    AgentConfig,
    config_defects,
    load_tables,
    refuse,
)
from choreomon.agent_files.agent_document import load_agent_config
from choreomon.agent_files.clocks.text import (
    Carried,
    ClockText,
    decode_clocks_untrusted,
    encode_clocks,
)
from choreomon.agent_files.values import (
    NO_VALUES,
    TRACE,
    TRACEPARENT,
    Given,
    Value,
    checked_values,
    trace_id,
)
from choreomon.core.errors import Defect, MalformedMessage
from choreomon.core.live import LiveVerdict
from choreomon.core.message import ENVIRONMENT, HANDLE, SEND, EventKind
from choreomon.core.vector_clock import VectorClock, is_far_beyond, merge
from choreomon.runtime.agent import Agent, LineSink
from choreomon.runtime.delivery.configured_sinks import make_sinks
from choreomon.runtime.delivery.webhook import Callback
from choreomon.runtime.inputs import Happened, HappenedWithValues
from choreomon.runtime.operations.logs import Log
from choreomon.runtime.outputs import Dropped, Reply
from choreomon.sdk.carriers import Carrying
from choreomon.sdk.complaints import checked_name, closed
from choreomon.sdk.mentioned import Mentioned, mentioned

MICROSECONDS: Final = 1_000_000


async def embed(
    config: AgentConfig | str | os.PathLike[str],
    *,
    on_verdict: Callable[[LiveVerdict], Awaitable[None] | None] | None = None,
    trace: LineSink | None = None,
) -> EmbeddedProcess:
    """The process that the configuration, or its file, names, monitored from here on.

    Args:
        config: as for `choreomon agent`.
        on_verdict: is given each verdict, beside the sinks of the configuration; at least once.
        trace: see `choreomon.runtime.agent.Agent`.

    Raises `DocumentError`, `UnusableAddress` and `UnusableKeys`.
    """
    if not isinstance(config, AgentConfig):
        config = load_agent_config(config)
    elif not config.file:
        local = {"local"}  # not used here, so it need not be right
        refuse(config, [each for each in config_defects(config) if each.path[0] not in local])
    if config.proxies is not None:
        told = "needs an agent of its own, and this monitor is held by its service: take it out"
        refuse(config, [Defect(("proxies",), told)])
    process = EmbeddedProcess()
    sinks = make_sinks(config)
    if on_verdict is not None:
        sinks.append(Callback(on_verdict))
    process.agent = Agent(
        config,
        load_tables(config),
        log=Log(process=config.process),
        service=process,
        sinks=sinks,
        trace=trace,
    )
    await process.begin()
    return process


class EmbeddedProcess(Carrying):
    """See `choreomon.sdk.process.Process`. Also the service's side of its sidecar
    (`choreomon.runtime.node.Service`). To be used on the loop on which it was made."""

    on: Final = True
    agent: Agent

    def __init__(self) -> None:
        super().__init__()
        self.name = ""
        self.refused_clocks = 0
        """Clocks that came with messages and were not understood."""
        self._mentioned: Mentioned = {}
        self._keys: tuple[bytes, ...] = ()
        self._heard: list[VectorClock] = []
        self._text = ""
        self._text_of: object = None
        self._paused = False
        self._closed = False
        self._waiting: list[asyncio.Future[None]] = []

    async def begin(self) -> None:
        """Recover, and listen to other agents."""
        agent = self.agent
        await agent.start()
        sidecar = agent.node.driver.sidecar  # what is in the store may have been another one
        self.name = sidecar.named
        self._mentioned = mentioned(sidecar.values.written(self.name))
        self._keys = sidecar.keys
        self._heard = [()] * len(self._keys)

    # What the service says.

    async def sending(self, to: str, name: str, /, **values: Value) -> Carried:
        """See `Process.sending`; it raises `ProcessClosed` and `ValueError` only, and waits while
        the disk takes nothing."""
        await self._happens(SEND, to, name, values)
        return Carried(self.name, checked_name(name), self._clocks())

    async def handling(self, carried: Carried, /, **values: Value) -> None:
        """See `Process.handling`."""
        await self._happens(HANDLE, carried.sender, carried.name, values, carried.clock)

    async def handling_from_outside(self, name: str, /, **values: Value) -> None:
        """See `Process.handling_from_outside`."""
        await self._happens(HANDLE, ENVIRONMENT, name, values)

    async def close(self, deadline: float | None = 5.0) -> None:
        """Send what was taken, and stop. Later questions of other agents get no answer."""
        if not self._closed:
            self._closed = True
            self.written()
            await self.agent.stop()

    async def _happens(
        self, kind: EventKind, peer: str, name: str, values: Given, heard: ClockText = ""
    ) -> None:
        carried = self._mentioned.get((kind, peer, name))
        checked = checked_values(values, carried, f"{kind} {name}") if carried else NO_VALUES
        if carried is not None and TRACEPARENT in values:
            if trace := trace_id(values):
                checked = {**checked, TRACE: trace}
            else:
                wrong = f"{kind} {name} has a traceparent that is none"
                self.agent.happened(Dropped("trace", "service", wrong))
        if heard:
            self._hear(heard)
        if carried is None:
            if self._closed:
                raise closed()
            return
        while self._paused and not self._closed:
            await self._next_commit()
        if self._closed:
            raise closed()
        node = self.agent.node
        at = int(node.now() * MICROSECONDS)
        if checked:
            told = HappenedWithValues(kind, peer, name, self._heard, at, {**checked})
            node.driver.take(told)
        else:
            node.driver.take(Happened(kind, peer, name, self._heard, at))
        self._heard = [()] * len(self._keys)
        node.flush()
        while self._paused and not self._closed:  # the message must not leave before the commit
            await self._next_commit()

    async def _next_commit(self) -> None:
        waiting = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        await waiting

    def _hear(self, text: str) -> None:
        try:
            clocks = decode_clocks_untrusted(text)
        except MalformedMessage:
            self.refused_clocks += 1
            return
        hosts = self.agent.node.driver.committed.hosts
        for place, key in enumerate(self._keys):
            clock = clocks.get(key)
            if clock is not None:
                known = self._heard[place]
                present = hosts[place].clock
                if len(clock) != len(present) or is_far_beyond(clock, present):
                    self.refused_clocks += 1
                    continue
                self._heard = [*self._heard]
                self._heard[place] = merge(known, clock) if known else clock
                self._text_of = None

    def _clocks(self) -> str:
        """The text of all that is known and committed."""
        hosts = self.agent.node.driver.committed.hosts
        if self._text_of is not hosts:
            self._text = encode_clocks(
                {
                    key: merge(host.clock, heard) if heard else host.clock
                    for key, host, heard in zip(self._keys, hosts, self._heard, strict=True)
                },
                short=self.agent.node.driver.sidecar.short_clocks,
            )
            self._text_of = hosts
        return self._text

    # The service's side of the sidecar.

    def reply(self, output: Reply) -> None:
        """Ignore the reply: there are no sessions, so nothing is answered in messages."""

    def written(self) -> None:
        """A turn of the sidecar is over."""
        if self._waiting and (self._closed or not self._paused):
            waiting, self._waiting = self._waiting, []
            for each in waiting:
                if not each.done():
                    each.set_result(None)

    def close_connection(self, connection: int) -> None:
        """Ignore it: there are no connections."""

    def greet_again(self) -> None:
        """Look up again which events to report, once it has started."""

    def uninformed(self) -> list[str]:
        """Empty, since there are no sessions."""
        return []

    def pause(self) -> None:
        """Take no messages: the disk takes nothing."""
        self._paused = True

    def resume(self) -> None:
        """Take messages again."""
        self._paused = False
