"""The process of one actor of a run: it takes messages, performs their handlers by the one
interpreter of the actor language, and tells its monitor of every event before its messages leave,
as any service does (`choreomon.sdk`)."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias

import zmq

from choreomon.actors.application import Constant, Given
from choreomon.actors.compilation import CompiledApplication, Sending
from choreomon.actors.delays import Delay, sampler
from choreomon.actors.program import Program, perform, translated
from choreomon.actors.program import carried as values_of
from choreomon.actors.randomness import Streams
from choreomon.agent_files.agent_config import AgentConfig
from choreomon.agent_files.clocks.text import Carried
from choreomon.core.binding import Binding
from choreomon.core.message import ENVIRONMENT, HANDLE, SEND, EventKind, Label, Message
from choreomon.deployment.application_frames import (
    Delivered,
    Done,
    FromActor,
    Posted,
    Ready,
    Stop,
    decode_to_actor,
    encode,
)
from choreomon.deployment.event_records import TOLD, Noted, noted_line
from choreomon.deployment.instructions import Control, Listening, Settle
from choreomon.deployment.links import MICROSECONDS
from choreomon.deployment.observation import MonitorObserver
from choreomon.deployment.precise_loop import precise_loop
from choreomon.runtime.network.draining import DrainingReader
from choreomon.sdk import OFF, Process, connect
from choreomon.sdk.embedded import embed

BATCH: Final = 64

Posting: TypeAlias = tuple[str, str, Given]
"""A send: the receiver, the name of the message, and the values that it is to carry."""


@dataclass(frozen=True)
class SidecarMonitor:
    """A monitor in an agent, with the agent's socket."""

    socket: Path


@dataclass(frozen=True)
class EmbeddedMonitor:
    """A monitor within the actor. `trace`: where the events that tick are written."""

    config: AgentConfig
    trace: Path


@dataclass(frozen=True)
class ActorRole:
    """The role of an actor. `endpoint` is that of the application's network, `route` the actor's
    own routing id there. `told`: the events of which its monitor is told. `monitor` is `None` if
    nothing is monitored. `noted`: where all events are written. `speed`: seconds of the document
    per real second."""

    process: str
    application: CompiledApplication
    endpoint: str
    route: bytes
    service: Delay
    seed: int
    speed: float
    told: frozenset[Label]
    monitor: SidecarMonitor | EmbeddedMonitor | None
    noted: Path

    def new_loop(self) -> asyncio.AbstractEventLoop:
        """See `choreomon.deployment.instructions.Role`."""
        return precise_loop()

    async def play(self, control: Control) -> None:
        """See `choreomon.deployment.instructions.Role`."""
        watch = MonitorObserver(control.tell) if isinstance(self.monitor, EmbeddedMonitor) else None
        async with AsyncExitStack() as opened:
            process = await self._monitored(watch, control, opened)
            opened.push_async_callback(process.close)
            noted = opened.enter_context(self.noted.open("xb"))
            context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
            opened.callback(context.term)
            mailbox = Mailbox(context, self.endpoint, self.route)
            opened.callback(mailbox.close)
            mailbox.send(Ready())
            acting = asyncio.ensure_future(Actor(self, process, mailbox, noted).act())
            opened.callback(acting.cancel)
            ending = asyncio.ensure_future(self._end(watch, control))
            opened.callback(ending.cancel)
            await asyncio.wait((acting, ending), return_when=asyncio.FIRST_COMPLETED)
            if acting.done():
                acting.result()  # it ends only by an error
            ending.result()
        if watch is not None:
            control.tell(watch.cost())

    async def _monitored(
        self, watch: MonitorObserver | None, control: Control, opened: AsyncExitStack
    ) -> Process:
        monitor = self.monitor
        if monitor is None:
            return OFF
        if isinstance(monitor, SidecarMonitor):
            return await connect(monitor.socket, policy="block", deadline=None)
        assert watch is not None
        trace = opened.enter_context(monitor.trace.open("x", encoding="ascii"))
        process = await embed(monitor.config, on_verdict=watch.said, trace=trace)
        watch.attach(process.agent)
        control.tell(Listening({self.process: process.agent.node.endpoint}))
        return process

    async def _end(self, watch: MonitorObserver | None, control: Control) -> None:
        if isinstance(await control.instruction(), Settle):
            assert watch is not None
            await watch.settled()
            await control.instruction()  # `End`


class Mailbox:
    """The actor's connection with the network: messages that arrive wait here for their turn."""

    def __init__(
        self, context: zmq.Context[zmq.Socket[bytes]], endpoint: str, route: bytes
    ) -> None:
        self._waiting: deque[Delivered] = deque()
        self._arrived = asyncio.Event()
        self._socket = context.socket(zmq.DEALER, socket_class=zmq.Socket)
        for option in (zmq.SNDHWM, zmq.RCVHWM, zmq.LINGER):
            self._socket.setsockopt(option, 0)
        self._socket.setsockopt(zmq.ROUTING_ID, route)
        self._socket.connect(endpoint)
        loop = asyncio.get_running_loop()
        self._reader = DrainingReader(loop, self._socket, self._take, batch=BATCH)

    def _take(self) -> bool:
        message = decode_to_actor(self._socket.recv(zmq.NOBLOCK))
        if isinstance(message, Stop):
            if self._waiting:
                self.send(Done(len(self._waiting), dropped=True))
                self._waiting.clear()
        else:
            self._waiting.append(message)
            self._arrived.set()
        return False

    async def next(self) -> Delivered:
        """The message that has waited longest."""
        while not self._waiting:
            self._arrived.clear()
            await self._arrived.wait()
        return self._waiting.popleft()

    def send(self, message: FromActor) -> None:
        """Send a message to the network."""
        self._socket.send(encode(message), zmq.NOBLOCK)
        self._reader.look()

    def close(self) -> None:
        """Close the connection with the network."""
        self._reader.close()
        self._socket.close()


class Actor:
    """Performs handlers, one message at a time."""

    def __init__(
        self, role: ActorRole, process: Process, mailbox: Mailbox, noted: BinaryIO
    ) -> None:
        application, name = role.application, role.process
        self._name = name
        self._process = process
        self._mailbox = mailbox
        self._noted = noted
        self._roles = application.replicas.roles
        self._told = role.told
        self._variables: list[Constant] = [
            *application.variables[application.processes.index(name)]
        ]
        self._programs: Mapping[str, Program[Posting]] = {
            message: translated(application.programs[number], _posting)
            for (owner, message), number in application.handlers.items()
            if owner == name
        }
        stream = Streams(role.seed).stream("service", name)
        self._service = sampler(role.service, stream)
        self._scale = role.speed * MICROSECONDS
        self._sent = 0

    async def act(self) -> None:
        """Handle messages for ever."""
        while True:
            delivered = await self._mailbox.next()
            begun = time.monotonic()
            await self._handle(delivered)
            busy = self._service() / self._scale
            if busy:
                await asyncio.sleep(begun + busy - time.monotonic())
            self._mailbox.send(Done(1))

    async def _handle(self, delivered: Delivered) -> None:
        process, name, handled = self._process, delivered.name, delivered.values
        clock = ""
        if delivered.sender == ENVIRONMENT:
            await process.handling_from_outside(name, **dict(handled))
        else:
            carried = process.extract(delivered.headers)
            if carried is not None:
                clock = carried.clock
                await process.handling(carried, **dict(handled))
        message = Message(delivered.sender, name, self._name)
        self._note(HANDLE, message, delivered.number, clock, handled)
        for to, sent, given in perform(self._programs[name], self._variables):
            await self._send(to, sent, values_of(given, handled) if given else ())

    async def _send(self, to: str, name: str, values: Binding) -> None:
        carried = await self._process.sending(to, name, **dict(values))
        self._sent += 1
        self._note(SEND, Message(self._name, name, to), self._sent, carried.clock, values)
        headers = self._headers(carried)
        self._mailbox.send(Posted(to, name, self._sent, headers, time.monotonic(), values))

    def _headers(self, carried: Carried) -> dict[str, str]:
        headers: dict[str, str] = {}
        self._process.inject(headers, carried)
        return headers

    def _note(
        self, kind: EventKind, message: Message, number: int, clock: str, values: Binding
    ) -> None:
        told = self._roles.label(Label(kind, message)) in self._told
        at = TOLD if told else int(time.monotonic() * MICROSECONDS)
        self._noted.write(noted_line(Noted(kind, *message, number, at, clock, values)))


def _posting(sending: Sending) -> Posting:
    message = sending.label.message
    return message.receiver, message.name, sending.given
