"""What becomes of the traces that services say of the events that verdicts are about. Those of the
events in their reasons: `test_traces_of_reasons.py`."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from choreomon.agent_files import local
from choreomon.agent_files.local import Report
from choreomon.agent_files.values import TRACE, TRACEPARENT
from choreomon.runtime.driver import Driver
from choreomon.runtime.inputs import (
    Delivered,
    GivenUp,
    Hello,
    ReportWithValues,
    decode_batch,
)
from choreomon.runtime.outputs import Decided, Output
from choreomon.runtime.sidecar import Sidecar, SidecarState
from choreomon.runtime.snapshot import decode_snapshot, encode_snapshot
from tests.runtime.driven import made
from tests.runtime.test_service import Agent, Client, hello

ID = "0af7651916cd43dd8448eb211c80319c"
TRACED = f"00-{ID}-b7ad6b7169203331-01"


def sidecar() -> Sidecar:
    """That of B, which asks A about each `b`."""
    driver, *_ = made(session=None)
    return driver.sidecar


def told(number: int, values: dict[str, str], name: str = "b") -> ReportWithValues:
    return ReportWithValues(1, "s", number, 0, "send", "A", name, "", 0, values)


def after(one: Sidecar, *inputs: Any) -> tuple[SidecarState, list[Output]]:
    state, outputs = one.initial(), list[Output]()
    for given in (Hello(1, "block", "", "s", 0), *inputs):
        state, outputs = one.step(state, given)
    return state, outputs


def version_of(snapshot: bytes) -> int:
    return int(msgspec.msgpack.decode(snapshot)[0])


def test_a_verdict_has_the_trace_of_its_event_and_then_nothing_of_it_is_kept() -> None:
    one = sidecar()
    state, _ = after(one, told(1, {TRACE: ID}), told(2, {}))
    assert dict(state.said.values) == {(0, 1): ((TRACE, ID),)}
    state, outputs = one.step(state, GivenUp(0, 1))
    (verdict,) = [each.declared for each in outputs if isinstance(each, Decided)]
    assert verdict is not None
    assert verdict.said == ((TRACE, ID),)
    assert not state.said.values
    state, _ = one.step(state, Delivered([verdict.id]))
    assert ID.encode() not in encode_snapshot(state, one)


@pytest.mark.parametrize("given_up", [False, True])
def test_a_snapshot_has_traces_and_without_any_it_is_as_before(given_up: bool) -> None:
    one = sidecar()
    more = [GivenUp(0, 1)] if given_up else []
    state, _ = after(one, told(1, {TRACE: ID}), *more)
    snapshot = encode_snapshot(state, one)
    assert version_of(snapshot) == 5
    read = decode_snapshot(snapshot, one)
    assert (read.said.values, read.undelivered) == (state.said.values, state.undelivered)
    assert version_of(encode_snapshot(after(one, told(1, {}), *more)[0], one)) == 3


def test_an_agent_that_was_killed_knows_the_trace_of_what_it_has_not_judged() -> None:
    driver, ports, disk, clock = made()
    driver.take(told(1, {TRACE: ID}))
    driver.flush()
    again = Driver(driver.sidecar, disk, ports, clock)
    again.recover(forgetful=False)
    again.take(GivenUp(0, 1))
    again.flush()
    assert [each.said for each in ports.words] == [((TRACE, ID),)]


# --- what services say ----------------------------------------------------------------


@pytest.fixture
def agent() -> Agent:
    return Agent()


@pytest.fixture
def client(agent: Agent) -> Client:
    found = agent.connect()
    found.says(hello())
    return found


def report(number: int, traceparent: str | int, name: str = "a") -> Report:
    return Report(number, 0, "send", "B", name, "", {TRACEPARENT: traceparent})


def test_what_is_no_trace_is_counted_and_its_event_happens(agent: Agent, client: Client) -> None:
    for number, wrong in enumerate(["", ID, 17, f"00-{'0' * 32}-b7ad6b7169203331-01"], 1):
        (answer,) = client.says(report(number, wrong))
        assert isinstance(answer, local.Clock)
    assert [reason for reason, _ in agent.refused] == ["trace"] * 4
    assert agent.driver.state.hosts[0].clock == (4, 0)


def test_a_trace_is_written_down_only_where_a_verdict_may_have_it(
    agent: Agent, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[object] = []
    monkeypatch.setattr(agent.driver, "take", taken.append)
    client.says(report(1, TRACED), report(2, TRACED, "other"))
    assert [getattr(each, "values", None) for each in taken] == [{TRACE: ID}, None]
    assert agent.refused == []


def test_a_service_cannot_say_what_only_agents_write(agent: Agent, client: Client) -> None:
    client.says(Report(1, 0, "send", "B", "a", "", {TRACE: ID}))
    assert not agent.driver.state.said.values


def test_rows_with_a_trace_are_those_of_values() -> None:
    row = msgspec.msgpack.encode([told(1, {TRACE: ID})])
    assert decode_batch(row) == [told(1, {TRACE: ID})]
