"""libzmq looks names up on the threads that send and receive, and waits there for an answer: a peer
that is gone, and whose name is looked up again and again, must keep no other one from being heard.

That a look-up takes long cannot be brought about here without a name server; what can be seen is
on which threads the connections are.
"""

from __future__ import annotations

import asyncio
from typing import Any

import zmq

from choreomon.runtime.network.peers import Limits
from tests.runtime.peer_network import Network, insecure, port_of


def threads(addresses: dict[str, str], **options: Any) -> tuple[int, int, dict[str, int]]:
    """How many threads there are, on which ones is who asks here, and each who is asked."""

    async def main() -> tuple[int, int, dict[str, int]]:
        with Network() as network:
            shop = network.side(insecure("shop", *addresses), addresses, **options)
            for peer in addresses:
                assert shop.sockets.ask(peer, b"inquiry")
            asked = {peer: shop.dealer_to(peer).getsockopt(zmq.AFFINITY) for peer in addresses}
            there = shop.context.get(zmq.IO_THREADS)
            return there, shop.router.getsockopt(zmq.AFFINITY), asked

    return asyncio.run(main())


def test_every_peer_that_has_a_name_has_a_thread_of_its_own() -> None:
    addresses = {f"p{place}": f"tcp://localhost:{place + 1}" for place in range(3)}
    assert threads(addresses) == (4, 1, {"p0": 2, "p1": 4, "p2": 8})


def test_peers_that_have_no_name_share_the_one_thread() -> None:
    addresses = {f"p{place}": f"tcp://127.0.0.1:{place + 1}" for place in range(3)}
    assert threads(addresses) == (1, 1, dict.fromkeys(addresses, 1))


def test_there_are_not_more_threads_than_the_limit_says() -> None:
    addresses = {f"p{place}": f"tcp://localhost:{place + 1}" for place in range(5)}
    there, router, asked = threads(addresses, limits=Limits(lookups=2))
    assert (there, router) == (3, 1)
    assert set(asked.values()) == {2, 4}
    assert threads(addresses, limits=Limits(lookups=0)) == (1, 1, dict.fromkeys(addresses, 1))


async def test_a_peer_with_a_name_is_asked_and_answers(run: Any) -> None:
    with Network() as network:
        bank = network.side(insecure("bank", "shop"))
        address = f"tcp://localhost:{port_of(bank.sockets.endpoint)}"
        shop = network.side(insecure("shop", "bank"), {"bank": address})
        assert shop.sockets.ask("bank", b"inquiry")
        await bank.until_asked()
        assert bank.sockets.answer("shop", b"answer")
        await shop.until_answered()
