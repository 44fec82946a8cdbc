"""Services that hold their monitors themselves, over real sockets on loopback."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import pytest

from choreomon.agent_files.agent_config import AgentConfig, LocalAccess
from choreomon.agent_files.clocks.text import Carried
from choreomon.agent_files.split_names import system_id
from choreomon.agent_files.table_file import SplitTable, write_table
from choreomon.core.errors import DocumentError, ProcessClosed
from choreomon.core.live import LiveVerdict
from choreomon.documents.read import parse_document
from choreomon.properties.tables import transition_tables
from choreomon.sdk.embedded import EmbeddedProcess, embed
from choreomon.testing.held_ports import HeldPorts

PROPERTY = """
property:
  sequences:
    - steps: ["A -> B : a", "B -> A : b"]
"""


class Folder(NamedTuple):
    """Where the files of a test are, and the ports that are held for it."""

    path: Path
    ports: Sequence[int]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    held = HeldPorts(2)
    yield Folder(tmp_path, held.ports)
    held.let_go()


FOR_EACH = """
property:
  for_each: [order]
  sequences:
    - steps: ["A -> B : a(order)", "B -> A : b(order)"]
"""


def configurations(
    folder: Folder, *, durable: bool = False, text: str = PROPERTY
) -> dict[str, AgentConfig]:
    document = parse_document(text, "property.yaml")
    loaded = document.property
    assert loaded is not None
    names = document.processes
    system = system_id(loaded.automaton, names, loaded.rules, b"nonce")
    rules, parameters = loaded.rules, loaded.parameters
    tables = transition_tables(loaded.automaton, names, rules, parameters)
    key = b"" if parameters is None else bytes(16)
    ports = dict(zip(names, folder.ports, strict=True))
    configs = {}
    for name in names:
        path = folder.path / f"{name}.json"
        table = SplitTable(system, "two", rules, names, tables[name], key=key)
        path.write_bytes(write_table(table))
        configs[name] = AgentConfig(
            process=name,
            tables=(path,),
            listen=f"tcp://127.0.0.1:{ports[name]}",
            peers={peer: f"tcp://127.0.0.1:{port}" for peer, port in ports.items() if peer != name},
            local=LocalAccess(),
            insecure=True,
            durability="process" if durable else "off",
            store=folder.path / f"{name}.db" if durable else None,
            verdicts=(),
        )
    return configs


class Verdicts:
    """What was told, and a way to wait for it."""

    def __init__(self) -> None:
        self.told: asyncio.Queue[LiveVerdict] = asyncio.Queue()

    async def next(self) -> LiveVerdict:
        return await asyncio.wait_for(self.told.get(), 300)


async def started(configs: dict[str, AgentConfig], told: Verdicts) -> dict[str, EmbeddedProcess]:
    return {
        name: await embed(config, on_verdict=told.told.put_nowait)
        for name, config in configs.items()
    }


@pytest.mark.asyncio
async def test_a_violation_is_declared_with_its_reason(folder: Folder) -> None:
    told = Verdicts()
    processes = await started(configurations(folder), told)
    await processes["B"].handling(await processes["A"].sending("B", "a"))
    await processes["B"].sending("A", "b")
    verdict = await told.next()
    assert (verdict.verdict, verdict.process, verdict.count) == ("violated", "B", 1)
    assert [(str(each.event), each.certain) for each in verdict.because] == [("event 1 of A", True)]
    for process in processes.values():
        await process.close()


@pytest.mark.asyncio
async def test_a_verdict_says_which_traces_its_events_are_in(folder: Folder) -> None:
    told = Verdicts()
    processes = await started(configurations(folder), told)
    first, second = (f"00-{digit * 32}-{'1' * 16}-01" for digit in "ab")
    carried = await processes["A"].sending("B", "a", traceparent=first)
    await processes["B"].handling(carried, traceparent="none")  # not of the property: not looked at
    await processes["B"].sending("A", "b", traceparent=second)
    verdict = await told.next()
    assert verdict.trace_id == "b" * 32
    assert [each.event.trace_id for each in verdict.because] == ["a" * 32]
    await processes["B"].sending("A", "b", traceparent="none")
    assert (await told.next()).trace_id == ""
    assert processes["B"].agent.metrics.refusals == {"trace": 1}
    for process in processes.values():
        await process.close()


@pytest.mark.asyncio
async def test_each_order_is_judged_by_itself(folder: Folder) -> None:
    told, trace = Verdicts(), StringIO()
    configs = configurations(folder, text=FOR_EACH)
    processes = {
        name: await embed(
            configs[name], on_verdict=told.told.put_nowait, trace=trace if name == "B" else None
        )
        for name in ("A", "B")
    }
    first, second = processes["A"], processes["B"]
    carried = await first.sending("B", "a", order="A-17")
    await second.handling(carried, order="A-17")  # no property has it: not looked at
    await second.sending("A", "b", order=18)
    for wrong in ({}, {"order": ""}):
        with pytest.raises(ValueError, match="order"):
            await second.sending("A", "b", **wrong)
    await second.sending("A", "b", order="A-17")
    verdict = await told.next()
    assert (verdict.verdict, verdict.process, verdict.count) == ("violated", "B", 2)
    assert verdict.instance == {"order": "A-17"}
    values = [json.loads(line)["values"] for line in trace.getvalue().splitlines()]
    assert values == [{"order": "18"}, {"order": "A-17"}]
    for process in processes.values():
        await process.close()
    assert told.told.empty()


@pytest.mark.asyncio
async def test_without_the_clock_it_is_only_possible(folder: Folder) -> None:
    """The clock that came with the first message is what makes it certain."""
    told = Verdicts()
    processes = await started(configurations(folder), told)
    await processes["A"].sending("B", "a")
    await processes["B"].sending("A", "b")
    verdict = await told.next()
    assert verdict.verdict == "possibly-violated"
    for process in processes.values():
        await process.close()


@pytest.mark.asyncio
async def test_an_event_that_no_row_mentions_carries_the_clock_on(folder: Folder) -> None:
    """A tells B by a message that no table mentions; B's next event is after A's."""
    told = Verdicts()
    processes = await started(configurations(folder), told)
    first, second = processes["A"], processes["B"]
    await first.sending("B", "a")
    hint = await first.sending("B", "hint")
    assert first.agent.node.driver.committed.hosts[0].clock == (1, 0)
    await second.handling(hint)
    await second.sending("A", "b")
    assert (await told.next()).verdict == "violated"
    for process in processes.values():
        await process.close()


@pytest.mark.asyncio
async def test_a_service_that_comes_back_goes_on_where_it_was(folder: Folder) -> None:
    told = Verdicts()
    configs = configurations(folder, durable=True)
    processes = await started(configs, told)
    carried = await processes["A"].sending("B", "a")
    for process in processes.values():
        await process.close()
    processes = await started(configs, told)
    await processes["B"].handling(carried)
    await processes["B"].sending("A", "b")
    assert (await told.next()).verdict == "violated"
    assert (await processes["A"].sending("B", "a")).clock > carried.clock
    for process in processes.values():
        await process.close()


@pytest.mark.asyncio
async def test_clocks_that_cannot_be_read_are_counted_and_do_no_harm(folder: Folder) -> None:
    told = Verdicts()
    processes = await started(configurations(folder), told)
    await processes["B"].handling(Carried("A", "a", "!!"))
    assert processes["B"].refused_clocks == 1
    for process in processes.values():
        await process.close()


@pytest.mark.asyncio
async def test_nothing_is_taken_after_it_was_closed(folder: Folder) -> None:
    told = Verdicts()
    processes = await started(configurations(folder), told)
    for process in processes.values():
        await process.close()
    with pytest.raises(ProcessClosed):
        await processes["A"].sending("B", "a")
    with pytest.raises(ProcessClosed):
        await processes["A"].sending("B", "hint")


@pytest.mark.asyncio
async def test_a_configuration_that_cannot_be_is_refused(folder: Folder) -> None:
    config = configurations(folder)["A"]
    with pytest.raises(DocumentError, match="give_up"):
        await embed(
            AgentConfig(
                process="A",
                tables=config.tables,
                listen=config.listen,
                peers=config.peers,
                local=LocalAccess(),
                insecure=True,
                durability="off",
                deadline=2.0,
                give_up=1.0,
            )
        )
