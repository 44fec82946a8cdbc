"""The foot of a page: with what it was made, when, and by which command."""

from __future__ import annotations

import os
import shlex
from datetime import UTC, datetime

import click

from choreomon.cli import version
from choreomon.cli.command_line.lazy import arguments_of


def made_with() -> tuple[tuple[str, str], ...]:
    """Names and values, of the command that runs. Where `SOURCE_DATE_EPOCH` is set (seconds since
    1970), the date is that one, so that a page can be made again as it was."""
    stated = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(stated), UTC) if stated.isdecimal() else datetime.now(UTC)
    return (
        ("command", shlex.join(("choreomon", *arguments_of(click.get_current_context())))),
        ("made with", f"choreomon {version() or 'from a checkout that is not installed'}"),
        ("made on", f"{now:%Y-%m-%d %H:%M} UTC"),
    )
