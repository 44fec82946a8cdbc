"""Putting what travels with a message onto the message, and taking it off again.

A carrier is whatever a transport has for headers:

- a mapping with `str` keys, as of HTTP clients, AMQP, MQTT; looked up without regard to case;
  to be read, whatever else has `items()`, as the headers of `http.server`;
- a list of pairs of bytes, as of ASGI, or of pairs whose name is a `str`;
- the member `choreomon` of the header `baggage` (W3C Baggage), beside the members of others.

Where a client wants another kind, or one that cannot be changed, there is a function that makes it,
with the other headers in it: `kafka_headers`, `grpc_metadata`, `wsgi_headers`. Each of these can be
read, too, and the environment of WSGI. Values that are read may be `str` or `bytes`. For a carrier
of yet another kind `header` gives name and value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any, Final, TypeAlias, TypeGuard

from choreomon.agent_files.clocks.text import (
    HEADER,
    Carried,
    decode_carried_untrusted,
    encode_carried,
)
from choreomon.core.errors import MalformedMessage

Carrier: TypeAlias = MutableMapping[str, Any] | list[Any]
"""Carriers that can be written: a mapping, or a list of (name, value)."""

Readable: TypeAlias = Mapping[Any, Any] | Iterable[Any] | None
"""Carriers that can be read: a mapping or anything with `items()`, pairs, or nothing at all."""

BAGGAGE: Final = "baggage"


def header(carried: Carried) -> tuple[str, str]:
    """Name and value, both ASCII."""
    return HEADER, encode_carried(carried)


def inject(carrier: Carrier, carried: Carried) -> None:
    """Writes the header, in the place of one that is there already. What carries nothing (a
    sender without a name, as of a process that is not monitored) leaves the carrier alone."""
    if carried.sender:
        _write(carrier, HEADER, encode_carried(carried))


def remove(carrier: Carrier) -> None:
    """Remove the header, if there is one, from headers that were copied from another message."""
    if isinstance(carrier, list):
        carrier[:] = _others(carrier, HEADER)
        return
    for key in [key for key in carrier if _is(key, HEADER)]:
        del carrier[key]


def kafka_headers(carried: Carried, headers: Readable = None) -> list[tuple[str, Any]]:
    """Make headers for clients of Kafka, a list of pairs of `str` and `bytes`. Given `headers`
    (such a list, a mapping, or nothing) are kept."""
    pairs = _others(headers, HEADER)
    if carried.sender:
        pairs.append((HEADER, encode_carried(carried).encode()))
    return pairs


def grpc_metadata(carried: Carried, metadata: Readable = None) -> tuple[tuple[str, Any], ...]:
    """Metadata for calls of gRPC: a tuple of pairs, whose names are in lower case, in which
    `metadata` (pairs, a mapping, `grpc.aio.Metadata`, or nothing) stay as they are."""
    pairs = [
        (key, one)
        for key, value in _others(metadata, HEADER)
        for one in (value if isinstance(value, list) else [value])  # of `grpc.aio.Metadata`
    ]
    return (*pairs, header(carried)) if carried.sender else tuple(pairs)


def wsgi_headers(carried: Carried, headers: Readable = None) -> list[tuple[str, Any]]:
    """Headers of a response for `start_response` of WSGI: a list of pairs of `str`."""
    return list(grpc_metadata(carried, headers))


def extract_untrusted(carrier: Readable) -> Carried | None:
    """Read the header; `None` if there is none. Raises `MalformedMessage`, and nothing else, if it
    is unreadable."""
    values = header_values(carrier, HEADER)
    if len({*values}) > 1:
        raise MalformedMessage(f"header {HEADER}: it is there {len(values)} times")
    return decode_carried_untrusted(values[0]) if values else None


def inject_baggage(carrier: Carrier, carried: Carried) -> None:
    """Inject as a member of the baggage; the members of others stay as they are."""
    if carried.sender:
        members = [member for member in _members(carrier) if _key(member) != HEADER]
        _write(carrier, BAGGAGE, ",".join([*members, f"{HEADER}={encode_carried(carried)}"]))


def extract_baggage_untrusted(carrier: Readable) -> Carried | None:
    """Extract, as `extract_untrusted` does, from the baggage."""
    for member in _members(carrier):
        if _key(member) == HEADER:
            value = member.partition("=")[2].partition(";")[0].strip()
            if "%" in value:
                from urllib.parse import unquote

                # Propagators that read and write the baggage may escape the slashes.
                value = unquote(value, errors="replace")
            return decode_carried_untrusted(value)
    return None


def _members(carrier: Readable) -> list[str]:
    members = [
        member.strip() for value in header_values(carrier, BAGGAGE) for member in value.split(",")
    ]
    return [member for member in members if member]


def _key(member: str) -> str:
    return member.partition("=")[0].strip()


def header_values(carrier: Readable, name: str) -> list[str]:
    """The values of the headers of this name, which is in lower case. Raises `MalformedMessage`
    where one is no text."""
    if _is_wsgi_environment(carrier):
        variable = f"HTTP_{name.upper()}"
        carrier = {name: carrier[variable]} if variable in carrier else {}
    found: list[str] = []
    for key, value in _pairs(carrier):
        if _is(key, name):
            # AMQP and multi-mappings have lists of values, and lists have repeated names.
            for one in value if isinstance(value, list | tuple) else [value]:
                if isinstance(one, bytes):
                    found.append(one.decode("latin-1"))
                elif isinstance(one, str):
                    found.append(one)
                else:
                    raise MalformedMessage(f"header {name}: {type(one).__name__} is no text")
    return found


def _pairs(carrier: Readable) -> Iterable[Any]:
    if carrier is None:
        return ()
    items = getattr(carrier, "items", None)
    return carrier if items is None else items()


def _others(carrier: Readable, name: str) -> list[tuple[str, Any]]:
    """The headers without those of this name."""
    return [(key, value) for key, value in _pairs(carrier) if not _is(key, name)]


def _is_wsgi_environment(carrier: Readable) -> TypeGuard[Mapping[str, Any]]:
    """Recognise the environment of WSGI by a key that no header of a request can have: PEP 3333 has
    a pair of numbers there. Only there a header is called `HTTP_CHOREOMON`, and `CHOREOMON` is a
    variable of the process."""
    return isinstance(carrier, Mapping) and carrier.get("wsgi.version") == (1, 0)


def _is(key: object, name: str) -> bool:
    if isinstance(key, bytes):
        return key.lower() == name.encode()
    return isinstance(key, str) and key.lower() == name


def _write(carrier: Carrier, name: str, value: str) -> None:
    if isinstance(carrier, list):
        text_names = bool(carrier) and isinstance(carrier[0][0], str)
        text_values = text_names and isinstance(carrier[0][1], str)
        carrier[:] = [pair for pair in carrier if not _is(pair[0], name)]
        carrier.append(
            (name if text_names else name.encode(), value if text_values else value.encode())
        )
        return
    if not hasattr(carrier, "__setitem__"):  # a tuple, or nothing
        raise TypeError(
            f"nothing can be written into a {type(carrier).__name__}: use what `kafka_headers`, "
            "`grpc_metadata` or `wsgi_headers` of choreomon.sdk.carriers gives"
        )
    for key in [key for key in carrier if _is(key, name) and key != name]:
        del carrier[key]
    carrier[name] = value


class Carrying:
    """Carriers for every process. `malformed` counts what could not be read, `redelivered` what a
    broker said that it delivered again (`choreomon.sdk.brokers`)."""

    def __init__(self) -> None:
        self.malformed = 0
        self.redelivered = 0

    def inject(self, carrier: Carrier, carried: Carried) -> None:
        """Writes `carried` into the headers of a message that is about to leave."""
        inject(carrier, carried)

    def extract(self, carrier: Readable) -> Carried | None:
        """Read what came with a message; `None` where nothing did, or nothing readable: that is
        counted, and never disturbs the service."""
        try:
            return extract_untrusted(carrier)
        except MalformedMessage:
            self.malformed += 1
            return None

    def inject_baggage(self, carrier: Carrier, carried: Carried) -> None:
        """Inject as a member of the W3C baggage."""
        inject_baggage(carrier, carried)

    def extract_baggage(self, carrier: Readable) -> Carried | None:
        """Extract from the W3C baggage."""
        try:
            return extract_baggage_untrusted(carrier)
        except MalformedMessage:
            self.malformed += 1
            return None
