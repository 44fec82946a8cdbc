from __future__ import annotations

from dataclasses import replace

from choreomon.core.run import RunFormation, Verification
from choreomon.core.stated_rule import StatedRule
from choreomon.properties.sequences import MessageSequence, sequences_automaton
from choreomon.sentences.run_findings import findings_of, sequence_rows
from choreomon.sentences.summary import (
    alike_runs,
    few_seeds,
    figures,
    gravity,
    headline,
    missed,
    result_in_words,
    rules_headline,
    seeds,
    worst_verdict,
)
from tests.pictures.examples_to_draw import FIGURE_4, POSSIBLY, VIOLATED, label, run


def test_the_headline_of_one_run_is_its_gravest_verdict() -> None:
    assert headline([run(0, POSSIBLY, VIOLATED)]) == "The forbidden sequence was formed."
    assert headline([run(0, POSSIBLY)]) == "The forbidden sequence may have been formed."
    assert headline([run(0)]) == "No forbidden sequence was found."


def test_the_headline_of_many_runs_counts_them() -> None:
    runs = [run(0, VIOLATED, POSSIBLY), run(1, POSSIBLY), run(2), run(3)]
    assert headline(runs) == ("Violated in 1 of 4 runs, possibly violated in 1 of 4 runs.")
    assert headline(runs[2:]) == "No forbidden sequence was found in 2 runs."
    assert headline([]) == "Nothing was run."


(SURE,) = VIOLATED.because
MISSED = ((2, (1, 2)),)


def test_the_headline_of_one_run_says_what_no_monitor_declared() -> None:
    withdrawn = replace(POSSIBLY, verdict="withdrawn")
    for verdicts in ((), (withdrawn,)):
        assert headline([run(0, *verdicts, formed=MISSED)]) == (
            "The forbidden sequence was formed, and no monitor declared it."
        )
    assert headline([run(0, POSSIBLY, formed=MISSED)]) == (
        "The forbidden sequence may have been formed. "
        "At another event it was formed, and no monitor declared it."
    )


def test_the_headline_of_many_runs_counts_those_that_were_missed() -> None:
    runs = [run(0, VIOLATED), run(1, POSSIBLY), run(2, formed=MISSED), run(3, formed=MISSED)]
    assert headline(runs) == (
        "Violated in 1 of 4 runs, possibly violated in 1 of 4 runs. "
        "In the real order the forbidden sequence was formed in 2 of 4 runs; in 2 of them no "
        "monitor declared it."
    )
    assert headline(runs[2:]) == (
        "The forbidden sequence was formed in 2 of 2 runs, and no monitor declared it."
    )


def test_the_headline_of_many_runs_tells_what_was_declared_from_what_was_so() -> None:
    formed = ((2, (1, 2)),)
    sure = [run(0, VIOLATED, formed=formed), run(1, VIOLATED, formed=formed), run(2, formed=())]
    assert headline(sure) == "Violated in 2 of 3 runs."
    possible = [run(0, POSSIBLY, formed=((5, (1, 5)),)), run(1, POSSIBLY, formed=())]
    assert headline(possible) == (
        "Possibly violated in 2 of 2 runs. "
        "In the real order the forbidden sequence was formed in 1 of 2 runs."
    )
    assert headline([run(0, VIOLATED, formed=()), run(1)]) == (
        "Violated in 1 of 2 runs. "
        "In the real order the forbidden sequence was formed in 0 of 2 runs."
    )


TWO = sequences_automaton(
    [
        MessageSequence((label("P1 -> P2 : turnOff"), label("P1 -> P3 : turnOn"))),
        MessageSequence((label("P1 -> P2 : turnOff"), label("P1 -> P3 : turnOn"))),
    ]
)
"""States q0 to q2, and q3 to q5."""


def test_of_several_sequences_the_headline_says_which() -> None:
    other = replace(
        VIOLATED, transitions=(("q4", "q5"),), because=(replace(SURE, transition=("q3", "q4")),)
    )
    possibly = replace(other, verdict="possibly-violated")
    assert headline([run(0, VIOLATED)], TWO) == "Sequence 1 was formed."
    assert headline([run(0, VIOLATED, other)], TWO) == "Sequences 1 and 2 were formed."
    assert headline([run(0, VIOLATED, possibly)], TWO) == (
        "Sequence 1 was formed. Sequence 2 may have been formed."
    )
    assert headline([run(0, possibly)], TWO) == "Sequence 2 may have been formed."
    both = replace(VIOLATED, transitions=(("q1", "q2"), ("q4", "q5")), because=(), silent=("P3",))
    assert headline([run(0, both)], TWO) == "Sequence 1 or 2 was formed."
    assert headline([run(0, VIOLATED), run(1, other), run(2, possibly)], TWO) == (
        "Violated in 2 of 3 runs (sequence 1 in 1, sequence 2 in 1), "
        "possibly violated in 1 of 3 runs (sequence 2 in 1)."
    )
    assert headline([run(0, VIOLATED)], FIGURE_4) == "A forbidden sequence was formed."


def test_the_table_of_sequences_tells_what_is_certain_as_the_headline_does() -> None:
    sure = replace(SURE, transition=("q0", "q1"), certain=True)
    both = replace(VIOLATED, transitions=(("q1", "q2"), ("q4", "q5")), because=(sure,))
    silent = replace(both, silent=("P3",))
    for verdict, possible, said in (
        (both, 0, "Sequences 1 and 2 were formed."),
        (silent, 1, "Sequence 1 was formed. Sequence 2 may have been formed."),
    ):
        of_run = run(0, verdict)
        assert headline([of_run], TWO) == said
        assert [(row.violated, row.possible) for row in sequence_rows([of_run], TWO)] == [
            (1, 0),
            (1 - possible, possible),
        ]


def test_runs_are_the_graver_the_more_there_is_to_see() -> None:
    withdrawn = replace(POSSIBLY, verdict="withdrawn")
    logs = Verification("accept", "Fail", "", ())
    in_order = [
        run(0, POSSIBLY, formed=MISSED),
        run(1, VIOLATED, formed=MISSED),
        run(2, POSSIBLY, formed=((5, (1, 5)),)),
        run(3, POSSIBLY, formed=()),
        run(4, withdrawn, formed=()),
        replace(run(5), verification=logs),
        replace(run(6), verification=replace(logs, verdict="Pass")),
    ]
    assert [*map(gravity, in_order)] == [*range(7)]
    assert gravity(run(7)) == 6
    assert [kind.first for kind in alike_runs(in_order[::-1])] == in_order


def test_a_withdrawn_verdict_is_not_a_finding() -> None:
    withdrawn = replace(POSSIBLY, verdict="withdrawn")
    assert worst_verdict(run(0, withdrawn)) == "withdrawn"
    assert headline([run(0, withdrawn)]) == "No forbidden sequence was found."


def test_a_formation_without_verdict_is_missed() -> None:
    formed = ((2, (1, 2)), (5, (1, 5)))
    assert missed(run(0, VIOLATED, formed=formed)) == (RunFormation(5, (1, 5)),)
    assert missed(run(0, VIOLATED, POSSIBLY, formed=formed)) == ()
    assert missed(run(0)) == ()


def test_of_two_rules_at_one_event_the_one_without_a_verdict_is_missed() -> None:
    one, other = StatedRule("one", line=3), StatedRule("other", line=5)
    formed = RunFormation(2, (1, 2), one), RunFormation(2, (2,), other)
    of_run = replace(run(0, replace(VIOLATED, event_index=2, rule=one)), formed=formed)
    assert missed(of_run) == formed[1:]
    assert rules_headline([of_run]) == (
        "Violated: one; violated, and no monitor declared it: other."
    )
    assert [(each.rule, each.formed) for each in findings_of(of_run)] == [
        (other, True),
        (one, True),
    ]


def test_a_formation_whose_verdict_was_withdrawn_is_missed() -> None:
    withdrawn = replace(POSSIBLY, verdict="withdrawn")
    assert missed(run(0, withdrawn, formed=((5, (1, 5)),))) == (RunFormation(5, (1, 5)),)


def test_figures_add_up_over_the_runs_and_times_are_in_milliseconds() -> None:
    shown = dict(
        figures(
            [
                run(0, VIOLATED, latency=1000, messages=4, formed=((2, (1, 2)),)),
                run(1, latency=4000, messages=6, formed=((3, (1, 3)),)),
                run(2, latency=None, messages=0, formed=()),
            ]
        )
    )
    assert shown == {
        "runs": "3",
        "seeds": "0 to 2",
        "verdicts, violated": "1",
        "verdicts, possibly violated": "0",
        "verdicts, withdrawn": "0",
        "formations in the real order": "2",
        "formations not declared": "1",
        "seeds, violated": "0",
        "seeds, really formed": "0, 1",
        "seeds, not declared": "1",
        "events": "21",
        "monitoring messages": "10",
        "monitoring bytes": "100",
        "latency, mean": "2.5 ms",
        "latency, worst p99": "4 ms",
        "history of a monitor, mean": "1.5 records",
        "history of a monitor, largest": "3 records",
    }


def test_brief_figures_tell_verdicts_messages_latency_and_whatever_went_wrong() -> None:
    good = [run(seed, VIOLATED, formed=((2, (1, 2)),)) for seed in range(3)]
    assert [name for name, _ in figures(good, brief=True)] == [
        *("runs", "seeds", "verdicts, violated", "verdicts, possibly violated"),
        *("verdicts, withdrawn", "monitoring messages", "latency, mean"),
    ]
    bad = [replace(run(3, formed=MISSED), reached_max_events=True)]
    told = dict(figures(good + bad, brief=True))
    assert told["formations not declared"] == "1"
    assert told["stopped at max_events"] == "1 run"


def test_one_run_has_a_seed_and_no_number_of_runs() -> None:
    shown = dict(figures([run(7)]))
    assert shown["seed"] == "7"
    assert "runs" not in shown


def test_runs_with_equal_results_are_together_the_gravest_first() -> None:
    runs = [run(0), run(1, VIOLATED), run(2), run(3, VIOLATED, formed=((2, (1, 2)),))]
    found = [
        (kind.key[1], [kind.first.seed, *(each.seed for each in kind.others)])
        for kind in alike_runs(runs)
    ]
    assert found == [
        ("violated", [1]),
        ("violated, formed 1", [3]),
        ("nothing declared", [0, 2]),
    ]


def test_seeds_that_follow_each_other_are_a_range_without_separators() -> None:
    assert few_seeds([run(seed) for seed in range(3000)]) == "0 to 2999"
    assert few_seeds([run(seed) for seed in (1, 3, 5)], 2) == "1, 3 and 1 more"
    assert few_seeds([run(1500)]) == "1500"


def test_figures_without_any_value_are_dashes_and_runs_cut_short_are_counted() -> None:
    shown = dict(figures([replace(run(0, latency=None), reached_max_events=True)]))
    assert shown["latency, mean"] == "–"
    assert shown["stopped at max_events"] == "1 run"
    assert "formations in the real order" not in shown


def test_figures_of_several_runs_name_seeds_with_which_there_is_something_to_see() -> None:
    runs = [run(seed, POSSIBLY, formed=()) for seed in range(3, 15)]
    runs += [run(20, POSSIBLY, VIOLATED, formed=MISSED), run(21, formed=MISSED), run(22)]
    shown = dict(figures(runs))
    assert shown["seeds, violated"] == "20"
    assert shown["seeds, possibly violated"] == "3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 3 more"
    assert shown["seeds, really formed"] == "20, 21"
    assert shown["seeds, not declared"] == "21"
    assert not [name for name, _ in figures(runs[-1:] * 2) if name.startswith("seeds,")]
    assert not [name for name, _ in figures(runs[-2:-1]) if name.startswith("seeds,")]


def test_the_result_of_a_run_says_how_often_it_was_really_formed_and_missed() -> None:
    twice = (*MISSED, (5, (1, 5)))
    assert result_in_words(run(0)) == ("nothing declared", "")
    assert result_in_words(run(0, formed=twice)) == ("nothing declared", ", missed 2")
    assert result_in_words(run(0, POSSIBLY, formed=())) == ("possibly violated", "")
    assert result_in_words(run(0, VIOLATED, formed=MISSED)) == ("violated, formed 1", "")
    assert result_in_words(run(0, VIOLATED, formed=twice)) == ("violated, formed 2", ", missed 1")


def test_seeds_that_follow_each_other_are_a_range() -> None:
    assert seeds([run(5)]) == "5"
    assert seeds([run(5), run(6), run(7)]) == "5 to 7"
    assert seeds([run(5), run(7)]) == "5, 7"
