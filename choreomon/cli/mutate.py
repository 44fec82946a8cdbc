"""`choreomon mutate`: multi-traces that are not quite as they were."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import click

from choreomon.cli import NOTHING_FOUND
from choreomon.cli.given import refuse_given
from choreomon.cli.writing import WrittenPath
from choreomon.cli.written_traces import TraceWriter, check_apart, stem

if TYPE_CHECKING:
    from random import Random

    from choreomon.core.action import Action
    from choreomon.multitrace.multitrace import MultiTrace

_IMPOSSIBLE: Final = {
    "insert": "nothing to insert: no message is known; --signature says which there are",
    "swap-actions": "nothing to swap: no component has two different actions",
    "swap-components": "nothing to swap: no other multi-trace differs from it in two components",
    "remove": "nothing to remove: there are fewer actions than --actions says",
}


@click.command("mutate")
@click.argument("traces", metavar="TRACE...", nargs=-1, required=True, type=click.Path())
@click.option(
    "--kind",
    type=click.Choice(["insert", "swap-actions", "swap-components", "remove"]),
    required=True,
    help="Insert an action; swap two actions of a component; swap a component with that of "
    "another of the multi-traces; remove actions.",
)
@click.option("--signature", "-s", type=click.Path(), help="What may be inserted: .hsf or .json.")
@click.option("--seed", default=0, show_default=True, help="Of all random choices.")
@click.option(
    "--number", type=click.IntRange(min=1), default=1, show_default=True, help="Mutants of each."
)
@click.option(
    "--actions",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="With remove: how many actions.",
)
@click.option(
    "-o",
    "--output",
    "folder",
    type=WrittenPath(directory=True),
    help="Write files to this folder; else the mutants are printed.",
)
@click.option("--json", "as_json", is_flag=True, help="Mutants as JSON, instead of .htf.")
@click.pass_context
def command(
    context: click.Context,
    traces: tuple[str, ...],
    kind: Literal["insert", "swap-actions", "swap-components", "remove"],
    signature: str | None,
    seed: int,
    number: int,
    actions: int,
    folder: Path | None,
    as_json: bool,
) -> int:
    """Make mutants of multi-traces, files or folders.

    A mutant always differs from what it was made of, but may well be accepted, too. What cannot
    be changed is said and left out, and in the end how many mutants were made. One seed gives one
    result, on every machine.
    """
    from random import Random

    from choreomon.cli.trace_files import trace_files
    from choreomon.formats.hibou.files import load_multi_trace, load_signature
    from choreomon.render.wording import counted

    if kind != "insert" and signature is not None:
        raise click.UsageError("--signature says what is inserted: use it with --kind insert")
    if kind != "remove":
        refuse_given(context, ("actions",), "with --kind remove")
    declared = None if signature is None else load_signature(signature)
    paths = trace_files(traces)
    if kind == "swap-components" and len(paths) < 2:
        raise click.UsageError("--kind swap-components needs two multi-traces or more")
    if folder is not None:
        check_apart(folder, paths)
    read = [load_multi_trace(path, signature=declared) for path in paths]
    alphabet = _alphabet(read, declared)
    rng = Random(seed)
    writer = TraceWriter(folder, as_json=as_json)
    for at, path in enumerate(paths):
        for count in range(1, number + 1):
            mutant = _mutant(rng, paths, read, at, kind, alphabet, actions)
            if mutant is None:
                click.echo(f"{path}: {_IMPOSSIBLE[kind]}", err=True)
                break
            writer.write(f"{stem(path)}-{kind}-{count}", mutant)
    if said := writer.said():
        click.echo(said, err=True)
    wanted = number * len(paths)
    if writer.written < wanted:
        click.echo(f"{writer.written:,} of {counted(wanted, 'mutant')} made", err=True)
    return NOTHING_FOUND


def _alphabet(read: list[MultiTrace], declared: object) -> tuple[Action, ...]:
    """What may be inserted: all that the signature allows; without one, all messages that occur
    anywhere, on the lifelines of the multi-traces."""
    from choreomon.formats.hibou import Signature
    from choreomon.multitrace.mutation import alphabet

    if isinstance(declared, Signature):
        return alphabet(declared.lifelines, declared.messages)
    return alphabet(
        {name for one in read for name in one.lifelines},
        {action.message for one in read for part in one.components for action in part.actions},
    )


def _mutant(
    rng: Random,
    paths: Sequence[str],
    read: list[MultiTrace],
    at: int,
    kind: str,
    alphabet: tuple[Action, ...],
    actions: int,
) -> MultiTrace | None:
    from choreomon.multitrace.mutation import insert_action, remove_actions, swap_actions

    if kind == "insert":
        return insert_action(rng, read[at], alphabet)
    if kind == "swap-actions":
        return swap_actions(rng, read[at])
    if kind == "remove":
        return remove_actions(rng, read[at], actions)
    return _swapped(rng, paths, read, at)


def _swapped(
    rng: Random, paths: Sequence[str], read: list[MultiTrace], at: int
) -> MultiTrace | None:
    """The multi-trace with a component of another one; in a drawn order the others are tried until
    one differs enough."""
    from choreomon.multitrace.mutation import swap_components

    others = [place for place in range(len(read)) if place != at]
    while others:
        other = others.pop(rng.randrange(len(others)))
        try:
            swapped = swap_components(rng, read[at], read[other])
        except ValueError as error:
            raise click.ClickException(
                f"{paths[at]} and {paths[other]}: {error}: give multi-traces over the same clocks"
            ) from None
        if swapped is not None:
            return swapped[0]
    return None
