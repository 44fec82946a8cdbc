"""The smallest runs that show why each rule of leases is there: with it nothing is wrong, and
without it something is."""

from __future__ import annotations

from random import Random

import pytest

from choreomon.core.message import SEND, Label, Message
from choreomon.core.roles import Roles
from choreomon.core.vector_clock import merge
from choreomon.monitor.messages import Inquiry
from choreomon.monitor.rule_sets import RULES
from choreomon.properties.automaton import StatedTransition, sequence_automaton
from tests.laws.leased.judging import wrong
from tests.laws.leased.playing import Flavor, Playing, forgetting_soon
from tests.laws.leased.replicas import Agent
from tests.laws.leased.world import BUGS, World

A = Label(SEND, Message("A", "a", "X"))
B = Label(SEND, Message("B", "b", "X"))
A_THEN_B = sequence_automaton(
    initial=["q0"],
    final=["q2"],
    transitions=[StatedTransition("q0", A, "q1"), StatedTransition("q1", B, "q2")],
)
LEASE = 1000


def world_of(bug: str) -> World:
    roles = Roles({"A": 2, "B": 1, "X": 1})
    return World(Random(1), A_THEN_B, roles, RULES["precise"], lease=LEASE, bug=bug)


def go(world: World, agent: Agent) -> None:
    """All of it is committed, and its service hears so."""
    for _ in range(3):
        for slot in [*agent.slots]:
            while slot in agent.slots and agent.slots[slot].batch:
                world.commits(agent, slot)
        world.answers(agent)


def ready(world: World, agent: Agent | None) -> Agent:
    """An agent whose service may tell events."""
    assert agent is not None
    world.greets(agent)
    go(world, agent)
    assert agent.service.welcomed
    return agent


def joined(world: World, slot: str) -> Agent:
    return ready(world, world.joins(world.roles.role_of(slot), slot))


def sends(world: World, agent: Agent, label: Label) -> None:
    world.happens(agent, label, agent.service.carried)


def sent(world: World, agent: Agent, label: Label) -> None:
    sends(world, agent, label)
    go(world, agent)


def delivered(world: World) -> None:
    """What is on its way now arrives."""
    frames, world.frames = world.frames, []
    for frame in frames:
        world.arrives(frame)


def judged(world: World) -> set[str]:
    """What is wrong when all is healed."""
    Playing(world, ((),) * len(world.roles.slots), Flavor()).settle()
    return {kind for kind, _ in wrong(world)}


def an_answer_after_another_agent_took_the_slot(bug: str) -> set[str]:
    """H answers for A/1, which J takes for its service, which sends a. B, whose address of A/1 is
    that of H, sends b and asks there."""
    world = world_of(bug)
    h, b = joined(world, "A/0"), joined(world, "B/0")
    assert world.take(h, "A/1", used=False)
    world.looks_up(b)
    j = joined(world, "A/1")
    sent(world, j, A)
    sent(world, b, B)
    delivered(world)
    go(world, h)
    delivered(world)
    go(world, b)
    return judged(world)


def an_event_of_an_agent_whose_slot_was_taken(bug: str) -> set[str]:
    """H's service sends a. Before that is committed (where a check takes no lock: after the check),
    H hangs until its lease is over, and J takes its slot and sends a."""
    world = world_of(bug)
    h = joined(world, "A/0")
    sends(world, h, A)
    if bug == "a check that takes no lock":
        world.commits(h, "A/0")
    world.engine.now += LEASE
    j = joined(world, "A/0")
    sent(world, j, A)
    go(world, h)
    return judged(world)


def an_event_that_is_asked_about_at_a_vacant_slot(bug: str) -> set[str]:
    """J sends a and leaves; H, of the same role, takes its slot. B sends b."""
    world = world_of(bug)
    h, b, j = joined(world, "A/0"), joined(world, "B/0"), joined(world, "A/1")
    sent(world, j, A)
    world.leaves(j)
    assert world.take(h, "A/1", used=False)
    go(world, h)
    world.looks_up(b)
    sent(world, b, B)
    return judged(world)


def an_agent_that_dies_before_it_acknowledges(bug: str) -> set[str]:
    """The event of H is committed. The next agent of its pod gets another slot."""
    world = world_of(bug)
    h = joined(world, "A/0")
    sends(world, h, A)
    world.commits(h, "A/0")
    ready(world, world.restarts(h, "A/1"))
    return judged(world)


def an_agent_that_hangs_before_it_commits(bug: str) -> set[str]:
    """The event of H is not committed. The next agent of its pod gets another slot, and tells it
    there; then H goes on."""
    world = world_of(bug)
    h = joined(world, "A/0")
    sends(world, h, A)
    ready(world, world.restarts(h, "A/1", hangs=True))
    h.paused = False
    go(world, h)
    return judged(world)


def a_store_that_is_lost_twice(bug: str) -> set[str]:
    """After each loss another pod comes, which knows nothing of the one before, and sends a."""
    world = world_of(bug)
    agent = joined(world, "A/0")
    for _ in range(2):
        agent.alive = False
        world.engine.now += LEASE
        agent = ready(world, world.joins("A", "A/0", loses=True))
        sent(world, agent, A)
    assert len(world.lives) == 2
    return judged(world)


def a_slot_that_is_given_back(bug: str) -> set[str]:
    """H answers for A/1, which J takes, and gives back when it leaves. H has nothing to commit."""
    world = world_of(bug)
    h = joined(world, "A/0")
    assert world.take(h, "A/1", used=False)
    world.leaves(joined(world, "A/1"))
    return judged(world)


def a_promise_about_one_slot(bug: str) -> set[str]:
    """J at A/1 learns of R's first a and sends b; its inquiry is lost, and it leaves. H, its heir,
    answers for A/1, where b is still open. R sends a again, after b, and forgets what it was
    promised that nobody asks about."""
    to_a, to_r = {}, {}
    for name in "ac":
        to_a[name] = Label(SEND, Message("R", name, "A"))
    for name in "bu":
        to_r[name] = Label(SEND, Message("A", name, "R"))
    a, c, b = to_a["a"], to_a["c"], to_r["b"]
    automaton = sequence_automaton(
        initial=["q0"],
        final=["q2", "q3"],
        transitions=[
            StatedTransition("q0", a, "q1"),
            StatedTransition("q1", b, "q2"),
            StatedTransition("q1", to_r["u"], "q0", True),
            StatedTransition("q1", c, "q3"),
        ],
    )
    with forgetting_soon():
        roles = Roles({"A": 2, "R": 1})
        world = World(Random(1), automaton, roles, RULES["sound"], lease=LEASE, bug=bug)
        h, r, j = joined(world, "A/0"), joined(world, "R/0"), joined(world, "A/1")
        for each in (h, r, j):
            world.looks_up(each)
        sent(world, r, a)
        j.service.carried = r.service.carried
        sent(world, j, b)
        r.service.carried = merge(r.service.carried, j.service.carried)
        world.leaves(j)
        assert world.take(h, "A/1", used=False)
        go(world, h)
        world.frames.clear()
        for each in (h, r):
            world.looks_up(each)
        sent(world, r, a)
        sent(world, r, c)
        while world.frames:
            world.frames = [
                frame
                for frame in world.frames
                if not (type(frame.message) is Inquiry and frame.slot == "A/1")
            ]
            delivered(world)
            go(world, h)
            go(world, r)
        sent(world, r, a)
        sent(world, r, a)
        return judged(world)


MOVES = {
    "a commit without a check": (an_answer_after_another_agent_took_the_slot, "missed"),
    "a check that takes no lock": (
        an_event_of_an_agent_whose_slot_was_taken,
        "one count for two events",
    ),
    "a fenced agent answers": (an_answer_after_another_agent_took_the_slot, "missed"),
    "a fenced agent acknowledges": (
        an_event_of_an_agent_whose_slot_was_taken,
        "acknowledged, not committed",
    ),
    "a fenced agent commits": (
        an_event_of_an_agent_whose_slot_was_taken,
        "one count for two events",
    ),
    "an answer before its commit": (an_answer_after_another_agent_took_the_slot, "missed"),
    "nobody answers for vacant slots": (
        an_event_that_is_asked_about_at_a_vacant_slot,
        "unfinished",
    ),
    "only slots in use are asked": (an_event_that_is_asked_about_at_a_vacant_slot, "missed"),
    "an heir promises for its own slot": (a_promise_about_one_slot, "missed"),
    "told again to another slot": (an_agent_that_dies_before_it_acknowledges, "counted twice"),
    "asked before the slot is fenced": (an_agent_that_hangs_before_it_commits, "counted twice"),
    "two lives count alike": (a_store_that_is_lost_twice, "one count for two events"),
    "an idle agent never notices": (a_slot_that_is_given_back, "held by nobody"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_each_rule_prevents_what_its_moves_show(bug: str) -> None:
    moves, shown = MOVES[bug]
    assert moves("") == set()
    assert shown in moves(bug)
