"""Multi-traces for the experiment on the automata paper's procedures."""

from __future__ import annotations

from random import Random

import pytest

from choreomon.automata.automaton import Automaton, automaton
from choreomon.automata.reduced import Reduced
from choreomon.core.action import emission
from choreomon.experiments.offline.procedure_traces import (
    KINDS,
    Drawing,
    Kind,
    has_cycle_of_several_states,
)
from choreomon.multitrace.projection import discrete

A, B, C = emission("a", "m"), emission("b", "m"), emission("c", "m")
ONTO = discrete("abc")
TURNS = automaton([(0, A, 1), (1, B, 2), (2, C, 0)], initial=[0], final=[0])
"""a, b and c in turns."""
LOOPS = automaton([(0, A, 0), (0, B, 1), (1, C, 1)], initial=[0], final=[1])
"""a as often as one likes, then b once, then c."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("protocol", [TURNS, LOOPS], ids=["turns", "loops"])
def test_what_is_drawn_is_as_long_as_asked_and_one_seed_is_one_draw(
    protocol: Automaton, kind: Kind
) -> None:
    drawing = Drawing(protocol, ONTO, shortest=6, longest=12)
    found = [drawing.candidate(Random(seed), kind) for seed in range(100)]
    assert found == [drawing.candidate(Random(seed), kind) for seed in range(100)]
    made = [one for one in found if one is not None]
    assert len(made) > 20
    for one in made:
        assert 6 <= one.length <= 12
        assert [part.lifelines for part in one.components] == [*ONTO]


def explained(kind: Kind, protocol: Automaton) -> list[bool]:
    drawing = Drawing(protocol, ONTO, shortest=6, longest=12)
    made = [drawing.candidate(Random(seed), kind) for seed in range(200)]
    return [Reduced(protocol).decide(one.components).explained for one in made if one is not None]


def test_what_should_pass_passes_and_the_rest_is_mostly_wrong() -> None:
    assert all(explained("Pass", TURNS))
    assert not all(explained("InterError", TURNS))
    for kind in ("LocalError", "CentralError"):
        some = explained(kind, TURNS)
        assert sum(some) < len(some) / 2


def test_loops_of_one_state_make_no_difference_whichever_way_they_are_iterated() -> None:
    """So where there are no others, local traces are mixed for CentralError, too."""
    assert has_cycle_of_several_states(TURNS)
    assert not has_cycle_of_several_states(LOOPS)
    drawing = Drawing(LOOPS, ONTO, shortest=6, longest=12)
    for seed in range(50):
        mixed = drawing.candidate(Random(seed), "InterError")
        assert drawing.candidate(Random(seed), "CentralError") == mixed


def test_only_cycles_are_iterated_and_what_follows_them_is_there() -> None:
    """a and b in turns, then c once: of a and b as many as one likes, and c."""
    ended = automaton([(0, A, 1), (1, B, 0), (0, C, 2)], initial=[0], final=[2])
    drawing = Drawing(ended, ONTO, shortest=1, longest=12)
    found = [drawing.candidate(Random(seed), "CentralError") for seed in range(50)]
    made = [one for one in found if one is not None]
    assert {part.actions for one in made for part in one.components[2:]} == {(C,)}
    assert any(one.components[0].actions != (A,) * len(one.components[1].actions) for one in made)
