"""The process of the networks: those of the application and of the monitors, and the
environment."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import assert_never

import zmq

from choreomon.actors.balancing import Replicas
from choreomon.actors.delays import LinkDelays
from choreomon.actors.randomness import Streams
from choreomon.agent_files.key_files import KeyPair
from choreomon.deployment.application_network import ApplicationNetwork, Start
from choreomon.deployment.instructions import (
    AllReady,
    Begin,
    Begun,
    Connect,
    Control,
    End,
    HowFar,
    Listening,
    Quiet,
    Settle,
    Unfinished,
)
from choreomon.deployment.links import Links
from choreomon.deployment.monitoring_network import MonitoringNetwork
from choreomon.deployment.precise_loop import precise_loop


@dataclass(frozen=True)
class NetworkRole:
    """The role of the networks. `routes` are the routing ids of the actors, which connect at
    `endpoint`. `keys` and `asks` are those of the monitors, empty if nothing is monitored. `speed`:
    seconds of the document per real second."""

    endpoint: str
    routes: Mapping[str, bytes]
    replicas: Replicas
    starts: Sequence[Start]
    delays: LinkDelays
    seed: int
    speed: float
    max_events: int
    in_order: bool
    keys: Mapping[str, KeyPair]
    asks: Mapping[str, Sequence[str]]

    def new_loop(self) -> asyncio.AbstractEventLoop:
        """See `choreomon.deployment.instructions.Role`."""
        return precise_loop()

    async def play(self, control: Control) -> None:
        """See `choreomon.deployment.instructions.Role`."""
        loop = asyncio.get_running_loop()
        with ExitStack() as opened:
            context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
            opened.callback(context.term)
            application = ApplicationNetwork(
                context=context,
                loop=loop,
                endpoint=self.endpoint,
                routes=self.routes,
                chosen=self.replicas.chooser(Streams(self.seed)),
                links=self._links("application", in_order=True),
                max_events=self.max_events,
                on_ready=lambda: control.tell(AllReady()),
                on_quiet=lambda: control.tell(
                    Quiet(time.monotonic(), application.reached_max_events)
                ),
            )
            opened.callback(application.close)
            monitoring = MonitoringNetwork(
                context=context,
                loop=loop,
                keys=self.keys,
                asks=self.asks,
                links=self._links("monitoring", in_order=self.in_order),
            )
            opened.callback(monitoring.close)
            control.tell(Listening(monitoring.listen()))
            await self._serve(control, application, monitoring)

    async def _serve(
        self, control: Control, application: ApplicationNetwork, monitoring: MonitoringNetwork
    ) -> None:
        while not isinstance(instruction := await control.instruction(), End):
            match instruction:
                case Connect(endpoints):
                    monitoring.connect(endpoints)
                case Begin():
                    now = time.monotonic()
                    control.tell(Begun(now))
                    application.begin(now, self.starts, self.speed)
                case HowFar():
                    control.tell(
                        Unfinished(application.events, application.under_way, application.busy())
                    )
                case Settle():
                    raise AssertionError(instruction)
                case _:
                    assert_never(instruction)

    def _links(self, name: str, *, in_order: bool) -> Links:
        return Links(
            self.delays, Streams(self.seed), name=name, speed=self.speed, in_order=in_order
        )
