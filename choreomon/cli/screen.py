"""The screens that commands print on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

LEAST_WIDTH: Final = 40
"""Columns. On narrower screens tables and sentences would lose words, and where the
environment says `COLUMNS=0` they would lose all."""


def screens() -> tuple[Console, Console]:
    """The one on the output, for results, and the one on the errors, for all else."""
    from rich.console import Console

    pair = (Console(highlight=False), Console(stderr=True, highlight=False))
    for screen in pair:
        if screen.width < LEAST_WIDTH:
            screen.width = LEAST_WIDTH
    return pair


def print_indented(screen: Console, text: Text) -> None:
    """Prints lines whose continuations are indented as their beginnings."""
    from rich.text import Text

    for line in text.split("\n"):
        indent = len(line.plain) - len(line.plain.lstrip())
        for part in line[indent:].wrap(screen, max(screen.width - indent, 20)):
            part.rstrip()
            screen.print(Text(" " * indent).append_text(part), soft_wrap=True)
