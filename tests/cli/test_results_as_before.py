"""What commands write of a property that is not for each instance is, to the byte, what it was
before there were instances: `BEFORE` was recorded then. What agents write and send:
`tests/runtime/test_bytes_as_before.py`."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from tests.cli.command_line import choreomon

DOCUMENT = """\
name: as before
application:
  processes:
    - id: shop
      handlers:
        order: [{send: {to: bank, message: charge}}]
        cancel: [{send: {to: bank, message: refund}}]
        hurry: [{send: {to: carrier, message: ship}}]
        done: []
        refunded: []
    - id: bank
      handlers:
        charge: [{send: {to: shop, message: done}}]
        refund: [{send: {to: shop, message: refunded}}]
    - id: carrier
      handlers: {ship: []}
  start:
    - {to: shop, message: order, at: 0}
    - {to: shop, message: cancel, at: 20}
    - {to: shop, message: hurry, at: 21}
    - {to: shop, message: order, at: 60}
    - {to: shop, message: hurry, at: 90}
network:
  delay: {uniform: [1, 20]}
property:
  sequences:
    - steps: ["shop -> bank : refund", "shop -> carrier : ship"]
      cancel: [{on: "bank -> shop : done", after: [1, 1], back_to: 0}]
    - steps: ["bank -> shop : refunded", "shop -> carrier : ship"]
"""
BEFORE = {
    "simulate --json": (825, "75b24f35748d38e0"),
    "audit --json": (2070, "b3e1a18d9528f01a"),
    "the trace": (3133, "5efa38314228b5ff"),
    "the trace of the monitors": (2864, "aa550e30db5d1c92"),
}


def recorded(text: str) -> tuple[int, str]:
    return len(text), sha256(text.encode()).hexdigest()[:16]


def test_traces_and_results_are_what_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("doc.yaml").write_text(DOCUMENT, encoding="utf-8")
    simulated = choreomon(
        "simulate", "doc.yaml", "--seed", 3, "--json", "--trace", "t", "--trace-monitors"
    )
    audited = choreomon("audit", "doc.yaml", "t/run-3.jsonl", "--json")
    assert {
        "simulate --json": recorded(simulated.out),
        "audit --json": recorded(audited.out),
        "the trace": recorded(Path("t/run-3.jsonl").read_text(encoding="utf-8")),
        "the trace of the monitors": recorded(
            Path("t/monitors-3.jsonl").read_text(encoding="utf-8")
        ),
    } == BEFORE
