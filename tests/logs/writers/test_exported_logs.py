"""What logs recorded, written in each format and read again: random logs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from io import BytesIO
from typing import Any

import pytest

from choreomon.core.recorded import Diagnostic, Place, RecordedEvent
from choreomon.logs.mappings.mapping_document import load_mapping
from choreomon.logs.readers.reading import read_recorded
from choreomon.logs.writers.json_lines import json_lines
from choreomon.logs.writers.made_clocks import with_clocks
from choreomon.logs.writers.otlp import recorded_otlp_request
from choreomon.logs.writers.shiviz import recorded_shiviz_log
from tests.logs.writers.test_made_clocks import drawn
from tests.scenarios.console_blocks import ROOT

EXPORTED = load_mapping(ROOT / "examples" / "shiviz" / "exported-mapping.yaml")
NOWHERE = Place("", 0)
each_log = pytest.mark.parametrize("seed", range(150))


def recorded(seed: int) -> list[RecordedEvent]:
    """A log of which this and that is known."""
    randomness = random.Random(seed)
    found = drawn(seed)
    if randomness.random() < 0.5:
        found = with_clocks(found)
    clocked = bool(found) and found[0].clock is not None
    nanoseconds = randomness.random() < 0.5
    time = 0
    made = []
    for event in found:
        time += randomness.randrange(3)
        told = str(1_700_000_000_000_000_000 + time) if nanoseconds else f"12:{time:02}"
        made.append(
            event._replace(
                place=NOWHERE,
                name=event.name
                if event.kind != "local"
                else randomness.choice(["", "x y", "send"]),
                peer=event.peer if randomness.random() < 0.8 else None,
                message_id=event.message_id if randomness.random() < 0.9 or not clocked else None,
                time=told,
                number=randomness.choice([None, time + 1]),
            )
        )
    return made


def quoted(event: RecordedEvent) -> RecordedEvent:
    """Of a system of which one process has a quote in its name."""
    names = {"b": 'b"'}
    return event._replace(
        process=names.get(event.process, event.process),
        peer=event.peer and names.get(event.peer, event.peer),
        clock=event.clock and {names.get(one, one): count for one, count in event.clock.items()},
    )


def again(text: str, *args: Any, **options: Any) -> list[RecordedEvent]:
    found = list(read_recorded(BytesIO(text.encode()), *args, file="again", **options))
    assert not [each for each in found if isinstance(each, Diagnostic)], found
    return [each._replace(place=NOWHERE) for each in found if isinstance(each, RecordedEvent)]


def chains(events: Sequence[RecordedEvent]) -> dict[tuple[str, str], list[RecordedEvent]]:
    """The events of each process of each session."""
    made: dict[tuple[str, str], list[RecordedEvent]] = {}
    for event in events:
        made.setdefault((event.session, event.process), []).append(event)
    return made


def messages(events: Sequence[RecordedEvent]) -> list[set[tuple[str, str, str, int]]]:
    """Which events have one message id, as sets of places in chains."""
    found: dict[tuple[str, str], set[tuple[str, str, str, int]]] = {}
    for (session, process), own in chains(events).items():
        for place, event in enumerate(own):
            if event.message_id is not None:
                end = session, process, event.kind, place
                found.setdefault((session, event.message_id), set()).add(end)
    return sorted(found.values(), key=sorted)


@each_log
def test_lines_of_json_are_read_back_equal(seed: int) -> None:
    events = recorded(seed)
    text = json_lines(events)
    assert again(text) == events if events else text == ""


@each_log
def test_spans_are_read_back_with_their_order_and_their_messages(seed: int) -> None:
    events = recorded(seed)
    if not events:
        return
    found = again(recorded_otlp_request(events), session_key="attributes.choreomon.session")
    assert messages(found) == messages(events)
    peers = {
        (one.session, one.message_id, one.kind): one.process
        for one in events
        if one.message_id is not None
    }

    def known(one: RecordedEvent) -> RecordedEvent:
        """With its peer, where the other end of its message says it."""
        other = "handle" if one.kind == "send" else "send"
        peer = one.peer or peers.get((one.session, one.message_id or "", other))
        return one._replace(
            message_id=None, fields={}, time="", peer=peer, name=one.name if one.kind else ""
        )

    before = {key: list(map(known, own)) for key, own in chains(events).items()}
    after = {
        key: [one._replace(message_id=None, fields={}, time="") for one in own]
        for key, own in chains(found).items()
    }
    assert after == before
    if all(event.time.isdigit() for event in events):
        assert sorted(one.time for one in found) == sorted(one.time for one in events)


@each_log
def test_logs_of_shiviz_are_read_back_equal_by_their_mapping(seed: int) -> None:
    events = [quoted(one._replace(number=None)) for one in recorded(seed)]
    if not events:
        return
    clocked = with_clocks(events)
    found = again(recorded_shiviz_log(clocked), mapping=EXPORTED)
    by_session = [
        one
        for name in {one.session: 0 for one in clocked}
        for one in clocked
        if one.session == name
    ]
    assert [one._replace(fields={}) for one in found] == by_session


def test_clocks_of_spans_may_have_quotes_in_names() -> None:
    """The names of processes lose them, as labels cannot have them; those of clocks likewise."""
    events = [quoted(RecordedEvent("b", "send", "m", NOWHERE, "a", clock={"b": 1}))]
    (found,) = again(recorded_otlp_request(events))
    assert (found.process, found.clock) == ("b", {"b": 1})
