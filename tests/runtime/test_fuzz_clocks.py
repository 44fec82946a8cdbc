"""Clocks that were run up by a frame that was damaged cut nobody off for good."""

from __future__ import annotations

import pytest

from choreomon.agent_files.wire import NO_SYSTEM, encode
from choreomon.core.message import Message
from choreomon.core.vector_clock import JUMP
from choreomon.core.verdict import Reference
from choreomon.monitor.host import Host
from choreomon.monitor.messages import Inquiry
from choreomon.monitor.pull import Monitor
from choreomon.properties.tables import transition_tables
from choreomon.runtime.inputs import FromPeer
from choreomon.runtime.outputs import Answer, Dropped, Output
from choreomon.runtime.sidecar import Sidecar, SidecarState
from tests.properties.stated import automaton_of

NAMES = ("A", "B", "C")
PROPERTY = automaton_of(
    "q0",
    "q2 q3",
    ("q0", Message("A", "a", "B"), "q1"),
    ("q1", Message("B", "b", "A"), "q2"),
    ("q1", Message("C", "c", "A"), "q3"),
)
ASKED = Reference("q0", "A", "q1")
FINAL = {"B": Reference("q1", "B", "q2"), "C": Reference("q1", "C", "q3")}


def sidecar() -> Sidecar:
    tables = transition_tables(PROPERTY, NAMES)
    return Sidecar("A", (NO_SYSTEM,), (Host(Monitor(tables["A"], NAMES, most_open=512)),))


def inquiry(sender: str, clock: tuple[int, ...], asked: Reference = ASKED) -> FromPeer:
    said = Inquiry(sender, "A", FINAL[sender], clock, (asked,), clock, 0)
    return FromPeer(sender, encode(said))


def refused(outputs: list[Output]) -> list[str]:
    return [each.reason for each in outputs if isinstance(each, Dropped)]


@pytest.mark.parametrize("far", [(0, 5, 9 * JUMP), (9 * JUMP, 5, 0), (0, 9 * JUMP, 3)])
def test_one_who_was_told_too_much_is_taken_again_after_some_repetitions(
    far: tuple[int, ...],
) -> None:
    """Others got the clock of B so far by some frames, each of which could be."""
    agent = sidecar()
    state: SidecarState = agent.initial()
    repeated = 0
    while True:
        before = state.hosts[0].clock
        state, outputs = agent.step(state, inquiry("B", far))
        assert all(now >= then for now, then in zip(state.hosts[0].clock, before, strict=True))
        if not refused(outputs):
            break
        assert refused(outputs) == ["clock"]
        assert not any(isinstance(each, Answer) for each in outputs)
        repeated += 1
    assert 8 <= repeated <= 9
    assert any(isinstance(each, Answer) for each in outputs)


def test_who_may_not_ask_brings_nothing_nearer() -> None:
    agent = sidecar()
    state = agent.initial()
    stepped, outputs = agent.step(state, inquiry("B", (0, 5, 9 * JUMP), FINAL["C"]))
    assert stepped is state
    assert refused(outputs) == ["rights"]
