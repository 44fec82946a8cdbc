"""The manifest of a service with replicas: as that of one process, but for its place and store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from choreomon.agent_files.agent_config import AgentConfig, table_defects
from choreomon.agent_files.agent_document import parse_agent_config
from choreomon.agent_files.key_files import secret_file
from choreomon.agent_files.postgresql import PostgresqlStore
from choreomon.agent_files.role_config import is_of_role
from choreomon.agent_files.table_file import load_table
from tests.cli.command_line import choreomon
from tests.scenarios.console_blocks import ROOT

FOLDER = ROOT / "deploy" / "kubernetes"
DOCUMENT = """\
roles: {shop: 3}
rules: [{id: cancelled, never: "carrier -> home : parcel", after: "shop -> carrier : cancel"}]
"""


def manifests(name: str, instead: str = "") -> dict[str, dict[str, Any]]:
    text = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
    found = yaml.safe_load_all(text.replace(name, instead) if instead else text)
    return {each["kind"]: each for each in found}


SHOP = manifests("shop")
PAYMENT = manifests("payment", "shop")
"""That of the service with one process, as if it were called so, too."""
POD = SHOP["Deployment"]["spec"]["template"]["spec"]


def config() -> AgentConfig:
    return parse_agent_config(SHOP["ConfigMap"]["data"]["agent.yaml"], "agent.yaml")


def test_the_agent_takes_any_slot_and_its_table_fits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shop.yaml").write_text(DOCUMENT, encoding="utf-8")
    assert choreomon("split", "shop.yaml", "-o", "tables").code == 0
    table = load_table("tables/shop.json")
    made = config()
    assert is_of_role(made, [table])
    assert list(table_defects(made, [table])) == []
    assert isinstance(made.store, PostgresqlStore)


def test_there_are_at_most_as_many_pods_as_slots_also_during_a_rollout() -> None:
    spec = SHOP["Deployment"]["spec"]
    assert f"roles: {{shop: {spec['replicas']}}}" in DOCUMENT
    assert spec["strategy"]["rollingUpdate"] == {"maxSurge": 0, "maxUnavailable": 1}


def test_the_password_is_a_variable_and_each_slot_has_its_key() -> None:
    """libpq takes no file of a password that a group may read, as those of `fsGroup` are."""
    (agent,) = POD["initContainers"]
    (password,) = agent["env"]
    assert password["name"] == "PGPASSWORD"
    assert password["valueFrom"]["secretKeyRef"] == {"name": "shop-agent", "key": "password"}
    text = (FOLDER / "shop.yaml").read_text(encoding="utf-8")
    for number in range(SHOP["Deployment"]["spec"]["replicas"]):
        assert f"--from-file={secret_file(f'shop/{number}')}" in text
    made = config()
    assert made.keys is not None
    given = {each["mountPath"]: each["name"] for each in agent["volumeMounts"]}
    assert given[str(made.keys.secret)] == given[str(made.tables[0].parent)] == "given"


def test_all_else_is_as_for_one_process() -> None:
    other = json.loads(json.dumps(PAYMENT["StatefulSet"]["spec"]["template"]))
    template = json.loads(json.dumps(SHOP["Deployment"]["spec"]["template"]))
    (agent,) = template["spec"]["initContainers"]
    del agent["env"]
    mounts = other["spec"]["initContainers"][0]["volumeMounts"]
    mounts[:] = [each for each in mounts if each["name"] != "store"]
    assert template == other
    policy = json.loads(json.dumps(SHOP["NetworkPolicy"]))
    (known, others) = policy["spec"]["ingress"][0]["ports"]
    assert others == {"port": 32768, "endPort": 60999}  # for slots without a pod
    policy["spec"]["ingress"][0]["ports"] = [known]
    assert policy == PAYMENT["NetworkPolicy"]
    made = yaml.safe_load(SHOP["ConfigMap"]["data"]["agent.yaml"])
    single = yaml.safe_load(PAYMENT["ConfigMap"]["data"]["agent.yaml"])
    assert {key for key in made if made[key] != single[key]} == {"keys", "store", "verdicts"}
    assert made.keys() == single.keys()
