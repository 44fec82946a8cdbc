"""How many pairs of events are in a known order, beside the closure of a relation."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from choreomon.core.message import HANDLE, SEND
from choreomon.core.ordered_pairs import Beginning, ordered_pairs
from choreomon.core.recorded import Place, RecordedEvent

Logs = list[list[RecordedEvent]]


def drawn(random: Random) -> Logs:
    """Logs of a run of three processes; ids, and clocks, are left out here and there."""
    logs: Logs = [[], [], []]
    clocks: list[dict[str, int]] = [{}, {}, {}]
    sent: list[tuple[str, dict[str, int]]] = []
    keep_ids, keep_clocks = random.random(), random.choice([0.0, 0.5, 1.0])
    for number in range(random.randint(0, 14)):
        who = random.randrange(3)
        name = "abc"[who]
        kind, key = random.choice([SEND, "local"]), None
        if sent and random.random() < 0.4:
            kind = HANDLE
            key, known = random.choice(sent)
            for process, count in known.items():
                clocks[who][process] = max(count, clocks[who].get(process, 0))
        clocks[who][name] = clocks[who].get(name, 0) + 1
        if kind == SEND:
            key = str(number)
            sent.append((key, dict(clocks[who])))
        event = RecordedEvent(name, kind, "m", Place("log", number))  # type: ignore[arg-type]
        clock = dict(clocks[who]) if random.random() < keep_clocks else None
        logs[who].append(
            event._replace(message_id=key if random.random() < keep_ids else None, clock=clock)
        )
    return logs


def slowly(logs: Logs, *, links: bool, clocks: bool) -> int:
    events = [event for own in logs for event in own]
    before = {(one, one) for one in range(len(events))}
    for (n, one), (m, other) in product(enumerate(events), repeat=2):
        same = one.process == other.process and n < m
        link = links and one.kind == SEND and other.kind == HANDLE
        link = link and one.message_id == other.message_id is not None
        known = clocks and one.clock is not None and other.clock is not None
        known = known and one.process != other.process
        if known:
            assert one.clock is not None
            assert other.clock is not None
            known = one.clock[one.process] <= other.clock.get(one.process, 0)
        if same or link or known:
            before.add((n, m))
    for middle in range(len(events)):
        for one, other in product(range(len(events)), repeat=2):
            if (one, middle) in before and (middle, other) in before:
                before.add((one, other))
    return len(before) - len(events)


@pytest.mark.parametrize("seed", range(150))
def test_pairs_are_those_of_the_closure(seed: int) -> None:
    logs = drawn(Random(seed))
    found = ordered_pairs(logs)
    assert found.events == sum(map(len, logs))
    assert found.by_process == slowly(logs, links=False, clocks=False)
    assert found.by_messages == slowly(logs, links=True, clocks=False)
    assert found.by_clocks == slowly(logs, links=True, clocks=True)
    assert found.by_clocks <= found.pairs


def test_what_goes_in_a_circle_is_cut() -> None:
    def end(process: str, kind: str, key: str) -> RecordedEvent:
        return RecordedEvent(process, kind, "m", Place("log", 1), None, key)  # type: ignore[arg-type]

    circle = [
        [end("a", HANDLE, "1"), end("a", SEND, "2")],
        [end("b", HANDLE, "2"), end("b", SEND, "1")],
    ]
    assert 2 <= ordered_pairs(circle).by_messages <= 6


def test_only_a_beginning_of_the_first_session_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from choreomon.core import ordered_pairs as module

    monkeypatch.setattr(module, "MOST_OF_A_PROCESS", 2)
    monkeypatch.setattr(module, "MOST_PROCESSES", 2)
    beginning = Beginning()
    for session, process in product("st", "aabbcca"):
        beginning.add(RecordedEvent(process, "local", "x", Place("l", 1), session=session))
    assert beginning.ordered().events == 4


def test_messages_without_ids_are_counted() -> None:
    def end(process: str, kind: str, peer: str) -> RecordedEvent:
        return RecordedEvent(process, kind, "m", Place("log", 1), peer)  # type: ignore[arg-type]

    sends = [end("a", SEND, "b"), end("a", SEND, "b")]
    handles = [end("b", HANDLE, "a"), end("b", HANDLE, "a"), end("b", HANDLE, "a")]
    found = ordered_pairs([sends, handles])
    assert found.by_process == 1 + 3
    assert found.by_messages == 4 + 3 + 2
