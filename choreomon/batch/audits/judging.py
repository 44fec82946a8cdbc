"""Judging of sessions, one after the other, from events that were put aside."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from choreomon.audit.auditor import Auditor, over_replicas
from choreomon.audit.gaps import numbers_missing_from_all
from choreomon.audit.in_order import in_order
from choreomon.audit.items import Gap
from choreomon.audit.numbers import MissingNumbers, SessionNumbers
from choreomon.audit.outcome import Outcome
from choreomon.audit.reading import side_by_side
from choreomon.audit.summary import Summary
from choreomon.audit.units import Units
from choreomon.batch.audits.aside import Put, Share, event_of, taken
from choreomon.batch.audits.question import AuditQuestion
from choreomon.core.errors import DocumentError
from choreomon.core.recorded import Diagnostic, RecordedEvent


class SessionsJudge:
    """Audits sessions. `missing` and `logged` are about all logs: which numbers are in none, and
    which processes have events in any session."""

    def __init__(
        self, question: AuditQuestion, missing: MissingNumbers, logged: frozenset[str]
    ) -> None:
        self._question = question
        self._missing = missing
        self._logged = logged
        self._units = Units(over_replicas(question.automaton, question.roles))

    def judge(self, shares: Sequence[Share]) -> Summary:
        """Judge the sessions of one part, of which these are all shares, in the order of the
        logs."""
        sessions: dict[str, list[tuple[Share, list[Put]]]] = {}
        for share in shares:
            for name, events in taken(share):
                sessions.setdefault(name, []).append((share, events))
        summary = Summary()
        for name in [*sessions]:
            self._judge(name, sessions.pop(name), summary)
        return summary

    def _judge(self, name: str, found: list[tuple[Share, list[Put]]], summary: Summary) -> None:
        share, events = found[0]
        rank = (share.log, share.before + events[0][3])
        count = sum(len(events) for _, events in found)
        called = f"session {name}" if name else "the events without a session"
        if count > self._question.most:
            told = f"{called}: {count:,} events are more than --max-events {self._question.most:,}"
            summary.refuse(rank, count, f"{told}: not judged")
            return
        logs: dict[int, list[RecordedEvent]] = {}
        for share, events in found:
            own = logs.setdefault(share.log, [])
            own += (event_of(put, share.path, share.before, name) for put in events)
        strange: list[Diagnostic] = []
        outcome: Outcome | None
        try:
            outcome = self._audited([*logs.values()], strange.append)
        except DocumentError as error:
            outcome = self._mended([*logs.values()], strange)
            if outcome is None:
                summary.refuse(rank, count, f"{called}: {error}")
        for each in strange:
            summary.tell(rank, each)
        if outcome is not None:
            summary.add(rank, name, outcome)

    def _mended(self, logs: list[list[RecordedEvent]], strange: list[Diagnostic]) -> Outcome | None:
        """The outcome of a session whose events are out of order, in the order that their numbers
        say; None if this does not mend it. `strange` is replaced by what is strange about it."""
        if self._question.strict:
            return None
        told: list[Diagnostic] = []
        ordered = [[*in_order(iter(log), told.append)] for log in logs]
        if not told:
            return None
        events = [[each for each in log if isinstance(each, RecordedEvent)] for log in ordered]
        try:
            outcome = self._audited(events, told.append)
        except DocumentError:
            return None
        strange[:] = told
        return outcome

    def _audited(
        self, logs: list[list[RecordedEvent]], strange: Callable[[Diagnostic], None]
    ) -> Outcome:
        question = self._question
        numbers = None
        if self._missing.counted:
            numbers = SessionNumbers(self._missing, (each for log in logs for each in log))
        auditor = Auditor(
            question.automaton,
            incomplete=question.incomplete,
            limits=question.limits,
            on_diagnostic=strange,
            numbering=numbers,
            units=self._units,
            roles=question.roles,
        )
        for process, missing in {} if numbers is None else numbers.absent().items():
            auditor.lacks(Gap(process, numbers_missing_from_all(process, missing)))
        add = auditor.add
        for event in side_by_side([iter(log) for log in logs], auditor.waits):
            if isinstance(event, RecordedEvent):
                add(event)
        return auditor.finish(self._logged)
