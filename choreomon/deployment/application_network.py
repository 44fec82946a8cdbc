"""Messages between actors, with the document's delays on the way: one ROUTER, to which every actor
connects. It balances messages to roles, it is the environment too, and it knows when the
application has come to its end. The end
is counted, never guessed. An actor says that a message is handled after it posted all that the
handler sent, on the same connection; so when nothing is under way here and everything delivered was
handled, nothing will ever happen again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Final, assert_never

import zmq

from choreomon.core.binding import Binding
from choreomon.core.message import ENVIRONMENT
from choreomon.deployment.application_frames import (
    Delivered,
    Done,
    Posted,
    Ready,
    Stop,
    ToActor,
    decode_from_actor,
    encode,
)
from choreomon.deployment.delay_queue import DelayQueue
from choreomon.deployment.links import MICROSECONDS, Links
from choreomon.runtime.network.draining import DrainingReader

BATCH: Final = 64

Start = tuple[int, str, str, Binding]
"""A message from the environment: its time in microseconds of the document, its receiver, its name,
and its values."""


class ApplicationNetwork:
    """The network of the application. Made on the loop's thread, it listens at once. `routes` are
    the routing ids under which the actors connect, by process. `chosen` is the process that handles
    a message to a role (`choreomon.actors.balancing`).

    - `on_ready()`: all actors have connected.
    - `on_quiet()`: the application is at its end; once, after `begin`.
    - `max_events`: the most sends and handles; after these, messages under way are dropped, and
      actors may do a little more until they hear of it.
    """

    def __init__(
        self,
        *,
        context: zmq.Context[zmq.Socket[bytes]],
        loop: asyncio.AbstractEventLoop,
        endpoint: str,
        routes: Mapping[str, bytes],
        chosen: Callable[[str, Binding], str],
        links: Links,
        max_events: int,
        on_ready: Callable[[], None],
        on_quiet: Callable[[], None],
    ) -> None:
        self._routes = routes
        self._chosen = chosen
        self._process_of = {route: process for process, route in routes.items()}
        self._links = links
        self._max_events = max_events
        self._on_ready = on_ready
        self._on_quiet = on_quiet
        self._delayed = DelayQueue(loop)
        self._ready: set[str] = set()
        self._waiting = dict.fromkeys(routes, 0)
        self._begun = False
        self._quiet = False
        self.events = 0
        """Sends and handles reported so far."""
        self.reached_max_events = False
        self._socket = context.socket(zmq.ROUTER, socket_class=zmq.Socket)
        # Nothing is ever dropped, or a run would not know its end.
        for option in (zmq.SNDHWM, zmq.RCVHWM, zmq.LINGER):
            self._socket.setsockopt(option, 0)
        self._socket.setsockopt(zmq.ROUTER_MANDATORY, 1)
        self._socket.bind(endpoint)
        self._reader = DrainingReader(loop, self._socket, self._take, batch=BATCH)

    def begin(self, now: float, starts: Iterable[Start], speed: float) -> None:
        """Begin to send the messages of the environment, each at its time."""
        self._begun = True
        for at, receiver, name, values in starts:
            delivered = Delivered(ENVIRONMENT, name, 0, {}, values)
            due = now + at / MICROSECONDS / speed
            self._delayed.at(due, partial(self._enter, receiver, delivered))
        self._look_for_the_end()

    @property
    def under_way(self) -> int:
        """The number of messages that have not arrived, starts among them."""
        return len(self._delayed)

    def busy(self) -> dict[str, int]:
        """The numbers of messages at processes that have any, handled or waiting."""
        return {process: number for process, number in self._waiting.items() if number}

    def close(self) -> None:
        """Close the network."""
        self._delayed.drop()
        self._reader.close()
        self._socket.close()

    def _take(self) -> bool:
        route = self._socket.recv(zmq.NOBLOCK)
        message = decode_from_actor(self._socket.recv(zmq.NOBLOCK))
        process = self._process_of[route]
        match message:
            case Posted():
                self._posted(process, message)
            case Done(messages, dropped):
                self._waiting[process] -= messages
                if not dropped:
                    self._happened(messages)
                self._look_for_the_end()
            case Ready():
                self._ready.add(process)
                if len(self._ready) == len(self._routes):
                    self._on_ready()
            case _:
                assert_never(message)
        return False

    def _posted(self, sender: str, posted: Posted) -> None:
        self._happened(1)
        # Chosen and drawn in any case: the n-th draw belongs to the n-th message.
        receiver = self._chosen(posted.receiver, posted.values)
        due = self._links.between(sender, receiver).arrival(posted.sent)
        if not self.reached_max_events:
            headers = posted.headers
            delivered = Delivered(sender, posted.name, posted.number, headers, posted.values)
            self._delayed.at(due, partial(self._deliver, receiver, delivered))

    def _happened(self, events: int) -> None:
        self.events += events
        if self.events >= self._max_events and not self.reached_max_events:
            self.reached_max_events = True
            self._delayed.drop()
            for process in self._routes:
                self._send(process, Stop())

    def _enter(self, receiver: str, delivered: Delivered) -> None:
        self._deliver(self._chosen(receiver, delivered.values), delivered)

    def _deliver(self, receiver: str, delivered: Delivered) -> None:
        self._waiting[receiver] += 1
        self._send(receiver, delivered)

    def _send(self, receiver: str, message: ToActor) -> None:
        self._socket.send_multipart([self._routes[receiver], encode(message)], zmq.NOBLOCK)
        self._reader.look()

    def _look_for_the_end(self) -> None:
        if self._begun and not (self._quiet or self._delayed or any(self._waiting.values())):
            self._quiet = True
            self._on_quiet()
