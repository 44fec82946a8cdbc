"""Logs of many sessions that may have no end: an audit of each, while they are read.

Where the logs end, `choreomon.batch.audits` does the same for less memory and by several processes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from functools import partial
from typing import Final, NamedTuple

from choreomon.audit.auditor import NO_LIMITS, Auditor
from choreomon.audit.gaps import numbers_missing_from_all, told_of_all
from choreomon.audit.items import Gap
from choreomon.audit.numbers import Counted, OpenSession, RunningNumbers
from choreomon.audit.outcome import AuditVerdict
from choreomon.audit.summary import BEFORE, Rank, Summary
from choreomon.audit.units import Units
from choreomon.audit.window import Limits
from choreomon.core.errors import DocumentError
from choreomon.core.recorded import Diagnostic, RecordedEvent
from choreomon.properties.automaton import SequenceAutomaton

MAX_SESSIONS: Final = 10_000
"""Sessions that are open at a time."""

MOST_ENDED: Final = 100_000
"""Sessions that ended of which it is remembered that they did."""


class _Open(NamedTuple):
    rank: Rank
    auditor: Auditor
    numbers: OpenSession | None


class SessionsAuditor:
    """An `Auditor` for each session: events of one session order and form nothing in another. A
    process that has events in any of them has a log of all.

    `counted`: whether numbers and clocks begin anew in each session, or go on through all that a
    process does. That cannot be seen while logs are read, and is not looked for.

    `news`: whether anybody asks for them; else they are not kept.

    At most `most` sessions are open. When one more begins, that one is over that had no event for
    longest: it is judged, and forgotten. An event of it that comes later is told and not judged;
    where `MOST_ENDED` others were over since, it begins a new session of that name.
    """

    def __init__(
        self,
        automaton: SequenceAutomaton,
        *,
        incomplete: tuple[str, ...] = (),
        limits: Limits = NO_LIMITS,
        counted: Counted = "session",
        most: int = MAX_SESSIONS,
        news: bool = True,
    ) -> None:
        self._wanted = news
        self.summary = Summary()
        self._units = units = Units(automaton)
        self._make = partial(Auditor, automaton, incomplete=incomplete, limits=limits, units=units)
        self._running = RunningNumbers() if counted == "process" else None
        self._most = most
        self._open: OrderedDict[str, _Open] = OrderedDict()
        self._begun = 0
        self._over: OrderedDict[str, None] = OrderedDict()
        self._last: Auditor | None = None
        self._logged: set[str] = set()
        self._said: dict[str, int] = {}
        self._unsaid: list[AuditVerdict] = []
        self._recent = ""

    def add(self, event: RecordedEvent) -> None:
        """Take the next event of its session."""
        number = None if self._running is None else self._running.add(event)
        name = event.session
        found = self._open.get(name)
        if found is None:
            if name in self._over:
                self._too_late(event)
                return
            found = self._begin(name)
        elif name != self._recent:
            self._open.move_to_end(name)
        self._recent = name
        self._last = found.auditor
        self._logged.add(event.process)
        if found.numbers is not None and number is not None:
            found.numbers.add(event.process, number)
        try:
            found.auditor.add(event)
        except DocumentError as error:
            self._refuse(name, error)

    def waits(self, process: str) -> bool:
        """See `Auditor.waits`, of the session that was read last."""
        return self._last is not None and self._last.waits(process)

    def settle(self) -> None:
        """See `Auditor.settle`."""
        for found in self._open.values():
            found.auditor.settle()

    def news(self) -> Iterator[AuditVerdict]:
        """The verdicts about events that were given since this was asked last."""
        unsaid, self._unsaid = self._unsaid, []
        yield from unsaid
        for name, found in self._open.items():
            yield from self._news_of(name, found.auditor)

    def finish(self) -> Summary:
        """End all sessions."""
        while self._open:
            self._end(next(iter(self._open)))
        for strange in told_of_all(() if self._running is None else self._running.all()):
            self.summary.tell(BEFORE, strange)
        return self.summary

    def _begin(self, name: str) -> _Open:
        while len(self._open) >= self._most:
            self._end(next(iter(self._open)))
        rank = (0, self._begun)
        self._begun += 1
        tell = partial(self.summary.tell, rank)
        numbers = None if self._running is None else OpenSession(self._running)
        auditor = self._make(on_diagnostic=tell, numbering=numbers)
        found = self._open[name] = _Open(rank, auditor, numbers)
        return found

    def _end(self, name: str) -> None:
        found = self._open[name]
        if found.numbers is not None:
            for process, missing in found.numbers.absent(self._units.processes).items():
                found.auditor.lacks(Gap(process, numbers_missing_from_all(process, missing)))
        try:
            outcome = found.auditor.finish(self._logged)
        except DocumentError as error:
            self._refuse(name, error)
            return
        if self._wanted:
            self._unsaid += self._news_of(name, found.auditor)
        self._forget(name)
        self.summary.add(found.rank, name, outcome)

    def _refuse(self, name: str, error: DocumentError) -> None:
        found = self._open[name]
        self._forget(name)
        self.summary.refuse(found.rank, found.auditor.events, f"session {name}: {error}")

    def _forget(self, name: str) -> None:
        del self._open[name]
        self._said.pop(name, None)
        self._over[name] = None
        if len(self._over) > MOST_ENDED:
            self._over.popitem(last=False)

    def _news_of(self, name: str, auditor: Auditor) -> list[AuditVerdict]:
        said = self._said.get(name, 0)
        new = [*auditor.verdicts[said:]]
        if new:
            self._said[name] = said + len(new)
        return new

    def _too_late(self, event: RecordedEvent) -> None:
        told = (
            f"session {event.session} was over before it, as {self._most:,} others had events "
            "since, or could not be judged: it is not looked at (--max-sessions)"
        )
        self.summary.tell(BEFORE, Diagnostic("late-event", told, event.place))
