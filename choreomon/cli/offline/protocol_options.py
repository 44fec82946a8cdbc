"""The protocol for `choreomon verify`: an interaction, or an automaton."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import click

from choreomon.cli.command_line.explicit_options import refuse_explicit
from choreomon.cli.command_line.options import added, taken

if TYPE_CHECKING:
    from choreomon.verify.verdict import Mode

_Command = TypeVar("_Command", bound=Callable[..., Any])

SEARCHING: Final = (
    *("config", "por", "paper_por", "local", "local_on", "whole_graph", "strategy"),
)
"""Options about a search of interactions."""


def protocol_options(command: _Command) -> _Command:
    """Adds the options to a command; they are the parameters of `Protocol`."""
    return added(
        click.option(
            "--interaction",
            "-i",
            type=click.Path(),
            help="What should happen: a .hif, .hsf, .json, .mmd (Mermaid) or .puml (PlantUML) "
            "file, or a document (.yaml) that states it.",
        ),
        click.option(
            "--automaton",
            type=click.Path(),
            help="What should happen, instead: an automaton, .json or .timbuk.",
        ),
        click.option(
            "--locations",
            type=click.Path(),
            help="Of an automaton whose letters are no actions: a .json file that says where they "
            "are.",
        ),
        click.option(
            "--signature",
            "-s",
            type=click.Path(),
            help="Which lifelines and messages there are: a .hsf or .json file. Others are bad "
            "input.",
        ),
    )(command)


class Protocol(NamedTuple):
    """The paths of files: an interaction or an automaton, and what they need."""

    interaction: str | None
    automaton: str | None
    locations: str | None
    signature: str | None

    @classmethod
    def taken(cls, context: click.Context, choices: dict[str, Any]) -> Protocol:
        """Takes the fields out of the parameters. Raises `UsageError` where there is neither an
        interaction nor an automaton, where there are both, and for options that do nothing."""
        made = taken(cls, choices)
        if (made.interaction is None) is (made.automaton is None):
            told = "by --interaction FILE or by --automaton FILE, one of the two"
            raise click.UsageError(f"say what should happen: {told}")
        if made.interaction is not None:
            refuse_explicit(context, ("locations",), "with --automaton")
            return made
        refuse_explicit(context, SEARCHING, "with --interaction")
        method = context.params["method"]
        if method in ("removal", "search"):
            raise click.UsageError(f"--method {method} can only be used with --interaction")
        return made

    @property
    def file(self) -> str:
        """The file of the interaction or the automaton."""
        found = self.automaton if self.interaction is None else self.interaction
        assert found is not None
        return found

    def check(self, mode: Mode) -> None:
        """Raises `BadParameter` for a mode that an automaton does not answer."""
        from choreomon.cli.command_line.analysis_options import automaton_mode_of

        if self.automaton is not None:
            automaton_mode_of(mode)
