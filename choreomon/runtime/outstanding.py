"""Inquiries under way to other agents: repeated with back-off until they are answered, with a
bound on how many are in flight.

ZeroMQ drops silently at its high-water marks and where a connection breaks, so what is not
answered is asked again. Only what is in flight is kept here; what waits for its turn follows from
the open inspections of the host, and is fetched when there is room. Times are monotonic seconds.

In flight are always the oldest. An answer may have to wait for what happened before the event that
is asked about, and that may wait for an older event of the asker: were the bound used up by newer
ones, agents could wait for each other in a cycle until they give up. Of all events that were not
judged once, one has none of these before it; its first inquiries are answered, and so on. Second
ones wait until the events that they name were judged once, newer ones too, and so they have a bound
of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

from choreomon.core.verdict import Reference
from choreomon.monitor.messages import Inquiry, Named, Response
from choreomon.monitor.of_instances.messages import InstanceMessage, said_in

IN_FLIGHT: Final = 64
"""Inquiries of one kind to one peer about one property that are unanswered at once."""

FEW: Final = 4
"""Inquiries that are repeated to a peer that has been silent for more than one repetition."""

Key: TypeAlias = tuple[Reference, int, tuple[Named, ...]]
"""The key of an inquiry: the inspected transition, the count of the event, and what is asked by
name."""

Asked: TypeAlias = Inquiry | InstanceMessage
"""An inquiry, perhaps about an instance. Its key is that without: no event is of two."""

SendInquiry: TypeAlias = Callable[[Asked], None]
Outstanding: TypeAlias = Callable[[], Iterable[Asked]]
"""Lists all inquiries not yet answered, oldest event first."""


class BackOff(NamedTuple):
    """Delays in seconds: before the first repetition, and at most between two; each is twice as
    long as the one before."""

    first: float = 0.25
    most: float = 5.0


class OutstandingInquiries:
    """The inquiries of one kind, of one property, to one peer. `doubt` is called before some are
    sent again: what the peer was told may be lost."""

    def __init__(
        self,
        *,
        own: int,
        send: SendInquiry,
        outstanding: Outstanding,
        doubt: Callable[[], None],
        back_off: BackOff,
        in_flight: int,
    ) -> None:
        self._own = own
        self._send = send
        self._outstanding = outstanding
        self._doubt = doubt
        self._back_off = back_off
        self._in_flight = in_flight
        self._sent: dict[Key, Asked] = {}
        self._more = False
        self._wait = back_off.first
        self.due: float | None = None
        """The time to call `repeat`; `None`: nothing is under way."""
        self.repeated = 0
        """The total number of inquiries sent again."""

    def ask(self, inquiry: Asked, now: float) -> None:
        """Send it, or later where older ones are enough to be in flight or wait, too."""
        full = len(self._sent) >= self._in_flight
        if full or (self._more and self._sent):
            newest = max(self._sent, key=_count_of)
            if asked_in(inquiry).event[self._own] >= _count_of(newest):
                self._more = True
                return
            if full:
                del self._sent[newest]
                self._more = True
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

    def answered(self, response: Response) -> None:
        """Note that an inquiry was answered. There may be room for others: `fill` it when all that
        follows from the answer is out, as what is outstanding then has the newest clock."""
        self._sent.pop((response.inspected, response.event_count, response.named), None)
        if not self._sent:
            self.due = None

    def fill(self, now: float) -> None:
        """Send others where half of those in flight were answered."""
        if self._more and len(self._sent) <= self._in_flight // 2:
            self.resume(now)

    def resume(self, now: float) -> None:
        """Send the outstanding inquiries that are not in flight, as far as there is room."""
        self._send_new(self.choose())
        if self._sent and self.due is None:
            self.due = now + self._wait

    def repeat(self, now: float) -> None:
        """Repeat outstanding inquiries when `due`: all of them the first time, later only the
        oldest few if the peer was not heard."""
        if self.due is None or now < self.due:
            return
        before = self.choose()
        first = self._wait <= self._back_off.first
        again = [each for key, each in self._sent.items() if key in before]
        again = again[: None if first else FEW]
        self._wait = min(2 * self._wait, self._back_off.most)
        self.due = now + self._wait
        if again:
            self._doubt()
        for inquiry in again:
            self.repeated += 1
            self._send(inquiry)
        self._send_new(before)
        if not self._sent:
            self.due = None

    def choose(self) -> dict[Key, Asked]:
        """Put the oldest outstanding inquiries in flight; return those that were in flight
        before."""
        before = self._sent
        oldest = [*islice(self._outstanding(), self._in_flight + 1)]
        self._more = len(oldest) > self._in_flight
        self._sent = {self._key(each): each for each in oldest[: self._in_flight]}
        return before

    def _send_new(self, before: Container[Key]) -> None:
        for key, inquiry in self._sent.items():
            if key not in before:
                self._send(inquiry)

    def _key(self, message: Asked) -> Key:
        inquiry = asked_in(message)
        return inquiry.inspected, inquiry.event[self._own], inquiry.named


def asked_in(message: Asked) -> Inquiry:
    """The inquiry itself."""
    inquiry = said_in(message)
    assert isinstance(inquiry, Inquiry)
    return inquiry


def _count_of(key: Key) -> int:
    return key[1]
