"""Audits of sessions: each comes to what it comes to alone."""

from __future__ import annotations

from collections import Counter
from random import Random

from choreomon.audit.auditor import Auditor
from choreomon.audit.outcome import Outcome
from choreomon.audit.sessions import SessionsAuditor
from choreomon.core.errors import DocumentError
from choreomon.core.recorded import RecordedEvent
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


def told(outcome: Outcome, session: str) -> Counter[tuple[str, str, int]]:
    """The verdicts about the events of a session, by their lines."""
    return Counter(
        (verdict.kind, str(verdict.item.label), verdict.item.event.place.line)
        for verdict in outcome.verdicts
        if verdict.item.event is not None and verdict.item.event.session == session
    )


def disagreements(seeds: range, *, apart: bool) -> tuple[int, int]:
    """Sessions that come to something else than alone, and those that come to anything."""
    wrong = some = 0
    for seed in seeds:
        one = case(seed)
        alone = Auditor(one.automaton)
        together: SessionsAuditor | Auditor = Auditor(one.automaton)
        if apart:
            together = SessionsAuditor(lambda: Auditor(one.automaton))  # noqa: B023
        try:
            for event in one.events:
                alone.add(event)
            expected = alone.finish()
            for event in mixed(Random(seed), list(one.events)):
                together.add(event)
            found = together.finish()
        except DocumentError:
            wrong += not apart
            continue
        some += expected.overall.kind is not None
        for name in NAMES:
            wrong += told(found, name) != told(expected, "")
        if apart:
            wrong += found.sessions != tuple(
                (n, expected.overall.kind) for n in dict(found.sessions)
            )
            wrong += found.overall.kind != expected.overall.kind
            wrong += found.events != 3 * expected.events
    return wrong, some


def test_each_session_is_judged_as_it_is_alone() -> None:
    wrong, some = disagreements(range(300), apart=True)
    assert wrong == 0
    assert some > 60


def test_the_law_notices_who_takes_all_sessions_for_one() -> None:
    assert disagreements(range(60), apart=False)[0] > 0
