"""`choreomon synthesize`: the automaton of an interaction."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from choreomon.automata.automaton import MOST_STATES
from choreomon.cli import NOTHING_FOUND
from choreomon.cli.command_line.clocks import shared_clocks
from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.pictures import check_picture, write_picture
from choreomon.cli.command_line.writing import (
    WrittenPath,
    check_written,
    suffix_of,
    write,
    write_all,
)
from choreomon.verify.synthesis import GROWTH, LEAST_SYMBOLS, MAX_STATES

if TYPE_CHECKING:
    from choreomon.automata.automaton import Automaton
    from choreomon.interaction.term import Interaction
    from choreomon.multitrace.projection import Partition
    from choreomon.verify.synthesis import Growth, Synthesis, TooLarge

SHOWN: Final = 160
"""Characters of a loop that errors show."""

TELL: Final = 250
"""States between two reports of how far it is."""


@click.command(
    "synthesize",
    epilog=examples(
        (
            "choreomon synthesize order.hif -o order.json --draw automaton.svg",
            "Write the automaton, and draw it.",
        ),
        (
            "choreomon synthesize order.hif -o order.json --verifiers verifiers",
            "Write a local verifier for each lifeline, too.",
        ),
    ),
)
@click.argument("file", type=click.Path())
@click.option(
    "-o", "--output", required=True, type=WrittenPath(), help="The automaton, as JSON, to write."
)
@click.option("--signature", "-s", type=click.Path(), help="Lifelines and messages: .hsf or .json.")
@click.option("--minimal", is_flag=True, help="The deterministic automaton with the fewest states.")
@click.option(
    "--max-states",
    type=click.IntRange(min=1, max=MOST_STATES),
    default=MAX_STATES,
    show_default=True,
    help="With more states it is too large; so it is with --minimal on the way there.",
)
@click.option(
    "--max-symbols",
    type=click.IntRange(min=1),
    help="What may remain of the interaction in a state may have so many symbols. Default: "
    f"{LEAST_SYMBOLS:,}, or {GROWTH} times as many as the interaction has.",
)
@click.option(
    "--verifiers",
    type=WrittenPath(directory=True),
    help="Write a local verifier for each location to this folder, too.",
)
@click.option(
    "--colocated",
    "clocks",
    metavar="NAME,NAME",
    multiple=True,
    help="With --verifiers: lifelines that share a clock are one location. May be given several "
    "times.",
)
@click.option("--draw", type=WrittenPath(), help="Draw it, too: .svg or .png.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object about it.")
def command(
    file: str,
    output: Path,
    signature: str | None,
    minimal: bool,
    max_states: int,
    max_symbols: int | None,
    verifiers: Path | None,
    clocks: tuple[str, ...],
    draw: Path | None,
    as_json: bool,
) -> int:
    """Make an automaton of the interaction in FILE.

    It accepts exactly the global traces of the interaction, and `choreomon verify --automaton`
    decides by it. Some interactions have none, or one that is too large; then an error names the
    loop that is the reason. `choreomon verify --interaction` needs no automaton.
    """
    from choreomon.documents.interactions import load_interaction
    from choreomon.interaction_files.automaton_file import TIMBUK, write_automaton
    from choreomon.interaction_files.loading import load_signature
    from choreomon.verify.synthesis import default_symbols

    if output.suffix.lower() == TIMBUK:
        raise click.UsageError(f"{output}: automata are written as JSON: call it .json")
    if clocks and verifiers is None:
        raise click.UsageError("--colocated is about the locations of --verifiers")
    groups = shared_clocks(clocks, "--colocated")
    if draw is not None and suffix_of(draw, ".svg") not in (".svg", ".png"):
        raise click.UsageError(f"{draw}: the suffix must be .svg or .png")
    check_written((output, draw), (file, signature))
    if draw is not None:
        check_picture(draw)
    declared = None if signature is None else load_signature(signature)
    interaction = load_interaction(file, declared)
    symbols = default_symbols(interaction) if max_symbols is None else max_symbols
    found = _synthesized(file, interaction, max_states, symbols)
    made = found.automaton
    if minimal:
        made = _minimal(file, made, max_states)
    texts = {} if verifiers is None else _verifiers(file, made, groups, max_states)
    try:
        write(output, write_automaton(made))
    except ValueError as error:
        raise click.ClickException(f"{file}: {error}") from None
    if verifiers is not None:
        write_all({verifiers / name: text.encode("utf-8") for name, text in texts.items()})
    if draw is not None:
        from choreomon.pictures.graphs.protocol_automaton import protocol_picture

        write_picture(draw, protocol_picture(made, Path(file).stem))
    if as_json:
        click.echo(json.dumps({"file": file, **_facts(made, found)}, indent=2))
    else:
        _show(file, output, made, minimal=minimal)
        if verifiers is not None:
            click.echo(f"local verifiers in {verifiers}: {', '.join(texts)}")
    return NOTHING_FOUND


def _facts(made: Automaton, found: Synthesis) -> dict[str, object]:
    largest = max(term.size for term in found.follow_ups)
    return {
        "states": made.states,
        "edges": len(made.edges),
        "letters": len(made.letters),
        "lifelines": list(made.lifelines),
        "deterministic": made.is_deterministic,
        "digest": made.digest,
        "follow_ups": {"states": len(found.follow_ups), "symbols": largest},
    }


def _show(file: str, output: Path, made: Automaton, *, minimal: bool) -> None:
    from choreomon.sentences.wording import counted

    kind = "deterministic" if made.is_deterministic else "nondeterministic"
    if minimal:
        kind = "the deterministic one with the fewest states"
    click.echo(
        f"{file}: {counted(made.states, 'state')}, {counted(len(made.edges), 'edge')}, "
        f"{counted(len(made.letters), 'letter')} on {counted(len(made.lifelines), 'lifeline')}, "
        f"{kind}; written to {output}"
    )


def _synthesized(
    file: str, interaction: Interaction, max_states: int, max_symbols: int
) -> Synthesis:
    """Compute the automaton. Raises `ClickException` if it is too large, with the loop that is
    responsible."""
    from choreomon.verify.synthesis import TooLarge, responsible, synthesize

    try:
        with _told("states") as tell:
            return synthesize(
                interaction, max_states=max_states, max_symbols=max_symbols, on_state=tell
            )
    except TooLarge as error:
        with _told("states tried, to find the loop that makes it too large") as tell:
            found = responsible(
                interaction, max_states=max_states, max_symbols=max_symbols, on_state=tell
            )
        told = "; ".join((f"{file}: {error}", *_advice(error, found)))
        raise click.ClickException(told) from None


def _advice(error: TooLarge, found: Growth | None) -> Iterator[str]:
    """The loop that is responsible, as far as that is known, and what may be done about it."""
    from choreomon.interaction.term import Operator
    from choreomon.pictures.shapes.drawing import shortened

    if found is None:
        yield "no single loop makes it so large"
    else:
        loop = shortened(str(found.loop), SHOWN)
        yield f"{loop} is too large alone" if found.alone else f"without {loop} it is not"
        if found.loop.operator is not Operator.LOOP_S:
            yield "loopS in its place ends each iteration before the next one begins"
    yield f"--max-{error.bound} allows more"
    yield "choreomon verify --interaction needs no automaton"


def _minimal(file: str, made: Automaton, max_states: int) -> Automaton:
    from choreomon.automata.minimization import minimal
    from choreomon.core.errors import BudgetExceeded

    try:
        return minimal(made, max_states)
    except BudgetExceeded as error:
        told = f"{file}: {error}; --max-states allows more, and without --minimal it has fewer"
        raise click.ClickException(told) from None


def _verifiers(file: str, made: Automaton, groups: Partition, max_states: int) -> dict[str, str]:
    """Verifiers of all locations: the texts, by the names of files. Raises `ClickException` for a
    lifeline that there is not, or after which no file can be called, and where one has too many
    states."""
    from choreomon.agent_files.split_names import distinct_file_names
    from choreomon.automata.local_verifier import local_verifier
    from choreomon.core.errors import BudgetExceeded
    from choreomon.core.suggestion import did_you_mean
    from choreomon.interaction_files.verifier_file import write_verifier

    together = {name: group for group in groups for name in group}
    for name in together:
        if name not in made.lifelines:
            near = did_you_mean(name, made.lifelines)
            raise click.BadParameter(f"{name!r} is no lifeline{near}", param_hint="--colocated")
    locations = dict.fromkeys(tuple(sorted(together.get(n, (n,)))) for n in made.lifelines)
    texts: dict[str, str] = {}
    files = distinct_file_names(["+".join(map(_stem, location)) for location in locations])
    for location, name in zip(locations, files.values(), strict=True):
        if any(sign in name for sign in "/\\\0"):
            raise click.ClickException(f"{file}: no file can be called {name!r}")
        try:
            texts[name] = write_verifier(local_verifier(made, location, max_states))
        except BudgetExceeded as error:
            told = f"{file}: {','.join(location)}: {error}; --max-states allows more"
            raise click.ClickException(told) from None
        except ValueError as error:
            raise click.ClickException(f"{file}: {error}") from None
    return texts


def _stem(lifeline: str) -> str:
    """A part of a file's name, with the signs escaped that names of several parts have."""
    return lifeline.translate({ord(sign): f"%{ord(sign):02X}" for sign in "%+~"})


@contextmanager
def _told(what: str) -> Iterator[Callable[[int], None]]:
    """Shows on a terminal how many there are so far."""
    from choreomon.cli.command_line.screen import screens

    _, errors = screens()
    if not errors.is_terminal:
        yield lambda _: None
        return
    seen = 0
    with errors.status(f"0 {what}") as status:

        def tell(_: int) -> None:
            nonlocal seen
            seen += 1
            if not seen % TELL:
                status.update(f"{seen:,} {what}")

        yield tell
