"""A real agent that takes new tables while it runs, and what it says where it cannot."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from choreomon.agent_files.agent_config import load_tables
from choreomon.agent_files.agent_document import load_agent_config
from choreomon.agent_files.clocks.text import KEY_BYTES, decode_clocks_untrusted
from choreomon.agent_files.split_names import system_id
from choreomon.agent_files.status_json import decode_status_untrusted
from choreomon.agent_files.succession import predecessors
from choreomon.agent_files.table_file import SplitTable, write_table
from choreomon.core.errors import DocumentError
from choreomon.properties.tables import transition_tables
from choreomon.runtime.agent import Agent
from choreomon.runtime.driver import Driver
from choreomon.runtime.inputs import GivenUp
from choreomon.runtime.operations.logs import Log
from choreomon.runtime.reload_request import NotAsked, ask_to_reload
from choreomon.sdk import connect
from tests.runtime.conftest import Run
from tests.runtime.test_reloading import (
    CHARGE,
    HINT_THEN_CHARGE,
    NAMES,
    OFF_THEN_CHARGE,
    OTHER_LAST,
)

CONFIG = """\
process: bank
tables: [{tables}]
closing: [{closing}]
listen: tcp://127.0.0.1:0
peers: {{shop: "tcp://127.0.0.1:9"}}
local: {{path: run/bank.sock}}
insecure: true
store: bank.db
http: 127.0.0.1:0
verdicts: [{{file: verdicts.jsonl}}]
{more}"""


def split(folder: Path) -> None:
    """Three systems, each of which follows the one before, but for the third."""
    old = {}
    for name, automaton in (("1", OFF_THEN_CHARGE), ("2", OTHER_LAST), ("3", HINT_THEN_CHARGE)):
        id = system_id(automaton, NAMES, "precise", name.encode())
        made = transition_tables(automaton, NAMES, "precise")
        table = SplitTable(id, "two", "precise", NAMES, made["bank"])
        if name == "2":
            followed = predecessors(old["id"], old["id"], old["tables"], made)
            table = dataclasses.replace(table, after=followed["bank"])
        old = {"id": id, "tables": made}
        (folder / f"{name}.json").write_bytes(write_table(table))


def configure(folder: Path, tables: str, closing: str = "", more: str = "") -> Path:
    path = folder / "bank.agent.yaml"
    path.write_text(CONFIG.format(tables=tables, closing=closing, more=more))
    return path


def agent_of(path: Path) -> Agent:
    config = load_agent_config(path)
    return Agent(config, load_tables(config), log=Log())


def held(agent: Agent) -> list[str]:
    return [path for path in "123" if id_of(agent, path) in {t.system_id for t in agent.tables}]


def id_of(agent: Agent, name: str) -> str:
    return load_tables(
        dataclasses.replace(
            agent.config, tables=(Path(agent.config.file).parent / f"{name}.json",), closing=()
        )
    )[0].system_id


def test_tables_come_and_go_while_it_runs_and_after_it_was_restarted(
    run: Run, tmp_path: Path
) -> None:
    split(tmp_path)

    async def main() -> None:
        agent = agent_of(configure(tmp_path, "1.json"))
        await agent.start()
        configure(tmp_path, "1.json, 2.json, 3.json")
        assert agent.reload() == ""
        assert held(agent) == ["1", "2", "3"]
        await agent.stop()
        agent = agent_of(configure(tmp_path, "3.json, 2.json", "1.json"))
        await agent.start()  # this changes it as well
        status = decode_status_untrusted(agent._status())
        assert [each.drained for each in status.properties] == [False, False, True]
        configure(tmp_path, "2.json, 3.json")
        assert agent.reload() == ""
        assert held(agent) == ["2", "3"]
        await agent.stop()

    run(main)


def test_services_carry_on_the_clock_of_a_property_that_was_added(run: Run, tmp_path: Path) -> None:
    """Else what one process knows of another one would be lost between the two, for as long as
    their connections last."""
    split(tmp_path)

    async def main() -> None:
        agent = agent_of(configure(tmp_path, "1.json"))
        await agent.start()
        service = await connect(tmp_path / "run" / "bank.sock", deadline=300.0)
        configure(tmp_path, "1.json, 3.json")
        assert agent.reload() == ""
        while len(held(agent)) < 2:
            await asyncio.sleep(0)  # until the service has said hello, since it learns a label
        carried = await service.sending("shop", "charge")
        assert decode_clocks_untrusted(carried.clock).keys() == {
            bytes.fromhex(id_of(agent, name))[:KEY_BYTES] for name in "13"
        }
        await service.close(deadline=0.0)
        await agent.stop()

    run(main)


def test_what_waited_for_a_slice_is_opened_after_it_whatever_is_due_by_then(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    split(tmp_path)

    async def main() -> None:
        agent = agent_of(configure(tmp_path, "1.json"))
        await agent.start()
        configure(tmp_path, "1.json, 2.json")
        due = [GivenUp(0, 1)]

        def going_on(driver: Driver, enough: Callable[[], bool]) -> None:
            due.clear()
            go_on(driver, enough)

        go_on = Driver.go_on
        monkeypatch.setattr(Driver, "passing", property(lambda driver: bool(due)))
        monkeypatch.setattr(Driver, "go_on", going_on)
        assert agent.reload() == ""
        assert held(agent) == ["1"]
        agent.node._slices.soon()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert held(agent) == ["1", "2"]
        await agent.stop()

    run(main)


def test_what_is_wrong_changes_nothing_and_is_said(run: Run, tmp_path: Path) -> None:
    split(tmp_path)

    async def main() -> None:
        agent = agent_of(configure(tmp_path, "1.json"))
        await agent.start()
        for tables, closing, more, why in (
            ("none.json", "", "", "none.json"),
            ("2.json", "", "", "name it in `closing` until it is drained"),
            ("1.json", "1.json", "", "is among the tables, too"),
            ("1.json", "", "deadline: 2s", "deadline: cannot change while the agent runs"),
        ):
            configure(tmp_path, tables, closing, more)
            assert why in agent.reload()
            assert held(agent) == ["1"]
        configure(tmp_path, "1.json")
        assert agent.reload() == ""
        await agent.stop()

    run(main)


def test_it_does_not_start_without_a_table_of_what_is_in_its_store(
    run: Run, tmp_path: Path
) -> None:
    split(tmp_path)

    async def main() -> None:
        agent = agent_of(configure(tmp_path, "1.json"))
        await agent.start()
        await agent.stop()
        with pytest.raises(DocumentError, match="name it under closing"):
            agent_of(configure(tmp_path, "2.json"))
        agent = agent_of(configure(tmp_path, "2.json", "1.json"))
        await agent.start()
        await agent.stop()

    run(main)


def test_what_is_drained_may_be_left_out_at_a_start_after_an_end_in_order(
    run: Run, tmp_path: Path
) -> None:
    split(tmp_path)

    async def main() -> None:
        agent = agent_of(configure(tmp_path, "1.json"))
        await agent.start()
        process = await connect(str(tmp_path / "run" / "bank.sock"))
        await process.sending(CHARGE.receiver, CHARGE.name)
        configure(tmp_path, "3.json, 2.json", "1.json")
        assert agent.reload() == ""
        while held(agent) != ["1", "2", "3"]:
            await asyncio.sleep(0)
        await process.close()
        await agent.stop()
        with pytest.raises(DocumentError, match="stopped in order"):  # one event is undecided
            agent_of(configure(tmp_path, "3.json, 2.json"))
        agent = agent_of(configure(tmp_path, "3.json, 2.json", "1.json"))
        await agent.start()
        driver = agent.node.driver
        driver.take(GivenUp(driver.sidecar.systems.index(bytes.fromhex(id_of(agent, "1"))), 1))
        agent.node.flush()
        while driver.state.undelivered:
            await asyncio.sleep(0)
        clock = driver.state.hosts[0].clock
        await agent._abandon()  # as if it was killed
        with pytest.raises(DocumentError, match="stopped in order"):
            agent_of(configure(tmp_path, "3.json, 2.json"))
        agent = agent_of(configure(tmp_path, "3.json, 2.json", "1.json"))
        await agent.start()
        await agent.stop()
        agent = agent_of(configure(tmp_path, "3.json, 2.json"))
        await agent.start()
        assert held(agent) == ["2", "3"]
        assert not agent.node.driver.state.closed
        assert agent.node.driver.state.hosts[0].clock == clock
        await agent.stop()

    run(main)


def test_a_property_is_open_when_the_service_knows_of_its_events(run: Run, tmp_path: Path) -> None:
    split(tmp_path)

    async def main() -> None:
        agent = agent_of(configure(tmp_path, "1.json"))
        await agent.start()
        process = await connect(str(tmp_path / "run" / "bank.sock"))
        await process.sending(CHARGE.receiver, CHARGE.name)
        configure(tmp_path, "1.json, 2.json")
        assert agent.reload() == ""
        assert held(agent) == ["1"]
        status = decode_status_untrusted(agent._status())
        assert [each.partition(" ")[0] for each in status.opening] == ["two"]
        while held(agent) != ["1", "2"]:
            await asyncio.sleep(0)
        assert not decode_status_untrusted(agent._status()).opening
        await process.sending("shop", "refund")
        assert agent.metrics.ticks == [1, 1]
        clocks = [state.clock for state in agent.node.driver.state.hosts]
        assert clocks == [(0, 3), (0, 3)]  # the opening is the second of them
        await process.close()
        await agent.stop()

    run(main)


def test_it_is_asked_where_its_service_connects(run: Run, tmp_path: Path) -> None:
    split(tmp_path)

    async def main() -> None:
        path = configure(tmp_path, "1.json")
        config = load_agent_config(path)
        with pytest.raises(NotAsked, match="is the agent running"):
            ask_to_reload(config, 5.0)
        agent = agent_of(path)
        await agent.start()
        configure(tmp_path, "1.json, 3.json")
        assert await asyncio.to_thread(ask_to_reload, config, 5.0) == ""
        assert held(agent) == ["1", "3"]
        configure(tmp_path, "3.json")
        told = await asyncio.to_thread(ask_to_reload, config, 5.0)
        assert "name it in `closing`" in told
        await agent.stop()

    run(main)
