"""Logs of many sessions: an audit of each, and what they come to together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

from choreomon.audit.auditor import Auditor
from choreomon.audit.outcome import AuditVerdict, Outcome
from choreomon.core.recorded import RecordedEvent
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED

_GRAVEST_FIRST = (VIOLATED, POSSIBLY_VIOLATED, None)


class SessionsAuditor:
    """As an `Auditor`, with one that `make` makes for each session: what happened in one orders and
    forms nothing in another one. A process that has events in any of them has a log of all. All are
    kept until the end."""

    def __init__(self, make: Callable[[], Auditor]) -> None:
        self._make = make
        self._auditors: dict[str, Auditor] = {}
        self._last: Auditor | None = None
        self._logged: set[str] = set()

    def add(self, event: RecordedEvent) -> None:
        """One more event of its session."""
        auditor = self._auditors.get(event.session)
        if auditor is None:
            auditor = self._auditors[event.session] = self._make()
        self._last = auditor
        self._logged.add(event.process)
        auditor.add(event)

    def waits(self, process: str) -> bool:
        """See `Auditor.waits`, of the session that was read last."""
        return self._last is not None and self._last.waits(process)

    def settle(self) -> None:
        """See `Auditor.settle`."""
        for auditor in self._auditors.values():
            auditor.settle()

    @property
    def verdicts(self) -> Sequence[AuditVerdict]:
        """Those that were given so far, session by session."""
        return [*chain.from_iterable(auditor.verdicts for auditor in self._auditors.values())]

    def finish(self) -> Outcome:
        """All sessions together: `overall` is that of the gravest one, the first of them;
        `sessions` has the verdict about each, in the order in which they began."""
        if not self._auditors:
            return self._make().finish()
        found = {name: auditor.finish(self._logged) for name, auditor in self._auditors.items()}
        overall = min(
            (one.overall for one in found.values()),
            key=lambda one: _GRAVEST_FIRST.index(one.kind),
        )
        every = found.values()
        return Outcome(
            verdicts=tuple(chain.from_iterable(one.verdicts for one in every)),
            overall=overall,
            gaps=tuple(chain.from_iterable(one.gaps for one in every)),
            events=sum(one.events for one in every),
            labelled=sum(one.labelled for one in every),
            late=tuple(chain.from_iterable(one.late for one in every)),
            sessions=tuple((name, one.overall.kind) for name, one in found.items()),
        )
