"""A folder with a file of each kind, and what nobody may do to it."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile.commands import furnish

SECONDS = 300
"""A command that takes longer with bad input does not end."""


@pytest.fixture(scope="session")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("furnished")
    before = Path.cwd()
    os.chdir(place)
    try:
        furnish(place)
    finally:
        os.chdir(before)
    return place


@pytest.fixture
def place(furnished: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current directory, with all files; its name is short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="t-", dir="/tmp") as folder:
        here = Path(folder, "here")
        shutil.copytree(furnished, here)
        monkeypatch.chdir(here)
        yield here


class TooLong(BaseException):
    """Raised into what does not end."""


@pytest.fixture(autouse=True)
def bounded() -> Iterator[None]:
    """Whatever does not end is found."""

    def strike(*_: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, strike)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
