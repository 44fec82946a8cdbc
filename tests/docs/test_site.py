"""The site: every page is on it, and no link leads nowhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.scenarios.console_blocks import ROOT


def built(source: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """As `make docs` does it."""
    command = (sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", "docs/site")
    return subprocess.run(
        [*command, "-d", str(folder / "read"), "-b", "html", ".", str(folder / "site")],
        cwd=source,
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_page_is_on_the_site_and_every_link_leads_somewhere(tmp_path: Path) -> None:
    done = built(ROOT, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        assert (tmp_path / "site" / page.relative_to(ROOT).with_suffix(".html")).exists(), page
    start = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert "docs/site/index.html" in start
    interface = (tmp_path / "site" / "docs" / "site" / "python.html").read_text(encoding="utf-8")
    assert "which is an <code" in interface or "AssertionError" in interface


def test_a_link_that_leads_nowhere_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "docs" / "site").mkdir(parents=True)
    conf = (ROOT / "docs" / "site" / "conf.py").read_text(encoding="utf-8")
    (tmp_path / "docs" / "site" / "conf.py").write_text(
        conf.replace('html_extra_path = ["root"]', ""), encoding="utf-8"
    )
    page = tmp_path / "docs" / "site" / "index.md"
    page.write_text("# A\n\n[here](#a)\n", encoding="utf-8")
    assert built(tmp_path, tmp_path / "good").returncode == 0
    page.write_text("# A\n\n[there](../missing.md)\n", encoding="utf-8")
    done = built(tmp_path, tmp_path / "bad")
    assert done.returncode != 0
    assert "missing.md" in done.stderr
