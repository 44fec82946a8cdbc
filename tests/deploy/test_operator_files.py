"""The files for operators: every metric that they name is one, every configuration in them is
right, and no probe of theirs kills an agent that is busy."""

from __future__ import annotations

import configparser
import json
import re
import shutil
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from choreomon.agent_files.agent_config import AgentConfig
from choreomon.agent_files.agent_document import parse_agent_config
from choreomon.runtime.operations.exposition import Exposition
from choreomon.runtime.operations.http import operations_pages
from choreomon.runtime.operations.metrics import KINDS, REASONS, Metrics
from choreomon.runtime.operations.status import PropertyReadings, Readings
from choreomon.runtime.verdict_counts import VerdictCounts
from tests.agent_files.live_verdicts import two_steps
from tests.deploy.promql import filled, named_in
from tests.docs.tables import table_under
from tests.scenarios.console_blocks import ROOT

DEPLOY = ROOT / "deploy"
ALERTS = DEPLOY / "prometheus" / "alerts.yaml"
DASHBOARD = json.loads((DEPLOY / "grafana" / "choreomon.json").read_text(encoding="utf-8"))
UNIT = DEPLOY / "systemd" / "choreomon-agent@.service"
MANIFESTS = list(
    yaml.safe_load_all((DEPLOY / "kubernetes" / "payment.yaml").read_text(encoding="utf-8"))
)
RULES = [
    rule
    for group in yaml.safe_load(ALERTS.read_text(encoding="utf-8"))["groups"]
    for rule in group["rules"]
]
PANELS = DASHBOARD["panels"]
OF_PROMETHEUS = {"job", "instance"}
"""Labels that every sample gets when it is scraped."""


def exposed() -> dict[str, set[str]]:
    """The labels of each sample that an agent really has, by its name."""
    exposition = Exposition(
        Metrics("P2", [two_steps()["P2"]], now=lambda: 0.0),
        read=lambda: Readings(
            (PropertyReadings(0, (), 0, {}, 0, False, VerdictCounts()),), 0, 0, 0
        ),
    )
    found: dict[str, set[str]] = {"up": set()}  # Prometheus makes that one
    for family in text_string_to_metric_families(exposition.text()[0].decode()):
        for sample in family.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
    return found


EXPOSED = exposed()
KNOWN_TEXTS = {"verdict": set(VerdictCounts().last), "reason": set(REASONS), "kind": set(KINDS)}
EXPRESSIONS = [rule["expr"] for rule in RULES] + [
    target["expr"] for panel in PANELS for target in panel["targets"]
]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expressions_are_ones_and_name_what_agents_expose(expression: str) -> None:
    named = named_in(filled(expression))
    assert named.metrics
    for metric, labels in named.metrics.items():
        assert metric in EXPOSED, f"no agent has {metric}"
        assert labels <= EXPOSED[metric] | OF_PROMETHEUS
        assert named.grouped <= EXPOSED[metric] | OF_PROMETHEUS
    for label, operator, text in named.matched:
        if label in KNOWN_TEXTS:
            assert set(text.split("|") if "~" in operator else [text]) <= KNOWN_TEXTS[label]


def test_a_metric_that_no_agent_has_is_noticed() -> None:
    assert "choreomon_verdicts" not in EXPOSED
    assert EXPOSED["choreomon_verdicts_total"] == {"property", "verdict"}
    assert EXPOSED["choreomon_commit_seconds_bucket"] == {"le"}


# Alerts.


def test_alerts_are_those_of_the_page_with_how_long() -> None:
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    _, _, text = text.partition("Alerts worth having")
    assert text
    told = []
    for when, _ in table_under("## Alerts\n" + text, "Alerts"):
        found = re.fullmatch(r"`(.*)`(?: for (\d+) (minute|day)s?)?", when)
        assert found is not None, when
        told.append(
            (found[1].replace("\\|", "|"), f"{found[2]}{found[3][0]}" if found[2] else None)
        )
    assert [(rule["expr"], rule.get("for")) for rule in RULES] == told


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_an_alert_says_how_bad_it_is_and_what_to_do(rule: dict[str, Any]) -> None:
    assert rule.keys() <= {"alert", "expr", "for", "labels", "annotations"}
    assert re.fullmatch(r"Choreomon[A-Za-z]+", rule["alert"])
    assert rule["labels"]["severity"] in ("info", "warning", "critical")
    assert rule["annotations"].keys() == {"summary", "description"}
    (metric,) = named_in(rule["expr"]).metrics
    for text in rule["annotations"].values():
        for label in re.findall(r"{{ \$labels\.(\w+) }}", text):
            assert label in EXPOSED[metric] | OF_PROMETHEUS


def test_no_two_alerts_have_one_name() -> None:
    names = [rule["alert"] for rule in RULES]
    assert len(names) == len({*names})


@pytest.mark.skipif(
    shutil.which("promtool") is None, reason="no promtool here: tests/deploy/promql.py looks at it"
)
def test_promtool_takes_the_alerts_and_what_panels_show(tmp_path: Path) -> None:
    shown = [filled(target["expr"]) for panel in PANELS for target in panel["targets"]]
    rules = [{"record": f"panel:{n}", "expr": expression} for n, expression in enumerate(shown)]
    panels = tmp_path / "panels.yaml"
    panels.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}))
    for file in (ALERTS, panels):
        checked = subprocess.run(
            ["promtool", "check", "rules", str(file)], capture_output=True, text=True, check=False
        )
        assert checked.returncode == 0, checked.stdout + checked.stderr


# The dashboard.


def test_panels_have_a_place_of_their_own() -> None:
    assert len({panel["id"] for panel in PANELS}) == len(PANELS)
    assert len({panel["title"] for panel in PANELS}) == len(PANELS)
    taken: set[tuple[int, int]] = set()
    for panel in PANELS:
        at = panel["gridPos"]
        assert at["x"] + at["w"] <= 24
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert not cells & taken, panel["title"]
        taken |= cells


def test_every_variable_is_one_of_the_dashboard_or_of_grafana() -> None:
    own = {each["name"] for each in DASHBOARD["templating"]["list"]}
    text = json.dumps(DASHBOARD)
    used = set(re.findall(r"\$\{?([a-zA-Z_]+)", text)) - {"__all"}
    assert used == own | {"__rate_interval", "__range"}
    for panel in PANELS:
        assert panel["datasource"]["uid"] == "${datasource}"
        for target in panel["targets"]:
            assert 'job=~"$job",instance=~"$instance"' in target["expr"]


def test_legends_name_labels_that_are_left() -> None:
    for panel in PANELS:
        for target in panel["targets"]:
            named = named_in(filled(target["expr"]))
            labels = named.grouped if "sum" in target["expr"] else OF_PROMETHEUS
            assert set(re.findall(r"{{(\w+)}}", target["legendFormat"])) <= labels


# systemd.


def unit() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, strict=True, delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(UNIT.read_text(encoding="utf-8"))
    return parser


def test_the_unit_checks_runs_and_reads_keys_anew() -> None:
    service = unit()["Service"]
    config = "/etc/choreomon/%i/agent.yaml"
    assert service["ExecStartPre"].split()[1:] == ["check", config]
    assert service["ExecStart"].split()[1:] == ["agent", "--config", config]
    agent = "/opt/choreomon/bin/choreomon agent"
    assert service["ExecReload"] == f"{agent} reload --config /etc/choreomon/%i/agent.yaml"


def test_nothing_but_its_end_restarts_an_agent_and_its_folders_stay() -> None:
    service = unit()["Service"]
    assert service["Restart"] == "always"
    assert "WatchdogSec" not in service
    assert service["RuntimeDirectoryPreserve"] == "yes"
    assert int(service["RuntimeDirectoryMode"], 8) == 0o700  # what the agent wants of its socket
    assert int(service["StateDirectoryMode"], 8) == 0o700


def test_the_unit_may_do_little() -> None:
    service = unit()["Service"]
    assert service["User"] not in ("", "root")
    assert service["NoNewPrivileges"] == "yes"
    assert service["CapabilityBoundingSet"] == ""
    assert service["ProtectSystem"] == "strict"
    assert {"AF_UNIX", "AF_INET"} <= {*service["RestrictAddressFamilies"].split()}


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here")
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    copy = tmp_path / "choreomon-agent@payment.service"
    text = UNIT.read_text(encoding="utf-8").replace("/opt/choreomon/bin/choreomon", "/bin/true")
    copy.write_text(text, encoding="utf-8")
    checked = subprocess.run(
        ["systemd-analyze", "verify", str(copy)], capture_output=True, text=True, check=False
    )
    assert str(copy.name) not in checked.stderr, checked.stderr


# Kubernetes.


def manifest(kind: str) -> dict[str, Any]:
    (found,) = [each for each in MANIFESTS if each["kind"] == kind]
    return found


POD = manifest("StatefulSet")["spec"]["template"]["spec"]
(AGENT,) = POD["initContainers"]
(SERVICE,) = POD["containers"]


def config() -> AgentConfig:
    return parse_agent_config(manifest("ConfigMap")["data"]["agent.yaml"], "agent.yaml")


def mounts(container: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["mountPath"]: each for each in container["volumeMounts"]}


def test_no_probe_kills_a_busy_agent() -> None:
    assert "livenessProbe" not in AGENT
    assert AGENT["restartPolicy"] == "Always"
    startup, readiness = AGENT["startupProbe"], AGENT["readinessProbe"]
    # It may take its time to start, and what makes it unready is told in minutes, not in seconds.
    assert startup["failureThreshold"] * startup["periodSeconds"] >= 600
    assert readiness["failureThreshold"] * readiness["periodSeconds"] >= 60
    pages = operations_pages(metrics=lambda accept: (b"", ""), not_ready=list, status=bytes)
    for probe in (startup, readiness):
        assert probe["timeoutSeconds"] >= 5
        assert probe["httpGet"]["path"] in pages
    # That the store takes nothing is no reason to be started again.
    assert startup["httpGet"]["path"] == "/healthz"


def test_ports_are_those_of_the_configuration() -> None:
    made = config()
    assert made.http is not None
    ports = {each["name"]: each["containerPort"] for each in AGENT["ports"]}
    assert made.listen.endswith(f":{ports['monitors']}")
    assert made.http.port == ports["operations"]
    for probe in (AGENT["startupProbe"], AGENT["readinessProbe"]):
        assert probe["httpGet"]["port"] == "operations"
    asked = manifest("Service")["spec"]
    assert {each["targetPort"]: each["port"] for each in asked["ports"]} == ports
    # Agents repeat what is not answered; a pod that is not ready has to be found all the same.
    assert asked["publishNotReadyAddresses"] is True
    annotations = manifest("StatefulSet")["spec"]["template"]["metadata"]["annotations"]
    assert annotations["prometheus.io/port"] == str(made.http.port)


def test_every_path_of_the_configuration_is_on_a_volume() -> None:
    made, places = config(), mounts(AGENT)
    assert made.keys is not None
    assert made.local.path is not None
    assert made.store is not None
    volumes = {each["name"]: each for each in POD["volumes"]}
    claims = {
        each["metadata"]["name"] for each in manifest("StatefulSet")["spec"]["volumeClaimTemplates"]
    }
    by_path = {path: each["name"] for path, each in places.items()}
    assert by_path[str(made.keys.peers)] in volumes
    for file in (made.keys.secret, *made.tables):
        assert "secret" in volumes[by_path[str(file.parent)]]
    assert by_path[str(made.store.parent)] in claims
    # The agent makes the folder of its socket itself: that of a volume others can enter.
    assert "emptyDir" in volumes[by_path[str(made.local.path.parent.parent)]]
    assert set(by_path.values()) <= {*volumes} | claims
    assert {each["name"] for each in SERVICE["volumeMounts"]} <= {*volumes}


def test_secrets_are_readable_for_the_agents_group_at_most() -> None:
    (mode,) = [each["secret"]["defaultMode"] for each in POD["volumes"] if "secret" in each]
    assert not mode & (stat.S_IRWXO | stat.S_IWGRP)  # as agents refuse them
    assert mode & stat.S_IRGRP


def test_service_and_agent_are_one_user_who_may_do_little() -> None:
    assert POD["securityContext"]["runAsNonRoot"] is True
    assert POD["securityContext"]["runAsUser"] > 0
    for container in (AGENT, SERVICE):
        assert "runAsUser" not in container["securityContext"]
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert {"name": "CHOREOMON", "value": str(config().local.path)} in SERVICE["env"]


def test_a_process_is_one_agent_with_one_store() -> None:
    assert manifest("StatefulSet")["spec"]["replicas"] == 1
    labels = manifest("StatefulSet")["spec"]["template"]["metadata"]["labels"]
    for kind in ("Service", "NetworkPolicy"):
        spec = manifest(kind)["spec"]
        selector = spec.get("selector") or spec["podSelector"]["matchLabels"]
        assert selector.items() <= labels.items()
    assert "cpu" not in AGENT["resources"]["limits"]
