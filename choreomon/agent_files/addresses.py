"""Addresses to listen at or to connect to: `HOST:PORT`, and with `tcp://` before it."""

from __future__ import annotations

import re
import sys
from ipaddress import ip_address
from typing import Final, NamedTuple

ANY_HOST: Final = "*"
"""The host for all interfaces of a machine, to listen at."""
HERE: Final = "an address of this machine and a port that is free"
"""The fix in errors about addresses where nothing can listen."""
MAX_SOCKET_PATH: Final = 107 if sys.platform == "linux" else 103
"""Bytes of the path of a Unix socket."""
_TCP: Final = "tcp://"
_ALL: Final = (ANY_HOST, "0.0.0.0", "::")
_ADDRESS: Final = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._*-]{1,253}):([0-9]{1,5})")
_HOST: Final = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?\.?")
_DIGITS: Final = re.compile(r"[0-9.]+")


class Address(NamedTuple):
    """A host and a port. `host` is a name, an IPv4 or an IPv6 address (without brackets), or
    `ANY_HOST`; port 0 stands for any that is free."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def numeric(self) -> bool:
        """True if no name has to be looked up."""
        try:
            ip_address(self.host)
        except ValueError:
            return self.host == ANY_HOST
        return True

    @property
    def loopback(self) -> bool:
        """True if it is surely of this machine alone: by its number, or as `localhost`."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host.lower() == "localhost"


def parse_address(text: str) -> Address | None:
    """`HOST:PORT`, as in `127.0.0.1:7680` and `[::1]:7680`; `None` where it is none."""
    found = _ADDRESS.fullmatch(text)
    if found is None or int(found[2]) > 65_535:
        return None
    host = found[1]
    if host.startswith("["):
        host = host[1:-1]
        numeric = Address(host, 0).numeric and ":" in host
        return Address(host, int(found[2])) if numeric else None
    if host != ANY_HOST:
        if not _HOST.fullmatch(host):
            return None
        if _DIGITS.fullmatch(host) and not Address(host, 0).numeric:
            return None  # 127.0.0.256 and 10.1 are no names either
    return Address(host, int(found[2]))


def reached_at(endpoint: str, advertised: str, host: str) -> str:
    """The address at which others reach an agent that listens at this endpoint: what is advertised,
    or the endpoint, with this host of the machine where it is that of all interfaces. Empty where
    none follows, since the one is of IPv4 and the other of IPv6."""
    address = parse_tcp(endpoint)
    if advertised or address is None:
        return advertised
    if address.host not in _ALL:
        return endpoint
    if (":" in host) is not (":" in address.host):
        return ""
    return f"{_TCP}{Address(host, address.port)}"


def at_port_of(advertised: str, endpoint: str) -> str:
    """The advertised address, with the port of this endpoint; empty where nothing is advertised."""
    address, other = parse_tcp(advertised), parse_tcp(endpoint)
    return "" if address is None or other is None else f"{_TCP}{Address(address.host, other.port)}"


def parse_tcp(text: str) -> Address | None:
    """`tcp://HOST:PORT`; `None` where it is none."""
    return parse_address(text.removeprefix(_TCP)) if text.startswith(_TCP) else None
