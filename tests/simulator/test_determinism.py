"""One seed gives one run, bit for bit: in two processes, and from one version to the next."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from choreomon.core.strategy_names import STRATEGIES
from choreomon.documents.read import parse_document
from choreomon.logs.trace import trace_line
from simulator.run import simulation

ROOT = Path(__file__).parents[2]
HASH_SEEDS = ("0", "1", "4242")

EVERYTHING = """
application:
  processes:
    - id: P1
      variables: {once: true}
      handlers:
        go: [{send: {to: P2, message: a}}, {send: {to: P3, message: a}}]
        b:
          - if: once
            then: [{assign: {once: false}}, {send: {to: P1, message: go}}]
    - id: P2
      handlers: {a: [{send: {to: P3, message: c}}, {send: {to: P1, message: b}}]}
    - id: P3
      handlers: {a: [{send: {to: P1, message: b}}], c: [{send: {to: P1, message: b}}]}
  start: [{to: P1, message: go, at: 0}, {to: P1, message: go, at: 7.5}]
network:
  delay: DELAY
  links: [{from: P1, to: P3, delay: {uniform: [1, 4]}}]
  service: {exponential: 2}
  monitoring: {in_order: false, service: {uniform: [0, 1]}, deadline: 3}
property:
  sequences:
    - steps: ["P1 -> P2 : a", "handle P1 -> P3 : a", "P2 -> P1 : b"]
      cancel: [{on: "P3 -> P1 : b", after: [1, 2], back_to: 0}]
    - steps: ["handle env -> P1 : go", "P3 -> P1 : b"]
"""

DELAYS = {
    "uniform": ("{uniform: [1, 20]}", "d407b91368ce", [0, 3663, 7500, 8985, 14625, 15119]),
    "exponential": ("{exponential: 8}", "3d58a42a80ec", [0, 3663, 7500, 8985, 10102, 10596]),
    "lognormal": ("{lognormal: [6, 0.8]}", "5f3069bb9a71", [0, 3663, 7500, 8985, 14323, 16753]),
    "constant": ("{constant: 5}", "fedaaab0239a", [0, 3663, 5000, 7500, 8985, 11427]),
}
"""Each distribution with the beginning of the digest of two runs, and with the times of the
first handle events of one, in microseconds."""


def written_by(program: list[str], hash_seed: str, directory: Path) -> dict[str, bytes]:
    """What a command printed and the trace files that it wrote, in a process of its own."""
    directory.mkdir()
    finished = subprocess.run(
        [sys.executable, "-m", "choreomon", *program],
        env={
            **os.environ,
            "PYTHONHASHSEED": hash_seed,
            "PYTHONPATH": str(ROOT),
            "SOURCE_DATE_EPOCH": "0",
        },
        cwd=directory,
        capture_output=True,
        check=False,
    )
    assert finished.returncode in (0, 1, 3), finished.stderr.decode()
    files = {str(p.relative_to(directory)): p.read_bytes() for p in directory.rglob("*.*")}
    return {**files, "printed": finished.stdout}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_processes_with_other_hash_seeds_write_the_same_bytes(
    strategy: str, tmp_path: Path
) -> None:
    document = tmp_path / "everything.yaml"
    document.write_text(EVERYTHING.replace("DELAY", "{lognormal: [6, 0.8]}"), encoding="utf-8")
    command = [
        "simulate",
        str(document),
        "--strategy",
        strategy,
        "--seed",
        "3",
        "--runs",
        "4",
        "--trace",
        "traces",
        "--json",
        "--report",
        "report.html",
    ]
    first, *others = (written_by(command, seed, tmp_path / seed) for seed in HASH_SEEDS)
    traces = [str(Path("traces", f"run-{seed}.jsonl")) for seed in (3, 4, 5, 6)]
    assert sorted(first) == sorted(["printed", "report.html", *traces])
    assert len({first[trace] for trace in traces}) == len(traces)
    assert all(other == first for other in others)


def digest(delay: str) -> str:
    """Of the traces of two runs, unmonitored: how monitors judge has pins of its own."""
    text = EVERYTHING.replace("DELAY", delay).split("property:", maxsplit=1)[0]
    prepared = simulation(parse_document(text, "everything.yaml"))
    told = hashlib.sha256()
    for seed in (1, 2):
        run = prepared.run(seed, keep_events=True)
        for event in run.kept_events:
            told.update(trace_line(event, run.processes).encode())
    return told.hexdigest()[:12]


@pytest.mark.parametrize("name", DELAYS)
def test_runs_are_pinned(name: str) -> None:
    """A change of the random streams, of the order of events or of traces shows here. Where
    it is meant, say so in the changelog: old seeds give other runs then."""
    delay, expected, times = DELAYS[name]
    assert digest(delay) == expected
    prepared = simulation(parse_document(EVERYTHING.replace("DELAY", delay), "everything.yaml"))
    events = prepared.run(1, keep_events=True).kept_events
    assert [event.time for event in events if event.kind == "handle"][:6] == times
