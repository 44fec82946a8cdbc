"""Services with replicas: each at a slot of its own, which it does not know."""

from __future__ import annotations

import asyncio
import dataclasses
from pathlib import Path

import pytest

from choreomon.agent_files import local
from choreomon.agent_files.agent_config import AgentConfig, LocalAccess, load_tables
from choreomon.agent_files.split_names import system_id
from choreomon.agent_files.table_file import SplitTable, write_table
from choreomon.core.errors import DocumentError
from choreomon.core.live import LiveVerdict
from choreomon.documents.read import parse_document
from choreomon.properties.tables import transition_tables
from choreomon.runtime.configured_sidecar import make_sidecar
from choreomon.runtime.inputs import Hello
from choreomon.runtime.outputs import Reply
from choreomon.sdk.embedded import embed
from choreomon.testing.held_ports import HeldPorts

PROPERTY = """
roles: {shop: 3, carrier: 2}
property:
  for_each: [order]
  sequences:
    - steps: ["shop -> carrier : refund(order)", "handle shop -> carrier : ship(order)"]
"""


def configurations(folder: Path, ports: HeldPorts) -> dict[str, AgentConfig]:
    document = parse_document(PROPERTY, "property.yaml").over_slots()
    loaded = document.property
    assert loaded is not None
    slots, roles = document.processes, document.replicas.roles
    system = system_id(loaded.automaton, slots, loaded.rules, b"nonce")
    tables = transition_tables(loaded.automaton, slots, loaded.rules, loaded.parameters)
    at = dict(zip(slots, ports.ports, strict=True))
    for role in roles.slots:
        table = tables[f"{role}/0"]
        made = SplitTable(system, "p", loaded.rules, slots, table, key=bytes(16), roles=roles)
        Path(folder, f"{role}.json").write_bytes(write_table(made))
    return {
        slot: AgentConfig(
            process=slot,
            tables=(Path(folder, f"{roles.role_of(slot)}.json"),),
            listen=f"tcp://127.0.0.1:{at[slot]}",
            peers={peer: f"tcp://127.0.0.1:{port}" for peer, port in at.items() if peer != slot},
            local=LocalAccess(),
            insecure=True,
            durability="off",
            verdicts=(),
        )
        for slot in slots
    }


@pytest.fixture
def configs(tmp_path: Path) -> dict[str, AgentConfig]:
    ports = HeldPorts(5)
    configs = configurations(tmp_path, ports)
    ports.let_go()
    return configs


@pytest.mark.asyncio
async def test_what_one_replica_did_is_held_against_what_another_one_does(
    configs: dict[str, AgentConfig],
) -> None:
    told = asyncio.Queue[LiveVerdict]()
    at = {slot: await embed(each, on_verdict=told.put_nowait) for slot, each in configs.items()}
    refund = await at["shop/2"].sending("carrier", "refund", order=7)
    assert (refund.sender, refund.name) == ("shop", "refund")
    await at["shop/0"].handling(refund, order=7)  # some way to tell another replica of it
    other = await at["shop/0"].sending("carrier", "ship", order=8)
    await at["carrier/1"].handling(other, order=8)
    ship = await at["shop/0"].sending("carrier", "ship", order=7)
    await at["carrier/1"].handling(ship, order=7)
    verdict = await asyncio.wait_for(told.get(), 300)
    assert (verdict.verdict, verdict.process) == ("violated", "carrier/1")
    assert verdict.instance == {"order": "7"}
    assert [each.event.process for each in verdict.because] == ["shop/2"]
    for process in at.values():
        await process.close()
    assert told.empty()


def test_a_service_is_told_the_name_of_its_role(configs: dict[str, AgentConfig]) -> None:
    config = configs["shop/2"]
    sidecar = make_sidecar(config, load_tables(config))
    assert (sidecar.process, sidecar.named) == ("shop/2", "shop")
    hello = Hello(connection=1, session="", fresh="s", policy="block", lost=0)
    _, outputs = sidecar.step(sidecar.initial(), hello)
    (reply,) = [each for each in outputs if isinstance(each, Reply)]
    assert isinstance(reply.message, local.Welcome)
    assert reply.message.process == "shop"
    assert reply.message.labels == ("shop -> carrier : refund(order)",)


def test_a_slot_that_the_role_has_not_is_refused(configs: dict[str, AgentConfig]) -> None:
    config = dataclasses.replace(configs["shop/2"], process="shop/3")
    with pytest.raises(DocumentError, match="is the table of shop, which has the slots shop/0"):
        load_tables(config)
