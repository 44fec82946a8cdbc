"""What an agent and its peers know of each other's clocks, and frames that rest on it.

Between the sockets and the journal: what goes to a peer is told relative to what the peer has
offered, and what comes is made whole before anything else is done with it. So a journal has whole
frames only, which mean the same in every life of an agent; and what is known of peers is kept in
memory only, since it is of this life (`choreomon.formats.clock_links`).

For each property and peer four clocks are kept at most, packed: with a thousand peers among a
thousand processes 8 MB, and four times as much where counts are beyond 32,767.
"""

from __future__ import annotations

from choreomon.core.errors import MalformedMessage
from choreomon.formats.clock_links import UNLINKED, Link, UnknownBase, anew
from choreomon.formats.wire import encode_linked, open_untrusted, unlinked
from choreomon.monitor.messages import PeerMessage
from choreomon.runtime.hosted import Hosted
from choreomon.runtime.inputs import FromPeer, Input
from choreomon.runtime.outputs import Dropped


def from_journal(given: Input) -> Input:
    """An input that was journalled. Raises `MalformedMessage` for a frame of another version: it
    would be refused now, and was not when it was committed."""
    if type(given) is FromPeer:
        open_untrusted(given.data)
    return given


class LinkedPeers:
    """The peers of one life of an agent."""

    def __init__(self, hosted: Hosted) -> None:
        self._hosted = hosted
        self._links: dict[tuple[int, str], Link] = {}

    def frame(self, place: int, message: PeerMessage) -> bytes:
        """A message about the property at this place, for its receiver, to be sent once."""
        key = (place, message.receiver)
        link = self._links.get(key, UNLINKED)
        data, after = encode_linked(message, link, self._hosted.systems[place])
        if after is not link:
            self._links[key] = after
        return data

    def whole(self, given: FromPeer) -> FromPeer | Dropped:
        """What came, so that it stands for itself; or why it cannot be read. What has other faults
        is let through: others refuse it."""
        try:
            frame = open_untrusted(given.data)
            if not frame.is_linked or not given.peer:
                return given
            place = self._hosted.place_of(frame)
            processes = self._hosted.hosts[place].monitor.index_of
            if given.peer not in processes:
                return given
            key = (place, given.peer)
            link = self._links.get(key, UNLINKED)
            data, self._links[key] = unlinked(frame, len(processes), link)
        except UnknownBase as error:
            return Dropped("base", given.peer, str(error))
        except MalformedMessage:
            return given
        return FromPeer(given.peer, data)

    def doubt(self, place: int, peer: str) -> None:
        """A peer did not answer: it may have forgotten all that was said to it, and by it."""
        link = self._links.get((place, peer))
        if link is not None:
            self._links[place, peer] = anew(link)
