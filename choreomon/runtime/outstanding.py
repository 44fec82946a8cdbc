"""Inquiries under way to other agents: repeated with back-off until they are answered, with a
bound on how many are in flight.

ZeroMQ drops silently at its high-water marks and where a connection breaks, so what is not
answered is asked again. Only what is in flight is kept here; what waits for its turn follows from
the open inspections of the host, and is fetched when there is room. Times are monotonic seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple, TypeAlias

from choreomon.core.verdict import Reference
from choreomon.monitor.messages import Inquiry, Named, Response

IN_FLIGHT: Final = 64
"""Inquiries to one peer about one property that are unanswered at once."""

FEW: Final = 4
"""Inquiries that are repeated to a peer that has been silent for more than one repetition."""

Key: TypeAlias = tuple[Reference, int, tuple[Named, ...]]
"""Which inquiry: the inspected transition, and the count of the event."""

SendInquiry: TypeAlias = Callable[[Inquiry], None]
Outstanding: TypeAlias = Callable[[], Iterable[Inquiry]]
"""All inquiries that are not answered by now, oldest event first."""


class BackOff(NamedTuple):
    """Seconds before the first repetition, and the most between two; each takes twice as long
    as the one before."""

    first: float = 0.25
    most: float = 5.0


class OutstandingInquiries:
    """The inquiries of one property to one peer. `doubt` is called before inquiries are sent again:
    what the peer was told may be lost."""

    def __init__(
        self,
        *,
        own: int,
        send: SendInquiry,
        outstanding: Outstanding,
        doubt: Callable[[], None],
        back_off: BackOff,
        in_flight: int = IN_FLIGHT,
    ) -> None:
        self._own = own
        self._send = send
        self._outstanding = outstanding
        self._doubt = doubt
        self._back_off = back_off
        self._in_flight = in_flight
        self._sent: dict[Key, Inquiry] = {}
        self._more = False
        self._wait = back_off.first
        self.due: float | None = None
        """When to call `repeat`; `None`: nothing is under way."""
        self.repeated = 0
        """How many inquiries were sent again, all in all."""

    def ask(self, inquiry: Inquiry, now: float) -> None:
        """Send it, or later where too many are in flight."""
        if len(self._sent) >= self._in_flight:
            self._more = True
            return
        self._sent[self._key(inquiry)] = inquiry
        self._send(inquiry)
        if self.due is None:
            self.due = now + self._wait

    def heard_of(self, now: float) -> None:
        """The peer is alive."""
        if self._wait > self._back_off.first:
            self._wait = self._back_off.first
            if self.due is not None:
                self.due = now + self._wait

    def answered(self, response: Response, now: float) -> None:
        """One was answered. There is room for others."""
        self._sent.pop((response.inspected, response.event_count, response.named), None)
        if self._more and len(self._sent) <= self._in_flight // 2:
            self.resume(now)
        if not self._sent:
            self.due = None

    def resume(self, now: float) -> None:
        """Send what is outstanding and not in flight, as far as there is room."""
        self._more = False
        for inquiry in self._outstanding():
            if self._key(inquiry) in self._sent:
                continue
            self.ask(inquiry, now)
            if self._more:
                return

    def repeat(self, now: float) -> None:
        """It is `due`: send again what is still outstanding, all of it the first time, and then,
        where nothing was heard of the peer, the oldest few."""
        if self.due is None or now < self.due:
            return
        still = {self._key(each): each for each in self._outstanding()}
        self._sent = {key: sent for key, sent in self._sent.items() if key in still}
        first = self._wait <= self._back_off.first
        again = list(self._sent.values())[: None if first else FEW]
        self._wait = min(2 * self._wait, self._back_off.most)
        self.due = now + self._wait
        if again:
            self._doubt()
        for inquiry in again:
            self.repeated += 1
            self._send(inquiry)
        for key, inquiry in still.items():
            if key not in self._sent:
                if len(self._sent) >= self._in_flight:
                    self._more = True
                    break
                self._sent[key] = inquiry
                self._send(inquiry)
        if not self._sent:
            self.due = None

    def _key(self, inquiry: Inquiry) -> Key:
        return inquiry.inspected, inquiry.event[self._own], inquiry.named
