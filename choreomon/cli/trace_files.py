"""Which files the arguments of a command mean: files as they are, folders for what is in them."""

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

    A file that is named is taken whatever it is called, and whether it exists or not; in a
    folder, of event logs only `run-*.jsonl`, which `choreomon simulate --trace` writes. Raises
    `ClickException` for a folder that holds none, which is more often a mistake than a success,
    and for an empty argument, which `Path` would take for the current directory.
    """
    found: list[str] = []
    for argument in arguments:
        if not argument:
            raise click.UsageError("a TRACE needs a name, and this one is empty")
        folder = Path(argument)
        if not folder.is_dir():
            found.append(argument)
            continue
        inside = sorted(path for path in folder.rglob("*") if _is_trace(path))
        if not inside:
            raise click.ClickException(
                f"{argument}: holds no multi-traces: files that end in .htf or .json, or "
                "run-*.jsonl"
            )
        found += map(str, inside)
    return found


def _is_trace(path: Path) -> bool:
    if path.suffix == ".jsonl":
        return path.name.startswith("run-") and path.is_file()
    return path.suffix in SUFFIXES and path.is_file()
