"""The channels of one monitor to others, and the sizes of its messages on them.

A message is counted with the bytes that a live agent would send: relative to what its receiver has
offered, if channels are in order, as connections are. Out of order, agents would often have to send
again what rested on an overtaken offer; there every message is counted in its complete form. Frames
are not delivered, only counted: what arrives is the message itself.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import dropwhile
from typing import Any, Final, NamedTuple, TypeAlias

from choreomon.agent_files.clocks.coding import PLAIN
from choreomon.agent_files.clocks.links import UNLINKED, Link, Told, after, tell
from choreomon.agent_files.clocks.packed import PackedClock, packed
from choreomon.agent_files.digests import DIGEST_BYTES
from choreomon.agent_files.wire import NO_STORE, NO_SYSTEM, encode, encode_told
from choreomon.monitor.messages import PeerMessage
from choreomon.monitor.of_instances.messages import InstanceMessage
from simulator.network import Channel, Network

AnyPeerMessage: TypeAlias = PeerMessage | InstanceMessage

OnSent: TypeAlias = Callable[[AnyPeerMessage, int, int], None]


class Sent(NamedTuple):
    """A message on its way, its clock, and the clock's form in the frame."""

    message: AnyPeerMessage
    clock: PackedClock
    told: Told


class LinkedChannels:
    """The channels of one monitor. `entries`: processes of the run. `sent` is told of each message
    with its bytes and the time of its arrival."""

    def __init__(self, network: Network, process: str, entries: int, sent: OnSent) -> None:
        self._network = network
        self._process = process
        self._entries = entries
        self._sent = sent
        self._links: dict[str, Link] | None = None
        if network.in_order and entries > PLAIN:
            self._links = {}
        self._channels: dict[str, Channel[AnyPeerMessage]] = {}
        self._linked: dict[str, Channel[Sent]] = {}

    def connect(
        self, name: str, other: LinkedChannels, deliver: Callable[[AnyPeerMessage], None]
    ) -> None:
        """Make the channel to the monitor of that name, whose channels are `other`."""
        network, process = self._network, self._process
        if self._links is None:
            self._channels[name] = network.channel(process, name, deliver)
            return

        def arrive(sent: Sent) -> None:
            other.hear(process, sent)
            deliver(sent.message)

        self._linked[name] = network.channel(process, name, arrive)

    def send(self, message: AnyPeerMessage) -> None:
        """Count it, and send it to its receiver."""
        links, receiver = self._links, message.receiver
        if links is None:
            if type(message) is InstanceMessage:
                size = len(encode(*_as_sent(message)))
            else:
                size = len(encode(message))
            self._sent(message, size, self._channels[receiver](message))
            return
        clock = packed(message.clock)
        links[receiver], told = tell(links.get(receiver, UNLINKED), clock)
        if type(message) is InstanceMessage:
            coded, *rest = _as_sent(message)
            size = len(encode_told(coded, clock, told, *rest))
        else:
            size = len(encode_told(message, clock, told))
        self._sent(message, size, self._linked[receiver](Sent(message, clock, told)))

    def hear(self, sender: str, sent: Sent) -> None:
        """Take a message that arrives from the monitor of that name."""
        assert self._links is not None
        link = after(self._links.get(sender, UNLINKED), sent.told, sent.clock)
        used = sent.told.base
        if used is not None:
            # In order: a sender that has used an offer will not use an earlier one.
            kept = dropwhile(lambda offer: offer.name != used, link.offered)
            link = link._replace(offered=tuple(kept))
        self._links[sender] = link


_DIGEST: Final = bytes(DIGEST_BYTES).hex()


def _as_sent(message: InstanceMessage) -> tuple[Any, ...]:
    """The arguments of `encode`. Agents send digests in the places of values, all of one length."""
    names = tuple(name for name, _ in message.binding)
    coded = message._replace(binding=tuple((name, _DIGEST) for name in names))
    return coded, NO_SYSTEM, NO_STORE, names
