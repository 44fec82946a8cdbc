"""Graph sizes and analysis times: what is counted, what is wrong, and what tables make of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from itertools import count
from pathlib import Path

import pytest

from choreomon.core.action import parse_action
from choreomon.experiments.case_files import read_subject, subject_lines
from choreomon.experiments.offline.cases import Case
from choreomon.experiments.offline.multiprefix import (
    COLUMNS,
    DEFAULT,
    MEASURES,
    METHODS,
    Distribution,
    Laboratory,
    Measure,
    Measurement,
    TimeoutTable,
    distributions,
    timeouts,
)
from choreomon.interaction.term import act, alt, loop_p, loop_s, seq, strict
from choreomon.multitrace.multitrace import MultiTrace, component
from choreomon.verify.short_logs import SHORT

SAMPLE = Path(__file__).parents[1] / "data" / "offline" / "multiprefix-sample.jsonl"
NAMES = [method.name for method in METHODS]


def no_time() -> float:
    return 0.0


def observed(**local: str) -> MultiTrace:
    return MultiTrace(
        tuple(
            component([name], [parse_action(f"{name}{word}") for word in text.split()])
            for name, text in local.items()
        )
    )


def test_every_verdict_of_the_sample_is_right_in_every_method() -> None:
    content = SAMPLE.read_bytes()
    compared = 0
    for number, line in subject_lines(content, SAMPLE.name):
        subject = read_subject(line, number, None, SAMPLE.name)
        short = [case for case in subject.cases if case.multitrace.length <= 6][:6]
        laboratory = Laboratory(subject.interaction, clock=no_time, budget=1)
        for one in laboratory.measurements(subject.name, short):
            assert one.wrong == ()
            assert [*sorted(one.sizes)] == sorted(NAMES)
            assert [*sorted(one.seconds)] == sorted([*NAMES, DEFAULT])
            compared += 1
    assert compared == 36


def test_a_known_answer_that_is_wrong_is_noticed_in_every_method() -> None:
    term = seq(act(parse_action("l1!a")), act(parse_action("l2?a")))
    wrong = Case("ACPT", "planted", observed(l1="?x", l2=""), True, True)
    (one,) = Laboratory(term, clock=no_time, budget=1).measurements("i", [wrong])
    assert sorted(one.wrong) == sorted(
        [("sizes", name) for name in NAMES] + [("times", name) for name in [*NAMES, DEFAULT]]
    )


def test_the_papers_reduction_is_caught_where_it_is_wrong_and_the_sound_one_is_right() -> None:
    """`l1!b` is at two positions, so `l2!a` is chosen first, and discards the loop."""
    b = act(parse_action("l1!b"))
    term = strict(loop_s(alt(seq(b, act(parse_action("l1!c"))), b)), act(parse_action("l2!a")))
    case = Case("ACPT", "b then a", observed(l1="!b", l2="!a"), True, True)
    (paper,) = Laboratory(term, clock=no_time, budget=1).measurements("i", [case])
    assert {name for _, name in paper.wrong} == {"POR", "POR and LOC"}
    sound = Laboratory(term, clock=no_time, budget=1, procedures="sound")
    (one,) = sound.measurements("i", [case])
    assert one.wrong == ()


def test_graph_sizes_are_of_the_whole_graph_and_times_end_at_the_first_explanation() -> None:
    """Two independent actions: four vertices in a diamond, of which one path has three. Where a
    component is used up its lifeline is removed, so that there are more of them."""
    term = seq(act(parse_action("l1!a")), act(parse_action("l2!b")))
    case = Case("ACPT", "both", observed(l1="!a", l2="!b"), True, True)
    (one,) = Laboratory(term, clock=no_time, budget=1).measurements("i", [case])
    assert one.sizes["POR"] is not None
    assert one.sizes["baseline"] is not None
    assert one.sizes["baseline"] > one.sizes["POR"]
    assert one.sizes["baseline"] == one.sizes["LOC"]


def test_local_analyses_end_a_search_at_once_that_goes_on_without_them() -> None:
    """`l2?x` fits nothing, which `l2` alone shows. Without it l1!a is a step, and after that l1 is
    used up, and removed."""
    term = seq(act(parse_action("l1!a")), act(parse_action("l2!b")))
    case = Case("NOIS", "noise", observed(l1="!a", l2="?x"), False, False)
    (one,) = Laboratory(term, clock=no_time, budget=1).measurements("i", [case])
    assert one.sizes == {"baseline": 3, "LOC": 1, "POR": 3, "POR and LOC": 1}
    assert one.wrong == ()


def ticking() -> Callable[[], float]:
    """A clock that is a second later each time; searches look at it at every vertex."""
    ticks = count()
    return lambda: float(next(ticks))


@pytest.mark.parametrize("measure", MEASURES)
def test_a_budget_that_is_used_up_is_a_timeout_and_no_wrong_verdict(measure: Measure) -> None:
    """Of a loop that has no small automaton and of a log that is not short, for which the default
    decider would not need to look at its clock."""
    term = loop_p(seq(act(parse_action("l1!a")), act(parse_action("l2!b"))))
    long = observed(l1="!a " * (SHORT + 1), l2="")
    case = Case("PREF", "planted", long, True, False)
    laboratory = Laboratory(term, clock=ticking(), budget=0.5, measures=(measure,))
    (one,) = laboratory.measurements("i", [case])
    of_times = [*NAMES, DEFAULT] if measure == "times" else []
    assert one.sizes == dict.fromkeys(NAMES if measure == "sizes" else [])
    assert one.seconds == dict.fromkeys(of_times)
    assert one.wrong == ()


def test_each_search_has_the_whole_budget_and_ends_at_the_first_explanation() -> None:
    """Of four independent actions the baseline has 47 vertices, of which five explain. How often
    local analyses look at the clock depends on which of their terms are still kept: 27 or 40
    times."""
    names = ("l1", "l2", "l3", "l4")
    term = reduce(seq, [act(parse_action(f"{name}!a")) for name in names])
    case = Case("ACPT", "all", observed(**dict.fromkeys(names, "!a")), True, True)
    laboratory = Laboratory(term, clock=ticking(), budget=45, measures=("times",))
    (one,) = laboratory.measurements("i", [case])
    seconds = [took for took in one.seconds.values() if took is not None]
    assert len(seconds) == 5
    assert sum(seconds) > 2 * 45
    assert one.seconds["baseline"] is not None
    assert one.seconds["baseline"] < 15


def test_methods_take_turns_in_being_the_first() -> None:
    term = act(parse_action("l1!a"))
    case = Case("ACPT", "a", observed(l1="!a"), True, True)
    laboratory = Laboratory(term, clock=no_time, budget=1, measures=("sizes",))
    orders = [list(one.sizes) for one in laboratory.measurements("i", [case] * 4)]
    assert sorted(order[0] for order in orders) == sorted(NAMES)


def made(kind: str, conforms: bool, length: int, **seconds: float | None) -> Measurement:
    return Measurement("i", "c", kind, length, conforms, {}, seconds, ())  # type: ignore[arg-type]


MADE = [
    made("ACPT", True, 3, baseline=None, LOC=0.5),
    made("ACPT", True, 6, baseline=2.0, LOC=0.25),
    made("PREF", True, 7, baseline=1.0, LOC=1.0),
    made("NOIS", True, 14, baseline=1.0, LOC=1.0),
    made("NOIS", False, 21, baseline=3.0, LOC=1.0),
    made("SCMP", False, 40, baseline=1.0, LOC=None),
]


def test_the_table_counts_timeouts_by_kind_and_verdict() -> None:
    assert timeouts(MADE, "times") == TimeoutTable(
        (2, 1, 1, 1, 0, 0, 0, 1),
        {"baseline": (1, 0, 0, 0, 0, 0, 0, 0), "LOC": (0, 0, 0, 0, 0, 0, 0, 1)},
    )
    assert len(COLUMNS) == 8


def test_distributions_leave_out_what_timed_out_in_any_method() -> None:
    assert distributions(MADE, "times", "length") == tuple(
        Distribution(method, group, conforms, values)
        for method, of_method in (("baseline", (2.0, 1.0, 1.0, 3.0)), ("LOC", (0.25, 1, 1, 1)))
        for group, conforms, values in (
            ("1-6", True, (of_method[0],)),
            ("7-13", True, (of_method[1],)),
            ("14-20", True, (of_method[2],)),
            ("21+", False, (of_method[3],)),
        )
    )
    assert [one.group for one in distributions(MADE, "times", "kind")] == 2 * [
        "ACPT", "PREF", "NOIS", "NOIS",
    ]  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_every_combination_of_reductions_has_a_name_of_its_own(method: object) -> None:
    assert METHODS.count(method) == 1
    assert len({(one.por, one.loc) for one in METHODS}) == len(METHODS) == len(set(NAMES)) == 4
