"""Folders in place of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from choreomon.core.errors import DocumentError
from choreomon.files.folders import files_below, with_folders


def test_files_come_in_the_order_of_their_names_without_hidden_ones(tmp_path: Path) -> None:
    for name in ("b/z.log", "b/a.log", "a.log", ".hidden", ".git/x", "c/d/e.log"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")
    (tmp_path / "c" / "loop").symlink_to(tmp_path)
    (tmp_path / "link.log").symlink_to(tmp_path / "a.log")
    (tmp_path / "nowhere.log").symlink_to(tmp_path / "none")
    folder = str(tmp_path)
    below = [Path(each).relative_to(tmp_path).as_posix() for each in files_below(folder)]
    assert below == ["a.log", "link.log", "nowhere.log", "b/a.log", "b/z.log", "c/d/e.log"]
    found = [*with_folders(["x", str(tmp_path / "b"), "no\0path"])]
    b = tmp_path / "b"
    assert found == [
        ("x", None),
        (str(b / "a.log"), str(b)),
        (str(b / "z.log"), str(b)),
        ("no\0path", None),
    ]


def test_a_folder_that_is_gone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="cannot be looked into: No such file or directory"):
        next(files_below(str(tmp_path / "none")))
