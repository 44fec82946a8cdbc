"""Configurations of agents that take any slot of a role."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from choreomon.agent_files.agent_config import AgentConfig, refuse, table_defects
from choreomon.agent_files.agent_document import parse_agent_config
from choreomon.agent_files.key_files import public_file, secret_file
from choreomon.agent_files.role_config import at_each_slot, at_slot, is_of_role, roles_of
from choreomon.agent_files.split_names import system_id
from choreomon.agent_files.table_file import SplitTable
from choreomon.cli.online.keygen import command as keygen
from choreomon.core.errors import DocumentError
from choreomon.documents.read import parse_document
from choreomon.properties.tables import transition_tables
from choreomon.runtime.network.credentials import check_credentials, load_security

STORE = "store: {postgresql: 'postgresql:///monitoring'}\n"
AGENT = """\
process: shop
tables: [shop.json]
listen: tcp://127.0.0.1:0
local: {path: run/agent.sock}
insecure: true
"""
PROPERTY = """
roles: {shop: 3}
property:
  sequences:
    - steps: ["shop -> carrier : refund", "bank -> shop : paid", "handle carrier -> shop : ship"]
"""


def table(process: str) -> SplitTable:
    document = parse_document(PROPERTY, "property.yaml").over_slots()
    found, slots = document.property, document.processes
    assert found is not None
    system = system_id(found.automaton, slots, found.rules, b"nonce")
    made = transition_tables(found.automaton, slots, found.rules)[process]
    return SplitTable(system, "p", found.rules, slots, made, roles=document.replicas.roles)


def config(text: str = STORE, peers: str = "bank, shop/0, shop/1, shop/2") -> AgentConfig:
    named = {peer: f"tcp://127.0.0.1:{place}" for place, peer in enumerate(peers.split(", "), 9)}
    return parse_agent_config(f"{AGENT}peers: {named}\n{text}", "agent.yaml")


def told(config: AgentConfig, *tables: SplitTable) -> str:
    with pytest.raises(DocumentError) as refused:
        refuse(config, table_defects(config, tables))
    return str(refused.value)


def test_the_agent_of_a_role_has_the_table_of_all_slots_and_asks_whom_any_of_them_asks() -> None:
    first = table("shop/0")
    assert first.asked == ("shop/1", "shop/2", "bank")
    assert {*first.asked_by("shop")} == {"bank", "shop/0", "shop/1", "shop/2"}
    assert first.asked_by("shop/0") == first.asked
    assert first.is_for("shop")
    assert first.is_for("shop/0")
    assert not first.is_for("shop/1")
    assert not first.is_for("bank")
    assert not table("bank").is_for("shop")
    assert first.at("shop") is first
    assert is_of_role(config(), [first])
    assert not is_of_role(at_slot(config(), "shop/1"), [first])
    assert list(table_defects(config(), [first])) == []
    assert roles_of([]).slots == {}


def test_at_its_slot_it_knows_its_role_and_asks_all_others() -> None:
    (*_, last) = each = at_each_slot(config(), [table("shop/0")])
    assert [one.process for one in each] == ["shop/0", "shop/1", "shop/2"]
    assert last.role == "shop"
    assert [*last.peers] == ["bank", "shop/0", "shop/1"]
    assert at_each_slot(last, [table("shop/0")]) == [last]


def test_where_any_port_would_do_it_listens_at_that_of_its_slot() -> None:
    found = config()
    assert at_slot(found, "shop/1").listen == "tcp://127.0.0.1:11"
    everywhere = replace(found, listen="tcp://*:0")
    assert at_slot(everywhere, "shop/2").listen == "tcp://*:12"
    assert at_slot(replace(found, listen="tcp://*:7"), "shop/2").listen == "tcp://*:7"
    assert at_slot(replace(found, peers={}), "shop/2").listen == "tcp://127.0.0.1:0"


def test_what_it_lacks_is_told_with_line_and_fix() -> None:
    assert told(config("durability: off\n"), table("shop/0")) == (
        "agent.yaml:1: store: should be a folder with a file for each slot, or {postgresql: URL}; "
        "or name one slot, as in process: shop/0"
    )
    assert list(table_defects(config("store: slots\n"), [table("shop/0")])) == []
    assert told(config("store: slots\n", "bank, shop/0, shop/2"), table("shop/0")) == (
        "agent.yaml:6: peers: have no address of shop/1, where this agent listens when it has that "
        "slot: add shop/1: tcp://HOST:PORT"
    )
    assert told(config(peers="shop/1"), table("shop/0")) == (
        "agent.yaml:6: peers: have no address of bank, whom this agent asks: "
        "add bank: tcp://HOST:PORT"
    )
    assert "is the table of bank, and this is the agent of shop" in told(config(), table("bank"))


def test_its_keys_are_those_of_all_slots_in_a_folder(tmp_path: Path) -> None:
    for name in ("bank", "shop/0", "shop/1", "shop/2"):
        keygen.main([name, "-o", str(tmp_path)], standalone_mode=False)
    keys = f"keys: {{secret: {tmp_path}, peers: {tmp_path}}}\n{STORE}"
    found = parse_agent_config(
        AGENT.replace("insecure: true\n", keys), str(tmp_path / "agent.yaml")
    )
    check_credentials(found, [table("shop/0")])
    assert load_security(at_slot(found, "shop/2"), [table("shop/0")]).process == "shop/2"

    (tmp_path / secret_file("shop/1")).unlink()
    with pytest.raises(DocumentError) as refused:
        check_credentials(found, [table("shop/0")])
    (missing,) = str(refused.value).splitlines()
    assert f":5: keys.secret: {tmp_path / secret_file('shop/1')}: " in missing

    one = keys.replace(str(tmp_path), str(tmp_path / secret_file("shop/2")), 1)
    file = parse_agent_config(AGENT.replace("insecure: true\n", one), "agent.yaml")
    with pytest.raises(DocumentError) as refused:
        check_credentials(file, [table("shop/0")])
    assert "should be a folder with the secret key of each slot of shop" in str(refused.value)
    assert public_file("shop/2") in {each.name for each in tmp_path.iterdir()}


def test_slots_are_found_beside_leases_where_the_store_is_in_the_same_tables() -> None:
    assert list(table_defects(config(peers="bank"), [table("shop/0")])) == []
    slot = AGENT.replace("shop\n", "shop/0\n") + "peers: {bank: 'tcp://127.0.0.1:9'}\n"
    found = parse_agent_config(f"{slot}{STORE}advertise: tcp://localhost:7600\n", "agent.yaml")
    assert found.advertise == "tcp://localhost:7600"
    assert list(table_defects(found, [table("shop/0")])) == []
    file = parse_agent_config(f"{slot}store: shop.db\n", "agent.yaml")
    assert "have no address of shop/1, whom this agent asks" in told(file, table("shop/0"))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ("store: shop.db\nadvertise: tcp://localhost:7600\n", "8: advertise: is told beside the"),
        (f"{STORE}advertise: tcp://shop:7600\n", "8: advertise: should be a loopback address such"),
        (f"{STORE}advertise: tcp://*:7600\n", "8: advertise: should be tcp://HOST:PORT, as in"),
    ],
)
def test_where_an_agent_is_reached_is_told_where_it_can_be(fields: str, message: str) -> None:
    with pytest.raises(DocumentError) as refused:
        config(fields)
    assert f"agent.yaml:{message}" in str(refused.value)
