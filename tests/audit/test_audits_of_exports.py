"""Logs that were exported, and read again, are audited as they were."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from io import BytesIO

import pytest

from choreomon.core.recorded import Place, RecordedEvent
from choreomon.logs.readers.reading import read_recorded
from choreomon.logs.writers import otlp
from choreomon.logs.writers.json_lines import json_lines
from tests.audit.cases import Case, case
from tests.audit.reading_orders import kinds
from tests.audit.test_logs_that_lack import audited, event
from tests.audit.test_logs_that_lack import kinds as kinds_of

Export = Callable[[Sequence[RecordedEvent]], str]


def read_again(events: Sequence[RecordedEvent], export: Export) -> list[RecordedEvent]:
    """What is read of the text. Raises AssertionError where something is strange."""
    found: list[RecordedEvent] = []
    if not events:  # which is no log
        return found
    for each in read_recorded(BytesIO(export(events).encode()), file="again"):
        assert isinstance(each, RecordedEvent), each
        found.append(each._replace(place=Place("again", len(found) + 1)))
    return found


def differences(case: Case, export: Export) -> list[str]:
    """Where the audit of what was exported says something else. Events are known by their
    processes, and by how many came before in these."""
    before = _said(case)
    after = _said(replace(case, events=tuple(read_again(case.events, export))))
    common = before.keys() & after.keys()
    return [
        f"{key}: {before[key]}, then {after[key]}" for key in common if before[key] != after[key]
    ]


def _said(case: Case) -> dict[tuple[str, int] | None, str | None]:
    count: Counter[str] = Counter()
    names = {}
    for each in case.events:
        count[each.process] += 1
        names[each.place] = (each.process, count[each.process])
    said = kinds(case, case.audit())
    return {None if place is None else names[place]: kind for place, kind in said}


def drawn(seed: int) -> Case:
    """As `case`, but who says not to whom it sends has no message id, as by a link of spans the
    receiver would be known."""
    one = case(seed, mixed=True)
    events = (
        each if each.peer is not None else each._replace(message_id=None) for each in one.events
    )
    return replace(one, events=tuple(events))


EXPORTS = (otlp.recorded_otlp_request, json_lines)


@pytest.mark.parametrize("export", EXPORTS)
def test_exported_logs_are_audited_as_they_were(export: Export) -> None:
    different = [
        f"seed {seed}: {each}" for seed in range(300) for each in differences(drawn(seed), export)
    ]
    assert different == []


def test_a_span_without_message_id_is_counted() -> None:
    log = [event("P1!a>P2", 1), event("P2?a<P1", 2), event("P2!b>P3", 3)]
    found = read_again(log, otlp.recorded_otlp_request)
    assert [each.message_id for each in found] == [None, None, None]
    assert kinds_of(audited(found)[0]) == kinds_of(audited(log)[0]) == ["violated"]


@pytest.mark.parametrize("end", ["send", "handle"])
def test_ids_at_one_end_stay_there(end: str) -> None:
    log = [
        each._replace(message_id="1" if each.kind == end else None)
        for each in (event("P1!a>P2", 1), event("P2?a<P1", 2))
    ]
    found = read_again(log, otlp.recorded_otlp_request)
    assert [each.kind for each in found if each.message_id is not None] == [end]


def test_ids_of_spans_that_are_taken_for_those_of_messages_are_found() -> None:
    def forgetful(events: Sequence[RecordedEvent]) -> str:
        return otlp.recorded_otlp_request(events).replace("choreomon.without_id", "forgotten")

    assert any(differences(drawn(seed), forgetful) for seed in range(300))
