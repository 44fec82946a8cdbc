"""`benchmarks.middle`: its walks and logs are what they say, nothing is lost or asked twice, and
its table says what was answered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from benchmarks.middle import corpora
from benchmarks.middle.__main__ import Premises, kept_in, main
from benchmarks.middle.answers import CRASHED, OVERDUE, Answered, from_line, why_undecided
from benchmarks.middle.asking import BEGUN, Task, answers
from benchmarks.middle.children import ChildEndedError, finished, shard
from benchmarks.middle.corpora import (
    CUTS,
    EXACT,
    SEARCHED,
    SEARCHED_TO,
    WALKS,
    Cut,
    Question,
    Walk,
    circle,
    interactions,
    lengths_to,
    modes,
    questions,
    walked,
)
from benchmarks.middle.table import costs, decided_share, mistaken, sudden, table, undecided
from choreomon.core.action import Action
from choreomon.hibou.model import read_interaction
from choreomon.interaction.step import after
from choreomon.interaction.term import LOOPS, Interaction, act, subterms
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.multitrace.projection import project_trace, trivial
from choreomon.verify.verdict import Answer, Mode, Verdict
from choreomon.verify.verifier import Verifier

TEXTS = interactions()
ENDLESS = [
    name
    for name, text in TEXTS.items()
    if any(part.operator in LOOPS for part in subterms(read_interaction(text)))
]
SOME = ("orders", "abp", "hr", "mqtt", "platoon3", "sensor", "i5", "i10", "i14", "i29")


def interaction(name: str) -> Interaction:
    return read_interaction(TEXTS[name])


# --- walks ----------------------------------------------------------------------------------------


def test_the_interactions_are_the_orders_the_models_and_thirty_random_ones() -> None:
    random = {f"i{number}" for number in range(30)}
    assert random <= TEXTS.keys()
    assert {"orders", "abp", "hr", "mqtt", "platoon5", "rover", "sensor"} <= TEXTS.keys()
    assert len(TEXTS) == 1 + 11 + 30


def test_lengths_double_and_the_longest_is_among_them() -> None:
    assert lengths_to(280) == [70, 140, 280]
    assert lengths_to(300) == [70, 140, 280, 300]
    assert lengths_to(100_000)[-2:] == [71_680, 100_000]


@pytest.mark.parametrize("walk", WALKS)
@pytest.mark.parametrize("name", SOME)
def test_a_walk_is_accepted_and_as_long_as_was_asked_for(name: str, walk: Walk) -> None:
    term = interaction(name)
    verifier = Verifier(term, "accept")
    whole = trivial({action.lifeline for action in _actions(term)})
    found = list(walked(term, walk, Random(7), (70, 140)))
    assert [length for length, _ in found] == [70, 140]
    for length, trace in found:
        assert length <= len(trace) <= length + 70
        assert verifier.decide(project_trace(trace, whole)).verdict is Verdict.PASS


def _actions(term: Interaction) -> Iterator[Action]:
    return (part.action for part in subterms(term) if part.action is not None)


@pytest.mark.parametrize("name", ENDLESS)
def test_of_everything_with_loops_there_are_long_walks(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpora, "FREE", 60)
    monkeypatch.setattr(corpora, "TRIES", 4)
    for walk in WALKS:
        ((_, trace),) = walked(interaction(name), walk, Random(1), (2_000,))
        assert len(trace) >= 2_000


def test_without_loops_walks_end() -> None:
    term = read_interaction("seq(a -- m -> b, b -- n -> a)")
    for walk in WALKS:
        assert list(walked(term, walk, Random(0), (70,))) == []


@pytest.mark.parametrize("name", SOME)
def test_a_circle_leads_back_to_where_it_began(name: str) -> None:
    term = interaction(name)
    found = circle(term, Random(3))
    assert found is not None
    way, around = found
    here = way[-1][1] if way else None
    assert here is None or around[-1][1] is here
    rest = [term]
    for action, _ in [*way, *around, *around]:
        rest = [follow_up for one in rest for follow_up in after(one, act(action))][:50]
        assert rest


def test_the_repeating_walk_repeats_and_the_random_one_does_not() -> None:
    term = interaction("orders")
    traces = {walk: next(walked(term, walk, Random(4), (3_000,)))[1] for walk in WALKS}

    def periods(trace: Sequence[Action]) -> list[int]:
        part = trace[100:2_900]
        return [n for n in range(1, 65) if part[n:] == part[:-n]]

    assert periods(traces["repeat"])
    assert not periods(traces["random"])


def test_a_longer_walk_begins_with_the_shorter_one() -> None:
    (_, shorter), (_, longer) = walked(interaction("rover"), "random", Random(2), (70, 280))
    assert longer[:70] == shorter[:70]


# --- logs -----------------------------------------------------------------------------------------


def logs(name: str, walk: Walk, length: int) -> dict[tuple[str, Cut], MultiTrace]:
    """By clocks and cut."""
    asked = questions(name, interaction(name), walk, (length,), seed=2)
    return {(question.clocks, question.cut): multitrace for question, _, multitrace in asked}


@pytest.mark.parametrize("walk", WALKS)
def test_early_logs_end_and_late_ones_begin_within_an_eighth_of_the_whole(walk: Walk) -> None:
    found = logs("abp", walk, 280)
    assert {how for _, how in found} == {*CUTS}
    removed = 0
    for (clocks, how), multitrace in found.items():
        if how not in ("early", "late"):
            continue
        complete = found[clocks, "complete"].components
        for whole, part in zip(complete, multitrace.components, strict=True):
            size = len(whole.actions)
            least = size - size // 8 - (size // 8 if how == "late" else 0)
            assert least <= len(part.actions) <= size
            starts = range(size // 8 + 1) if how == "late" else (0,)
            ends = ((start, start + len(part.actions)) for start in starts)
            assert any(whole.actions[start:end] == part.actions for start, end in ends)
            removed += size - len(part.actions)
    assert removed > 0


@pytest.mark.parametrize("walk", WALKS)
def test_logs_are_wrong_by_two_neighbours_in_another_order(walk: Walk) -> None:
    found = logs("orders", walk, 70)
    for clocks in ("one", "pairs", "each"):
        before, now = (found[clocks, how].components for how in ("complete", "wrong"))
        ((one_log, other_log),) = [
            (one.actions, other.actions)
            for one, other in zip(before, now, strict=True)
            if one != other
        ]
        first, second = (at for at, action in enumerate(one_log) if action != other_log[at])
        assert second == first + 1
        assert (one_log[first], one_log[second]) == (other_log[second], other_log[first])


def test_logs_are_cut_at_the_same_share_at_every_length() -> None:
    shares = []
    for length in (560, 4_480):
        found = logs("rover", "random", length)
        early, whole = found["one", "early"], found["one", "complete"]
        shares.append(early.length / whole.length)
    assert shares[0] == pytest.approx(shares[1], abs=0.01)


def test_modes_that_search_are_asked_about_short_logs_only() -> None:
    assert modes("abp", SEARCHED_TO) == (*EXACT, *SEARCHED)
    assert modes("abp", SEARCHED_TO + 1) == EXACT
    assert modes("orders", 4_480) == (*EXACT, *SEARCHED)
    assert modes("orders", 8_960) == EXACT


# --- asking ---------------------------------------------------------------------------------------


TASK = Task("orders", "random", [70, 140, 280], 0, 5.0, 2048, False)


def asked_of(
    task: Task, decide: dict[tuple[Mode, int], Answer | Exception], before: Iterable[Answered] = ()
) -> list[Answered]:
    """All answers, where everything passes but this, by mode and the actions of a log at least."""

    def decided(_: Interaction, multitrace: MultiTrace, mode: Mode, budget: float) -> Answer:
        assert budget == task.budget
        for (other, length), answer in decide.items():
            if mode == other and multitrace.length >= length:
                if isinstance(answer, Exception):
                    raise answer
                return answer
        return Answer(Verdict.PASS)

    return [one for one in answers(task, before, decided) if isinstance(one, Answered)]


def test_what_was_not_decided_is_not_asked_about_longer_logs_but_counted() -> None:
    task = TASK._replace(lengths=[70, 280, 560])
    slow: dict[tuple[Mode, int], Answer | Exception] = {
        ("slice", 150): Answer(Verdict.INCONC, "TimedOut")
    }
    found = [one for one in asked_of(task, slow) if one.reason]
    assert {(one.length, one.asked) for one in found} == {(280, True), (560, False)}
    assert {one.question.mode for one in found} == {"slice"}
    again = [one for one in asked_of(task._replace(keep_asking=True), slow) if one.reason]
    assert len(again) == len(found)
    assert all(one.asked for one in again)


def test_errors_are_reasons_and_the_next_question_is_asked() -> None:
    failing: dict[tuple[Mode, int], Answer | Exception] = {
        ("accept", 0): MemoryError(),
        ("prefix", 0): RecursionError(),
    }
    reasons = {one.question.mode: one.reason for one in asked_of(TASK, failing)}
    assert reasons["accept"] == "OutOfMemory"
    assert reasons["prefix"] == "RecursionError"
    assert reasons["slice"] == ""


def test_what_was_answered_is_not_asked_again() -> None:
    everything = asked_of(TASK, {})
    known = [from_line(one.line()) for one in everything[:100]]
    assert known == everything[:100]
    rest = asked_of(TASK, {}, known)
    assert [(one.question, one.length) for one in rest] == [
        (one.question, one.length) for one in everything[100:]
    ]


def test_what_lacks_observation_or_was_not_found_is_an_answer_of_the_modes_that_say_so() -> None:
    assert why_undecided(Answer(Verdict.INCONC, "LackObs"), "test", 1.0, 5.0) == ""
    assert why_undecided(Answer(Verdict.WEAK_FAIL), "simulate", 1.0, 5.0) == ""
    assert why_undecided(Answer(Verdict.INCONC, "TimedOut"), "test", 1.0, 5.0) == "TimedOut"
    assert why_undecided(Answer(Verdict.INCONC), "slice", 1.0, 5.0) == "Inconc"
    assert why_undecided(Answer(Verdict.PASS), "slice", 5.5, 5.0) == OVERDUE
    assert why_undecided(Answer(Verdict.FAIL), "slice", 4.5, 5.0) == ""


# --- children -------------------------------------------------------------------------------------


def test_shards_are_everything_and_have_nothing_in_common() -> None:
    tasks = [TASK._replace(interaction=str(number)) for number in range(10)]
    parts = [shard(tasks, number, 3) for number in (1, 2, 3)]
    assert sorted(task for part in parts for task in part) == sorted(tasks)
    assert [len(part) for part in parts] == [4, 3, 3]


def test_a_question_that_ends_a_child_is_undecided_and_another_child_goes_on() -> None:
    everything = asked_of(TASK, {})
    deadly = everything[3]
    lost = deadly._replace(verdict=Verdict.INCONC, reason=CRASHED)
    children = 0

    def lines(task: Task, before: Sequence[Answered]) -> Iterator[str]:
        nonlocal children
        children += 1
        known = {(one.question, one.length) for one in before}
        for one in everything:
            if (one.question, one.length) not in known:
                yield BEGUN + one._replace(verdict=Verdict.INCONC, reason=CRASHED).line()
                if one == deadly:
                    raise ChildEndedError("killed")
                yield one.line()

    found: list[Answered] = []
    finished(TASK, everything[:2], found.append, lines)
    assert children == 2
    assert found == [everything[2], lost, *everything[4:]]


def test_a_child_that_ends_before_it_was_asked_is_not_started_again() -> None:
    def lines(task: Task, before: Sequence[Answered]) -> Iterator[str]:
        yield from ()
        raise ChildEndedError("no memory to begin with")

    with pytest.raises(ChildEndedError, match="to begin with"):
        finished(TASK, (), lambda _: None, lines)


def test_children_answer_and_their_answers_are_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "answers.jsonl"
    arguments = ["--only", "platoon2", "--most", "70", "--answers", str(kept)]
    assert main([*arguments, "--shard", "1/2"]) == 0
    half = len(kept_in(kept, Premises(0, 5.0, 2048)))
    assert main(arguments) == 0
    both = kept_in(kept, Premises(0, 5.0, 2048))
    assert len(both) == len(set(both)) > half > 0
    assert {one.question.walk for one in both} == {*WALKS}
    assert all(one.question.allows(one.verdict) for one in both)
    assert main([*arguments, "--write", str(tmp_path / "report.md")]) == 0
    assert kept_in(kept, Premises(0, 5.0, 2048)) == both
    assert (tmp_path / "report.md").read_text("utf-8") in capsys.readouterr().out
    with pytest.raises(SystemExit, match="answered with"):
        main([*arguments, "--seed", "1"])


# --- the table ------------------------------------------------------------------------------------


KIND = Question("orders", "random", "one", "complete", "accept")


def answer(
    length: int,
    milliseconds: float,
    verdict: Verdict = Verdict.PASS,
    reason: str = "",
    question: Question = KIND,
) -> Answered:
    return Answered(question, length, milliseconds, verdict, reason)


def test_medians_are_compared_with_those_of_the_same_questions_at_half_the_length() -> None:
    other = KIND._replace(mode="slice")
    third = KIND._replace(mode="prefix")
    lines = list(
        table(
            [
                answer(70, 2.0),
                answer(70, 4.0, question=other),
                answer(140, 6.0),
                answer(140, 9.0, Verdict.INCONC, "TimedOut", question=other),
                answer(140, 500.0, question=third),
                answer(150, 1.0),
            ]
        )
    )
    assert lines[2:] == [
        "| 70 | 2 | 3.00 | 4 | 4 | 0 |  |",
        "| 140 | 3 | 9.00 | 500 | 500 | 1 | 2.50 |",
        "| 150 | 1 | 1.00 | 1 | 1 | 0 |  |",
    ]


def test_times_too_short_to_be_told_are_compared_all_the_same() -> None:
    *_, last = table([answer(70, 0.0), answer(140, 0.002)])
    assert last == "| 140 | 1 | 0.00 | 0 | 0 | 0 | 2.00 |"


def test_the_share_that_was_decided_counts_what_was_not_asked() -> None:
    late = answer(140, 5e3, Verdict.INCONC, "TimedOut")
    share = decided_share([answer(70, 1.0), late, late._replace(length=280, asked=False)])
    assert share.startswith("Decided within the budget: 33.33% of 3 questions (2 undecided, 1 of")
    (row,) = list(undecided([late, late._replace(length=280, asked=False)]))[-1:]
    assert row == "| orders | random | one | complete | accept | TimedOut | 140 to 280 |"


def test_a_longer_log_that_is_ten_times_faster_is_listed() -> None:
    lazy = answer(140, 900.0)
    assert sudden([answer(70, 1.0), lazy, answer(280, 91.0)]) == []
    fast = answer(280, 90.0)
    assert sudden([fast, lazy, answer(70, 1.0)]) == [(10.0, lazy, fast)]
    assert sudden([answer(70, 5.0), answer(140, 0.01)]) == []  # Noise.
    assert sudden([lazy, answer(280, 1.0, Verdict.INCONC, "Crashed")]) == []


def test_costs_of_an_action_are_those_of_accepted_complete_logs() -> None:
    failed = KIND._replace(cut="wrong")
    (line,) = costs(
        [
            answer(560, 1.0),
            answer(1_000, 10.0),
            answer(10_000, 250.0),
            answer(1_000, 1.0, question=failed),
            answer(10_000, 5_000.0, question=failed),
        ]
    )
    assert "10.00 us at 1,000 actions, 25.00 us at 10,000" in line
    assert "2.50 times as much" in line
    assert list(costs([answer(1_000, 1.0)])) == []


def test_verdicts_that_cannot_be_right_are_listed() -> None:
    early = KIND._replace(cut="early", mode="multiprefix")
    right = [
        answer(70, 1.0),
        answer(70, 1.0, Verdict.WEAK_PASS, question=early),
        answer(70, 1.0, Verdict.FAIL, question=early._replace(mode="accept")),
        answer(70, 1.0, Verdict.INCONC, "TimedOut"),
    ]
    assert list(mistaken(right)) == ["- Verdicts that cannot be right: 0."]
    wrong = [
        answer(70, 1.0, Verdict.WEAK_PASS),
        answer(70, 1.0, Verdict.FAIL, question=early),
    ]
    assert len(list(islice(mistaken([*right, *wrong]), 10))) == 3
