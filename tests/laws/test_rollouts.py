"""G1 and G2 while a system follows another one (docs/adr/030-systems-that-follow.md): agents open
it, close the old one and leave that out at random moments, and crash in between. What each system
says is held against the real order of all that happened, also of what happened before it was
open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from random import Random
from typing import Any
from unittest.mock import patch

import pytest

from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import FRM, FRM_P, GAP, POSSIBLY_VIOLATED, VIOLATED
from choreomon.monitor import opening
from choreomon.monitor.history import OPEN, Chain
from choreomon.monitor.precise import PRECISE
from choreomon.monitor.record_by_record import SOUND
from choreomon.monitor.rules import Rules
from choreomon.properties.automaton import (
    SequenceAutomaton,
    StatedTransition,
    sequence_automaton,
)
from choreomon.properties.parts import joined
from choreomon.runtime import openings, reloading
from choreomon.runtime.sidecar import Sidecar
from tests.laws.drawn import draw_automaton, draw_begun, draw_changed, draw_scripts
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


Versions = tuple[SequenceAutomaton, SequenceAutomaton]


def versions(random: Random, old: SequenceAutomaton, names: tuple[str, ...]) -> Versions:
    """Two of a property, the same one twice, or two that have nothing to do with each other."""
    kind = random.random()
    if kind < 0.3:
        return old, old
    if kind < 0.9:
        return old, draw_changed(random, old, names)
    return old, draw_automaton(random, names)


def with_begin(random: Random, old: SequenceAutomaton, names: tuple[str, ...]) -> Versions:
    """The same, where one of them begins with the run, or both: as a rule that is added, beside
    what was there or alone; one that is left out; or one that stays while others change."""
    begun, kind = renamed(draw_begun(random, names), "b."), random.random()
    if kind < 0.5:
        return old, joined([old, begun]) if random.random() < 0.5 else begun
    if kind < 0.65:
        return joined([old, begun]), old
    if kind < 0.8:
        return joined([old, begun]), begun
    return begun, joined([begun, old])


def renamed(automaton: SequenceAutomaton, prefix: str) -> SequenceAutomaton:
    return sequence_automaton(
        initial=[f"{prefix}{state}" for state in automaton.initial],
        final=[f"{prefix}{state}" for state in automaton.final],
        transitions=[
            StatedTransition(f"{prefix}{t.source}", t.label, f"{prefix}{t.target}")
            for t in (*automaton.forward, *automaton.backward)
        ],
    )


def played(
    seed: int,
    rules: Rules = SOUND,
    sidecar: type[Sidecar] = Sidecar,
    drawn: Callable[[Random, SequenceAutomaton, tuple[str, ...]], Versions] = versions,
) -> tuple[RollingPlaying, list[Broken]]:
    """Of two versions of a property as they are `drawn`; most often the second one follows."""
    random = Random(seed)
    case = draw_case(random, ROLLOUTS, build=Build(rules=rules, sidecar=sidecar))
    old, new = drawn(random, case.automata[OLD], case.processes)
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


def test_no_law_is_broken_while_rules_that_begin_with_the_run_come_and_go() -> None:
    """What is certain of a rule that came later: what began after it was open everywhere. All that
    may have been before is possible, never missed, and never made up."""
    seen: Counter[str] = Counter()
    for seed in range(40):
        playing, broken = played(seed, PRECISE, drawn=with_begin)
        assert not broken, seed
        truth = playing.world.truth
        seen["old"] += truth.judged[OLD]
        seen["new"] += truth.judged[NEW]
        for _, said in truth.words():
            seen[f"{said.declared.verdict.kind} by {said.declared.system}"] += 1
    assert seen["old"] > 40
    assert seen["new"] > 40
    assert seen[f"{VIOLATED} by {NEW}"] > 30
    assert seen[f"{POSSIBLY_VIOLATED} by {NEW}"] > 20


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
CLOSED = reloading.closed_from


def closed_from_the_beginning(*arguments: Any) -> tuple[int, ...]:
    """What is being closed says nothing of what it has begun."""
    return tuple(last if last >= 1 << 58 else 0 for last in CLOSED(*arguments))


PLANTED: list[tuple[str, AbstractContextManager[Any], int]] = [
    ("no gap where it is not alike", patch.object(reloading, "opened", no_gap), 0),
    ("open is certain", patch.object(opening, "taken_over", open_ones_are_certain), 0),
    ("open is nothing", patch.object(opening, "taken_over", open_ones_are_nothing), 361),
    ("what was dropped is nothing", patch.object(opening, "taken_over", as_they_are), 620),
    ("closed at once", patch.object(reloading, "closed_from", closed_from_the_beginning), 0),
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


def test_that_begin_was_not_taken_back_before_the_opening_is_not_known() -> None:
    """Where what a new rule did not hear of were nothing, it would be made up."""
    with patch.object(reloading, "opened", no_gap):
        _, broken = played(15, PRECISE, drawn=with_begin)
    assert "G2" in {each.law for each in broken}


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
