"""Links and their delays: those of the document, drawn as the simulator draws.

Every link of every network draws from the stream that it also has in the simulator, in the order in
which messages are sent over it. So with one seed the n-th message of a link takes the same time in
both, unless an earlier one holds it up. Times are real, in seconds of the monotonic clock.
"""

from __future__ import annotations

from typing import Final

from choreomon.actors.delays import LinkDelays, Sampler, sampler
from choreomon.actors.randomness import Streams

MICROSECONDS: Final = 1_000_000


class Link:
    """A link, one direction between two processes. `scale`: microseconds of the document per
    second."""

    __slots__ = ("_draw", "_in_order", "_latest", "_scale")

    def __init__(self, draw: Sampler, scale: float, in_order: bool) -> None:
        self._draw = draw
        self._scale = scale
        self._in_order = in_order
        self._latest = 0.0

    def arrival(self, sent: float) -> float:
        """The time at which a message sent at this time arrives. If messages are in order, it is
        never before an earlier one: at the same time at best, and after it."""
        arrival = sent + self._draw() / self._scale
        if not self._in_order:
            return arrival
        self._latest = max(self._latest, arrival)
        return self._latest


class Links:
    """The links of one network, whose `name` keeps its streams apart, as in the simulator. `speed`:
    seconds of the document per real second."""

    def __init__(
        self, delays: LinkDelays, streams: Streams, *, name: str, speed: float, in_order: bool
    ) -> None:
        self._delays = delays
        self._streams = streams
        self._name = name
        self._scale = speed * MICROSECONDS
        self._in_order = in_order
        self._links: dict[tuple[str, str], Link] = {}

    def between(self, sender: str, receiver: str) -> Link:
        """The link from one process to another, the same one every time."""
        link = self._links.get((sender, receiver))
        if link is None:
            stream = self._streams.stream(self._name, sender, receiver)
            draw = sampler(self._delays.between(sender, receiver), stream)
            link = self._links[sender, receiver] = Link(draw, self._scale, self._in_order)
        return link
