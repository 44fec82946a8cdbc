"""`choreomon mutate`: multi-traces that are not quite as they were."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import click

from choreomon.cli import BAD_INPUT, NOTHING_FOUND
from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.explicit_options import refuse_explicit
from choreomon.cli.command_line.options import (
    drawn_by,
    number_option,
    seed_option,
    traces_argument,
    written_options,
)
from choreomon.cli.command_line.written_traces import check_apart, stem, write_all

if TYPE_CHECKING:
    from random import Random

    from choreomon.core.action import Action
    from choreomon.multitrace.multitrace import MultiTrace

Kind: TypeAlias = Literal["insert", "swap-actions", "swap-components", "remove"]

_IMPOSSIBLE: Final[dict[Kind, str]] = {
    "insert": "nothing to insert: no message is known; --signature says which there are",
    "swap-actions": "nothing to swap: no component has two different actions",
    "swap-components": "nothing to swap: no other multi-trace differs from it in two components",
    "remove": "nothing to remove: there are fewer actions than --actions says",
}


@click.command(
    "mutate",
    epilog=examples(
        (
            "choreomon mutate logs --kind swap-actions -o mutants",
            "Of each multi-trace one in which two actions of a log are swapped.",
        ),
        (
            "choreomon mutate logs/early.htf --kind remove --actions 2 --number 3",
            "Print three in each of which two actions are missing.",
        ),
    ),
)
@traces_argument
@click.option(
    "--kind",
    type=click.Choice([*_IMPOSSIBLE]),
    required=True,
    help="Insert an action; swap two actions of a component; swap a component with that of "
    "another of the multi-traces; remove actions.",
)
@click.option("--signature", "-s", type=click.Path(), help="What may be inserted: .hsf or .json.")
@seed_option()
@number_option("Mutants of each.")
@click.option(
    "--actions",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="With remove: how many actions.",
)
@written_options("mutants")
@click.pass_context
def command(
    context: click.Context,
    traces: tuple[str, ...],
    kind: Kind,
    signature: str | None,
    seed: int,
    number: int,
    actions: int,
    folder: Path | None,
    as_json: bool,
) -> int:
    """Make mutants of multi-traces: logs that are not quite what was recorded.

    Each TRACE is a file or a folder. A mutant differs from the multi-trace that it was made of, but
    may fit an interaction all the same. A message says which multi-traces cannot be changed, and
    how many mutants were made of how many; where none was, the exit code is 2. The same seed gives
    the same mutants on every machine.
    """
    from choreomon.cli.command_line.trace_files import trace_files
    from choreomon.interaction_files.loading import load_multi_trace, load_signature
    from choreomon.sentences.wording import counted

    if kind != "insert" and signature is not None:
        raise click.UsageError("--signature says what is inserted: use it with --kind insert")
    if kind != "remove":
        refuse_explicit(context, ("actions",), "with --kind remove")
    declared = None if signature is None else load_signature(signature)
    paths = trace_files(traces)
    if kind == "swap-components" and len(paths) < 2:
        raise click.UsageError("--kind swap-components needs two multi-traces or more")
    check_apart(folder, paths)
    read = [load_multi_trace(path, signature=declared) for path in paths]
    workshop = _Workshop(drawn_by(seed), paths, read, kind, _alphabet(read, declared), actions)
    written = write_all(workshop.mutants(number), folder, as_json=as_json)
    wanted = number * len(paths)
    if written < wanted:
        click.echo(f"{written:,} of {counted(wanted, 'mutant')} made", err=True)
    return NOTHING_FOUND if written else BAD_INPUT


def _alphabet(read: list[MultiTrace], declared: object) -> tuple[Action, ...]:
    """Actions that may be inserted: all that the signature allows; without one, all messages that
    occur anywhere, on the lifelines of the multi-traces."""
    from choreomon.hibou.signature import Signature
    from choreomon.multitrace.mutation import alphabet

    if isinstance(declared, Signature):
        return alphabet(declared.lifelines, declared.messages)
    return alphabet(
        {name for one in read for name in one.lifelines},
        {action.message for one in read for part in one.components for action in part.actions},
    )


@dataclass(frozen=True)
class _Workshop:
    """Makes mutants of the multi-traces that were `read`, with `alphabet` to insert and this many
    `actions` to remove."""

    rng: Random
    paths: Sequence[str]
    read: list[MultiTrace]
    kind: Kind
    alphabet: tuple[Action, ...]
    actions: int

    def mutants(self, number: int) -> Iterator[tuple[str, MultiTrace]]:
        """Make this many mutants of each multi-trace, with their names. Multi-traces that cannot be
        changed are reported and skipped."""
        for at, path in enumerate(self.paths):
            for count in range(1, number + 1):
                mutant = self._mutant(at)
                if mutant is None:
                    click.echo(f"{path}: {_IMPOSSIBLE[self.kind]}", err=True)
                    break
                yield f"{stem(path)}-{self.kind}-{count}", mutant

    def _mutant(self, at: int) -> MultiTrace | None:
        from choreomon.multitrace.mutation import insert_action, remove_actions, swap_actions

        match self.kind:
            case "insert":
                return insert_action(self.rng, self.read[at], self.alphabet)
            case "swap-actions":
                return swap_actions(self.rng, self.read[at])
            case "remove":
                return remove_actions(self.rng, self.read[at], self.actions)
            case "swap-components":
                return self._swapped(at)

    def _swapped(self, at: int) -> MultiTrace | None:
        """The multi-trace with a component of another one; in a drawn order the others are tried
        until one differs enough."""
        from choreomon.multitrace.mutation import swap_components

        others = [place for place in range(len(self.read)) if place != at]
        while others:
            other = others.pop(self.rng.randrange(len(others)))
            try:
                swapped = swap_components(self.rng, self.read[at], self.read[other])
            except ValueError as error:
                raise click.ClickException(
                    f"{self.paths[at]} and {self.paths[other]}: {error}: give multi-traces over "
                    "the same clocks"
                ) from None
            if swapped is not None:
                return swapped[0]
        return None
