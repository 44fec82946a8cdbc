"""Addresses of agents, and how soon to connect again."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

VARIABLE: Final = "CHOREOMON"
"""The environment variable with the address of the agent; `off` or nothing: no monitor."""

OFF: Final = "off"

_MORE_THAN_A_TOKEN: Final = 4096
"""Characters of a file that are read for a token, which is shorter."""
TOKEN_VARIABLE: Final = "CHOREOMON_TOKEN_FILE"

_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True)
class Address:
    """A Unix stream where `path` is not "", else a loopback connection."""

    path: str = ""
    host: str = ""
    port: int = 0

    def __str__(self) -> str:
        if self.path:
            return self.path
        return (
            f"tcp://[{self.host}]:{self.port}"
            if ":" in self.host
            else (f"tcp://{self.host}:{self.port}")
        )


def parse_address(text: str) -> Address:
    """`/path`, `unix:/path` or `tcp://127.0.0.1:PORT`. Raises `ValueError` for anything else, a
    word without a slash or a dot among it, and for hosts beyond this one: what is said to an
    agent is not encrypted."""
    if text.startswith("tcp://"):
        host, _, port = text.removeprefix("tcp://").rpartition(":")
        host = host.removeprefix("[").removesuffix("]")
        if host not in _LOOPBACK:
            raise ValueError(
                f"agent address {text!r}: an agent is on its service's own machine; "
                f"use one of {', '.join(_LOOPBACK)}"
            )
        if not port.isascii() or not port.isdigit() or not 0 < int(port) < 65_536:
            raise ValueError(f"agent address {text!r}: a port is expected after the last ':'")
        return Address(host=host, port=int(port))
    path = text.removeprefix("unix:").removeprefix("//")
    if path == text and path and not {"/", "."} & {*path}:
        # `no`, `0` and `false` would be files of the current directory.
        raise ValueError(
            f"agent address {text!r} is neither an address nor `off`: use the path of the agent's "
            f"socket, as /run/choreomon/shop.sock or ./{text}, or tcp://127.0.0.1:PORT, or `off`"
        )
    if not path or "://" in path:
        raise ValueError(
            f"agent address {text!r}: use the path of the agent's socket, as "
            "/run/choreomon/shop.sock, or tcp://127.0.0.1:PORT"
        )
    return Address(path=path)


def given_address(
    address: str | os.PathLike[str] | None, environment: Mapping[str, str]
) -> Address | None:
    """The address, or that of the environment; `None` where monitoring is switched off. The
    environment's `off` counts more than an address in the code, so that operators can say it; what
    it says has to be right for that reason, too. Raises `ValueError` where it is not, and for an
    address that is none."""
    said = _stated(environment.get(VARIABLE, ""))
    try:
        found = parse_address(said) if said not in ("", OFF) else None
    except ValueError as error:
        raise ValueError(f"the environment variable {VARIABLE}: {error}") from None
    if said == OFF or address is None:
        return found
    if not isinstance(address, str):
        return Address(path=os.fspath(address))
    text = _stated(address)
    return None if text in ("", OFF) else parse_address(text)


def _stated(text: str) -> str:
    """The text without blanks around it, and `off` in small letters."""
    text = text.strip()
    return OFF if text.lower() == OFF else text


def read_token(
    where: Address, file: str | os.PathLike[str] | None, environment: Mapping[str, str]
) -> str:
    """The token of the agent at `where`, for those who may read its file; "" where no file is
    named. At a Unix stream there is none, whatever is named: one environment may be that of
    services at both. Raises `OSError` where it cannot be read."""
    if where.path:
        return ""
    name = file if file is not None else environment.get(TOKEN_VARIABLE)
    if not name:
        return ""
    with open(name, encoding="utf-8") as stream:
        return stream.read(_MORE_THAN_A_TOKEN).strip()


@dataclass(frozen=True, slots=True)
class Backoff:
    """Seconds between attempts to connect: `first`, then `factor` times as long each time, up to
    `most`. The last half is random, so that services do not all come at once."""

    first: float = 0.05
    factor: float = 2.0
    most: float = 2.0

    def delay(self, failures: int, drawn: float) -> float:
        """The delay after this many failures in a row; `drawn` is from 0 to 1."""
        longest = min(self.most, self.first * self.factor ** min(failures, 64))
        return longest * (0.5 + 0.5 * drawn)


PATIENT: Final = Backoff()
"""Comes back soon after a restart, and is no burden for an agent that stays unavailable."""


def drawn() -> float:
    """Draw a number from 0 to 1, without the price of importing `random`."""
    return int.from_bytes(os.urandom(2), "big") / 0xFFFF
