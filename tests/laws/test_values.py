"""The step function is one: states and messages are immutable values, and stepping a state
twice gives the same twice. Said once over random runs, not once a function."""

from __future__ import annotations

from random import Random

import pytest

from choreomon.core.errors import InternalError
from choreomon.monitor.effects import Send
from choreomon.monitor.state import Observe, ProcessNext
from tests.laws.drawn import draw_automaton, draw_scripts, processes
from tests.laws.interleaving import System, play, weighted
from tests.laws.test_guarantees import runs


def test_performing_a_move_twice_gives_the_same_world_and_effects_twice() -> None:
    for run in runs(150, deadline=True):
        for number, (move, _, effects) in enumerate(run.steps):
            world, again = run.system.perform(run.worlds[number], move)
            assert world == run.worlds[number + 1]
            assert again == effects


def test_states_and_messages_can_be_hashed_so_nothing_in_them_can_change() -> None:
    """A list or a dictionary anywhere inside would raise."""
    for run in runs(150, deadline=True):
        for world in run.worlds:
            hash(world)
        for _, _, effects in run.steps:
            for effect in effects:
                hash(effect)


def test_a_state_holds_nothing_of_the_states_that_it_came_from_but_values() -> None:
    """Later steps do not change earlier worlds: their texts stay what they were."""
    for seed in range(30):
        random = Random(seed)
        names = processes(3)
        automaton = draw_automaton(random, names)
        system = System(automaton, names)
        choose = weighted(random)
        world = system.start(draw_scripts(random, automaton, names))
        worlds, texts = [world], [repr(world)]
        while moves := system.moves(world):
            world, _ = system.perform(world, choose(moves))
            worlds.append(world)
            texts.append(repr(world))
        assert [repr(old) for old in worlds] == texts


def test_two_monitors_made_alike_say_the_same() -> None:
    for seed in range(100):
        said = []
        for _ in range(2):
            random = Random(seed)
            names = processes(4)
            automaton = draw_automaton(random, names)
            run = play(
                System(automaton, names), draw_scripts(random, automaton, names), weighted(random)
            )
            said.append(
                [
                    effect.message
                    for _, _, group in run.steps
                    for effect in group
                    if isinstance(effect, Send)
                ]
            )
        assert said[0] == said[1]


def test_to_occur_is_to_be_observed_and_processed_with_nothing_between() -> None:
    compared = 0
    for run in runs(300):
        for world, later in zip(run.worlds, run.worlds[1:], strict=False):
            if len(later.events) == len(world.events):
                continue
            event = later.events[-1]
            place = run.system.index_of[event.process]
            monitor, state = run.system.monitors[place], world.states[place]
            if event.label not in monitor.table.inspections:
                continue
            if state.unprocessed:
                with pytest.raises(InternalError):
                    monitor.step(state, event.clock, event)
                continue
            observed, clock, before = monitor.step(state, event.clock, Observe(event))
            processed, clock, after = monitor.step(observed, clock, ProcessNext())
            assert (processed, clock, before + after) == monitor.step(state, event.clock, event)
            compared += 1
    assert compared > 1000
