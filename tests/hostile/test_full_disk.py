"""A disk that is full, and an output that nobody reads or that takes nothing."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import pytest

from choreomon.cli import main
from tests.hostile.commands import GOES_ON, LONG, lines
from tests.hostile.judged import check_files, clear, contents, judged

LINES = [
    (name, ["1" if before == "--jobs" else word for before, word in pairwise(["", *words])])
    for name, words in lines()
    if name not in (*GOES_ON, *LONG)
]
WRITING = [(name, words) for name, words in LINES if any(word.startswith("out") for word in words)]


@contextmanager
def room(size: int) -> Iterator[None]:
    """No file may have more bytes, as on a disk with so much room."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def written(words: list[str], place: Path) -> list[Path]:
    """The files that the command writes."""
    return sorted(
        path for path in place.rglob("*") if path.is_file() and ".partial" not in str(path)
    )


@pytest.mark.parametrize(("name", "words"), WRITING, ids=lambda value: str(value)[:30])
def test_on_a_full_disk_everything_stays_as_it_was(
    name: str, words: list[str], place: Path
) -> None:
    """First where there is nothing yet, then where all of it was written yesterday."""
    judged_full(name, words, place)
    clear(place)
    judged(name, words, place)
    judged_full(name, words, place)


def judged_full(name: str, words: list[str], place: Path) -> None:
    before = contents(place)
    forced = ["--force"] if name in ("init", "example", "split", "keygen") else []
    with room(10):
        answer = judged(name, [*words, *forced], place, codes=(2,))
    assert "File too large" in answer.err
    assert "the output" not in answer.err
    grown = {path for path in contents(place) if ".partial/" not in path and path[-4:] != ".csv"}
    assert grown == {*before}


@pytest.mark.parametrize("kind", ["closed", "full"])
def test_an_output_that_takes_nothing_is_no_error_of_ours(kind: str, place: Path) -> None:
    for name, words in LINES:
        before = contents(place)
        code, said = unwritten(name, words, kind, place / "said")
        line = f"choreomon {name} {' '.join(words)}: {code}\n{said}"
        if kind == "closed":
            assert code in (0, 1, 2, 141), line
        else:
            assert code in (0, 1, 2), line
        assert "Traceback" not in said, line
        check_files(before, place, line)
        clear(place)


def unwritten(name: str, words: list[str], kind: str, said: Path) -> tuple[int, str]:
    """The exit code, and what was said on the errors."""
    if kind == "full":
        descriptor = os.open("/dev/full", os.O_WRONLY)
    else:
        reading, descriptor = os.pipe()
        os.close(reading)
    output = os.fdopen(descriptor, "w", encoding="utf-8")
    with (
        said.open("w", encoding="utf-8") as errors,
        patch.object(sys, "argv", ["choreomon", *name.split(), *words]),
        patch.object(sys, "stdout", output),
        patch.object(sys, "stderr", errors),
        pytest.raises(SystemExit) as end,
    ):
        main()
    with suppress(OSError):  # as what is left in it cannot be written
        output.close()
    text = said.read_text("utf-8")
    said.unlink()
    assert isinstance(end.value.code, int)
    return end.value.code, text
