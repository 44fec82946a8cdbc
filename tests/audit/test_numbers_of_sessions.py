"""Numbers and clocks that count the events of all sessions: gaps are those of the whole log."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.audit import causality
from choreomon.audit import numbers as module
from choreomon.audit.auditor import Auditor
from choreomon.audit.gaps import numbers_missing_from_all
from choreomon.audit.items import Gap
from choreomon.audit.numbers import (
    Counted,
    Missing,
    MissingNumbers,
    OpenSession,
    RunningNumbers,
    SessionNumbers,
    WholeLog,
)
from choreomon.audit.oracle import truth
from choreomon.audit.outcome import Outcome
from choreomon.audit.sessions import SessionsAuditor
from choreomon.audit.summary import Rank, Summary
from choreomon.core.recorded import Place, RecordedEvent
from tests.audit.cases import Case, faults
from tests.audit.sessions_of_cases import (
    SESSIONS,
    Sessions,
    number_of,
    of_session,
    renumbered,
    sessions,
)

SEEDS = range(150)


def audited(found: Sessions, name: str) -> Outcome:
    whole = WholeLog()
    for event in found.events:
        whole.add(event)
    own = of_session(found.events, name)
    numbers = SessionNumbers(whole.found(), own)
    auditor = Auditor(found.automaton, numbering=numbers)
    for process, missing in numbers.absent().items():
        auditor.lacks(Gap(process, numbers_missing_from_all(process, missing)))
    for event in own:
        auditor.add(event)
    return auditor.finish(whole.processes)


class Kept(Summary):
    """With what became of each session."""

    def __init__(self) -> None:
        super().__init__()
        self.outcomes: dict[str, Outcome] = {}

    def add(self, rank: Rank, name: str, outcome: Outcome) -> None:
        self.outcomes[name] = outcome
        super().add(rank, name, outcome)


def followed(found: Sessions, patience: int) -> dict[str, Outcome]:
    """As `audited`, of all sessions while their log is read."""
    auditor = SessionsAuditor(found.automaton, counted="process")
    auditor.summary = kept = Kept()
    for number, event in enumerate(found.events):
        auditor.add(event)
        if not number % patience:
            auditor.settle()
    auditor.finish()
    return kept.outcomes


def alone(found: Sessions, name: str) -> tuple[Case, set[str]]:
    """The session with numbers of its own, as a case; and the processes that may lack anything. An
    event behind each log says how many there are, and that the process was logged."""
    events, lacking = renumbered(found, name)
    mine = dict.fromkeys((event.process for event in found.events), 0)
    for process in mine:
        present = {number_of(one) for one in found.events if one.process == process}
        told = [(one.clock or {}).get(process, 0) for one in found.events]
        missing = set(range(1, max((*present, *told)) + 1)) - present
        mine[process] = len(missing) + sum(one.process == process for one in events)
    ends = [
        RecordedEvent(
            process,
            "local",
            "end",
            Place("end", number),
            clock={process: count + 1} if found.says == "clocks" else None,
            number=count + 1 if found.says == "ids" else None,
        )
        for number, (process, count) in enumerate(mine.items())
        if process not in lacking
    ]
    return Case(found.automaton, found.says, (*events, *ends), (), 1), lacking


def wrong(seeds: Iterable[int]) -> list[str]:
    """Where an audit is not what all orders of the session come to."""
    told = []
    for seed in seeds:
        found = sessions(seed)
        for name in SESSIONS:
            case, lacking = alone(found, name)
            true = truth(case.automaton, case.events, lacking)
            told += [f"{seed} {name}: {one}" for one in faults(case, audited(found, name), true)]
    return told


def wrong_while_followed(seeds: Iterable[int]) -> list[str]:
    """As `wrong`."""
    told = []
    for seed in seeds:
        found = sessions(seed)
        for name, outcome in followed(found, 1 + seed % 3).items():
            case, lacking = alone(found, name)
            true = truth(case.automaton, case.events, lacking)
            told += [f"{seed} {name}: {one}" for one in faults(case, outcome, true)]
    return told


def missed(seeds: Iterable[int]) -> list[str]:
    """Lost events that are in no gap of their session, and gaps in which nothing was lost."""
    told = []
    for seed in seeds:
        found = sessions(seed)
        most: dict[str, int] = {}
        for event in found.events:
            for process, count in ((event.clock or {}) | {event.process: number_of(event)}).items():
                most[process] = max(most.get(process, 0), count)
        logged = {event.process for event in found.events}
        numbers = {event.place: number_of(event) for event in found.events}
        for name in SESSIONS:
            gaps = [gap for gap in audited(found, name).gaps if "in whatever session" in gap.reason]
            lost = [
                event
                for event in found.lost
                if event.process in logged and number_of(event) < most[event.process] + 1
            ]
            watched = {label.process for label in found.automaton.labels}

            def within(gap: Gap, event: RecordedEvent) -> bool:
                after = 0 if gap.after is None else numbers[gap.after]  # noqa: B023
                before = float("inf") if gap.before is None else numbers[gap.before]  # noqa: B023
                return gap.process == event.process and after < number_of(event) < before

            for event in lost:
                mine = event.session == name and event.process in watched
                if mine and not any(within(gap, event) for gap in gaps):
                    told.append(f"{seed} {name}: {event} is missed")
            false = [gap for gap in gaps if not any(within(gap, event) for event in lost)]
            told += [f"{seed} {name}: {gap} is none" for gap in false]
    return told


def test_verdicts_are_those_of_brute_force() -> None:
    assert wrong(SEEDS) == []


def test_so_they_are_while_logs_grow() -> None:
    assert wrong_while_followed(SEEDS) == []


def test_no_gap_is_missed_and_none_is_false() -> None:
    assert missed(SEEDS) == []


def test_without_loss_nothing_is_missing() -> None:
    for seed in SEEDS:
        found = sessions(seed, lossy=False)
        logged = {event.process for event in found.events}
        for name in SESSIONS:
            assert [gap for gap in audited(found, name).gaps if gap.process in logged] == []


def test_the_cases_have_all_there_is_to_find() -> None:
    outcomes = [audited(sessions(seed), name) for seed in SEEDS for name in SESSIONS]
    gaps = [gap for outcome in outcomes for gap in outcome.gaps]
    numbered = [gap for gap in gaps if "in whatever session" in gap.reason]
    assert len(numbered) > 100
    assert any(gap.after and gap.before for gap in numbered)
    assert any(gap.after and not gap.before for gap in numbered)
    assert any(gap.before and not gap.after for gap in numbered)
    assert any(not gap.after and not gap.before for gap in numbered)
    assert {outcome.overall.kind for outcome in outcomes} == {None, "violated", "possibly-violated"}


def _nothing_missing(
    self: MissingNumbers, process: str, after: float, before: float | None = None
) -> Missing | None:
    return None


def _all_missing(
    self: MissingNumbers, process: str, after: float, before: float | None = None
) -> Missing | None:
    return None if before is None else Missing(int(after) + 1, int(before) - 1, 1)


def _nowhere_absent(self: SessionNumbers) -> dict[str, Missing]:
    return {}


def _none_counts_all(self: SessionNumbers, process: str) -> bool:
    return False


def _never_told(*_: object) -> str:
    return ""


@pytest.mark.parametrize(
    ("where", "name", "planted"),
    [
        (MissingNumbers, "missing", _nothing_missing),
        (MissingNumbers, "missing", _all_missing),
        (SessionNumbers, "absent", _nowhere_absent),
        (SessionNumbers, "counts_all", _none_counts_all),
        (causality, "missing_from_all", _never_told),
    ],
)
def test_a_planted_bug_is_found(
    monkeypatch: pytest.MonkeyPatch, where: object, name: str, planted: Callable[..., object]
) -> None:
    monkeypatch.setattr(where, name, planted)
    assert any(wrong([seed]) for seed in SEEDS)


def _never_to_come(self: OpenSession, process: str, count: int) -> int:
    return 0


@pytest.mark.parametrize(
    ("where", "name", "planted"),
    [
        (RunningNumbers, "missing", _nothing_missing),
        (OpenSession, "absent", lambda self, processes: {}),
        (OpenSession, "last_up_to", _never_to_come),
    ],
)
def test_a_bug_planted_in_what_is_followed_is_found(
    monkeypatch: pytest.MonkeyPatch, where: object, name: str, planted: Callable[..., object]
) -> None:
    monkeypatch.setattr(where, name, planted)
    assert any(wrong_while_followed([seed]) for seed in SEEDS)


def test_what_was_missing_may_come() -> None:
    running = RunningNumbers()
    for number in (2, 9, 5, 8, 3):
        assert running.add(event("a", number)) == number
    assert running.missing("p", 0) == Missing(1, 7, 4)
    assert running.missing("p", 3, 5) == Missing(4, 4, 1)
    assert running.missing("p", 8, 9) is None
    assert running.add(event("a", 9)) == 9
    assert running.last("p") == 9


@given(st.lists(st.integers(1, 60), unique=True, min_size=1), st.integers(1, 5))
def test_of_bounded_runs_never_less_is_missing(order: list[int], most: int) -> None:
    """Beside all numbers that were not read."""
    running = RunningNumbers()
    with patch.object(module, "MOST_RUNS", most):
        for number in order:
            running.add(event("a", number))
    runs = [missing for _, missing in running.all()]
    assert len(runs) <= most
    lost = {*range(1, max(order))} - {*order}
    late = [number for place, number in enumerate(order) if number < max(order[: place + 1])]
    assert len(lost) <= sum(run.number for run in runs) <= len(lost) + len(late)
    for after in (0, *order):
        for before in (*order, None):
            if before is None or after < before:
                really = [each for each in lost if after < each < (before or 61)]
                found = running.missing("p", after, before)
                assert not really or found is not None
                assert found is None or found.number >= len(really)


def test_one_event_that_only_a_clock_tells_of_is_missing() -> None:
    told = event("a", 1, "q")._replace(clock={"q": 1, "p": 3})
    assert numbers_of(event("a", 1), event("b", 2), told).missing("p", 0) == Missing(3, 3, 1)


def event(session: str, number: int, process: str = "p") -> RecordedEvent:
    return RecordedEvent(process, "local", "x", Place("log", 1), number=number, session=session)


def numbers_of(*events: RecordedEvent) -> MissingNumbers:
    """Seen by several, and put together."""
    whole = WholeLog()
    for one in events:
        part = WholeLog()
        part.add(one)
        whole.merge(part)
    return whole.found()


def test_numbers_that_come_twice_are_those_of_sessions() -> None:
    assert numbers_of(event("a", 1), event("b", 1), event("a", 3)).counted == set()
    whole = numbers_of(event("a", 1), event("b", 2), event("a", 9), event("b", 5))
    assert whole.counted == {"p"}
    assert whole.missing("p", 1, 9) == Missing(3, 8, 5)
    assert whole.missing("p", 2, 5) == Missing(3, 4, 2)
    assert whole.missing("p", 9) is None
    other = event("a", 1, "q")
    assert numbers_of(event("a", 1), event("b", 1), other).counted == {"q"}


def test_it_may_be_said_how_numbers_count() -> None:
    cases: list[tuple[Counted | None, set[str]]]
    cases = [("session", set()), ("process", {"p"}), (None, set())]
    for counted, expected in cases:
        whole = WholeLog(counted)
        for one in (event("a", 1), event("b", 2), event("a", 2), event("b", 5)):
            whole.add(one)
        found = whole.found()
        assert found.counted == expected
        assert whole.processes == {"p"}
        if expected:
            assert found.missing("p", 2, 5) == Missing(3, 4, 2)


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        (Missing(5, 5, 1), "event 5 of P1 is"),
        (Missing(5, 6, 2), "events 5 to 6 of P1 are"),
        (Missing(5, 7, 2), "2 of the events 5 to 7 of P1 are"),
    ],
)
def test_how_many_are_missing_is_said_where_it_is_not_all_of_them(
    missing: Missing, said: str
) -> None:
    told = numbers_missing_from_all("P1", missing)
    assert told == f"{said} not in its log, in whatever session"
