"""What deciders forget is gone: terms do not hold what was once reached from them."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable
from random import Random
from unittest.mock import patch

import pytest

from choreomon.interaction import term as terms
from choreomon.interaction.normal import normal
from choreomon.interaction.term import EMPTY, Interaction, alt, loop_p, loop_w, par, seq, strict
from choreomon.multitrace.coded import LONG
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify import exact, layers
from choreomon.verify.exact import ExactDecider, decide_exact, observed_parts
from choreomon.verify.exact_search import Observed
from choreomon.verify.late import LateTerms
from choreomon.verify.late_layers import LateLayers
from choreomon.verify.layered_walk import Bounds
from choreomon.verify.layers import LayeredTest, Layers
from choreomon.verify.papers import steps
from choreomon.verify.papers.engine import Searcher
from choreomon.verify.papers.options import Options
from choreomon.verify.papers.steps import FollowUps
from choreomon.verify.quick import commuting, single_clock, words
from choreomon.verify.quick.commuting import CommutingDecider
from choreomon.verify.quick.single_clock import WordDecider
from choreomon.verify.views import Views
from tests.verify.exact_cases import questions
from tests.verify.papers.questions import a, logs, mask_of

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
            views = decider.views
            is_much = views.remembered > LIMIT
            decider.decide(long_one(rng, ("l1,l2", "l3"), 12))
            assert (decider.views is views) is not is_much


WAYS: tuple[tuple[Callable[[], None], int], ...] = (
    (commuting_decides, 3_000),
    (words_are_read, 40_000),  # a state may have 64 terms
    (a_search_goes_on, 3_000),
    (layers_are_walked, 3_000),
    (slices_are_looked_for, 8_000),
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


# -- deciders that are dropped ---------------------------------------------------------------


def states_lead_to_themselves() -> None:
    views = Views()
    nothing = views.plain(EMPTY)
    assert views.without(nothing, mask_of("l1")) is nothing
    endlessly = views.begun(loop_w(a("l1!a")))
    action = a("l1!a").action
    assert action is not None
    assert views.walk(endlessly, [action] * 3) is views.walk(endlessly, [action] * 4)


def each_question_has_a_decider() -> None:
    for seed in range(20):
        for one in questions(seed):
            decide_exact(one.interaction, one.multitrace, one.mode)


def logs_are_long() -> None:
    """Long enough for layers, where they are a multi-prefix and where only a slice."""
    ordered = par(loop_w(strict(a("l1!m"), a("l2?m"))), loop_w(strict(a("l2!n"), a("l1?n"))))
    for fewer, more in (LONG, LONG - 3), (LONG - 3, LONG):
        seen = logs(f"l1: {'l1!m ' * fewer}; l2: {'l2?m ' * more}")
        assert decide_exact(ordered, seen, "slice").verdict.passes


def long_logs_are_tested() -> None:
    ordered = par(loop_w(strict(a("l1!m"), a("l2?m"))), loop_w(strict(a("l2!n"), a("l1?n"))))
    seen = logs(f"l1: {'l1!m ' * LONG}; l2: {'l2?m ' * LONG}")
    answer = LayeredTest(ordered, lambda: None).decide(seen)
    assert answer is not None
    assert answer.verdict.passes


def late_layers_forget() -> None:
    for seed in range(10):
        walk = LateLayers(kept=3)
        for one in questions(seed, ("slice",)):
            parts = observed_parts(normal(one.interaction), one.multitrace)
            if parts is not None:
                walk.holds(normal(one.interaction), parts, Bounds(3, None), before=True)
        walk.forget()
        assert not walk._views.remembered


DROPS = (
    states_lead_to_themselves,
    each_question_has_a_decider,
    logs_are_long,
    long_logs_are_tested,
    late_layers_forget,
    slices_are_looked_for,
)


def left_behind(drops: Callable[[], None]) -> Counter[type]:
    """What there is more of than before of what deciders are made of, without the collector."""

    def found() -> Counter[type]:
        return Counter(
            type(one)
            for one in gc.get_objects()
            if str(type(one).__module__).startswith("choreomon.verify.")
        )

    gc.collect()
    before = found()
    gc.disable()
    try:
        drops()
        return found() - before
    finally:
        gc.enable()


@pytest.mark.parametrize("drops", DROPS)
def test_of_deciders_that_are_dropped_nothing_is_left(drops: Callable[[], None]) -> None:
    assert not left_behind(drops)


@pytest.mark.parametrize(
    ("owner", "drops"),
    [
        (LateTerms, slices_are_looked_for),
        (Views, states_lead_to_themselves),
        (ExactDecider, logs_are_long),
    ],
)
def test_what_is_not_taken_apart_is_noticed(
    owner: type, drops: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(owner, "__del__")
    assert left_behind(drops)
    gc.collect()


def test_a_decider_that_could_not_be_made_is_dropped_quietly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Warnings are errors: one of an error in `__del__` would be, too."""

    def fails(interaction: Interaction) -> Interaction:
        raise MemoryError

    monkeypatch.setattr(exact, "normal", fails)
    with pytest.raises(MemoryError):
        ExactDecider(EMPTY, "accept")
