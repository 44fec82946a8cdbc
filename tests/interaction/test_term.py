"""Interactions as values: one object a term, as deep as memory allows."""

from __future__ import annotations

import gc
import pickle
import subprocess
import sys
from collections.abc import Callable

import pytest

from choreomon.interaction.lifelines import NONE, bit
from choreomon.interaction.normal import normal, simplify
from choreomon.interaction.removal import remove
from choreomon.interaction.step import after, frontier, prune, simulated
from choreomon.interaction.term import (
    EMPTY,
    TERMS,
    Interaction,
    Operator,
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
    text,
)
from choreomon.interaction.weakening import is_exact_by_removal, weakened, weakened_where_exact
from tests.interaction.drawn import a

DEPTH = 2_500

NESTINGS: dict[str, Callable[[Interaction], Interaction]] = {
    "strict to the right": lambda term: strict(a("out!a"), term),
    "strict to the left": lambda term: strict(term, a("out!a")),
    "seq to the right": lambda term: seq(a("out!a"), term),
    "seq to the left": lambda term: seq(term, a("out!a")),
    "par to the right": lambda term: par(a("out!a"), term),
    "par to the left": lambda term: par(term, a("out!a")),
    "coreg to the right": lambda term: coreg(bit("out"), seq(a("out!a"), a("off?b")), term),
    "coreg to the left": lambda term: coreg(bit("out"), term, seq(a("out!a"), a("off?b"))),
    "alt": lambda term: alt(a("out!a"), term),
    "loopS": loop_s,
    "loopW": loop_w,
    "loopP": loop_p,
    "loopH": loop_h,
    "loopC": lambda term: loop_c(bit("deep"), term),
    "open": lambda term: make(Operator.OPEN, NONE, term, None),
    "loops and sequences": lambda term: loop_w(strict(a("out!a"), loop_p(seq(term, a("off?b"))))),
}


def nested(shape: str) -> Interaction:
    term = strict(a("deep!x"), a("deeper?y"))
    for _ in range(DEPTH):
        term = NESTINGS[shape](term)
    return term


@pytest.mark.parametrize("shape", NESTINGS)
def test_every_operator_may_be_nested_thousands_deep(shape: str) -> None:
    term = nested(shape)
    assert term.depth > DEPTH
    assert len(text(term)) > DEPTH
    assert subterms(term)[-1] is term
    form = normal(term)
    assert normal(form) is form
    prune(term, bit("out"))
    remove(term, bit("out"))
    simplify(term)
    weakened_where_exact(term)
    is_exact_by_removal(weakened(term))
    for follow_up in (*after(term, a("deep!x")), *after(form, a("deep!x"))):
        normal(follow_up)


@pytest.mark.parametrize("shape", ["strict to the right", "loopS", "loopH", "open"])
def test_frontiers_and_simulated_steps_of_deep_terms(shape: str) -> None:
    term = nested(shape)
    assert frontier(term)
    assert simulated(term)


def test_building_a_term_again_gives_the_same_object() -> None:
    one = seq(strict(a("l1!m"), a("l2?m")), loop_w(alt(a("l1!a"), EMPTY)))
    other = seq(strict(a("l1!m"), a("l2?m")), loop_w(alt(a("l1!a"), EMPTY)))
    assert one is other
    assert seq(a("l1!a"), a("l2!b")) is not seq(a("l2!b"), a("l1!a"))


def test_different_operators_and_regions_are_different_terms() -> None:
    left, right = a("l1!a"), a("l2!b")
    built = [
        strict(left, right),
        seq(left, right),
        par(left, right),
        alt(left, right),
        coreg(bit("l1"), left, right),
        coreg(bit("l2"), left, right),
    ]
    assert len(set(built)) == len({term.order for term in built}) == len(built)


def test_terms_do_not_leave_their_process() -> None:
    """A copy elsewhere would be another object, and `is` no equality there."""
    with pytest.raises(TypeError, match="send their text"):
        pickle.dumps(seq(a("l1!a"), a("l2!b")))


def test_terms_that_nobody_holds_are_forgotten() -> None:
    term = seq(strict(a("l1!kept"), a("l2?kept")), loop_w(a("l1!kept")))
    normal(term)
    after(term, a("l1!kept"))
    gc.collect()
    before = len(TERMS.terms)
    copies = [seq(term, par(a(f"l1!one{number}"), a("l2!two"))) for number in range(100)]
    for copy in copies:
        normal(copy)
    assert len(TERMS.terms) >= before + 100
    del copies, copy
    gc.collect()
    assert len(TERMS.terms) == before


PROGRAM = """
from random import Random
from choreomon.interaction.generation import ALL_OPERATORS, random_interaction
from choreomon.interaction.normal import normal
rng = Random(5)
for _ in range(30):
    print(normal(random_interaction(rng, lifelines=["z", "y", "x"], messages=["m", "n"],
                                    operators=ALL_OPERATORS)))
"""


def test_generation_and_normal_forms_are_the_same_in_every_process() -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-c", preface + PROGRAM],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed, preface in [
            ("0", ""),
            # Names that were heard of in another order have other bits.
            ("1", "from choreomon.interaction.lifelines import mask; mask('xyz')"),
        ]
    }
    assert len(outputs) == 1
