"""Whatever happens between a service and its agent: no event is counted twice, none that was
acknowledged is lost, their order is kept, and no clock that was heard is forgotten. And an agent
that relies on the promise of the service is never deceived."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choreomon.agent_files.local import Policy
from tests.sdk.planted import ALL, PLANTED, Planted
from tests.sdk.played import Played, Step, play

often = st.sampled_from([("up", ()), ("down", ()), ("send", ()), ("handle", ()), ("hear", ())])
seldom: st.SearchStrategy[Step] = st.one_of(
    st.sampled_from([("connect", ()), ("cut", ()), ("up", (-2,)), ("forget", ())]),
    st.tuples(st.just("give_up"), st.tuples(st.integers(0, 3))),
    st.tuples(st.sampled_from(["wait", "stand_still"]), st.tuples(st.sampled_from([1, 4, 6, 11]))),
)
courses = st.lists(often | seldom, min_size=3, max_size=60)


@pytest.mark.parametrize("policy", ALL)
@settings(max_examples=200)
@given(courses, st.integers(0, 4), st.integers(1, 4))
def test_nothing_is_counted_twice_lost_reordered_or_forgotten(
    policy: Policy, course: list[Step], buffer: int, window: int
) -> None:
    play(Played(policy, buffer=buffer, window=window), course)


def random_course(random: Random) -> list[Step]:
    """Like `courses`, and a hundred times as quick to draw."""
    some: list[Step] = [("up", ()), ("down", ()), ("send", ()), ("handle", ()), ("hear", ())]
    other: list[Step] = [
        ("connect", ()),
        ("connect", ()),
        ("cut", ()),
        ("up", (-2,)),
        ("forget", ()),
        ("give_up", (random.randrange(4),)),
        ("wait", (random.choice([1, 4, 6, 11]),)),
        ("stand_still", (random.choice([1, 4, 6, 11]),)),
    ]
    return [random.choice(some if random.random() < 0.7 else other) for _ in range(50)]


def broken_by(policy: Policy, runs: int) -> str:
    """What goes wrong first in random courses, "" for nothing."""
    for seed in range(runs):
        random = Random(seed)
        played = Played(policy, buffer=random.randrange(4), window=random.randrange(1, 4))
        try:
            play(played, random_course(random))
        except AssertionError as error:
            return f"{seed}: {error}"
    return ""


@pytest.mark.parametrize("policy", ALL)
def test_a_thousand_random_courses_break_nothing(policy: Policy) -> None:
    assert broken_by(policy, 1000) == ""


@pytest.mark.parametrize(
    ("planted", "policy"),
    [(planted, policy) for planted in PLANTED for policy in planted.policies],
    ids=lambda it: it.bug.__name__ if isinstance(it, Planted) else it,
)
def test_the_laws_notice_a_planted_bug(
    planted: Planted, policy: Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planted.place, planted.method, planted.bug)
    assert broken_by(policy, 1000) != ""


COURSE: list[Step] = [
    *([("send", ()), ("hear", ()), ("handle", ()), ("up", ()), ("send", ()), ("down", ())] * 2),
    *([("up", ()), ("down", ())] * 3),
    ("handle", ()),
    ("hear", ()),
    ("up", ()),
    ("send", ()),
]
AWAY_FOR: list[list[Step]] = [
    [("cut", ()), ("connect", ()), ("up", ()), ("up", (-2,)), ("down", ())],
    [("cut", ()), ("send", ()), ("wait", (11,)), ("send", ()), ("connect", ())],
    [("stand_still", (11,)), ("up", ()), ("wait", (0,)), ("handle", ()), ("connect", ())],
    [("cut", ()), ("up", (-1,)), ("wait", (11,)), ("handle", ()), ("up", (-1,)), ("connect", ())],
    [("forget", ()), ("hear", ()), ("down", ()), ("connect", ()), ("up", ()), ("down", ())],
]


@pytest.mark.parametrize("policy", ALL)
@pytest.mark.parametrize("window", [1, 3])
def test_a_connection_may_break_anywhere_and_once_more(policy: Policy, window: int) -> None:
    """Every way of being away, at every point of a course, then every way at every later one."""
    runs = 0
    for first in range(len(COURSE) + 1):
        for second in range(first, len(COURSE) + 1):
            for number, away in enumerate(AWAY_FOR):
                again = AWAY_FOR[(number + first + second) % len(AWAY_FOR)]
                course = [*COURSE[:first], *away, *COURSE[first:second], *again, *COURSE[second:]]
                play(Played(policy, buffer=2, window=window), course)
                runs += 1
    assert runs == 5 * (len(COURSE) + 1) * (len(COURSE) + 2) // 2
