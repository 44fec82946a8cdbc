"""The network between actors counts: it says that all is over when all is, and not before."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack
from random import Random

import pytest
import zmq

from choreomon.actors.balancing import Replicas
from choreomon.actors.delays import Constant, LinkDelays, Uniform
from choreomon.actors.randomness import Streams
from choreomon.core.message import ENVIRONMENT
from choreomon.core.roles import Roles
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
from choreomon.deployment.application_network import ApplicationNetwork, Start
from choreomon.deployment.links import Links
from choreomon.runtime.network.draining import DrainingReader
from tests.deployment.played import played

ROLES = Roles({"D": 2})
NAMES = ("A", "B", "C", "D/0", "D/1")
ENDPOINT = "inproc://network"


class Actor:
    """An actor by hand: what comes waits until the test handles it."""

    def __init__(self, name: str, context: zmq.Context[zmq.Socket[bytes]]) -> None:
        self.name = name
        self.waiting: deque[Delivered] = deque()
        self.stopped = False
        self.changed = asyncio.Event()
        self._number = 0
        self._socket = context.socket(zmq.DEALER, socket_class=zmq.Socket)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.setsockopt(zmq.ROUTING_ID, name.encode())
        self._socket.connect(ENDPOINT)
        loop = asyncio.get_running_loop()
        self._reader = DrainingReader(loop, self._socket, self._take, batch=16)

    def _take(self) -> bool:
        message = decode_to_actor(self._socket.recv(zmq.NOBLOCK))
        if isinstance(message, Stop):
            self.stopped = True
        else:
            self.waiting.append(message)
        self.changed.set()
        return False

    async def until(self, true: Callable[[], object]) -> None:
        while not true():
            self.changed.clear()
            await self.changed.wait()

    def say(self, message: FromActor) -> None:
        self._socket.send(encode(message))
        self._reader.look()

    def post(self, to: str, name: str = "m") -> None:
        self._number += 1
        now = asyncio.get_running_loop().time()
        self.say(Posted(to, name, self._number, {"by": self.name}, now))

    def close(self) -> None:
        self._reader.close()
        self._socket.close()


class Application:
    """Actors, two of them replicas, and the network between them."""

    def __init__(
        self, opened: ExitStack, *, delays: LinkDelays | None = None, max_events: int = 1000
    ) -> None:
        context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        opened.callback(context.term)
        self.ready = asyncio.Event()
        self.quiet = asyncio.Event()
        self.ends = 0
        self.loop = asyncio.get_running_loop()
        self.network = ApplicationNetwork(
            context=context,
            loop=self.loop,
            endpoint=ENDPOINT,
            routes={name: name.encode() for name in NAMES},
            chosen=Replicas(ROLES).chooser(Streams(0)),
            links=Links(
                delays or LinkDelays(Constant(0)),
                Streams(0),
                name="application",
                speed=1.0,
                in_order=True,
            ),
            max_events=max_events,
            on_ready=self.ready.set,
            on_quiet=self._quiet,
        )
        opened.callback(self.network.close)
        self.actors = {name: Actor(name, context) for name in NAMES}
        for actor in self.actors.values():
            opened.callback(actor.close)

    def _quiet(self) -> None:
        self.ends += 1
        self.quiet.set()

    async def begin(self, *starts: Start) -> None:
        for actor in self.actors.values():
            assert not self.ready.is_set()
            actor.say(Ready())
        await self.ready.wait()
        carried = [(*start, ()) for start in starts]
        self.network.begin(self.loop.time(), carried, 1.0)

    async def settled(self) -> None:
        """Everything that is there was taken: a message went to the network and came back."""
        before = self.network.events
        self.actors["C"].post("C", "ping")
        await self.actors["C"].until(
            lambda: any(each.name == "ping" for each in self.actors["C"].waiting)
        )
        assert self.network.events > before


def test_messages_arrive_with_what_travels_with_them() -> None:
    async def main(opened: ExitStack) -> None:
        app = Application(opened)
        await app.begin((0, "A", "go"))
        a, b = app.actors["A"], app.actors["B"]
        await a.until(lambda: a.waiting)
        assert a.waiting.popleft() == Delivered(ENVIRONMENT, "go", 0, {})
        a.post("B", "one")
        a.post("B", "two")
        await b.until(lambda: len(b.waiting) == 2)
        assert [*b.waiting] == [
            Delivered("A", "one", 1, {"by": "A"}),
            Delivered("A", "two", 2, {"by": "A"}),
        ]

    played(main)


def test_messages_to_a_role_are_balanced_and_those_of_the_environment_when_they_arrive() -> None:
    async def main(opened: ExitStack) -> None:
        app = Application(opened)
        await app.begin((0, "D", "go"), (3_600_000_000, "D", "later"))
        a, first, second = (app.actors[name] for name in ("A", "D/0", "D/1"))
        await first.until(lambda: first.waiting)
        for name in ("one", "two", "three"):
            a.post("D", name)
        await first.until(lambda: len(first.waiting) == 2)
        await second.until(lambda: len(second.waiting) == 2)
        assert [each.name for each in first.waiting] == ["go", "two"]
        assert [each.name for each in second.waiting] == ["one", "three"]
        first.post("A", "four")
        await a.until(lambda: a.waiting)
        assert a.waiting.popleft() == Delivered("D/0", "four", 1, {"by": "D/0"})

    played(main)


def test_it_is_over_when_everything_was_handled_and_not_before() -> None:
    async def main(opened: ExitStack) -> None:
        app = Application(opened)
        await app.begin((0, "A", "go"))
        a, b = app.actors["A"], app.actors["B"]
        await a.until(lambda: a.waiting)
        a.post("B")
        a.say(Done(1))
        await b.until(lambda: b.waiting)
        await app.settled()
        assert app.network.busy() == {"B": 1, "C": 1}
        assert not app.quiet.is_set()
        b.say(Done(1))
        app.actors["C"].say(Done(1))
        await app.quiet.wait()
        assert app.network.busy() == {}
        assert app.network.events == 5  # go, m and ping were handled, m and ping sent

    played(main)


def test_where_nothing_begins_it_is_over_at_once() -> None:
    async def main(opened: ExitStack) -> None:
        app = Application(opened)
        await app.begin()
        assert app.quiet.is_set()

    played(main)


def test_a_start_that_is_still_to_come_is_waited_for() -> None:
    async def main(opened: ExitStack) -> None:
        app = Application(opened)
        await app.begin((0, "A", "go"), (3_600_000_000, "A", "go"))
        a = app.actors["A"]
        await a.until(lambda: a.waiting)
        a.say(Done(1))
        await app.settled()
        assert app.network.under_way == 1
        assert not app.quiet.is_set()

    played(main)


@pytest.mark.parametrize("seed", range(5))
def test_whatever_actors_do_the_end_is_told_once_and_in_time(seed: int) -> None:
    """Actors that send at random up to 3 messages for each that they handle, 60 in all."""

    async def main(opened: ExitStack) -> None:
        random = Random(seed)
        app = Application(opened, delays=LinkDelays(Uniform(0, 3)))
        await app.begin(*[(random.randrange(3000), random.choice(NAMES), "go") for _ in range(3)])
        left, handled, sent = 60, 0, 3
        while handled < sent:
            assert not app.quiet.is_set()
            ready = [actor for actor in app.actors.values() if actor.waiting]
            if not ready:
                await asyncio.sleep(0)
                continue
            actor = random.choice(ready)
            actor.waiting.popleft()
            for _ in range(min(left, random.choice((0, 0, 1, 2, 3)))):
                actor.post(random.choice(NAMES))
                left -= 1
                sent += 1
            handled += 1
            actor.say(Done(1))
        await app.quiet.wait()
        await app.settled()
        assert app.ends == 1

    played(main)


def test_at_the_bound_everybody_is_stopped_and_what_is_under_way_is_dropped() -> None:
    async def main(opened: ExitStack) -> None:
        app = Application(opened, max_events=4)
        await app.begin((0, "A", "go"), (3_600_000_000, "B", "go"))
        a, b = app.actors["A"], app.actors["B"]
        await a.until(lambda: a.waiting)
        a.post("B")
        await b.until(lambda: b.waiting)
        a.post("B")
        await b.until(lambda: len(b.waiting) == 2)
        a.say(Done(1))
        b.say(Done(1))
        for actor in app.actors.values():
            await actor.until(lambda actor=actor: actor.stopped)  # type: ignore[misc]
        assert app.network.reached_max_events
        assert app.network.under_way == 0
        assert not app.quiet.is_set()
        b.say(Done(1, dropped=True))
        await app.quiet.wait()
        assert app.network.events == 4

    played(main)
