"""`choreomon.runtime.network.peers`: what arrives, in which order, and what does not."""

from __future__ import annotations

import asyncio
import errno
import socket as sockets_of_the_system
from contextlib import suppress
from typing import Any

import pytest
import zmq

from choreomon.runtime.network import draining
from choreomon.runtime.network.addresses import UnusableAddress
from choreomon.runtime.network.peer_limits import Limits
from choreomon.runtime.network.security import UnusableKeys, ZapHandler
from tests.runtime.conftest import Run
from tests.runtime.peer_network import (
    SECURITIES,
    Network,
    Side,
    curve,
    insecure,
    is_signalled,
    port_of,
    turns,
    wait_until_readable,
)


def pair(network: Network, kind: str = "insecure", **options: Any) -> tuple[Side, Side]:
    """`bank`, and `shop`, which asks it."""
    security = SECURITIES[kind]
    bank = network.side(security("bank", "shop"), **options)
    shop = network.side(security("shop", "bank"), {"bank": bank.sockets.endpoint}, **options)
    return bank, shop


@pytest.mark.parametrize("kind", SECURITIES)
async def test_an_inquiry_arrives_with_the_name_of_the_asker_and_so_does_the_answer(
    run: Run, kind: str
) -> None:
    with Network() as network:
        bank, shop = pair(network, kind)
        assert shop.sockets.ask("bank", b"inquiry")
        await bank.until_asked()
        assert bank.frames("asked") == [("shop", b"inquiry")]
        assert bank.sockets.answer("shop", b"answer")
        await shop.until_answered()
        assert shop.frames("answered") == [("bank", b"answer")]
        assert bank.refused() == shop.refused() == []


@pytest.mark.parametrize("kind", SECURITIES)
async def test_several_peers_are_asked_and_each_is_known_by_its_own_name(
    run: Run, kind: str
) -> None:
    security = SECURITIES[kind]
    with Network() as network:
        sides = {name: network.side(security(name, "shop")) for name in ("bank", "car")}
        addresses = {name: side.sockets.endpoint for name, side in sides.items()}
        shop = network.side(security("shop", *sides), addresses)
        for name, side in sides.items():
            shop.sockets.ask(name, name.encode())
            await side.until_asked()
            assert side.frames("asked") == [("shop", name.encode())]
            side.sockets.answer("shop", b"of " + name.encode())
        await shop.until_answered(2)
        assert sorted(shop.frames("answered")) == [("bank", b"of bank"), ("car", b"of car")]


async def test_frames_of_one_connection_keep_their_order_and_batches_end_with_drained(
    run: Run,
) -> None:
    with Network() as network:
        bank, shop = pair(network, limits=Limits(batch=3))
        for number in range(10):
            assert shop.sockets.ask("bank", b"%d" % number)
        await bank.until_asked(10)
        assert [frame for _, frame in bank.frames("asked")] == [b"%d" % n for n in range(10)]
        assert bank.log[-1][0] == "drained"
        batches = "".join(what[0] for what, _, _ in bank.log).split("d")
        assert max(map(len, batches)) <= 3
        assert "" not in batches[:-1]


async def test_one_who_asks_much_leaves_everybody_else_a_turn_after_every_batch(run: Run) -> None:
    with Network() as network:
        bank, shop = pair(network, limits=Limits(batch=4))
        shop.sockets.ask("bank", b"first")
        await bank.until_asked()
        turn = 0
        seen: list[int] = []
        bank.react["asked"] = lambda peer, frame: seen.append(turn)
        bank.sockets.pause()
        for _ in range(100):
            assert shop.sockets.ask("bank", b"more")
        assert is_signalled(bank.router, seconds=10)
        bank.sockets.resume()  # a look and a signal at the same time: still one batch
        while len(seen) < 100:
            turn += 1
            await asyncio.sleep(0)
        assert max(map(seen.count, seen)) <= 4


def look_at_nothing(reader: draining.DrainingReader) -> None:
    """A planted bug: sends are not followed by a look."""


@pytest.mark.parametrize("looks", [True, False])
async def test_what_arrived_before_an_answer_is_sent_is_read_after_it(
    run: Run, looks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sending uses up the signal that something is there. Without a second look it stays there."""

    with Network() as network:
        bank = network.side(insecure("bank", "shop", "car"))
        shop, car = (
            network.side(insecure(process, "bank"), {"bank": bank.sockets.endpoint})
            for process in ("shop", "car")
        )
        shop.sockets.ask("bank", b"1")
        car.sockets.ask("bank", b"2")
        await bank.until_asked(2)
        await turns()
        if not looks:
            monkeypatch.setattr(draining.DrainingReader, "look", look_at_nothing)
        car.sockets.ask("bank", b"3")
        assert is_signalled(bank.router, seconds=10)
        while is_signalled(bank.router):
            assert bank.sockets.answer("shop", b"answer")
        await turns()
        assert (("car", b"3") in bank.frames("asked")) is looks


@pytest.mark.parametrize("looks", [True, False])
async def test_what_arrived_before_an_inquiry_is_sent_is_read_after_it(
    run: Run, looks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Network() as network:
        bank, shop = pair(network)
        shop.sockets.ask("bank", b"1")
        await bank.until_asked()
        await turns()
        if not looks:
            monkeypatch.setattr(draining.DrainingReader, "look", look_at_nothing)
        bank.sockets.answer("shop", b"answer")
        assert is_signalled(shop.dealer_to("bank"), seconds=10)
        while is_signalled(shop.dealer_to("bank")):
            assert shop.sockets.ask("bank", b"2")
        await turns()
        assert (shop.frames("answered") == [("bank", b"answer")]) is looks


async def test_a_peer_that_never_asked_gets_no_answer(run: Run) -> None:
    with Network() as network:
        bank, shop = pair(network)
        assert not bank.sockets.answer("shop", b"answer")
        assert not bank.sockets.answer("nobody", b"answer")
        assert not shop.sockets.ask("shop", b"to itself")
        assert not shop.sockets.ask("nobody", b"inquiry")


async def test_what_no_peer_would_take_is_not_sent(run: Run) -> None:
    """It would end the connection, which would be made again to send it again."""

    with Network() as network:
        bank, shop = pair(network, limits=Limits(frame_bytes=100))
        assert not shop.sockets.ask("bank", bytes(101))
        assert shop.sockets.ask("bank", bytes(100))
        await bank.until_asked()
        assert not bank.sockets.answer("shop", bytes(101))
        assert bank.sockets.answer("shop", bytes(100))
        await shop.until_answered()


async def test_an_answer_to_one_who_is_gone_is_said_not_to_be_sent(run: Run) -> None:
    with Network() as network:
        bank, shop = pair(network)
        shop.sockets.ask("bank", b"inquiry")
        await bank.until_asked()
        shop.sockets.close()
        shop.context.term()
        while bank.sockets.answer("shop", b"answer"):  # until libzmq has noticed
            await asyncio.sleep(0)
        assert not bank.sockets.answer("shop", b"answer")


@pytest.mark.parametrize("kind", SECURITIES)
async def test_answers_go_to_the_newest_connection_of_a_peer(run: Run, kind: str) -> None:
    """As after a restart: the same key, another connection, while the old one still looks open."""

    with Network() as network:
        bank, old = pair(network, kind)
        new = network.side(SECURITIES[kind]("shop", "bank"), {"bank": bank.sockets.endpoint})
        old.sockets.ask("bank", b"old")
        await bank.until_asked(1)
        new.sockets.ask("bank", b"new")
        await bank.until_asked(2)
        bank.sockets.answer("shop", b"answer")
        await new.until_answered()
        old.sockets.ask("bank", b"old again")
        await bank.until_asked(3)
        bank.sockets.answer("shop", b"second")
        await old.until_answered()
        assert new.frames("answered") == [("bank", b"answer")]
        assert old.frames("answered") == [("bank", b"second")]


@pytest.mark.parametrize("kind", SECURITIES)
async def test_a_peer_that_was_away_is_asked_again_on_the_same_address(run: Run, kind: str) -> None:
    with Network() as network:
        limits = Limits(reconnect=0.01, reconnect_most=0.05)
        bank, shop = pair(network, kind, limits=limits)
        shop.sockets.ask("bank", b"1")
        await bank.until_asked()
        endpoint = bank.sockets.endpoint
        bank.sockets.close()
        bank.context.term()
        again = network.side(SECURITIES[kind]("bank", "shop"), bind=endpoint)
        while not again.frames("asked"):
            shop.sockets.ask("bank", b"2")
            await turns()
        again.sockets.answer("shop", b"answer")
        await shop.until_answered()


async def test_above_the_high_water_mark_asking_says_no_and_nothing_grows(run: Run) -> None:
    with Network() as network:
        shop = network.side(
            insecure("shop", "bank"),
            {"bank": "tcp://127.0.0.1:1"},  # nobody listens there
            limits=Limits(sent=10),
        )
        sent = [shop.sockets.ask("bank", b"inquiry") for _ in range(100)]
        assert sent.count(True) == 10


async def test_a_connection_that_libzmq_has_given_up_is_made_anew(run: Run) -> None:
    """Another program has the port when the peer is asked. libzmq does not try again then."""

    with Network() as network:
        now = 0.0
        foreign = sockets_of_the_system.create_server(("127.0.0.1", 0))
        with foreign:
            endpoint = f"tcp://127.0.0.1:{foreign.getsockname()[1]}"
            shop = network.side(insecure("shop", "bank"), {"bank": endpoint}, clock=lambda: now)
            assert shop.sockets.ask("bank", b"1")
            accepted, _ = foreign.accept()
            with accepted:
                accepted.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n" + bytes(64))
                with suppress(ConnectionError):
                    while accepted.recv(4096):
                        pass
        bank = network.side(insecure("bank", "shop"), bind=endpoint)
        while shop.sockets.ask("bank", b"2"):
            await turns()
        now = 4.9
        assert not shop.sockets.ask("bank", b"3")
        now = 5.0
        assert shop.sockets.ask("bank", b"4")
        await bank.until_asked()
        assert bank.frames("asked") == [("shop", b"4")]


async def test_a_connection_that_takes_frames_again_is_kept(run: Run) -> None:
    with Network() as network:
        now = 0.0
        bank = network.side(insecure("bank", "shop"))
        endpoint = bank.sockets.endpoint
        limits = Limits(sent=5, reconnect=0.01, reconnect_most=0.02)
        shop = network.side(
            insecure("shop", "bank"), {"bank": endpoint}, limits=limits, clock=lambda: now
        )

        def leave(side: Side) -> None:
            side.sockets.close()
            side.context.term()

        def fill() -> None:
            while shop.sockets.ask("bank", b"inquiry"):
                pass

        leave(bank)
        fill()
        first = shop.dealer_to("bank")
        again = network.side(insecure("bank", "shop"), bind=endpoint)
        await again.until_asked()
        while not shop.sockets.ask("bank", b"inquiry"):
            await turns()
        leave(again)
        now = 100.0
        fill()
        now = 104.0
        fill()  # what left meanwhile made room again
        assert shop.dealer_to("bank") is first


async def test_asking_says_no_where_no_descriptor_is_left(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Network() as network:
        bank, shop = pair(network)

        def none_left(*_: Any, **__: Any) -> None:
            raise zmq.ZMQError(errno.EMFILE)

        with monkeypatch.context() as patched:
            patched.setattr(shop.context, "socket", none_left)
            assert not shop.sockets.ask("bank", b"1")
        assert shop.sockets.ask("bank", b"2")
        await bank.until_asked()


async def test_in_a_pause_nothing_is_handed_on_and_after_it_everything_is(run: Run) -> None:
    with Network() as network:
        bank, shop = pair(network)
        shop.sockets.ask("bank", b"1")
        await bank.until_asked()
        bank.sockets.pause()
        shop.sockets.pause()
        shop.sockets.ask("bank", b"2")
        wait_until_readable(bank.router)
        assert bank.sockets.answer("shop", b"answer")
        wait_until_readable(shop.dealer_to("bank"))
        await turns()
        assert len(bank.frames("asked")) == 1
        assert shop.frames("answered") == []
        bank.sockets.resume()
        shop.sockets.resume()
        await bank.until_asked(2)
        await shop.until_answered()
        assert bank.refused() == shop.refused() == []


async def test_in_a_long_pause_frames_are_dropped_and_connections_stay(run: Run) -> None:
    """Else the full socket would not answer heartbeats, and each new connection could fill it."""

    with Network() as network:
        limits = Limits(pause=0.0, received=8, sent=8)
        bank, shop = pair(network, limits=limits)
        shop.sockets.ask("bank", b"1")
        await bank.until_asked()
        bank.sockets.pause()
        asked = 0
        while bank.reasons().count("paused") < 100:
            asked += shop.sockets.ask("bank", b"2")
            await asyncio.sleep(0)
        assert len(bank.frames("asked")) == 1
        bank.sockets.resume()
        while len(bank.frames("asked")) + bank.reasons().count("paused") < asked + 1:
            await asyncio.sleep(0)
        shop.sockets.ask("bank", b"3")
        await bank.until(lambda: ("shop", b"3") in bank.frames("asked"))
        assert len(bank.sockets._routes) == 1


async def test_a_connection_made_in_a_pause_pauses_too(run: Run) -> None:
    with Network() as network:
        bank, shop = pair(network)
        bank.react["asked"] = lambda peer, frame: bank.sockets.answer(peer, b"answer") and None
        shop.sockets.pause()
        shop.sockets.ask("bank", b"1")
        await bank.until_asked()
        wait_until_readable(shop.dealer_to("bank"))
        await turns()
        assert shop.frames("answered") == []
        shop.sockets.resume()
        await shop.until_answered()


async def test_above_the_rate_frames_are_dropped_and_counted(run: Run) -> None:
    with Network() as network:
        now = 0.0
        bank = network.side(
            insecure("bank", "shop"), limits=Limits(rate=10, burst=5), clock=lambda: now
        )
        shops = [
            network.side(insecure("shop", "bank"), {"bank": bank.sockets.endpoint})
            for _ in range(2)
        ]
        for _ in range(4):  # another connection of the same peer is no way around it
            for shop in shops:
                shop.sockets.ask("bank", b"inquiry")
        await bank.until(lambda: len(bank.frames("asked")) + len(bank.refused()) == 8)
        assert bank.refused() == [("rate", b"shop")] * 3
        now = 0.1
        for _ in range(2):
            shops[0].sockets.ask("bank", b"later")
        await bank.until(lambda: len(bank.frames("asked")) + len(bank.refused()) == 10)
        assert len(bank.frames("asked")) == 6


async def test_answers_above_the_rate_are_dropped_too(run: Run) -> None:
    with Network() as network:
        bank, shop = pair(network, limits=Limits(rate=1, burst=2), clock=lambda: 0.0)
        shop.sockets.ask("bank", b"inquiry")
        await bank.until_asked()
        for _ in range(3):
            bank.sockets.answer("shop", b"answer")
        await shop.until_refused("rate")
        assert len(shop.frames("answered")) == 2


async def test_after_a_callback_that_raises_reading_goes_on(run: Run) -> None:
    with Network() as network:
        bank, shop = pair(network)
        raised: list[Any] = []
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: raised.append(context["exception"])
        )

        def react(peer: str, frame: bytes) -> None:
            if frame == b"1":
                raise ValueError("planted")

        bank.react["asked"] = react
        for number in range(3):
            shop.sockets.ask("bank", b"%d" % number)
        await bank.until_asked(3)
        await bank.until(lambda: bank.log[-1][0] == "drained")
        assert [str(error) for error in raised] == ["planted"]


async def test_even_the_last_callback_that_raises_is_followed_by_drained(run: Run) -> None:
    with Network() as network:
        bank, shop = pair(network)
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)

        def react(peer: str, frame: bytes) -> None:
            raise ValueError("planted")

        bank.react["asked"] = react
        shop.sockets.ask("bank", b"1")
        await bank.until(lambda: bank.log and bank.log[-1][0] == "drained")


async def test_a_callback_may_close_the_sockets_and_nothing_is_called_after_that(run: Run) -> None:
    with Network() as network:
        bank, shop = pair(network)
        bank.react["asked"] = lambda peer, frame: bank.sockets.close()
        for _ in range(3):
            shop.sockets.ask("bank", b"inquiry")
        await bank.until_asked()
        await turns()
        assert [what for what, _, _ in bank.log] == ["asked"]
        assert not bank.sockets.answer("shop", b"answer")
        assert not bank.sockets.ask("shop", b"inquiry")
        bank.sockets.pause()
        bank.sockets.resume()
        bank.sockets.close()


async def test_callbacks_come_from_the_loop_only(run: Run) -> None:
    with Network() as network:
        bank, shop = pair(network)
        inside = False

        def look(peer: str, frame: bytes) -> None:
            assert not inside

        for side in (bank, shop):
            side.react = {"asked": look, "answered": look}
        shop.sockets.ask("bank", b"1")
        await bank.until_asked()
        shop.sockets.ask("bank", b"2")
        bank.sockets.answer("shop", b"answer")
        wait_until_readable(bank.router)
        wait_until_readable(shop.dealer_to("bank"))
        inside = True
        bank.sockets.answer("shop", b"answer")
        shop.sockets.ask("bank", b"3")
        bank.sockets.pause()
        bank.sockets.resume()
        inside = False
        await bank.until_asked(3)


async def test_the_endpoint_has_the_port_that_was_free(run: Run) -> None:
    with Network() as network:
        endpoint = network.side(curve("bank", "shop"), bind="tcp://*:0").sockets.endpoint
        assert endpoint == f"tcp://0.0.0.0:{port_of(endpoint)}"
        assert port_of(endpoint) > 0
        endpoint = network.side(insecure("bank"), bind="tcp://localhost:0").sockets.endpoint
        assert endpoint == f"tcp://127.0.0.1:{port_of(endpoint)}"


async def test_ipv6_addresses_need_no_option(run: Run) -> None:
    try:
        sockets_of_the_system.create_server(
            ("::1", 0), family=sockets_of_the_system.AF_INET6
        ).close()
    except OSError:
        pytest.skip("this machine has no IPv6")

    with Network() as network:
        bank = network.side(insecure("bank", "shop"), bind="tcp://[::1]:0")
        shop = network.side(insecure("shop", "bank"), {"bank": bank.sockets.endpoint})
        shop.sockets.ask("bank", b"inquiry")
        await bank.until_asked()
        both = network.side(curve("bank", "shop"), bind="tcp://*:0", ipv6=True)
        assert both.sockets.endpoint.startswith("tcp://[::]:")


async def test_an_address_that_is_taken_is_told_and_nothing_stays_open(run: Run) -> None:
    with Network() as network:
        bank = network.side(insecure("bank", "shop"))
        taken = bank.sockets.endpoint
        with pytest.raises(UnusableAddress, match="Address already in use: name an address"):
            network.side(insecure("shop"), bind=taken)
        with pytest.raises(UnusableAddress, match="No such device"):
            network.side(curve("shop", "bank"), bind="tcp://no-such-interface:0")
        bank.sockets.close()
        bank.context.term()  # closing a socket of libzmq goes on in the background
        assert network.side(insecure("bank"), bind=taken).sockets.endpoint == taken


async def test_a_context_is_for_one_alone(run: Run) -> None:
    with Network() as network:
        first = network.side(curve("bank", "shop"))
        with pytest.raises(UnusableKeys, match="of its own"):
            ZapHandler(first.context, asyncio.get_running_loop(), curve("car", "shop"), print)
