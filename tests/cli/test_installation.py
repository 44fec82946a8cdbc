"""What to type for an extra, wherever choreomon was installed from."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from choreomon.cli.command_line import installation
from choreomon.cli.command_line.installation import install_command, requirement
from choreomon.core.errors import MissingExtra
from tests.cli.command_line import ROOT


@pytest.mark.parametrize(
    ("told", "arguments"),
    [
        (None, ["choreomon[plot]"]),
        (
            {"url": "file:///home/me/my%20checkout", "dir_info": {"editable": True}},
            ["-e", "/home/me/my checkout[plot]"],
        ),
        ({"url": "file:///home/me/checkout", "dir_info": {}}, ["/home/me/checkout[plot]"]),
        (
            {"url": "file:///tmp/choreomon-0.1.0-py3-none-any.whl", "archive_info": {}},
            ["/tmp/choreomon-0.1.0-py3-none-any.whl[plot]"],
        ),
        (
            {"url": "https://example.org/choreomon-0.1.0.tar.gz", "archive_info": {}},
            ["choreomon[plot] @ https://example.org/choreomon-0.1.0.tar.gz"],
        ),
        (
            {
                "url": "https://example.org/choreomon.git",
                "vcs_info": {"vcs": "git", "commit_id": "f00"},
            },
            ["choreomon[plot] @ git+https://example.org/choreomon.git@f00"],
        ),
    ],
    ids=str,
)
def test_the_requirement_is_of_where_choreomon_was_installed_from(
    told: dict[str, object] | None, arguments: list[str]
) -> None:
    assert requirement("plot", None if told is None else json.dumps(told)) == arguments


def test_of_an_index_without_a_checkout_the_name_is_enough(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(metadata, "distributions", lambda name: [])
    monkeypatch.setattr(installation, "__file__", str(tmp_path / "choreomon" / "cli" / "x.py"))
    assert shlex.split(install_command("ray"))[-1] == "choreomon[ray]"


def test_of_an_editable_installation_it_is_its_checkout() -> None:
    *pip, word, flag, where = shlex.split(install_command("plot"))
    assert (word, flag, where) == ("install", "-e", f"{ROOT}[plot]")
    assert pip in (["pip"], [sys.executable, "-m", "pip"])


def test_a_checkout_that_is_not_installed_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "distributions", lambda name: [])
    assert shlex.split(install_command("ray"))[-2:] == ["-e", f"{ROOT}[ray]"]


@pytest.mark.parametrize(
    ("found", "pip"),
    [
        (str(Path(sys.executable).with_name("pip")), ["pip"]),
        ("/elsewhere/pip", [sys.executable, "-m", "pip"]),
        (None, [sys.executable, "-m", "pip"]),
    ],
)
def test_pip_is_that_of_the_python_that_runs(
    monkeypatch: pytest.MonkeyPatch, found: str | None, pip: list[str]
) -> None:
    monkeypatch.setattr(installation.shutil, "which", lambda name: found)
    assert shlex.split(install_command("plot"))[: len(pip)] == pip


def test_who_calls_from_python_is_told_the_extra() -> None:
    error = MissingExtra("PNG pictures need matplotlib", "plot", "SVG needs nothing")
    assert str(error) == (
        "PNG pictures need matplotlib, which the extra 'plot' brings (SVG needs nothing)"
    )


def test_no_message_says_how_to_install_but_that_one() -> None:
    found = subprocess.run(
        ["grep", "-rlE", "pip install", "--include=*.py", "choreomon", "simulator"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.split() == ["choreomon/cli/command_line/installation.py"]
