"""What is built of a checkout, installed into a new environment outside of it, gives everything.

Needs an index of packages, as `make test` itself does; where pip can reach none, the test says so.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]


def run(*command: object, where: Path, code: int | tuple[int, ...] = 0) -> str:
    """What a command prints that ends with this code, or one of these; outside of the checkout, and
    without what tests have set."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [*map(str, command)],
        cwd=where,
        env={**kept, "COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=False,
    )
    expected = (code,) if isinstance(code, int) else code
    assert done.returncode in expected, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the source archive, and the wheel that was built of what is in that."""
    where = tmp_path_factory.mktemp("built")
    sources = where / "checkout"
    tracked = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout.decode()
    for name in filter(None, tracked.split("\0")):
        if (ROOT / name).is_file():
            (sources / name).parent.mkdir(parents=True, exist_ok=True)
            (sources / name).write_bytes((ROOT / name).read_bytes())
    try:
        run(sys.executable, "-m", "build", "-o", where / "dist", sources, where=where)
    except AssertionError as failed:
        if "No matching distribution found for setuptools" in str(failed):
            pytest.skip("pip reaches no index of packages, and building needs setuptools")
        raise
    return where / "dist"


def test_archives_have_the_scenarios_and_nothing_that_is_for_developers(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    (archive,) = built.glob("*.tar.gz")
    with ZipFile(wheel) as packed:
        in_wheel = set(packed.namelist())
    with tarfile.open(archive) as opened:
        in_archive = {name.partition("/")[2] for name in opened.getnames()}
    for path in (ROOT / "scenarios").iterdir():
        if path.suffix in (".yaml", ".hif"):
            assert f"choreomon/scenarios/{path.name}" in in_wheel
            assert f"scenarios/{path.name}" in in_archive
    assert {"choreomon/py.typed", "choreomon/cli/documents/property_to_begin_with.yaml"} <= in_wheel
    assert {"README.md", "LICENSE", "setup.py"} <= in_archive
    tops = {name.partition("/")[0] for name in in_wheel}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"choreomon", "simulator"}


def test_the_wheel_works_in_a_new_environment_outside_of_the_checkout(
    built: Path, tmp_path: Path
) -> None:
    (wheel,) = built.glob("*.whl")
    venv.create(tmp_path / "venv", with_pip=True)
    programs = tmp_path / "venv" / "bin"
    pip = (programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(*pip, "-c", ROOT / "constraints.txt", wheel, where=tmp_path)
    choreomon = programs / "choreomon"
    where = tmp_path / "work"
    where.mkdir()
    assert run(choreomon, "--version", where=where) == "choreomon 0.1.0\n"
    run(choreomon, "init", where=where)
    assert "is valid" in run(choreomon, "check", "property.yaml", where=where)
    run(choreomon, "example", "smart-home", where=where)
    scenario = "smart-home-violating.yaml"
    run(choreomon, "simulate", scenario, "--report", "r.html", where=where, code=1)
    run(choreomon, "simulate", "smart-home-conforming.yaml", where=where)
    # Possibly violated, where a machine is so busy that what is sent later comes first.
    run(choreomon, "run", scenario, "--embedded", where=where, code=(1, 3))
    assert "<svg" in (where / "r.html").read_text(encoding="utf-8")
    run(choreomon, "draw", scenario, "-o", "p.svg", where=where)
    run(choreomon, "example", "lock", where=where)
    run(choreomon, "verify", "-i", "lock.hif", "--help", where=where)
    script = subprocess.run(
        [choreomon],
        env={**os.environ, "_CHOREOMON_COMPLETE": "zsh_source"},
        cwd=where,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert script.startswith("#compdef choreomon")
