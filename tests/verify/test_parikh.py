"""What the counts of accepted traces have in common, against all traces; and planted bugs."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random

import pytest

from choreomon.core.action import Action, parse_action
from choreomon.interaction.denotation import traces
from choreomon.interaction.generation import random_interaction
from choreomon.interaction.term import (
    EMPTY,
    Interaction,
    Operator,
    alt,
    coreg,
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
from choreomon.verify import parikh
from choreomon.verify.exact import decide_exact
from choreomon.verify.parikh import Lattice, Vector, counts
from choreomon.verify.verdict import Verdict
from tests.verify.papers.questions import OPERATORS, a, logs, mask_of


def drawn(rng: Random, symbols: int) -> Interaction:
    """A small interaction of up to three actions, with every operator."""
    return random_interaction(
        rng,
        lifelines=("l1", "l2"),
        messages=("m",) if rng.random() < 0.5 else ("m", "n"),
        operators=OPERATORS,
        min_depth=3,
        min_size=5,
        max_size=symbols,
    )


def refused(number: int, seed: int) -> int:
    """How many accepted traces do not satisfy the condition: there should be none."""
    rng = Random(seed)
    found = 0
    for _ in range(number):
        term = drawn(rng, 11)
        common = counts(term)
        assert common is not None
        found += sum(not common.allow([trace]) for trace in traces(term, 5))
    return found


@pytest.mark.parametrize("seed", range(3))
def test_every_accepted_trace_satisfies_the_condition(seed: int) -> None:
    assert not refused(150, seed)


def generated(vectors: set[Vector], most: int) -> set[Vector]:
    """Sums and differences of the vectors, reached through numbers of at most `most`."""
    zero = (0,) * len(next(iter(vectors), ()))
    found, pending = {zero}, [zero]
    while pending:
        here = pending.pop()
        for vector in vectors:
            for sign in (1, -1):
                there = tuple(x + sign * y for x, y in zip(here, vector, strict=True))
                if there not in found and max(map(abs, there)) <= most:
                    found.add(there)
                    pending.append(there)
    return found


def actions_of(term: Interaction) -> list[Action]:
    """All actions of a term."""
    return [part.action for part in subterms(term) if part.action is not None]


def differing(number: int, seed: int) -> tuple[int, int]:
    """How many vectors of small counts are allowed though no combination of accepted traces has
    them, or the other way round; and how many were asked about without being allowed."""
    rng = Random(seed)
    wrong = outside = 0
    for _ in range(number):
        term = drawn(rng, 7)
        alphabet = actions_of(term)
        if not 0 < len(alphabet) <= 3:
            continue
        common = counts(term)
        assert common is not None
        # Each loop once, and each choice both ways: as many actions as there are leaves suffice.
        vectors = sorted(
            {
                tuple(Counter(trace)[action] for action in alphabet)
                for trace in traces(term, (term.size + 1) // 2)
            }
        )
        some = vectors[0]
        lattice = generated(
            {tuple(x - y for x, y in zip(one, some, strict=True)) for one in vectors}, 6
        )
        for vector in product(range(4), repeat=len(alphabet)):
            trace = [
                action for action, times in zip(alphabet, vector, strict=True) for _ in range(times)
            ]
            expected = tuple(x - y for x, y in zip(vector, some, strict=True)) in lattice
            wrong += common.allow([trace]) is not expected
            outside += not expected
    return wrong, outside


def test_nothing_else_is_allowed_than_what_accepted_traces_generate() -> None:
    wrong, outside = differing(200, 4)
    assert not wrong
    assert outside > 500


def counted(times: dict[str, int]) -> list[Action]:
    """That many of each action."""
    return [parse_action(name) for name, number in times.items() for _ in range(number)]


EXAMPLES = {
    "no action": (EMPTY, [{}], [{"a!m": 1}]),
    "as many as": (loop_s(strict(a("a!m"), a("b?m"))), [{"a!m": 7, "b?m": 7}], [{"a!m": 1}]),
    "even": (loop_p(seq(a("a!m"), a("a!m"))), [{}, {"a!m": 4}], [{"a!m": 3}]),
    "of two or three any number": (
        loop_w(alt(seq(a("a!m"), a("a!m")), seq(a("a!m"), a("a!m"), a("a!m")))),
        # One alone is accepted by nobody, but no coset could say that.
        [{"a!m": 1}, {"a!m": 5}],
        [{"a!m": 2, "b?m": 1}],
    ),
    "of four or six an even number": (
        loop_h(alt(seq(*[a("a!m")] * 4), seq(*[a("a!m")] * 6))),
        [{"a!m": 10}],
        [{"a!m": 5}],
    ),
    "one more": (
        coreg(mask_of("a"), a("a!m"), loop_s(alt(strict(a("a!m"), a("b?m")), EMPTY))),
        [{"a!m": 5, "b?m": 4}],
        [{"a!m": 5, "b?m": 5}],
    ),
    "one of two": (alt(a("a!m"), a("b?m")), [{"a!m": 1}, {"b?m": 1}], [{}, {"a!m": 1, "b?m": 1}]),
    "open iterations": (make(Operator.OPEN, 0, a("a!m"), None), [{"a!m": 1}], [{}]),
    "an action of nobody": (loop_s(a("a!m")), [{"a!m": 3}], [{"a!m": 3, "x!y": 1}]),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_is_allowed_and_what_is_not(name: str) -> None:
    term, allowed, forbidden = EXAMPLES[name]
    common = counts(term)
    assert common is not None
    for times in allowed:
        assert common.allow([counted(times)])
    for times in forbidden:
        assert not common.allow([counted(times)])


def test_counts_are_those_of_all_components_together() -> None:
    common = counts(loop_p(seq(a("a!m"), a("a!m"))))
    assert common is not None
    assert common.allow([counted({"a!m": 1}), counted({"a!m": 1})])
    assert not common.allow([counted({"a!m": 1}), counted({"a!m": 2})])


def test_lattices_hold_what_was_added_and_its_combinations_in_any_order() -> None:
    rng = Random(9)
    for _ in range(60):
        vectors = [tuple(rng.randint(-3, 3) for _ in range(3)) for _ in range(rng.randint(0, 3))]
        one, other = Lattice(), Lattice()
        for vector in vectors:
            one.add(vector)
        for vector in reversed(vectors):
            other.add(vector)
        assert all(vector in one for vector in vectors)
        expected = generated(set(vectors), 14)
        for vector in product(range(-2, 3), repeat=3):
            assert (vector in one) == (vector in other) == (vector in expected or not any(vector))


NESTINGS = {
    "strict": lambda x, t: strict(x, t),
    "par": lambda x, t: par(t, x),
    "alt": lambda x, t: alt(t, x),
    "loopS": lambda x, t: loop_s(seq(x, t)),
    "loopW": lambda x, t: loop_w(alt(x, t)),
}


@pytest.mark.parametrize("name", NESTINGS)
def test_terms_may_be_nested_5000_deep(name: str) -> None:
    letters = [a(f"a!m{number}") for number in range(12)]
    term = letters[0]
    for depth in range(5_000):
        term = NESTINGS[name](letters[depth % 12], term)
    assert counts(term) is not None


def test_interactions_that_are_too_large_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    term = loop_s(strict(a("a!m"), a("b?m")))
    monkeypatch.setattr(parikh, "ACTIONS", 1)
    assert counts(term) is None
    assert counts(a("a!m")) is not None
    monkeypatch.setattr(parikh, "SYMBOLS", 3)
    assert counts(term) is None
    # And then nothing is concluded.
    assert decide_exact(term, logs("a: a!m; b: b?m"), "accept").verdict is Verdict.PASS
    assert decide_exact(term, logs("a: a!m; b: b?m b?m"), "accept").verdict is Verdict.FAIL


def test_the_law_notices_loops_that_are_taken_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parikh, "LOOPS", frozenset())
    assert refused(50, 0)


def test_the_law_notices_remainders_that_are_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    original = Lattice.add

    def first_only(self: Lattice, vector: Vector) -> None:
        if not self._rows:
            original(self, vector)

    monkeypatch.setattr(Lattice, "add", first_only)
    assert refused(50, 0)


def test_the_law_notices_a_lattice_that_is_too_fine(monkeypatch: pytest.MonkeyPatch) -> None:
    original = Lattice.add

    def primitive(self: Lattice, vector: Vector) -> None:
        original(self, tuple(max(-1, min(1, number)) for number in vector))

    monkeypatch.setattr(Lattice, "add", primitive)
    assert differing(200, 4)[0]
