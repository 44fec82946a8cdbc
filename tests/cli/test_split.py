"""`choreomon split`: a file a process, of one system, and never a mixture."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

import choreomon.agent_files.table_file as table_file
from choreomon.agent_files.table_file import load_table
from choreomon.documents.read import load_document
from choreomon.properties.tables import transition_tables
from tests.cli.command_line import PROPERTY, SCENARIOS, VIOLATED, Answer, choreomon

SAGA = SCENARIOS / "payment-saga-violating.yaml"


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def split(*arguments: object) -> Answer:
    answer = choreomon("split", *arguments)
    assert (answer.code, answer.err) == (0, "")
    return answer


# --- with a deployment --------------------------------------------------------------

DEPLOYMENT = """\
addresses:
  customer: tcp://127.0.0.1:7601
  payment: tcp://127.0.0.1:7602
  stock: tcp://127.0.0.1:7603
  shipping: tcp://127.0.0.1:7604
agent:
  insecure: true
  local: {path: run/<process>/agent.sock}
  store: <process>.db
"""


@pytest.fixture
def deployment(place: Path) -> Path:
    path = place / "deployment.yaml"
    path.write_text(DEPLOYMENT, encoding="utf-8")
    return path


def test_the_configuration_of_each_agent_is_written_beside_its_table(deployment: Path) -> None:
    answer = split(SAGA, "-o", "tables", "--deployment", "deployment.yaml")
    told = "customer.agent.yaml, payment.agent.yaml, stock.agent.yaml, shipping.agent.yaml"
    assert {*told.split(", ")} <= {path.name for path in Path("tables").iterdir()}
    assert "the configurations of their agents: " in answer.out
    for process in ("customer", "payment", "stock", "shipping"):
        assert choreomon("check", f"tables/{process}.agent.yaml").code == 0
    written = Path("tables/shipping.agent.yaml").read_text()
    assert '"payment": "tcp://127.0.0.1:7602"' in written
    assert not Path("tables/orders.agent.yaml").exists()  # it watches nothing, and has no address
    said = json.loads(split(SAGA, "-o", "again", "--deployment", "deployment.yaml", "--json").out)
    assert {*said["agents"]} == {*told.split(", ")}


def test_where_the_deployment_is_not_right_nothing_is_written(deployment: Path) -> None:
    deployment.write_text(DEPLOYMENT.replace("  stock: tcp://127.0.0.1:7603\n", ""))
    answer = choreomon("split", SAGA, "-o", "tables", "--deployment", "deployment.yaml")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == (
        "deployment.yaml:1: addresses: have none of stock, which watches something: "
        "add stock: tcp://HOST:PORT\n"
    )
    assert not Path("tables").exists()


def test_a_configuration_that_is_there_is_replaced_with_force_alone(deployment: Path) -> None:
    Path("tables").mkdir()
    Path("tables/stock.agent.yaml").write_text("mine")
    arguments = ("split", SAGA, "-o", "tables", "--deployment", "deployment.yaml")
    answer = choreomon(*arguments)
    assert answer.code == 2
    assert "tables: stock.agent.yaml would be replaced, with what was changed there" in answer.err
    assert {path.name for path in Path("tables").iterdir()} == {"stock.agent.yaml"}
    assert choreomon(*arguments, "--force").code == 0
    assert choreomon("check", "tables/stock.agent.yaml").code == 0


def test_the_deployment_itself_is_never_replaced(deployment: Path) -> None:
    Path("stock.agent.yaml").write_text(DEPLOYMENT)
    answer = choreomon("split", SAGA, "-o", ".", "--deployment", "stock.agent.yaml", "--force")
    assert answer.code == 2
    assert "stock.agent.yaml: is read, too: write another file" in answer.err
    assert Path("stock.agent.yaml").read_text() == DEPLOYMENT


# --- what is written ----------------------------------------------------------------


def test_every_process_gets_its_table_and_all_are_of_one_system(place: Path) -> None:
    split(SAGA, "-o", "tables")
    document = load_document(SAGA)
    assert document.property is not None
    expected = transition_tables(document.property.automaton, document.processes, "precise")
    found = {process: load_table(place / "tables" / f"{process}.json") for process in expected}
    assert {process: table.table for process, table in found.items()} == expected
    assert {path.name for path in place.joinpath("tables").iterdir()} == {
        f"{process}.json" for process in document.processes
    }
    (system,) = {table.system_id for table in found.values()}
    assert len(system) == 32
    assert {(t.title, t.rules, t.processes) for t in found.values()} == {
        ("payment-saga, violating", "precise", document.processes)
    }


def test_it_is_said_who_asks_whom_and_that_all_files_go_out_together() -> None:
    answer = choreomon("split", SAGA, "-o", "tables", columns=120)
    assert "payment-saga, violating is split into 5 files in tables, rules precise" in answer.out
    assert "│ shipping │ shipping.json │    3 │ customer, payment, stock │ nobody" in answer.out
    assert "│ payment  │ payment.json  │    2 │ nobody                   │ shipping" in answer.out
    assert "orders watches nothing: its agent only carries clocks" in answer.out
    assert "all agents must get the new files together" in answer.out


def test_no_name_of_a_message_is_shown() -> None:
    """Who runs the agents need not know what the processes tell each other."""
    document = load_document(SAGA)
    assert document.property is not None
    said = split(SAGA, "-o", "tables").out + split(SAGA, "-o", "others", "--json").out
    names = {label.message.name for label in document.property.automaton.labels}
    assert names
    assert [name for name in names if re.search(rf"\b{name}\b", said)] == []


def test_json_is_all_of_it_and_nothing_else() -> None:
    said = json.loads(split("violated.yaml", "-o", "tables", "--json").out)
    assert said == {
        "file": "violated.yaml",
        "system": load_table("tables/P1.json").system_id,
        "title": "violated",
        "rules": "precise",
        "directory": "tables",
        "processes": [
            {"process": "P1", "file": "P1.json", "rows": 1, "asks": [], "asked_by": ["P2"]},
            {"process": "P2", "file": "P2.json", "rows": 1, "asks": ["P1"], "asked_by": []},
            {"process": "P3", "file": "P3.json", "rows": 0, "asks": [], "asked_by": []},
        ],
        "agents": [],
        "left_of_other_systems": [],
        "warnings": [],
    }


def test_the_rules_are_those_of_the_document_or_others_that_are_named() -> None:
    Path("paper.yaml").write_text(PROPERTY.replace("property:", "property:\n  rules: paper"))
    split("paper.yaml", "-o", "a")
    split("paper.yaml", "-o", "b", "--rules", "sound")
    assert load_table("a/P1.json").rules == "paper"
    assert load_table("b/P1.json").rules == "sound"


def test_every_split_makes_another_system() -> None:
    systems = set()
    for directory in ("a", "b", "c"):
        split("property.yaml", "-o", directory)
        systems.add(load_table(f"{directory}/P1.json").system_id)
    assert len(systems) == 3


def test_names_that_only_differ_in_case_are_files_of_their_own(place: Path) -> None:
    steps = '["Shop -> con : a", "shop -> con : b"]'
    Path("case.yaml").write_text(f"property: {{sequences: [{{steps: {steps}}}]}}")
    split("case.yaml", "-o", "tables")
    names = {path.name for path in place.joinpath("tables").iterdir()}
    assert names == {"Shop.json", "shop~2.json", "process~con.json"}
    assert load_table("tables/shop~2.json").process == "shop"


def test_a_file_whose_name_is_no_title_gives_one_that_can_be_read() -> None:
    name = os.fsdecode(b"a\nb\xff.yaml")
    Path(name).write_text(PROPERTY)
    assert choreomon("split", name, "-o", "tables").code == 0
    assert load_table("tables/P1.json").title == r"'a\nb\udcff'"


def test_warnings_of_the_document_are_told_and_change_nothing() -> None:
    text = VIOLATED.replace("handlers: {b: []}", "handlers: {b: [], c: []}").replace(
        '"P2 -> P3 : b"]', '"P2 -> P3 : b", "P1 -> P3 : c"]'
    )
    Path("warned.yaml").write_text(text, encoding="utf-8")
    answer = choreomon("split", "warned.yaml", "-o", "tables")
    assert answer.code == 0
    assert answer.err.startswith("warning: warned.yaml:")
    (warning,) = json.loads(choreomon("split", "warned.yaml", "-o", "x", "--json").out)["warnings"]
    assert "P1 -> P3 : c" in warning["message"]


# --- what is refused ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "said"),
    [
        (
            "application.yaml",
            "application.yaml: property: is missing, and there is nothing to split: say what must "
            "not happen",
        ),
        ("empty.yaml", "is empty"),
        ("nowhere.yaml", "there is no such file"),
        (str(SCENARIOS / "lock.hif"), "holds an interaction: expected a scenario or property"),
    ],
)
def test_what_has_no_property_is_bad_input(file: str, said: str) -> None:
    answer = choreomon("split", file, "-o", "tables")
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    assert not Path("tables").exists()


def test_files_of_two_systems_are_not_mixed(place: Path) -> None:
    split("property.yaml", "-o", "tables")
    before = contents(place / "tables")
    for file in ("property.yaml", SAGA):
        answer = choreomon("split", file, "-o", "tables")
        assert (answer.code, answer.out) == (2, "")
        assert "tables: holds files of another system (P1.json, P2.json, P3.json)" in answer.err
        assert "name another folder, or add --force to replace them" in answer.err
    assert contents(place / "tables") == before


def test_with_force_they_are_replaced(place: Path) -> None:
    split("property.yaml", "-o", "tables")
    before = contents(place / "tables")
    split("property.yaml", "-o", "tables", "--force")
    after = contents(place / "tables")
    assert after.keys() == before.keys()
    assert all(after[name] != before[name] for name in after)


def test_with_force_files_of_processes_that_are_no_more_are_named_and_left(place: Path) -> None:
    split("property.yaml", "-o", "tables")
    answer = choreomon("split", SAGA, "-o", "tables", "--force")
    assert answer.code == 0
    assert "warning: tables/P1.json: is still that of another system: take it away" in answer.err
    assert "P1.json" in contents(place / "tables")
    said = json.loads(choreomon("split", SAGA, "-o", "tables", "--force", "--json").out)
    assert said["left_of_other_systems"] == ["P1.json", "P2.json", "P3.json"]


def test_a_file_that_no_split_wrote_is_replaced_with_force_alone(place: Path) -> None:
    place.joinpath("P2.json").write_text('{"mine": true}')
    answer = choreomon("split", "property.yaml", "-o", ".")
    assert answer.code == 2
    assert ".: P2.json would be replaced, and no split wrote that" in answer.err
    split("property.yaml", "-o", ".", "--force")
    assert load_table("P2.json").process == "P2"


def test_other_files_in_the_folder_are_nobodys_business(place: Path) -> None:
    place.joinpath("package.json").write_text('{"mine": true}')
    place.joinpath("P1.json.bak").write_text("old")
    split("property.yaml", "-o", ".")
    assert place.joinpath("package.json").read_text() == '{"mine": true}'


def test_the_document_itself_is_never_replaced(place: Path) -> None:
    steps = '["p -> q : a", "q -> p : b"]'
    place.joinpath("p.json").write_text(
        json.dumps({"property": {"sequences": [{"steps": json.loads(steps)}]}})
    )
    before = contents(place)
    answer = choreomon("split", "p.json", "-o", ".", "--force")
    assert answer.code == 2
    assert "p.json: is read, too: write another file" in answer.err
    assert contents(place) == before


def test_where_one_file_cannot_be_written_none_is_changed(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    split("property.yaml", "-o", "tables")
    before = contents(place / "tables")
    written = 0

    def full(descriptor: int) -> None:
        nonlocal written
        written += 1
        if written == 3:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    answer = choreomon("split", "property.yaml", "-o", "tables", "--force")
    assert (answer.code, answer.out) == (2, "")
    assert ": cannot be written: No space left on device" in answer.err
    assert "Error: tables/" in answer.err
    assert contents(place / "tables") == before


def test_a_folder_that_cannot_be_made_is_bad_input() -> None:
    answer = choreomon("split", "property.yaml", "-o", "empty.yaml/tables")
    assert (answer.code, answer.out) == (2, "")
    assert "cannot be made" in answer.err


def test_a_table_that_no_agent_would_read_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_file, "MAX_TABLE_BYTES", 300)
    answer = choreomon("split", "property.yaml", "-o", "tables")
    assert answer.code == 2
    assert "property: the table of P1 would be larger than 300 bytes" in answer.err
    assert not Path("tables").exists()


def test_more_processes_than_a_clock_may_have_are_refused() -> None:
    names = [f"p{number}" for number in range(1025)]
    application = {"processes": [{"id": name, "handlers": {"m": []}} for name in names]}
    steps = ["p0 -> p1 : m", "p1 -> p2 : m"]
    document = {"application": application, "property": {"sequences": [{"steps": steps}]}}
    Path("many.json").write_text(json.dumps(document))
    answer = choreomon("split", "many.json", "-o", "tables")
    assert answer.code == 2
    assert "has 1025 processes; at most 1024 are supported: use fewer" in answer.err


# --- for each instance --------------------------------------------------------------

ORDERS = """\
name: refunded orders stay here
property:
  for_each: [order]
  sequences:
    - steps: ["billing -> bank : refund(order)", "shop -> carrier : ship(order)"]
"""


def orders(text: str = ORDERS) -> Path:
    path = Path("orders.yaml")
    path.write_text(text, encoding="utf-8")
    return path


def test_all_files_of_a_split_for_each_instance_have_one_key_and_no_two_splits_have_the_same(
    place: Path,
) -> None:
    answer = split(orders(), "-o", "tables")
    assert "for each order: services say the values" in answer.out
    told = json.loads(split(orders(), "-o", "others", "--json").out)
    assert told["for_each"] == ["order"]
    keys = [
        {load_table(path).key for path in Path(folder).iterdir()} for folder in ("tables", "others")
    ]
    assert [len(each) for each in keys] == [1, 1]
    assert keys[0] != keys[1]
    assert {len(key) for each in keys for key in each} == {16}


def test_a_split_for_each_instance_is_precise_and_has_few_parameters(place: Path) -> None:
    answer = choreomon("split", orders(), "-o", "tables", "--rules", "sound")
    assert answer.code == 2
    assert (
        "property.for_each: is judged by precise rules alone, and not by sound ones" in answer.err
    )
    names = ", ".join(f"p{number}" for number in range(9))
    many = ORDERS.replace("[order]", f"[{names}]").replace("(order)", f"({names})")
    answer = choreomon("split", orders(many), "-o", "tables")
    assert answer.code == 2
    assert "property.for_each: has 9 parameters; agents take 8: use fewer" in answer.err
    assert not Path("tables").exists()


def test_a_split_for_each_instance_follows_none_and_none_follows_it(place: Path) -> None:
    split(orders(), "-o", "tables")
    told = split(orders(), "-o", "later", "--after", "tables").out
    assert "of a property for each instance no history is taken over" in " ".join(told.split())
    assert load_table("later/shop.json").after is None


def test_roles_are_shown_and_have_one_file_each() -> None:
    Path("roles.yaml").write_text(
        "roles: {shop: 3}\nproperty: {sequences: [{steps: ['shop -> bank : pay', "
        "'bank -> shop : paid']}]}\n",
        encoding="utf-8",
    )
    assert "roles: shop (3 slots)" in choreomon("check", "roles.yaml").out
    assert json.loads(choreomon("check", "roles.yaml", "--json").out)["roles"] == {"shop": 3}
    answer = choreomon("split", "roles.yaml", "-o", "of-roles")
    assert answer.code == 0
    assert sorted(path.name for path in Path("of-roles").iterdir()) == ["bank.json", "shop.json"]
    assert "shop (3 slots)" in answer.out
