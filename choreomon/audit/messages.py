"""Which send a reception belongs to, and what it tells.

By the message id; else by counting: the k-th reception of a message from one process is after the
k-th send of it, whichever of the earlier ones it received. What a send tells is what its process
knew; that is all that is kept of it, until it is received.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection
from typing import Final

from choreomon.audit.items import Clock
from choreomon.audit.process import Channel, Key
from choreomon.core.recorded import Diagnostic, Place, RecordedEvent

MAX_IN_FLIGHT: Final = 100_000
"""Messages that were sent and not received, above which the oldest one's send is forgotten; and
those of one channel, above which they are not counted any more."""

REMEMBERED: Final = 10_000
"""Message ids of receptions that are remembered to tell when one comes again, at least."""


class Messages:
    """Sends that were not received yet.

    `incomplete`: processes whose sends are not counted, since some may be missing.
    """

    def __init__(
        self, incomplete: Collection[str], on_diagnostic: Callable[[Diagnostic], None]
    ) -> None:
        self._on_diagnostic = on_diagnostic
        self._uncounted = frozenset(incomplete)
        self._sent: dict[str, tuple[Clock, Place]] = {}
        self._channels: dict[Channel, deque[Clock]] = {}
        self._unaddressed: set[tuple[str, str]] = set()
        self._received: set[str] = set()
        self._received_earlier: set[str] = set()

    def send(self, event: RecordedEvent, known: Clock) -> Key | None:
        """A send by a process that knows so much; the key by which its reception asks."""
        key = event.message_id
        if key is not None:
            earlier = self._sent.get(key)
            if earlier is not None:
                told = f"message {key} is sent again, after {earlier[1]}"
                self._on_diagnostic(Diagnostic("two-sends", told, event.place))
                known = tuple(map(min, known, earlier[0]))
            self._sent[key] = (known, event.place)
            if len(self._sent) > MAX_IN_FLIGHT:
                del self._sent[next(iter(self._sent))]
            return key
        sending = (event.process, event.name)
        if event.peer is None:
            self._unaddressed.add(sending)
        if sending in self._unaddressed or event.peer is None:
            return None
        channel = (event.process, event.name, event.peer)
        sends = self._channels.setdefault(channel, deque())
        sends.append(known)
        if len(sends) > MAX_IN_FLIGHT:
            self._unaddressed.add(sending)
            del self._channels[channel]
        return channel

    def take(self, message_id: str) -> None:
        """The message was received by who knows what it tells."""
        self._sent.pop(message_id, None)

    def reception(self, event: RecordedEvent) -> tuple[Clock | None, Key | None]:
        """What its sender knew, None where nobody can say which send it belongs to; or the key of
        the send, where that was not read."""
        key = event.message_id
        if key is not None:
            sent = self._sent.pop(key, None)
            if sent is not None:
                self._received.add(key)
                if len(self._received) > REMEMBERED:
                    self._received_earlier, self._received = self._received, set()
                return sent[0], None
            if key in self._received or key in self._received_earlier:
                told = f"message {key} is received again"
                self._on_diagnostic(Diagnostic("two-receptions", told, event.place))
                return None, None
            return None, key
        peer = event.peer
        if peer is None or peer in self._uncounted or (peer, event.name) in self._unaddressed:
            return None, None
        channel = (peer, event.name, event.process)
        sends = self._channels.get(channel)
        return (sends.popleft(), None) if sends else (None, channel)

    def never_received(self) -> Diagnostic | None:
        """What to say of messages with ids that are left."""
        if not self._sent:
            return None
        key, (_, place) = next(iter(self._sent.items()))
        others = f", and {len(self._sent) - 1:,} more" if len(self._sent) > 1 else ""
        told = f"the message {key} was received by nobody{others}"
        return Diagnostic("send-without-reception", told, place)
