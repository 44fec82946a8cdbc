"""Where agents listen and where they are reached: `tcp://HOST:PORT`.

HOST is a name, an IPv4 address, an IPv6 address in brackets or, to listen on all interfaces, `*`.
PORT is 1 to 65535; to listen, also 0 or `*`, which is any that is free. Nothing is looked up here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Final

from choreomon.core.errors import ChoreomonError

_ADDRESS: Final = re.compile(r"tcp://(\*|[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\]):([0-9]{1,5}|\*)")
_FORM: Final = "write tcp://HOST:PORT, an IPv6 address in brackets"


class UnusableAddress(ChoreomonError):
    """No address, or none that may be used so. The message says what would be right."""


@dataclass(frozen=True, slots=True)
class Address:
    """`port` 0: any that is free. `host` has no brackets."""

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Whether it is certainly this machine. Of other names than `localhost` that is not
        certain, wherever they lead today."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def is_ipv6(self) -> bool:
        """Whether the host is an IPv6 address, so that IPv6 is meant whatever else is said."""
        try:
            return isinstance(ip_address(self.host), IPv6Address)
        except ValueError:
            return False

    def __str__(self) -> str:
        host = f"[{self.host}]" if self.is_ipv6 else self.host
        return f"tcp://{host}:{self.port or '*'}"


def to_listen(text: str) -> Address:
    """The address of one's own. Raises `UnusableAddress`."""
    address = _parsed(text)
    # libzmq looks up names of others only.
    return Address("127.0.0.1", address.port) if address.host == "localhost" else address


def to_reach(text: str) -> Address:
    """The address of another. Raises `UnusableAddress`, also for what only a listener can use."""
    address = _parsed(text)
    if address.host == "*" or not address.port:
        raise UnusableAddress(f"{text!r} is an address to listen at: name a host and a port")
    return address


def _parsed(text: str) -> Address:
    match = _ADDRESS.fullmatch(text)
    if match is None:
        raise UnusableAddress(f"{text!r} is no address: {_FORM}")
    host, port = match[1].strip("[]"), 0 if match[2] == "*" else int(match[2])
    if port > 65535:
        raise UnusableAddress(f"{text!r} is no address: ports end at 65535")
    if match[1].startswith("["):
        try:
            IPv6Address(host)
        except ValueError:
            raise UnusableAddress(f"{text!r} is no address: {host} is no IPv6 address") from None
    return Address(host, port)
