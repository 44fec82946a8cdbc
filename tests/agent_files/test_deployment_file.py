"""One file for all agents: each configuration that is made of it is right, and what is wrong is
told at its lines."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import jsonschema
import pytest
import yaml

from choreomon.agent_files.agent_config import AgentConfig, Keys
from choreomon.agent_files.agent_document import parse_agent_config
from choreomon.agent_files.delivered.sinks import StdoutSink
from choreomon.agent_files.deployment_file import agent_files, load_deployment
from choreomon.agent_files.key_files import secret_file
from choreomon.agent_files.split_names import table_file_names
from choreomon.agent_files.table_file import SplitTable
from choreomon.cli.documents.schemas import deployment_schema
from choreomon.core.errors import DocumentError
from choreomon.core.message import Message
from choreomon.core.names import short
from choreomon.documents.read import parse_document
from choreomon.properties.tables import transition_tables
from tests.agent_files.live_verdicts import two_steps

Made: TypeAlias = Callable[..., dict[str, bytes]]

DEPLOYMENT = """\
addresses:
  P1: tcp://one.internal:7600
  P2: tcp://10.0.0.2:7700
agent:
  keys: {secret: /etc/choreomon/<process>.key, peers: /etc/choreomon/peers}
  local: {path: /run/choreomon/agent.sock}
  store: /var/lib/choreomon/<process>.db
  http: 0.0.0.0:7680
agents:
  P2: {durability: power, http: 0.0.0.0:7681}
"""


def split() -> dict[str, tuple[str, SplitTable]]:
    """P2 asks P1; P3 watches nothing."""
    return {process: (f"{process}.json", table) for process, table in two_steps().items()}


@pytest.fixture
def made(tmp_path: Path) -> Made:
    def made(text: str = DEPLOYMENT, name: str = "deployment.yaml") -> dict[str, bytes]:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return agent_files(load_deployment(path), split())

    return made


def told(made: Made, old: str, new: str) -> list[str]:
    assert DEPLOYMENT.count(old) == 1, old
    with pytest.raises(DocumentError) as refused:
        made(DEPLOYMENT.replace(old, new))
    return [f"{each.line} {each.field}: {each.message}" for each in refused.value.problems]


def test_each_agent_gets_what_all_have_and_what_is_its_own(made: Made) -> None:
    files = made()
    assert list(files) == ["P1.agent.yaml", "P2.agent.yaml"]
    one, two = (parse_agent_config(text, f"/x/{name}") for name, text in files.items())
    assert two == AgentConfig(
        process="P2",
        tables=(Path("/x/P2.json"),),
        listen="tcp://*:7700",
        peers={"P1": "tcp://one.internal:7600"},
        keys=Keys(Path("/etc/choreomon/P2.key"), Path("/etc/choreomon/peers")),
        local=two.local,
        store=Path("/var/lib/choreomon/P2.db"),
        durability="power",
        http=two.http,
        verdicts=(StdoutSink(),),
    )
    assert (str(one.http), str(two.http)) == ("0.0.0.0:7680", "0.0.0.0:7681")
    assert (one.peers, one.listen, one.durability) == ({}, "tcp://*:7600", "process")


def test_the_files_say_where_they_come_from_and_are_the_same_each_time(made: Made) -> None:
    first = made()
    assert first == made()
    head = first["P1.agent.yaml"].splitlines()[0]
    assert head == b"# The agent beside P1, as deployment.yaml has it. Written by choreomon split."


@pytest.mark.parametrize(
    ("address", "listen"),
    [
        ("tcp://127.0.0.1:7600", "tcp://127.0.0.1:7600"),
        ("tcp://localhost:7600", "tcp://127.0.0.1:7600"),
        ("tcp://[::1]:7600", "tcp://[::1]:7600"),
        ("tcp://[fd00::1]:7600", "tcp://*:7600"),
    ],
)
def test_an_agent_listens_where_it_is_reached(made: Made, address: str, listen: str) -> None:
    text = DEPLOYMENT.replace("tcp://one.internal:7600", address)
    config = parse_agent_config(made(text)["P1.agent.yaml"], "agent.yaml")
    assert config.listen == listen
    said = text.replace("agents:\n", "agents:\n  P1: {listen: tcp://10.0.0.1:7999}\n")
    config = parse_agent_config(made(said)["P1.agent.yaml"], "agent.yaml")
    assert config.listen == "tcp://10.0.0.1:7999"


def test_who_watches_nothing_has_an_agent_where_an_address_is_said(made: Made) -> None:
    text = DEPLOYMENT.replace("agent:\n", "  P3: tcp://three.internal:7600\nagent:\n")
    assert "P3.agent.yaml" in made(text)


def test_json_is_read_too(made: Made) -> None:
    written = json.dumps(yaml.safe_load(DEPLOYMENT))
    assert made(written, "deployment.json").keys() == made().keys()


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            "  P1: tcp://one.internal:7600\n",
            "",
            "1 addresses: have none of P1, which watches something: add P1: tcp://HOST:PORT",
        ),
        (
            "  P1: tcp",
            "  P4: tcp://four.internal:7600\n  P1: tcp",
            "2 addresses.P4: is no process of the property",
        ),
        ("  P2: {dur", "  P3: {dur", "10 agents.P3: has no address: add one to `addresses`"),
        ("  P2: {dur", "  P9: {dur", "10 agents.P9: is no process of the property"),
        ("tcp://10.0.0.2:7700", "10.0.0.2", "3 addresses.P2: should be tcp://HOST:PORT"),
        ("http: 0.0.0.0:7681", "htp: 0.0.0.0:7681", "10 agents.P2.htp: is no key of this mapping"),
        ("  http: 0", "  htp: 0", "8 agent.htp: is no key of this mapping"),
        ("durability: power", "durability: high", "10 agents.P2.durability: "),
        ("<process>.db", "<process>.db\n  durability: off", "7 agent.store: is never written"),
        ("  store: /var/lib/choreomon/<process>.db\n", "", "4 agent.store: is missing"),
        ("agent:\n", "agent:\n  peers: {}\n", "5 agent.peers: follows from the table"),
        ("{durability", "{process: P1, durability", "10 agents.P2.process: is the name under"),
        ("agents:", "agnets:", "9 agnets: is no key of this mapping; did you mean 'agents'?"),
        ("http: 0.0.0.0:7681", "listen: tcp://x:1", "10 agents.P2.listen: should be tcp://ADDR"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(made: Made, old: str, new: str, problem: str) -> None:
    said = told(made, old, new)
    assert said[0].startswith(problem)
    assert len(said) == 1 or "is missing, and durability is" in said[1]  # it is not the same of all


def test_its_schema_is_one_that_it_fulfils() -> None:
    schema = deployment_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(yaml.safe_load(DEPLOYMENT), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"agent": {}}, schema)


def test_agents_of_any_names_get_files_in_the_folder(tmp_path: Path) -> None:
    processes = ("a/b", "..", "<process>", "\U0001f600:80", '"\\')
    names = table_file_names(processes)
    steps = [str(Message(one, "POST /x", other)) for one, other in pairwise(processes)]
    document = parse_document(json.dumps({"property": {"sequences": [{"steps": steps}]}}), "p.json")
    assert document.property is not None
    automaton = document.property.automaton
    tables = transition_tables(automaton, processes, "precise")
    system = 32 * "0"
    split = {
        name: (names[name], SplitTable(system, "p", "precise", processes, tables[name], ()))
        for name in processes
    }
    deployment = {
        "addresses": {name: f"tcp://h{place}:7600" for place, name in enumerate(processes)},
        "agent": {
            "keys": {"secret": "keys/<process>.key", "peers": "keys"},
            "local": {"path": "agent.sock"},
            "store": "stores/<process>.db",
        },
    }
    path = tmp_path / "deployment.json"
    path.write_text(json.dumps(deployment), encoding="utf-8")
    files = agent_files(load_deployment(path), split)
    assert len(files) == len(processes)
    for (file, text), process in zip(files.items(), processes, strict=True):
        config = parse_agent_config(text, f"/x/{file}")
        assert config.process == process
        assert config.tables == (Path("/x") / names[process],)
        assert config.store == Path("/x/stores") / f"{short(process)}.db"
        assert config.keys is not None
        assert config.keys.secret == Path("/x/keys") / secret_file(process)
        assert set(config.peers) == set(split[process][1].asked)


ROLES = """
roles: {shop: 3}
property: {sequences: [{steps: ["shop -> bank : pay", "bank -> shop : paid"]}]}
"""


def split_of_roles() -> dict[str, tuple[str, SplitTable]]:
    """bank asks the slots of shop, and they each other."""
    document = parse_document(ROLES, "roles.yaml").over_slots()
    assert document.property is not None
    slots, roles = document.processes, document.replicas.roles
    tables = transition_tables(document.property.automaton, slots, "precise")
    return {
        slot: (
            f"{roles.role_of(slot)}.json",
            SplitTable(32 * "0", "p", "precise", slots, tables[slot], roles=roles),
        )
        for slot in slots
    }


def test_what_stands_under_a_role_is_meant_for_each_of_its_slots(tmp_path: Path) -> None:
    split = split_of_roles()
    slots = tuple(split)
    deployment = {
        "addresses": {
            "shop/1": "tcp://elsewhere:7600",
            "shop": "tcp://shop-<slot>.shop:7600",
            "bank": "tcp://bank:7600",
        },
        "agent": {
            "keys": {"secret": "keys/<process>.key", "peers": "keys"},
            "local": {"path": "agent.sock"},
            "store": "<process>.db",
        },
        "agents": {"shop": {"durability": "power"}, "shop/2": {"deadline": "2s"}},
    }
    path = tmp_path / "deployment.json"
    path.write_text(json.dumps(deployment), encoding="utf-8")
    files = agent_files(load_deployment(path), split)
    configs = {
        config.process: config
        for config in (parse_agent_config(text, file) for file, text in files.items())
    }
    assert [*configs] == [*slots]
    assert "shop~slot2.agent.yaml" in files
    assert configs["bank"].peers == {
        "shop/0": "tcp://shop-0.shop:7600",
        "shop/1": "tcp://elsewhere:7600",
        "shop/2": "tcp://shop-2.shop:7600",
    }
    assert {configs[slot].tables for slot in slots[:3]} == {(Path("shop.json"),)}
    assert [configs[slot].durability for slot in slots] == ["power", "power", "power", "process"]
    assert [configs[slot].deadline for slot in slots] == [1.0, 1.0, 2.0, 1.0]


ANYWHERE = """\
addresses: {shop: "tcp://*:7600", bank: tcp://bank.internal:7600}
agent:
  keys: {secret: keys, peers: keys}
  local: {path: agent.sock}
  store: {postgresql: postgresql:///monitoring}
"""


def of_roles(tmp_path: Path, text: str) -> dict[str, bytes]:
    path = tmp_path / "deployment.yaml"
    path.write_text(text, encoding="utf-8")
    return agent_files(load_deployment(path), split_of_roles())


def test_agents_that_take_any_slot_of_a_role_have_one_configuration(tmp_path: Path) -> None:
    files = of_roles(tmp_path, ANYWHERE + "agents: {shop: {deadline: 2s}}\n")
    assert [*files] == ["shop.agent.yaml", "bank.agent.yaml"]
    shop, bank = (parse_agent_config(text, name) for name, text in files.items())
    assert (shop.process, shop.listen, shop.deadline) == ("shop", "tcp://*:7600", 2.0)
    assert shop.tables == (Path("shop.json"),)
    assert bank.peers == {}


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("{postgresql: postgresql:///monitoring}", "stores", 1, "have no address of shop/0, where"),
        ("tcp://bank.internal:7600", '"tcp://*:1"', 1, "should be tcp://HOST:PORT, where others"),
        ("ng}\n", "ng}\nagents: {shop/1: {}}\n", 6, "is no process of the property"),
        ('"tcp://*:7600"', '"tcp://*:0"', 1, "should be tcp://HOST:PORT, as in tcp://shop:7600"),
    ],
)
def test_what_cannot_be_anywhere_is_told(
    tmp_path: Path, old: str, new: str, line: int, message: str
) -> None:
    assert old in ANYWHERE
    with pytest.raises(DocumentError) as refused:
        of_roles(tmp_path, ANYWHERE.replace(old, new))
    assert any(each.line == line and message in str(each) for each in refused.value.problems)
