"""Linked peers: what an agent and its peers know of each other's clocks, and frames that rest on
it.

Between the sockets and the journal: what goes to a peer is told relative to what the peer has
offered, and what comes is made whole before anything else is done with it. So a journal has whole
frames only, which mean the same in every life of an agent; and what is known of peers is kept in
memory only, since it is of this life (`choreomon.agent_files.clocks.links`).

For each property and peer four clocks are kept at most, packed: with a thousand peers among a
thousand processes 8 MB, and four times as much where counts are beyond 32,767.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Final

from choreomon.agent_files.clocks.links import UNLINKED, Link, UnknownBase, anew
from choreomon.agent_files.told_traces import ToldTraces, encode_traces
from choreomon.agent_files.wire import encode_linked, open_untrusted, unlinked
from choreomon.core.errors import MalformedMessage
from choreomon.monitor.messages import PeerMessage, Response
from choreomon.monitor.of_instances.messages import InstanceMessage
from choreomon.runtime.hosted import Hosted
from choreomon.runtime.inputs import FromPeer, Input
from choreomon.runtime.network.peer_stores import PeerStores
from choreomon.runtime.outputs import Dropped

TWO_AGENTS: Final = "two agents with its name and key run: stop one, and keep its store away"


def from_journal(given: Input) -> Input:
    """An input that was journalled. Raises `MalformedMessage` for a frame of another version: it
    would be refused now, and was not when it was committed."""
    if type(given) is FromPeer:
        open_untrusted(given.data)
    return given


class LinkedPeers:
    """The peers of one life of an agent. `hosted` may change while the process stays."""

    def __init__(self, hosted: Hosted, now: Callable[[], float] = time.monotonic) -> None:
        self.hosted = hosted
        self._now = now
        self._stores = PeerStores()
        self._links: dict[tuple[bytes, str], Link] = {}  # by system and peer

    def frame(self, place: int, message: PeerMessage | InstanceMessage) -> bytes:
        """A message about the property at this place, for its receiver, to be sent once."""
        hosted = self.hosted
        key = (hosted.systems[place], message.receiver)
        link = self._links.get(key, UNLINKED)
        system, parameters = hosted.systems[place], hosted.parameters[place]
        data, after = encode_linked(message, link, system, hosted.store, parameters)
        if after is not link:
            self._links[key] = after
        return data

    def traces(self, place: int, answer: Response, traces: Iterable[tuple[int, bytes]]) -> bytes:
        """The frame of the traces to tell beside this answer about the property at this place."""
        hosted = self.hosted
        told = ToldTraces(answer.sender, answer.event_count, dict(traces))
        return encode_traces(told, hosted.systems[place], hosted.store)

    def whole(self, given: FromPeer) -> FromPeer | Dropped:
        """Make a frame that came self-contained, or tell why it cannot be read. Frames with other
        faults are let through: others refuse them."""
        try:
            frame = open_untrusted(given.data)
            if given.peer and frame.store:
                other = self._stores.refused(given.peer, frame.store, self._now())
                if other is not None:
                    told = f"it speaks from the stores {frame.store.hex()} and {other.hex()}"
                    return Dropped("store", given.peer, f"{told}: {TWO_AGENTS}")
            if not frame.is_linked or not given.peer:
                return given
            place = self.hosted.place_of(frame)
            processes = self.hosted.hosts[place].monitor.index_of
            if given.peer not in processes:
                return given
            key = (frame.system, given.peer)
            link = self._links.get(key, UNLINKED)
            data, self._links[key] = unlinked(frame, len(processes), link)
        except UnknownBase as error:
            return Dropped("base", given.peer, str(error))
        except MalformedMessage:
            return given
        return FromPeer(given.peer, data)

    def doubled(self) -> list[str]:
        """The peers of which there are two."""
        return self._stores.doubled(self._now())

    def doubt(self, place: int, peer: str) -> None:
        """A peer did not answer: it may have forgotten all that was said to it, and by it."""
        key = (self.hosted.systems[place], peer)
        link = self._links.get(key)
        if link is not None:
            self._links[key] = anew(link)
