"""Recorded events as those of a run: which send a handle goes with, and what nobody recorded."""

from __future__ import annotations

from random import Random

import pytest

from choreomon.core.recorded import Place, RecordedEvent, RecordedKind
from choreomon.core.vector_clock import happened_before
from choreomon.documents.read import load_document
from choreomon.logs.readers.run_events import run_events
from choreomon.logs.trace import trace_line
from simulator.run import simulation
from tests.cli.command_line import ROOT
from tests.logs.readers.logs_for_tests import LINES, events

PLACE = Place("log", 1)


def one(
    process: str,
    kind: RecordedKind,
    name: str,
    peer: str | None,
    clock: dict[str, int] | None = None,
) -> RecordedEvent:
    return RecordedEvent(process, kind, name, PLACE, peer, clock=clock)


def test_a_simulated_run_is_the_same_read_back_from_its_trace() -> None:
    document = load_document(ROOT / "scenarios" / "payment-saga-violating.yaml")
    run = simulation(document).run(3, keep_events=True)
    log = "\n".join(trace_line(event, run.processes) for event in run.kept_events)
    made, processes = run_events(events(log))
    assert {*processes} == {event.process for event in run.kept_events}
    names = {(event.process, event.clock[run.processes.index(event.process)]): event
             for event in run.kept_events}  # fmt: skip
    assert len(names) == len(made)
    for event in made:
        own = names[event.process, event.clock[processes.index(event.process)]]
        assert (event.kind, event.message) == (own.kind, own.message)
        sent = None if own.sent_at is None else run.kept_events[own.sent_at]
        assert (event.sent_at is None) is (sent is None)
        if sent is not None and event.sent_at is not None:
            assert made[event.sent_at].message == sent.message
    for first, event in enumerate(made):
        for later in made[first + 1 :]:
            assert not happened_before(later.clock, event.clock)


def test_clocks_are_made_where_a_log_has_none() -> None:
    made, processes = run_events(events(LINES))
    assert processes == ("a", "b")
    assert [(event.kind, event.clock, event.sent_at) for event in made] == [
        ("send", (1, 0), None),
        ("handle", (1, 1), 0),
    ]


def test_ends_that_nobody_recorded_have_lines_of_their_own() -> None:
    made, processes = run_events(
        [
            one("a", "send", "m", None),
            one("a", "send", "n", "b"),
            one("a", "handle", "o", None),
            one("a", "handle", "p", "c"),
            one("a", "local", "x", None),
        ]
    )
    assert processes == ("a", "b", "c", "unknown")
    assert [(event.message.sender, event.message.receiver) for event in made] == [
        *(("a", "unknown"), ("a", "b"), ("env", "a"), ("c", "a"))
    ]


def test_a_process_that_is_called_unknown_is_a_process() -> None:
    """It is not the environment, and not whoever received what no log says the receiver of."""
    made, processes = run_events(
        [
            one("unknown", "send", "m", "a"),
            one("a", "handle", "m", "unknown"),
            one("unknown", "send", "n", "a"),
            one("a", "handle", "n", None),
            one("a", "send", "o", None),
        ]
    )
    assert processes == ("a", "unknown", "unknown-2")
    assert [(*event.message, event.sent_at) for event in made] == [
        ("unknown", "m", "a", None),
        ("unknown", "m", "a", 0),
        ("unknown", "n", "a", None),
        ("env", "n", "a", None),
        ("a", "o", "unknown-2", None),
    ]


def test_ids_go_before_names_and_ends_and_each_is_of_one_send_and_one_handle() -> None:
    def known(event: RecordedEvent) -> RecordedEvent:
        return event._replace(message_id="1")

    made, _ = run_events(
        [
            one("a", "send", "m", "b"),
            known(one("a", "send", "m", "b")),
            known(one("a", "send", "m", "b")),
            known(one("b", "handle", "other", None)),
            known(one("b", "handle", "m", "a")),
        ]
    )
    assert [event.sent_at for event in made] == [None, None, None, 1, None]
    assert made[3].message.sender == "a"
    assert made[1].message.receiver == "b"


class Compared(str):
    """A name that counts how often one was compared with another."""

    __slots__ = ()
    times = 0

    def __eq__(self, other: object) -> bool:
        Compared.times += 1
        return str.__eq__(self, other)  # type: ignore[arg-type]

    __hash__ = str.__hash__


def test_a_handle_does_not_look_at_the_sends_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Compared, "times", 0)
    to_others = [one("a", "send", "m", Compared("c")) for _ in range(200)]
    later = {"a": 300}
    unknown = [one("a", "send", "m", "b", {"a": 300 + number}) for number in range(1, 201)]
    handled = [one("b", "handle", "m", Compared("a"), later) for _ in range(200)]
    made, _ = run_events([*to_others, *unknown, *handled])
    assert {event.sent_at for event in made} == {None}
    assert Compared.times < 20 * len(made)


def drawn(random: Random) -> list[RecordedEvent]:
    """Logs of a few processes, one after the other or side by side, in which some clocks, some
    ends and some sends are missing."""
    names = ("a", "b", "c")
    clocks = {name: dict.fromkeys(names, 0) for name in names}
    on_their_way: list[tuple[str, str, str, dict[str, int]]] = []
    logs: dict[str, list[RecordedEvent]] = {name: [] for name in names}
    clocked = random.random()

    def note(process: str, kind: RecordedKind, name: str, peer: str) -> None:
        clock = clocks[process].copy() if random.random() < clocked else None
        known = peer if random.random() < 0.9 else None
        logs[process].append(one(process, kind, name, known, clock))

    for _ in range(30):
        if on_their_way and random.random() < 0.5:
            message = on_their_way.pop(random.randrange(len(on_their_way)))
            sender, name, process, sent = message
            own = clocks[process]
            own.update({each: max(own[each], sent[each]) for each in names})
            own[process] += 1
            note(process, "handle", name, sender)
        else:
            process, receiver = random.sample(names, 2)
            clocks[process][process] += 1
            name = random.choice("mn")
            on_their_way.append((process, name, receiver, clocks[process].copy()))
            if random.random() < 0.8:
                note(process, "send", name, receiver)
    found = []
    while any(logs.values()):
        found.append(logs[random.choice([name for name in names if logs[name]])].pop(0))
    return found


def slowly_paired(ordered: list[RecordedEvent]) -> dict[int, int]:
    """The docstring of `run_events`, word for word."""
    pairs: dict[int, int] = {}
    for at, handle in enumerate(ordered):
        if handle.kind != "handle":
            continue
        for place, send in enumerate(ordered[:at]):
            if (
                (send.kind, send.process, send.name) == ("send", handle.peer, handle.name)
                and send.peer in (None, handle.process)
                and place not in pairs.values()
                and not (
                    send.clock is not None
                    and handle.clock is not None
                    and handle.clock[send.process] < send.clock[send.process]
                )
            ):
                pairs[at] = place
                break
    return pairs


def test_handles_go_with_the_first_send_that_they_can_know_of() -> None:
    overtaken = 0
    for seed in range(300):
        recorded = drawn(Random(seed))
        made, _ = run_events(recorded)
        if all(event.clock is not None for event in recorded):
            recorded.sort(key=lambda event: sum((event.clock or {}).values()))
        pairs = slowly_paired(recorded)
        assert {event.index: event.sent_at for event in made if event.sent_at is not None} == pairs
        without = [event._replace(clock=None) for event in recorded]
        overtaken += slowly_paired(without) != pairs
    assert overtaken > 0
