"""`choreomon local-check`: is the log of one machine right by itself?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from choreomon.cli import NOTHING_FOUND, VIOLATION
from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.writing import (
    WrittenPath,
    check_written,
    write,
)

if TYPE_CHECKING:
    from choreomon.multitrace.multitrace import Component
    from choreomon.verify.automaton_verifier import AutomatonMode

MODES: Final = ("accept", "multiprefix", "slice")


@click.command(
    "local-check",
    epilog=examples(
        (
            "choreomon local-check shop.htf --verifier shop.json -o shop.area.json",
            "Check the log of the shop on the machine of the shop.",
        ),
        (
            "choreomon local-check shop.htf --verifier shop.json -o a.json --with-trace",
            "Write the log, too, where central-check asks for it.",
        ),
    ),
)
@click.argument("log", type=click.Path())
@click.option(
    "--verifier",
    required=True,
    type=click.Path(),
    help="The local verifier: a .json file that choreomon synthesize --verifiers wrote.",
)
@click.option(
    "-o", "--output", required=True, type=WrittenPath(), help="The area, as JSON, to write."
)
@click.option(
    "--mode",
    type=click.Choice(MODES),
    default="multiprefix",
    show_default=True,
    help="What is asked, as in choreomon verify.",
)
@click.option("--with-trace", is_flag=True, help="Write the log to the area, too.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object about it.")
def command(
    log: str,
    verifier: str,
    output: Path,
    mode: AutomatonMode,
    with_trace: bool,
    as_json: bool,
) -> int:
    """Check LOG, a multi-trace with the log of one location, by its local verifier.

    Its area is written, for choreomon central-check: which edges of the automaton may have been
    taken, as far as the log tells. Actions of the log are in it only with --with-trace.

    Exit codes: 0 the log alone shows no error, 1 it is wrong whatever happened elsewhere, 2 bad
    usage or input.
    """
    from choreomon.automata.local_verifier import check
    from choreomon.interaction_files.verifier_file import load_verifier, write_area
    from choreomon.verify.automaton_verifier import MISSING
    from choreomon.verify.central_check import Area

    check_written((output,), (log, verifier))
    own = load_verifier(verifier)
    part = _log(log, verifier, own.lifelines)
    found = check(own, part.actions, MISSING[mode])
    trace = tuple(part.actions) if with_trace else None
    area = Area(own.digest, mode, own.lifelines, found.area, trace)
    try:
        write(output, write_area(area, own.edges))
    except ValueError as error:
        raise click.ClickException(f"{log}: {error}") from None
    if as_json:
        facts = {"lifelines": list(own.lifelines), "mode": mode, "right": found.right}
        click.echo(json.dumps({**facts, "fits": found.area is not None}))
    else:
        click.echo(f"{log}: {_told(part, found.right, fits=found.area is not None)}")
    return NOTHING_FOUND if found.area is not None else VIOLATION


def _told(part: Component, right: int, *, fits: bool) -> str:
    if fits:
        return "right, as far as it tells by itself"
    if right == len(part.actions):
        return "LocalError: the log must not end here"
    return f"LocalError: action {right + 1:,}, {part.actions[right]}, cannot be there"


def _log(log: str, verifier: str, lifelines: tuple[str, ...]) -> Component:
    """The log of the location. Raises `ClickException` where the file has none."""
    from choreomon.interaction_files.loading import load_multi_trace

    seen = load_multi_trace(log, partition=[lifelines])
    parts = [part for part in seen.components if set(part.lifelines) & set(lifelines)]
    if len(parts) == 1 and parts[0].lifelines == lifelines:
        return parts[0]
    clocks = "one clock" if len(lifelines) > 1 else "a clock of its own"
    told = f"has no log of {' and '.join(lifelines)} by {clocks}, which {verifier} is about"
    raise click.ClickException(f"{log}: {told}")
