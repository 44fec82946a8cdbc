"""Who is named by a monitor that waits for itself (choreomon/monitor/wait_for_graph.py)."""

from __future__ import annotations

import pytest

from choreomon.core.message import Message
from choreomon.monitor.effects import Declared
from tests.laws.unreliable import Execution, Setting
from tests.properties.stated import automaton_of

NAMES = ("P1", "P2")
A = Message("P1", "a", "P2")
ONE, TWO, THREE = (Message("P2", name, "P1") for name in ("one", "two", "three"))
AUTOMATON = automaton_of(
    "q0", "q2 q3 q4", ("q0", A, "q1"), ("q1", ONE, "q2"), ("q2", TWO, "q3"), ("q3", THREE, "q4")
)


@pytest.mark.parametrize(
    ("count", "silent", "waiting_for"),
    [(1, ("P1",), ()), (2, (), ("P1",)), (3, (), ("P1",))],
    ids=["asks P1", "waits for the first", "waits for the second, and this for the first"],
)
def test_who_waits_for_its_own_older_events_names_whom_these_wait_for_and_not_itself(
    count: int, silent: tuple[str, ...], waiting_for: tuple[str, ...]
) -> None:
    run = Execution(Setting(AUTOMATON, NAMES), dead=[0])
    for message in (ONE, TWO, THREE):
        run.sends(message)
    _, (effect,) = run.setting.hosts[1].expire(run.states[1], count)
    assert isinstance(effect, Declared)
    assert effect.verdict is not None
    assert (effect.verdict.silent, effect.verdict.waiting_for) == (silent, waiting_for)
