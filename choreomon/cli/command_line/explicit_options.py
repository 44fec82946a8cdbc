"""Options that were given on the command line, as no default tells."""

from __future__ import annotations

from collections.abc import Iterable

import click


def explicit_options(context: click.Context, names: Iterable[str]) -> list[str]:
    """The parameters that were given as options, even with their default's value, as they are
    written on the command line."""
    from click.core import ParameterSource

    written = {option.name: option.opts[0] for option in context.command.params}
    return [
        written[name]
        for name in names
        if context.get_parameter_source(name) is not ParameterSource.DEFAULT
    ]


def refuse_explicit(context: click.Context, names: Iterable[str], where: str) -> None:
    """Refuse parameters that were given but have no effect here. Raises `UsageError`; `where` says
    where they have one."""
    if given := explicit_options(context, names):
        raise click.UsageError(f"{' and '.join(given)} can only be used {where}")
