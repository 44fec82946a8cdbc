"""`choreomon.runtime.network.security`: who is let in."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import zmq
from hypothesis import given
from hypothesis import strategies as st
from zmq.utils import z85

from choreomon.agent_files.key_files import KeyPair
from choreomon.runtime.network import security
from choreomon.runtime.network.addresses import UnusableAddress, to_listen, to_reach
from choreomon.runtime.network.security import (
    Admission,
    Curve,
    Insecure,
    UnusableKeys,
    admit,
    check_addresses,
    is_router_made,
    make_key_pair,
    mechanism,
    public_keys_of,
    secure_listener,
    user_id,
)
from tests.core.names_for_tests import HARD_NAMES
from tests.runtime.conftest import Run
from tests.runtime.peer_network import (
    LOOPBACK,
    Network,
    ZmtpClient,
    curve,
    insecure,
    keys_of,
    turns,
)

CURVE = (b"CURVE", {z85.decode(keys_of("shop").public): "shop"})
PLAIN = (b"PLAIN", {b"shop": "shop"})


def request(
    *credentials: bytes,
    by: bytes = b"CURVE",
    version: bytes = b"1.0",
    domain: bytes = b"choreomon",
) -> Sequence[bytes]:
    return [version, b"1", domain, b"10.0.0.7", b"", by, *credentials]


class TestAdmission:
    @pytest.mark.parametrize("name", HARD_NAMES)
    def test_whatever_a_process_is_called_it_is_let_in(self, name: str) -> None:
        user = user_id(name).encode("ascii")
        assert len(user) < 256
        how = mechanism(Insecure("another", frozenset((name, "third"))))
        assert admit(request(user, b"x", by=b"PLAIN"), *how) == Admission(name, "")

    def test_a_key_on_the_list_has_the_name_beside_it(self) -> None:
        assert mechanism(curve("bank", "shop")) == CURVE
        assert admit(request(z85.decode(keys_of("shop").public)), *CURVE) == Admission("shop", "")

    def test_a_name_is_taken_on_trust_where_that_was_asked_for(self) -> None:
        assert mechanism(insecure("bank", "shop")) == PLAIN
        assert admit(request(b"shop", b"x", by=b"PLAIN"), *PLAIN) == Admission("shop", "")

    @pytest.mark.parametrize(
        ("asked", "how", "reason"),
        [
            (
                request(z85.decode(keys_of("car").public)),
                CURVE,
                f"10.0.0.7: public key {keys_of('car').public} is not on the list",
            ),
            (request(b"shop", b"x"), CURVE, "10.0.0.7: process 'shop' is not on the list"),
            (
                request(b"car", b"", by=b"PLAIN"),
                PLAIN,
                "10.0.0.7: process 'car' is not on the list",
            ),
            (
                request(b"\xff\n", b"", by=b"PLAIN"),
                PLAIN,
                r"10.0.0.7: process '\xff\n' is not on the list",
            ),
            (
                request(z85.decode(keys_of("shop").public), by=b"NULL"),
                CURVE,
                "10.0.0.7: not by the mechanism CURVE",
            ),
            (
                request(b"shop", b"x", by=b"PLAIN", domain=b"other"),
                PLAIN,
                "10.0.0.7: not by the mechanism PLAIN",
            ),
            (
                request(b"shop", b"x", by=b"PLAIN", version=b"2.0"),
                PLAIN,
                "10.0.0.7: not by the mechanism PLAIN",
            ),
            (request(), CURVE, "a request of ZAP with parts missing"),
            ([], CURVE, "a request of ZAP with parts missing"),
        ],
        # Keys are new each time, and ids of tests must not be.
        ids=["key", "no key", "name", "no name", "NULL", "domain", "version", "short", "nothing"],
    )
    def test_nobody_else_is_let_in(
        self, asked: Sequence[bytes], how: tuple[bytes, dict[bytes, str]], reason: str
    ) -> None:
        assert admit(asked, *how) == Admission("", reason)

    @given(st.lists(st.binary(max_size=300), max_size=10))
    def test_whatever_comes_the_reason_is_short_ascii(self, asked: list[bytes]) -> None:
        for how in (CURVE, PLAIN):
            name, reason = admit(asked, *how)
            assert name == ""
            assert reason.isascii()
            assert len(reason) < 1000

    @given(st.binary(max_size=8))
    def test_routing_ids_of_the_router_begin_with_0(self, routing_id: bytes) -> None:
        assert is_router_made(routing_id) == (len(routing_id) == 5 and routing_id[:1] == b"\0")


class TestKeys:
    def test_own_keys_must_belong_together(self) -> None:
        mixed = replace(keys_of("bank"), public=keys_of("shop").public)
        for pair in (mixed, replace(keys_of("bank"), secret="x")):
            with pytest.raises(UnusableKeys, match="choreomon keygen bank --force"):
                Curve(pair, {})

    def test_what_is_no_key_is_told_with_its_process(self) -> None:
        with pytest.raises(UnusableKeys, match="the public key of shop is no key"):
            Curve(keys_of("bank"), {"shop": "x" * 40 + "y"})

    def test_two_processes_with_one_key_are_refused(self) -> None:
        key = keys_of("shop").public
        with pytest.raises(UnusableKeys, match="shop and car have the same key"):
            Curve(keys_of("bank"), {"shop": key, "car": key})
        with pytest.raises(UnusableKeys, match="bank and shop have the same key"):
            Curve(keys_of("bank"), {"shop": keys_of("bank").public})

    def test_whoever_has_one_of_several_keys_is_let_in_by_its_name(self) -> None:
        old, new, car = (keys_of(name).public for name in ("old", "new", "car"))
        known = Curve(keys_of("bank"), {"shop": (old, new), "car": car})
        _, owners = mechanism(known)
        assert sorted(owners.values()) == ["car", "shop", "shop"]
        for key in (old, new):
            assert admit(request(z85.decode(key)), b"CURVE", owners).process == "shop"
        assert public_keys_of(known, "shop") == (old, new)
        assert public_keys_of(known, "car") == (car,)
        with pytest.raises(UnusableKeys, match="shop and car have the same key"):
            Curve(keys_of("bank"), {"shop": (old, car), "car": car})

    def test_the_own_process_is_no_peer(self) -> None:
        assert curve("bank", "bank", "shop").peers.keys() == {"shop"}
        assert insecure("bank", "bank", "shop").peers == {"shop"}

    def test_secrets_are_not_shown(self) -> None:
        assert keys_of("bank").secret not in repr(curve("bank"))

    def test_new_keys_are_new_and_belong_together(self) -> None:
        first, second = make_key_pair("bank"), make_key_pair("bank")
        assert first.secret != second.secret
        assert Curve(first, {}).process == "bank"

    def test_a_library_without_encryption_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(zmq, "has", lambda _: False)
        with pytest.raises(UnusableKeys, match="install the wheel"):
            make_key_pair("bank")
        with pytest.raises(UnusableKeys, match="install the wheel"):
            Curve(KeyPair("bank", "", ""), {})


class TestAddresses:
    @pytest.mark.parametrize(
        "bind",
        ["tcp://*:5000", "tcp://0.0.0.0:5000", "tcp://eth0:0", "tcp://[::]:0", "tcp://10.0.0.1:0"],
    )
    def test_without_protection_one_listens_on_loopback_only(self, bind: str) -> None:
        with pytest.raises(UnusableAddress, match=r"the own address: .*`choreomon keygen`"):
            check_addresses(Insecure("bank", []), to_listen(bind), {})

    @pytest.mark.parametrize(
        "address",
        [
            "tcp://shop:5000",
            "tcp://10.0.0.1:5000",
            "tcp://[fe80::1]:1",
            "tcp://127.0.0.1.example.org:1",
        ],
    )
    def test_without_protection_one_asks_on_loopback_only(self, address: str) -> None:
        with pytest.raises(UnusableAddress, match=r"shop: tcp://.* use 127\.0\.0\.1"):
            check_addresses(
                Insecure("bank", ["shop"]), to_listen("tcp://[::1]:0"), {"shop": to_reach(address)}
            )

    def test_loopback_is_enough_without_protection(self) -> None:
        there = {"shop": to_reach("tcp://localhost:1"), "car": to_reach("tcp://127.9.9.9:1")}
        check_addresses(Insecure("bank", there), to_listen("tcp://localhost:0"), there)

    def test_with_keys_any_address_will_do_if_there_is_a_key_for_it(self) -> None:
        there = {"shop": to_reach("tcp://shop.example.org:5000")}
        check_addresses(curve("bank", "shop"), to_listen("tcp://*:5000"), there)
        with pytest.raises(UnusableKeys, match=r"no public key of shop: copy shop\.pub"):
            check_addresses(curve("bank"), to_listen("tcp://*:5000"), there)


@pytest.mark.parametrize("enforced", [True, False])
async def test_where_no_doorkeeper_is_nobody_is_let_in(
    run: Run, enforced: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """libzmq lets everybody in, unless the domain is enforced: planted with `enforced` False."""

    with Network() as network:
        server = network.client(zmq.ROUTER)
        secure_listener(server, curve("bank", "shop"))
        if not enforced:
            server.setsockopt(zmq.ZAP_ENFORCE_DOMAIN, 0)
        server.bind(LOOPBACK)
        client = network.client(RECONNECT_IVL=10)
        stranger = Curve(keys_of("car"), {"bank": keys_of("bank").public})
        security.secure_asker(client, stranger, "bank")
        monitor = network.monitor(client, zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_DISCONNECTED)
        client.connect(server.getsockopt_string(zmq.LAST_ENDPOINT))
        assert monitor.poll(120_000)
        event = int.from_bytes(monitor.recv_multipart()[0][:2], "little")
        assert (event == zmq.EVENT_HANDSHAKE_SUCCEEDED) is not enforced


async def test_a_doorkeeper_that_is_gone_lets_nobody_in(run: Run) -> None:
    with Network() as network:
        bank = network.side(insecure("bank", "shop"))
        bank.sockets._zap_handler.close()
        foreign = await ZmtpClient.connect(bank.sockets.endpoint)
        with pytest.raises(asyncio.IncompleteReadError):
            await foreign.introduce("shop")
        await foreign.close()


async def test_many_who_come_at_once_are_all_judged(run: Run) -> None:
    with Network() as network:
        bank = network.side(insecure("bank", "shop"))

        async def come(name: str) -> Any:
            client = await ZmtpClient.connect(bank.sockets.endpoint)
            await client.introduce(name)
            await client.close()

        await asyncio.gather(*(come("shop") for _ in range(50)))
        for _ in range(40):
            network.plain_client("car", bank.sockets.endpoint)
        await bank.until_refused("unauthorised", 40)
        await turns()
        assert set(bank.reasons()) == {"unauthorised"}
