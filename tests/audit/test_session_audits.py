"""Audits of sessions: each comes to what it comes to alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from random import Random

from choreomon.audit.auditor import Auditor
from choreomon.audit.outcome import AuditVerdict
from choreomon.audit.sessions import SessionsAuditor
from choreomon.core.errors import DocumentError
from choreomon.core.recorded import Place, RecordedEvent
from tests.audit.cases import case

NAMES = ("one", "two", "three")


def mixed(rng: Random, events: list[RecordedEvent]) -> list[RecordedEvent]:
    """The same events in three sessions, those of each in their order."""
    left = {name: [event._replace(session=name) for event in events] for name in NAMES}
    found: list[RecordedEvent] = []
    while any(left.values()):
        name = rng.choice([name for name in NAMES if left[name]])
        found.append(left[name].pop(0))
    return found


def told(verdicts: Iterable[AuditVerdict], session: str) -> Counter[tuple[str, str, int]]:
    """The verdicts about the events of a session, by their lines."""
    return Counter(
        (verdict.kind, str(verdict.item.label), verdict.item.event.place.line)
        for verdict in verdicts
        if verdict.item.event is not None and verdict.item.event.session == session
    )


def disagreements(seeds: range, *, apart: bool, most: int = 3) -> tuple[int, int]:
    """Sessions that come to something else than alone, and those that come to anything; of those of
    which gaps found late changed what was said no verdicts are looked at."""
    wrong = some = 0
    for seed in seeds:
        one = case(seed)
        if not one.events:
            continue  # nor sessions
        alone = Auditor(one.automaton)
        together = SessionsAuditor(one.automaton, most=most)
        try:
            for event in one.events:
                alone.add(event)
            expected = alone.finish()
        except DocumentError:
            continue
        said: list[AuditVerdict] = []
        for event in mixed(Random(seed), list(one.events)):
            together.add(event if apart else event._replace(session="one"))
            said += together.news()
        found = together.finish().outcome()
        said += together.news()
        some += expected.overall.kind is not None
        if not apart:
            wrong += found.verdicts != {expected.overall.kind: 1}
            continue
        wrong += found.verdicts != {expected.overall.kind: 3}
        wrong += found.events != 3 * expected.events
        if not expected.late:
            wrong += sum(told(said, name) != told(expected.verdicts, "") for name in NAMES)
    return wrong, some


def test_each_session_is_judged_as_it_is_alone() -> None:
    wrong, some = disagreements(range(300), apart=True)
    assert wrong == 0
    assert some > 60


def test_the_law_notices_who_takes_all_sessions_for_one() -> None:
    assert any(disagreements(range(seed, seed + 1), apart=False)[0] for seed in range(60))


def test_the_law_notices_sessions_that_are_over_too_early() -> None:
    assert any(disagreements(range(seed, seed + 1), apart=True, most=2)[0] for seed in range(60))


def test_news_are_only_kept_for_who_asks() -> None:
    one = next(one for one in map(case, range(50)) if one.audit().verdicts)
    told = []
    for news in (True, False):
        auditor = SessionsAuditor(one.automaton, news=news)
        for each in one.events:
            auditor.add(each)
        told.append((auditor.finish().outcome(), [*auditor.news()]))
    assert told[0][0] == told[1][0]
    assert told[0][1] != []
    assert told[1][1] == []


def event(session: str, line: int) -> RecordedEvent:
    return RecordedEvent("P1", "local", "x", Place("log", line), session=session)


def test_no_more_sessions_are_open_than_may_be() -> None:
    """The one that had no event for longest is over; of what comes later of it nothing is said."""
    auditor = SessionsAuditor(case(1).automaton, most=2)
    for line, session in enumerate("abacbdba", start=1):
        auditor.add(event(session, line))
    summary = auditor.finish()
    outcome = summary.outcome()
    assert outcome.sessions == 4
    assert outcome.events == 5
    late = [each for each in summary.diagnostics() if each.kind == "late-event"]
    assert [each.place.line for each in late] == [5, 7, 8]
