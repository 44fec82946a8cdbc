"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click

from choreomon.cli.command_line.writing import WrittenPath

if TYPE_CHECKING:
    from random import Random

_Command = TypeVar("_Command", bound=Callable[..., Any])
_Choices = TypeVar("_Choices")
Decorator: TypeAlias = Callable[[_Command], _Command]


def taken(kind: type[_Choices], choices: dict[str, Any]) -> _Choices:
    """The choices whose names are the fields of a class, taken out of all."""
    return kind(**{name: choices.pop(name) for name in kind.__annotations__})


def added(*options: Decorator[Any]) -> Callable[[_Command], _Command]:
    """Adds options to a command, in this order."""

    def decorated(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorated


def seed_option(what: str = "Of all random choices.") -> Decorator[Any]:
    """`seed`, 0 where nothing is said. What draws from it alone draws from `drawn_by`."""
    return click.option("--seed", default=0, show_default=True, help=what)


def drawn_by(seed: int) -> Random:
    """Random numbers for a seed: others for each. `Random` itself takes -1 for 1."""
    from random import Random

    return Random(seed if seed >= 0 else str(seed))


def number_option(what: str) -> Decorator[Any]:
    """Add `number`: how many to make, at least 1."""
    return click.option(
        "--number", type=click.IntRange(min=1), default=1, show_default=True, help=what
    )


traces_argument: Decorator[Any] = click.argument(
    "traces", metavar="TRACE...", nargs=-1, required=True, type=click.Path()
)
"""`traces`: files and folders, of which `trace_files` makes files."""


def written_options(what: str) -> Callable[[_Command], _Command]:
    """Options for the place of multi-traces that are made: `folder` and `as_json`, as
    `written_traces.write_all` takes them; `what` is what the command calls them."""
    return added(
        click.option(
            "-o",
            "--output",
            "folder",
            type=WrittenPath(directory=True),
            help=f"Write files to this folder; else the {what} are printed.",
        ),
        click.option(
            "--json",
            "as_json",
            is_flag=True,
            help=f"{what.capitalize()} as JSON, instead of .htf.",
        ),
    )
