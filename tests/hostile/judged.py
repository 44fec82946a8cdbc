"""What must hold of a command, whatever it was given."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from tests.cli.command_line import Answer, choreomon

CODES = (0, 1, 2, 3)


def contents(place: Path) -> dict[str, bytes]:
    """Of all regular files below, by their paths."""
    return {
        str(path.relative_to(place)): path.read_bytes()
        for path in sorted(place.rglob("*"))
        if path.is_file() and not path.is_symlink() and os.access(path, os.R_OK)
    }


def judged(name: str, words: Sequence[str], place: Path, *, codes: Sequence[int] = CODES) -> Answer:
    """Runs the command in this process. Nothing that was there has changed, nothing that is new is
    empty or has an unfinished file's name, and what is said is no traceback."""
    before = contents(place)
    answer = choreomon(*name.split(), *words, columns=200)
    said = f"choreomon {name} {' '.join(words)}\n{answer.code}\n{answer.out}\n{answer.err}"
    assert answer.code in codes, said
    assert "Traceback" not in answer.out + answer.err, said
    assert answer.err or answer.code != 2, said
    check_files(before, place, said)
    return answer


def check_files(before: dict[str, bytes], place: Path, said: str) -> None:
    """Nothing was lost, and nothing is half-written."""
    after = contents(place)
    lost = [path for path, content in before.items() if after.get(path) != content]
    assert not lost, said
    new = {path: content for path, content in after.items() if path not in before}
    assert not [path for path in new if path.endswith(".new")], said
    # Of no sessions there are no results.
    assert [path for path, content in new.items() if not content] in ([], ["out.jsonl"]), said


def clear(place: Path) -> None:
    """Takes away what commands wrote."""
    for path in place.glob("out*"):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
