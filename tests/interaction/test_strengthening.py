"""Interactions read strictly have the discrete multi-traces that they had."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from choreomon.interaction import strengthening
from choreomon.interaction.denotation import traces
from choreomon.interaction.generation import ALL_OPERATORS, random_interaction
from choreomon.interaction.lifelines import mask, names
from choreomon.interaction.removal import remove
from choreomon.interaction.strengthening import is_separable, strengthened
from choreomon.interaction.term import (
    EMPTY,
    LOOPS,
    Interaction,
    Operator,
    alt,
    coreg,
    loop_c,
    loop_h,
    loop_p,
    loop_s,
    loop_w,
    par,
    seq,
    strict,
    subterms,
)
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.multitrace.projection import discrete, project_trace
from tests.interaction.drawn import a

LIFELINES = ("l1", "l2", "l3")
LENGTH = 6
WHOLE = 14
"""More actions than interactions without loops have here."""
A, B = strict(a("l1!m1"), a("l2?m1")), strict(a("l2!m2"), a("l1?m2"))
C, D = strict(a("l1!m3"), a("l3?m3")), strict(a("l2!m3"), a("l3?m3"))


def multi_traces(term: Interaction) -> set[MultiTrace]:
    """Those of the discrete partition, of at most `LENGTH` actions."""
    return {project_trace(trace, discrete(LIFELINES)) for trace in traces(term, LENGTH)}


def drawn(seed: int) -> Interaction:
    return random_interaction(
        Random(seed),
        lifelines=LIFELINES,
        messages=("m1", "m2"),
        operators=(*ALL_OPERATORS, "par", "coreg", "coreg"),
        min_depth=3,
        min_size=4,
        max_size=9 if seed % 2 else 12,
    )


def crossed(seed: int) -> Interaction:
    """Two operands of several lifelines each, side by side on some of them."""
    rng = Random(seed)
    one, other = (
        random_interaction(
            rng,
            lifelines=LIFELINES,
            messages=("m1",),
            operators=("seq", "seq", "strict", "strict", "par", "alt", "loopW"),
            min_depth=2,
            min_size=3,
            max_size=7,
        )
        for _ in range(2)
    )
    return coreg(mask(name for name in LIFELINES if rng.random() < 0.6), one, other)


def changed(
    read: Callable[[Interaction], Interaction],
    seeds: range,
    draw: Callable[[int], Interaction] = drawn,
) -> list[str]:
    """The interactions whose discrete multi-traces are others when they are read so."""
    found: list[str] = []
    for seed in seeds:
        term = draw(seed)
        if len(traces(term, LENGTH)) < 3_000 and multi_traces(term) != multi_traces(read(term)):
            found.append(str(term))
    return found


def test_the_discrete_multi_traces_stay_and_no_trace_is_new() -> None:
    assert not changed(strengthened, range(300))
    assert not changed(strengthened, range(1_000), crossed)
    for seed in range(200):
        term = drawn(seed)
        assert set(traces(strengthened(term), 5)) <= set(traces(term, 5))


def changed_by_removal(is_asked: Callable[[Interaction], bool], seeds: range) -> list[str]:
    """Those of the readings that are asked about, without loops, of which some lifeline is not
    merely removed."""
    found: list[str] = []
    for seed in seeds:
        read = strengthened(crossed(seed))
        endless = any(part.operator in LOOPS for part in subterms(read))
        if endless or not is_asked(read) or len(traces(read, WHOLE)) >= 3_000:
            continue
        for name in names(read.lifelines):
            others = discrete([one for one in LIFELINES if one != name])
            rest = remove(read, mask([name]))
            if {project_trace(trace, others) for trace in traces(rest, WHOLE)} != {
                project_trace([one for one in trace if one.lifeline != name], others)
                for trace in traces(read, WHOLE)
            }:
                found.append(f"{read} without {name}")
    return found


def test_of_separable_readings_lifelines_may_be_removed() -> None:
    assert not changed_by_removal(is_separable, range(1_000))
    assert changed_by_removal(lambda term: not is_separable(term), range(1_000))
    assert is_separable(strengthened(par(A, a("l2!m2"))))
    assert not is_separable(par(A, B))
    assert not is_separable(loop_c(mask(["l1"]), A))


def test_a_coreg_with_two_shared_lifelines_that_is_read_strictly_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def all_strict(term: Interaction) -> Interaction:
        if term.left is None or term.right is None or term.operator is Operator.ALT:
            return term
        return strict(all_strict(term.left), all_strict(term.right))

    assert changed(all_strict, range(60))
    weak = par(seq(a("l1!m1"), a("l2?m1")), seq(a("l2!m2"), a("l1?m2")))
    assert multi_traces(weak) == multi_traces(strengthened(weak))
    monkeypatch.setattr(strengthening, "orders", lambda *asked: False)  # in its operands
    assert changed(strengthened, range(1_000), crossed)
    assert multi_traces(weak) != multi_traces(strengthened(weak))


def test_a_loop_with_several_lifelines_on_one_of_which_it_is_free_stays() -> None:
    """As if loops had no region."""
    both = loop_c(mask(["l1"]), alt(A, B))
    assert strengthened(both) is both
    assert multi_traces(both) != multi_traces(loop_s(alt(A, B)))


@pytest.mark.parametrize(
    ("term", "read"),
    [
        (seq(A, C), strict(A, C)),
        (loop_w(A), loop_s(A)),
        (loop_h(seq(A, C)), loop_s(strict(A, C))),
        (alt(seq(A, C), EMPTY), alt(strict(A, C), EMPTY)),
        (coreg(mask(["l3"]), seq(A, C), B), strict(strict(A, C), B)),
        (coreg(mask(["l1"]), seq(A, B), a("l1!m1")), coreg(mask(["l1"]), strict(A, B), a("l1!m1"))),
        (par(seq(A, C), B), par(seq(A, C), B)),
        (coreg(mask(["l1"]), A, seq(B, C)), coreg(mask(["l1"]), A, seq(B, C))),
        (coreg(mask(["l2"]), A, seq(B, C)), coreg(mask(["l2"]), A, strict(B, C))),
        (coreg(mask(["l1"]), seq(C, D), A), coreg(mask(["l1"]), strict(C, D), A)),
        (par(seq(C, D), seq(D, C)), par(seq(C, D), seq(D, C))),
        (loop_p(seq(A, B)), loop_p(seq(A, B))),
        (loop_c(mask(["l3"]), seq(A, B)), loop_s(strict(A, B))),
        (strict(par(A, B), seq(A, B)), strict(par(A, B), strict(A, B))),
    ],
    ids=str,
)
def test_what_is_read_strictly_and_what_is_not(term: Interaction, read: Interaction) -> None:
    assert strengthened(term) is read
