"""The page about deploying: what it shows is followed, and what it names is there."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from choreomon.agent_files.deployment_file import DeploymentDocument
from choreomon.files.shape_schema import json_schema
from tests.docs.shell_pages import follow
from tests.docs.tables import table_under
from tests.scenarios.console_blocks import ROOT, blocks_of

PAGE = ROOT / "docs" / "deploy.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_who_follows_the_page_gets_the_configurations_that_it_shows(tmp_path: Path) -> None:
    follow(TEXT, tmp_path)


def test_every_file_for_operators_is_on_the_page() -> None:
    shown = set(re.findall(r"\]\(\.\./(deploy/[^)]+)\)", TEXT))
    there = {str(path.relative_to(ROOT)) for path in (ROOT / "deploy").rglob("*") if path.is_file()}
    assert shown == there


def test_every_part_of_a_deployment_is_in_the_table() -> None:
    names = [row[0].strip("`") for row in table_under(TEXT, "All agents from one file")]
    fields = json_schema(DeploymentDocument)["properties"]
    assert names == [name for name in fields if name != "$schema"]


def test_the_job_of_prometheus_is_that_of_the_alerts() -> None:
    blocks = [yaml.safe_load(block) for block in blocks_of(PAGE, "yaml")]
    (scraped,) = [block["scrape_configs"] for block in blocks if "scrape_configs" in block]
    cluster = yaml.safe_load((ROOT / "cluster" / "prometheus.yml").read_text(encoding="utf-8"))
    alerts = (ROOT / "deploy" / "prometheus" / "alerts.yaml").read_text(encoding="utf-8")
    (job,) = set(re.findall(r'job="(\w+)"', alerts))
    for jobs in (scraped, cluster["scrape_configs"]):
        assert [each["job_name"] for each in jobs] == [job]
