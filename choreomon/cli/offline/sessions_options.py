"""The options of `choreomon verify --sessions`; what they do is in
`choreomon.cli.offline.verify_sessions`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

from choreomon.cli.command_line.explicit_options import refuse_explicit
from choreomon.cli.command_line.options import added
from choreomon.cli.command_line.writing import STANDARD_OUTPUT, WrittenPath

_Command = TypeVar("_Command", bound=Callable[..., Any])

SESSIONS_ALONE: Final = (
    *("output", "session_key", "lifeline_key", "kind_key", "message_key", "max_actions", "engine"),
)
"""Parameters that are about sessions alone."""


class _Results(WrittenPath):
    """`-` prints results as they come, and nothing else."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return STANDARD_OUTPUT if value == "-" else super().convert(value, param, ctx)


def sessions_options(command: _Command) -> _Command:
    """Adds the options to `choreomon verify`; they are parameters of `**choices`."""
    return added(
        click.option(
            "--sessions",
            type=click.Path(allow_dash=True),
            help="Many sessions in one file: JSON lines or Parquet, a folder of them, or - for "
            "JSON lines from standard input.",
        ),
        click.option(
            "--output",
            "-o",
            type=_Results(whole=False),
            help="Of --sessions: the results, .parquet or else JSON lines; - prints them, as "
            "--json. An interrupted run continues from this file.",
        ),
        click.option(
            "--session-key", help="Of JSON lines, and of other logs: the field of the session."
        ),
        click.option("--lifeline-key", help="Of JSON lines: the field of an action's lifeline."),
        click.option("--kind-key", help="Of JSON lines: the field that says send or receive."),
        click.option("--message-key", help="Of JSON lines: the field of an action's message."),
        click.option(
            "--max-actions",
            type=click.IntRange(min=1),
            help="Of --sessions: a session with more actions is bad input. Default: 1,000,000.",
        ),
        click.option(
            "--engine",
            type=click.Choice(["local", "ray"]),
            default="local",
            help="Of --sessions: share the work among processes of this machine, or of the Ray "
            "cluster that RAY_ADDRESS names; where it names none, ray starts one here.",
        ),
    )(command)


def refuse_without_sessions(context: click.Context) -> None:
    """Raises `UsageError` for options that do nothing without sessions; logs have those of a
    `--session-key`, too."""
    alone = [name for name in SESSIONS_ALONE if name != "session_key"]
    refuse_explicit(context, alone, "with --sessions")
