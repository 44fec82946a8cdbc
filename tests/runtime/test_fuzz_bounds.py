"""What frames of others cost is bounded: how long one may be, how many bytes have one turn."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
import zmq

from choreomon.agent_files.longest_body import longest_body
from choreomon.agent_files.told_traces import (
    MOST_TOLD,
    TRACE_BYTES,
    ToldTraces,
    encode_traces,
)
from choreomon.agent_files.wire import MAX_BYTES, MAX_NAME, NO_SYSTEM, encode
from choreomon.core.message import SEND, Label, Message
from choreomon.core.verdict import NEVER, Reference
from choreomon.monitor.history import Record
from choreomon.monitor.host import Host
from choreomon.monitor.messages import Inquiry, MonitoringMessage, Response, Waiting
from choreomon.monitor.pull import Monitor
from choreomon.monitor.rights import Rights
from choreomon.properties.automaton import StatedTransition, sequence_automaton
from choreomon.properties.tables import transition_tables
from choreomon.runtime.driver import Driver
from choreomon.runtime.inputs import FromPeer, Hello
from choreomon.runtime.network.peer_limits import Limits
from choreomon.runtime.operations.exposition import Exposition
from choreomon.runtime.operations.metrics import Metrics
from choreomon.runtime.operations.status import readings
from choreomon.runtime.outputs import Dropped
from choreomon.runtime.sidecar import Sidecar
from tests.runtime.conftest import Run
from tests.runtime.peer_network import Network, insecure
from tests.runtime.real_agents import agent_of, config_of, tables_of

NAMES = ("A", "B", "C")
LONG = "q" * MAX_NAME
PROPERTY = sequence_automaton(
    initial=[LONG],
    final=["q3"],
    transitions=[
        StatedTransition(LONG, Label(SEND, Message("A", "a", "B")), "q1"),
        StatedTransition("q1", Label(SEND, Message("B", "b", "A")), "q2"),
        StatedTransition("q2", Label(SEND, Message("A", "c", "B")), "q3"),
        StatedTransition("q2", Label(SEND, Message("B", "undo", "A")), LONG),
    ],
)


def host(process: str, most_open: int | None = 512) -> Host:
    return Host(Monitor(transition_tables(PROPERTY, NAMES)[process], NAMES, most_open=most_open))


def longest_messages(of: Host) -> list[MonitoringMessage]:
    """All that others may send to it, as long as it can be."""
    rights, clock = of.rights, (NEVER - 1,) * len(NAMES)
    assert rights.most_records is not None
    messages: list[MonitoringMessage] = []
    for sender, asked in rights.may_ask.items():
        inspected = Reference("\U0001f600" * MAX_NAME, sender, "\U0001f600" * MAX_NAME)
        messages.append(
            Inquiry(sender, rights.process, inspected, clock, tuple(asked), clock, NEVER - 1)
        )
    for (inspected, sender), asked in rights.asked_of.items():
        records = [Record(each, clock, "Frm_p", clock) for each in asked] * rights.most_records
        messages.append(
            Response(sender, rights.process, inspected, NEVER, tuple(records), clock, NEVER)
        )
        messages.append(Waiting(sender, rights.process, inspected, NEVER, NAMES, clock))
    return messages


@pytest.mark.parametrize("process", ["A", "B"])
def test_no_message_that_may_be_sent_is_longer_than_the_longest_body(process: str) -> None:
    one = host(process)
    sizes = [len(encode(message)) for message in longest_messages(one)]
    assert len(sizes) > 2
    assert max(sizes) < longest_body(one.rights) < max(sizes) + 9000 < MAX_BYTES


def test_traces_are_no_longer_than_the_longest_body_of_who_is_hardly_told_anything() -> None:
    """Not even where no messages of monitors are."""
    traces = dict.fromkeys(range(NEVER - MOST_TOLD, NEVER), bytes(TRACE_BYTES))
    told = ToldTraces("\U0001f600" * MAX_NAME, NEVER - 1, traces)
    rights = Rights("A", 0, {"A": 0, "B": 1}, {}, {}, most_records=1)
    assert len(encode_traces(told, NO_SYSTEM)) < longest_body(rights)


def test_what_is_longer_is_refused_unread() -> None:
    sidecar = Sidecar("A", (NO_SYSTEM,), (host("A"),))
    state = sidecar.initial()
    inquiry = longest_messages(host("A"))[0]
    data = encode(inquiry)
    assert isinstance(inquiry, Inquiry)
    _, outputs = sidecar.step(state, FromPeer("B", data))
    assert [each.reason for each in outputs if isinstance(each, Dropped)] != ["oversized"]
    longer = encode(inquiry._replace(asked=inquiry.asked * 1000))
    stepped, outputs = sidecar.step(state, FromPeer("B", longer))
    assert stepped is state
    assert [each.reason for each in outputs if isinstance(each, Dropped)] == ["oversized"]
    assert len(outputs) == 1


def test_an_answer_has_a_bound_on_the_records_of_one_transition() -> None:
    """What judging takes grows with their square, and another transition makes no room for them."""
    one = host("A")
    responses = [each for each in longest_messages(one) if isinstance(each, Response)]
    response = max(responses, key=lambda each: len(each.records))
    low = (0,) * len(NAMES)
    kept = tuple([record._replace(clock=low, since=None) for record in response.records])
    assert len({record.reference for record in kept}) > 1
    right = response._replace(records=kept, clock=low, settled=0)
    assert one.rights.wrong_response(low, right) is None
    wrong = right._replace(records=(kept[0],) * len(kept))
    refused = one.rights.wrong_response(low, wrong)
    assert refused is not None
    assert refused.reason == "answer"


async def test_frames_far_beyond_what_may_be_sent_do_not_wait_in_memory(
    run: Run, tmp_path: Path
) -> None:
    """A peer may let 256 frames wait for each of its connections: not of 1 MiB, where no message of
    the system has more than some thousand bytes."""

    agent = agent_of(config_of(tmp_path))
    await agent.start()
    assert agent.node.peers is not None
    with Network() as network:
        foreign = network.plain_client("A", agent.node.endpoint)
        foreign.send(bytes(10_000))
        while agent.metrics.refusals.get("malformed", 0) < 1:
            await asyncio.sleep(0)
        ended = network.monitor(foreign, zmq.EVENT_DISCONNECTED)
        foreign.send(bytes(100_000))
        while not ended.poll(0):
            await asyncio.sleep(0)
        again = network.plain_client("A", agent.node.endpoint)
        again.send(bytes(10_000))
        while agent.metrics.refusals.get("malformed", 0) < 2:
            await asyncio.sleep(0)
    await agent.stop()


def test_without_a_bound_on_records_there_is_none_on_bytes() -> None:
    assert longest_body(host("A", most_open=None).rights) == MAX_BYTES


async def test_long_frames_leave_everybody_else_a_turn(run: Run) -> None:
    with Network() as network:
        limits = Limits(frame_bytes=100, batch=64, batch_bytes=150)
        bank = network.side(insecure("bank", "shop"), limits=limits)
        foreign = network.plain_client("shop", bank.sockets.endpoint)
        for size in (100, 100, 100, 100, 10, 10, 10, 10):
            foreign.send(bytes(size))
        await bank.until_asked(8)
        batches = "".join(what[0] for what, _, _ in bank.log).split("d")
        assert max(map(len, batches[:2])) <= 2


def test_services_that_come_and_go_leave_no_more_behind_than_there_are_sessions() -> None:
    """Each has a minute to come back, but not when its session was pushed out by newer ones."""
    sidecar = Sidecar("A", (NO_SYSTEM,), (host("A"),), most_sessions=10)
    driver = Driver(sidecar, None, Silent(), lambda: 0.0)
    for number in range(1, 1000):
        driver.take(Hello(number, "block", "", f"s{number}", 0))
        driver.flush()
        driver.disconnected(f"s{number}")
    assert 10 <= len(driver._absent) <= 20


class Silent:
    """Ports that let out nothing."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: None


@pytest.mark.parametrize(
    "accept", ["application/openmetrics-text;version=x", "application/openmetrics-text;version=²"]
)
def test_a_scraper_that_asks_for_what_cannot_be_gets_text(accept: str) -> None:
    table = tables_of()["B"]
    sidecar = Sidecar("B", (NO_SYSTEM,), (Host(Monitor(table.table, table.processes)),))
    exposition = Exposition(
        Metrics("B", [table], now=lambda: 0.0), read=lambda: readings(sidecar, sidecar.initial())
    )
    text, content_type = exposition.text(accept)
    assert text.startswith(b"# HELP")
    assert content_type.startswith("text/plain")
