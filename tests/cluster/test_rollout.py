"""What the steps of a rollout give the agents of the cluster, without a container."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from choreomon.agent_files.agent_config import AgentConfig, table_defects
from choreomon.agent_files.agent_document import load_agent_config
from choreomon.agent_files.table_file import SplitTable, load_table
from cluster.prepare import CONFIGURATION, Unprepared, prepare
from cluster.rollout import Named, close_old, leave_out, naming, next_name, open_next
from cluster.trial.course import Window

ROOT = Path(__file__).parents[2]
FIRST, SECOND = ROOT / "cluster/property.yaml", ROOT / "cluster/property-2.yaml"
PROCESSES = ("customer", "orders", "payment", "stock", "shipping")


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    prepare(FIRST, tmp_path)
    return tmp_path


def named(folder: Path, process: str) -> tuple[AgentConfig, list[SplitTable], list[SplitTable]]:
    """What the agent of a process is to have open, and to drain."""
    config = load_agent_config(folder / process / CONFIGURATION)
    tables, closing = (
        [load_table(folder / process / path.name) for path in paths]
        for paths in (config.tables, config.closing)
    )
    assert not [*table_defects(config, [*tables, *closing])]
    return config, tables, closing


def test_a_property_comes_beside_the_present_one_which_is_closed_and_goes(prepared: Path) -> None:
    before = {process: named(prepared, process)[1] for process in PROCESSES}
    open_next(SECOND, prepared)
    for process in PROCESSES:
        _, (old, new), _ = named(prepared, process)
        assert [old] == before[process]
        assert new.system_id != old.system_id
        assert new.after is None  # of a property for each order no history is taken over
    close_old(prepared)
    for process in PROCESSES:
        _, (new,), (old,) = named(prepared, process)
        assert [old] == before[process]
    leave_out(prepared)
    for process in PROCESSES:
        config, _, _ = named(prepared, process)
        assert not config.closing
        tables = [path.name for path in (prepared / process).glob("*.json")]
        assert tables == [config.tables[0].name]


def test_the_way_back_is_a_rollout_like_any_other(prepared: Path) -> None:
    for property_file in (SECOND, FIRST):
        open_next(property_file, prepared)
        close_old(prepared)
        leave_out(prepared)
    config, (table,), _ = named(prepared, "stock")
    assert config.tables[0].name == "stock-3.json"
    assert table.title == "payment saga"


@pytest.mark.parametrize("step", [close_old, leave_out])
def test_a_step_whose_time_has_not_come_changes_nothing(prepared: Path, step) -> None:
    before = {path: path.read_bytes() for path in prepared.rglob("*") if path.is_file()}
    with pytest.raises(Unprepared, match=r"names 1 under `tables` and 0 under `closing`"):
        step(prepared)
    assert before == {path: path.read_bytes() for path in prepared.rglob("*") if path.is_file()}


def test_where_nothing_is_prepared_nothing_can_be_rolled_out(tmp_path: Path) -> None:
    with pytest.raises(Unprepared, match="start the cluster first"):
        close_old(tmp_path)


def test_what_else_a_configuration_says_stays() -> None:
    text = (ROOT / "cluster/agents/shipping.yaml").read_text(encoding="utf-8")
    twice = naming(naming(text, Named(("b.json",), ("a.json",))), Named(("shipping.json",)))
    assert twice == text
    assert "closing: [/etc/choreomon/a.json]" in naming(text, Named(("b.json",), ("a.json",)))


def test_tables_are_numbered() -> None:
    assert next_name("stock", "stock.json") == "stock-2.json"
    assert next_name("stock", "stock-9.json") == "stock-10.json"


def test_the_command_says_what_is_wrong_and_what_it_can_do(tmp_path: Path) -> None:
    for arguments, code, told in (
        (["close", str(tmp_path)], 1, "start the cluster first"),
        (["halve"], 2, "cluster.rollout open FOLDER PROPERTY"),
    ):
        command = [sys.executable, "-m", "cluster.rollout", *arguments]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == code
        assert told in done.stderr


def test_a_window_has_the_parcels_from_its_first_to_its_last() -> None:
    assert [parcel for parcel in range(6) if parcel in Window(2, 4)] == [2, 3, 4]
    assert 10**9 in Window(2)
    assert 1 not in Window(2)
