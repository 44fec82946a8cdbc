"""What the benchmark of starting measures, and what it says of that."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.start_up import COMMANDS, Measured, report, seconds, surroundings


def test_every_command_is_told_with_whether_it_keeps_its_bound() -> None:
    found = {name: Measured(1.0, one.bound) for name, one in COMMANDS.items()}
    lines = report(0.5, found)
    assert len(lines) == 3 + len(COMMANDS)
    assert all(line.endswith("| yes |") for line in lines[3:])
    found["`verify`"] = Measured(1.0, COMMANDS["`verify`"].bound + 0.01)
    (line,) = [line for line in report(0.5, found) if line.endswith("| **no** |")]
    assert line.startswith("| `verify` | 1.000 | 4.01 | 4 |")


def test_a_process_costs_something_and_one_that_fails_is_told(tmp_path: Path) -> None:
    assert seconds(("-c", "pass"), str(tmp_path), {}) > 0
    with pytest.raises(RuntimeError, match="ended with 3"):
        seconds(("-c", "raise SystemExit(3)"), str(tmp_path), {})


def test_bytecode_is_kept_whatever_the_caller_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    told = surroundings(str(tmp_path), {"A": "b"})
    assert "PYTHONDONTWRITEBYTECODE" not in told
    assert (told["A"], told["PYTHONPYCACHEPREFIX"]) == ("b", str(tmp_path / "bytecode"))
