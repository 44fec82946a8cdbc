"""G1 and G2 while a system follows another one (docs/adr/030-systems-that-follow.md): agents open
it, close the old one and leave that out at random moments, and crash in between. What each system
says is held against the real order of all that happened, also of what happened before it was
open."""

from __future__ import annotations

from collections import Counter
from contextlib import AbstractContextManager
from random import Random
from typing import Any
from unittest.mock import patch

import pytest

from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import FRM, FRM_P, GAP, VIOLATED
from choreomon.monitor import opening
from choreomon.monitor.history import OPEN, Chain
from choreomon.monitor.precise import PRECISE
from choreomon.monitor.record_by_record import SOUND
from choreomon.monitor.rules import Rules
from choreomon.runtime import openings, reloading
from choreomon.runtime.sidecar import Sidecar
from tests.laws.drawn import draw_automaton, draw_changed, draw_scripts
from tests.runtime.test_reloading import Unshared
from tests.runtime.world.drawn import ANY, draw_case, draw_taste
from tests.runtime.world.rolling import (
    AFTER,
    NEW,
    OLD,
    RollingAgent,
    RollingCase,
    RollingPlaying,
)
from tests.runtime.world.services import InFlight
from tests.runtime.world.truth import Broken
from tests.runtime.world.world import Build

ROLLOUTS = ANY._replace(
    policies=("block",),
    faults=("crash", "kill", "cut", "copy", "drop", "part", "full"),
    events=(6, 20),
    length=400,
    often=("deliver",),
)


def played(
    seed: int, rules: Rules = SOUND, sidecar: type[Sidecar] = Sidecar
) -> tuple[RollingPlaying, list[Broken]]:
    """Of two versions of a property, the same one twice, or two that have nothing to do with each
    other; most often the second one follows."""
    random = Random(seed)
    case = draw_case(random, ROLLOUTS, build=Build(rules=rules, sidecar=sidecar))
    old, kind = case.automata[OLD], random.random()
    if kind < 0.3:
        new = old
    elif kind < 0.9:
        new = draw_changed(random, old, case.processes)
    else:
        new = draw_automaton(random, case.processes)
    more = draw_scripts(random, new, case.processes, events=(4, 12))
    scripts = []
    for script, added in zip(case.scripts, more, strict=True):
        both = [*script, *(InFlight(each, "") for each in added)]
        scripts.append(tuple(random.sample(both, len(both))))
    case = case._replace(automata=(old, new), scripts=tuple(scripts), most_open=None)
    taste = draw_taste(random, ROLLOUTS)
    taste.weight["roll"] = random.choice((0.02, 0.1, 0.5))
    rolling = RollingCase(case, follows=random.random() < 0.8)
    playing = RollingPlaying(rolling, taste, random, careless=random.random() < 0.3)
    playing.play()
    left = playing.heal()
    world = playing.world
    broken = [*world.truth.broken, *world.truth.judge()]
    broken += [Broken("answered", each) for each in left]
    broken += [Broken("honest", each) for each in world.complaints]
    return playing, broken


@pytest.mark.parametrize("rules", [SOUND, PRECISE], ids=["sound", "precise"])
def test_no_law_is_broken_while_systems_follow_each_other(rules: Rules) -> None:
    """That the numbers are not small shows that the runs are about something."""
    seen: Counter[str] = Counter()
    for seed in range(80):
        playing, broken = played(seed, rules)
        assert not broken, seed
        truth = playing.world.truth
        seen["old"] += truth.judged[OLD]
        seen["new"] += truth.judged[NEW]
        seen["crashes"] += playing.happened["crash"]
        seen["in the middle"] += playing.happened["roll"]
        for _, said in truth.words():
            seen[f"{said.declared.verdict.kind} by {said.declared.system}"] += 1
        agents = playing.world.agents.values()
        assert all(isinstance(each, RollingAgent) and each.phase == AFTER for each in agents)
    assert seen["old"] > 80
    assert seen["new"] > 200
    assert seen["crashes"] > 60
    assert seen["in the middle"] > 300
    assert seen[f"{VIOLATED} by {OLD}"] > 80
    assert seen[f"{VIOLATED} by {NEW}"] > 150


# Planted bugs.


def no_gap(*arguments: Any, **named: Any) -> Any:
    """What is not alike has no history at all."""
    state = opening.opened(*arguments, **named)
    until: VectorClock = arguments[2]
    return state._replace(
        history=tuple(
            tuple(each for each in chain if not (each.result == GAP and each.clock == until))
            for chain in state.history
        )
    )


def open_ones_are_certain(chain: Chain, reference: Any, own: int) -> Chain:
    return TAKEN_OVER(
        tuple(each._replace(result=FRM) if each.result == OPEN else each for each in chain),
        reference,
        own,
    )


def open_ones_are_nothing(chain: Chain, reference: Any, own: int) -> Chain:
    return TAKEN_OVER(tuple(each for each in chain if each.result != OPEN), reference, own)


def as_they_are(chain: Chain, reference: Any, own: int) -> Chain:
    """Records do not stand for what may have been dropped before them."""
    return tuple(
        each._replace(reference=reference, result=FRM_P if each.result == OPEN else each.result)
        for each in chain
    )


TAKEN_OVER = opening.taken_over
CLOSED = reloading._closed


def closed_from_the_beginning(*arguments: Any) -> tuple[int, ...]:
    """What is being closed says nothing of what it has begun."""
    return tuple(last if last >= 1 << 58 else 0 for last in CLOSED(*arguments))


PLANTED: list[tuple[str, AbstractContextManager[Any], int]] = [
    ("no gap where it is not alike", patch.object(reloading, "opened", no_gap), 0),
    ("open is certain", patch.object(opening, "taken_over", open_ones_are_certain), 0),
    ("open is nothing", patch.object(opening, "taken_over", open_ones_are_nothing), 361),
    ("what was dropped is nothing", patch.object(opening, "taken_over", as_they_are), 620),
    ("closed at once", patch.object(reloading, "_closed", closed_from_the_beginning), 0),
]


@pytest.mark.parametrize(
    ("planted", "first"), [each[1:] for each in PLANTED], ids=[each[0] for each in PLANTED]
)
def test_a_rule_of_openings_switched_off_breaks_a_guarantee(
    planted: AbstractContextManager[Any], first: int
) -> None:
    """`first`: the seed to begin with, where chance takes long to find one."""
    with planted:
        for seed in range(first, first + 120):
            _, broken = played(seed)
            if {each.law for each in broken} & {"G1", "G2"}:
                return
    raise AssertionError("nothing was noticed")


def test_without_a_shared_clock_counts_are_used_twice() -> None:
    broken = {each.law for seed in (10, 179) for each in played(seed, sidecar=Unshared)[1]}
    assert {"counted once", "clocks"} <= broken


def test_left_out_before_it_is_drained_what_it_had_to_say_is_missed() -> None:
    """Whoever does so anyway: nothing else keeps an agent from it."""

    def left_out(*arguments: Any) -> Any:
        before, state, after = arguments
        kept = state.undelivered.without(
            [
                id
                for id, each in state.undelivered.items()
                if before.systems[each.system] not in after.systems
            ]
        )
        return RELOADED(before, state._replace(undelivered=kept), after)

    drained = property(lambda agent: agent.driver is not None and OLD in agent.held)
    with (
        patch.object(RollingAgent, "drained", drained),
        patch.object(openings, "why_not", lambda *arguments: []),
        patch.object(reloading, "why_not", lambda *arguments: []),
        patch("choreomon.runtime.driver.reloaded", left_out),
    ):
        assert any({each.law for each in played(seed)[1]} & {"G1", "G2"} for seed in range(100))


RELOADED = reloading.reloaded
