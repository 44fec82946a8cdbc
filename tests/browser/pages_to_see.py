"""Pages of commands, for looking at them in a browser."""

from __future__ import annotations

from pathlib import Path

from tests.cli.command_line import SCENARIOS, choreomon

REPORTS = {
    "one run": ("simulate", SCENARIOS / "smart-home-violating.yaml"),
    "many runs": ("simulate", SCENARIOS / "payment-saga-violating.yaml", "--runs", 60),
    "a possible violation": (
        *("simulate", SCENARIOS / "fig3-pull-push-conforming.yaml"),
        *("--strategy", "push", "--runs", 20),
    ),
    "nothing found": ("simulate", SCENARIOS / "lock-conforming.yaml", "--verify", "accept"),
    "logs that do not fit": (
        *("simulate", SCENARIOS / "lock-violating.yaml"),
        *("--runs", 3, "--verify", "accept"),
    ),
}


def page_of(*command: object) -> str:
    answer = choreomon(*command, "--report", "made.html")
    assert answer.code in (0, 1, 3), answer.err
    return Path("made.html").read_text(encoding="utf-8")
