"""The files in folders that are named in place of files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from glob import glob, has_magic
from pathlib import Path

from choreomon.core.errors import DocumentError, Problem


def files_below(folder: str) -> Iterator[str]:
    """The files in a folder and in all below it, each folder's in the order of their names: regular
    ones, and links to nothing, which callers may refuse. Hidden files and folders are left out, and
    links to folders are not followed. Raises DocumentError for a folder that cannot be looked
    into."""

    def refuse(error: OSError) -> None:
        name = os.fspath(error.filename or folder)
        raise DocumentError((Problem(name, 0, "", f"cannot be looked into: {error.strerror}"),))

    for here, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = os.path.join(here, name)
            if not name.startswith(".") and (os.path.isfile(path) or not os.path.exists(path)):
                yield path


def is_folder(path: str) -> bool:
    """Return whether a folder is at this path, which may be no path at all."""
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        return False


def with_folders(paths: Iterable[str]) -> Iterator[tuple[str, str | None]]:
    """The paths, and in place of each folder its files; each with the folder that it was in, or
    None. A path that is none, and has `*`, `?` or `[` in it, stands for those that it fits.
    Raises DocumentError."""
    for given in paths:
        for path in _fitting(given):
            if is_folder(path):
                yield from ((each, path) for each in files_below(path) if os.path.isfile(each))
            else:
                yield path, None


def _fitting(path: str) -> list[str]:
    """The paths that one stands for, as a shell says it; the path itself where it fits none."""
    if not has_magic(path) or os.path.lexists(path):
        return [path]
    return sorted(glob(path, recursive=True)) or [path]
