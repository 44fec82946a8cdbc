"""A command group that imports a command when it is called, not when help is asked for, nor when a
shell asks which commands there are."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import click

from choreomon.cli.command_line.standard_input import ReadPath

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_ARGUMENTS: Final = f"{__name__}.arguments"


def arguments_of(context: click.Context) -> tuple[str, ...]:
    """The whole command line, behind the name of the program."""
    arguments: tuple[str, ...] = context.meta.get(_ARGUMENTS, ())
    return arguments


class LazyGroup(click.Group):
    """`families` are the commands under their headings in the help of the group: each name with its
    module, whose `command` it is, or `module:name`, and with its line there."""

    def __init__(
        self,
        *args: Any,
        families: Mapping[str, Mapping[str, tuple[str, str]]],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._families = families
        self.commands_at = {
            name: found for family in families.values() for name, found in family.items()
        }

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_ARGUMENTS] = tuple(args)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands_at)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands_at:
            return None
        where, _ = self.commands_at[cmd_name]
        module, _, name = where.partition(":")
        command: click.Command = getattr(import_module(module), name or "command")
        _read_paths(command)  # here, so that none is forgotten
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve as click does; the error for an unknown name lists similar ones."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = get_close_matches(args[0], self.commands_at, n=1, cutoff=0.7)
            if not near:
                raise
            raise click.UsageError(f"{error.message} Did you mean {near[0]}?", ctx) from None

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Names of commands with their lines; none is imported."""
        from click.shell_completion import CompletionItem

        named = [
            CompletionItem(name, help=line)
            for name, (_, line) in self.commands_at.items()
            if name.startswith(incomplete)
        ]
        return [*named, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        widest = max(map(len, self.commands_at))
        for family, commands in self._families.items():
            with formatter.section(family):
                lines = [(name.ljust(widest), line) for name, (_, line) in commands.items()]
                formatter.write_dl(lines)


def _read_paths(command: click.Command) -> None:
    """Let every path that this command and its subcommands read be the standard input, too."""
    for option in command.params:
        if type(option.type) is click.Path and not option.type.allow_dash:
            option.type = ReadPath()
    if isinstance(command, click.Group):
        for each in command.commands.values():
            _read_paths(each)
