"""Files for the arguments of a command: files as they are, folders for what is in them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import click

SUFFIXES: Final = (".htf", ".json", ".jsonl")
"""Multi-traces as HIBOU writes them, as JSON, and event logs."""


def trace_files(arguments: Iterable[str]) -> list[str]:
    """The paths of all multi-traces, in the order of the arguments; those of a folder and the
    folders in it sorted by name.

    A file that is named is taken whatever it is called, and whether it exists or not. A folder
    stands for `files_below` it with the names of multi-traces; of event logs only `run-*.jsonl`,
    which `choreomon simulate --trace` writes. Raises `ClickException` for a folder that holds none,
    which is more often a mistake than a success, `DocumentError` for one that cannot be looked
    into, and `UsageError` for an empty argument, which `Path` would take for the current directory.
    """
    from choreomon.files.folders import files_below, is_folder

    found: list[str] = []
    for argument in arguments:
        if not argument:
            raise click.UsageError("a TRACE needs a name, and this one is empty")
        if not is_folder(argument):
            found.append(argument)
            continue
        inside = sorted(filter(_is_trace, map(Path, files_below(argument))))
        if not inside:
            raise click.ClickException(
                f"{argument}: holds no multi-traces: files that end in .htf or .json, or "
                "run-*.jsonl"
            )
        found += map(str, inside)
    return found


def _is_trace(path: Path) -> bool:
    suffix = path.suffix.lower()
    return suffix in SUFFIXES and (suffix != ".jsonl" or path.name.startswith("run-"))
