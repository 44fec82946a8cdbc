"""What an agent with `durability: off`, or whose store was deleted, notices of having forgotten
everything: docs/live.md, "Durability"."""

from __future__ import annotations

import pytest

from choreomon.core.message import Message
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED
from tests.properties.stated import automaton_of
from tests.runtime.world.staged import Staged
from tests.runtime.world.truth import Law

A = Message("X", "a", "Z")
M = Message("Z", "m", "X")
V = Message("X", "v", "Y")
NAMES = ("X", "Y", "Z")

# a then m forms it, and v takes a back.
PROPERTY = automaton_of("q0", "q2", ("q0", A, "q1"), ("q1", M, "q2"), ("q1", V, "q0"))


def staged() -> Staged:
    return Staged(PROPERTY, dict.fromkeys(NAMES, "block"))


def starts_with_nothing(course: Staged, name: str, *, service: bool = False) -> None:
    """Its agent is started again without what it knew, and without knowing that; so is the
    service, or it goes on."""
    agent = course.world.agents[name]
    agent.die()
    if service:
        course.world.services[name].die()
    agent.disk.synced = 0
    agent.lose_power(len(agent.disk.rows))
    agent.forgetful = False
    agent.start()
    if service:
        course.world.services[name].start()
    course.locally()


def laws_broken(course: Staged) -> set[Law]:
    """But for clocks: that of a welcome begins anew, and the service keeps what it knew itself."""
    return {each.law for each in course.heals()} - {"clocks"}


def words(course: Staged) -> list[str]:
    return [said.declared.verdict.kind for _, said in course.world.truth.words()]


def test_the_next_event_of_a_service_that_went_on_tells_that_something_is_forgotten() -> None:
    course = staged()
    course.passes(A)
    starts_with_nothing(course, "X")
    course.passes(V)
    course.passes(A)
    course.sends(M)
    assert not laws_broken(course)
    counts = [tick.key[2] for tick in course.world.truth.ticks if tick.key[0] == "X"]
    assert len(counts) == len({*counts}) == 3
    assert words(course) == [VIOLATED]  # a happened again, after the gap


@pytest.mark.parametrize("service", [False, True])
def test_who_asks_and_has_heard_of_what_is_forgotten_says_so(service: bool) -> None:
    course = staged()
    course.passes(A)
    starts_with_nothing(course, "X", service=service)
    course.sends(M)
    assert not laws_broken(course)
    assert words(course)[-1] == POSSIBLY_VIOLATED


def test_a_cancellation_that_is_forgotten_does_not_make_it_certain() -> None:
    course = staged()
    course.passes(A)
    course.passes(V)
    course.passes(Message("Y", "noise", "Z"))  # so that m is after v
    starts_with_nothing(course, "X", service=True)
    course.sends(M)
    assert not laws_broken(course)
    assert VIOLATED not in words(course)


@pytest.mark.parametrize("service", [False, True])
def test_what_nobody_ever_heard_of_is_missed(service: bool) -> None:
    """Without a store no guarantee goes beyond a restart. Where this is noticed one day, the page
    may promise more."""
    course = staged()
    course.sends(A)
    starts_with_nothing(course, "X", service=service)
    course.sends(M)
    course.delivers()
    assert laws_broken(course) == {"G1"}
