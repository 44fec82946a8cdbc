"""G1, G2, no deadlock, words told once, nothing lost and nothing counted twice, no clock that runs
backwards: over live agents that crash, on networks that lose, in any order (docs/live.md)."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from choreomon.core.verdict import VIOLATED
from choreomon.monitor.precise import PRECISE
from choreomon.properties.reference import formations
from tests.laws.live_sweep import crash_points, played, sweep
from tests.runtime.world.drawn import ANY, BATCHES, BUFFERS, GAPS, POWER, Flavor

randoms = st.integers(min_value=0, max_value=1 << 32)
live = settings(
    max_examples=120,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@live
@given(randoms, st.sampled_from([ANY, BATCHES, GAPS, BUFFERS, POWER]))
def test_no_law_is_broken_whatever_happens(seed: int, flavor: Flavor) -> None:
    _, broken = played(seed, None, flavor)
    assert not broken


def test_no_law_is_broken_at_any_crash_point() -> None:
    swept = sweep(range(24))
    assert not swept.broken
    assert swept.crashes > 1500
    assert swept.words > 1500


def test_precise_rules_break_no_law_at_any_crash_point() -> None:
    swept = sweep(range(12), rules=PRECISE)
    assert not swept.broken
    assert swept.crashes > 700


@pytest.mark.parametrize(
    "flavor",
    [ANY, BATCHES, GAPS, BUFFERS, POWER],
    ids=["any", "batches", "gaps", "buffers", "power"],
)
def test_precise_rules_break_no_law_whatever_happens(flavor: Flavor) -> None:
    for seed in range(120):
        _, broken = played(seed, None, flavor, rules=PRECISE)
        assert not broken, seed


def test_many_runs_are_about_something() -> None:
    """That the numbers are not small shows that the faults and the words are there."""
    violated = possibly = crashes = 0
    for seed in range(250):
        playing, broken = played(seed, None, ANY)
        assert not broken
        crashes += playing.happened["crash"]
        for _, said in playing.world.truth.words():
            violated += said.declared.verdict.kind == VIOLATED
            possibly += said.declared.verdict.kind != VIOLATED
    assert violated > 150
    assert possibly > 150
    assert crashes > 200


@pytest.mark.parametrize("seed", range(8))
def test_where_the_order_is_known_words_are_exact_at_every_crash_point(seed: int) -> None:
    """Each message is sent after the one before was handled: nothing is only possible, unless a
    service died and took with it what it had not told."""
    whole, broken = played(seed, None, chain=True)
    assert not broken
    for point in [None, *crash_points(whole)]:
        if point is not None and point.kind == "service sends":
            continue
        playing, broken = played(seed, point, chain=True)
        assert not broken
        truth = playing.world.truth
        order = truth.order(0, by_leaving=False)
        formed = {
            order[each.index][2]
            for each in formations(truth.automata[0], [label for _, label, _ in order])
        }
        last = {
            (agent, said.declared.system, said.declared.event_count): said.declared.verdict.kind
            for agent, said in truth.words()
            if not said.declared.provisional
        }
        assert {key for key, word in last.items() if word == VIOLATED} == formed
        assert "possibly-violated" not in last.values()


def test_one_seed_is_one_run() -> None:
    def trace(seed: int) -> list[object]:
        truth = played(seed, None, ANY)[0].world.truth
        return [[each[:3] for each in truth.ticks], [each.declared.id for _, each in truth.words()]]

    assert [trace(seed) for seed in range(10)] == [trace(seed) for seed in range(10)]
    assert Random(1).random() == Random(1).random()
