"""Agents that answer for slots of their role that nobody has, with a real PostgreSQL."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from choreomon.agent_files.addresses import at_port_of
from choreomon.agent_files.agent_config import AgentConfig, load_tables
from choreomon.agent_files.agent_document import load_agent_config
from choreomon.agent_files.role_config import at_slot, vacant_at
from choreomon.runtime.adopting import Adopting
from choreomon.runtime.agent import Agent
from choreomon.runtime.inputs import Input, Report, decode_batch
from choreomon.runtime.leases.ends import Fenced
from choreomon.runtime.operations.logs import Log
from choreomon.runtime.stores.postgresql.server import Address
from tests.runtime.postgresql.test_any_slot import ROLE, last_verdict, shipped_after, slot_of
from tests.runtime.postgresql.test_moving_agents import AgentProcess, agent
from tests.runtime.postgresql.test_slot_journal import (
    ROLES,
    ask,
    end_connections,
    leases,
    take,
    until_done,
)

SLOTS = ROLES.slots_of("shop")


def held_by(address: Address) -> list[tuple[str, str, str]]:
    found = ask(address, "SELECT slot, holder, used::text FROM lease ORDER BY slot")
    return [(slot.decode(), holder.decode(), used.decode()) for slot, holder, used in found]


def reports(address: Address, slot: str) -> list[Input]:
    rows = ask(address, f"SELECT inputs FROM journal WHERE slot = '{slot}' ORDER BY number")
    return [each for (row,) in rows for each in decode_batch(row)]


def logged(running: AgentProcess, message: str) -> dict[str, Any]:
    """The next log line with this message."""
    assert running.process.stderr is not None
    while True:
        line: dict[str, Any] = json.loads(running.process.stderr.readline())
        if line["message"] == message:
            return line


# --- agents as processes of their own -------------------------------------------------


def test_an_agent_that_is_alone_answers_for_all_slots_and_gives_them_back_at_its_end(
    tmp_path: Path, address: Address
) -> None:
    with agent(tmp_path / "one", address, **ROLE) as one:
        assert one.ready
        service = one.connect()
        service.handling(shipped_after(service.sending("carrier", "refund")))
        assert last_verdict(one)["verdict"] == "violated"
        assert held_by(address) == [
            ("shop/0", "one", "true"),
            ("shop/1", "one", "false"),
            ("shop/2", "one", "false"),
        ]
        one.process.send_signal(signal.SIGTERM)
        assert one.process.wait() == 0
        assert held_by(address) == [(slot, "", "false") for slot in SLOTS]


def test_the_slot_of_a_killed_agent_is_answered_for_by_another_one_with_what_was_committed(
    tmp_path: Path, address: Address
) -> None:
    with ExitStack() as stack:
        one, lost = (stack.enter_context(agent(tmp_path / name, address, **ROLE)) for name in "ab")
        assert one.ready
        slot = slot_of(lost)
        refund = lost.connect().sending("carrier", "refund")
        lost.process.kill()
        one.connect().handling(shipped_after(refund))
        verdict = last_verdict(one)
        assert verdict["verdict"] == "violated"
        assert (slot, "a", "false") in held_by(address)


def test_a_service_that_starts_takes_a_slot_from_who_answers_for_it(
    tmp_path: Path, address: Address
) -> None:
    with ExitStack() as stack:
        one = stack.enter_context(agent(tmp_path / "one", address, **ROLE))
        adopted = {logged(one, "it answers for a slot that nobody has")["slot"] for _ in range(2)}
        assert adopted == {"shop/1", "shop/2"}
        two = stack.enter_context(agent(tmp_path / "two", address, **ROLE))
        assert slot_of(two) == "shop/1"
        gone = logged(one, "it does not answer for this slot any more")
        assert gone["slot"] == "shop/1"
        two.connect().handling(shipped_after(one.connect().sending("carrier", "refund")))
        verdict = last_verdict(two)
        assert (verdict["verdict"], verdict["process"]) == ("violated", "shop/1")


def test_an_agent_that_is_started_again_takes_its_slot_back_and_its_services_session_goes_on(
    tmp_path: Path, address: Address
) -> None:
    with ExitStack() as stack:
        one, lost = (stack.enter_context(agent(tmp_path / name, address, **ROLE)) for name in "ab")
        assert one.ready
        slot, service = slot_of(lost), lost.connect(300.0)
        service.sending("carrier", "refund")
        lost.process.kill()
        while logged(one, "it answers for a slot that nobody has")["slot"] != slot:
            pass
        again = stack.enter_context(agent(tmp_path / "b", address, **ROLE))
        assert slot_of(again) == slot
        one.connect().handling(shipped_after(service.sending("carrier", "refund")))
        assert last_verdict(one)["verdict"] == "violated"
        told = [report for report in reports(address, slot) if type(report) is Report]
        assert len(told) == 2
        assert {report.session for report in told} == {told[0].session}


# --- one look after the other ---------------------------------------------------------


def config_of(folder: Path, address: Address) -> AgentConfig:
    AgentProcess(folder, address, lease="1h", **ROLE).close()
    # That one may have taken a slot before it was killed.
    leases(address, "any").look("shop")
    ask(address, "UPDATE lease SET holder = '', number = number + 1 RETURNING ''")
    return load_agent_config(folder / "agent.yaml")


def played(
    folder: Path, address: Address, play: Callable[[Agent, Adopting], Coroutine[Any, Any, None]]
) -> None:
    async def main() -> None:
        config = config_of(folder, address)
        agent = Agent(config, load_tables(config), log=Log())
        await agent.start()
        assert agent.others is not None
        adopting = Adopting(agent, agent.others)
        try:
            await play(agent, adopting)
        finally:
            running = asyncio.create_task(adopting.run())
            await asyncio.wait([running], timeout=0)
            running.cancel()
            await asyncio.wait([running])
            await agent.stop()

    asyncio.run(main())


def test_it_looks_for_what_nobody_has_and_lets_go_of_what_was_taken(
    tmp_path: Path, address: Address
) -> None:
    async def play(agent: Agent, adopting: Adopting) -> None:
        held = take(leases(address, "other"), "shop/1")
        await adopting.look(starts=True)
        assert [*adopting.agents] == ["shop/2"]
        leases(address, "other").give_back("shop/1", held.lease.number)
        await adopting.look()
        assert [*adopting.agents] == ["shop/2", "shop/1"]
        vacant = adopting.agents["shop/2"]
        take(leases(address, "other"), "shop/2")
        with pytest.raises(Fenced):
            vacant.node.driver.snapshot()
        await adopting.look()
        assert [*adopting.agents] == ["shop/1"]
        assert agent.not_ready() == []

    played(tmp_path / "one", address, play)
    assert ("shop/1", "", "false") in held_by(address)
    assert ("shop/2", "other", "true") in held_by(address)


def test_after_its_configuration_was_read_anew_it_takes_them_anew(
    tmp_path: Path, address: Address
) -> None:
    async def play(agent: Agent, adopting: Adopting) -> None:
        await adopting.look(starts=True)
        before = dict(adopting.agents)
        await adopting.look()
        assert adopting.agents == before
        assert agent.reload() == ""
        await adopting.look()
        assert {*adopting.agents} == {"shop/1", "shop/2"}
        assert all(adopting.agents[slot] is not before[slot] for slot in before)

    played(tmp_path / "one", address, play)


def test_where_the_server_does_not_answer_or_a_table_is_gone_it_looks_again(
    tmp_path: Path, address: Address
) -> None:
    async def play(agent: Agent, adopting: Adopting) -> None:
        assert agent.others is not None
        end_connections(address)
        await adopting.look(starts=True)
        assert adopting.agents == {}
        until_done(partial(agent.others.vacant, SLOTS, starts=True))
        table = tmp_path / "one" / "shop.json"
        moved = table.rename(tmp_path / "moved.json")
        await adopting.look()
        assert adopting.agents == {}
        moved.rename(table)
        await adopting.look()
        assert {*adopting.agents} == {"shop/1", "shop/2"}

    played(tmp_path / "one", address, play)


def test_a_vacant_slot_has_a_port_of_its_own_and_nothing_for_services(
    tmp_path: Path, address: Address
) -> None:
    config = at_slot(config_of(tmp_path / "one", address), "shop/0")
    vacant = vacant_at(config, "shop/1")
    assert (vacant.process, vacant.role, vacant.listen) == ("shop/1", "shop", "tcp://127.0.0.1:0")
    assert (vacant.http, vacant.local.path, vacant.proxies) == (None, None, None)
    assert vacant.store == config.store


@pytest.mark.parametrize(
    ("advertised", "address"), [("", ""), ("tcp://shop:7600", "tcp://shop:40000")]
)
def test_it_is_reached_where_its_agent_is_at_that_port(advertised: str, address: str) -> None:
    assert at_port_of(advertised, "tcp://0.0.0.0:40000") == address
