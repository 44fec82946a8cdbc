"""A command whose help lists its options in groups, each under a heading of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click


class GroupedCommand(click.Command):
    """`groups` has the names of options by heading; those in none are listed first, as `Options`.
    Raises ValueError for a name that is no option, or that is in two groups."""

    def __init__(self, *args: Any, groups: Mapping[str, Sequence[str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        known = [parameter.name for parameter in self.params]
        for name in (grouped := [name for names in groups.values() for name in names]):
            if name not in known or grouped.count(name) > 1:
                raise ValueError(f"{name} is no option of {self.name}, or in two groups")
        self._groups = groups

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        records = {
            parameter.name: record
            for parameter in self.get_params(ctx)
            if isinstance(parameter, click.Option)
            and (record := parameter.get_help_record(ctx)) is not None
        }
        named = {name for names in self._groups.values() for name in names}
        rest = [name for name in records if name not in named]
        for heading, names in {"Options": rest, **self._groups}.items():
            with formatter.section(heading):
                formatter.write_dl([records[name] for name in names])
