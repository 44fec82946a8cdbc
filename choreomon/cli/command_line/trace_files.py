"""Files for the arguments of a command: files as they are, folders for what is in them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NoReturn

import click

SUFFIXES: Final = (".htf", ".json", ".jsonl")
"""Multi-traces as HIBOU writes them, as JSON, and event logs."""


def trace_files(arguments: Iterable[str]) -> list[str]:
    """The paths of all multi-traces, in the order of the arguments; those of a folder and the
    folders in it sorted by name.

    A file that is named is taken whatever it is called, and whether it exists or not; in a
    folder, of event logs only `run-*.jsonl`, which `choreomon simulate --trace` writes. Links to
    folders are not followed; those to files that do not exist are taken, so that nobody believes
    that they were verified. Raises `ClickException` for a folder that holds none, which is more
    often a mistake than a success, and for one that cannot be looked into, and `UsageError` for
    an empty argument, which `Path` would take for the current directory.
    """
    found: list[str] = []
    for argument in arguments:
        if not argument:
            raise click.UsageError("a TRACE needs a name, and this one is empty")
        folder = Path(argument)
        if not folder.is_dir():
            found.append(argument)
            continue
        inside = sorted(
            path
            for place, _, names in os.walk(folder, onerror=_refuse)
            for path in map(Path(place).joinpath, names)
            if _is_trace(path)
        )
        if not inside:
            raise click.ClickException(
                f"{argument}: holds no multi-traces: files that end in .htf or .json, or "
                "run-*.jsonl"
            )
        found += map(str, inside)
    return found


def _refuse(error: OSError) -> NoReturn:
    raise click.ClickException(f"{error.filename}: cannot be looked into: {error.strerror}")


def _is_trace(path: Path) -> bool:
    """Return whether the name is that of a trace; pipes and devices are none."""
    suffix = path.suffix.lower()
    named = suffix in SUFFIXES and (suffix != ".jsonl" or path.name.startswith("run-"))
    return named and (path.is_file() or not path.exists())
