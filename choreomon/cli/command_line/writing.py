"""Files that commands write: named, tried before the work, and written after it."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import Any, Final, TextIO

import click

from choreomon.files.whole_file import whole_file, write_together

STANDARD_OUTPUT: Final = Path("-")

_OUTPUT: Final = f"{__name__}.output"
"""The key of the standard output in the context of a command, where a file is written to it."""


class WrittenPath(click.Path):
    """The path of something to write, as a `Path`. An empty one is bad usage: `Path`
    would make the current directory of it.

    `-` is the standard output, `STANDARD_OUTPUT`: what else is printed goes to the errors then.
    With `printed` it is None, as where a command prints what it is given no file for. Neither a
    directory nor what is not written as a `whole` can be there.
    """

    def __init__(
        self, *, directory: bool = False, printed: bool = False, whole: bool = True
    ) -> None:
        super().__init__(file_okay=not directory, dir_okay=directory, path_type=Path)
        self._printed = printed
        self._whole = whole and not directory

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail(f"a {self.name} needs a name, and this one is empty", param, ctx)
        if value != "-":
            return super().convert(value, param, ctx)
        if not self._whole:
            told = f"a {self.name} of its own is needed here: - is the standard output, and ./- a"
            self.fail(f"{told} {self.name} of that name", param, ctx)
        if self._printed:
            return None
        if ctx is not None:
            if _OUTPUT in ctx.meta:
                self.fail("only one file can be the standard output", param, ctx)
            ctx.meta[_OUTPUT] = sys.stdout
            ctx.with_resource(redirect_stdout(sys.stderr))
        return STANDARD_OUTPUT


def make_directory(directory: Path) -> None:
    """Make it and those above it. Raises `ClickException` where that cannot be."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise click.ClickException(f"{directory}: is no folder: name another one") from None
    except OSError as error:
        raise click.ClickException(f"{directory}: cannot be made: {error.strerror}") from None


def check_writable(path: Path) -> None:
    """Find out that a file cannot be written before much work is done for it. Its folder is made,
    as for all that is written.

    What the file holds is left alone, and where there is none, none stays. Devices and pipes
    are not tried: a pipe's reader would take it for the end. Raises `ClickException`.
    That writing succeeds later is not guaranteed.
    """
    if path == STANDARD_OUTPUT:
        return
    make_directory(path.parent)
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


def check_written(paths: Iterable[Path | None], inputs: Iterable[str | None]) -> None:
    """Check files before any work is done for them. Raises `UsageError` where one is read, and
    `ClickException` where one cannot be written."""
    inputs = [*inputs]
    for path in paths:
        if path is not None:
            check_not_read(path, inputs)
            check_writable(path)


def check_not_read(path: Path, inputs: Iterable[str | None]) -> None:
    """Refuse to write a file that the command also reads. Raises `UsageError`."""
    for name in () if path == STANDARD_OUTPUT else inputs:
        with suppress(OSError):
            if name and stat.S_ISREG(path.stat().st_mode) and path.samefile(name):
                raise click.UsageError(f"{path}: is read, too: write another file")


@contextmanager
def opened(path: Path) -> Iterator[TextIO]:
    """A file for lines of ASCII, which is there as a whole when the block is over, or as it was
    where an exception leaves that. Raises `ClickException`."""
    make_directory(path.parent)
    try:
        with (
            whole_file(path) as stream,
            io.TextIOWrapper(stream, encoding="ascii", newline="\n") as text,
        ):
            yield text
    except OSError as error:
        if error.filename != str(path):
            raise
        raise _unwritable(path, error) from None


def write_new(texts: Mapping[Path, str], *, force: bool) -> None:
    """Write whole files as UTF-8, or none: raises `ClickException` where something is there already
    and may not be replaced, or cannot be."""
    for path in texts:
        if path.is_dir():
            raise click.ClickException(f"{path}: is a directory")
        if os.path.lexists(path) and not force:
            raise click.ClickException(f"{path}: is there already; add --force to replace it")
    write_all({path: text.encode("utf-8") for path, text in texts.items()}, replace=force)


def write(path: Path, content: str | bytes) -> None:
    """Write a whole file, text as UTF-8; where that fails, what was there stays. Raises
    `ClickException`."""
    write_all({path: content.encode("utf-8") if isinstance(content, str) else content})


def write_all(
    contents: Mapping[Path, bytes],
    *,
    modes: Mapping[Path, int] | None = None,
    durable: bool = False,
    replace: bool = True,
    through_links: bool = True,
) -> None:
    """Write whole files or, where one cannot be written, none, as `write_together` says. Raises
    `ClickException`."""
    files = {path: content for path, content in contents.items() if path != STANDARD_OUTPUT}
    for path in files:
        make_directory(path.parent)
    try:
        write_together(
            files, modes=modes, durable=durable, replace=replace, through_links=through_links
        )
    except OSError as error:
        raise _unwritable(Path(error.filename), error) from None
    if STANDARD_OUTPUT in contents:
        _print(contents[STANDARD_OUTPUT])


def _print(content: bytes) -> None:
    """Write to the standard output, even while prints are redirected."""
    context = click.get_current_context(silent=True)
    output = sys.stdout if context is None else context.meta.get(_OUTPUT, sys.stdout)
    assert output is not None  # `main` refuses to begin without one
    output.flush()
    if isinstance(output, io.TextIOWrapper):
        output.buffer.write(content)
    else:  # a test's
        output.write(content.decode("utf-8"))
    output.flush()


def suffix_of(path: Path, on_output: str) -> str:
    """Return the suffix of a file to write, in lower case; `on_output` is the suffix for the
    standard output."""
    return on_output if path == STANDARD_OUTPUT else path.suffix.lower()


def _unwritable(path: Path, error: OSError) -> click.ClickException:
    return click.ClickException(f"{path}: cannot be written: {error.strerror}")
