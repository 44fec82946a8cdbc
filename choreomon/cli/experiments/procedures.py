"""`choreomon experiment procedures`: the automata paper's procedures, by kind of multi-trace."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from choreomon.batch.collector import collector_at_rest
from choreomon.cli import NOTHING_FOUND, VIOLATION
from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.jobs import jobs_option
from choreomon.cli.command_line.options import seed_option
from choreomon.cli.experiments.work import Publication, in_order, published_options
from choreomon.core.action import emission

if TYPE_CHECKING:
    from random import Random

    from choreomon.experiments.offline.procedures import Plan, Protocol, Results

TIMBUK = ".timbuk"


class Task(NamedTuple):
    """A file with this many locations; None: each lifeline is one."""

    file: str
    locations: int | None
    seed: int
    plan: Plan


@click.command(
    "procedures",
    epilog=examples(
        (
            "choreomon experiment procedures order.hif --number 5 --tries 100",
            "Five multi-traces of each kind, by each procedure.",
        ),
        (
            "choreomon experiment procedures order.hif --number 5 --tries 100 -o out",
            "The same, with tables in a folder.",
        ),
    ),
)
@click.argument(
    "files",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE...",
)
@click.option(
    "--locations",
    "counts",
    type=click.IntRange(min=1),
    multiple=True,
    help="Of .timbuk automata, whose letters are given to so many locations at random; may be "
    "given several times. Default: 3.",
)
@click.option(
    "--number",
    type=click.IntRange(min=1),
    default=1_000,
    show_default=True,
    help="Multi-traces of each kind, where they are found.",
)
@click.option(
    "--tries",
    type=click.IntRange(min=1),
    default=100_000,
    show_default=True,
    help="Multi-traces that are drawn for each kind at most.",
)
@click.option(
    "--length",
    type=(click.IntRange(min=0), click.IntRange(min=0)),
    default=(200, 250),
    show_default=True,
    metavar="LEAST MOST",
    help="Actions of a multi-trace.",
)
@click.option(
    "--max-states",
    type=click.IntRange(min=1),
    default=300_000,
    show_default=True,
    help="That the paper's procedures build for one multi-trace; with more it is not finished.",
)
@seed_option("Of everything that is drawn.")
@jobs_option
@published_options("A folder for tables.")[0]
@published_options("A folder for tables.")[1]
def command(
    files: Sequence[str],
    counts: Sequence[int],
    number: int,
    tries: int,
    length: tuple[int, int],
    max_states: int,
    seed: int,
    jobs: int,
    as_json: bool,
    output: Path | None,
) -> int:
    """Multi-traces that pass, and those that are wrong in each of three ways, decided by the
    procedures of the automata paper, by their reduced form, and for interactions by the search
    (the automata paper, section 5, Table 1).

    Each FILE is an automaton (.timbuk, .json) or an interaction (.hif). The exit code is 1 where
    two answers differ.
    """
    from choreomon.experiments.offline.procedures import Plan

    shortest, longest = length
    if shortest > longest:
        raise click.BadParameter(f"{shortest} is more than {longest}", param_hint="--length")
    if counts and not any(Path(file).suffix == TIMBUK for file in files):
        raise click.UsageError("--locations is about .timbuk automata")
    publication = Publication("procedures", output)
    plan = Plan(number, tries, shortest, longest, max_states)
    tasks = [
        Task(file, count, seed, plan)
        for file in files
        for count in ((counts or (3,)) if Path(file).suffix == TIMBUK else (None,))
    ]
    found = in_order(measured_protocol, tasks, jobs)
    tables = "\n".join(_text(one, seed) for one in found)
    publication.publish(tables, {"protocols": [_result(one) for one in found]}, as_json=as_json)
    return VIOLATION if any(one.wrong for one in found) else NOTHING_FOUND


def measured_protocol(task: Task) -> Results:
    """Measure one protocol. Raises DocumentError, and UsageError where a file cannot be what is
    asked for."""
    from random import Random
    from time import perf_counter

    from choreomon.experiments.offline.procedures import results

    rng = Random(f"{Path(task.file).stem} {task.locations} {task.seed}")
    protocol = _protocol(task, rng)
    with collector_at_rest():
        try:
            found = results(rng, protocol, task.plan, perf_counter)
        except ValueError as error:
            raise click.UsageError(f"{task.file}: {error}; --length says how long") from error
    # An interaction lives in one process, and this may not be the one that asked.
    return found._replace(protocol=protocol._replace(interaction=None))


def _protocol(task: Task, rng: Random) -> Protocol:
    from choreomon.automata.accepted_words import shared_out
    from choreomon.documents.interactions import load_interaction
    from choreomon.experiments.offline.procedures import Protocol
    from choreomon.files.input_files import WHOLE
    from choreomon.interaction_files.automaton_file import load_automaton
    from choreomon.interaction_files.loading import text_of
    from choreomon.interaction_files.locations import Locations
    from choreomon.interaction_files.timbuk import read_timbuk, timbuk_letters
    from choreomon.multitrace.projection import discrete
    from choreomon.verify.synthesis import TooLarge, synthesize

    file = task.file
    name, kind = Path(file).stem, Path(file).suffix
    interaction = None
    if kind == TIMBUK:
        text = text_of(file, WHOLE)[1]
        names = tuple(f"p{number}" for number in range(1, (task.locations or 0) + 1))
        try:
            shared = shared_out(rng, timbuk_letters(text, file), names)
        except ValueError as error:
            raise click.UsageError(f"{file}: {error}") from error
        actions = {
            letter: emission(place, letter) for place, own in shared.items() for letter in own
        }
        automaton = read_timbuk(text, Locations(actions, names, "random locations"), file)
    elif kind == ".json":
        automaton = load_automaton(file)
    else:
        interaction = load_interaction(file)
        try:
            automaton = synthesize(interaction).automaton
        except TooLarge as error:
            raise click.UsageError(f"{file}: {error}: it has no automaton here") from error
    return Protocol(name, automaton, discrete(automaton.lifelines), interaction)


def _text(found: Results, seed: int) -> str:
    from choreomon.experiments.offline.procedures import PUBLISHED, rows
    from choreomon.experiments.results.tables import procedure_table

    protocol = found.protocol
    automaton = protocol.automaton
    lines = [
        f"## {protocol.name}, {len(protocol.onto)} locations",
        "",
        f"{automaton.states} states, {len(automaton.edges)} edges, seed {seed}. Set-up of the "
        f"local verifiers: {1000 * found.setup:.1f} ms, {found.verifier_states:,} states together.",
        "",
    ]
    for lifelines in protocol.onto:
        own = [str(automaton.letters[n]) for name in lifelines for n in automaton.letters_of[name]]
        lines.append(f"- {', '.join(lifelines)}: {', '.join(own) or 'nothing'}")
    published = PUBLISHED.get((automaton.states, len(automaton.edges)), {})
    lines += ["", procedure_table(found.samples, rows(found.measurements), published)]
    if found.wrong:
        lines.append(f"{found.wrong} answers are not those of the paper's procedure.\n")
    else:
        lines.append("All answers agree.\n")
    return "\n".join(lines)


def _result(found: Results) -> dict[str, Any]:
    """The rows as JSON."""
    from choreomon.experiments.offline.procedures import rows

    protocol = found.protocol
    return {
        "name": protocol.name,
        "states": protocol.automaton.states,
        "edges": len(protocol.automaton.edges),
        "partition": protocol.onto,
        "letters": {
            name: [str(protocol.automaton.letters[number]) for number in numbers]
            for name, numbers in protocol.automaton.letters_of.items()
        },
        "setup": {"seconds": found.setup, "states": found.verifier_states},
        "samples": [
            {
                "kind": one.kind,
                "number": len(one.multitraces),
                "tries": one.tries,
                "unfinished": one.unfinished,
            }
            for one in found.samples
        ],
        "rows": [
            {
                **row._asdict(),
                "kind": row.kind or "AllTypes",
                "seconds": row.seconds._asdict(),
                "visited": row.visited._asdict(),
            }
            for row in rows(found.measurements)
        ],
        "wrong": found.wrong,
    }
