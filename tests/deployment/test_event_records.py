"""One log of what actors and monitors noted; what does not fit together is no log."""

from __future__ import annotations

from pathlib import Path

import pytest

from choreomon.agent_files.clocks.text import encode_clocks
from choreomon.core.errors import InternalError
from choreomon.core.message import HANDLE, SEND, EventKind, Message
from choreomon.core.run import RunEvent
from choreomon.deployment.event_records import (
    TOLD,
    EventLog,
    Noted,
    Records,
    Timing,
    noted_line,
)
from choreomon.logs.trace import trace_line

KEY = b"abcd"
NAMES = ("A", "B")


def noted(
    kind: EventKind, text: str, number: int, at: int = TOLD, clock: tuple[int, ...] | None = None
) -> Noted:
    """`A>B:m` is a message."""
    ends, name = text.split(":")
    sender, receiver = ends.split(">")
    carried = "" if clock is None else encode_clocks({KEY: clock})
    return Noted(kind, sender, name, receiver, number, at, carried)


def tick(kind: EventKind, text: str, at: int, clock: tuple[int, ...]) -> str:
    ends, name = text.split(":")
    sender, receiver = ends.split(">")
    own = sender if kind == SEND else receiver
    return trace_line(RunEvent(0, at, kind, own, Message(sender, name, receiver), clock), NAMES)


def log(
    folder: Path,
    a: list[Noted],
    b: list[Noted],
    a_ticks: list[str] | None = None,
    b_ticks: list[str] | None = None,
    *,
    speed: float = 1.0,
) -> EventLog:
    records = []
    for name, lines, ticks in (("A", a, a_ticks or []), ("B", b, b_ticks or [])):
        one, other = folder / f"noted-{name}", folder / f"ticks-{name}"
        one.write_bytes(b"".join(map(noted_line, lines)))
        other.write_text("".join(f"{line}\n" for line in ticks), encoding="ascii")
        records.append(Records(name, one, other))
    return EventLog(records, KEY, Timing(1000, speed))


def test_events_of_all_processes_become_one_log_in_the_order_of_their_times(
    tmp_path: Path,
) -> None:
    whole = log(
        tmp_path,
        [
            noted(HANDLE, "env>A:go", 0, 1010),
            noted(SEND, "A>B:m", 1),
            noted(SEND, "A>B:n", 2, 1040, (1, 0)),
        ],
        [noted(HANDLE, "A>B:m", 1, 1030, (1, 0)), noted(HANDLE, "A>B:n", 2)],
        [tick(SEND, "A>B:m", 1020, (1, 0))],
        [tick(HANDLE, "A>B:n", 1050, (1, 1))],
    )
    events = [*whole.events()]
    assert [(e.index, e.time, e.kind, e.process, e.clock, e.sent_at) for e in events] == [
        (0, 10, HANDLE, "A", (0, 0), None),
        (1, 20, SEND, "A", (1, 0), None),
        (2, 30, HANDLE, "B", (1, 0), 1),
        (3, 40, SEND, "A", (1, 0), None),
        (4, 50, HANDLE, "B", (1, 1), 3),
    ]
    assert whole.index_of("A", 1) == 1
    assert whole.index_of("B", 1) == 4


def test_times_are_those_of_the_document(tmp_path: Path) -> None:
    whole = log(tmp_path, [noted(HANDLE, "env>A:go", 0, 1010)], [], speed=2.5)
    assert [event.time for event in whole.events()] == [25]


def test_what_a_process_knows_stays_known_where_nothing_ticks(tmp_path: Path) -> None:
    whole = log(
        tmp_path,
        [noted(SEND, "A>B:m", 1), noted(HANDLE, "env>A:go", 0, 1030)],
        [],
        [tick(SEND, "A>B:m", 1020, (1, 7))],
    )
    assert [event.clock for event in whole.events()] == [(1, 7), (1, 7)]


@pytest.mark.parametrize(
    ("a", "b", "a_ticks", "wrong"),
    [
        pytest.param(
            [noted(SEND, "A>B:m", 1, 1030)],
            [noted(HANDLE, "A>B:m", 1, 1020)],
            [],
            "before it was sent",
            id="an inversion",
        ),
        pytest.param([], [noted(HANDLE, "A>B:m", 1, 1020)], [], "before it was sent", id="unsent"),
        pytest.param(
            [noted(HANDLE, "env>A:go", 0, 1030), noted(HANDLE, "env>A:go", 0, 1020)],
            [],
            [],
            "before what was before",
            id="time that runs back",
        ),
        pytest.param([noted(SEND, "A>B:m", 1)], [], [], "ticked", id="no tick"),
        pytest.param(
            [noted(SEND, "A>B:m", 1)],
            [],
            [tick(SEND, "A>B:n", 1020, (1, 0))],
            "ticked",
            id="another tick",
        ),
        pytest.param([], [], [tick(SEND, "A>B:n", 1020, (1, 0))], "was not noted", id="a tick"),
    ],
)
def test_what_does_not_fit_together_is_refused(
    tmp_path: Path, a: list[Noted], b: list[Noted], a_ticks: list[str], wrong: str
) -> None:
    with pytest.raises(InternalError, match=wrong):
        [*log(tmp_path, a, b, a_ticks).events()]


def test_a_message_that_is_sent_twice_is_handled_twice(tmp_path: Path) -> None:
    whole = log(
        tmp_path,
        [noted(SEND, "A>B:m", 1, 1010), noted(SEND, "A>B:m", 2, 1020)],
        [noted(HANDLE, "A>B:m", 1, 1030), noted(HANDLE, "A>B:m", 2, 1040)],
    )
    assert [event.sent_at for event in whole.events()] == [None, None, 0, 1]
