"""Slices, their mutants, and what two modes say of them."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import count
from pathlib import Path
from random import Random
from statistics import quantiles, stdev

import pytest

from choreomon.core.action import parse_action
from choreomon.experiments.offline import slices as experiment
from choreomon.experiments.offline.models import (
    LIFELINES,
    MESSAGES,
    concurrent_model,
    sequential_model,
)
from choreomon.experiments.offline.slices import (
    PUBLISHED,
    SLICE_KINDS,
    Plan,
    Sample,
    SliceMeasurement,
    accepted_multi_traces,
    limited,
    measured,
    samples,
    slice_rows,
    windows,
)
from choreomon.experiments.offline.statistics import summary
from choreomon.hibou.model import read_interaction, read_signature
from choreomon.interaction.term import act, loop_w, strict
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.multitrace.mutation import alphabet
from choreomon.multitrace.projection import discrete, partition
from choreomon.multitrace.slices import is_slice, slices
from choreomon.verify.verdict import Answer, Verdict
from choreomon.verify.verifier import Verifier

MODELS = Path(__file__).parents[1] / "data" / "offline" / "models"
ACTIONS = alphabet(LIFELINES, MESSAGES)
I1 = Plan(sequential_model(), partition([["l1"], ["l2", "l3"]]), ACTIONS, 3)
I2 = Plan(
    concurrent_model(), discrete(LIFELINES), ACTIONS, 30, multi_traces=20, nodes=1500, slices=4
)


@cache
def samples_of_i1() -> list[Sample]:
    return samples(Random(0), I1)


def no_time() -> float:
    return 0.0


def test_the_models_are_those_of_the_published_files() -> None:
    for name, model in (("i1", sequential_model()), ("i2", concurrent_model())):
        text = MODELS.joinpath(f"slices_{name}.hif").read_text(encoding="utf-8")
        assert read_interaction(text) is model
        signature = read_signature(MODELS.joinpath(f"slices_{name}.hsf").read_text("utf-8"))
        assert signature.lifelines == LIFELINES
        assert signature.messages == MESSAGES


def test_i1_has_the_papers_16_multi_traces_and_7996_slices() -> None:
    """The slices paper, Fig. 12 (a)."""
    made = Counter(one.kind for one in samples_of_i1())
    assert made["accepted"] == 16
    assert made["slices"] == 7996
    assert made["insertions"] == 7996
    # Some slices are too short to have anything swapped.
    assert 6000 < made["swaps"] < 7996
    assert 6000 < made["foreign components"] < 7996


def test_windows_are_the_slices_with_repetitions() -> None:
    whole = accepted_multi_traces(Random(0), I1)[3]
    assert set(windows(whole)) == set(slices(whole))
    assert len(list(windows(whole))) > len(list(slices(whole)))


def test_random_plans_give_as_many_as_asked_for_and_wide_slices() -> None:
    made = samples(Random(5), I2)
    accepted = [one.multitrace for one in made if one.kind == "accepted"]
    cut = [one.multitrace for one in made if one.kind == "slices"]
    assert len(accepted) == len(set(accepted)) == 20
    assert len(cut) == 80
    assert max(one.length for one in accepted) > 60
    for place, one in enumerate(cut):
        whole = accepted[place // 4]
        assert is_slice(one, whole)
        for part, of in zip(one.components, whole.components, strict=True):
            assert len(part.actions) >= Fraction(1, 3) * len(of.actions)
    assert samples(Random(5), I2) == made


def test_random_exploration_gives_up_where_there_are_too_few() -> None:
    twice = strict(act(parse_action("l1!m1")), act(parse_action("l2?m1")))
    plan = Plan(loop_w(twice), discrete(["l1", "l2"]), ACTIONS, 2, multi_traces=50, slices=50)
    assert len(accepted_multi_traces(Random(0), plan)) == 1
    # [l1] and [l2] two actions each: three slices of one action's repetitions on either side.
    assert sum(one.kind == "slices" for one in samples(Random(0), plan)) <= 9


def test_slices_are_drawn_twice_as_often_as_they_are_asked_for_at_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[MultiTrace] = []

    def the_same(rng: Random, whole: MultiTrace, *, wide: Fraction) -> MultiTrace:
        drawn.append(whole)
        return whole

    monkeypatch.setattr(experiment, "random_slice", the_same)
    twice = strict(act(parse_action("l1!m1")), act(parse_action("l2?m1")))
    plan = Plan(loop_w(twice), discrete(["l1", "l2"]), ACTIONS, 2, multi_traces=1, slices=7)
    made = samples(Random(0), plan)
    assert sum(one.kind == "slices" for one in made) == 1
    assert len(drawn) == 14


def test_limits_hold_for_every_kind() -> None:
    some = limited(Random(0), samples_of_i1(), 30)
    assert Counter(one.kind for one in some) == dict(
        zip(SLICE_KINDS, (16, 30, 30, 30, 30), strict=True)
    )
    everything = samples_of_i1()
    assert limited(Random(0), everything, None) == everything


def test_slice_decides_all_samples_of_i1_and_simulation_never_contradicts() -> None:
    some = limited(Random(1), samples_of_i1(), 60)
    results = measured(I1.interaction, some, clock=no_time, budget=1)
    assert results.wrong == ()
    rows = {(row.decider, row.kind): row for row in slice_rows(results.measurements)}
    assert len(rows) == 12
    for kind in (*SLICE_KINDS, None):
        assert rows["slice", kind].undecided == 0
        assert rows["slice", kind].number == rows["simulate", kind].number
        # The slices paper finds all slices of i1, too.
        assert rows["slice", kind].passed == rows["simulate", kind].passed
        assert rows["simulate", kind].failed == 0
    assert rows["slice", "insertions"].failed > 30
    assert rows["slice", "slices"].passed == 60


@pytest.mark.parametrize(
    ("mode", "answer", "sample", "noticed"),
    [
        ("slice", Verdict.FAIL, "slices", True),
        ("slice", Verdict.FAIL, "insertions", False),
        ("slice", Verdict.INCONC, "insertions", True),
        ("simulate", Verdict.WEAK_FAIL, "slices", False),
        ("simulate", Verdict.WEAK_PASS, "insertions", True),
    ],
)
def test_an_answer_that_cannot_be_right_is_noticed(
    monkeypatch: pytest.MonkeyPatch, mode: str, answer: Verdict, sample: str, noticed: bool
) -> None:
    right = Verifier.decide

    def planted(self: Verifier, multitrace: MultiTrace) -> Answer:
        return Answer(answer) if self.mode == mode else right(self, multitrace)

    made = samples_of_i1()
    slice_ = next(one for one in made if one.kind == "slices" and one.multitrace.length == 3)
    broken = next(
        one
        for one in made
        if one.kind == "insertions" and "m9" in str(one.multitrace)  # i1 has no m9
    )
    chosen = slice_ if sample == "slices" else broken
    monkeypatch.setattr(Verifier, "decide", planted)
    results = measured(I1.interaction, [chosen], clock=no_time, budget=1)
    assert (results.wrong != ()) is noticed


def test_a_decision_that_uses_its_budget_up_is_wrong() -> None:
    slice_ = next(one for one in samples_of_i1() if one.multitrace.length == 3)
    later = count()
    late = measured(I1.interaction, [slice_], clock=lambda: float(next(later)), budget=0.5)
    assert late.wrong == (slice_,)
    assert [one.verdict.inconclusive for one in late.measurements] == [True, True]


def test_nobody_knows_of_a_mutant_whether_it_conforms() -> None:
    empty = MultiTrace(())
    assert [Sample(kind, empty).conforms for kind in SLICE_KINDS] == [True, True, None, None, None]


def test_rows_count_answers_and_summarise_seconds() -> None:
    made = [
        SliceMeasurement("simulate", "swaps", 4, verdict, seconds)
        for verdict, seconds in (
            (Verdict.WEAK_PASS, 1.0),
            (Verdict.PASS, 2.0),
            (Verdict.WEAK_FAIL, 4.0),
            (Verdict.FAIL, 5.0),
        )
    ]
    one, both = slice_rows(made)
    assert one[:6] == ("simulate", "swaps", 4, 2, 1, 1)
    assert both[:6] == ("simulate", None, 4, 2, 1, 1)
    assert one.seconds == summary([1, 2, 4, 5]) == (1, 1.75, 3, 3, 4.25, 5, stdev([1, 2, 4, 5]))


def test_summaries_agree_with_the_standard_library() -> None:
    rng = Random(2)
    for size in range(2, 40):
        values = [rng.random() for _ in range(size)]
        found = summary(values)
        expected = quantiles(values, n=4, method="inclusive")
        assert [found.first_quartile, found.median, found.third_quartile] == pytest.approx(expected)
        assert found.deviation == pytest.approx(stdev(values))
    assert summary([3.0]) == (3, 3, 3, 3, 3, 3, 0)
    with pytest.raises(ValueError, match="nothing was measured"):
        summary([])


def test_published_times_are_in_order() -> None:
    for one in PUBLISHED.values():
        low, q1, median, _, q3, high, _ = one
        assert sorted((low, q1, median, q3, high)) == [low, q1, median, q3, high]
