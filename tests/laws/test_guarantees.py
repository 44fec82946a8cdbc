"""G1 (no missed violation) and G2 (no false alarm) of docs/verdicts.md, "What is guaranteed",
and no deadlock: the monitors against the reference over the order in which events really
happened."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from choreomon.monitor import inspection, pull
from choreomon.monitor.record_by_record import PAPER, SOUND
from choreomon.monitor.rules import Rules
from tests.laws.drawn import draw_automaton, draw_scripts, processes
from tests.laws.interleaving import Run, System, play, weighted
from tests.laws.planted import (
    ForgetsAllButTheLast,
    ForgetsConcurrentRecords,
    IgnoresCancellations,
    MergesCertainly,
    MergesIntoTheLast,
    ShortChains,
    TrustsUncertainRecords,
)

LONG = (40, 80)


def draw_run(
    random: Random,
    rules: Rules = SOUND,
    *,
    count: tuple[int, int] = (2, 6),
    events: tuple[int, int] = (4, 14),
    deadline: bool = False,
) -> Run:
    names = processes(random.randint(*count))
    automaton = draw_automaton(random, names)
    scripts = draw_scripts(random, automaton, names, events=events)
    system = System(automaton, names, rules, in_order=random.random() < 0.5, deadline=deadline)
    return play(system, scripts, weighted(random))


def runs(
    number: int,
    rules: Rules = SOUND,
    *,
    count: tuple[int, int] = (2, 6),
    events: tuple[int, int] = (4, 14),
    deadline: bool = False,
) -> Iterator[Run]:
    """The runs of the seeds 0, 1, ..."""
    for seed in range(number):
        yield draw_run(Random(seed), rules, count=count, events=events, deadline=deadline)


randoms = st.randoms(use_true_random=False)
thorough = settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@thorough
@given(randoms)
def test_no_formation_is_missed_and_none_is_made_up(random: Random) -> None:
    run = draw_run(random)
    assert not run.missed()
    assert not run.false_alarms()


@thorough
@given(randoms)
def test_in_every_order_of_delivery_everything_is_answered_in_the_end(random: Random) -> None:
    """At the end nothing is postponed, no inspection is open, no event waits."""
    assert not draw_run(random).unfinished()


def test_the_guarantees_hold_over_many_runs() -> None:
    """Seeded runs beside those of hypothesis: cheap, so there are more of them. That the
    numbers are not small shows that the runs are about something."""
    formed = violated = possibly = 0
    for run in runs(2500):
        assert not run.missed()
        assert not run.false_alarms()
        assert not run.unfinished()
        formed += len(run.formed)
        violated += len(run.violated())
        possibly += len(run.possibly())
    assert formed > 5000
    assert violated > 4000
    assert possibly > 1500


@pytest.fixture
def no_chain_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short chains are looked through too."""
    monkeypatch.setattr(inspection, "SMALL", 1)
    monkeypatch.setattr(pull, "SMALL", 1)


@pytest.mark.usefixtures("no_chain_is_small")
@pytest.mark.parametrize("longest", [1, 2, 3])
def test_merged_histories_keep_the_guarantees_in_long_runs(longest: int) -> None:
    formed = merged = 0
    for run in runs(120, ShortChains(longest), count=(2, 4), events=LONG):
        assert not run.missed()
        assert not run.false_alarms()
        assert not run.unfinished()
        formed += len(run.formed)
        merged += any(
            record.since
            for state in run.worlds[-1].states
            for chain in state.history
            for record in chain
        )
    assert formed > 1000
    assert merged > 60


@pytest.mark.parametrize(
    "broken",
    [PAPER, ForgetsConcurrentRecords(), ForgetsAllButTheLast()],
    ids=lambda rules: type(rules).__name__,
)
def test_the_law_of_missed_formations_notices(broken: Rules) -> None:
    assert any(run.missed() for run in runs(1000, broken))


@pytest.mark.parametrize(
    "broken",
    [TrustsUncertainRecords(), IgnoresCancellations()],
    ids=lambda rules: type(rules).__name__,
)
def test_the_law_of_false_alarms_notices(broken: Rules) -> None:
    assert any(run.false_alarms() for run in runs(1000, broken))


@pytest.mark.usefixtures("no_chain_is_small")
@pytest.mark.parametrize(
    "broken",
    [MergesIntoTheLast(2), MergesCertainly(2)],
    ids=lambda rules: type(rules).__name__,
)
def test_the_laws_of_long_runs_notice(broken: Rules) -> None:
    assert any(
        run.missed() or run.false_alarms() for run in runs(120, broken, count=(2, 4), events=LONG)
    )


def test_the_law_of_answers_notices_waiting_for_concurrent_events(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Waiting for whatever is open lets two monitors wait for each other."""
    monkeypatch.setattr(pull, "must_wait", lambda monitor, undecided, inquiry: bool(undecided))
    assert any(run.unfinished() for run in runs(100))
