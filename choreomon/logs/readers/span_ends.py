"""The other end of a span's message, and what is asked for there, as the span by itself says it by
whichever convention. Records of spans get more fields:

- `path`: of a request, without what follows a `?`;
- `host`, `address`: of CLIENT and PRODUCER, the host that it goes to, and `HOST:PORT`;
- `channel`: of messaging, the topic, the queue, or the exchange with the routing key;
- `tool`: of the Model Context Protocol, the tool that is called, or else the method;
- `routed`: method and route of a request, as `POST /orders/{order}`, where a route is known;
- `request`: the same, or method and path;
- `route`: what stands in the places of such a route, by their names, as `{"order": "A-17"}`;
- `destination`: the process that a mapping's table has for where it goes.

All of them are known when a span begins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

Record = dict[str, Any]

_PLACE: Final = re.compile(r"\{([A-Za-z_]\w*)\}")
_ROUTE: Final = re.compile(r"(?:(?P<method>[A-Z]+) +)?(?P<path>/\S*)")
_CALLED: Final = re.compile(r"(?:^| )tools/call (\S+)$")
_PORTS: Final = {"http": 80, "https": 443, "ws": 80, "wss": 443}


class Route(NamedTuple):
    """A route: `name` is how it is written, `method` "" where it fits all, and `fits` finds what
    stands in its places."""

    name: str
    method: str
    fits: Callable[[str], re.Match[str] | None]


def parse_route(text: str) -> Route:
    """The route `POST /orders/{order}/cancel`, or the same without a method; a place stands for
    one part of a path. Raises ValueError, which says what is wrong."""
    found = _ROUTE.fullmatch(text)
    if found is None:
        raise ValueError(
            f"is no route: {text[:60]!r}: write a path, with a method before it or none, as in "
            "POST /orders/{order}/cancel"
        )
    path = found["path"]
    places = _PLACE.findall(path)
    if len({*places}) < len(places):
        raise ValueError(f"names a place twice: {text[:60]!r}")
    pieces = _PLACE.split(path)
    if any({"{", "}"} & {*piece} for piece in pieces[::2]):
        raise ValueError(
            f"has a place without a name: {text[:60]!r}: write letters, digits and _ between "
            "braces, as in /orders/{order}"
        )
    pattern = "".join(
        f"(?P<{piece}>[^/]+)" if number % 2 else re.escape(piece)
        for number, piece in enumerate(pieces)
    )
    return Route(path, found["method"] or "", re.compile(pattern).fullmatch)


class SpanEnds:
    """Finds the fields. `processes`: by address, host, topic, queue, service of RPC, tool or
    `peer.service` the process that is there; `routes`: of which the first that fits counts."""

    def __init__(self, processes: Mapping[str, str], routes: Iterable[str]) -> None:
        self._processes = processes
        self._routes = tuple(map(parse_route, routes))

    def describe(self, record: Record) -> None:
        """Adds the fields to a record that has `kind`, `name` and `attributes`."""
        attributes: Mapping[str, Any] = record["attributes"]
        url = _text(attributes, "url.full", "http.url")
        parts = _parts(url)
        sends = record["kind"] in ("CLIENT", "PRODUCER")
        if sends:
            _address(record, attributes, parts)
        record["channel"] = channel = _channel(attributes)
        if "mcp.method.name" in attributes:
            record["tool"] = _tool(record, attributes)
        method = _text(attributes, "http.request.method", "http.method")
        if method is not None:
            self._request(record, attributes, method, _path(attributes, parts))
        if sends and self._processes:
            keys = (
                *(record.get("address"), record.get("host"), channel, record.get("tool")),
                *(_text(attributes, "rpc.service"), _text(attributes, "peer.service")),
            )
            found = (self._processes.get(key) for key in keys if key is not None)
            record["destination"] = next((each for each in found if each is not None), None)

    def _request(
        self, record: Record, attributes: Mapping[str, Any], method: str, path: str | None
    ) -> None:
        record["path"] = path
        known = _text(attributes, "http.route", "url.template")
        if path is not None:
            for route in self._routes:
                if route.method in ("", method) and (found := route.fits(path)):
                    known = route.name
                    record["route"] = found.groupdict()
                    break
        if known is not None:
            record["routed"] = f"{method} {known}"
        asked = path if known is None else known
        if asked is not None:
            record["request"] = f"{method} {asked}"


def _parts(url: str | None) -> tuple[str, str, int | None, str] | None:
    """Scheme, host, port and path of a URL; None where it is none."""
    if url is None:
        return None
    try:
        split = urlsplit(url)
        return split.scheme, split.hostname or "", split.port, split.path
    except ValueError:
        return None


def _address(
    record: Record, attributes: Mapping[str, Any], parts: tuple[str, str, int | None, str] | None
) -> None:
    host = _text(attributes, "server.address", "net.peer.name", "http.host")
    port: Any = attributes.get("server.port", attributes.get("net.peer.port"))
    if parts is not None:
        scheme, named, given, _ = parts
        host = named or host
        port = given or port or _PORTS.get(scheme)
    if host:
        record["host"] = host
        if port is not None:
            record["address"] = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _path(
    attributes: Mapping[str, Any], parts: tuple[str, str, int | None, str] | None
) -> str | None:
    if parts is not None:
        return parts[3] or "/"
    path = _text(attributes, "url.path", "http.target")
    return None if path is None else path.partition("?")[0]


def _channel(attributes: Mapping[str, Any]) -> str | None:
    # aio-pika writes EXCHANGE,KEY, and nothing for the default exchange.
    name = _text(attributes, "messaging.destination.name", "messaging.destination")
    return None if name is None else name.removeprefix(",") or None


def _tool(record: Record, attributes: Mapping[str, Any]) -> str | None:
    called = _CALLED.search(str(record["name"]))
    return _text(attributes, "gen_ai.tool.name") or (
        _text(attributes, "mcp.method.name") if called is None else called[1]
    )


def _text(attributes: Mapping[str, Any], *names: str) -> str | None:
    for name in names:
        value = attributes.get(name)
        if isinstance(value, str) and value:
            return value
    return None
