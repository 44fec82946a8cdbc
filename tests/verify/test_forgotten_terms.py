"""What deciders forget is gone: terms do not hold what was once reached from them."""

from __future__ import annotations

import gc
from collections.abc import Callable
from random import Random
from unittest.mock import patch

import pytest

from choreomon.interaction import term as terms
from choreomon.interaction.normal import normal
from choreomon.interaction.term import Interaction, alt, loop_p, seq
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify import exact, layers
from choreomon.verify.exact import ExactDecider
from choreomon.verify.exact_search import Observed
from choreomon.verify.layered_walk import Bounds
from choreomon.verify.layers import Layers
from choreomon.verify.quick import commuting, single_clock, words
from choreomon.verify.quick.commuting import CommutingDecider
from choreomon.verify.quick.single_clock import WordDecider
from choreomon.verify.search import steps
from choreomon.verify.search.engine import Searcher
from choreomon.verify.search.options import Options
from choreomon.verify.search.steps import FollowUps
from tests.verify.search.questions import a, logs, mask_of

ITERATIONS = (("l1!a", "l2?a", "l3?b"), ("l2!c", "l1?c", "l2!d"), ("l3!e", "l1!f"))
LIMIT = 50


def endless() -> Interaction:
    """Whatever happened, something else may remain."""
    return loop_p(alt(*[seq(*map(a, iteration)) for iteration in ITERATIONS]))


def long_one(rng: Random, clocks: tuple[str, ...], iterations: int = 25) -> MultiTrace:
    running = [list(rng.choice(ITERATIONS)) for _ in range(iterations)]
    happened: list[str] = []
    while running:
        one = rng.choice(running)
        happened.append(one.pop(0))
        if not one:
            running.remove(one)
    return logs(
        "; ".join(
            f"{clock}: " + " ".join(word for word in happened if word[:2] in clock)
            for clock in clocks
        )
    )


DISCRETE = ("l1", "l2", "l3")


def commuting_decides() -> None:
    decider = CommutingDecider(endless(), "prune", LIMIT)
    rng = Random(1)
    for _ in range(12):
        assert decider.decide(long_one(rng, DISCRETE))


def words_are_read() -> None:
    decider = WordDecider(endless(), "accept", LIMIT)
    rng = Random(2)
    for _ in range(12):
        decider.decide(long_one(rng, ("l1,l2,l3",)))


def a_search_goes_on() -> None:
    searcher = Searcher(endless(), "accept", Options(local=None))
    searcher._follow_ups = FollowUps(LIMIT)
    rng = Random(3)
    for _ in range(12):
        assert searcher.search(long_one(rng, DISCRETE)).verdict.passes


def layers_are_walked() -> None:
    walk = Layers(kept=2)
    word = tuple(part.action for part in [a("l1!a")] * 200 if part.action)
    assert walk.end(normal(endless()), [Observed(mask_of("l1,l2,l3"), word)], Bounds(8, None)).rests


def slices_are_looked_for() -> None:
    decider = ExactDecider(endless(), "slice")
    rng = Random(4)
    with patch.object(exact, "_REMEMBERED", LIMIT):
        for _ in range(6):
            decider.decide(long_one(rng, ("l1,l2", "l3"), 12))


WAYS: tuple[tuple[Callable[[], None], int], ...] = (
    (commuting_decides, 3_000),
    (words_are_read, 40_000),  # a state may have 64 terms
    (a_search_goes_on, 3_000),
    (layers_are_walked, 3_000),
    (slices_are_looked_for, 3_000),
)
"""What decides, and how many more terms may live afterwards at most."""


def left_alive(decides: Callable[[], None]) -> int:
    held = endless()
    gc.collect()
    before = len(terms._terms)
    gc.disable()  # what is dropped is taken apart, and needs no collector
    try:
        decides()
        assert held.size  # whoever holds the interaction holds nothing else
        return len(terms._terms) - before
    finally:
        gc.enable()


@pytest.mark.parametrize(("decides", "most"), WAYS)
def test_terms_that_were_forgotten_live_no_longer(decides: Callable[[], None], most: int) -> None:
    terms.forget_steps()
    assert left_alive(decides) < most


@pytest.mark.parametrize(("decides", "most"), WAYS)
def test_terms_that_hold_what_was_reached_from_them_are_noticed(
    decides: Callable[[], None], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (commuting, exact, layers, single_clock, steps, words):
        monkeypatch.setattr(module, "forget_steps", lambda: None)
    terms.forget_steps()
    assert left_alive(decides) > most
    terms.forget_steps()
