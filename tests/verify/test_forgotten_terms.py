"""What deciders forget is gone: terms do not hold what was once reached from them."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable
from random import Random
from unittest.mock import patch

import pytest

from choreomon.interaction.lifelines import ALL
from choreomon.interaction.term import (
    EMPTY,
    TERMS,
    Interaction,
    alt,
    forget_steps,
    loop_p,
    loop_w,
    par,
    seq,
    strict,
)
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify import beam_search, exact, lazy_automaton
from choreomon.verify.beam_search import ExactMode
from choreomon.verify.exact import ExactDecider, decide_exact
from choreomon.verify.explanation import explain
from choreomon.verify.lazy_automaton import LazyAutomaton
from choreomon.verify.papers import steps
from choreomon.verify.papers.engine import Searcher
from choreomon.verify.papers.options import Options
from choreomon.verify.papers.steps import FollowUps
from choreomon.verify.residual import Residuals
from tests.verify.exact_cases import questions
from tests.verify.papers.questions import a, logs

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


def all_are_decided(mode: ExactMode, clocks: tuple[str, ...]) -> None:
    decider = ExactDecider(endless(), mode)
    rng = Random(1)
    with patch.object(beam_search, "REMEMBERED", LIMIT):
        for _ in range(8):
            decider.decide(long_one(rng, clocks))
            assert decider.automaton.remembered < 100 * LIMIT


def accepted_ones_are_told() -> None:
    all_are_decided("accept", DISCRETE)


def words_are_read() -> None:
    all_are_decided("accept", ("l1,l2,l3",))


def a_search_goes_on() -> None:
    searcher = Searcher(endless(), "accept", Options(local=None))
    searcher._follow_ups = FollowUps(LIMIT)
    rng = Random(3)
    for _ in range(12):
        assert searcher.search(long_one(rng, DISCRETE)).verdict.passes


def slices_are_looked_for() -> None:
    all_are_decided("slice", ("l1,l2", "l3"))


WAYS: tuple[tuple[Callable[[], None], int], ...] = (
    (accepted_ones_are_told, 3_000),
    (words_are_read, 4_000),
    (a_search_goes_on, 3_000),
    (slices_are_looked_for, 8_000),
)
"""What decides, and how many more terms may live afterwards at most."""


def left_alive(decides: Callable[[], None]) -> int:
    held = endless()
    gc.collect()
    before = len(TERMS.terms)
    gc.disable()  # what is dropped is taken apart, and needs no collector
    try:
        decides()
        assert held.size  # whoever holds the interaction holds nothing else
        return len(TERMS.terms) - before
    finally:
        gc.enable()


@pytest.mark.parametrize(("decides", "most"), WAYS)
def test_terms_that_were_forgotten_live_no_longer(decides: Callable[[], None], most: int) -> None:
    forget_steps()
    assert left_alive(decides) < most


@pytest.mark.parametrize(("decides", "most"), WAYS)
def test_terms_that_hold_what_was_reached_from_them_are_noticed(
    decides: Callable[[], None], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (lazy_automaton, steps):
        monkeypatch.setattr(module, "forget_steps", lambda: None)
    forget_steps()
    assert left_alive(decides) > most
    forget_steps()


# -- deciders that are dropped ---------------------------------------------------------------


def states_lead_to_themselves() -> None:
    automaton = LazyAutomaton()
    state = automaton.start(loop_w(a("l1!a")), ALL, begun=True)
    action = a("l1!a").action
    assert action is not None
    for _ in range(3):
        reached = automaton.next(state, action)
        assert reached is not None
        state = reached
    assert automaton.next(state, action) is state


def each_question_has_a_decider() -> None:
    for seed in range(20):
        for one in questions(seed):
            decide_exact(one.interaction, one.multitrace, one.mode)


def logs_are_explained() -> None:
    ordered = par(loop_w(strict(a("l1!m"), a("l2?m"))), loop_w(strict(a("l2!n"), a("l1?n"))))
    for fewer, more in (40, 37), (37, 40):
        seen = logs(f"l1: {'l1!m ' * fewer}; l2: {'l2?m ' * more}")
        for mode in ("multiprefix", "slice"):
            explain(ordered, seen, mode)


DROPS = (
    states_lead_to_themselves,
    each_question_has_a_decider,
    logs_are_explained,
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
        (Residuals, slices_are_looked_for),
        (LazyAutomaton, states_lead_to_themselves),
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
