"""What is in logs, beside a count by hand."""

from __future__ import annotations

from random import Random

import pytest

from choreomon.core import contents as contents_module
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
        random.choice([None, "id"]),
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
    assert found.with_id == sum(
        each.message_id is not None and each.kind != "local" for each in events
    )
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


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MOST", "MOST_SESSIONS", "MOST_STRANGE"):
        monkeypatch.setattr(contents_module, name, 2)
    local = [
        RecordedEvent(f"p{n}", "local", "x", Place("log", 1), session=f"{n}") for n in range(5)
    ]
    strange = [Diagnostic("not-understood", f"{n}", Place("log", n)) for n in range(5)]
    found = look(*local, *strange, local[0])
    assert (found.events, found.uncounted, found.sessions) == (6, 3, 2)
    assert len(found.processes) == 2
    assert found.local == (LocalCount("p0", "x", 2), LocalCount("p1", "x", 1))
    assert [each.message for each in found.strange] == ["and others", "0", "1"]
    assert "3 of them are not in these tables" in headline(found)


def test_what_is_known_of_the_order_is_said() -> None:
    send = RecordedEvent("a", SEND, "x", Place("log", 1), "b", "1")
    assert advice(look()) == []
    assert advice(look(send._replace(clock={"a": 1}))) == [
        "All events have vector clocks: it is known of any two which came first."
    ]
    assert advice(look(send, send._replace(peer=None, clock={"a": 1}))) == [
        "1 of 2 events have a vector clock.",
        "1 of 2 do not say the other end of their message.",
    ]
    assert advice(look(send)) == [
        "No event has a vector clock; 1 of 1 sends and handles have a message id. What messages "
        "tell is what is known of the order."
    ]
    (told,) = advice(look(send._replace(kind="local")))
    assert told == "No event is a send or a handle: say which are by --mapping FILE."
    assert look(send).messages == (MessageCount("a", "b", "x", 1, 0),)
