"""The site: every page is on it, and no link leads nowhere."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.scenarios.console_blocks import ROOT


def built(source: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """As `make docs` does it."""
    command = shlex.split("sphinx -q -W --keep-going -c docs/site -b html")
    return subprocess.run(
        [sys.executable, "-m", *command, "-d", str(folder / "read"), ".", str(folder / "site")],
        cwd=source,
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_page_is_on_the_site_and_every_link_leads_somewhere(tmp_path: Path) -> None:
    done = built(ROOT, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("clients/*/*.md")]:
        assert (tmp_path / "site" / page.relative_to(ROOT).with_suffix(".html")).exists(), page
    start = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert "docs/site/index.html" in start
    interface = (tmp_path / "site" / "docs" / "site" / "python.html").read_text(encoding="utf-8")
    assert "which is an <code" in interface or "AssertionError" in interface


def commands_of(*arguments: str) -> str:
    """What `make docs` would do."""
    make = shutil.which("make")
    if make is None:
        pytest.skip("make is not installed: what `make docs` would do is not seen here")
    command = [make, "-n", "-B", "docs", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_an_environment_that_is_given_keeps_the_checkout_that_it_has(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "sphinx-build"
    assert "pip install" in commands_of(f"VENV={tmp_path}"), "there is no Sphinx in it"
    program.parent.mkdir()
    program.touch()
    assert "pip install" not in commands_of(f"VENV={tmp_path}")
    assert "-m sphinx" in commands_of(f"VENV={tmp_path}")
    assert "pip install" in commands_of()


def test_a_link_that_leads_nowhere_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "docs" / "site").mkdir(parents=True)
    conf = (ROOT / "docs" / "site" / "conf.py").read_text(encoding="utf-8")
    (tmp_path / "docs" / "site" / "conf.py").write_text(
        re.sub(r"^html_(extra|static|css)_.*\n", "", conf, flags=re.MULTILINE), encoding="utf-8"
    )
    page = tmp_path / "docs" / "site" / "index.md"
    page.write_text("# A\n\n[here](#a)\n", encoding="utf-8")
    assert built(tmp_path, tmp_path / "good").returncode == 0
    page.write_text("# A\n\n[there](../missing.md)\n", encoding="utf-8")
    done = built(tmp_path, tmp_path / "bad")
    assert done.returncode != 0
    assert "missing.md" in done.stderr
