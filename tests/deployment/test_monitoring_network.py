"""Between monitors stands a network that delays: they find each other through it, by their keys,
and what arrives is what was sent."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack

import pytest
import zmq

from choreomon.actors.delays import Constant, Delay, LinkDelays, Uniform
from choreomon.actors.randomness import Streams
from choreomon.deployment.links import Links
from choreomon.deployment.monitoring_network import MonitoringNetwork
from choreomon.runtime.network.security import Curve, UnusableKeys, make_key_pair
from tests.deployment.played import played
from tests.runtime.peer_network import Network, Side, curve, keys_of

ASKS = {"A": ("B",), "B": ("A",), "C": ()}
NONE = Constant(0)


class Between:
    """Monitors of A, B and C with the network between them, in one loop."""

    def __init__(
        self, opened: ExitStack, delays: LinkDelays, *, in_order: bool = True, speed: float = 1.0
    ) -> None:
        context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        opened.callback(context.term)
        self.network = MonitoringNetwork(
            context=context,
            loop=asyncio.get_running_loop(),
            keys={name: keys_of(name) for name in ASKS},
            asks=ASKS,
            links=Links(delays, Streams(0), name="monitoring", speed=speed, in_order=in_order),
        )
        opened.callback(self.network.close)
        self.addresses = self.network.listen()
        self.sides = opened.enter_context(Network())
        self.a = self._side("A", "B")
        self.b = self._side("B", "A")
        self.network.connect({"A": self.a.sockets.endpoint, "B": self.b.sockets.endpoint})

    def _side(self, name: str, other: str) -> Side:
        others = [each for each in ASKS if each != name]
        return self.sides.side(curve(name, *others), {other: self.addresses[other]})


def test_only_who_is_asked_has_an_address() -> None:
    async def main(opened: ExitStack) -> None:
        assert {*Between(opened, LinkDelays(NONE)).addresses} == {"A", "B"}

    played(main)


def test_inquiries_and_answers_arrive_under_the_right_names() -> None:
    async def main(opened: ExitStack) -> None:
        between = Between(opened, LinkDelays(NONE))
        between.b.react["asked"] = lambda peer, frame: (
            between.b.sockets.answer(peer, b"answer to " + frame) or None
        )
        between.a.sockets.ask("B", b"one")
        between.a.sockets.ask("B", b"two")
        await between.a.until_answered(2)
        assert between.b.frames("asked") == [("A", b"one"), ("A", b"two")]
        assert between.a.frames("answered") == [("B", b"answer to one"), ("B", b"answer to two")]
        assert between.network.strangers == 0

    played(main)


def test_both_ways_between_two_processes_can_be_used_at_once() -> None:
    async def main(opened: ExitStack) -> None:
        between = Between(opened, LinkDelays(NONE))
        between.a.sockets.ask("B", b"from A")
        between.b.sockets.ask("A", b"from B")
        await between.a.until_asked()
        await between.b.until_asked()
        between.a.sockets.answer("B", b"to B")
        between.b.sockets.answer("A", b"to A")
        await between.a.until_answered()
        await between.b.until_answered()
        assert between.a.frames("answered") == [("B", b"to A")]
        assert between.b.frames("answered") == [("A", b"to B")]

    played(main)


@pytest.mark.parametrize("in_order", [True, False])
def test_frames_overtake_each_other_only_where_the_document_says_so(in_order: bool) -> None:
    async def main(opened: ExitStack) -> None:
        between = Between(opened, LinkDelays(Uniform(0, 200)), in_order=in_order)
        sent = [b"%d" % number for number in range(20)]
        for frame in sent:
            between.a.sockets.ask("B", frame)
        await between.b.until_asked(len(sent))
        arrived = [frame for _, frame in between.b.frames("asked")]
        assert sorted(arrived) == sorted(sent)
        assert (arrived == sent) is in_order

    played(main)


@pytest.mark.parametrize(("delay", "least"), [(Constant(100), 0.1), (Constant(300), 0.3)])
def test_a_frame_takes_at_least_the_delay_of_its_link(delay: Delay, least: float) -> None:
    async def main(opened: ExitStack) -> None:
        between = Between(opened, LinkDelays(NONE, {("A", "B"): delay}))
        loop = asyncio.get_running_loop()
        begun = loop.time()
        between.a.sockets.ask("B", b"x")
        await between.b.until_asked()
        assert loop.time() - begun >= least

    played(main)


def test_strangers_are_not_let_in() -> None:
    async def main(opened: ExitStack) -> None:
        between = Between(opened, LinkDelays(NONE))
        stranger = Curve(make_key_pair("D"), {"B": keys_of("B").public})
        other = between.sides.side(stranger, {"B": between.addresses["B"]})
        other.sockets.ask("B", b"let me in")
        while not between.network.strangers:
            await asyncio.sleep(0)
        assert between.b.frames("asked") == []

    played(main)


def test_who_has_keys_but_never_asks_is_not_heard() -> None:
    async def main(opened: ExitStack) -> None:
        between = Between(opened, LinkDelays(NONE))
        third = between.sides.side(curve("C", "A", "B"), {"B": between.addresses["B"]})
        third.sockets.ask("B", b"by the way")
        while not between.network.strangers:
            await asyncio.sleep(0)
        assert between.b.frames("asked") == []

    played(main)


def test_a_context_has_one_network() -> None:
    async def main(opened: ExitStack) -> None:
        context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        opened.callback(context.term)
        links = Links(LinkDelays(NONE), Streams(0), name="m", speed=1, in_order=True)

        def made() -> MonitoringNetwork:
            return MonitoringNetwork(
                context=context,
                loop=asyncio.get_running_loop(),
                keys={},
                asks={},
                links=links,
            )

        opened.callback(made().close)
        with pytest.raises(UnusableKeys):
            made()

    played(main)
