"""`choreomon.runtime.network.addresses`; what an address is, `choreomon.agent_files.addresses`
says."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.agent_files.addresses import Address
from choreomon.runtime.network.addresses import (
    UnusableAddress,
    as_endpoint,
    is_ipv6,
    to_listen,
    to_reach,
)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("tcp://shop:5000", Address("shop", 5000)),
        ("tcp://shop_1.example.org:65535", Address("shop_1.example.org", 65535)),
        ("tcp://127.0.0.1:1", Address("127.0.0.1", 1)),
        ("tcp://[::1]:5000", Address("::1", 5000)),
    ],
)
def test_an_address_is_written_as_it_was_read(text: str, address: Address) -> None:
    assert to_reach(text) == to_listen(text) == address
    assert as_endpoint(address) == text
    assert is_ipv6(address) is ("[" in text)


@pytest.mark.parametrize("text", ["tcp://*:5000", "tcp://shop:0"])
def test_some_addresses_are_for_listening_only(text: str) -> None:
    assert as_endpoint(to_listen(text)) == text
    with pytest.raises(UnusableAddress, match="name a host and a port"):
        to_reach(text)


def test_localhost_is_a_number_where_one_listens_since_libzmq_looks_up_none_there() -> None:
    assert to_listen("tcp://LOCALHOST:1") == Address("127.0.0.1", 1)
    assert to_reach("tcp://localhost:1") == Address("localhost", 1)


@pytest.mark.parametrize(
    "text",
    ["", "shop:5000", "tcp://a;b:5000", "tcp://shop:5000/", "ipc:///tmp/shop", "inproc://shop"],
)
def test_what_is_no_address_is_told(text: str) -> None:
    for read in (to_reach, to_listen):
        with pytest.raises(UnusableAddress, match=r"is no address: write tcp://HOST:PORT"):
            read(text)


@given(st.text(max_size=40).map(lambda text: f"tcp://{text}"))
def test_no_text_does_anything_else(text: str) -> None:
    with suppress(UnusableAddress):
        assert to_reach(text) == to_reach(as_endpoint(to_reach(text)))
