"""Files that commands write: named, tried before the work, and written after it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

import click


class WrittenPath(click.Path):
    """The path of something to write, as a `Path`. An empty one is bad usage: `Path`
    would make the current directory of it."""

    def __init__(self, *, directory: bool = False) -> None:
        super().__init__(file_okay=not directory, dir_okay=directory, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail(f"a {self.name} needs a name, and this one is empty", param, ctx)
        return super().convert(value, param, ctx)


def make_directory(directory: Path) -> None:
    """Make it and those above it. Raises `ClickException` where that cannot be."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.ClickException(f"{directory}: cannot be made: {error.strerror}") from None


def check_writable(path: Path) -> None:
    """Find out that a file cannot be written before much work is done for it.

    What the file holds is left alone, and where there is none, none stays. Devices and pipes
    are not tried: a pipe's reader would take it for the end. Raises `ClickException`.
    That writing succeeds later is not guaranteed.
    """
    try:
        try:
            mode = path.stat().st_mode
        except FileNotFoundError:
            target = os.path.realpath(path)  # where path is a link, the link stays
            with open(target, "xb"):
                pass
            os.unlink(target)
        else:
            if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
                with path.open("ab"):
                    pass
    except OSError as error:
        raise _unwritable(path, error) from None


def check_not_read(path: Path, inputs: Iterable[str | None]) -> None:
    """Find out that writing a file would destroy one of those that the command reads. Raises
    `UsageError`."""
    for name in inputs:
        with suppress(OSError):
            if name and stat.S_ISREG(path.stat().st_mode) and path.samefile(name):
                raise click.UsageError(f"{path}: is read, too: write another file")


def opened(path: Path) -> TextIO:
    """The file, emptied, for lines of ASCII. Raises `ClickException`."""
    try:
        return path.open("w", encoding="ascii", newline="\n")
    except OSError as error:
        raise _unwritable(path, error) from None


def write_new(texts: Mapping[Path, str], *, force: bool) -> None:
    """Write whole files as UTF-8, or none: raises `ClickException` where something is there already
    and may not be replaced, or cannot be."""
    for path in texts:
        if path.is_dir():
            raise click.ClickException(f"{path}: is a directory")
        if os.path.lexists(path) and not force:
            raise click.ClickException(f"{path}: is there already; add --force to replace it")
        check_writable(path)
    for path, text in texts.items():
        write(path, text)


def write(path: Path, content: str | bytes) -> None:
    """Write a whole file, text as UTF-8. Raises `ClickException`."""
    try:
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: OSError) -> click.ClickException:
    hint = ": make its folder first" if isinstance(error, FileNotFoundError) else ""
    return click.ClickException(f"{path}: cannot be written: {error.strerror}{hint}")
