"""A property for each instance is opened beside another one while services run: they are told
before which values are wanted, and nothing that they do meanwhile is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from choreomon.agent_files.agent_config import load_tables
from choreomon.agent_files.agent_document import load_agent_config
from choreomon.agent_files.digests import KEY_BYTES
from choreomon.agent_files.split_names import system_id
from choreomon.agent_files.table_file import SplitTable, write_table
from choreomon.documents.read import parse_document
from choreomon.properties.tables import transition_tables
from choreomon.runtime.agent import Agent
from choreomon.runtime.operations.logs import Log
from choreomon.sdk import connect
from tests.runtime.conftest import Run

PROPERTIES = {
    "plain": 'property: {sequences: [{steps: ["bank -> shop : bill", "bank -> shop : charge"]}]}',
    "orders": """
property:
  for_each: [order]
  sequences: [{steps: ["bank -> shop : cancelled(order)", "bank -> shop : charge(order)"]}]
""",
}
CONFIG = """\
process: bank
tables: [{tables}]
closing: [{closing}]
listen: tcp://127.0.0.1:0
local: {{path: run/bank.sock}}
insecure: true
store: bank.db
verdicts: [{{file: verdicts.jsonl}}]
"""


def split(folder: Path) -> None:
    for name, text in PROPERTIES.items():
        document = parse_document(text, f"{name}.yaml")
        loaded = document.property
        assert loaded is not None
        names, parameters = document.processes, loaded.parameters
        tables = transition_tables(loaded.automaton, names, "precise", parameters)
        system = system_id(loaded.automaton, names, "precise", name.encode(), parameters)
        key = b"" if parameters is None else bytes(KEY_BYTES)
        table = SplitTable(system, name, "precise", names, tables["bank"], key=key)
        (folder / f"{name}.json").write_bytes(write_table(table))


def configure(folder: Path, tables: str, closing: str = "") -> Path:
    path = folder / "bank.agent.yaml"
    path.write_text(CONFIG.format(tables=tables, closing=closing))
    return path


def test_values_are_wanted_from_when_services_know_of_them(run: Run, tmp_path: Path) -> None:
    split(tmp_path)

    async def main() -> None:
        config = load_agent_config(configure(tmp_path, "plain.json"))
        agent = Agent(config, load_tables(config), log=Log())
        await agent.start()
        bank = await connect(tmp_path / "run" / "bank.sock", deadline=300.0)
        await bank.sending("shop", "bill")  # of any order: no property asks for one
        configure(tmp_path, "plain.json, orders.json")
        assert agent.reload() == ""
        while len(agent.tables) == 1:  # it is opened when the service has said something again
            await bank.sending("shop", "noise")
            await bank.sending("shop", "bill", order="A-17")
        with pytest.raises(ValueError, match="send charge carries order"):
            await bank.sending("shop", "charge")
        await bank.sending("shop", "cancelled", order="A-17")
        await bank.sending("shop", "charge", order="A-18")
        await bank.sending("shop", "charge", order="A-17")
        told = [(each.property, each.verdict, dict(each.instance)) for each in agent.last_verdicts]
        assert told == [
            # A-18 may have been cancelled before the property was opened: that is a gap.
            ("plain", "violated", {}),
            ("orders", "possibly-violated", {"order": "A-18"}),
            ("plain", "violated", {}),
            ("orders", "violated", {"order": "A-17"}),
        ]
        configure(tmp_path, "plain.json", closing="orders.json")
        assert agent.reload() == ""
        await bank.sending("shop", "charge", order="A-17")
        agent.node.driver.delivered([each.id for each in agent.last_verdicts])
        agent.node.driver.flush()
        configure(tmp_path, "plain.json")
        assert agent.reload() == ""
        assert [each.title for each in agent.tables] == ["plain"]
        await bank.sending("shop", "charge", order="A-17")  # nobody asks, and nobody minds
        assert agent.last_verdicts[-1].property == "plain"
        await bank.close()
        await agent.stop()

    run(main)
