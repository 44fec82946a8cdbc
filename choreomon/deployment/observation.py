"""Observation of a monitor from within its process: its verdicts, its costs, and when it has
nothing left to find out.

The figures are those that docs/simulation.md defines. Times are those of the monotonic clock, which
all processes of a machine share.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Final

from choreomon.core.live import LiveVerdict
from choreomon.deployment.instructions import Cost, Said, Settled, Told
from choreomon.deployment.links import MICROSECONDS
from choreomon.runtime.agent import Agent
from choreomon.runtime.hosted import SidecarState, Stepped
from choreomon.runtime.inputs import (
    Expired,
    FromPeer,
    GivenUp,
    Happened,
    Input,
    Report,
    WentOn,
)
from choreomon.runtime.node import Observer
from choreomon.runtime.outputs import Decided, LeftUnsettled, Observed, Ticked
from choreomon.runtime.sidecar import Sidecar

_STEPS: Final = (Report, Happened, FromPeer, Expired, GivenUp, WentOn)
"""The inputs that are steps of a monitor."""


class MonitorObserver:
    """Observer of the agent of one property. `tell` sends to the orchestrator. Attach it before
    anything happens; the agent's sink gives verdicts to `said`."""

    def __init__(self, tell: Callable[[Told], None]) -> None:
        self._tell = tell
        self._records: Counter[int] = Counter()
        self._messages = 0
        self._bytes = 0
        self._since: dict[int, int] = {}
        self._latencies: list[int] = []
        self._given: dict[str, float] = {}
        self._unsettled: list[tuple[str, int]] = []
        self._changed = asyncio.Event()

    def attach(self, agent: Agent) -> None:
        """Observe this agent from now on."""
        self._agent = agent
        node = agent.node
        (host,) = node.driver.sidecar.hosts
        self._finals = {
            label
            for label, inspected in host.monitor.table.inspections.items()
            if any(each.final for each in inspected)
        }
        self._own = host.monitor.own
        self._process = host.monitor.process
        self._beside: Observer = node.observer
        node.observer = self
        node.driver.sidecar = _Measured.of(node.driver.sidecar, self._records, self._changed.set)

    # Verdicts.

    def said(self, verdict: LiveVerdict) -> None:
        """Note a verdict that the sink was given."""
        self._tell(Said(self._given.pop(verdict.id), verdict))

    async def settled(self) -> None:
        """Wait until nothing is under inspection and every event has its last verdict, and tell so.
        It stays so while no event happens: questions of others open nothing."""
        while not self._is_settled():
            self._changed.clear()
            await self._changed.wait()
        self._tell(Settled(time.monotonic()))

    def _is_settled(self) -> bool:
        driver = self._agent.node.driver
        return not any(
            host.undecided(state) or host.inspected(state)
            for host, state in zip(driver.sidecar.hosts, driver.state.hosts, strict=True)
        )

    def cost(self) -> Cost:
        """The costs so far."""
        return Cost(
            self._messages,
            self._bytes,
            tuple(self._latencies),
            dict(self._records),
            tuple(self._unsettled),
        )

    # An observer of the node.

    def happened(self, output: Observed) -> None:
        self._beside.happened(output)
        if type(output) is Ticked:
            if output.label in self._finals:
                self._since[output.clock[self._own]] = output.at
        elif type(output) is Decided:
            now = time.monotonic()
            if output.declared is not None:
                self._given[output.declared.id] = now
            if not output.provisional:
                # If rules are judged one by one, the first of them is timed.
                since = self._since.pop(output.event_count, None)
                if since is not None:
                    self._latencies.append(max(0, round(now * MICROSECONDS) - since))
        elif type(output) is LeftUnsettled:
            self._unsettled.append((self._process, output.event_count))
        self._changed.set()

    def sent(self, kind: str, size: int) -> None:
        self._messages += 1
        self._bytes += size
        self._beside.sent(kind, size)

    def committed(self, seconds: float) -> None:
        self._beside.committed(seconds)

    def failing(self, why: str | None) -> None:
        self._beside.failing(why)


@dataclass(frozen=True)
class _Measured(Sidecar):
    """A sidecar that counts the records of its monitor after each step, and calls `changed`, since
    a step may settle something without an effect."""

    records: Counter[int] | None = None
    changed: Callable[[], None] | None = None

    @classmethod
    def of(cls, sidecar: Sidecar, records: Counter[int], changed: Callable[[], None]) -> _Measured:
        own = {each.name: getattr(sidecar, each.name) for each in fields(sidecar) if each.init}
        return cls(**own, records=records, changed=changed)

    def step(self, state: SidecarState, input_: Input) -> Stepped:
        stepped = super().step(state, input_)
        if isinstance(input_, _STEPS) and self.records is not None:
            for host in stepped[0].hosts:
                self.records[host.monitor.records] += 1
        if self.changed is not None:
            self.changed()
        return stepped
