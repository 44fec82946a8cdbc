"""Many multi-traces at a time against Algorithm 1 for each one, over random automata."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

from choreomon.automata import many_logs
from choreomon.automata.automaton import Automaton, automaton
from choreomon.automata.centralized import centralized
from choreomon.automata.logs import WHOLE, Log, Missing
from choreomon.automata.many_logs import EXPLAINED, REFUTED, UNDECIDED, ManyLogs
from choreomon.automata.situations import Situations
from choreomon.core.action import Action, emission
from tests.automata.asked import QUESTIONS, SLICES, drawn_logs
from tests.automata.drawn import LETTERS, drawn_automaton

A, BX, BM, CY, CX = LETTERS


def decided(one: Automaton, asked: list[list[Log]], missing: Missing) -> list[int]:
    """What is said of multi-traces, which may be over different groups of lifelines."""
    by_groups: dict[tuple[tuple[str, ...], ...], list[int]] = defaultdict(list)
    for place, logs in enumerate(asked):
        by_groups[tuple(tuple(lifelines) for lifelines, _ in logs)].append(place)
    answers = [-1] * len(asked)
    for groups, places in by_groups.items():
        letters: list[int] = []
        ends: list[int] = []
        for place in places:
            for _, actions in asked[place]:
                letters += [one.letter_numbers.get(action, -1) for action in actions]
                ends.append(len(letters))
        found = ManyLogs(one, groups, missing).decide(
            np.array(letters, np.int32), np.array(ends, np.int64).reshape(len(places), -1)
        )
        for place, answer in zip(places, found.tolist(), strict=True):
            answers[place] = answer
    return answers


def disagreements(seeds: range, missing: Missing, each: int = 20) -> tuple[int, int, int]:
    """Of random multi-traces of random automata: how many are decided otherwise than by
    Algorithm 1, how many are explained, and how many are left undecided."""
    wrong = explained = undecided = 0
    for seed in seeds:
        rng = Random(seed)
        one = drawn_automaton(rng)
        asked = [drawn_logs(rng, one) for _ in range(each)]
        for logs, answer in zip(asked, decided(one, asked, missing), strict=True):
            right = centralized(one, logs, missing).explained
            undecided += answer == UNDECIDED
            wrong += answer != UNDECIDED and (answer == EXPLAINED) is not right
            explained += right
    return wrong, explained, undecided


@pytest.mark.parametrize("missing", QUESTIONS)
def test_many_at_a_time_are_decided_as_each_alone(missing: Missing) -> None:
    wrong, explained, undecided = disagreements(range(1_000), missing)
    assert (wrong, undecided) == (0, 0)
    assert 5_000 < explained < 18_000


@pytest.mark.parametrize("missing", QUESTIONS)
def test_with_few_rows_some_stay_undecided_and_none_is_wrong(
    missing: Missing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(many_logs, "WIDTH", 1)
    monkeypatch.setattr(many_logs, "NARROW", 1)
    monkeypatch.setattr(Situations, "may_be_first", lambda *_: False)
    wrong, _, undecided = disagreements(range(200), missing)
    assert wrong == 0
    assert undecided > 10


@pytest.mark.parametrize("missing", QUESTIONS)
def test_with_few_situations_some_stay_undecided_and_none_is_wrong(
    missing: Missing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(many_logs, "CELLS", 40)
    wrong, _, undecided = disagreements(range(200), missing)
    assert wrong == 0
    assert undecided > 10


def always_first(_: Situations, situation: int, code: int) -> bool:
    return True


def without_others(made: Callable[..., bool]) -> Callable[..., bool]:
    """Looks at no word of the other logs but the empty one."""

    def may_be_first(self: Situations, situation: int, code: int) -> bool:
        own, self.own = self.own, [()] * len(self.own)
        try:
            return made(self, situation, code)
        finally:
            self.own = own

    return may_be_first


PLANTED: list[tuple[type, str, Callable[..., Any], Missing]] = [
    (Situations, "may_be_first", always_first, WHOLE),
    (Situations, "may_be_first", without_others(Situations.may_be_first), WHOLE),
    (Situations, "may_be_first", without_others(Situations.may_be_first), SLICES),
]


@pytest.mark.parametrize(("where", "name", "bug", "missing"), PLANTED)
def test_a_planted_bug_is_noticed(
    where: type,
    name: str,
    bug: Callable[..., Any],
    missing: Missing,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(where, name, bug)
    assert any(disagreements(range(seed, seed + 10), missing)[0] for seed in range(0, 300, 10))


# Cases of their own.


def only(action: Action) -> Automaton:
    return automaton([(0, action, 1)], initial=[0], final=[1], lifelines=["a", "b"])


def test_nothing_is_asked() -> None:
    none = np.zeros(0, np.int32), np.zeros((0, 2), np.int64)
    assert ManyLogs(only(A), [("a",), ("b",)]).decide(*none).tolist() == []


def test_a_letter_of_another_automaton_explains_nothing() -> None:
    logs = ManyLogs(only(A), [("a",), ("b",)], SLICES)
    letters = np.array([0, 0, -1, -1], np.int32)
    ends = np.array([[1, 1], [1, 1], [2, 3], [4, 4]], np.int64)
    found = logs.decide(letters, ends).tolist()
    assert found == [EXPLAINED, EXPLAINED, REFUTED, REFUTED]


def test_with_too_many_logs_nothing_is_decided() -> None:
    names = [f"l{number:02}" for number in range(63)]
    one = automaton([(0, emission(name, "m"), 0) for name in names], initial=[0], final=[0])
    ends = np.zeros((2, 63), np.int64)
    many = ManyLogs(one, [(name,) for name in names])
    assert many.decide(np.zeros(0, np.int32), ends).tolist() == [UNDECIDED, UNDECIDED]


@pytest.mark.parametrize(("after_both", "answer"), [(4, EXPLAINED), (5, UNDECIDED)])
def test_of_too_many_rows_those_with_the_most_states_are_kept(
    after_both: int, answer: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two rows the one in which b has begun has two states. Where it ends in 4, it explains the
    logs, and the other one does not; where in 5, the other way round."""
    edges = [(0, A, 1), (0, BX, 2), (0, BX, 3), (2, A, after_both), (3, A, after_both)]
    edges += [(1, BX, 9 - after_both), (5, A, 4), (5, BX, 4)]
    one = automaton(edges, initial=[0], final=[4])
    logs: list[list[Log]] = [[(("a",), (A,)), (("b",), (BX,))]]
    assert decided(one, logs, WHOLE) == [EXPLAINED]
    monkeypatch.setattr(many_logs, "WIDTH", 1)
    assert decided(one, logs, WHOLE) == [answer]


def test_tables_are_as_large_as_what_is_known_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Less than half of them is empty, and all are within their bound."""
    grow = ManyLogs.grow
    full = 0

    def watched(self: ManyLogs) -> None:
        nonlocal full
        grow(self)
        known, room, most = len(self.situations.known), len(self._after), self.situations.most + 1
        assert known <= room <= min(2 * known, most)
        assert self._after[1:].size <= many_logs.CELLS
        full += room == most < 2 * known

    monkeypatch.setattr(ManyLogs, "grow", watched)
    monkeypatch.setattr(many_logs, "CELLS", 200)
    disagreements(range(100), SLICES)
    assert full > 10


def test_what_begins_late_may_stop_early() -> None:
    with pytest.raises(ValueError, match="may stop early, too"):
        Situations(only(A), [("a",)], Missing(before=True))


def test_what_can_come_in_any_order_is_tried_in_one() -> None:
    """Two lifelines, each with as many actions as it likes: one row, whatever the logs."""
    one = automaton([(0, A, 0), (0, BX, 0)], initial=[0], final=[0])
    situations = Situations(one, [("a",), ("b",)])
    start = situations.start(0)
    assert situations.may_be_first(start, situations.code(0, first=True, last=False))
    strict = automaton([(0, A, 1), (1, BX, 0)], initial=[0], final=[0])
    situations = Situations(strict, [("a",), ("b",)])
    start = situations.start(0)
    assert situations.may_be_first(start, situations.code(0, first=True, last=False))
    assert not situations.may_be_first(start, situations.code(1, first=True, last=False))
