"""The command line in this process, as its console script runs it, and documents for it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import pytest

from choreomon.cli import main

ROOT = Path(__file__).parents[2]
SCENARIOS = ROOT / "scenarios"

APPLICATION = """
application:
  processes:
    - id: P1
      handlers: {go: [{send: {to: P2, message: a}}]}
    - id: P2
      handlers: {a: [], go: [{send: {to: P3, message: b}}]}
    - id: P3
      handlers: {b: []}
"""
PROPERTY = """
property:
  sequences: [{steps: ["P1 -> P2 : a", "P2 -> P3 : b"]}]
"""
VIOLATED = (
    APPLICATION
    + "  start: [{to: P1, message: go, at: 0}, {to: P2, message: go, at: 500}]\n"
    + PROPERTY
)
CONFORMING = (
    APPLICATION
    + "  start: [{to: P2, message: go, at: 0}, {to: P1, message: go, at: 500}]\n"
    + PROPERTY
)
POSSIBLE = VIOLATED.replace("at: 500", "at: 0")  # concurrent, and a network without order
STARTED = (
    VIOLATED.split("property:", maxsplit=1)[0].replace("{b: []}", "{b: [], never: []}")
    + """
property:
  automaton:
    initial: [q0, q1]
    final: [q2]
    transitions:
      - {from: q0, to: q1, on: "P1 -> P3 : never"}
      - {from: q1, to: q2, on: "P2 -> P3 : b"}
"""
)
"""q1 is initial although a transition leads to it: the paper's tables forget that."""
ENDLESS = """
application:
  processes:
    - id: A
      handlers: {m: [{send: {to: A, message: m}}]}
  start: [{to: A, message: m}]
network: {max_events: 300, delay: {constant: 1}}
property:
  automaton:
    initial: [q0]
    final: [q1]
    transitions: [{from: q0, to: q1, on: "A -> A : m"}]
"""
KEYS = [
    "seed",
    "events",
    "monitoring_messages",
    "monitoring_bytes",
    "latency_ms",
    "history_records",
    "farthest",
    "labels",
    "verdicts",
    "formed",
]
"""Of a run in the output of `--json`, simulated or real."""


@dataclass(frozen=True)
class Answer:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


def choreomon(*arguments: object, columns: object = 100) -> Answer:
    """Run a command; colours and terminals are as where nobody looks."""
    out, err = io.StringIO(), io.StringIO()
    with (
        patch.object(sys, "argv", ["choreomon", *map(str, arguments)]),
        patch.dict("os.environ", {"COLUMNS": str(columns), "NO_COLOR": "1"}),
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as end,
    ):
        main()
    code = end.value.code
    assert isinstance(code, int)
    return Answer(code, out.getvalue(), err.getvalue())


def unread(*arguments: object) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a process whose output nobody reads: the reading end of the pipe is closed
    before anything is written."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        return subprocess.run(
            [sys.executable, "-m", "choreomon", *map(str, arguments)],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=pipe,
            stderr=subprocess.PIPE,
            check=False,
        )
