"""Along which connection an answer goes, and whose connection it is: pure bookkeeping.

A ROUTER gives each connection an id (a routing id) and prefixes what it receives by it. Who is at
the other end is in the metadata of a frame, which is slow to read, and so is read once.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

ROUTER_MADE: Final = 5
"""Bytes of a routing id that the ROUTER made; the first one is 0."""


def is_router_made(route: bytes) -> bool:
    """Whether a routing id may have been made by the ROUTER. Another one was chosen by the
    client, who could choose that of somebody else, and take over what is meant for them.

    Ids that begin with 0 are reserved to libzmq, which keeps its own clients from choosing one
    (`ZMQ_ROUTING_ID`). A client of another make is not kept from it, and is refused when it
    connects, as all who choose one (`security.admit`).
    """
    return len(route) == ROUTER_MADE and route[0] == 0


class Routes:
    """Bounded: at most `most` connections are remembered. One that is forgotten is looked at
    again when it is next heard of."""

    __slots__ = ("_most", "_newest", "_owners")

    def __init__(self, most: int) -> None:
        self._most = most
        self._owners: OrderedDict[bytes, str] = OrderedDict()
        self._newest: dict[str, bytes] = {}

    def __len__(self) -> int:
        return len(self._owners)

    def owner(self, route: bytes) -> str | None:
        """Whose connection it is, where that is remembered."""
        owner = self._owners.get(route)
        if owner is not None:
            self._owners.move_to_end(route)
        return owner

    def bind(self, route: bytes, owner: str) -> None:
        """Remember it. The one that was silent for longest may be forgotten for it. A connection
        keeps its owner; `owner` must come from a bounded set of names."""
        self._owners.setdefault(route, owner)
        self._owners.move_to_end(route)
        while len(self._owners) > self._most:
            self._owners.popitem(last=False)

    def heard(self, owner: str, route: bytes) -> None:
        """It is the newest one of that owner now, and answers go along it."""
        self._newest[owner] = route

    def newest(self, owner: str) -> bytes | None:
        """The connection along which that owner was heard last."""
        return self._newest.get(owner)

    def lost(self, owner: str, route: bytes) -> None:
        """It is no more. A newer one of the owner stays."""
        self._owners.pop(route, None)
        if self._newest.get(owner) == route:
            del self._newest[owner]
