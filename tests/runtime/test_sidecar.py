"""What a sidecar does not take: it is said why, it is counted, and nothing changes."""

from __future__ import annotations

import pytest

from choreomon.agent_files import local
from choreomon.agent_files.wire import encode
from choreomon.core.message import SEND, Label, Message
from choreomon.monitor.host import Host
from choreomon.monitor.messages import Notice
from choreomon.monitor.pull import Monitor
from choreomon.properties.tables import transition_tables
from choreomon.runtime.inputs import FromPeer, Goodbye, Hello, Input, Report
from choreomon.runtime.outputs import Close, Dropped, Output, Reply
from choreomon.runtime.sidecar import Sidecar, SidecarState
from tests.properties.stated import automaton_of

NAMES = ("A", "B")
SYSTEM = bytes(range(16))
PROPERTY = automaton_of(
    "q0", "q2", ("q0", Message("A", "a", "B"), "q1"), ("q1", Message("B", "b", "A"), "q2")
)
HOST = Host(Monitor(transition_tables(PROPERTY, NAMES)["A"], NAMES))
SIDECAR = Sidecar("A", (SYSTEM,), (HOST,), window=2, most_sessions=2)


def after(*inputs: Input) -> tuple[SidecarState, list[Output]]:
    state, outputs = SIDECAR.initial(), list[Output]()
    for given in inputs:
        state, outputs = SIDECAR.step(state, given)
    return state, outputs


def hello(connection: int = 1, session: str = "", fresh: str = "s") -> Hello:
    return Hello(connection, "block", session, fresh, 0)


def report(number: int, *, done: int = 0, name: str = "a", heard: str = "", at: int = 1) -> Report:
    return Report(at, "s", number, done, "send", "B", name, heard, 0)


def refusals(outputs: list[Output]) -> list[str]:
    return [
        each.message.reason
        for each in outputs
        if isinstance(each, Reply) and isinstance(each.message, local.Refused)
    ]


@pytest.mark.parametrize(
    ("before", "given", "reason"),
    [
        ([], report(1), "session"),
        ([hello()], report(1, at=2), "session"),
        ([hello()], report(2), "number"),
        ([hello()], report(1, done=1), "number"),
        ([hello()], report(1, name="no\nname"), "malformed"),
        ([hello()], report(1, heard="!"), "malformed"),
        ([hello(), report(1), report(2)], report(3), "window"),
        ([], hello(session="unknown"), "session"),
        ([hello(), hello(2, "s")], hello(1, "s"), "closing"),
        ([hello()], Goodbye(2, "s"), "session"),
    ],
)
def test_what_a_service_may_not_do_changes_nothing(
    before: list[Input], given: Input, reason: str
) -> None:
    state, _ = after(*before)
    stepped, outputs = SIDECAR.step(state, given)
    assert stepped is state
    assert refusals(outputs) == [reason]
    assert any(isinstance(each, Dropped) and each.reason == reason for each in outputs)
    assert any(isinstance(each, Close) for each in outputs) == (reason != "window")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"rubbish", "malformed"),
        (encode(Notice("B", Label(SEND, Message("B", "b", "A")), (0, 1)), SYSTEM), "kind"),
        (encode(Notice("B", Label(SEND, Message("B", "b", "A")), (0, 1)), bytes(16)), "system"),
    ],
)
def test_what_a_peer_may_not_send_is_dropped(data: bytes, reason: str) -> None:
    state = SIDECAR.initial()
    stepped, outputs = SIDECAR.step(state, FromPeer("B", data))
    assert stepped is state
    assert [each.reason for each in outputs if isinstance(each, Dropped)] == [reason]
    assert len(outputs) == 1  # nothing is answered


def test_a_repeated_report_gets_the_same_answer_and_counts_once() -> None:
    state, first = after(hello(), report(1))
    stepped, again = SIDECAR.step(state, report(1))
    assert stepped is state
    answers = [each for each in (*first, *again) if isinstance(each, Reply)]
    assert answers[0] == answers[1]


def test_the_session_that_was_heard_of_longest_ago_is_evicted() -> None:
    state, _ = after(hello(1, fresh="one"), hello(2, fresh="two"), hello(3, fresh="three"))
    assert list(state.sessions) == ["two", "three"]
