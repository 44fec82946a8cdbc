"""Which send a reception belongs to, and what it tells.

By the message id; else by counting: the k-th reception of a message from one process is after the
k-th send of it, whichever of the earlier ones it received. A process is counted as far as its log
is known to lack nothing. Where only one end of messages has ids nothing is known of them. What a
send tells is what its process knew; that is all that is kept of it, until it is received. What a
vector clock says is kept as it is, since what it knows may be read later.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Mapping
from typing import Final, NamedTuple

from choreomon.audit.items import Clock
from choreomon.audit.process import Channel, Key
from choreomon.core.recorded import Diagnostic, Place, RecordedEvent

MAX_IN_FLIGHT: Final = 100_000
"""Messages that were sent and not received, above which the oldest one's send is forgotten; and
those of one channel, above which they are not counted any more."""

REMEMBERED: Final = 10_000
"""Message ids of receptions that are remembered to tell when one comes again, at least."""


class Told(NamedTuple):
    """What a send tells: what was `known`, and a `clock` that says more than was read then."""

    known: Clock
    place: Place
    clock: Mapping[str, int] | None = None


class Messages:
    """Sends that were not received yet.

    `incomplete`: processes whose sends are not counted, since some may be missing.
    """

    def __init__(
        self, incomplete: Collection[str], on_diagnostic: Callable[[Diagnostic], None]
    ) -> None:
        self._on_diagnostic = on_diagnostic
        self._uncounted = frozenset(incomplete)
        self._stopped: set[str] = set()
        self._plain: set[Channel] = set()
        self._identified: set[Channel] = set()
        self._sent: OrderedDict[str, Told] = OrderedDict()
        self._channels: dict[Channel, deque[Told]] = {}
        self._taken: dict[Channel, int] = {}
        self._unaddressed: set[tuple[str, str]] = set()
        self._received: set[str] = set()
        self._received_earlier: set[str] = set()

    def send(self, event: RecordedEvent, told: Told) -> Key | None:
        """A send by a process that knows so much; the key by which its reception asks."""
        key = event.message_id
        if key is not None:
            earlier = self._sent.get(key)
            if earlier is not None:
                said = f"message {key} is sent again, after {earlier.place}"
                self._on_diagnostic(Diagnostic("two-sends", said, event.place))
                told = Told(tuple(map(min, told.known, earlier.known)), event.place)
            self._sent[key] = told
            if len(self._sent) > MAX_IN_FLIGHT:
                self._sent.popitem(last=False)
            return key
        sending = (event.process, event.name)
        if event.peer is None:
            self._unaddressed.add(sending)
        if sending in self._unaddressed or event.peer is None:
            return None
        if event.process in self._stopped:
            return None
        channel = (event.process, event.name, event.peer)
        if taken := self._taken.get(channel, 0):
            self._taken[channel] = taken - 1
            return None
        sends = self._channels.setdefault(channel, deque())
        sends.append(told)
        if len(sends) > MAX_IN_FLIGHT:
            self._unaddressed.add(sending)
            del self._channels[channel]
        return channel

    def is_first(self, event: RecordedEvent) -> bool:
        """Whether it is the first send in its channel with a message id, or the first without."""
        if event.peer is None:
            return False
        channel = (event.process, event.name, event.peer)
        seen = self._plain if event.message_id is None else self._identified
        if channel in seen:
            return False
        seen.add(channel)
        return True

    def stop_counting(self, process: str) -> bool:
        """Sends of the process are not counted any more; whether they were."""
        if process in self._stopped:
            return False
        self._stopped.add(process)
        return True

    def take(self, reception: RecordedEvent) -> None:
        """The message was received by who knows what it tells. It counts, also where its send was
        not read yet."""
        if reception.message_id is not None:
            self._sent.pop(reception.message_id, None)
        elif reception.peer is not None:
            channel = (reception.peer, reception.name, reception.process)
            sends = self._channels.get(channel)
            if sends:
                sends.popleft()
            else:
                self._taken[channel] = self._taken.get(channel, 0) + 1

    def put_back(self, message_id: str, told: Told) -> None:
        """It was not received yet after all."""
        self._sent[message_id] = told
        self._received.discard(message_id)

    def reception(self, event: RecordedEvent) -> tuple[Told | None, Key | None]:
        """What its sender knew, None where nobody can say which send it belongs to; or the key of
        the send, where that was not read."""
        key, peer = event.message_id, event.peer
        if key is not None:
            sent = self._sent.pop(key, None)
            if sent is not None:
                self._received.add(key)
                if len(self._received) > REMEMBERED:
                    self._received_earlier, self._received = self._received, set()
                return sent, None
            if key in self._received or key in self._received_earlier:
                told = f"message {key} is received again"
                self._on_diagnostic(Diagnostic("two-receptions", told, event.place))
                return None, None
            plain = peer is not None and (peer, event.name, event.process) in self._plain
            return None, None if plain else key
        if peer is None or peer in self._uncounted or (peer, event.name) in self._unaddressed:
            return None, None
        channel = (peer, event.name, event.process)
        if channel in self._identified:
            return None, None
        sends = self._channels.get(channel)
        if sends:
            return sends.popleft(), None
        return None, None if peer in self._stopped else channel

    def never_received(self) -> Diagnostic | None:
        """What to say of messages with ids that are left."""
        if not self._sent:
            return None
        key, told = next(iter(self._sent.items()))
        others = f", and {len(self._sent) - 1:,} more" if len(self._sent) > 1 else ""
        said = f"the message {key} was received by nobody{others}"
        return Diagnostic("send-without-reception", said, told.place)
