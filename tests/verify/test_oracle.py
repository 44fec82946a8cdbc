"""Verdicts by brute force: examples of the papers, and that the stated length suffices."""

from __future__ import annotations

from random import Random

import pytest

from choreomon.core.action import Action, parse_action
from choreomon.interaction.denotation import traces
from choreomon.interaction.generation import ALL_OPERATORS, random_interaction
from choreomon.interaction.lifelines import mask
from choreomon.interaction.step import after
from choreomon.interaction.term import (
    EMPTY,
    Interaction,
    act,
    alt,
    coreg,
    loop_h,
    loop_p,
    loop_s,
    loop_w,
    par,
    seq,
    strict,
)
from choreomon.multitrace.multitrace import MultiTrace, component, multi_trace
from choreomon.multitrace.mutation import alphabet, insert_action, remove_actions, swap_actions
from choreomon.multitrace.projection import Partition, partition, partition_of, project_trace
from choreomon.multitrace.slices import random_slice
from choreomon.verify.verdict import Mode, Verdict
from tests.interaction.drawn import a as do
from tests.interaction.drawn import passing
from tests.verify import oracle
from tests.verify.oracle import Oracle, ends, judge, sufficient_length

PASS, WEAK_PASS, FAIL = Verdict.PASS, Verdict.WEAK_PASS, Verdict.FAIL
DEFINED: tuple[Mode, ...] = ("accept", "prefix", "multiprefix", "slice")


def multi(**local: str) -> MultiTrace:
    """Components by co-localization, as in `l1_l2="l1!a l2?a"`."""
    return multi_trace(
        component(names.split("_"), [parse_action(word) for word in text.split()])
        for names, text in local.items()
    )


def verdicts(interaction: Interaction, seen: MultiTrace, length: int) -> dict[Mode, Verdict]:
    known = Oracle(interaction, length)
    return {mode: known.judge(seen, mode) for mode in DEFINED}


FIGURE_2_OF_PAPER_001 = seq(
    coreg(
        mask(["l2"]),
        alt(passing("l1", "m1", "l2", "l3"), EMPTY),
        loop_w(alt(passing("l1", "m2", "l2"), passing("l2", "m3", "l3"))),
    ),
    loop_p(seq(passing("l3", "m4", "l2"), passing("l2", "m5", "l3"))),
)
"""As encoded in Fig. 15."""

FIGURE_1_OF_PAPER_003 = seq(
    loop_h(
        seq(passing("a", "m1", "b"), seq(alt(passing("b", "m2", "c"), EMPTY), do("b!m3"))),
    ),
    par(do("a!m1"), passing("c", "m4", "a")),
)
"""Rebuilt from the positions and steps that the text names; which loop it is, is not said."""


def test_the_partial_observation_of_figure_1d_is_a_slice_and_nothing_more() -> None:
    """The slices paper, Fig. 1 (c) and (d): of what Fig. 2 specifies, m5 is still to come."""
    complete = multi(l1_l2="l1!m1 l2?m1 l2?m4", l3="l3?m1 l3!m4")
    partial = multi(l1_l2="l2?m4", l3="l3?m1")
    assert verdicts(FIGURE_2_OF_PAPER_001, complete, 7) == {
        "accept": FAIL, "prefix": WEAK_PASS, "multiprefix": WEAK_PASS, "slice": WEAK_PASS,
    }  # fmt: skip
    assert verdicts(FIGURE_2_OF_PAPER_001, partial, 7) == {
        "accept": FAIL, "prefix": FAIL, "multiprefix": FAIL, "slice": WEAK_PASS,
    }  # fmt: skip


def test_the_multi_trace_of_figure_13_passes() -> None:
    """The small-step paper, Fig. 13."""
    seen = multi(a="a!m1 a?m4", b="", c="c!m4")
    assert judge(FIGURE_1_OF_PAPER_003, seen, "accept", 3) is PASS
    assert judge(FIGURE_1_OF_PAPER_003, seen, "test", 0) is PASS


def test_the_semantics_of_the_small_example_are_those_of_figure_3() -> None:
    """The small-step paper, Fig. 2 and 3: three global traces, two multi-traces."""
    small = seq(alt(passing("b", "m2", "c"), EMPTY), do("b!m3"))
    assert {" ".join(map(str, trace)) for trace in traces(small, 9)} == {
        "b!m2 c?m2 b!m3", "b!m2 b!m3 c?m2", "b!m3",
    }  # fmt: skip
    assert judge(small, multi(b="b!m2 b!m3", c="c?m2"), "accept", 9) is PASS
    assert judge(small, multi(b="b!m3", c=""), "accept", 9) is PASS
    assert judge(small, multi(b="b!m2 b!m3", c=""), "accept", 9) is FAIL


def test_a_multi_prefix_need_not_be_a_projected_prefix() -> None:
    """The removal paper, Property 8 and Fig. 7."""
    seen = multi(l1="", l2="l2?m")
    assert verdicts(passing("l1", "m", "l2"), seen, 2) == {
        "accept": FAIL, "prefix": FAIL, "multiprefix": WEAK_PASS, "slice": WEAK_PASS,
    }  # fmt: skip
    weak = seq(do("l1!m"), do("l2?m"))
    assert judge(weak, seen, "prefix", 2) is WEAK_PASS


@pytest.mark.parametrize(
    ("seen", "verdict"),
    [
        (multi(a="a!m", b="b?m"), PASS),
        (multi(a="a!m", b=""), WEAK_PASS),
        (multi(a="", b=""), WEAK_PASS),
        (multi(a="", b="b?m"), Verdict.INCONC),
        (multi(a="", b="b?x"), Verdict.INCONC),
        (multi(a="a!x", b="b?m"), FAIL),
        (multi(a="a!m a!m", b="b?m"), Verdict.INCONC),
        (multi(a="a!x", b="b?m", c=""), FAIL),
        (multi(a_b="b?m"), FAIL),
        (multi(b="b?m"), Verdict.INCONC),
    ],
    ids=str,
)
def test_test_tells_apart_what_is_missing(seen: MultiTrace, verdict: Verdict) -> None:
    """The small-step paper, section 4.5, with the example of its text. A component `c` that the
    interaction says nothing about was not emptied; a lifeline that no component is about was."""
    assert judge(passing("a", "m", "b"), seen, "test", 0) is verdict


def test_of_nothing_observed_test_asks_whether_the_interaction_may_stop() -> None:
    assert judge(loop_s(do("a!m")), multi(a=""), "test", 0) is PASS
    assert judge(do("a!m"), multi(a=""), "test", 0) is WEAK_PASS
    assert judge(EMPTY, multi(a=""), "test", 0) is PASS
    assert judge(EMPTY, multi(a="a!m"), "test", 0) is FAIL


def test_several_ends_may_be_reached_and_the_best_one_counts() -> None:
    either = alt(strict(do("a!m"), do("b?m")), strict(do("a!m"), do("c?m")))
    seen = multi(a="a!m", b="b?m", c="")
    assert ends(either, seen) == {"Cov", "LackObs"}
    assert judge(either, seen, "test", 0) is PASS


def test_the_order_that_a_common_clock_saw_counts() -> None:
    both = par(strict(do("l1!a"), do("l2?a")), do("l3!b"))
    assert judge(both, multi(l1_l2="l1!a l2?a", l3="l3!b"), "accept", 3) is PASS
    assert judge(both, multi(l1_l2="l2?a l1!a", l3="l3!b"), "slice", 3) is FAIL
    assert judge(both, multi(l1="l1!a", l2="l2?a", l3=""), "slice", 3) is WEAK_PASS


def test_simulate_has_no_definition_to_compare_with() -> None:
    with pytest.raises(ValueError, match="defined by its procedure"):
        judge(EMPTY, multi(a=""), "simulate", 0)


def test_removal_is_wrong_where_semantics_say_so() -> None:
    """The counterexamples to the removal paper, Property 3 and Theorem 1: what is true of them."""
    crossed = par(strict(do("l1!m1"), do("l2!m1")), strict(do("l2!m2"), do("l1!m2")))
    assert judge(crossed, multi(l1="l1!m2 l1!m1", l2="l2!m1 l2!m2"), "accept", 4) is FAIL
    three = par(
        seq(strict(do("l1!m1"), do("l3!m1")), strict(do("l3!m1"), do("l2!m1"))),
        strict(do("l2!m2"), do("l1!m2")),
    )
    seen = multi(l1="l1!m2 l1!m1", l2="l2!m1 l2!m2", l3="")
    assert judge(three, seen, "multiprefix", 6) is FAIL
    rejects = par(
        loop_h(alt(seq(do("l3!p"), do("l1!a")), seq(do("l1!b"), do("l2!c")))),
        strict(do("l2!d"), do("l1!e")),
    )
    seen = multi(l1="l1!e l1!a l1!b", l2="l2!c l2!d", l3="")
    assert judge(rejects, seen, "multiprefix", 6) is WEAK_PASS


# -- the length ------------------------------------------------------------------------------

NESTED = loop_s(strict(do("l1!a"), loop_s(strict(do("l1!b"), do("l2?c")))))
"""One observed action serves an iteration and the one around it."""

FOUR_PARTITIONS: tuple[Partition, ...] = (
    partition([["l1"], ["l2"], ["l3"]]),
    partition([["l1", "l2"], ["l3"]]),
    partition([["l1"], ["l2", "l3"]]),
    partition([["l1", "l2", "l3"]]),
)


def observations(
    rng: Random, interaction: Interaction, known: frozenset[tuple[Action, ...]]
) -> list[MultiTrace]:
    """Slices of what is accepted, and mutants of slices, over every partition."""
    noise = alphabet(("l1", "l2", "l3"), ("m", "n"))
    accepted = sorted(known)
    made: list[MultiTrace] = []
    for onto in FOUR_PARTITIONS:
        part = random_slice(rng, project_trace(rng.choice(accepted), onto))
        mutants = (
            insert_action(rng, part, noise),
            swap_actions(rng, part),
            remove_actions(rng, part),
        )
        made += [part, *(mutant for mutant in mutants if mutant is not None)]
    return [one for one in made if one.length <= 3]


def cases(count: int) -> list[tuple[Interaction, list[MultiTrace]]]:
    """Small interactions over the whole language, with observations of at most 3 actions."""
    rng = Random(20)
    made: list[tuple[Interaction, list[MultiTrace]]] = []
    while len(made) < count:
        interaction = random_interaction(
            rng,
            lifelines=("l1", "l2", "l3"),
            messages=("m", "n"),
            operators=ALL_OPERATORS,
            min_depth=2,
            min_size=3,
            max_size=10,
        )
        if sufficient_length(interaction, 3) <= 6:
            made.append((interaction, observations(rng, interaction, traces(interaction, 4))))
    return made


CASES = cases(150)


def the_length_is_sufficient(interaction: Interaction, seen: MultiTrace) -> bool:
    """Whether longer accepted traces explain no more."""
    length = oracle.sufficient_length(interaction, seen.length)
    return verdicts(interaction, seen, length) == verdicts(interaction, seen, length + 2)


def test_the_length_is_exact_where_iterations_are_nested() -> None:
    assert sufficient_length(NESTED, 0) == 0
    assert sufficient_length(NESTED, 1) == 3
    assert sufficient_length(NESTED, 2) == 6
    assert sufficient_length(strict(do("l1!a"), NESTED), 1) == 4
    assert sufficient_length(alt(do("l1!a"), strict(do("l1!a"), do("l1!b"))), 0) == 2
    assert sufficient_length(EMPTY, 4) == 4
    seen = multi(l1="", l2="l2?c")
    assert judge(NESTED, seen, "multiprefix", 3) is WEAK_PASS
    assert judge(NESTED, seen, "multiprefix", 2) is FAIL


def test_longer_traces_explain_no_more() -> None:
    compared = 0
    for interaction, seen in CASES:
        for one in seen:
            assert the_length_is_sufficient(interaction, one), (interaction, one)
            compared += 1
    assert compared > 1000


@pytest.mark.parametrize("wrong", [lambda _, observed: observed, lambda _, observed: 2 * observed])
def test_the_law_of_the_length_notices_one_that_is_too_small(
    monkeypatch: pytest.MonkeyPatch, wrong: object
) -> None:
    """Planted bugs: nothing that was not observed is counted, or no more than one for each."""
    monkeypatch.setattr(oracle, "sufficient_length", wrong)
    assert not the_length_is_sufficient(NESTED, multi(l1="", l2="l2?c"))


# -- laws between the modes -------------------------------------------------------------------


def test_every_mode_passes_what_stricter_modes_pass() -> None:
    found: set[tuple[Verdict, ...]] = set()
    for interaction, seen in CASES:
        for one in seen:
            known = verdicts(interaction, one, sufficient_length(interaction, one.length))
            kinds = tuple(known.values())
            passed = [verdict.passes for verdict in kinds]
            assert passed == sorted(passed)
            assert (PASS in kinds) is (kinds == (PASS,) * 4)
            found.add(kinds)
    assert found == {
        (PASS,) * 4,
        (FAIL, WEAK_PASS, WEAK_PASS, WEAK_PASS),
        (FAIL, FAIL, WEAK_PASS, WEAK_PASS),
        (FAIL, FAIL, FAIL, WEAK_PASS),
        (FAIL,) * 4,
    }


def modes_agree_about_what_was_seen_to_the_end(interaction: Interaction, seen: MultiTrace) -> bool:
    """`test` passes what `accept` does, and passes weakly the other prefixes."""
    length = sufficient_length(interaction, seen.length)
    expected = judge(interaction, seen, "prefix", length)
    got = judge(interaction, seen, "test", 0)
    return got is expected if expected.passes else got in (Verdict.INCONC, FAIL)


def test_test_passes_exactly_the_projected_prefixes() -> None:
    for interaction, seen in CASES:
        for one in seen:
            assert modes_agree_about_what_was_seen_to_the_end(interaction, one), (interaction, one)


def test_the_law_of_test_notices_a_graph_that_forgets_a_way_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Planted bug: of several follow-ups only the first is visited."""
    right = oracle.frontier
    monkeypatch.setattr(oracle, "frontier", lambda term: right(term)[:1])
    either = alt(strict(do("a!m"), do("b?m")), do("b?m"))
    assert not modes_agree_about_what_was_seen_to_the_end(either, multi(a="", b="b?m"))


def reaches_the_end(interaction: Interaction, seen: MultiTrace) -> bool:
    """Whether the multi-trace can be consumed wholly, another way: layer by layer, by action."""
    layer = {(interaction, tuple(tuple(part.actions) for part in seen.components))}
    for _ in range(seen.length):
        layer = {
            (rest, (*left[:number], local[1:], *left[number + 1 :]))
            for term, left in layer
            for number, local in enumerate(left)
            if local
            for rest in after(term, act(local[0]))
        }
    return bool(layer)


def test_the_small_steps_find_the_same_prefixes_as_the_sets_of_traces() -> None:
    for interaction, seen in CASES:
        for one in seen:
            length = sufficient_length(interaction, one.length)
            assert reaches_the_end(interaction, one) is (
                judge(interaction, one, "prefix", length).passes
            )


def test_observations_of_the_laws_are_over_every_partition() -> None:
    assert {partition_of(one) for _, seen in CASES for one in seen} == set(FOUR_PARTITIONS)
