"""G1, G2, G3, nothing acknowledged lost, nothing counted twice, nobody left without an answer: over
replicas that come and go, agents that hang and are fenced, and stores that are lost, in any order
(docs/adr/037-roles.md, "Leases")."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.laws.leased.playing import FLAVORS, draw, played

RUNS = {"any": 60, "busy": 60, "losing": 60, "hanging": 60, "everything": 60, "long": 12}


def test_the_guarantees_hold_over_replicas_in_any_order() -> None:
    counts: Counter[str] = Counter()
    for name, runs in RUNS.items():
        for seed in range(runs):
            world, found = played(seed, FLAVORS[name])
            assert not found, (name, seed)
            counts += world.counts
    assert counts["violated"] > 400
    assert counts["possibly"] > 100
    assert counts["commits refused"] > 1500
    assert counts["noticed"] > 1500
    assert counts["lost stores"] > 80
    assert counts["fenced first"] > 5
    assert counts["found there"] > 5
    assert counts["used answers of fenced agents"] > 100


@pytest.mark.parametrize(
    ("bug", "flavor"),
    [
        ("a commit without a check", "busy"),
        ("a check that takes no lock", "busy"),
        ("a fenced agent acknowledges", "busy"),
        ("a fenced agent commits", "busy"),
        ("nobody answers for vacant slots", "busy"),
        ("only slots in use are asked", "hanging"),
        ("an idle agent never notices", "busy"),
    ],
)
def test_random_runs_notice_most_planted_bugs_soon(bug: str, flavor: str) -> None:
    assert any(played(seed, FLAVORS[flavor], bug)[1] for seed in range(60))


@pytest.mark.parametrize("flavor", ["any", "everything"])
def test_what_a_journal_gives_is_what_was_committed(flavor: str) -> None:
    """Whoever takes a slot reads what is committed of it, and nothing else."""
    slots = 0
    for seed in range(12):
        world = draw(seed, FLAVORS[flavor]).play().world
        for slot, kept in world.engine.stores.items():
            if kept.state is not None:
                replayed = world.engine.replayed(world.sidecars[slot])
                assert replayed.hosts == kept.state.hosts
                assert replayed.sessions == kept.state.sessions
                assert [*replayed.undelivered.values()] == [*kept.state.undelivered.values()]
                slots += 1
    assert slots > 20


def test_one_seed_is_one_run_of_leases() -> None:
    def trace(seed: int) -> list[object]:
        world, _ = played(seed, FLAVORS["everything"])
        return [world.events, world.counts]

    assert [trace(seed) for seed in range(4)] == [trace(seed) for seed in range(4)]
