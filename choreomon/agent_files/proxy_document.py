"""The shape of `proxies` in an agent's configuration."""

from __future__ import annotations

import re
from typing import Annotated, Final, TypeAlias

from choreomon.agent_files.addresses import parse_address
from choreomon.agent_files.agent_fields import HostPort
from choreomon.agent_files.proxies import Failing, Proxies, Route
from choreomon.files.fields import Items, Name, PlainName
from choreomon.files.shape_words import shown
from choreomon.files.shapes import After, Part, Refused, field

_HEADER: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_METHOD: Final = re.compile(r"[A-Z][A-Z_-]{0,39}")


def _path(text: str) -> str:
    if not text.startswith("/") or not text.isascii() or not text.isprintable() or " " in text:
        raise Refused(f"should be a path, as in /orders/{{order}}/cancel, not {shown(text)}")
    if "?" in text or "#" in text:
        raise Refused(f"should end where the query begins, not {shown(text)}")
    return text


def _method(text: str) -> str:
    if text and not _METHOD.fullmatch(text):
        raise Refused(f"should be a method in capital letters, as in POST, not {shown(text)}")
    return text


def _header(text: str) -> str:
    if not _HEADER.fullmatch(text):
        raise Refused(f"should be the name of a header, as in X-Order, not {shown(text)}")
    return text


def _host(text: str) -> str:
    if parse_address(text) is None and parse_address(f"{text}:1") is None:
        raise Refused(f"should be HOST or HOST:PORT, as requests name it, not {shown(text)}")
    return text


RoutePath: TypeAlias = Annotated[str, After(_path)]
Method: TypeAlias = Annotated[str, After(_method)]
HeaderName: TypeAlias = Annotated[str, After(_header)]
Host: TypeAlias = Annotated[str, After(_host)]


class RouteDocument(Part):
    """Name of requests of one kind."""

    path: RoutePath = field(
        description="the path of the request; {order} in it stands for one word, the value of order"
    )
    name: Name = field(description="what the message is called")
    method: Method = field(default="", description="its method; empty: any")
    parameters: dict[PlainName, HeaderName] = field(
        default={}, description="the headers with the values of other parameters, by parameter"
    )


class ProxiesDocument(Part):
    """The proxies around the service, which ask before they let a request pass."""

    listen: HostPort = field(description="where they ask: an address on loopback")
    peers: dict[Host, Name] = field(
        default={}, description="the process behind each host that the service calls"
    )
    routes: Items[RouteDocument] = field(
        default=(),
        description="what requests are called, the first that fits; all others by method and path",
    )
    fail: Failing = field(
        default="closed",
        description="what they do with requests while the agent does not answer: closed, open",
    )


def proxies_of(document: ProxiesDocument | None) -> Proxies | None:
    """Return what the document says."""
    if document is None:
        return None
    listen = parse_address(document.listen)
    assert listen is not None
    routes = [Route(each.path, each.name, each.method, each.parameters) for each in document.routes]
    peers = {host.lower(): process for host, process in document.peers.items()}
    return Proxies(listen, peers, tuple(routes), document.fail)
