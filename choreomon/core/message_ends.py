"""Ends of messages, each from its own log, joined by the message's id."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from itertools import chain
from typing import Final, NamedTuple, TypeVar

from choreomon.core.message import SEND
from choreomon.core.recorded import RecordedEvent

MOST_OPEN: Final = 200_000
"""The most messages that wait for their other end, and sends that handles may still name: the last
ones."""


_Kept = TypeVar("_Kept")


class End(NamedTuple):
    """An end of a message, `sent` or handled, with what is known of the other end."""

    sent: bool
    sender: str | None
    receiver: str | None
    name: str


class MessageEnds:
    """Joins sends and handles that come in any order. If the other end comes after more than
    `MOST_OPEN` others, it stays unknown."""

    def __init__(self) -> None:
        self._senders: OrderedDict[str, str] = OrderedDict()
        self._receivers: OrderedDict[str, str] = OrderedDict()
        self._sends: OrderedDict[str, End] = OrderedDict()
        self._handles: OrderedDict[str, list[End]] = OrderedDict()

    def add(self, event: RecordedEvent) -> Iterator[End]:
        """Take a send or a handle, and yield the ends that are now complete."""
        process, name, peer, key = event.process, event.name, event.peer, event.message_id
        if event.kind == SEND:
            if key is not None:
                for each in self._handles.pop(key, ()):
                    yield each._replace(sender=process)
                _keep(self._senders, key, process)
                peer = peer or self._receivers.get(key)
            told = End(True, process, peer, name)
            if key is None or peer is not None:
                yield told
            elif (lost := _keep(self._sends, key, told)) is not None:
                yield lost
            return
        if key is not None:
            if key in self._sends:
                yield self._sends.pop(key)._replace(receiver=process)
            if key not in self._receivers:
                _keep(self._receivers, key, process)
            peer = peer or self._senders.get(key)
        told = End(False, peer, process, name)
        if key is None or peer is not None:
            yield told
        elif (
            dropped := _keep(self._handles, key, [*self._handles.get(key, ()), told])
        ) is not None:
            yield from dropped

    def rest(self) -> Iterator[End]:
        """Yields the ends whose other end did not come."""
        yield from self._sends.values()
        yield from chain.from_iterable(self._handles.values())


def _keep(kept: OrderedDict[str, _Kept], key: str, value: _Kept) -> _Kept | None:
    """Keep a value; return the oldest one if there are too many."""
    kept[key] = value
    return kept.popitem(last=False)[1] if len(kept) > MOST_OPEN else None
