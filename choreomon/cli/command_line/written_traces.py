"""Multi-traces that commands make: on the output, or as files of a folder."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from choreomon.cli.command_line.writing import make_directory, write

if TYPE_CHECKING:
    from choreomon.multitrace.multitrace import MultiTrace


def check_apart(folder: Path | None, paths: Iterable[str]) -> None:
    """Raises `UsageError` for a folder that holds a file that is read: what is written there might
    replace it, and would be read as well the next time."""
    if folder is None:
        return
    place = Path(os.path.realpath(folder))
    for path in paths:
        if Path(os.path.realpath(path)).parent == place:
            raise click.UsageError(f"{folder}: holds {path}, which is read: name another folder")


class TraceWriter:
    """Takes multi-traces with their names. With a `folder` each becomes a file of it, `NAME.htf`,
    or `NAME.json`; without one each is printed, as JSON on a line of its own. A name that comes
    again gets a number, so that no file is written over another of them. `instead` is what the
    command offers where a name is none for `.htf`.

    Raises `ClickException` for a folder that cannot be made.
    """

    def __init__(self, folder: Path | None, *, as_json: bool, instead: str = "use --json") -> None:
        self._folder = folder
        self._as_json = as_json
        self._instead = instead
        self._named: Counter[str] = Counter()
        self._made = folder is not None and not folder.exists()
        self.written = 0
        if folder is not None:
            make_directory(folder)

    def write(self, name: str, multitrace: MultiTrace) -> None:
        """Raises `ClickException` for what cannot be written, or has names that the format
        cannot express; a folder that was made for nothing is taken away then."""
        from choreomon.hibou.multitrace import write_multi_trace
        from choreomon.interaction_files.offline_json import write_multi_trace_json

        self._named[name] += 1
        if self._named[name] > 1:
            name = f"{name}-again-{self._named[name]}"
        try:
            text = (write_multi_trace_json if self._as_json else write_multi_trace)(multitrace)
        except ValueError as error:
            if self._folder is not None and self._made and not self.written:
                with suppress(OSError):
                    self._folder.rmdir()
            raise click.ClickException(f"{name}: {error}: {self._instead}") from None
        if self._folder is None:
            click.echo(text if self._as_json else f"/* {name} */\n{text}", nl=False)
        else:
            suffix = "json" if self._as_json else "htf"
            write(self._folder / f"{name}.{suffix}", text)
        self.written += 1

    def said(self) -> str:
        """A sentence about where the traces are; empty if they are on the output."""
        if self._folder is None:
            return ""
        from choreomon.sentences.wording import counted

        return f"{counted(self.written, 'multi-trace')} written to {self._folder}"


def write_all(made: Iterable[tuple[str, MultiTrace]], folder: Path | None, *, as_json: bool) -> int:
    """Writes multi-traces with their names as they come, and says what became of them; how many
    there were. Raises `ClickException` as `TraceWriter` does."""
    writer = TraceWriter(folder, as_json=as_json)
    for name, multitrace in made:
        writer.write(name, multitrace)
    if said := writer.said():
        click.echo(said, err=True)
    return writer.written


def stem(path: str) -> str:
    """The name of a file, without its suffix."""
    return Path(path).stem
