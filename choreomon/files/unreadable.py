"""Errors about a file that cannot be opened, for its author."""

from __future__ import annotations

from choreomon.core.errors import DocumentError, Problem


def unreadable(file: str, error: OSError | ValueError) -> DocumentError:
    """The error of `open` as one about the file: that it cannot be read, and why."""
    if isinstance(error, FileNotFoundError):
        why = "there is no such file"
    elif isinstance(error, IsADirectoryError):
        why = "it is a directory: name a file in it"
    elif isinstance(error, PermissionError):
        why = f"{error.strerror}: let this user read it"
    else:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return DocumentError((Problem(file, 0, "", f"cannot be read: {why}"),))
