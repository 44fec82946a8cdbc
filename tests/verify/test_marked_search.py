"""Iterations of loops that nobody observed, but which let an iteration of `loopH` begin.

An unobserved iteration of a loop may be left out of an explanation, except where its first action
is what an iteration of `loopH` around it begins with: later iterations wait for that action.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from choreomon.core.action import parse_action
from choreomon.interaction.term import (
    Interaction,
    act,
    alt,
    loop_h,
    loop_p,
    loop_s,
    loop_w,
    par,
    seq,
    strict,
)
from choreomon.multitrace.multitrace import MultiTrace, component, multi_trace
from choreomon.verify.beam_search import ExactMode
from choreomon.verify.exact import ExactDecider
from choreomon.verify.marked_search import MarkedSearch
from choreomon.verify.verdict import Mode, Verdict
from choreomon.verify.verifier import Verifier
from tests.verify.papers.questions import logs


def _act(text: str) -> Interaction:
    return act(parse_action(text))


def _seen(shared: str, third: str = "") -> MultiTrace:
    return multi_trace(
        [
            component(("l1", "l2"), [parse_action(one) for one in shared.split()]),
            component(("l3",), [parse_action(one) for one in third.split()]),
        ]
    )


LOOPS: list[Callable[[Interaction], Interaction]] = [
    loop_w,
    loop_s,
    lambda body: loop_p(loop_w(body)),
    lambda body: loop_h(seq(body, _act("l3!q"))),
]


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize(
    "shared", ["l2!c l1!a l1!b", "l2!c l2!c l1!a l1!b l1!b", "l2!c l1!a l2!c l1!a l1!b l1!b"]
)
@pytest.mark.parametrize("mode", ["multiprefix", "slice"])
def test_an_unobserved_iteration_within_loop_h_may_be_what_lets_the_next_begin(
    loop: Callable[[Interaction], Interaction], shared: str, mode: Mode
) -> None:
    interaction = loop_h(
        alt(seq(loop(_act("l3!p")), _act("l1!a")), seq(_act("l1!b"), _act("l2!c")))
    )
    assert Verifier(interaction, mode).decide(_seen(shared)).verdict is Verdict.WEAK_PASS
    # Nobody may have begun it where l3 was observed and did nothing.
    others: tuple[Mode, ...] = ("accept", "prefix")
    for other in others:
        assert Verifier(interaction, other).decide(_seen(shared)).verdict is Verdict.FAIL


@pytest.mark.parametrize("mode", ["multiprefix", "slice"])
def test_no_iteration_is_opened_that_no_observed_action_is_left_for(mode: ExactMode) -> None:
    """Hundreds are where only their number is compared with that of the actions that are left."""
    crossed = par(strict(_act("l1!w"), _act("l2!x")), strict(_act("l2!y"), _act("l1!v")))
    inner = loop_h(seq(_act("l3!q"), _act("l1!a")))
    term = par(crossed, loop_h(seq(_act("l3!p"), inner, _act("l1!z"))))
    decider = ExactDecider(term, mode)
    parts = decider.observed(logs("l1: l1!z l1!v l1!w; l2: l2!x l2!y; l3:"))
    assert parts is not None
    search = MarkedSearch(decider.automaton, parts, mode, None)
    assert not search.finds(term)
    assert search.visited < 20


def test_what_began_the_iteration_makes_it_a_pass_where_it_was_observed() -> None:
    interaction = loop_h(
        alt(seq(loop_w(_act("l3!p")), _act("l1!a")), seq(_act("l1!b"), _act("l2!c")))
    )
    modes: tuple[Mode, ...] = ("accept", "prefix", "multiprefix", "slice")
    for mode in modes:
        answer = Verifier(interaction, mode).decide(_seen("l2!c l1!a l1!b", "l3!p"))
        assert answer.verdict is Verdict.PASS
