"""Files of sessions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from choreomon.core.errors import DocumentError, Problem
from choreomon.files.folders import files_below, is_folder

PARQUET: Final = (".parquet", ".pq")
JSON_LINES: Final = (".jsonl", ".ndjson")


@dataclass(frozen=True)
class Fields:
    """Names of the fields of JSON lines. If one of the last three has a name, an action is in three
    fields, and those without a name are called `lifeline`, `kind` and `message`."""

    session: str = "session"
    lifeline: str | None = None
    kind: str | None = None
    message: str | None = None

    @property
    def split(self) -> tuple[str, str, str] | None:
        """The names of the three fields of an action; None if it is in one."""
        if self.lifeline is None and self.kind is None and self.message is None:
            return None
        return self.lifeline or "lifeline", self.kind or "kind", self.message or "message"

    @property
    def twice(self) -> str:
        """A name that two fields have, so that nothing can be read; empty if there is none."""
        names = (self.session, *(self.split or ("action", "actions")), "clock")
        return next((name for name in names if names.count(name) > 1), "")


def session_files(path: str) -> list[str]:
    """The files of a path: itself, or for a folder all Parquet and JSON lines in it and in the
    folders below, sorted by name.

    Raises DocumentError for a folder without any, and for one that cannot be looked into.
    """
    if not is_folder(path):
        return [path]
    known = (*PARQUET, *JSON_LINES)
    found = sorted(file for file in map(Path, files_below(path)) if file.suffix.lower() in known)
    if not found:
        told = f"holds no sessions: files that end in {', '.join(known)}"
        raise DocumentError((Problem(path, 0, "", told),))
    return [str(file) for file in found]


def is_parquet(path: str) -> bool:
    """Tell whether the name is that of a Parquet file."""
    return Path(path).suffix.lower() in PARQUET
