"""Long chains in few parts: the same answers, and no more terms than that."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce

import pytest

from choreomon.interaction import chain as chain_module
from choreomon.interaction.lifelines import NONE, Mask
from choreomon.interaction.normal import normal
from choreomon.interaction.term import Interaction, coreg, loop_w, make, par, seq, strict
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify import chains
from choreomon.verify.chains import Chain, Rows
from choreomon.verify.derivative import Derivatives
from choreomon.verify.exact import decide_exact
from choreomon.verify.residual import COREG, UNDECIDED, Residuals
from tests.interaction.drawn import a as do
from tests.verify.exact_cases import multi, searched
from tests.verify.exact_cases import wrong as wrong_questions
from tests.verify.named_cases import ON_L1, wrong_by_name
from tests.verify.steps import counted

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
    assert chain.is_long
    assert chain.operands == [chain.operands[0], *Chain(chain.behind(0) or term).operands]
    for number, operand in enumerate(chain.operands):
        behind = chain.behind(number)
        whole = operand if behind is None else make(term.operator, term.region, operand, behind)
        before = chain.before(number)
        assert len(before) <= 6
        for block in before:
            whole = make(term.operator, term.region, block, whole)
        assert normal(whole) is term
    left, right = chain.halves()
    assert normal(make(term.operator, term.region, left, right)) is term
    assert term.size // 2 <= left.size < term.size


def ends_become_what_they_are(rows: type[Rows], name: str) -> bool:
    """Whether every end of a long chain in front of something becomes the normal form of it."""
    chain = Chain(normal(nested(JOINED[name], 61, "right")))
    behind = normal(nested(JOINED[name], 5, "left"))
    region, known = chain.term.region, rows()
    ends = [chain.behind(number) for number in range(60, -1, -1)]
    return all(
        known.of(region, end, behind) is normal(make(chain.term.operator, region, end, behind))
        for end in (*filter(None, ends), chain.term)
    )


@pytest.mark.parametrize("name", ["seq", "par", "coreg"])
def test_a_chain_in_front_of_another_becomes_their_normal_form(name: str) -> None:
    assert ends_become_what_they_are(Rows, name)


class Forgetful(Rows):
    """What is in front of a known end is forgotten."""

    def of(self, region: Mask, left: Interaction, right: Interaction) -> Interaction:
        if left.right is not None and (region, left.right, right) in self:
            return self[region, left.right, right]
        return super().of(region, left, right)


def test_operands_that_are_forgotten_are_noticed() -> None:
    assert not ends_become_what_they_are(Forgetful, "seq")


def of_two_kinds(front: int, back: int) -> Interaction:
    """A chain of operands on two lifelines in front of some on one of them."""
    return normal(seq(*[strict(do("l2!d"), do("l1?c"))] * front, *[do("l1!a")] * back))


def of_another_region(rows: type[Rows], shortest_first: bool) -> bool:
    """Whether ends become their normal forms where shorter ones, on one lifeline, and what is
    behind them, on the other, are one chain of another region, but longer ones are not."""
    left, behind, known = of_two_kinds(3, 20), normal(par(do("l2?b"), do("l2!d"))), rows()
    ends = [left, *filter(None, map(Chain(left).behind, range(22)))]
    made = {end: normal(seq(end, behind)) for end in ends}
    assert len({(one.operator, one.region) for one in made.values()}) > 1
    for end in reversed(ends) if shortest_first else ends:
        if known.of(NONE, end, behind) is not made[end]:
            return False
    return True


class Unasked(Rows):
    """Nobody asks whether an end became a chain of the same region."""

    def _known(self, region: Mask, end: Interaction, right: Interaction) -> Interaction | None:
        return self.get((region, end, right))


@pytest.mark.parametrize("shortest_first", [True, False])
def test_ends_that_became_something_else_are_not_gone_on_from(shortest_first: bool) -> None:
    assert of_another_region(Rows, shortest_first)
    assert not of_another_region(Unasked, shortest_first)


def cost(
    monkeypatch: pytest.MonkeyPatch, left: Interaction, behind: Interaction, numbers: Iterable[int]
) -> int:
    """How many terms are made where ends, by the numbers of what they are behind, are asked for."""
    chain, rows = Chain(left), Rows()
    ends = [chain.behind(number) for number in numbers]
    with monkeypatch.context() as patched:
        made = counted(patched, chain_module, "make")
        for end in ends:
            assert end is not None
            rows.of(NONE, end, behind)
    return made.calls


@pytest.mark.parametrize("numbers", [range(399), range(398, -1, -1), sorted(range(399), key=str)])
def test_all_ends_together_cost_what_the_longest_one_does_in_any_order(
    monkeypatch: pytest.MonkeyPatch, numbers: Iterable[int]
) -> None:
    left = normal(nested(seq, 401, "right"))
    assert 400 <= cost(monkeypatch, left, do("l1!b"), numbers) < 4 * 400


def test_of_one_end_that_is_asked_for_the_others_are_not_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each of them would be another term, with all that is behind the chain sorted into it."""
    left = normal(par(*[do(f"l1!z{number}") for number in range(200)]))
    behind = normal(par(*[do(f"l1!a{number}") for number in range(200)]))
    chain, rows = Chain(left), Rows()
    rows.of(left.region, chain.term, behind)
    assert len(rows) == 2


@pytest.mark.parametrize(("front", "back", "numbers"), [(3, 400, [0, 1]), (400, 20, range(395))])
def test_shorter_ends_that_become_something_else_do_not_make_longer_ones_costly(
    front: int, back: int, numbers: Iterable[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    behind = normal(par(do("l2?b"), do("l2!d")))
    assert cost(monkeypatch, of_two_kinds(front, back), behind, numbers) < 10 * 400


def test_what_became_of_ends_is_forgotten_once_it_is_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chains, "KEPT", 10)
    assert ends_become_what_they_are(Rows, "seq")
    chain, rows = Chain(normal(nested(seq, 61, "right"))), Rows()
    for number in range(40):
        rows.of(NONE, chain.behind(number) or chain.term, do("l1!b"))
        assert len(rows) <= 10


def test_chains_taken_in_blocks_have_the_same_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not wrong()
    monkeypatch.setattr(chains, "SHORT", 2)
    assert not wrong()


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


def test_blocks_in_the_wrong_order_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Chain.before
    monkeypatch.setattr(Chain, "before", lambda self, number: whole(self, number)[::-1])
    assert wrong()


def test_a_block_that_is_left_out_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Chain.before
    monkeypatch.setattr(chains, "SHORT", 2)
    monkeypatch.setattr(Chain, "before", lambda self, number: whole(self, number)[:1])
    assert wrong()


# -- what it takes ---------------------------------------------------------------------------


def residuals(interaction: Interaction, seen: MultiTrace) -> int:
    search = searched(interaction, seen, "slice", 1)
    assert search.answer
    return len(search.automaton.residuals)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("name", JOINED)
@pytest.mark.parametrize("words", [("l1?c", "l2!d"), ("l1!a l1?c l1!a", "l2?b l2!d l2?b")])
def test_the_residuals_of_a_deep_chain_grow_with_its_length(
    name: str, side: str, words: tuple[str, str]
) -> None:
    seen = multi(l1=words[0], l2=words[1])
    few, many = (residuals(nested(JOINED[name], depth, side), seen) for depth in (100, 400))
    assert many < 6 * few


@pytest.mark.parametrize("name", ["par", "coreg"])
def test_of_equal_operands_that_commute_one_is_looked_at(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    asked: list[Interaction] = []
    whole = Derivatives._after_undecided

    def counted(self: Derivatives, term: Interaction, *rest: object) -> object:
        asked.append(term)
        return whole(self, term, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Derivatives, "_after_undecided", counted)
    term = reduce(JOINED[name], [do("l1!a")] * 400)
    assert decide_exact(term, multi(l1="l1!a"), "slice").verdict.passes
    assert len(asked) < 10
