"""The audit against brute force, and that each law fails where a bug is planted.

More of them: `python -m benchmarks.audit_brute_force`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import pytest

from choreomon.audit import causality, labelling, search, window
from choreomon.audit.items import Item
from choreomon.audit.labelling import Labelling
from choreomon.audit.look_ups import Judged, LookUps
from choreomon.audit.messages import Messages
from choreomon.audit.oracle import reference_step
from choreomon.audit.process import Process, now_numbered
from choreomon.audit.units import labels_by_process
from choreomon.audit.window import Limits
from choreomon.core.errors import DocumentError
from choreomon.core.recorded import RecordedEvent
from choreomon.properties.partial_order import live_stepper
from choreomon.properties.reference import formations
from tests.audit.cases import case, faults

SEEDS = range(400)


def found(
    seeds: Iterable[int],
    limits: Limits | None = None,
    *,
    mixed: bool = False,
    begin: bool = False,
) -> list[str]:
    wrong = []
    for seed in seeds:
        one = case(seed, mixed=mixed, begin=begin)
        try:
            wrong += [
                f"seed {seed}: {each}" for each in faults(one, one.audit(limits), one.truth())
            ]
        except DocumentError as error:
            wrong.append(f"seed {seed}: {error}")
    return wrong


def test_verdicts_and_orders_are_those_of_brute_force() -> None:
    assert found(SEEDS) == []


def test_so_they_are_under_a_budget_that_does_not_suffice() -> None:
    """What is not decided is said to be so; nothing else is wrong."""
    assert found(SEEDS, Limits(max_cuts=3, patience=2)) == []
    assert found(SEEDS, Limits(max_window=2, patience=1)) == []


def test_so_they_are_where_each_log_says_something_else() -> None:
    assert found(SEEDS, mixed=True) == []
    assert found(SEEDS, Limits(few_cuts=1), mixed=True) == []


def test_so_they_are_of_properties_with_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    """By searches and by look-ups, and where order is lost; a window without it is noticed."""
    assert found(SEEDS, begin=True) == []
    assert found(range(150), Limits(few_cuts=1), begin=True) == []
    assert found(range(150), Limits(few_cuts=1, max_cuts=0), begin=True) == []
    assert found(range(150), Limits(max_window=2, patience=1), begin=True) == []
    monkeypatch.setattr(window, "begun", lambda automaton: 0)
    assert found(range(50), begin=True)


def test_so_they_are_where_numbers_are_forgotten_that_all_know(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(labelling, "NUMBERS_KEPT", 1)
    assert found(SEEDS) == []
    assert found(SEEDS, mixed=True) == []


def test_look_ups_are_never_wrong() -> None:
    """With nothing else, and with a search for what they leave open."""
    assert found(SEEDS, Limits(few_cuts=1)) == []
    assert found(SEEDS, Limits(few_cuts=1, max_cuts=0)) == []


def test_look_ups_decide_most_by_themselves() -> None:
    verdicts = [
        verdict
        for seed in SEEDS
        for verdict in case(seed, lossy=False).audit(Limits(few_cuts=1, max_cuts=0)).verdicts
    ]
    exact = [verdict.kind for seed in SEEDS for verdict in case(seed, lossy=False).audit().verdicts]
    assert Counter(exact) == {"violated": 525, "possibly-violated": 71}
    assert sum(verdict.kind == "violated" for verdict in verdicts) == 495
    assert sum(verdict.undecided for verdict in verdicts) == 127


def test_without_gaps_nothing_is_left_undecided() -> None:
    for seed in SEEDS:
        outcome = case(seed, lossy=False).audit()
        assert not any(verdict.undecided for verdict in outcome.verdicts)
        assert not outcome.overall.undecided
        assert all(gap.reason.startswith("no log has any event") for gap in outcome.gaps)


def test_the_cases_have_all_there_is_to_find() -> None:
    outcomes = [case(seed).audit() for seed in SEEDS]
    verdicts = [verdict for outcome in outcomes for verdict in outcome.verdicts]
    assert {verdict.kind for verdict in verdicts} == {"violated", "possibly-violated"}
    assert {outcome.overall.kind for outcome in outcomes} == {None, "violated", "possibly-violated"}
    assert any(verdict.gaps for verdict in verdicts)
    assert any(
        outcome.overall.kind == "violated"
        and all(verdict.kind == "possibly-violated" for verdict in outcome.verdicts)
        for outcome in outcomes
    )


def test_the_step_of_brute_force_is_the_reference() -> None:
    for seed in range(60):
        automaton = case(seed).automaton
        labels = [
            automaton.labels[(seed + 7 * place) % len(automaton.labels)] for place in range(9)
        ]
        live = frozenset()
        formed = []
        for place, label in enumerate(labels):
            live, forms = reference_step(automaton, label, live)
            formed += [place] if forms else []
        assert formed == [each.index for each in formations(automaton, labels)]


def _no_marks(self: object, process: object, gap: object, *, ends: bool = True) -> None:
    pass


def _nothing_lacks(self: object, index: int, gap: object) -> bool:
    return False


@pytest.mark.parametrize(
    ("where", "name", "planted"),
    [
        (window.Window, "lacks", _nothing_lacks),
        (Labelling, "marks", _no_marks),
    ],
)
def test_a_planted_bug_is_found(
    monkeypatch: pytest.MonkeyPatch, where: object, name: str, planted: Callable[..., object]
) -> None:
    monkeypatch.setattr(where, name, planted)
    assert any(found([seed]) for seed in SEEDS)


def _all_counted(self: Messages, process: str) -> None:
    pass


def _nothing_unsaid(process: Process, event: RecordedEvent, number: int) -> tuple[int, bool]:
    return now_numbered(process, event, number)[0], False


@pytest.mark.parametrize(
    ("where", "name", "planted"),
    [
        (causality, "now_numbered", _nothing_unsaid),
        (Messages, "stop_counting", _all_counted),
    ],
)
def test_a_planted_bug_is_found_in_mixed_logs(
    monkeypatch: pytest.MonkeyPatch, where: object, name: str, planted: Callable[..., object]
) -> None:
    monkeypatch.setattr(where, name, planted)
    assert any(found([seed], mixed=True) for seed in range(4_000))


def wrongly_left(seeds: Iterable[int]) -> list[int]:
    """Where what look-ups say is live after all is not what the search finds."""
    wrong = []
    for seed in seeds:
        one = case(seed, lossy=False)
        processes = tuple(dict.fromkeys(label.process for label in one.automaton.labels))
        items: list[Item] = []
        reading = causality.Causality(
            processes,
            one.automaton.labels,
            on_item=items.append,
            on_lacking=lambda *_: None,
            on_diagnostic=lambda _: None,
        )
        for event in one.events:
            reading.add(event)
        reading.finish()
        chains = [[item for item in items if item.process == own] for own in range(len(processes))]
        labels = labels_by_process(one.automaton, processes)
        step = live_stepper(one.automaton)
        exact = search.search(step, chains, labels, {0: None}, max_cuts=100_000).after
        judged = LookUps(one.automaton, processes).judged(items, 0)
        if any(judged.surely & ~live or live & ~(judged.surely | judged.perhaps) for live in exact):
            wrong.append(seed)
    return wrong


def test_what_look_ups_say_is_live_is() -> None:
    assert wrongly_left(SEEDS) == []


def test_look_ups_that_are_too_sure_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = LookUps.judged

    def too_sure(self: LookUps, items: Sequence[Item], live: int) -> Judged:
        formed, surely, perhaps = right(self, items, live)
        return Judged(dict.fromkeys(formed, "Frm"), surely | perhaps, 0)

    monkeypatch.setattr(LookUps, "judged", too_sure)
    limits = Limits(few_cuts=1, max_cuts=0, patience=2)
    assert any(found([seed], limits) for seed in SEEDS)
    assert any(wrongly_left([seed]) for seed in SEEDS)
