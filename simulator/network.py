"""The simulated network: channels that deliver after a drawn delay.

In an ordered network, a message never arrives before an earlier one of its channel: it waits, and
arrives at the same time, after it. Channels of different pairs of processes, and of different
networks, do not wait for each other. A message that a process sends to itself travels like any
other.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappush
from typing import TypeAlias, TypeVar

from choreomon.actors.delays import LinkDelays, sampler
from choreomon.actors.randomness import Streams
from simulator.event_queue import EventQueue, Rank

T = TypeVar("T")

Channel: TypeAlias = Callable[[T], int]
"""Sends something now, and returns the time at which it will arrive."""


class Network:
    """Channels between processes that share an event queue.

    The application and its monitors have a network each: `rank` decides between them when times are
    equal, `name` keeps their random streams apart. Every link draws from a stream of its own, so
    the delays of a link depend on the seed and on how many messages the link carried before, and on
    nothing else.
    """

    def __init__(
        self,
        event_queue: EventQueue,
        rank: Rank,
        delays: LinkDelays,
        streams: Streams,
        *,
        name: str,
        in_order: bool = True,
    ) -> None:
        self._event_queue = event_queue
        self._rank = rank
        self._delays = delays
        self._streams = streams
        self._name = name
        self._in_order = in_order

    @property
    def in_order(self) -> bool:
        """True if messages of one channel arrive in the order in which they were sent."""
        return self._in_order

    def channel(self, sender: str, receiver: str, deliver: Callable[[T], None]) -> Channel[T]:
        """The channel from `sender` to `receiver`; `deliver` is called with what arrives.

        Make one channel for each pair: a second one would repeat the draws of the first and not
        wait for its messages.
        """
        event_queue = self._event_queue
        entries = event_queue.entries
        rank = self._rank
        number = event_queue.number
        stream = self._streams.stream(self._name, sender, receiver)
        draw = sampler(self._delays.between(sender, receiver), stream)
        latest = 0

        def send_in_order(content: T) -> int:
            nonlocal latest
            arrival = event_queue.now + draw()
            if arrival > latest:
                latest = arrival
            heappush(entries, (latest, rank, number(), deliver, content))
            return latest

        def send_out_of_order(content: T) -> int:
            arrival = event_queue.now + draw()
            heappush(entries, (arrival, rank, number(), deliver, content))
            return arrival

        return send_in_order if self._in_order else send_out_of_order
