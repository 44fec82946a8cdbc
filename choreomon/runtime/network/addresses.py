"""Addresses at which agents listen and are reached: `tcp://HOST:PORT`, checked. Nothing is looked
up.

HOST is a name, an IPv4 address, an IPv6 address in brackets or, to listen on all interfaces, `*`.
PORT is 1 to 65535 or, to listen, also 0, which is any that is free.
"""

from __future__ import annotations

from typing import Final

from choreomon.agent_files.addresses import ANY_HOST, Address, parse_tcp
from choreomon.core.errors import ChoreomonError

_LOOPBACK: Final = "127.0.0.1"


class UnusableAddress(ChoreomonError):
    """A text is no address, or may not be used as such. The message says what would be right."""


def to_listen(text: str) -> Address:
    """The address of one's own. Raises `UnusableAddress`."""
    address = _parsed(text)
    # Of a listener, libzmq looks up no names.
    return Address(_LOOPBACK, address.port) if address.host.lower() == "localhost" else address


def to_reach(text: str) -> Address:
    """The address of another. Raises `UnusableAddress`, also for what only a listener can use."""
    address = _parsed(text)
    if address.host == ANY_HOST or not address.port:
        raise UnusableAddress(f"{text!r} is an address to listen at: name a host and a port")
    return address


def as_endpoint(address: Address) -> str:
    """The address as libzmq wants it."""
    return f"tcp://{address}"


def is_ipv6(address: Address) -> bool:
    """Tell whether the host is an IPv6 address, which then decides the family."""
    return ":" in address.host


def _parsed(text: str) -> Address:
    address = parse_tcp(text)
    if address is None:
        raise UnusableAddress(
            f"{text!r} is no address: write tcp://HOST:PORT, an IPv6 address in brackets"
        )
    return address
