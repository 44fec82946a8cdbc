"""`choreomon.runtime.network.peers`: what peers and strangers may do, and who goes on
undisturbed."""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress

import pytest
import zmq

from choreomon.runtime.network import security
from choreomon.runtime.network.peer_limits import Limits
from choreomon.runtime.network.security import Admission, Curve, secure_asker
from tests.runtime.conftest import Run
from tests.runtime.peer_network import (
    LOOPBACK,
    Network,
    RawSocket,
    Side,
    ZmtpClient,
    curve,
    insecure,
    keys_of,
    port_of,
    turns,
)

SEED = 12
CONNECTIONS = 300
FRAMES = 2000


async def still_answers(network: Network, bank: Side) -> None:
    """The law behind all of this: whatever was done to `bank`, the next one is served."""
    shop = network.side(insecure("shop", "bank"), {"bank": bank.sockets.endpoint})
    shop.sockets.ask("bank", b"still there?")
    await bank.until(lambda: ("shop", b"still there?") in bank.frames("asked"))
    bank.sockets.answer("shop", b"yes")
    await shop.until_answered()


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ([b""], "empty"),
        ([b"", b"frame"], "parts"),
        ([b"frame", b"frame"], "parts"),
        ([b"frame", b""], "parts"),
        ([b"frame"] * 1000, "parts"),
        ([b"x" * 101], "oversized"),
        ([b"x" * 1124], "oversized"),
    ],
    ids=lambda value: value if isinstance(value, str) else f"{len(value)}",
)
async def test_messages_that_are_no_frame_are_dropped_and_counted_at_both_ends(
    run: Run, message: list[bytes], reason: str
) -> None:
    with Network() as network:
        limits = Limits(frame_bytes=100)
        bank = network.side(insecure("bank", "shop"), limits=limits)
        foreign = network.plain_client("shop", bank.sockets.endpoint)
        foreign.send_multipart(message)
        foreign.send(b"good")
        await bank.until_asked()
        assert bank.refused() == [(reason, b"shop")]
        assert bank.frames("asked") == [("shop", b"good")]
        await still_answers(network, bank)

        server = foreign_listener(network)
        shop = network.side(insecure("shop", "bank"), {"bank": endpoint_of(server)}, limits=limits)
        shop.sockets.ask("bank", b"inquiry")
        route, _ = await received(server)
        server.send_multipart([route, *message])
        server.send_multipart([route, b"good"])
        await shop.until_answered()
        assert shop.refused() == [(reason, b"bank")]
        assert shop.frames("answered") == [("bank", b"good")]


def foreign_listener(network: Network) -> RawSocket:
    """A ROUTER that lets `shop` in, and sends what the test wants."""
    server = network.listener(insecure("bank", "shop"))
    server.bind(LOOPBACK)
    return server


def endpoint_of(server: RawSocket) -> str:
    return server.getsockopt_string(zmq.LAST_ENDPOINT)


async def received(socket: RawSocket) -> list[bytes]:
    while not socket.poll(0):
        await asyncio.sleep(0)
    return socket.recv_multipart()


@pytest.mark.parametrize("size", [2000, 1 << 62])
async def test_a_frame_far_too_large_ends_its_connection_and_no_other(run: Run, size: int) -> None:
    with Network() as network:
        # No heartbeat ends it first.
        limits = Limits(frame_bytes=100, heartbeat=1000)
        bank = network.side(insecure("bank", "shop", "car"), limits=limits)
        car = network.side(insecure("car", "bank"), {"bank": bank.sockets.endpoint})
        car.sockets.ask("bank", b"1")
        await bank.until_asked(1)
        foreign = await ZmtpClient.connect(bank.sockets.endpoint)
        await foreign.introduce("shop")
        foreign.send_frame(b"first")
        await bank.until_asked(2)
        foreign.send(b"\x02" + size.to_bytes(8, "big"))  # the length of what never comes
        await foreign.until_closed()
        await foreign.close()
        bank.sockets.answer("car", b"answer")
        await car.until_answered()
        assert bank.refused() == []
        await still_answers(network, bank)


async def test_the_longest_frame_passes_encryption(run: Run) -> None:
    """Which makes it longer, and so needs room above the limit."""

    with Network() as network:
        bank = network.side(curve("bank", "shop"))
        shop = network.side(
            curve("shop", "bank"),
            {"bank": bank.sockets.endpoint},
            limits=Limits(frame_bytes=Limits().frame_bytes + 1),
        )
        shop.sockets.ask("bank", bytes(Limits().frame_bytes))
        shop.sockets.ask("bank", bytes(Limits().frame_bytes + 1))
        await bank.until_asked()
        await bank.until_refused("oversized")


async def test_connections_that_say_nothing_stop_nobody_and_are_closed(run: Run) -> None:
    with Network() as network:
        bank = network.side(insecure("bank", "shop"), limits=Limits(handshake=0.1))
        port = port_of(bank.sockets.endpoint)
        silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(CONNECTIONS)]
        await still_answers(network, bank)
        for reader, writer in silent:
            await ZmtpClient(reader, writer).until_closed()
            writer.close()
        assert len(bank.sockets._routes) == 1


async def test_a_handshake_that_is_never_finished_ends_in_time(run: Run) -> None:
    with Network() as network:
        bank = network.side(insecure("bank", "shop"), limits=Limits(handshake=0.1))
        half = await ZmtpClient.connect(bank.sockets.endpoint)
        half.command(b"HELLO", b"\x04shop\x04none")
        assert await half.frame() == b"\x07WELCOME"
        await half.until_closed()
        await half.close()
        await still_answers(network, bank)


async def test_a_connection_whose_other_end_is_gone_without_a_word_is_given_up(run: Run) -> None:
    """The other end gives no sign of life, as after the loss of a network."""

    with Network() as network:
        bank = network.side(insecure("bank", "shop"), limits=Limits(heartbeat=0.02))
        gone = await ZmtpClient.connect(bank.sockets.endpoint)
        await gone.introduce("shop")
        gone.send_frame(b"inquiry")
        await bank.until_asked()
        assert bank.sockets.answer("shop", b"answer")
        await gone.until_closed()
        await gone.close()
        while bank.sockets.answer("shop", b"answer"):
            await asyncio.sleep(0)


async def test_rubbish_at_the_port_is_thrown_out(run: Run) -> None:
    chance = random.Random(SEED)
    with Network() as network:
        for protection in (insecure("bank", "shop"), curve("bank", "shop")):
            bank = network.side(protection, limits=Limits(handshake=0.2))
            greeting = b"\xff" + bytes(8) + b"\x7f\x03\x00"
            for number in range(60):
                reader, writer = await asyncio.open_connection(
                    "127.0.0.1", port_of(bank.sockets.endpoint)
                )
                start = (b"", greeting, greeting + b"CURVE".ljust(20, b"\0") + bytes(32))
                writer.write(start[number % 3] + chance.randbytes(chance.randrange(1, 300)))
                foreign = ZmtpClient(reader, writer)
                if number % 2:
                    await foreign.until_closed()
                await foreign.close()
            assert bank.frames("asked") == []
            assert len(bank.sockets._routes) == 0
            if not isinstance(protection, Curve):
                await still_answers(network, bank)


async def test_random_frames_of_a_peer_are_handed_on_as_they_are_and_nothing_grows(
    run: Run,
) -> None:
    """What is in a frame is for others to judge. Here every message has one fate."""

    chance = random.Random(SEED)
    with Network() as network:
        bank = network.side(
            insecure("bank", "shop"), limits=Limits(frame_bytes=50, rate=1e9, burst=1e9)
        )
        foreign = network.plain_client("shop", bank.sockets.endpoint, SNDHWM=0)
        for _ in range(FRAMES):
            parts = chance.choice((1, 1, 1, 2, 5))
            foreign.send_multipart([chance.randbytes(chance.randrange(60)) for _ in range(parts)])
        await bank.until(lambda: len(bank.frames("asked")) + len(bank.refused()) == FRAMES)
        assert set(bank.reasons()) == {"parts", "empty", "oversized"}
        assert len(bank.sockets._routes) == len(bank.sockets._buckets) == 1
        await still_answers(network, bank)


@pytest.mark.parametrize("routing_id", [b"shop", b"x", b"x" * 255])
async def test_frames_of_a_client_that_sets_its_own_routing_id_are_refused(
    run: Run, routing_id: bytes
) -> None:
    with Network() as network:
        bank = network.side(insecure("bank", "shop"))
        foreign = network.plain_client("shop", bank.sockets.endpoint, ROUTING_ID=routing_id)
        foreign.send_multipart([b"frame"])
        foreign.send_multipart([b"frame", b"frame", b"frame"])
        foreign.send_multipart([b"frame"])
        await bank.until_refused("routing-id", 3)
        detail = b"shop with " + ascii(routing_id[:100])[1:].encode()
        assert bank.log == [("refused", "routing-id", detail)] * 3
        assert not bank.sockets.answer("shop", b"answer")
        await still_answers(network, bank)


async def test_the_connection_of_another_peer_cannot_be_taken_over(run: Run) -> None:
    """Not even by one who knows its routing id, has a name, and speaks ZMTP as libzmq would not."""

    with Network() as network:
        bank = network.side(insecure("bank", "shop", "car"))
        shop = network.side(insecure("shop", "bank"), {"bank": bank.sockets.endpoint})
        shop.sockets.ask("bank", b"inquiry")
        await bank.until_asked()
        route = bank.sockets._routes["shop"]
        car = await ZmtpClient.connect(bank.sockets.endpoint)
        await car.introduce("car", routing_id=route)
        car.send_frame(b"of the car")
        await still_answers(network, bank)
        assert b"of the car" not in [frame for _, frame in bank.frames("asked")]

        shop.sockets.close()
        shop.context.term()
        again = await ZmtpClient.connect(bank.sockets.endpoint)
        await again.introduce("car", routing_id=b"\0" + bytes(4))
        again.send_frame(b"of the car")
        await bank.until(lambda: ("car", b"of the car") in bank.frames("asked"))
        assert ("shop", b"of the car") not in bank.frames("asked")
        for client in (car, again):
            await client.close()


async def test_a_name_that_no_peer_has_is_refused_with_its_frames(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Should the zap_handler let one in: planted here."""

    with Network() as network:
        monkeypatch.setattr(security, "admit", lambda *_: Admission("stranger", ""))
        bank = network.side(insecure("bank", "shop"))
        network.plain_client("stranger", bank.sockets.endpoint).send(b"frame")
        await bank.until_refused("routing-id")
        assert bank.frames("asked") == []


def curve_client(network: Network, endpoint: str, own: str, server: str) -> RawSocket:
    socket = network.client(RECONNECT_IVL=10)
    secure_asker(socket, Curve(keys_of(own), {"bank": keys_of(server).public}), "bank")
    socket.connect(endpoint)
    return socket


async def test_a_key_that_is_not_on_the_list_is_not_let_in_until_it_is(run: Run) -> None:
    """And then without a restart of the peer that was refused."""

    with Network() as network:
        # One who is not let in is left alone until the handshake has taken too long.
        limits = Limits(reconnect=0.01, reconnect_most=0.05, handshake=0.3)
        bank = network.side(curve("bank", "shop"))
        endpoint = bank.sockets.endpoint
        car = network.side(curve("car", "bank"), {"bank": endpoint}, limits=limits)
        car.sockets.ask("bank", b"1")
        await bank.until_refused("unauthorised", 2)
        shown = keys_of("car").public
        assert bank.refused()[0] == (
            "unauthorised",
            f"127.0.0.1: public key {shown} is not on the list".encode(),
        )
        assert bank.frames("asked") == []
        bank.sockets.close()
        bank.context.term()
        mended = network.side(curve("bank", "shop", "car"), bind=endpoint)
        await mended.until_asked()
        assert mended.frames("asked") == [("car", b"1")]


async def test_who_has_not_the_key_that_is_expected_hears_nothing(run: Run) -> None:
    """Neither an asker who expects another server, nor one who speaks in the clear."""

    with Network() as network:
        bank = network.side(curve("bank", "shop"))
        endpoint = bank.sockets.endpoint
        misled = curve_client(network, endpoint, own="shop", server="car")
        plain = network.plain_client("shop", endpoint)
        bare = network.client(RECONNECT_IVL=10)
        bare.connect(endpoint)
        for foreign in (misled, plain, bare):
            with suppress(zmq.Again):  # libzmq may have given up by now
                foreign.send(b"frame", zmq.NOBLOCK)
        right = curve_client(network, endpoint, own="shop", server="bank")
        right.send(b"right")
        await bank.until_asked()
        await turns()
        assert bank.frames("asked") == [("shop", b"right")]


async def test_nobody_without_protection_says_to_be_who_is_not_a_peer(run: Run) -> None:
    with Network() as network:
        bank = network.side(insecure("bank", "shop"))
        for name in ("car", "bank", "x" * 255):
            network.plain_client(name, bank.sockets.endpoint).send(b"frame")
        await bank.until(lambda: len(set(bank.refused())) == 3)
        assert {detail[:36] for _, detail in bank.refused()} == {
            b"127.0.0.1: process 'car' is not on t",
            b"127.0.0.1: process 'bank' is not on ",
            b"127.0.0.1: process 'xxxxxxxxxxxxxxxx",
        }
        assert max(len(detail) for _, detail in bank.refused()) < 300
        assert bank.frames("asked") == []


async def test_what_is_kept_of_a_peer_does_not_grow_with_its_connections(run: Run) -> None:
    with Network() as network:
        bank = network.side(insecure("bank", "shop"))
        clients = [network.plain_client("shop", bank.sockets.endpoint) for _ in range(12)]
        for times in range(1, 4):
            for client in clients:
                client.send(b"inquiry")
            await bank.until_asked(times * len(clients))
        assert bank.refused() == []
        assert len(bank.sockets._routes) == len(bank.sockets._buckets) == 1


async def test_nothing_is_left_open_by_clients_that_come_and_go(run: Run) -> None:
    with Network() as network:
        bank = network.side(insecure("bank", "shop"))
        for number in range(50):
            client = await ZmtpClient.connect(bank.sockets.endpoint)
            await client.introduce("shop")
            client.send_frame(b"%d" % number)
            await bank.until_asked(number + 1)
            await client.close()
        assert len(bank.sockets._routes) == 1
        await still_answers(network, bank)
