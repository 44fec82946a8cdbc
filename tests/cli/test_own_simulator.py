"""Another package of the name `simulator` does no harm: nothing of it runs, and it is named."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command_line import ROOT
from tests.cli.offline import write_offline_files

FOREIGN = "from pathlib import Path\nPath('ran').touch()\nraise SystemExit(0)\n"

USING = {
    "simulate": ["simulate", "violated.yaml"],
    "run": ["run", "violated.yaml"],
    "draw": ["draw", "violated.yaml", "--run", "-o", "x.svg"],
    "export": ["export", "violated.yaml", "--to", "shiviz"],
    "generate": ["generate"],
    "experiment": ["experiment", "fig7", "--quick"],
    "experiment all": ["experiment", "all", "--quick"],
    "experiment instances": ["experiment", "instances"],
    "experiment replicas": ["experiment", "replicas"],
}


def choreomon(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """In the current folder, which Python looks into first."""
    return subprocess.run(
        [sys.executable, "-m", "choreomon", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("name", USING)
@pytest.mark.parametrize("where", ["simulator.py", "simulator/__init__.py"])
def test_it_is_named_with_its_path_and_never_run(place: Path, name: str, where: str) -> None:
    place.joinpath(where).parent.mkdir(exist_ok=True)
    place.joinpath(where).write_text(FOREIGN, encoding="utf-8")
    finished = choreomon(*USING[name])
    assert (finished.returncode, finished.stdout) == (2, "")
    found = place / where.removesuffix("/__init__.py")
    (line,) = finished.stderr.splitlines()
    assert line.startswith(f"{found}: Python finds this by the name 'simulator'")
    assert f"in {ROOT / 'simulator'}: rename it" in line
    assert not place.joinpath("ran").exists()
    assert not place.joinpath("x.svg").exists()


BEHIND = {
    "simulation/runs": ["simulate", "run"],
    "simulation/run_logs": ["simulate", "run"],
    "simulation/monitor_options": ["draw", "export"],
}
"""Modules that use the simulator, and the commands that have checked for it before."""


def test_every_module_that_uses_the_simulator_checks_for_it_or_is_behind_one_that_does() -> None:
    folder = ROOT / "choreomon" / "cli"
    using, checking = set(), set()
    for path in folder.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(folder).with_suffix("").as_posix()
        if re.search(r"^\s+from simulator", text, re.MULTILINE):
            using.add(name)
        if "    require_own_simulator()" in text and name != "command_line/own_simulator":
            checking.add(name)
    assert using  # it looks at something
    assert using - checking == BEHIND.keys()
    assert {name for names in BEHIND.values() for name in names} <= USING.keys()
    commands = {name.rpartition("/")[2] for name in checking}
    assert commands - {"monitors", "instances", "replicas"} <= USING.keys()  # those of `experiment`


def test_what_needs_no_simulator_works_beside_it(place: Path) -> None:
    write_offline_files(place)
    place.joinpath("simulator.py").write_text(FOREIGN, encoding="utf-8")
    for arguments in (
        ["--help"],
        ["check", "violated.yaml"],
        ["verify", "-i", "i.hif", "pass.htf"],
        ["draw", "violated.yaml", "-o", "p.svg"],
    ):
        assert choreomon(*arguments).returncode == 0
    assert not place.joinpath("ran").exists()


def test_where_it_is_gone_it_is_said_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    from choreomon.cli.command_line import own_simulator
    from choreomon.core.errors import ForeignPackage

    monkeypatch.setattr(own_simulator, "find_spec", lambda name: None)
    with pytest.raises(ForeignPackage, match="is missing, a package of choreomon: install"):
        own_simulator.require_own_simulator()


def test_its_own_one_is_taken_for_its_own() -> None:
    assert choreomon("generate", "--help").returncode == 0
    assert choreomon("simulate", "conforming.yaml").returncode == 0
