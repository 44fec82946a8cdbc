"""What was declared is counted once, and still known after a restart, however the agent ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from choreomon.agent_files.addresses import Address
from choreomon.agent_files.agent_config import AgentConfig
from choreomon.agent_files.clocks.text import KEY_BYTES, encode_clocks
from choreomon.agent_files.status_json import decode_status_untrusted
from choreomon.agent_files.wire import encode
from choreomon.core.message import SEND, Label, Message
from choreomon.core.verdict import VIOLATED
from choreomon.monitor.effects import Send
from choreomon.monitor.host import Host
from choreomon.monitor.pull import Monitor
from choreomon.runtime.agent import Agent
from choreomon.runtime.delivery.http_client import request
from choreomon.runtime.driver import Driver
from choreomon.runtime.inputs import FromPeer, Hello, Report
from choreomon.runtime.outputs import DeclaredVerdict
from choreomon.terminal.watch import Polled, worst_seen
from tests.runtime.conftest import Run
from tests.runtime.driven import event, made
from tests.runtime.real_agents import agent_of, config_of, tables_of
from tests.runtime.world.drawn import ANY, GAPS, Flavor, draw_case, draw_taste
from tests.runtime.world.playing import Playing

LOOPBACK = Address("127.0.0.1", 0)


# --- in the state -------------------------------------------------------------------


def kinds(verdicts: list[DeclaredVerdict]) -> Counter[str]:
    return Counter(
        "provisional" if each.provisional else each.verdict.kind
        for each in {declared.id: declared for declared in verdicts}.values()
    )


def counted(driver: Driver) -> Counter[str]:
    found: Counter[str] = Counter()
    for counts in driver.committed.counts:
        found.update(counts.last)
        found["provisional"] += counts.provisional
    return +found


@settings(max_examples=60)
@given(st.integers(0, 1 << 32), st.sampled_from([ANY, GAPS]))
def test_each_is_counted_once_whatever_ends_and_is_told_again(seed: int, flavor: Flavor) -> None:
    random = Random(seed)
    playing = Playing(draw_case(random, flavor), draw_taste(random, flavor), random)
    playing.play()
    for name, agent in playing.world.agents.items():
        driver = agent.driver
        if driver is not None and driver.idle and not driver.failing:
            said = [each.declared for each in playing.world.truth.said_by.get(name, ())]
            assert counted(driver) == kinds(said)


def test_what_is_not_committed_is_not_counted() -> None:
    driver, _, disk, _ = made(most_open=1)
    disk.full = True
    for number in (1, 2, 3):
        event(driver, number)
    driver.flush()
    assert driver.state.counts[0].possibly_violated == 2  # given up, as there were more open
    assert driver.committed.counts[0].possibly_violated == 0


def test_before_the_first_commit_of_a_life_what_was_counted_before_is_known() -> None:
    driver, _, disk, _ = made(most_open=1)
    for number in (1, 2, 3):
        event(driver, number)
    driver.flush()
    disk.full = True
    again, *_ = made(most_open=1, disk=disk, session=None)
    assert not again.flush()
    assert again.committed.counts[0].possibly_violated == 2


# --- on pages -----------------------------------------------------------------------


def violate(agent: Agent) -> None:
    """A sends a, B hears of it, sends b and asks A, which answers."""
    driver = agent.node.driver
    table = tables_of()["A"]
    system = driver.sidecar.systems[0]
    host = Host(Monitor(table.table, table.processes, has_deadline=True))
    state, clock, _ = host.report(host.initial(), Label(SEND, Message("A", "a", "B")))
    driver.take(Hello(1, "block", "", "session", 0))
    heard = encode_clocks({system[:KEY_BYTES]: clock})
    driver.take(Report(1, "session", 1, 0, "send", "A", "b", heard, 0))
    (inquiry,) = driver.sidecar.hosts[0].outstanding(driver.state.hosts[0])
    _, effects = host.receive(state, inquiry)
    (response,) = [each.message for each in effects if isinstance(each, Send)]
    driver.take(FromPeer("A", encode(response, system)))
    driver.flush()


async def verdicts_total(agent: Agent) -> dict[str, float]:
    answer = await request(f"http://{agent.http_address}/metrics", timeout=60)
    return {
        sample.labels["verdict"]: sample.value
        for family in text_string_to_metric_families(answer.body.decode())
        for sample in family.samples
        if sample.name == "choreomon_verdicts_total"
    }


async def test_a_first_violation_that_nobody_saw_before_a_restart_is_an_increase(
    run: Run, tmp_path: Path
) -> None:
    config = config_of(tmp_path, http=LOOPBACK)
    async with running(config) as agent:
        before = await verdicts_total(agent)
        assert before == {"violated": 0, "possibly-violated": 0, "withdrawn": 0}
        violate(agent)
        await agent.sinks.close()  # it has no sinks, so that it is delivered
        agent.node.driver.flush()
        assert not len(agent.node.driver.state.undelivered)
        agent.node.driver._store = None  # no last snapshot: as by `kill -9`
    async with running(config) as agent:
        assert await verdicts_total(agent) == {**before, "violated": 1}
        answer = await request(f"http://{agent.http_address}/status", timeout=60)
        status = decode_status_untrusted(answer.body)
        assert status.words["violated"] == 1
        assert worst_seen([Polled("B", status)]) == VIOLATED
    async with running(config) as agent:  # after a stop in order, which leaves a snapshot
        assert await verdicts_total(agent) == {**before, "violated": 1}


@asynccontextmanager
async def running(config: AgentConfig) -> AsyncIterator[Agent]:
    agent = agent_of(config)
    await agent.start()
    try:
        yield agent
    finally:
        await agent.stop()
