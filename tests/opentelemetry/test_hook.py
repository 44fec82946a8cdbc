"""What `opentelemetry-instrument` calls leaves a service alone where something is wrong."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

pytest.importorskip("wrapt", reason="wrapt is not installed: pip install -e '.[test]'")

from choreomon.opentelemetry.hook import monitor
from choreomon.opentelemetry.installed import installed


@pytest.mark.parametrize("address", [None, "", "off"])
def test_without_an_agent_nothing_changes(
    address: str | None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("CHOREOMON", raising=False)
    if address is not None:
        monkeypatch.setenv("CHOREOMON", address)
    monkeypatch.setenv("CHOREOMON_MAPPING", "nowhere.yaml")
    assert not monitor()
    assert caplog.records == []


@pytest.mark.parametrize(
    ("variable", "value", "told"),
    [
        ("CHOREOMON", "yes", "is neither an address nor `off`"),
        ("CHOREOMON_POLICY", "wait", "use one of block, buffer, let-go, fire-and-forget"),
        ("CHOREOMON_MAPPING", "nowhere.yaml", "nowhere.yaml"),
        ("CHOREOMON_MAPPING", "bad.yaml", "bad.yaml:2: routes[0]: is no route"),
        ("CHOREOMON_MAPPING", "lines.yaml", "is a mapping of jsonl: use one of otlp"),
        ("CHOREOMON_MAPPING", "", "OpenTelemetry's SDK makes no spans here"),
    ],
)
def test_what_is_wrong_is_told_and_the_service_goes_on(
    variable: str,
    value: str,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.yaml").write_text("format: otlp\nroutes: [orders]\n")
    Path("lines.yaml").write_text("format: jsonl\nprocess: p\nname: n\n")
    monkeypatch.setenv("CHOREOMON", "./agent.sock")
    monkeypatch.setenv(variable, value)
    with caplog.at_level(logging.ERROR, "choreomon"):
        assert not monitor()
    assert installed() is None
    assert told in caplog.text
