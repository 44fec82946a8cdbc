"""Runs: neighbours in a log that are taken together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from types import SimpleNamespace

import pytest

from choreomon.core.action import Action, parse_action
from choreomon.interaction.lifelines import NONE, Mask, mask
from choreomon.interaction.normal import normal
from choreomon.interaction.term import (
    Interaction,
    Operator,
    alt,
    loop_h,
    loop_s,
    loop_w,
    par,
    seq,
)
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify import late_search, runs
from choreomon.verify.exact import observed_parts
from choreomon.verify.exact_search import Limits
from choreomon.verify.late_search import LateSearch
from choreomon.verify.runs import Inside, Waiting, boundaries, waiting, within_runs
from choreomon.verify.views import Views
from tests.verify.exact_cases import longer
from tests.verify.papers.questions import a, logs, passing


def log(text: str) -> list[Action]:
    return [parse_action(word) for word in text.split()]


TALK = loop_w(seq(passing("l1", "m", "l2"), passing("l2", "n", "l1")))
EXCHANGES = loop_w(alt(passing("l1", "m", "l2"), passing("l2", "n", "l1")))


def test_only_strict_like_operators_make_actions_wait_for_other_lifelines() -> None:
    l1, l2 = mask(["l1"]), mask(["l2"])
    sent, received = parse_action("l1!m"), parse_action("l2?m")
    for term in (seq(a("l1!m"), a("l2?m")), par(a("l1!m"), a("l2?m"))):
        assert waiting(term) == Waiting({sent: 0, received: 0}, {sent: 0, received: 0})
    assert waiting(passing("l1", "m", "l2")) == Waiting(
        {sent: 0, received: l1}, {sent: l2, received: 0}
    )
    for loop in (loop_s, loop_h):
        everybody = l1 | l2
        assert waiting(loop(seq(a("l1!m"), a("l2?m")))) == Waiting(
            {sent: everybody, received: everybody}, {sent: everybody, received: everybody}
        )
    assert waiting(loop_w(passing("l1", "m", "l2"))) == waiting(passing("l1", "m", "l2"))


def runs_of(text: str, lifelines: Sequence[str], term: Interaction) -> str:
    actions = log(text)
    inside = within_runs(actions, mask(lifelines), waiting(term))
    words = [("" if inside[n] else " ") + str(action)[2] for n, action in enumerate(actions)]
    return "".join(words).strip()


def test_receptions_and_the_emissions_behind_them_are_a_run() -> None:
    assert runs_of("l1!m l1!m l1?n l1?n l1!m l1?n", ["l1"], TALK) == "!! ??! ?"
    assert runs_of("l1!m l1?n", ["l1", "l2"], TALK) == "!?"
    # Nobody waits for `l1?n`, and it waits for nobody: it goes with either.
    free = seq(TALK, a("l1?f"))
    assert runs_of("l1?f l1!m l1?f l1?n l1?f", ["l1"], free) == "?!? ??"


def test_what_waits_and_is_waited_for_is_in_the_middle() -> None:
    term = loop_s(seq(a("l1!m"), a("l2!m")))
    assert runs_of("l1!m l1!m", ["l1"], term) == "! !"
    # What the interaction does not know may have to wait for anything.
    assert runs_of("l1!o l1!o", ["l1"], term) == "! !"


def test_boundaries_are_counted_in_all_combinations() -> None:
    assert boundaries([[False, True, False], [False]]) == 2
    assert boundaries([[False, False], [False, True, True, False]]) == 4


def test_runs_are_taken_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    # Of five `l1!m` four were received before `l2?o`.
    interaction = seq(EXCHANGES, passing("l1", "o", "l2"))
    seen = logs(
        "l1: l1!m l1!m l1?n l1?n l1!m l1!m l1?n l1?n l1?n l1!m l1!o;"
        "l2: l2?m l2?m l2!n l2!n l2?m l2?m l2!n l2!n l2!n l2?o"
    )
    visited = []
    for found in (within_runs, without):
        monkeypatch.setattr(late_search, "within_runs", found)
        answer, count = searched(interaction, seen, before=False)
        assert not answer
        visited.append(count)
    assert visited[0] < visited[1]


# -- against searching without runs ------------------------------------------------------------


def without(actions: Sequence[Action], lifelines: Mask, waits: Waiting) -> Inside:
    return [False] * (len(actions) + 1)


def searched(
    interaction: Interaction,
    seen: MultiTrace,
    before: bool = True,
    limits: Limits = Limits(),  # noqa: B008
) -> tuple[bool, int]:
    """Whether late terms explain it, and how many vertices were visited."""
    parts = observed_parts(interaction, seen)
    assert parts is not None
    return LateSearch(Views(), parts, before, limits).run(normal(interaction))


def differences(
    seeds: Iterable[int],
    found: Callable[[Sequence[Action], Mask, Waiting], Inside],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[tuple[Interaction, MultiTrace]]:
    for seed in seeds:
        for interaction, seen in longer(seed):
            for before in (True, False):
                monkeypatch.setattr(late_search, "within_runs", without)
                answer, _ = searched(interaction, seen, before)
                monkeypatch.setattr(late_search, "within_runs", found)
                if searched(interaction, seen, before)[0] is not answer:
                    yield interaction, seen


def test_runs_change_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not [*differences(range(30), within_runs, monkeypatch)]


# -- planted bugs ----------------------------------------------------------------------------


@pytest.mark.parametrize("forgotten", ["STRICT", "LOOP_S"])
def test_operators_for_which_nobody_waits_are_noticed(
    forgotten: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("STRICT", "LOOP_S", "LOOP_H")
    others = {name: None if name == forgotten else Operator[name] for name in names}
    monkeypatch.setattr(runs, "Operator", SimpleNamespace(**others))
    assert next(differences(range(30), within_runs, monkeypatch), None)


@pytest.mark.parametrize("side", [0, 1])
def test_waiting_that_is_seen_from_one_side_only_is_noticed(
    side: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def blind(actions: Sequence[Action], lifelines: Mask, waits: Waiting) -> Inside:
        sides = [dict(one) for one in waits]
        sides[side] = dict.fromkeys(sides[side], NONE)
        return within_runs(actions, lifelines, Waiting(*sides))

    assert next(differences(range(30), blind, monkeypatch), None)


def test_runs_with_two_in_the_middle_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def longest(actions: Sequence[Action], lifelines: Mask, waits: Waiting) -> Inside:
        return [False, *[True] * (len(actions) - 1), False][: len(actions) + 1]

    assert next(differences(range(30), longest, monkeypatch), None)
