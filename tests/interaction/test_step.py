"""The small steps mean what the denotation says: the slices paper, Theorems 1 to 3."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from choreomon.interaction import enabled as enabling
from choreomon.interaction import step
from choreomon.interaction.denotation import traces, weak_sequences
from choreomon.interaction.enabled import enabled
from choreomon.interaction.lifelines import ALL, mask
from choreomon.interaction.step import (
    after,
    frontier,
    position_text,
    simulated,
    subterm,
)
from choreomon.interaction.term import (
    LOOPS,
    Interaction,
    Operator,
    act,
    alt,
    combined,
    loop_h,
    loop_s,
    loop_w,
    par,
    seq,
    strict,
    subterms,
)
from tests.interaction.drawn import LIFELINES, a, breaches, interactions, stepped, word

A_B_C = alt(a("l2!b"), seq(a("l1!a"), a("l2!c")))


def executes_what_it_means(term: Interaction) -> bool:
    return stepped(term, 4) == traces(term, 4)


def test_executing_gives_the_traces_of_the_denotation() -> None:
    assert not breaches(executes_what_it_means, interactions(1, 300))


@pytest.mark.parametrize("length", [0, 1, 2])
def test_the_denotation_has_no_longer_traces_than_asked_for_and_all_shorter_ones(
    length: int,
) -> None:
    for term in interactions(10, 100, max_size=7):
        assert traces(term, length) == {each for each in traces(term, 3) if len(each) <= length}
    assert traces(a("l1!a"), length) == {each for each in [word("l1!a")] if len(each) <= length}


def test_executing_with_a_forgetful_pruning_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step, "prune", lambda term, lifelines: term)
    assert breaches(executes_what_it_means, interactions(2, 60, lifelines=("planted3", "planted4")))


def test_executing_loop_w_without_its_pruned_copy_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = step.unrolled
    monkeypatch.setattr(
        step,
        "unrolled",
        lambda loop, on, rest: (
            combined(Operator.COREG, loop.region, rest, loop)
            if loop.operator is Operator.LOOP_C
            else whole(loop, on, rest)
        ),
    )
    assert not executes_what_it_means(
        loop_w(alt(a("planted2!b"), seq(a("planted1!a"), a("planted2!c"))))
    )


def test_loop_w_lets_a_later_iteration_begin_first_and_loop_h_does_not() -> None:
    trace = word("l1!a l2!b l2!c")
    assert trace in traces(loop_w(A_B_C), 3)
    assert trace in stepped(loop_w(A_B_C), 3)
    assert trace not in traces(loop_h(A_B_C), 3)
    assert trace not in stepped(loop_h(A_B_C), 3)


def loops_around(term: Interaction, position: str) -> int:
    """beta(term, position) of the slices paper, Definition 12."""
    above = (subterm(term, position[:length]) for length in range(len(position)))
    return sum(part.operator in LOOPS for part in above)


def enables_its_frontier(term: Interaction) -> bool:
    """So does what remains of it, with open iterations too."""
    for part in (term, *(rest for _, rest in simulated(term)), *(s[2] for s in frontier(term))):
        found = [(one.position(), one.action, one.follow_up()) for one in enabled(part)]
        loops = [loops_around(part, position_text(at.position)) for at in frontier(part)]
        if found != list(frontier(part)) or loops != [one.loops for one in enabled(part)]:
            return False
    return True


def test_what_is_enabled_is_the_frontier() -> None:
    assert not breaches(enables_its_frontier, interactions(9, 600))


@pytest.mark.parametrize("nest", ["left", "right"])
@pytest.mark.parametrize("operator", [par, alt, strict])
def test_one_follow_up_of_a_deep_term_needs_no_more_terms_than_it_is_deep(
    monkeypatch: pytest.MonkeyPatch, operator: Callable[..., Interaction], nest: str
) -> None:
    deep = a("deep!x")
    for number in range(1_000):
        other = a(f"deep!x{number}")
        deep = operator(deep, other) if nest == "left" else operator(other, deep)
    made: list[Operator] = []
    whole = enabling.combined

    def counted(root: Operator, *others: Any) -> Interaction:
        made.append(root)
        return whole(root, *others)

    monkeypatch.setattr(enabling, "combined", counted)
    found = list(enabled(deep))
    assert len(found) == (1 if operator is strict else 1_001)
    assert not made
    found[-1].follow_up()
    assert len(made) <= 1_000


def test_a_term_terminates_where_the_denotation_has_the_empty_trace() -> None:
    assert not breaches(
        lambda term: term.terminates == (() in traces(term, 0)), interactions(4, 2_000)
    )


def test_a_lifeline_is_unavoidable_where_every_trace_has_it() -> None:
    def holds(term: Interaction) -> bool:
        return all(
            bool(term.unavoidable & mask([name]))
            == all(any(action.lifeline == name for action in trace) for trace in meaning)
            for meaning in [traces(term, 4)]
            for name in LIFELINES
        )

    # The shortest traces of terms of at most seven symbols have at most four actions.
    assert not breaches(holds, interactions(5, 500, max_size=7))


def prunes_exactly(term: Interaction) -> bool:
    """The slices paper, Theorem 1 (Properties 6 to 8 and Theorem 6 in its appendix)."""
    meaning = traces(term, 4)
    for lifelines in (("l1",), ("l2",), ("l1", "l2"), LIFELINES):
        pruned = step.prune(term, mask(lifelines))
        kept = {
            trace for trace in meaning if not any(action.lifeline in lifelines for action in trace)
        }
        if (traces(pruned, 4) if pruned is not None else frozenset()) != kept:
            return False
    return True


def test_pruning_keeps_exactly_the_traces_without_conflict() -> None:
    assert not breaches(prunes_exactly, interactions(6, 500, max_size=9))


def test_pruning_that_stops_every_loop_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = step.prune

    def eager(term: Interaction, lifelines: int) -> Interaction | None:
        return whole(term, lifelines if term.operator is not Operator.LOOP_C else ALL)

    monkeypatch.setattr(step, "prune", eager)
    assert breaches(prunes_exactly, interactions(6, 300))


def test_after_gives_the_follow_ups_of_the_frontier() -> None:
    for term in interactions(7, 600, max_size=20):
        steps = frontier(term)
        leaves = [part for part in subterms(term) if part.action is not None]
        for leaf in leaves:
            expected = {one.follow_up for one in steps if one.action == leaf.action}
            given = after(term, leaf)
            assert set(given) == expected
            assert len(set(given)) == len(given)


def test_positions_are_those_of_the_executed_actions() -> None:
    for term in interactions(8, 500, max_size=20):
        steps = frontier(term)
        positions = [position_text(one.position) for one in steps]
        assert positions == sorted(positions)
        assert len(set(positions)) == len(positions)
        for position, one in zip(positions, steps, strict=True):
            assert subterm(term, position) is act(one.action)


def unmarked(term: Interaction) -> Interaction:
    """The term without the marks of open iterations."""
    plain: dict[Interaction, Interaction] = {}
    for part in subterms(term):
        if part.left is None:
            plain[part] = part
        elif part.operator is Operator.OPEN:
            plain[part] = plain[part.left]
        else:
            right = None if part.right is None else plain[part.right]
            plain[part] = combined(part.operator, part.region, plain[part.left], right)
    return plain[term]


def test_simulated_steps_are_steps_but_for_iterations_that_end_unserved() -> None:
    for term in interactions(9, 500, max_size=16):
        steps = {(one.action, one.follow_up) for one in frontier(term)}
        simulations = {(action, unmarked(rest)) for action, rest in simulated(term)}
        assert simulations <= steps
        # A step is missing only where an iteration of one action would be over at once.
        for action, rest in steps - simulations:
            assert any(part.operator is Operator.LOOP_S for part in subterms(term)) or any(
                part.operator in (Operator.LOOP_C, Operator.LOOP_H) for part in subterms(term)
            ), (term, action, rest)


def test_consuming_takes_the_marks_off_that_it_serves() -> None:
    loop = loop_s(strict(a("l1!a"), loop_s(strict(a("l1!b"), a("l2?c")))))
    ((_, outer),) = simulated(loop)
    assert outer.unserved == 1
    (inner,) = (rest for action, rest in simulated(outer) if action == word("l1!b")[0])
    assert inner.unserved == 1  # the open iteration within serves the one around it
    (served,) = after(inner, a("l2?c"))
    assert served.unserved == 0
    assert unmarked(served) is served


def test_conditional_sequencing_orders_a_lifeline_unless_it_is_in_the_region() -> None:
    one, other = word("l1!a l1!b"), word("l1!c l1!d")
    assert weak_sequences(one, other) == {one + other}
    assert len(weak_sequences(one, other, ALL)) == 6
