"""What can be said of the cluster without a container: that its files keep what they promise."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import indent

import pytest
import yaml

from choreomon.agent_files.agent_config import table_defects
from choreomon.agent_files.agent_document import load_agent_config
from choreomon.agent_files.key_files import load_key_pair, load_public_keys
from choreomon.agent_files.table_file import load_table
from cluster.cases import CASES
from cluster.prepare import CONFIGURATION, Unprepared, prepare

ROOT = Path(__file__).parents[2]
PROCESSES = ("customer", "orders", "payment", "stock", "shipping")
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
SERVICES = COMPOSE["services"]


def test_docker_compose_of_every_age_reads_the_file():
    assert COMPOSE["version"] == "3.8"


def test_every_process_has_a_service_and_an_agent():
    agents = {f"{process}-agent" for process in PROCESSES}
    assert set(SERVICES) == {*PROCESSES, *agents, "prepare", "traffic", "prometheus"}


@pytest.mark.parametrize("name", SERVICES)
def test_a_container_can_do_little(name):
    service = SERVICES[name]
    user, _, group = service["user"].partition(":")
    assert int(user) > 0
    assert int(group) > 0
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["mem_limit"]
    assert service["pids_limit"]
    assert service["cpus"]
    assert "privileged" not in service
    assert "cap_add" not in service
    assert service["logging"]["options"]["max-size"]


@pytest.mark.parametrize("name", SERVICES)
def test_a_container_says_whether_it_is_healthy(name):
    check = SERVICES[name]["healthcheck"]
    # What runs once is over when it has succeeded.
    assert check.get("disable") is True if name == "prepare" else check["test"]


@pytest.mark.parametrize("name", SERVICES)
def test_ports_are_published_on_loopback_alone(name):
    for port in SERVICES[name].get("ports", ()):
        assert re.fullmatch(r"127\.0\.0\.1:\$\{[A-Z_]+:-[0-9]+\}:[0-9]+", port)


def test_no_two_containers_publish_the_same_port():
    published = [port for service in SERVICES.values() for port in service.get("ports", ())]
    assert len(published) == len({re.search(r":-([0-9]+)", port)[1] for port in published})


@pytest.mark.parametrize("process", PROCESSES)
def test_a_service_and_its_agent_meet_at_a_socket_and_nowhere_else(process):
    service, agent = SERVICES[process], SERVICES[f"{process}-agent"]
    assert not {*service["networks"]} & {*agent["networks"]}
    assert service["volumes"] == [f"{process}-socket:/run/choreomon"]
    assert agent["volumes"] == [
        f"{process}-given:/etc/choreomon:ro",
        f"{process}-socket:/run/choreomon",
        f"{process}-store:/var/lib/choreomon",
    ]


def test_only_who_prepares_sees_the_keys_of_several_agents():
    for name, service in SERVICES.items():
        given = [volume for volume in service.get("volumes", ()) if "-given:" in volume]
        assert len(given) <= 1 or name == "prepare"
    assert SERVICES["prepare"]["network_mode"] == "none"


def test_only_networks_of_operators_lead_outside():
    networks = COMPOSE["networks"]
    assert {name for name, network in networks.items() if not network.get("internal")} == {
        "operations"
    }


def test_what_needs_a_registry_is_in_a_profile():
    """Everything else is of the one image that is built here."""
    assert {name for name, service in SERVICES.items() if "build" in service} == {"prepare"}
    for service in SERVICES.values():
        assert service["image"] == "choreomon-saga" or service["profiles"] == ["prometheus"]


def test_prometheus_scrapes_every_agent():
    settings = yaml.safe_load((ROOT / "cluster/prometheus.yml").read_text(encoding="utf-8"))
    (job,) = settings["scrape_configs"]
    assert job["static_configs"][0]["targets"] == [f"{each}-agent:7680" for each in PROCESSES]


@pytest.mark.parametrize("process", PROCESSES)
def test_agents_find_each_other_in_their_own_network(process):
    """Not in that of operators, which all of them are in, too."""
    config = load_agent_config(ROOT / f"cluster/agents/{process}.yaml")
    assert all(config.peers[peer] == f"tcp://{peer}.monitors:7600" for peer in config.peers)
    networks = SERVICES[f"{process}-agent"]["networks"]
    assert networks == {"monitors": {"aliases": [f"{process}.monitors"]}, "operations": {}}


@pytest.mark.parametrize("process", PROCESSES)
def test_the_configuration_of_an_agent_fits_its_container(process):
    config = load_agent_config(ROOT / f"cluster/agents/{process}.yaml")
    assert config.process == process
    assert config.keys is not None
    assert not config.insecure
    assert config.durability == "process"
    written = {mount.split(":")[1] for mount in SERVICES[f"{process}-agent"]["volumes"]}
    paths = [*config.tables, config.keys.secret, config.keys.peers, config.local.path]
    for path in (*paths, config.store):
        assert any(Path(mount) in path.parents for mount in written)
    *_, option, configuration = SERVICES[f"{process}-agent"]["command"]
    assert (option, configuration) == ("--config", f"/etc/choreomon/{CONFIGURATION}")


def test_the_image_holds_no_keys_and_runs_without_rights():
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert "keygen" not in text
    assert "USER 10001:10001" in text
    assert "-c constraints.txt" in text
    assert (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()[1] == "*"


# ---------------------------------------------------------------- what prepares


def test_agents_are_given_what_their_configurations_name(tmp_path):
    assert prepare(ROOT / "cluster/property.yaml", tmp_path)
    systems = set()
    for process in PROCESSES:
        folder = tmp_path / process
        config = load_agent_config(folder / CONFIGURATION)
        table = load_table(folder / config.tables[0].name)
        systems.add(table.system_id)
        assert not list(table_defects(config, [table]))
        assert set(load_public_keys(folder / config.keys.peers.name)) == set(PROCESSES)
        own = load_key_pair(folder / config.keys.secret.name)
        assert own.process == process
        assert [path.name for path in folder.glob("*.key")] == [f"{process}.key"]
    assert len(systems) == 1


def test_what_is_prepared_stays(tmp_path):
    prepare(ROOT / "cluster/property.yaml", tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert not prepare(ROOT / "cluster/property.yaml", tmp_path)
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}


def test_a_preparation_that_was_cut_off_is_made_anew(tmp_path):
    prepare(ROOT / "cluster/property.yaml", tmp_path)
    for process in PROCESSES:
        (tmp_path / process / "prepared").unlink()
    (tmp_path / "stock" / "stock.pub").unlink()
    assert prepare(ROOT / "cluster/property.yaml", tmp_path)
    keys = load_public_keys(tmp_path / "shipping" / "peers")
    assert keys["stock"] == (load_key_pair(tmp_path / "stock" / "stock.key").public,)


def test_another_property_is_refused_where_agents_have_one(tmp_path):
    prepare(ROOT / "cluster/property.yaml", tmp_path)
    other = tmp_path / "other.yaml"
    text = (ROOT / "cluster/property.yaml").read_text(encoding="utf-8")
    other.write_text(text.replace("refunded", "repaid"), encoding="utf-8")
    with pytest.raises(Unprepared, match="make cluster-clean"):
        prepare(other, tmp_path)


# ---------------------------------------------------------------- what the page says


PAGE = (ROOT / "docs/cluster.md").read_text(encoding="utf-8")


def test_the_page_names_every_case_with_its_verdict():
    rows = re.findall(r"^\| `([a-z-]+)` \| .+ \| ([a-z-]+) \|$", PAGE, re.MULTILINE)
    assert rows == [(case.name, case.word or "none") for case in CASES.values()]


def test_the_page_names_the_ports_that_are_published():
    named = set(re.findall(r"127\.0\.0\.1:([0-9]{4})\b", PAGE))
    ports = [port for service in SERVICES.values() for port in service.get("ports", ())]
    assert named == {re.search(r":-([0-9]+)", port)[1] for port in ports}


def test_the_code_on_the_page_is_that_of_the_services():
    (shown,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    source = (ROOT / "cluster/services/service.py").read_text(encoding="utf-8")
    for piece in re.split(r"^ *\.\.\.\n", shown, flags=re.MULTILINE):
        assert indent(piece.strip("\n"), "    ") in source
