"""Matching of receptions and sends, and what messages tell.

By the message id; else by counting: the k-th reception without id of a message from one process is
after the k-th send of it, whichever of the earlier ones it received. A process is counted as far as
its log is known to lack nothing, and a message as far as every send of it says to whom and has no
id: where only one end of messages has ids nothing is known of them.

So which events are paired follows from the log of the sender up to the send, and from that of the
receiver up to the reception, and from no clock in them: pairs are the same in whatever order logs
are read, as long as nothing has to be forgotten (docs/adr/023-how-audits-decide.md, "Counting").
Messages to a role are counted as `choreomon.audit.messages_of_roles` says.

What a send tells is what its process knew; that is all that is kept of it, until it is received.
What a vector clock says is kept as it is, since what it knows may be read later.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final, NamedTuple

from choreomon.audit.items import Clock
from choreomon.audit.messages_of_roles import SendsToRole
from choreomon.audit.process import Channel, Key, Sends
from choreomon.core.recorded import Diagnostic, Place, RecordedEvent
from choreomon.core.roles import NO_ROLES, Roles

MAX_IN_FLIGHT: Final = 100_000
"""Messages that were sent and not received, above which the oldest one's send is forgotten; and
those without ids, above which the channel that has most of them is not counted any more."""

MAX_WITHOUT_ID: Final = 100
"""Sends of a channel without message id, above which receptions with one do not wait for a send
that was not read: it is taken for one that has none."""

REMEMBERED: Final = 10_000
"""Messages with ids that were received and are remembered in case one comes again, at least."""


class Told(NamedTuple):
    """The knowledge that a send passes on: `known`, and a `clock` that said more than was read
    then."""

    known: Clock
    place: Place
    clock: Mapping[str, int] | None = None


class _Counted:
    """The messages of one channel that have no ids. `sends` that were counted and not received;
    receptions that were `taken` before their sends were read; how many sends there were in all;
    whether further ones are not counted. `to_role`: instead, those of a channel to a role with
    several replicas."""

    __slots__ = ("sends", "stopped", "taken", "to_role", "without_id")

    def __init__(self, stopped: bool, to_role: SendsToRole[Told] | None) -> None:
        self.sends: deque[Told] = deque()
        self.to_role = to_role
        self.taken = 0
        self.without_id = 0
        self.stopped = stopped

    def __len__(self) -> int:
        return len(self.sends if self.to_role is None else self.to_role)

    def forget(self) -> None:
        """Count nothing any more, and forget what was."""
        self.stopped = True
        self.sends.clear()
        if self.to_role is not None:
            self.to_role.forget()


class Messages:
    """Sends that were not received yet.

    - `incomplete`: processes whose sends are not counted, since some may be missing.
    - `on_change` is called with a process where receptions that wait for its sends need not do so
      any more: when some are not counted from now on, or ids of receptions not looked for.
    - `roles`: those of the receivers. A channel to one ends at it, not at a replica.
    """

    def __init__(
        self,
        incomplete: Collection[str],
        on_diagnostic: Callable[[Diagnostic], None],
        on_change: Callable[[str], None],
        roles: Roles = NO_ROLES,
    ) -> None:
        self._roles = roles
        self._over_roles = bool(roles)  # asked for every event
        self._on_diagnostic = on_diagnostic
        self._on_change = on_change
        several = (role for role in roles.slots if roles.slots_of(role) != (role,))
        self._uncounted = frozenset((*incomplete, *several))
        self._stopped: set[Sends] = set()
        self._sent: OrderedDict[str, Told] = OrderedDict()
        self._channels: dict[Channel, _Counted] = {}
        self._in_flight = 0
        self._taken_ids: OrderedDict[str, None] = OrderedDict()
        self._received: dict[str, Told] = {}
        self._received_earlier: dict[str, Told] = {}

    def send(self, event: RecordedEvent, told: Told) -> Key | None:
        """A send by a process that knows so much; the key by which its reception asks."""
        key, peer = event.message_id, event.peer
        channel: Channel | None = None
        if peer is None:
            self._stop(event.process, (event.process, event.name))
        else:
            receiver = self._roles.role_of(peer) if self._over_roles else peer
            channel = (event.process, event.name, receiver)
        if key is not None:
            if channel is not None:
                self._stop(event.process, channel)
            return self._send_with_id(event, key, told)
        if channel is None:
            return None
        counted = self._channel(channel)
        counted.without_id += 1
        if counted.without_id == MAX_WITHOUT_ID + 1:
            self._on_change(event.process)
        if counted.stopped:
            return None
        if counted.taken:
            counted.taken -= 1
            return None
        if counted.to_role is None:
            counted.sends.append(told)
        else:
            assert peer is not None
            counted.to_role.send(told, peer)
        self._in_flight += 1
        if self._in_flight > MAX_IN_FLIGHT:
            longest = max(self._channels.values(), key=len)
            self._in_flight -= len(longest)
            longest.forget()
        return channel

    def _send_with_id(self, event: RecordedEvent, key: str, told: Told) -> Key:
        if self._taken_ids and key in self._taken_ids:
            del self._taken_ids[key]
            self._remember(key, told)
            return key
        earlier = self._sent.get(key)
        if earlier is not None:
            said = f"message {key} is sent again, after {earlier.place}"
            self._on_diagnostic(Diagnostic("two-sends", said, event.place))
            told = Told(tuple(map(min, told.known, earlier.known)), event.place)
        self._sent[key] = told
        if len(self._sent) > MAX_IN_FLIGHT:
            self._sent.popitem(last=False)
        return key

    def stop_counting(self, process: str) -> None:
        """Note that sends of the process may be missing from now on."""
        self._stop(process, process)

    def _stop(self, process: str, sends: Sends) -> None:
        """Stop counting these sends of the process."""
        if sends in self._stopped:
            return
        self._stopped.add(sends)
        for channel, counted in self._channels.items():
            if sends in (channel[0], channel[:2], channel):
                counted.stopped = True
        self._on_change(process)

    def _channel(self, channel: Channel) -> _Counted:
        counted = self._channels.get(channel)
        if counted is None:
            stopped = not self._stopped.isdisjoint((channel[0], channel[:2], channel))
            several = len(self._roles.slots_of(channel[2])) > 1
            to_role = SendsToRole[Told](channel[2]) if several else None
            counted = self._channels[channel] = _Counted(stopped, to_role)
        return counted

    def _channel_of(self, reception: RecordedEvent) -> Channel:
        receiver = self._roles.role_of(reception.process)
        return reception.peer or "", reception.name, receiver

    def take(self, reception: RecordedEvent) -> None:
        """The message was received by who knows what it tells. It counts, also where its send was
        not read yet."""
        if reception.message_id is not None:
            sent = self._sent.pop(reception.message_id, None)
            if sent is not None:
                self._remember(reception.message_id, sent)
            elif self._told_before(reception.message_id) is None:
                self._taken_ids[reception.message_id] = None
                if len(self._taken_ids) > MAX_IN_FLIGHT:
                    self._taken_ids.popitem(last=False)
        elif reception.peer is not None:
            counted = self._channel(self._channel_of(reception))
            if counted.to_role is not None:
                counted.to_role.take(reception)
            elif counted.sends:
                counted.sends.popleft()
                self._in_flight -= 1
            else:
                counted.taken += 1

    def put_back(self, reception: RecordedEvent, told: Told) -> None:
        """Undo a reception."""
        key, peer = reception.message_id, reception.peer
        if key is not None:
            self._sent[key] = told
            self._received.pop(key, None)
        elif peer is not None:
            counted = self._channel(self._channel_of(reception))
            if counted.to_role is not None:
                counted.to_role.put_back(reception.process)
            else:
                counted.sends.appendleft(told)
                self._in_flight += 1

    def without_id(self, reception: RecordedEvent) -> int:
        """The number of sends of such messages without an id so far."""
        counted = self._channels.get(self._channel_of(reception))
        return 0 if counted is None else counted.without_id

    def reception(self, event: RecordedEvent) -> tuple[Told | None, Key | None]:
        """The knowledge of the sender, None if nobody can say which send it belongs to; or the key
        of a send that was not read."""
        key, peer = event.message_id, event.peer
        if key is not None:
            sent = self._sent.pop(key, None)
            if sent is not None:
                self._remember(key, sent)
                return sent, None
            if (again := self._told_before(key)) is not None:
                told = f"message {key} is received again"
                self._on_diagnostic(Diagnostic("two-receptions", told, event.place))
                return again, None
            return None, None if self.without_id(event) > MAX_WITHOUT_ID else key
        if peer is None or peer in self._uncounted:
            return None, None
        channel = (peer, event.name, event.process)
        if self._over_roles:
            channel = self._channel_of(event)
        counted = self._channel(channel)
        if counted.to_role is not None:
            told_to_role = counted.to_role.receive(event)
            if told_to_role is not None:
                return told_to_role, None
        elif counted.sends:
            self._in_flight -= 1
            return counted.sends.popleft(), None
        return None, None if counted.stopped else channel

    def _remember(self, message_id: str, told: Told) -> None:
        """Keep what the send told, for whoever receives the message a second time."""
        self._received[message_id] = told
        if len(self._received) > REMEMBERED:
            self._received_earlier, self._received = self._received, {}

    def _told_before(self, message_id: str) -> Told | None:
        return self._received.get(message_id) or self._received_earlier.get(message_id)

    def lacking(self, logged: Collection[str]) -> Iterator[RecordedEvent]:
        """Receptions by replicas of a role that received more than the processes `logged` sent."""
        for (sender, *_), counted in self._channels.items():
            counts = not counted.stopped and sender in logged and sender not in self._uncounted
            if counted.to_role is not None and counts:
                reception = counted.to_role.lacks()
                if reception is not None:
                    yield reception

    def never_received(self) -> Diagnostic | None:
        """Report the messages with ids that nobody received."""
        if not self._sent:
            return None
        key, told = next(iter(self._sent.items()))
        others = f", and {len(self._sent) - 1:,} more" if len(self._sent) > 1 else ""
        said = f"the message {key} was received by nobody{others}"
        return Diagnostic("send-without-reception", said, told.place)
