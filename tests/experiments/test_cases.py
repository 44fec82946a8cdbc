"""Fresh multi-traces with known answers."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest

from choreomon.core.action import Action, parse_action
from choreomon.experiments.offline import cases
from choreomon.experiments.offline.cases import (
    KINDS,
    LONGEST,
    Subject,
    random_accepted,
    random_subject,
)
from choreomon.interaction.generation import ALL_OPERATORS, random_interaction
from choreomon.interaction.term import EMPTY, act, alt, loop_w, seq, strict
from choreomon.multitrace.projection import discrete, project_trace
from choreomon.verify.papers.engine import search
from choreomon.verify.papers.options import Options
from choreomon.verify.verdict import Verdict

LIFELINES = ("l1", "l2", "l3")
MESSAGES = ("m1", "m2")


@cache
def fresh(seed: int, count: int = 6) -> Subject:
    rng = Random(seed)
    term = random_interaction(
        rng,
        lifelines=LIFELINES,
        messages=MESSAGES,
        operators=ALL_OPERATORS,
        min_depth=3,
        min_size=5,
        max_size=14,
    )
    return random_subject(
        rng, f"f{seed}", term, lifelines=LIFELINES, messages=MESSAGES, count=count
    )


def test_the_same_seed_gives_the_same_subject() -> None:
    assert fresh.__wrapped__(7) == fresh(7)
    assert fresh(7) != fresh(8)


def test_known_answers_agree_with_the_papers_kind_of_search() -> None:
    """Which shares no decision with the exact decider but the steps."""
    compared = 0
    for seed in range(16):
        subject = fresh(seed)
        for case in subject.cases[::2]:
            if case.multitrace.length > 6:
                continue
            options = Options(method="search", reduction="none", local=None)
            found = search(subject.interaction, case.multitrace, "multiprefix", options)
            assert found.verdict is case.verdict, (str(subject.interaction), str(case.multitrace))
            compared += 1
    assert compared > 60


def test_what_is_accepted_or_cut_from_it_conforms_and_kinds_have_no_duplicates() -> None:
    for seed in range(8):
        subject = fresh(seed)
        for kind in KINDS:
            of_kind = [case for case in subject.cases if case.kind == kind]
            assert len(of_kind) <= 6
            assert len({case.multitrace for case in of_kind}) == len(of_kind)
            assert len({case.name for case in of_kind}) == len(of_kind)
            if kind in ("ACPT", "PREF"):
                assert all(case.conforms for case in of_kind)
            if kind == "ACPT":
                assert all(case.accepted for case in of_kind)
                assert all(1 <= case.multitrace.length <= LONGEST for case in of_kind)
    assert {case.verdict for seed in range(8) for case in fresh(seed).cases} == {
        Verdict.PASS, Verdict.WEAK_PASS, Verdict.FAIL,
    }  # fmt: skip


def test_random_traces_are_accepted_and_of_all_lengths() -> None:
    step = strict(act(parse_action("l1!m1")), act(parse_action("l2?m1")))
    lengths = set()
    for seed in range(150):
        trace = random_accepted(Random(seed), loop_w(step), 8)
        if trace is None:  # a walk may begin more iterations than it can end
            continue
        multitrace = project_trace(trace, discrete(["l1", "l2"]))
        assert search(loop_w(step), multitrace, "accept").verdict is Verdict.PASS
        lengths.add(len(trace))
    assert lengths == {2, 4, 6, 8}


def test_an_interaction_without_short_traces_has_no_cases() -> None:
    long = EMPTY
    for _ in range(LONGEST + 1):
        long = seq(act(parse_action("l1!m1")), long)
    assert random_accepted(Random(0), long) is None
    subject = random_subject(
        Random(0), "long", long, lifelines=LIFELINES, messages=MESSAGES, count=3
    )
    assert subject.cases == ()


@pytest.mark.parametrize(
    ("walks", "count", "found"),
    [("x", 1, 1), ("-x", 1, 0), ("-x--", 2, 1), ("x-y", 2, 2), ("xxy", 2, 2), ("x--y", 2, 1)],
)
def test_so_many_walks_in_a_row_that_find_nothing_new_end_the_looking(
    monkeypatch: pytest.MonkeyPatch, walks: str, count: int, found: int
) -> None:
    """Of each walk the message that it finds; "-" where it finds nothing."""
    coming = iter(walks)

    def walk(*_: object) -> tuple[Action, ...] | None:
        message = next(coming)
        return None if message == "-" else (parse_action(f"l1!{message}"),)

    monkeypatch.setattr(cases, "random_accepted", walk)
    either = alt(act(parse_action("l1!x")), act(parse_action("l1!y")))
    made = random_subject(
        Random(0), "s", either, lifelines=LIFELINES, messages=MESSAGES, count=count
    )
    assert sum(one.kind == "ACPT" for one in made.cases) == found


def test_multi_traces_are_left_out_of_which_nothing_is_known_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    patient = fresh(7)
    monkeypatch.setattr(cases, "KNOWN_WITHIN", 0)
    assert {*fresh.__wrapped__(7).cases} < {*patient.cases}


def test_a_sample_keeps_the_order_and_is_no_larger_than_asked_for() -> None:
    subject = fresh(3)
    sample = subject.sample(Random(0), 5)
    places = [subject.cases.index(case) for case in sample.cases]
    assert len(places) == 5
    assert places == sorted(places)
    assert subject.sample(Random(0), 1000) is subject
