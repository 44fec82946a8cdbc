"""What an author is told of a file that cannot be opened."""

from __future__ import annotations

from choreomon.core.errors import DocumentError, Problem


def unreadable(file: str, error: OSError | ValueError) -> DocumentError:
    """The error of `open` as one about the file."""
    if isinstance(error, FileNotFoundError):
        told = "there is no such file"
    elif isinstance(error, IsADirectoryError):
        told = "is a directory: name a file in it"
    elif isinstance(error, PermissionError):
        told = f"cannot be read: {error.strerror}: let this user read it"
    else:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        told = f"cannot be read: {reason}"
    return DocumentError((Problem(file, 0, "", told),))
