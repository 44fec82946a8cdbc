"""Errors about a file that cannot be opened, for its author."""

from __future__ import annotations

import os

from choreomon.core.errors import DocumentError, Problem
from choreomon.core.suggestion import closest


def unreadable(file: str, error: OSError | ValueError) -> DocumentError:
    """The error of `open` as one about the file: that it cannot be read, and why."""
    if isinstance(error, FileNotFoundError):
        why = f"there is no such file{_meant(file)}"
    elif isinstance(error, IsADirectoryError):
        why = "it is a directory: name a file in it"
    elif isinstance(error, PermissionError):
        why = f"{error.strerror}: let this user read it"
    else:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return DocumentError((Problem(file, 0, "", f"cannot be read: {why}"),))


def _meant(file: str) -> str:
    """The file beside it that was perhaps meant."""
    folder, name = os.path.split(file)
    try:
        there = {os.path.splitext(each)[0]: each for each in os.listdir(folder or ".")}
    except (OSError, ValueError):
        return ""
    meant = closest(os.path.splitext(name)[0], there)
    return f"; did you mean {os.path.join(folder, there[meant])!r}?" if meant else ""
