"""Recursion without a limit, and whoever may stop it is asked wherever it may take long."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from choreomon.core.action import parse_action
from choreomon.interaction.lifelines import ALL, NONE
from choreomon.interaction.term import loop_w, seq, strict
from choreomon.verify.budget import Exhausted, checking
from choreomon.verify.lazy_automaton import LazyAutomaton
from choreomon.verify.residual import Residuals
from choreomon.verify.trampoline import _BETWEEN_CHECKS, Trampolined, on_trampoline
from tests.verify.papers.questions import a, mask_of

LEAF = a("l1!a")
NEST = LEAF
for _ in range(20):
    NEST = loop_w(strict(NEST, seq(a("l2?b"), LEAF)))


def total(number: int) -> Trampolined[int]:
    """1 + 2 + ... + number."""
    if not number:
        return 0
    return number + (yield total(number - 1))


def nothing_needed() -> Trampolined[str]:
    return "done"
    yield


class Checked:
    """Counts the checks, and has a reason to stop at one of them."""

    def __init__(self, stops_at: int | None = None) -> None:
        self.times = 0
        self._stops_at = stops_at

    def __call__(self) -> str | None:
        self.times += 1
        return "enough" if self.times == self._stops_at else None

    @property
    def check_budget(self) -> Callable[[], None]:
        found = checking(self)
        assert found is not None
        return found


def test_computations_may_need_others_a_hundred_thousand_deep() -> None:
    assert on_trampoline(total(100_000), None) == 100_000 * 100_001 // 2
    assert on_trampoline(nothing_needed(), None) == "done"


def test_the_budget_is_checked_now_and_then_on_the_way() -> None:
    checked = Checked()
    on_trampoline(total(5_000), checked.check_budget)
    assert checked.times == (2 * 5_000 + 1) // _BETWEEN_CHECKS  # each begins, and goes on but one
    with pytest.raises(Exhausted, match="enough"):
        on_trampoline(total(5_000), Checked(20).check_budget)


def test_without_a_reason_to_stop_nothing_is_checked() -> None:
    assert checking(None) is None
    checked = Checked(3)
    check_budget = checked.check_budget
    check_budget()
    check_budget()
    with pytest.raises(Exhausted, match="enough"):
        check_budget()


def test_it_is_checked_at_every_part_of_a_residual_that_is_changed() -> None:
    residuals = Residuals()
    node = residuals.plain(LEAF)
    for number in range(30):
        node = residuals.coreg(
            0, residuals.undecided_past(seq(a("l1!a"), a(f"l2!m{number}"))), node
        )
    checked = Checked(20)
    residuals.check_budget = checked.check_budget
    with pytest.raises(Exhausted):
        residuals.seen(node, mask_of("l1"))
    residuals.check_budget = None
    seen = residuals.seen(node, mask_of("l1"))
    assert seen.lifelines == mask_of("l1")
    assert seen is residuals.seen(node, mask_of("l1"))


def test_it_is_checked_before_what_a_state_leads_to_is_worked_out() -> None:
    automaton, checked = LazyAutomaton(), Checked()
    automaton.checking(checked.check_budget)
    start = automaton.start(NEST, mask_of("l1"), begun=True)
    first = checked.times
    assert first > 0
    automaton.next(start, parse_action("l1!a"))
    second = checked.times
    assert second > first
    how = automaton.observation(mask_of("l1"), NONE, NONE)
    state = automaton.state([automaton.residuals.plain(NEST)])
    automaton.move(state, parse_action("l1!a"), how)
    again = checked.times
    assert again > second
    automaton.start(NEST, mask_of("l1"), begun=True)
    automaton.next(start, parse_action("l1!a"))
    automaton.move(state, parse_action("l1!a"), how)
    assert checked.times == again


def test_what_was_stopped_is_found_out_right_afterwards() -> None:
    """At whichever check."""
    action = parse_action("l1!a")

    def remaining(automaton: LazyAutomaton) -> set[str]:
        state = automaton.next(automaton.start(NEST, ALL, begun=True), action)
        assert state is not None
        return {str(automaton.residuals.settled(one)) for one in state.residuals}

    expected = remaining(LazyAutomaton())
    counting, whole = Checked(), LazyAutomaton()
    whole.checking(counting.check_budget)
    remaining(whole)
    assert counting.times > 10
    for stops_at in range(1, counting.times + 1, 1 + counting.times // 20):
        automaton = LazyAutomaton()
        automaton.checking(Checked(stops_at).check_budget)
        with pytest.raises(Exhausted):
            remaining(automaton)
        automaton.checking(None)
        assert remaining(automaton) == expected
