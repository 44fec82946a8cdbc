"""Every rule of docs/live.md, "Durability" and "Gaps", switched off, is seen to break a law.

Where chance finds it soon, random runs do; where it needs three things in a row, a course does
that is told step by step. The same courses and runs break nothing where no rule is switched off.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from choreomon.core.message import Message
from choreomon.core.verdict import VIOLATED
from choreomon.runtime.inputs import Hello, Report
from tests.laws import live_rules
from tests.properties.stated import automaton_of
from tests.runtime.world.drawn import BATCHES, BUFFERS, GAPS, POWER, Flavor, draw_case, draw_taste
from tests.runtime.world.playing import Playing
from tests.runtime.world.staged import Staged
from tests.runtime.world.truth import Law
from tests.runtime.world.world import Build

RIGHT = Build()


def laws_broken(seed: int, flavor: Flavor, build: Build) -> set[Law]:
    """By one random run. That nothing uncommitted is told is looked at from inside, so it does not
    count here: what it protects does."""
    random = Random(seed)
    case = draw_case(random, flavor, build=build)
    playing = Playing(case, draw_taste(random, flavor), random)
    playing.play()
    left = playing.heal()
    truth = playing.world.truth
    broken: set[Law] = {each.law for each in (*truth.broken, *truth.judge())}
    if left:
        broken.add("answered")
    if playing.world.complaints:
        broken.add("honest")
    return broken - {"durable"}


def seeds_until_broken(flavor: Flavor, build: Build, most: int) -> tuple[int, set[Law]]:
    for seed in range(most):
        broken = laws_broken(seed, flavor, build)
        if broken:
            return seed + 1, broken
    return most, set()


BY_CHANCE: list[tuple[str, Flavor, Build, int]] = [
    ("acknowledges before the commit", BATCHES,
     Build(driver=live_rules.AcknowledgesBeforeTheCommit), 60),
    ("asks before the commit", BATCHES, Build(driver=live_rules.AsksBeforeTheCommit), 200),
    ("answers before the commit", BATCHES, Build(driver=live_rules.AnswersBeforeTheCommit), 200),
    ("forgets what it heard", BATCHES, Build(driver=live_rules.ForgetsWhatItHeard), 200),
    ("rolls back", Flavor(), Build(driver=live_rules.RollsBack), 60),
    ("keeps no words", BATCHES, Build(sidecar=live_rules.KeepsNoWords), 200),
    ("asks nothing again", Flavor(), Build(sidecar=live_rules.AsksNothingAgain), 100),
    ("counts repeats", BATCHES, Build(sidecar=live_rules.CountsRepeats), 60),
    ("welcomes before the commit", BATCHES,
     Build(driver=live_rules.WelcomesBeforeTheCommit), 250),
    ("says before the commit", BATCHES, Build(driver=live_rules.SaysBeforeTheCommit), 100),
    ("repeats before the commit", BATCHES, Build(driver=live_rules.RepeatsBeforeTheCommit), 150),
    ("logs no responses", BATCHES, Build(driver=live_rules.LogsNoResponses), 250),
    ("tells no gaps", GAPS, Build(host=live_rules.TellsNoGaps), 100),
    ("ignores amnesia", POWER, Build(driver=live_rules.IgnoresAmnesia), 100),
]  # fmt: skip


@pytest.mark.parametrize(
    ("flavor", "build", "most"),
    [(flavor, build, most) for _, flavor, build, most in BY_CHANCE],
    ids=[name for name, *_ in BY_CHANCE],
)
def test_a_rule_switched_off_breaks_a_law(flavor: Flavor, build: Build, most: int) -> None:
    _, broken = seeds_until_broken(flavor, build, most)
    assert broken


@pytest.mark.parametrize("flavor", [Flavor(), BATCHES, GAPS, BUFFERS, POWER])
def test_the_same_runs_break_nothing_where_no_rule_is_switched_off(flavor: Flavor) -> None:
    assert not [seed for seed in range(60) if laws_broken(seed, flavor, RIGHT)]


# Courses.

A = Message("X", "a", "Z")
M = Message("Z", "m", "X")
V = Message("Y", "v", "X")
OTHER = Message("Y", "other", "X")
LAST = Message("X", "last", "Y")
NAMES = ("X", "Y", "Z")

# a then m forms it, and v takes a back. What else Y does is of another sequence.
TWO_STEPS = automaton_of(
    "q0",
    "q2 q4",
    ("q0", A, "q1"),
    ("q1", M, "q2"),
    ("q1", V, "q0"),
    ("q0", OTHER, "q3"),
    ("q3", LAST, "q4"),
)


def noise(sender: str, receiver: str) -> Message:
    return Message(sender, "noise", receiver)


def a_gap_that_hides_something_else(build: Build) -> Staged:
    """Y does something that is not told, after a and before m, but it is no cancellation."""
    course = Staged(TWO_STEPS, {"X": "block", "Y": "let-go", "Z": "block"}, build)
    course.sends(A)
    course.passes(noise("X", "Y"))
    course.sends(OTHER)  # its report tells what was heard, so that the gap is after a
    course.leaves("Y")
    course.waits()
    course.sends(OTHER)
    course.returns("Y")
    course.waits(0.1)
    course.passes(noise("Y", "Z"))  # so that m is after the gap
    course.sends(M)
    return course


def an_agent_that_sleeps_over_the_end_of_a_lease(build: Build) -> Staged:
    """X lets a go, and its agent, which has not noticed yet, is asked about m."""
    course = Staged(TWO_STEPS, {"X": "let-go", "Y": "block", "Z": "block"}, build)
    course.leaves("X")
    course.sleeps()
    course.sends(A)
    course.sends(M)
    course.delivers()
    return course


def a_buffer_that_has_not_arrived(build: Build) -> Staged:
    """X keeps a back, and its agent is asked about m meanwhile."""
    course = Staged(TWO_STEPS, {"X": "buffer", "Y": "block", "Z": "block"}, build)
    course.leaves("X")
    course.waits()
    course.sends(A)
    course.sends(M)
    course.delivers()
    course.returns("X")
    return course


def a_service_that_is_away_for_long(build: Build) -> Staged:
    """Y takes a back long after its agent heard of it last, and no other service came since. What
    its agent had said by then was known before a."""
    course = Staged(TWO_STEPS, {"X": "block", "Y": "let-go", "Z": "block"}, build)
    course.leaves("Y")
    for _ in range(8):
        course.waits()
    course.sends(M)
    course.delivers()
    course.sends(M)  # its answer tells Z's service what its agent has heard
    course.delivers()
    course.passes(noise("Z", "X"))
    course.sends(A)
    course.passes(noise("X", "Z"))
    course.sends(V)
    course.sends(M)
    course.delivers()
    return course


Course = Callable[[Build], Staged]
Patch = Callable[[pytest.MonkeyPatch], None]

COURSES: list[tuple[str, Course, Build, Patch | None]] = [
    ("gaps are possible events", a_gap_that_hides_something_else, RIGHT,
     live_rules.gaps_are_possible_events),
    ("gaps certainly cancel", a_gap_that_hides_something_else,
     Build(rules=live_rules.TakesGapsForCancellations()), None),
    ("leases are ignored", an_agent_that_sleeps_over_the_end_of_a_lease,
     Build(driver=live_rules.IgnoresLeases), None),
    ("leases end by the timer", an_agent_that_sleeps_over_the_end_of_a_lease,
     Build(driver=live_rules.LapsesByTimer), None),
    ("the absent are taken for dead", a_service_that_is_away_for_long,
     Build(sidecar=live_rules.TakesTheAbsentForDead), None),
    ("answers before the buffer arrived", a_buffer_that_has_not_arrived, RIGHT,
     live_rules.answers_before_the_buffer_arrived),
]  # fmt: skip


@pytest.mark.parametrize(
    ("course", "build", "patch"),
    [each[1:] for each in COURSES],
    ids=[each[0] for each in COURSES],
)
def test_a_rule_of_gaps_switched_off_breaks_a_law(
    course: Course, build: Build, patch: Patch | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not course(RIGHT).heals()
    if patch is not None:
        patch(monkeypatch)
    assert {each.law for each in course(build).heals()} & {"G1", "G2"}


# Regressions: each of these was wrong once.


@pytest.mark.parametrize(
    ("build", "stays"),
    [(RIGHT, True), (Build(sidecar=live_rules.LetsOldConnectionsSpeak), False)],
)
def test_a_hello_over_an_older_connection_does_not_take_the_session_away(
    build: Build, stays: bool
) -> None:
    course = Staged(TWO_STEPS, dict.fromkeys(NAMES, "block"), build)
    driver = course.world.agents["X"].driver
    assert driver is not None
    ((name, before),) = driver.state.sessions.items()
    course.leaves("X")
    course.returns("X")
    newer = driver.state.sessions[name].connection
    assert newer > before.connection
    driver.take(Hello(before.connection, "block", name, "unused", 0))
    assert (driver.state.sessions[name].connection == newer) is stays


@pytest.mark.parametrize(
    ("build", "counts"),
    [(RIGHT, False), (Build(driver=live_rules.BelievesOldConnections), True)],
)
def test_a_promise_over_an_older_connection_does_not_count(build: Build, counts: bool) -> None:
    """What was told before it, over that connection, was not taken."""
    course = Staged(TWO_STEPS, {"X": "buffer", "Y": "block", "Z": "block"}, build)
    driver = course.world.agents["X"].driver
    assert driver is not None
    ((name, before),) = driver.state.sessions.items()
    course.leaves("X")
    course.waits()
    assert not driver.state.sessions[name].promised
    newer = driver.state.sessions[name]._replace(connection=before.connection + 1)
    driver.state = driver.state._replace(sessions={name: newer})
    driver.renewed(name, before.connection, course.world.agents["X"].now())
    assert driver.state.sessions[name].promised is counts


@pytest.mark.parametrize(
    ("build", "events"),
    [(RIGHT, 1), (Build(sidecar=live_rules.TakesEvictedSessionsForNew), 2)],
)
def test_what_an_evicted_session_repeats_is_not_counted_again(build: Build, events: int) -> None:
    course = Staged(TWO_STEPS, dict.fromkeys(NAMES, "block"), build)
    driver = course.world.agents["X"].driver
    assert driver is not None
    report = Report(9, "evicted", 1, 0, "send", "Z", "a", "", 0)
    driver.take(Hello(9, "block", "", "evicted", 0))
    driver.take(report)
    sessions = {name: each for name, each in driver.state.sessions.items() if name != "evicted"}
    driver.state = driver.state._replace(sessions=sessions)
    driver.take(Hello(9, "block", "evicted", "unused", 0))
    driver.take(report)
    assert driver.state.hosts[0].clock[0] == events


def test_what_was_kept_back_is_told_as_if_it_had_been_told_at_once() -> None:
    """A buffer is no gap: the word is the one that it would have been."""
    course = Staged(TWO_STEPS, {"X": "buffer", "Y": "block", "Z": "block"})
    course.leaves("X")
    course.waits()
    course.sends(A)
    course.returns("X")
    course.passes(noise("X", "Z"))
    course.sends(A)
    course.passes(noise("X", "Z"))
    course.sends(M)
    assert not course.heals()
    words = [said.declared.verdict.kind for _, said in course.world.truth.words()]
    assert words == [VIOLATED]
