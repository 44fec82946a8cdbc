"""Where strict operators cannot be told from weak ones, and lifelines may be removed."""

from __future__ import annotations

import pytest

from choreomon.interaction import removal, weakening
from choreomon.interaction.denotation import traces
from choreomon.interaction.lifelines import mask
from choreomon.interaction.normal import simplify
from choreomon.interaction.removal import project, remove
from choreomon.interaction.step import frontier, position_text
from choreomon.interaction.term import (
    EMPTY,
    LOOPS,
    Interaction,
    Operator,
    alt,
    combined,
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
from choreomon.interaction.weakening import (
    has_strict_like,
    is_exact_by_removal,
    weakened,
    weakened_where_exact,
)
from tests.interaction.drawn import (
    LIFELINES,
    a,
    all_local_views,
    breaches,
    extended_by,
    interactions,
)

CROSSED = par(strict(a("l1!m1"), a("l2!m1")), strict(a("l2!m2"), a("l1!m2")))
ACROSS_L3 = par(
    seq(strict(a("l1!m1"), a("l3!m1")), strict(a("l3!m1"), a("l2!m1"))),
    strict(a("l2!m2"), a("l1!m2")),
)
REGION_OF_ONE = coreg(
    mask(["l1"]),
    seq(strict(a("l1!a"), a("l3!x")), strict(a("l3?x"), a("l2!c"))),
    strict(a("l2!d"), a("l1!b")),
)
HEAD_FIRST = par(
    loop_h(alt(seq(a("l3!p"), a("l1!a")), seq(a("l1!b"), a("l2!c")))),
    strict(a("l2!d"), a("l1!e")),
)


def test_interleaving_sees_an_order_across_lifelines() -> None:
    """The removal paper, Property 3 read as saying otherwise is wrong."""
    crossing = {"l1": "l1!m2 l1!m1", "l2": "l2!m1 l2!m2"}
    assert not extended_by(crossing, all_local_views(traces(CROSSED, 4)))
    assert extended_by(crossing, all_local_views(traces(weakened(CROSSED), 4)))
    assert not is_exact_by_removal(CROSSED)
    assert weakened_where_exact(CROSSED) is CROSSED


@pytest.mark.parametrize(
    ("term", "prefixes"),
    [
        (ACROSS_L3, {"l1": "l1!m2 l1!m1", "l2": "l2!m1 l2!m2"}),
        (REGION_OF_ONE, {"l1": "l1!b l1!a", "l2": "l2!c l2!d"}),
    ],
    ids=["par", "coreg"],
)
def test_removal_loses_the_order_that_ran_through_the_lifeline(
    term: Interaction, prefixes: dict[str, str]
) -> None:
    """The removal paper, Theorems 1 and 2 would have the two agree."""
    removed = remove(term, mask(["l3"]))
    assert extended_by(prefixes, all_local_views(traces(removed, 6)))
    assert not extended_by(prefixes, all_local_views(traces(term, 6)))
    assert not is_exact_by_removal(term)


def test_removal_can_reject_what_is_accepted() -> None:
    prefixes = {"l1": "l1!e l1!a l1!b", "l2": "l2!c l2!d"}
    removed = remove(HEAD_FIRST, mask(["l3"]))
    assert extended_by(prefixes, all_local_views(traces(HEAD_FIRST, 6)))
    assert not extended_by(prefixes, all_local_views(traces(removed, 6)))
    assert not is_exact_by_removal(HEAD_FIRST)


MESSAGE = strict(a("l1!m"), a("l2?m"))
ANSWER = strict(a("l2!n"), a("l1?n"))
ELSEWHERE = strict(a("l3!m"), a("l4?m"))
LOCAL = strict(a("l1!a"), a("l1!b"))


@pytest.mark.parametrize(
    ("term", "exact"),
    [
        (seq(MESSAGE, ANSWER), True),
        (alt(MESSAGE, loop_s(ANSWER)), True),
        (loop_w(strict(MESSAGE, ANSWER)), True),
        (par(MESSAGE, ANSWER), False),
        (par(MESSAGE, ELSEWHERE), True),
        (par(MESSAGE, a("l1!c"), ELSEWHERE), True),
        (par(MESSAGE, ELSEWHERE, ANSWER), False),
        (par(par(MESSAGE, a("l1!c")), par(a("l2!c"), ELSEWHERE)), True),
        (par(MESSAGE, LOCAL), True),
        (par(MESSAGE, loop_s(a("l2!c"))), True),
        (par(MESSAGE, seq(a("l1!c"), ELSEWHERE)), False),
        (coreg(mask(["l3"]), MESSAGE, ANSWER), True),
        (coreg(mask(["l2"]), MESSAGE, ANSWER), False),
        (loop_p(MESSAGE), False),
        (loop_p(LOCAL), True),
        (loop_c(mask(["l3"]), MESSAGE), True),
        (loop_c(mask(["l1"]), MESSAGE), False),
        (loop_p(seq(a("l1!m"), a("l2?m"))), True),
        (loop_h(par(a("l1!m"), a("l1?m"))), True),
    ],
)
def test_the_rule(term: Interaction, exact: bool) -> None:
    assert is_exact_by_removal(term) is exact
    if exact:
        assert weakened_where_exact(term) is weakened(term)


def weakens_unnoticed(term: Interaction) -> bool:
    weak = weakening.weakened_where_exact(term)
    return all_local_views(traces(weak, 4)) == all_local_views(traces(term, 4))


def test_what_the_rule_lets_weaken_keeps_every_multi_trace() -> None:
    assert not breaches(weakens_unnoticed, interactions(21, 800))


@pytest.mark.parametrize("term", [CROSSED, ACROSS_L3, strict(a("l1!s"), strict(CROSSED, MESSAGE))])
def test_weakening_without_the_rule_is_noticed(
    term: Interaction, monkeypatch: pytest.MonkeyPatch
) -> None:
    def holds(term: Interaction) -> bool:
        weak = weakening.weakened_where_exact(term)
        return all_local_views(traces(weak, 8)) == all_local_views(traces(term, 8))

    assert holds(term)
    monkeypatch.setattr(weakening, "revealing", lambda term: [])
    assert not holds(term)


def test_what_is_weakened_has_nothing_strict_and_accepts_at_least_as_much() -> None:
    for term in interactions(22, 400):
        weak = weakened(term)
        # On one lifeline it does not matter, but nothing is left of it either.
        assert not any(part.operator in weakening.STRICT_LIKE for part in subterms(weak))
        assert not has_strict_like(weak)
        assert traces(term, 3) <= traces(weak, 3)


def removes_exactly(term: Interaction) -> bool:
    """The removal paper, Theorem 1, for a term without loops: all its traces are looked at."""
    kept = LIFELINES[:-1]
    shorter = remove(term, mask(LIFELINES[-1:]))
    return all_local_views(traces(shorter, 9), kept) == all_local_views(traces(term, 9), kept)


LOOPLESS = ("strict", "seq", "par", "alt", "coreg")


def test_removal_keeps_the_other_components_where_the_rule_says_so() -> None:
    terms = interactions(23, 1_500, operators=LOOPLESS, max_size=9)
    assert not breaches(lambda term: not is_exact_by_removal(term) or removes_exactly(term), terms)
    assert not removes_exactly(ACROSS_L3)  # the law without the rule is none
    assert not removes_exactly(REGION_OF_ONE)


def removes_no_component(term: Interaction) -> bool:
    """The half of the removal paper, Theorem 1 that short traces can show of loops."""
    shorter = remove(term, mask(["l1"]))
    kept = LIFELINES[1:]
    return all_local_views(traces(term, 4), kept) <= all_local_views(traces(shorter, 4), kept)


def test_removal_loses_no_multi_trace_of_loops() -> None:
    terms = interactions(24, 600)
    assert not breaches(
        lambda term: not is_exact_by_removal(term) or removes_no_component(term), terms
    )


def test_lifelines_are_removed_in_any_order_or_at_once() -> None:
    """The removal paper, Property 1."""
    for term in interactions(25, 500, max_size=20):
        one, other = mask(["l1"]), mask(["l2"])
        assert remove(remove(term, one), other) is remove(remove(term, other), one)
        assert remove(remove(term, one), other) is remove(term, one | other)
        assert project(term, one) is remove(term, mask(LIFELINES[1:]))


def blanked(term: Interaction, lifelines: int) -> Interaction:
    """Lifeline removal as the removal paper, Definition 4 writes it: nothing is simplified."""
    if term.left is None:
        return EMPTY if term.lifelines & lifelines else term
    left = blanked(term.left, lifelines)
    if term.operator in LOOPS:
        return {
            Operator.LOOP_S: loop_s,
            Operator.LOOP_H: loop_h,
            Operator.LOOP_C: lambda body: loop_c(term.region, body),
        }[term.operator](left)
    assert term.right is not None
    right = blanked(term.right, lifelines)
    if term.operator is Operator.STRICT:
        return strict(left, right)
    return alt(left, right) if term.operator is Operator.ALT else coreg(term.region, left, right)


def test_removal_keeps_positions_and_the_other_actions() -> None:
    """The removal paper, Property 2."""
    gone = mask(["l1"])
    for term in interactions(26, 300, max_size=16):
        pending = [("", term, blanked(term, gone))]
        while pending:
            at, before, after = pending.pop()
            assert (before.left is None, before.right is None) == (
                after.left is None,
                after.right is None,
            )
            if before.left is None:
                assert after is (EMPTY if before.lifelines & gone else before)
            for digit, one, other in (
                ("1", before.left, after.left),
                ("2", before.right, after.right),
            ):
                if one is not None and other is not None:
                    pending.append((at + digit, one, other))


def test_removal_is_the_definition_simplified() -> None:
    for term in interactions(27, 500, max_size=20):
        assert remove(term, mask(["l1"])) is simplify(blanked(term, mask(["l1"])))


def executes_alike_without(term: Interaction) -> bool:
    """The removal paper, Property 7: what may happen elsewhere may happen after the removal, at the
    same position and with the follow-up removed from."""
    gone = mask(["l1"])
    blank = blanked(term, gone)
    after_removal = {
        (position_text(one.position), one.action): simplify(one.follow_up)
        for one in frontier(blank)
    }
    for one in frontier(term):
        if one.action.lifeline == "l1":
            continue
        rest = after_removal.get((position_text(one.position), one.action))
        if rest is None or traces(rest, 3) != traces(remove(one.follow_up, gone), 3):
            return False
    return True


def test_steps_elsewhere_survive_removal() -> None:
    assert not breaches(executes_alike_without, interactions(28, 500))


def test_a_removal_that_loses_choices_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(
        operator: Operator, region: int, left: Interaction, right: Interaction | None
    ) -> Interaction:
        return left if operator is Operator.ALT else combined(operator, region, left, right)

    monkeypatch.setattr(removal, "combined", wrong)
    assert breaches(removes_no_component, interactions(24, 300))
    assert breaches(executes_alike_without, interactions(28, 300))
