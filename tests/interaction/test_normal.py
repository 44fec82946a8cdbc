"""The normal form keeps what a term means, and makes one of what means the same."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from choreomon.core.action import Action
from choreomon.interaction import chain as chain_module
from choreomon.interaction import normal as module
from choreomon.interaction.denotation import traces
from choreomon.interaction.lifelines import ALL, NONE, Mask, bit, mask
from choreomon.interaction.normal import normal, simplify
from choreomon.interaction.step import after, frontier, simulated
from choreomon.interaction.term import (
    EMPTY,
    LOOPS,
    Interaction,
    Operator,
    act,
    alt,
    coreg,
    loop_c,
    loop_h,
    loop_p,
    loop_s,
    loop_w,
    make,
    par,
    seq,
    strict,
    subterms,
)
from tests.interaction.drawn import LIFELINES, a, breaches, calls, interactions


def keeps_the_traces(term: Interaction) -> bool:
    form = normal(term)
    return normal(form) is form and traces(form, 4) == traces(term, 4)


@pytest.mark.parametrize("lifelines", [LIFELINES[:1], LIFELINES[:2], LIFELINES])
def test_the_normal_form_accepts_the_same_traces(lifelines: tuple[str, ...]) -> None:
    assert not breaches(keeps_the_traces, interactions(11, 700, lifelines=lifelines))


def test_the_normal_form_of_follow_ups_accepts_the_same_traces() -> None:
    rng = Random(12)
    for term in interactions(12, 400):
        left = normal(term)
        for _ in range(5):
            steps = frontier(left)
            if not steps:
                break
            left = rng.choice(steps).follow_up
            if left.size > 20:
                break
            form = normal(left)
            assert normal(form) is form
            assert traces(form, 3) == traces(left, 3)
            left = form


@pytest.mark.parametrize("nothing", [alt(EMPTY, EMPTY), loop_s(EMPTY), loop_h(loop_w(EMPTY))])
def test_a_strict_chain_of_what_does_nothing_is_the_empty_interaction(nothing: Interaction) -> None:
    assert normal(strict(nothing, nothing)) is EMPTY
    assert normal(strict(nothing, strict(X, nothing))) is X


X, Y, Z = a("planted1!x"), a("planted2!y"), a("planted2?z")
IN_TURN = loop_w(seq(a("planted2!v"), a("planted2?w")))


@pytest.mark.parametrize(
    ("function", "wrong", "term"),
    [
        (
            "repeats",
            lambda operator, region, term: term.operator in LOOPS,
            lambda: loop_s(loop_w(seq(X, Y))),
        ),
        (
            "canonical_region",
            lambda free, relevant: ALL if free else NONE,
            lambda: coreg(mask(["planted1"]), seq(X, Y), seq(X, Z)),
        ),
        (
            "swallows",
            lambda loop, earlier: True,
            lambda: strict(loop_s(strict(X, Y)), loop_s(strict(Y, X))),
        ),
        (
            "covers",
            lambda region, loop, earlier: True,
            lambda: seq(alt(X, EMPTY), loop_w(seq(X, X))),
        ),
        ("is_freer", lambda region, term: True, lambda: loop_w(par(IN_TURN, IN_TURN))),
        ("is_freer", lambda region, term: True, lambda: seq(par(IN_TURN, IN_TURN), IN_TURN)),
        ("is_needless", lambda operator, region, choice: True, lambda: loop_w(seq(X, Y))),
        ("keeps_order", lambda body: True, lambda: loop_h(alt(Y, seq(X, Z)))),
        ("is_single", lambda lifelines: True, lambda: strict(X, Y)),
        ("in_front", lambda region, one, chain: seq(chain, one), lambda: seq(X, Y, Z)),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_a_wrong_law_is_noticed(
    function: str,
    wrong: object,
    term: Callable[[], Interaction],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for where in (module, chain_module):
        if hasattr(where, function):
            monkeypatch.setattr(where, function, wrong)
    planted = term()
    assert traces(normal(planted), 5) != traces(planted, 5)


def explained(term: Interaction, hidden: Mask, length: int) -> set[tuple[Action, ...]]:
    """What may be observed of accepted traces of at most `length` actions, when actions on
    `hidden` lifelines may go unobserved and every open iteration is served."""
    found: set[tuple[Action, ...]] = set()
    situations: set[tuple[tuple[Action, ...], Interaction]] = {((), term)}
    for _ in range(length + 1):
        found |= {seen for seen, left in situations if left.terminates}
        following: set[tuple[tuple[Action, ...], Interaction]] = set()
        for seen, left in situations:
            for action, rest in simulated(left):
                if bit(action.lifeline) & hidden:
                    following.add((seen, rest))
            for action in {one.action for one in frontier(left)}:
                for rest in after(left, act(action)):
                    following.add(((*seen, action), rest))
        situations = following
    return found


def marked_terms(seed: int, number: int) -> list[Interaction]:
    """Terms with open iterations, as simulating leaves them."""
    rng = Random(seed)
    found: list[Interaction] = []
    for term in interactions(seed, number):
        left = term
        for _ in range(4):
            steps = simulated(left)
            if not steps or left.size > 25:
                break
            left = rng.choice(steps)[1]
            if left.unserved and left.size <= 20:
                found.append(left)
    return found


def test_the_normal_form_keeps_which_iterations_are_to_be_served() -> None:
    terms = marked_terms(14, 200)
    assert len(terms) > 50
    for term in terms:
        form = normal(term)
        assert form.unserved == term.unserved
        for hidden in (ALL, mask(LIFELINES[:1]), mask(LIFELINES[1:])):
            assert explained(form, hidden, 3) == explained(term, hidden, 3)


def opened(body: Interaction) -> Interaction:
    return make(Operator.OPEN, NONE, body, None)


def test_open_iterations_are_sorted_and_never_merged() -> None:
    one, other = opened(a("l1!a")), opened(a("l2!b"))
    assert normal(par(one, par(other, one))) is normal(par(one, one, other))
    assert normal(par(one, one)).unserved == 2
    assert normal(opened(seq(one, a("l1!b")))) is normal(seq(one, a("l1!b")))


PAIR = ("pair1", "pair2", "pair3")
"""Lifelines of their own: what other tests have put in order is not computed again."""
A, B, C = a("pair1!a"), a("pair1?b"), a("pair2!c")
BOTH = seq(A, C)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (seq(seq(A, B), A), seq(A, seq(B, A))),
        (strict(strict(A, C), A), strict(A, strict(C, A))),
        (alt(A, alt(B, A)), alt(alt(B, B), A)),
        (par(B, A, C), par(C, B, A)),
        (seq(A, C), seq(C, A)),
        (par(A, C), seq(A, C)),
        (coreg(mask(PAIR[:1]), A, B), par(B, A)),
        (coreg(mask(PAIR[1:2]), A, B), seq(A, B)),
        (strict(A, B), seq(A, B)),
        (loop_s(A), loop_h(A)),
        (loop_s(seq(A, B)), loop_w(seq(A, B))),
        (loop_c(mask(PAIR[2:]), BOTH), loop_w(BOTH)),
        (loop_c(mask(PAIR), BOTH), loop_p(BOTH)),
        (loop_w(alt(BOTH, EMPTY)), loop_w(BOTH)),
        (loop_h(alt(BOTH, EMPTY)), loop_h(BOTH)),
        (loop_h(strict(A, C)), loop_w(strict(A, C))),
        (loop_h(loop_h(loop_s(strict(A, C)))), loop_w(loop_s(strict(A, C)))),
        (loop_p(loop_p(BOTH)), loop_p(BOTH)),
        (loop_p(loop_w(BOTH)), loop_p(BOTH)),
        (loop_w(loop_s(strict(A, C))), loop_w(strict(A, C))),
        (loop_w(alt(B, loop_h(strict(A, C)))), loop_w(alt(B, strict(A, C)))),
        (loop_s(alt(loop_s(strict(A, C)), B)), loop_s(alt(strict(A, C), B))),
        (alt(EMPTY, loop_w(A)), loop_w(A)),
        (seq(loop_w(BOTH), loop_w(BOTH)), loop_w(BOTH)),
        (par(loop_p(A), C, loop_p(A)), par(C, loop_p(A))),
        (strict(loop_s(strict(A, C)), loop_s(strict(A, C))), loop_s(strict(A, C))),
        (seq(loop_w(C), loop_w(alt(A, C))), loop_w(alt(A, C))),
        (seq(alt(BOTH, EMPTY), loop_w(alt(B, BOTH))), loop_w(alt(B, BOTH))),
        (
            seq(seq(loop_w(B), alt(BOTH, loop_w(C))), loop_w(alt(B, C, BOTH))),
            loop_w(alt(B, C, BOTH)),
        ),
        (seq(alt(A, EMPTY), loop_w(seq(A, alt(C, EMPTY)))), loop_w(seq(A, alt(C, EMPTY)))),
        (loop_w(seq(loop_w(A), alt(A, EMPTY))), loop_w(A)),
        (loop_w(alt(B, strict(loop_w(A), alt(C, EMPTY)))), loop_w(alt(A, B, C))),
        (loop_s(strict(loop_s(strict(A, C)), alt(B, EMPTY))), loop_s(alt(strict(A, C), B))),
        (seq(A, par(B, C)), seq(A, B, C)),
        (loop_w(EMPTY), EMPTY),
        (alt(EMPTY, EMPTY), EMPTY),
    ],
)
def test_terms_that_mean_the_same_have_one_normal_form(
    one: Interaction, other: Interaction
) -> None:
    assert normal(one) is normal(other)
    assert traces(one, 4) == traces(other, 4)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (seq(A, B), seq(B, A)),
        (strict(A, C), seq(A, C)),
        (loop_h(alt(C, seq(A, C))), loop_w(alt(C, seq(A, C)))),
        (seq(loop_h(alt(C, seq(A, C))), loop_h(alt(C, seq(A, C)))), loop_h(alt(C, seq(A, C)))),
        (loop_h(loop_h(alt(C, seq(A, C)))), loop_h(alt(C, seq(A, C)))),
        (alt(EMPTY, A), A),
        (par(A, A), A),
        (seq(A, loop_w(A)), loop_w(A)),
        (loop_w(seq(A, loop_w(C))), loop_w(alt(A, C))),
        (loop_w(par(loop_w(seq(A, B)), loop_w(B))), loop_w(alt(seq(A, B), B))),
        (loop_h(seq(alt(C, EMPTY), alt(A, EMPTY))), loop_h(alt(A, C))),
        (loop_s(BOTH), loop_w(BOTH)),
        (loop_w(loop_p(seq(A, B))), loop_w(seq(A, B))),
        (loop_s(loop_w(BOTH)), loop_s(BOTH)),
        (loop_s(alt(loop_p(seq(A, B)), C)), loop_s(alt(seq(A, B), C))),
        (coreg(mask(PAIR[:1]), BOTH, BOTH), par(BOTH, BOTH)),
    ],
)
def test_terms_that_do_not_mean_the_same_are_kept_apart(
    one: Interaction, other: Interaction
) -> None:
    assert normal(one) is not normal(other)


def test_executing_a_loop_to_the_end_of_its_iteration_is_that_loop_again() -> None:
    loop = normal(loop_w(alt(seq(A, B), seq(C, a("pair2?d")))))
    (left,) = after(loop, A)
    (left,) = after(normal(left), B)
    assert normal(left) is loop


def test_parts_of_chains_are_put_in_order_alike_one_by_one_and_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = Random(15)
    for number in range(60):
        names = tuple(f"order{number}of{index}" for index in range(4))
        parts = list(interactions(number, rng.randint(3, 24), lifelines=names, max_size=5))
        for region in (NONE, ALL, mask(names[:1])):
            chain = coreg(region, *parts)
            one_by_one: Interaction | None = None
            for limit in (1_000, 0):
                monkeypatch.setattr(chain_module, "FEW", limit)
                form = normal(chain)
                if one_by_one is not None:
                    assert form is one_by_one
                one_by_one = form
                for part in {*subterms(chain), *subterms(form)}:
                    part._normal, part._is_normal, part._level = None, False, 0


@pytest.mark.parametrize("number", [1, 20], ids=["one by one", "together"])
def test_what_a_loop_of_a_long_chain_can_do_is_swallowed_wherever_it_is_put(number: int) -> None:
    """In `par` nothing that is put in front has to stay before what is behind."""
    optional = alt(a(f"swallowed{number}!a"), EMPTY)
    chain = normal(par(loop_p(a(f"swallowed{number}!a")), a(f"swallowed{number}!b")))
    assert normal(par(*[optional] * number, chain)) is chain


def test_the_same_situations_of_shuffled_chains_are_one() -> None:
    rng = Random(16)
    parts = list(interactions(16, 12, max_size=4))
    forms = set()
    for _ in range(20):
        rng.shuffle(parts)
        forms.add(normal(par(*parts)))
        forms.add(normal(alt(*parts, *parts)))
    assert len(forms) == 2


def test_a_follow_up_of_a_long_chain_costs_only_what_changed() -> None:
    left = normal(seq(*(a(f"l1!m{number}") for number in range(3_000))))

    def follow() -> None:
        nonlocal left
        for number in range(1_000):
            (follow_up,) = after(left, a(f"l1!m{number}"))
            left = normal(follow_up)

    each = calls(chain_module, follow) / 1_000
    assert each < 10  # what is behind the head of a chain is in order
    assert left.size == 2 * 2_000 - 1
    (changed,) = after(seq(strict(a("l1!x"), a("l2!y")), left), a("l1!x"))
    # An operand on another lifeline is walked to its place, once.
    assert 0 < calls(chain_module, lambda: normal(changed)) < 2 * 2_000


def test_what_is_put_in_front_of_a_long_chain_looks_no_further_than_it_matters() -> None:
    chain = normal(seq(*(a(f"l{number % 2 + 1}!long") for number in range(2_000))))
    front = normal(seq(*(a("l1!front") for _ in range(100))))
    assert calls(chain_module, lambda: normal(seq(front, chain))) < 300
    assert normal(seq(front, chain)).size == front.size + chain.size + 1


def test_simplifying_removes_units_and_nothing_else() -> None:
    term = seq(EMPTY, strict(a("l1!a"), EMPTY), par(EMPTY, loop_s(alt(EMPTY, EMPTY))))
    assert simplify(term) is a("l1!a")
    kept = alt(EMPTY, loop_w(seq(seq(B, A), C)))
    assert simplify(kept) is kept
    assert not breaches(
        lambda term: traces(simplify(term), 3) == traces(term, 3), interactions(17, 300)
    )
