"""What is in logs, beside a count by hand."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from choreomon.core import contents as contents_module
from choreomon.core import message_ends
from choreomon.core.contents import Contents, LocalCount, Looking, MessageCount
from choreomon.core.message import HANDLE, SEND
from choreomon.core.recorded import Diagnostic, Place, RecordedEvent
from choreomon.terminal.contents_tables import advice, headline

NAMES = ("a", "b", "c")


def drawn(random: Random) -> RecordedEvent:
    process = random.choice(NAMES)
    clock = random.choice([None, {process: 1}, {"z": 1}])
    return RecordedEvent(
        process,
        random.choice(["send", "handle", "local"]),
        random.choice(["x", "y"]),
        Place("log", 1),
        random.choice([None, *NAMES]),
        None,
        clock,
        random.choice([None, 3]),
        random.choice(["", "s"]),
    )


def look(*given: RecordedEvent | Diagnostic) -> Contents:
    looking = Looking()
    for each in given:
        looking.add(each)
    return looking.found()


@pytest.mark.parametrize("seed", range(60))
def test_counts_are_those_of_a_count_by_hand(seed: int) -> None:
    random = Random(seed)
    events = [drawn(random) for _ in range(random.randint(0, 40))]
    found = look(*events)
    assert found.events == len(events)
    assert found.uncounted == 0
    assert found.sessions == len({each.session for each in events})
    assert found.with_id == 0
    assert found.ends == sum(each.kind != "local" for each in events)
    assert found.with_clock == sum(each.clock is not None for each in events)
    for one in found.processes:
        own = [each for each in events if each.process == one.process]
        assert one.events == len(own)
        assert one.local == sum(each.kind == "local" for each in own)
        assert one.with_clock == sum(each.clock is not None for each in own)
        assert one.with_number == sum(
            each.number is not None or one.process in (each.clock or {}) for each in own
        )
    for sender, receiver, name, sent, handled in found.messages:
        as_sent = (SEND, sender, receiver, name)
        as_handled = (HANDLE, receiver, sender, name)
        told = [(each.kind, each.process, each.peer, each.name) for each in events]
        assert (sent, handled) == (told.count(as_sent), told.count(as_handled))
    in_tables = sum(each.sent + each.handled for each in found.messages)
    assert in_tables + sum(each.events for each in found.local) == len(events)
    counts = [each.sent + each.handled for each in found.messages]
    assert counts == sorted(counts, reverse=True)


@pytest.mark.parametrize(
    ("numbers", "missing"),
    [
        ([("s", 1), ("s", 2), ("s", 3)], 0),
        ([("s", 1), ("s", 4)], 2),
        ([("s", 1), ("t", 1), ("t", 3)], 1),  # they begin anew in each session
        ([("s", 1), ("t", 2), ("s", 3), ("t", 5)], 1),  # they go on through all
        ([("s", -1)], 0),
        ([], 0),
    ],
)
def test_numbers_that_no_event_has_are_counted(
    numbers: list[tuple[str, int]], missing: int
) -> None:
    event = RecordedEvent("a", SEND, "x", Place("log", 1), "b")
    found = look(event, *(event._replace(session=s, number=n) for s, n in numbers))
    assert found.processes[0].missing == missing
    clocks = look(*(event._replace(session=s, clock={"a": n}) for s, n in numbers if n > 0))
    assert not clocks.processes or clocks.processes[0].missing == missing


def test_what_is_strange_is_grouped_with_the_first_place() -> None:
    place = [Place("log", line) for line in (3, 5, 7)]
    found = look(
        Diagnostic("not-understood", "it is not JSON", place[0]),
        Diagnostic("two-sends", "m", place[1]),
        Diagnostic("not-understood", "it is not JSON", place[2]),
    )
    assert [tuple(each) for each in found.strange] == [
        ("not-understood", "it is not JSON", 2, "log:3"),
        ("two-sends", "m", 1, "log:5"),
    ]
    assert found.not_understood == 2
    alike = look(
        *(Diagnostic("not-understood", f"the parser misses {n} lines", place[0]) for n in range(9))
    )
    assert [(each.message, each.events) for each in alike.strange] == [
        ("the parser misses 0 lines", 9)
    ]


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MOST", "MOST_SESSIONS", "MOST_STRANGE"):
        monkeypatch.setattr(contents_module, name, 2)
    local = [
        RecordedEvent(f"p{n}", "local", "x", Place("log", 1), session=f"{n}") for n in range(5)
    ]
    strange = [Diagnostic("not-understood", "abcde"[n], Place("log", n)) for n in range(5)]
    found = look(*local, *strange, local[0])
    assert (found.events, found.uncounted, found.sessions) == (6, 3, 2)
    assert len(found.processes) == 2
    assert found.local == (LocalCount("p0", "x", 2, "x"), LocalCount("p1", "x", 1, "x"))
    assert [each.message for each in found.strange] == ["and others", "a", "b"]
    assert "3 of them are not in these tables" in headline(found)


def test_what_is_known_of_the_order_is_said() -> None:
    send = RecordedEvent("a", SEND, "x", Place("log", 1), "b", "1")
    assert advice(look()) == []
    assert advice(look(send._replace(clock={"a": 1}))) == ["All events have vector clocks."]
    assert advice(look(send, send._replace(peer=None, clock={"a": 1}))) == [
        "1 of 2 events have a vector clock.",
        "Of the pairs of the first 2 events the order is known of 100 % as they are of one "
        "process.",
        "1 of 2 do not say the other end of their message.",
    ]
    assert advice(look(send)) == [
        "No event has a vector clock; 1 of 1 sends and handles have a message id. What messages "
        "tell is what is known of the order."
    ]
    (told,) = advice(look(send._replace(kind="local")))
    assert told == (
        "No event is a send or a handle. A mapping says which are: -o mapping.yaml drafts one."
    )
    assert look(send).messages == (MessageCount("a", "b", "x", 1, 0),)


@pytest.mark.parametrize("seed", range(60))
def test_the_other_end_is_found_by_the_id(seed: int) -> None:
    random = Random(seed)
    events: list[RecordedEvent] = []
    for number in range(random.randint(0, 12)):
        sender, *receivers = random.sample(NAMES, random.randint(1, 3))
        key = random.choice([None, str(number)])
        receiver = receivers[0] if receivers and random.random() < 0.3 else None
        name = random.choice("xy")
        if random.random() < 0.8:
            events.append(RecordedEvent(sender, SEND, name, Place("log", 1), receiver, key))
        for each in receivers:
            peer = random.choice([None, sender])
            events.append(RecordedEvent(each, HANDLE, name, Place("log", 1), peer, key))
    random.shuffle(events)

    def other_end(event: RecordedEvent) -> str | None:
        others = [
            each.process
            for each in events
            if event.message_id == each.message_id is not None and each.kind != event.kind
        ]
        return event.peer or (others[0] if others else None)

    expected: Counter[tuple[str, str | None, str | None, str]] = Counter()
    for event in events:
        ends = (event.process, other_end(event))
        sender_, receiver_ = ends if event.kind == SEND else ends[::-1]
        expected[event.kind, sender_, receiver_, event.name] += 1
    found = look(*events)
    assert {
        (kind, each.sender, each.receiver, each.name): count
        for each in found.messages
        for kind, count in ((SEND, each.sent), (HANDLE, each.handled))
        if count
    } == expected
    assert found.with_id == sum(each.message_id is not None for each in events)


def test_ends_that_wait_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_ends, "MOST_OPEN", 3)
    sends = [RecordedEvent("a", SEND, "x", Place("log", 1), None, f"{n}") for n in range(5)]
    handles = [RecordedEvent("b", HANDLE, "x", Place("log", 1), None, f"{n}") for n in range(5)]
    for events in ([*sends, *handles], [*handles, *sends]):
        assert {each[:3]: each[3:] for each in look(*events).messages} == {
            ("a", "b", "x"): (3, 3),
            ("a", None, "x"): (2, 0),
            (None, "b", "x"): (0, 2),
        }
