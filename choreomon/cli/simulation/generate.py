"""`choreomon generate`: random applications with forbidden sequences."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, TypedDict, Unpack

import click

from choreomon.cli import NOTHING_FOUND
from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.options import seed_option
from choreomon.cli.command_line.writing import WrittenPath, check_writable, write

if TYPE_CHECKING:
    from simulator.generation.parameters import Parameters

CLASSES: Final = tuple(f"C{number}" for number in range(1, 10))
"""The names of complexity classes."""


@click.command(
    "generate",
    epilog=examples(
        (
            "choreomon generate --class C3 --seed 7 -o generated.yaml",
            "Draw an application of class C3, and a sequence that is forbidden.",
        ),
        (
            "choreomon generate --processes 5 --handlers 4 --chain 3 --sequences 2",
            "Print one of another size, with two forbidden sequences.",
        ),
    ),
)
@click.option(
    "--class",
    "complexity",
    type=click.Choice(CLASSES),
    help="Complexity class: so many processes and handlers, and a chain of as many messages.",
)
@click.option("--processes", type=int, metavar="N", help="How many, instead of a class.")
@click.option("--handlers", type=int, metavar="N", help="Of each process, instead of a class.")
@click.option(
    "--chain",
    type=int,
    metavar="N",
    help="Messages in the longest communication chains; in class C6 six, where nothing is said.",
)
@click.option(
    "--sequences", type=int, default=1, show_default=True, metavar="N",
    help="How many are forbidden.",
)  # fmt: skip
@click.option(
    "--length", type=int, metavar="N",
    help="Steps of each sequence; those of a chain, where nothing is said.",
)  # fmt: skip
@click.option(
    "--cancellations",
    type=float,
    default=0.3,
    show_default=True,
    metavar="SHARE",
    help="Of the places between two steps, those at which a message cancels.",
)
@click.option(
    "--branching",
    type=float,
    default=0.5,
    show_default=True,
    metavar="SHARE",
    help="Of the handlers that send, those that do it only if a variable says so.",
)
@click.option(
    "--instances",
    type=int,
    default=0,
    metavar="N",
    help="Let all happen for so many instances, which overlap, and forbid sequences for each.",
)
@click.option(
    "--replicas",
    type=int,
    default=0,
    metavar="N",
    help="Of the process with most steps, which is a role then.",
)
@seed_option()
@click.option(
    "-o",
    "--output",
    type=WrittenPath(printed=True),
    help="Write a file, .json as JSON, others as YAML; - prints YAML, and so does leaving it out.",
)
def command(
    complexity: str | None,
    processes: int | None,
    handlers: int | None,
    chain: int | None,
    sequences: int,
    length: int | None,
    cancellations: float,
    branching: float,
    instances: int,
    replicas: int,
    seed: int,
    output: Path | None,
) -> int:
    """Draw an application and forbidden sequences of it, as the paper does in section 6.1.

    What is written is a document for simulate and run. One seed gives one document, on every
    machine.
    """
    from choreomon.cli.command_line.own_simulator import require_own_simulator

    require_own_simulator()
    from simulator.generation.parameters import Unfit

    try:
        parameters = _parameters(
            complexity,
            processes,
            handlers,
            chain,
            sequences=sequences,
            length=length,
            cancellations=cancellations,
            branching=branching,
            instances=instances,
            replicas=replicas,
        )
    except Unfit as error:
        raise click.BadParameter(str(error), param_hint=f"--{error.parameter}") from None
    if output is not None:
        check_writable(output)
    as_json = output is not None and output.suffix.lower() == ".json"
    text = _text(parameters, seed, as_json=as_json)
    if output is None:
        click.echo(text, nl=False)
    else:
        write(output, text)
    return NOTHING_FOUND


def _text(parameters: Parameters, seed: int, *, as_json: bool) -> str:
    from choreomon.documents.scenario_text import (
        document_as_json,
        document_as_yaml,
        scenario_document,
    )
    from simulator.generation.scenario import generated_scenario
    from simulator.generation.schedule import DELAY

    scenario = generated_scenario(parameters, seed)
    name = f"generated: {parameters.processes} processes, seed {seed}"
    document = scenario_document(
        *(name, scenario.application, DELAY, scenario.sequences, scenario.parameters),
        scenario.replicas,
    )
    if as_json:
        return document_as_json(document)
    return document_as_yaml(document, f"choreomon generate {_options(parameters, seed)}")


class _Others(TypedDict):
    """Fields beside the size of the application."""

    sequences: int
    length: int | None
    cancellations: float
    branching: float
    instances: int
    replicas: int


def _parameters(
    complexity: str | None,
    processes: int | None,
    handlers: int | None,
    chain: int | None,
    **others: Unpack[_Others],
) -> Parameters:
    """Raises `UsageError` where the class and the numbers both say how large the application is, or
    none does, and `Unfit`."""
    from simulator.generation.parameters import Parameters, of_class

    if complexity is not None:
        for option, value in (("--processes", processes), ("--handlers", handlers)):
            if value is not None:
                raise click.UsageError(
                    f"{option} {value} and --class {complexity} both say how large the application "
                    "is: leave one of the two out"
                )
        return of_class(complexity, chain=chain, **others)
    if processes is None or handlers is None or chain is None:
        given = {"--processes": processes, "--handlers": handlers, "--chain": chain}
        missing = [option for option, value in given.items() if value is None]
        raise click.UsageError(
            f"{' and '.join(missing)} missing: give all three of {', '.join(given)}, or --class"
            if len(missing) < len(given)
            else "it is not said how large the application is: give --class C1 to C9, or "
            "--processes, --handlers and --chain"
        )
    length = others["length"]
    return Parameters(
        processes=processes,
        handlers=handlers,
        chain=chain,
        sequences=others["sequences"],
        length=chain if length is None else length,
        cancellations=others["cancellations"],
        branching=others["branching"],
        instances=others["instances"],
        replicas=others["replicas"],
    )


def _options(parameters: Parameters, seed: int) -> str:
    """The command that makes the document again."""
    names = ("processes", "handlers", "chain", "sequences", "length", "cancellations", "branching")
    options = [f"--{name} {getattr(parameters, name)}" for name in names]
    if parameters.instances:
        options.append(f"--instances {parameters.instances}")
    if parameters.replicas:
        options.append(f"--replicas {parameters.replicas}")
    return " ".join((*options, f"--seed {seed}"))
