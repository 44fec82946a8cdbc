"""What a proxy asks: about which request, and on which side of the service.

An agent is asked at `/sending` before a request of its service leaves, and at `/handling` before
one for its service is let in. There are two ways in which proxies say which request it is:

    nginx, Caddy, Traefik   the headers X-Forwarded-Method, X-Forwarded-Host, X-Forwarded-Uri
    Envoy                   its own method and host, and its path behind `/sending` or `/handling`

Which of the two it is shows in the path. The other one's headers are not looked at, since a client
may have written them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from choreomon.core.message import HANDLE, SEND, EventKind

SIDES: Final[Mapping[str, EventKind]] = {"/sending": SEND, "/handling": HANDLE}
FORWARDED: Final = ("x-forwarded-method", "x-forwarded-host", "x-forwarded-uri")


class Question(NamedTuple):
    """A request that waits: on which side, `host` in small letters, `path` as it was sent."""

    kind: EventKind
    method: str
    host: str
    path: str


class NoQuestion(Exception):
    """Request that is nothing a proxy asks. `status` is a code of HTTP."""

    def __init__(self, status: int, told: str) -> None:
        super().__init__(told)
        self.status = status


def question(method: str, target: str, headers: Mapping[str, str]) -> Question:
    """Return which request a proxy asks about. `headers` by their names in small letters. Raises
    `NoQuestion`, with what would be right."""
    path = target.partition("?")[0]
    side, kind = next(
        ((side, kind) for side, kind in SIDES.items() if (path + "/").startswith(f"{side}/")),
        ("", None),
    )
    if kind is None:
        raise NoQuestion(404, f"proxies ask at {' and '.join(SIDES)}")
    rest = path[len(side) :]
    host = headers.get("host", "")
    if not rest:
        missing = [name for name in FORWARDED if not headers.get(name)]
        if missing:
            told = f"{side} needs {', '.join(missing)} of the request, or its path behind {side}"
            raise NoQuestion(400, told)
        method, host, uri = (headers[name] for name in FORWARDED)
        rest = uri.partition("?")[0]
    return Question(kind, method.upper(), host.lower(), rest)


def peer_of(peers: Mapping[str, str], host: str) -> str | None:
    """The process behind `HOST` or `HOST:PORT`, of which the longer one counts more."""
    found = peers.get(host)
    if found is None:
        found = peers.get(host.rpartition(":")[0])
    return found
