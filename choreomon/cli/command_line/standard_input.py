"""The file `-`: the standard input wherever a file is read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import click

_READ: Final = f"{__name__}.read"


class ReadPath(click.Path):
    """The path of something to read. `-` is the standard input, once in a command."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value != "-":
            return super().convert(value, param, ctx)
        from choreomon.files.input_files import STANDARD_INPUT

        if ctx is not None:
            if _READ in ctx.meta:
                self.fail("the standard input can be read only once", param, ctx)
            ctx.meta[_READ] = True
        return STANDARD_INPUT


@contextmanager
def read_again(file: str) -> Iterator[None]:
    """Make a file that is the standard input readable more than once within the block, even if it
    is a pipe. Raises DocumentError if it is larger than what is read at once."""
    from choreomon.files.input_files import STANDARD_INPUT, whole

    if file != STANDARD_INPUT or os.path.isfile(file):
        yield
        return
    from tempfile import TemporaryFile

    with TemporaryFile() as kept:
        kept.write(whole(file))
        kept.flush()
        before = os.dup(0)
        os.dup2(kept.fileno(), 0)
        try:
            yield
        finally:
            os.dup2(before, 0)
            os.close(before)
