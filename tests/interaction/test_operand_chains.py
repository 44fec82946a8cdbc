"""Chains of one operator: their operands, and what slices of them cost."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import pytest

from choreomon.interaction.lifelines import NONE, Mask
from choreomon.interaction.normal import normal
from choreomon.interaction.operand_chains import Chain
from choreomon.interaction.term import Interaction, coreg, loop_w, make, par, seq, strict
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify import derivative
from choreomon.verify.derivative import Derivatives
from choreomon.verify.exact import decide_exact
from choreomon.verify.residual import COREG, UNDECIDED, Residuals
from tests.interaction.drawn import a as do
from tests.interaction.drawn import calls
from tests.verify.exact_cases import multi, searched
from tests.verify.exact_cases import wrong as wrong_questions
from tests.verify.named_cases import ON_L1, wrong_by_name

Joined = Callable[[Interaction, Interaction], Interaction]

JOINED: dict[str, Joined] = {
    "strict": strict,
    "seq": seq,
    "par": par,
    "coreg": lambda one, other: coreg(ON_L1, one, other),
}
LEAVES = [do(text) for text in ("l1!a", "l2?b", "l1?c", "l2!d")]
CHAINED = ("coreg", "coreg", "seq", "seq", "strict", "strict", "alt", "par")
"""Operators of random terms in which chains are frequent."""


def nested(joined: Joined, depth: int, side: str) -> Interaction:
    leaves = [LEAVES[number % 4] for number in range(depth)]
    return reduce(joined if side == "left" else lambda one, other: joined(other, one), leaves)


def wrong() -> bool:
    """Whether anything that is asked is answered wrongly."""
    return bool(wrong_by_name() or wrong_questions(range(60), ("slice",), CHAINED, 16))


@pytest.mark.parametrize("name", JOINED)
def test_what_lies_before_and_behind_an_operand_is_the_rest_of_the_chain(name: str) -> None:
    term = normal(nested(JOINED[name], 37, "left"))
    chain = Chain(term)
    assert chain.operands == [chain.operands[0], *Chain(chain.behind(0) or term).operands]
    for number, operand in enumerate(chain.operands):
        behind = chain.behind(number)
        whole = operand if behind is None else make(term.operator, term.region, operand, behind)
        before = chain.before(number)
        if before is not None:
            whole = make(term.operator, term.region, before, whole)
        assert normal(whole) is term


def test_of_equal_operands_in_a_row_it_matters_which_one_it_was() -> None:
    twice = seq(do("l1!a"), do("l1!a"), do("l1!b"), do("l2?b"))
    assert decide_exact(twice, multi(l1_l2="l1!a l1!b l2?b"), "slice").verdict.passes
    assert decide_exact(twice, multi(l1_l2="l1!a l1!a l1!b"), "slice").verdict.passes


def test_undecided_residuals_are_one_where_they_may_have_acted_alike() -> None:
    terms = Residuals()
    one, other = (normal(seq(*LEAVES[first : first + 2])) for first in (0, 2))
    both, l1, l2 = one.lifelines, ON_L1, one.lifelines & ~ON_L1
    together = Derivatives(terms)._together

    def kind(*gaps: Mask) -> int:
        ours = terms.undecided(one, (both, l1), NONE)
        return together(NONE, ours, terms.undecided(other, gaps, NONE)).kind

    assert kind(both, l1) == UNDECIDED
    assert kind(both, both) == kind(l1, l1) == kind(l2, l1) == COREG
    loop = terms.undecided(normal(loop_w(seq(*LEAVES[:2]))), (both, l1), l2)
    assert loop.kind == UNDECIDED
    assert together(NONE, terms.undecided(one, (both, l1), NONE), loop).kind == COREG


# -- planted bugs ----------------------------------------------------------------------------


def test_operands_in_the_wrong_order_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def backwards(self: Chain, number: int) -> Interaction | None:
        def joined(one: Interaction, other: Interaction) -> Interaction:
            return make(self.term.operator, self.term.region, other, one)

        return normal(reduce(joined, self.operands[:number])) if number else None

    monkeypatch.setattr(Chain, "before", backwards)
    assert wrong()


def test_operands_that_are_left_out_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Chain, "before", lambda self, number: None)
    assert wrong()


# -- what it takes ---------------------------------------------------------------------------


def residuals(interaction: Interaction, seen: MultiTrace) -> int:
    search = searched(interaction, seen, "slice", 1)
    assert search.answer
    return len(search.automaton.residuals)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("name", JOINED)
@pytest.mark.parametrize("words", [("l1?c", "l2!d"), ("l1!a l1?c l1!a", "l2?b l2!d l2?b")])
def test_the_residuals_of_a_deep_chain_grow_with_the_square_of_its_length(
    name: str, side: str, words: tuple[str, str]
) -> None:
    seen = multi(l1=words[0], l2=words[1])
    few, many = (residuals(nested(JOINED[name], depth, side), seen) for depth in (20, 80))
    assert many < 20 * few


@pytest.mark.parametrize("name", ["par", "coreg"])
def test_of_equal_operands_that_commute_one_is_looked_at(name: str) -> None:
    term = reduce(JOINED[name], [*[do("l1!a")] * 400, do("l2!b")])
    seen = multi(l1="l1!a")
    assert calls(derivative, lambda: decide_exact(term, seen, "slice")) < 100
    assert decide_exact(term, seen, "slice").verdict.passes
