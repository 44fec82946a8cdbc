"""Logs whose lines are nearly in order are audited like those they were made from."""

from __future__ import annotations

from random import Random

import pytest

from choreomon.audit import in_order as in_order_module
from choreomon.audit.auditor import Auditor
from choreomon.audit.in_order import in_order
from choreomon.audit.outcome import Outcome
from choreomon.audit.process import stated_number
from choreomon.audit.reading import tell
from choreomon.core.errors import DocumentError
from choreomon.core.recorded import Diagnostic, Place, RecordedEvent
from tests.audit.cases import Case, case


def numbered(number: int | None, process: str = "a", line: int = 0) -> RecordedEvent:
    return RecordedEvent(process, "local", "x", Place("log", line), number=number)


def read(*events: RecordedEvent) -> tuple[list[RecordedEvent], list[str]]:
    told: list[Diagnostic] = []
    found = list(in_order(iter(events), told.append))
    assert {each.kind for each in told} <= {"out-of-order"}
    return [each for each in found if isinstance(each, RecordedEvent)], [
        each.message for each in told
    ]


def numbers(*given: int | None) -> list[int | None]:
    return [each.number for each in read(*map(numbered, given))[0]]


def test_events_are_given_in_the_order_of_their_numbers() -> None:
    assert numbers(1, 3, 2, 4) == [1, 2, 3, 4]
    assert numbers(5, 3, 4) == [3, 4, 5]
    assert numbers(2, 9, 7) == [2, 7, 9]
    assert numbers(1, 2, 2, 1) == [1, 2, 2, 1]
    _, told = read(numbered(1), numbered(3), numbered(2))
    assert told == ["number 2 of a is written after number 3: it is read before it"]


def test_an_event_without_a_number_stays_where_it_is() -> None:
    assert numbers(1, 3, None, 2, 4) == [1, 3, None, 2, 4]
    assert numbers(None, 2, 1) == [None, 1, 2]


def test_processes_do_not_wait_for_each_other() -> None:
    events = [numbered(2, "a"), numbered(1, "b"), numbered(1, "a"), numbered(2, "b")]
    found, _ = read(*events)
    assert [(each.process, each.number) for each in found] == [
        *(("b", 1), ("a", 1), ("a", 2), ("b", 2)),
    ]


def test_diagnostics_pass_and_what_waits_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    strange = Diagnostic("not-understood", "x", Place("log", 1))
    assert [*in_order(iter([numbered(2), strange, numbered(1)]), lambda _: None)] == [
        *(strange, numbered(1), numbered(2)),
    ]
    monkeypatch.setattr(in_order_module, "MOST_HELD", 2)
    assert numbers(9, 8, 7, 6, 1) == [7, 8, 9, 6, 1]


def shuffled(random: Random, one: Case) -> list[RecordedEvent]:
    """Each event up to five places away from its own among those of its process."""
    places: dict[str, list[int]] = {}
    for place, event in enumerate(one.events):
        places.setdefault(event.process, []).append(place)
    mixed = [*one.events]
    for own in places.values():
        order = sorted(range(len(own)), key=lambda rank: rank + random.uniform(0, 5))
        for place, rank in zip(own, order, strict=True):
            mixed[place] = one.events[own[rank]]
    return mixed


def audited(one: Case, events: list[RecordedEvent], *, mend: bool) -> Outcome:
    auditor = Auditor(one.automaton, incomplete=one.incomplete)
    log = iter(events)
    tell(
        auditor,
        [in_order(log, lambda _: None) if mend else log],
        lambda _: None,
        lambda: False,
    )
    return auditor.finish()


def said(outcome: Outcome) -> object:
    verdicts = {
        each.item.event.place: (each.kind, each.undecided)
        for each in outcome.verdicts
        if each.item.event is not None
    }
    return verdicts, outcome.overall.kind, outcome.overall.undecided, outcome.labelled


def wholly_numbered(seed: int) -> Case | None:
    one = case(seed)
    return one if all(stated_number(event) is not None for event in one.events) else None


def wrong(seeds: range) -> tuple[list[int], int]:
    """The seeds of logs that are judged otherwise when they were shuffled, and how many were
    refused without being mended."""
    found, refused = [], 0
    for seed in seeds:
        if (one := wholly_numbered(seed)) is None:
            continue
        mixed = shuffled(Random(seed), one)
        try:
            audited(one, mixed, mend=False)
        except DocumentError:
            refused += 1
        if said(audited(one, mixed, mend=True)) != said(audited(one, [*one.events], mend=False)):
            found.append(seed)
    return found, refused


def test_shuffled_logs_are_judged_like_whole_ones() -> None:
    found, refused = wrong(range(400))
    assert refused > 50
    assert found == []


def test_a_planted_bug_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is held is given too soon."""
    monkeypatch.setattr(in_order_module, "MOST_HELD", 0)
    with pytest.raises(DocumentError):
        wrong(range(400))
