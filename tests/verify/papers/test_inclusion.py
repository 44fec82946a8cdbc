"""What is said to be included is included; of vertices only those are visited that no other one
includes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

import pytest

from choreomon.interaction.denotation import traces
from choreomon.interaction.generation import random_interaction
from choreomon.interaction.lifelines import ALL, NONE
from choreomon.interaction.normal import normal
from choreomon.interaction.step import after, prune
from choreomon.interaction.term import (
    EMPTY,
    Interaction,
    Operator,
    act,
    alt,
    coreg,
    loop_c,
    loop_h,
    loop_s,
    loop_w,
    make,
    par,
    seq,
    strict,
    subterms,
)
from choreomon.verify.papers import inclusion
from choreomon.verify.papers.antichain import Antichain
from choreomon.verify.papers.engine import search
from choreomon.verify.papers.heuristics import STRATEGIES
from choreomon.verify.papers.inclusion import Inclusion, _Sequence
from choreomon.verify.papers.options import Options
from choreomon.verify.papers.steps import State
from tests.verify.papers.questions import OPERATORS, a, logs, mask_of, passing
from tests.verify.papers.test_relevance import PLAIN, drawn

A, B, C = a("l1!a"), a("l1!b"), a("l2!c")
ONE = mask_of("l1")
TOLD = passing("l1", "m", "l2")

LENGTH = 4
"""Of the traces that are compared."""


def term_of(rng: Random) -> Interaction:
    return random_interaction(
        rng,
        lifelines=("l1", "l2"),
        messages=("a", "b"),
        operators=OPERATORS,
        min_depth=2,
        min_size=3,
        max_size=9,
    )


def less(rng: Random, term: Interaction) -> Interaction:
    """A term that can do no more: choices taken, loops unrolled or left, operands less."""
    left, right = term.left, term.right
    if left is None or rng.random() < 0.15:
        return term
    if right is not None:
        if term.operator is Operator.ALT and rng.random() < 0.6:
            return less(rng, rng.choice((left, right)))
        return make(term.operator, term.region, less(rng, left), less(rng, right))
    once = less(rng, left)
    again = rng.choice((EMPTY, term, make(term.operator, term.region, less(rng, left), None)))
    if term.operator is Operator.LOOP_C:
        return rng.choice((again, coreg(term.region, once, again), strict(once, again)))
    return rng.choice((again, once, strict(once, again)))


def freer(rng: Random, term: Interaction) -> Interaction:
    """A term whose sequences order less, some of them."""
    left, right = term.left, term.right
    if left is None:
        return term
    if right is None:
        return make(term.operator, term.region, freer(rng, left), None)
    operator, region = term.operator, term.region
    if operator is not Operator.ALT and rng.random() < 0.5:
        operator, region = Operator.COREG, rng.choice((NONE, ONE, ALL))
    return make(operator, region, freer(rng, left), freer(rng, right))


def pairs(seed: int, number: int) -> Iterator[tuple[Interaction, Interaction]]:
    """Of a term: what is less, what steps and pruning leave of it, and another term."""
    rng = Random(seed)
    for _ in range(number):
        term = term_of(rng)
        yield term, less(rng, term)
        yield less(rng, term), less(rng, term)
        yield term, term_of(rng)
        yield term, freer(rng, less(rng, term))
        for part in subterms(term):
            if part.action is not None:
                rests = after(term, act(part.action))
                yield from ((one, other) for one in rests for other in rests)
            pruned = prune(term, part.lifelines)
            if pruned is not None:
                yield term, pruned


def is_included(whole: Interaction, part: Interaction) -> bool:
    """The slow way, as far as traces of some length tell."""
    return traces(part, LENGTH) <= traces(whole, LENGTH)


def wrong_answers(seed: int, number: int) -> int:
    asked = Inclusion()
    wrong = 0
    for whole, part in pairs(seed, number):
        for one, other in ((whole, part), (normal(whole), normal(part))):
            wrong += asked.includes(one, other) and not is_included(one, other)
    return wrong


def test_nothing_is_said_to_be_included_that_is_not() -> None:
    assert not wrong_answers(1, 1_500)


def test_much_of_what_is_included_is_found() -> None:
    asked = Inclusion()
    found = missed = 0
    for whole, part in pairs(2, 300):
        if whole is not part and is_included(whole, part):
            yes = asked.includes(normal(whole), normal(part))
            found += yes
            missed += not yes
    assert found > 1_000
    assert found > 4 * missed


@pytest.mark.parametrize(
    ("whose", "name", "wrong"),
    [
        (_Sequence, "_is_no_freer", lambda self, whole: True),
        (Inclusion, "_repeats", lambda self, whole, loop: self.includes(whole, loop.left)),
        (_Sequence, "is_done_by", lambda self, whole: self._after(whole, 0) > 1),
    ],
)
def test_the_law_notices_wrong_answers(
    whose: type, name: str, wrong: Callable[..., bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whose, name, wrong)
    assert wrong_answers(1, 300)


@pytest.mark.parametrize(
    ("whole", "part", "is_so"),
    [
        (seq(loop_w(A), A, B), seq(loop_w(A), A, loop_w(A), A, B), True),
        (seq(loop_w(A), B), seq(A, A, B), True),
        (seq(loop_w(A), A, A, B), seq(loop_w(A), A, B), False),
        (loop_w(seq(A, B)), seq(A, B, loop_w(seq(A, B)), A, B), True),
        (loop_w(seq(A, B)), seq(A, B, A), False),
        (loop_w(seq(A, alt(loop_w(B), C))), seq(A, loop_w(seq(A, loop_w(B)))), True),
        (seq(A, loop_w(B), loop_w(C)), seq(A, alt(seq(B, C), C)), True),
        (loop_w(alt(A, B)), loop_w(seq(A, alt(B, EMPTY))), True),
        (loop_s(TOLD), strict(TOLD, TOLD), True),
        (loop_s(TOLD), seq(TOLD, TOLD), False),
        (loop_w(TOLD), loop_s(TOLD), True),
        (loop_w(TOLD), loop_h(TOLD), True),
        (loop_h(TOLD), loop_h(TOLD), True),
        (loop_h(TOLD), loop_w(TOLD), False),
        (par(A, B), seq(A, B), True),
        (seq(A, B), par(A, B), False),
        (coreg(ONE, A, B, C), seq(A, B, C), True),
        (loop_c(ONE, seq(A, B)), coreg(ONE, seq(A, B), seq(A, B)), True),
        (loop_c(NONE, seq(A, B)), coreg(ONE, seq(A, B), seq(A, B)), False),
        (alt(A, EMPTY), EMPTY, True),
        (A, EMPTY, False),
    ],
)
def test_what_is_included(whole: Interaction, part: Interaction, is_so: bool) -> None:
    assert Inclusion().includes(whole, part) is is_so
    assert is_included(whole, part) or not is_so


def nested(depth: int) -> Interaction:
    """Operators that alternate all the way down."""
    term = A
    while term.depth < depth:
        term = seq(loop_w(alt(term, seq(B, C))), A)
    return term


def test_deep_terms_need_no_deep_recursion() -> None:
    chain = seq(*[loop_w(A), B] * 48)
    for whole, part in ((chain, seq(A, chain)), (nested(97), seq(A, nested(95)))):
        assert max(whole.depth, part.depth) <= inclusion._DEEP
        assert Inclusion().includes(whole, part) <= is_included(whole, part)
    assert Inclusion().includes(chain, seq(A, A, chain))
    deeper = seq(*[loop_w(A), B] * 60)
    assert Inclusion().includes(deeper, deeper)
    assert not Inclusion().includes(deeper, seq(A, deeper))


def test_open_iterations_are_not_compared() -> None:
    opened = make(Operator.OPEN, NONE, seq(A, B), None)
    assert not Inclusion().includes(alt(opened, A), opened)


def test_answers_are_forgotten_at_the_limit() -> None:
    asked, unlimited = Inclusion(limit=5), Inclusion()
    for whole, part in pairs(3, 100):
        assert asked.includes(whole, part) is unlimited.includes(whole, part)
        assert len(asked) <= 5
    assert len(unlimited) > 100


def at(term: Interaction, *positions: int) -> State:
    return State(term, positions, 0, None)


def test_an_antichain_has_what_no_other_includes() -> None:
    some = Antichain(Inclusion())
    assert some.add(at(seq(A, B), 1, 0))
    assert not some.add(at(seq(A, B), 1, 0))
    assert some.add(at(seq(A, B), 0, 1))
    assert some.covers(at(seq(A, B), 1, 0))
    assert not some.covers(at(seq(loop_w(A), B), 1, 0))
    assert some.add(at(seq(loop_w(A), B), 1, 0))
    assert at(seq(A, B), 1, 0) not in some
    assert at(seq(A, B), 0, 1) in some
    assert some.add(at(seq(B, A), 1, 0))
    assert at(seq(loop_w(A), B), 1, 0) in some


TWO_WAYS = alt(
    seq(TOLD, loop_w(alt(seq(A, a("l2!a")), seq(B, a("l2!b"))))),
    seq(TOLD, loop_w(alt(seq(A, a("l2!a")), seq(A, a("l2!b")), seq(B, a("l2!a"))))),
)
WAYS = (
    "l1: l1!m l1!a l1!a l1!b; l2: l2?m l2!a l2!a l2!b",
    "l1: l1!m l1!a l1!a l1!b; l2: l2?m l2!a l2!b l2!a",
)
"""Each is explained by one of two vertices after the first action only."""


def test_a_vertex_is_left_out_only_for_one_that_includes_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cases = [*drawn(35, 200), *((TWO_WAYS, logs(seen)) for seen in WAYS)]
    asked = [(term, seen, strategy) for term, seen in cases for strategy in STRATEGIES]

    def answers(options: Options) -> list[tuple[object, int]]:
        found = []
        for term, seen, strategy in asked:
            result = search(term, seen, "multiprefix", replace(options, strategy=strategy))
            found.append((result.verdict, result.vertices))
        return found

    some = answers(PLAIN)
    with monkeypatch.context() as patched:
        patched.setattr(Inclusion, "includes", lambda self, whole, part: whole is part)
        equal = answers(PLAIN)
    with monkeypatch.context() as patched:
        patched.setattr(Inclusion, "includes", lambda self, whole, part: True)
        wrong = answers(PLAIN)
    verdicts = [verdict for verdict, _ in some]
    assert verdicts == [verdict for verdict, _ in equal]
    assert verdicts != [verdict for verdict, _ in wrong]
    assert sum(one < other for (_, one), (_, other) in zip(some, equal, strict=True)) > 10
