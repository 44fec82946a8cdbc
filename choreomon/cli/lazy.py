"""A command group that imports a command when it is called, not when help is asked for, nor when a
shell asks which commands there are."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import click

from choreomon.cli.standard_input import ReadPath

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_ARGUMENTS: Final = f"{__name__}.arguments"


def arguments_of(context: click.Context) -> tuple[str, ...]:
    """All that the command line was called with, behind the name of the program."""
    arguments: tuple[str, ...] = context.meta.get(_ARGUMENTS, ())
    return arguments


class LazyGroup(click.Group):
    """`commands_at` maps a command's name to its module, whose `command` it is, or `module:name`,
    and to its line in the help of the group."""

    def __init__(
        self, *args: Any, commands_at: Mapping[str, tuple[str, str]], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self._commands_at = commands_at

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_ARGUMENTS] = tuple(args)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._commands_at)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._commands_at:
            return None
        where, _ = self._commands_at[cmd_name]
        module, _, name = where.partition(":")
        command: click.Command = getattr(import_module(module), name or "command")
        for option in command.params:  # here, so that none is forgotten
            if type(option.type) is click.Path and not option.type.allow_dash:
                option.type = ReadPath()
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Names of commands with their lines; none is imported."""
        from click.shell_completion import CompletionItem

        named = [
            CompletionItem(name, help=line)
            for name, (_, line) in self._commands_at.items()
            if name.startswith(incomplete)
        ]
        return [*named, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self._commands_at.items()])
