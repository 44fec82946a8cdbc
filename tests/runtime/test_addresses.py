"""`choreomon.runtime.addresses`."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.runtime.addresses import Address, UnusableAddress, to_listen, to_reach


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("tcp://shop:5000", Address("shop", 5000)),
        ("tcp://shop-1.example.org:65535", Address("shop-1.example.org", 65535)),
        ("tcp://127.0.0.1:1", Address("127.0.0.1", 1)),
        ("tcp://[::1]:5000", Address("::1", 5000)),
    ],
)
def test_an_address_is_host_and_port_and_written_as_it_was_read(
    text: str, address: Address
) -> None:
    assert to_reach(text) == to_listen(text) == address
    assert str(address) == text


@pytest.mark.parametrize("text", ["tcp://*:5000", "tcp://shop:0", "tcp://shop:*"])
def test_some_addresses_are_for_listening_only(text: str) -> None:
    assert str(to_listen(text)) == text.replace(":0", ":*")
    with pytest.raises(UnusableAddress, match="name a host and a port"):
        to_reach(text)


def test_localhost_is_a_number_where_one_listens_since_libzmq_looks_up_none_there() -> None:
    assert to_listen("tcp://localhost:1") == Address("127.0.0.1", 1)
    assert to_reach("tcp://localhost:1") == Address("localhost", 1)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "shop:5000",
        "tcp://shop",
        "tcp://:5000",
        "tcp://shop:65536",
        "tcp://shop:-1",
        "tcp://a;b:5000",
        "tcp://shop:5000/",
        "tcp://shop:5000\n",
        "tcp://::1:5000",
        "tcp://[1.2]:5000",
        "tcp://[:::]:5000",
        "udp://shop:5000",
        "ipc:///tmp/shop",
        "inproc://shop",
    ],
)
def test_what_is_no_address_is_told(text: str) -> None:
    for read in (to_reach, to_listen):
        with pytest.raises(UnusableAddress, match="is no address: "):
            read(text)


@given(st.text(max_size=40).map(lambda text: f"tcp://{text}"))
def test_no_text_does_anything_else(text: str) -> None:
    with suppress(UnusableAddress):
        assert to_reach(text) == to_reach(str(to_reach(text)))


@pytest.mark.parametrize(
    ("host", "loopback", "ipv6"),
    [
        ("127.0.0.1", True, False),
        ("127.255.0.9", True, False),
        ("localhost", True, False),
        ("::1", True, True),
        ("::", False, True),
        ("0.0.0.0", False, False),
        ("10.0.0.1", False, False),
        ("localhost.example.org", False, False),
        ("*", False, False),
    ],
)
def test_only_some_hosts_are_certainly_this_machine(host: str, loopback: bool, ipv6: bool) -> None:
    assert Address(host, 1).is_loopback is loopback
    assert Address(host, 1).is_ipv6 is ipv6
