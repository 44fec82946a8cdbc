"""Types of fields in an agent's configuration: times, addresses, files, URLs."""

from __future__ import annotations

import re
from typing import Annotated, Final, TypeAlias
from urllib.parse import urlsplit

from choreomon.agent_files.addresses import ANY_HOST, parse_address, parse_tcp
from choreomon.files.fields import MAX_MILLISECONDS
from choreomon.files.shape_words import shown
from choreomon.files.shapes import After, Before, Parsed, Refused

_TIME: Final = r"([0-9]{1,9}(?:\.[0-9]{1,9})?) ?(ms|s|m|h)"
_SECONDS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def _time(value: object) -> float:
    seconds = 0.0
    if isinstance(value, str) and (found := re.fullmatch(_TIME, value)):
        seconds = float(found[1]) * _SECONDS[found[2]]
    elif isinstance(value, int | float) and value is not True:
        seconds = value / 1000 if abs(value) <= MAX_MILLISECONDS else 0.0
    if not 0 < seconds <= MAX_MILLISECONDS / 1000:
        raise Refused(
            'should be a time such as "250ms", "2s" or "1m", or a number of milliseconds, greater '
            f"than 0, not {shown(value)}"
        )
    return seconds


def _listening(text: str) -> str:
    address = parse_tcp(text)
    if address is None or not address.numeric:
        raise Refused(
            "should be tcp://ADDRESS:PORT, as in tcp://0.0.0.0:7600, with the number of an "
            f"address of this machine or *, not {shown(text)}"
        )
    return text


def peer_address(text: str) -> str:
    """Return the address at which another agent is reached. Raises the error of a field for any
    other text."""
    address = parse_tcp(text)
    if address is None or address.port == 0 or address.host in (ANY_HOST, "0.0.0.0", "::"):
        raise Refused(f"should be tcp://HOST:PORT, as in tcp://shop:7600, not {shown(text)}")
    return text


def _host_port(text: str) -> str:
    address = parse_address(text)
    if address is None or address.host == ANY_HOST or not (address.numeric or address.loopback):
        raise Refused(
            "should be ADDRESS:PORT, as in 127.0.0.1:7680, with the number of an address of this "
            f"machine, not {shown(text)}"
        )
    return text


def _file(text: str) -> str:
    if not text or "\0" in text:
        raise Refused(f"should be the path of a file, not {shown(text)}")
    return text


def _url(text: str) -> str:
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise Refused(f"should be a URL, as in http://127.0.0.1:9000/verdict, not {shown(text)}")
    if not (text.isascii() and text.isprintable()) or " " in text:
        raise Refused(f"should be a URL of letters, digits and signs of ASCII, not {shown(text)}")
    return text


def _true(value: object) -> bool:
    if value is not True:
        raise Refused("should be true; take it out where verdicts go elsewhere")
    return True


Time: TypeAlias = Annotated[
    float,
    Parsed(
        _time,
        {
            "anyOf": [
                {"type": "string", "pattern": f"^{_TIME}$"},
                {"type": "number", "exclusiveMinimum": 0, "maximum": MAX_MILLISECONDS},
            ]
        },
    ),
]
ListeningAddress: TypeAlias = Annotated[str, After(_listening)]
PeerAddress: TypeAlias = Annotated[str, After(peer_address)]
HostPort: TypeAlias = Annotated[str, After(_host_port)]
FilePath: TypeAlias = Annotated[str, After(_file)]
URL: TypeAlias = Annotated[str, After(_url)]
Affirmed: TypeAlias = Annotated[bool, Before(_true)]
