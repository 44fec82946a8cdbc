"""Messages of which an end is missing, or there twice."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from choreomon.core.pairing import Pairing
from choreomon.core.recorded import Place, RecordedEvent, RecordedKind


def event(
    kind: RecordedKind, message: str | None, line: int = 1, session: str = ""
) -> RecordedEvent:
    return RecordedEvent("p", kind, "m", Place("f", line), message_id=message, session=session)


def told(events: list[RecordedEvent], remembered: int = 100) -> list[tuple[str, int]]:
    pairing = Pairing(remembered)
    found = [said for each in events if (said := pairing.take(each)) is not None]
    return [(said.kind, said.place.line) for said in (*found, *pairing.end())]


def test_two_ends_of_a_message_are_nothing_strange_in_any_order() -> None:
    send, handle = event("send", "x"), event("handle", "x")
    assert told([send, handle]) == told([handle, send]) == []
    assert told([event("local", "x"), event("send", None), event("handle", None)]) == []


def test_each_strange_thing_has_its_name() -> None:
    assert told([event("send", "x", 3)]) == [("send-without-reception", 3)]
    assert told([event("handle", "x", 4)]) == [("reception-without-send", 4)]
    both = [event("send", "x", 1), event("handle", "x", 2)]
    assert told([*both, event("handle", "x", 3)]) == [("two-receptions", 3)]
    assert told([*both, event("send", "x", 3)]) == [("two-sends", 3)]
    handles = [event("handle", "x", 1), event("handle", "x", 2), event("send", "x", 3)]
    assert told(handles) == [("two-receptions", 2)]
    assert told([both[0], event("handle", "x", 2, "other")]) == [
        ("send-without-reception", 1),
        ("reception-without-send", 2),
    ]


def test_an_old_message_is_forgotten_and_memory_stays() -> None:
    pairing = Pairing(remembered=2)
    for number in range(50):
        assert pairing.take(event("send", str(number))) is None
        assert pairing.take(event("handle", str(number))) is None
        assert pairing.waiting == 0
        assert len(pairing._paired) <= 2
    assert pairing.take(event("handle", "49")) is not None
    assert pairing.take(event("handle", "1")) is None
    assert [said.kind for said in pairing.end()] == ["reception-without-send"]


@pytest.mark.parametrize("seed", range(200))
def test_the_kinds_that_are_told_are_those_that_counting_finds(seed: int) -> None:
    randomness = Random(seed)
    kinds: tuple[RecordedKind, ...] = ("send", "handle")
    events = [event(randomness.choice(kinds), randomness.choice("abcd")) for _ in range(7)]
    ends = Counter((each.message_id, each.kind) for each in events)
    expected: Counter[str] = Counter()
    for message in "abcd":
        sends, handles = ends[message, "send"], ends[message, "handle"]
        expected["two-sends"] += max(0, sends - 1)
        expected["two-receptions"] += max(0, handles - 1)
        expected["send-without-reception"] += sends > 0 and not handles
        expected["reception-without-send"] += handles > 0 and not sends
    assert Counter(kind for kind, _ in told(events)) == +expected
