"""`choreomon generate-interaction`: random interactions."""

from __future__ import annotations

import os
from pathlib import Path

import click

from choreomon.cli import NOTHING_FOUND
from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.options import drawn_by, number_option, seed_option
from choreomon.cli.command_line.writing import WrittenPath, check_writable, write


def _names(letter: str, value: str) -> tuple[str, ...]:
    """A number of names, or the names."""
    if value.isdecimal():
        if len(value) > 6:
            raise click.BadParameter(f"{value} are too many: 999999 are the most")
        names: tuple[str, ...] = tuple(f"{letter}{n}" for n in range(1, int(value) + 1))
    else:
        names = tuple(name.strip() for name in value.split(","))
    if not names or not all(names) or len({*names}) < len(names):
        raise click.BadParameter(f"{value!r} is neither a number of at least 1 nor different names")
    return names


def _lifelines(value: str) -> tuple[str, ...]:
    return _names("l", value)


def _messages(value: str) -> tuple[str, ...]:
    return _names("m", value)


def _operators(value: str) -> tuple[str, ...]:
    from choreomon.interaction.generation import ALL_OPERATORS, PAPER_OPERATORS

    named = {"paper": PAPER_OPERATORS, "all": ALL_OPERATORS}
    found = named.get(value, tuple(name.strip() for name in value.split(",")))
    for name in found:
        if name not in ALL_OPERATORS:
            known = ", ".join(ALL_OPERATORS)
            raise click.BadParameter(f"{name!r} is no operator; there are {known}")
    return found


@click.command(
    "generate-interaction",
    epilog=examples(
        (
            "choreomon generate-interaction --seed 7",
            "Print an interaction as large as those of the paper.",
        ),
        (
            "choreomon generate-interaction --lifelines a,b --max-symbols 30 -o drawn.hif",
            "Write a smaller one, of two lifelines.",
        ),
    ),
)
@click.option(
    "--lifelines", type=_lifelines, default="5", show_default=True, metavar="N|a,b,..",
    help="How many, or their names.",
)  # fmt: skip
@click.option(
    "--messages", type=_messages, default="6", show_default=True, metavar="N|a,b,..",
    help="How many, or their names.",
)  # fmt: skip
@click.option(
    "--operators",
    type=_operators,
    default="paper",
    show_default=True,
    metavar="paper|all|seq,alt,..",
    help="Those of the removal paper, all of the language, or some.",
)
@click.option(
    "--min-depth",
    type=click.IntRange(min=1),
    default=6,
    show_default=True,
    help="Operators within each other, and the action within them.",
)
@click.option(
    "--min-symbols",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Operators, actions and empty interactions, at least.",
)
@click.option(
    "--max-symbols",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    help="The same, at most.",
)
@seed_option()
@number_option("Interactions.")
@click.option(
    "-o",
    "--output",
    type=WrittenPath(printed=True),
    help="Write a file, or several, NAME-1.hif and so on; .json is JSON, others .hif.",
)
@click.option("--signature", type=WrittenPath(), help="Write the signature, too: .hsf, or .json.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, instead of .hif.")
def command(
    lifelines: tuple[str, ...],
    messages: tuple[str, ...],
    operators: tuple[str, ...],
    min_depth: int,
    min_symbols: int,
    max_symbols: int,
    seed: int,
    number: int,
    output: Path | None,
    signature: Path | None,
    as_json: bool,
) -> int:
    """Draw interactions at random, as the removal paper does in section 6.1.

    Symbols (operators, actions, empty interactions) are counted after simplifying. The same seed
    gives the same interactions on every machine.
    """
    from choreomon.hibou.interaction import write_interaction
    from choreomon.interaction.generation import random_interaction
    from choreomon.interaction_files.offline_json import write_interaction_json

    in_json = as_json if output is None else output.suffix.lower() == ".json"
    if as_json and not in_json:
        raise click.UsageError(f"{output}: is JSON only where it ends in .json")
    if min_symbols > max_symbols:
        raise click.UsageError(f"--min-symbols {min_symbols} is more than {max_symbols} at most")
    _check_outputs(output, number, signature)
    declared = "" if signature is None else _declared(signature, lifelines, messages)
    rng = drawn_by(seed)
    for count in range(1, number + 1):
        try:
            made = random_interaction(
                rng,
                lifelines=lifelines,
                messages=messages,
                operators=operators,
                min_depth=min_depth,
                min_size=min_symbols,
                max_size=max_symbols,
            )
            text = (write_interaction_json if in_json else write_interaction)(made)
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        if output is None:
            click.echo(text, nl=not text.endswith("\n"))
        else:
            write(_numbered(output, count, number), text)
    if signature is not None:
        write(signature, declared)
    return NOTHING_FOUND


def _declared(file: Path, lifelines: tuple[str, ...], messages: tuple[str, ...]) -> str:
    """The text of the signature. Raises `UsageError` for names that its file cannot have."""
    from choreomon.hibou.signature import Signature, write_signature
    from choreomon.interaction_files.offline_json import write_signature_json

    writer = write_signature_json if file.suffix.lower() == ".json" else write_signature
    try:
        return writer(Signature(lifelines, messages))
    except ValueError as error:
        raise click.UsageError(f"{file}: {error}") from None


def _numbered(output: Path, count: int, number: int) -> Path:
    """The file of one of this many interactions."""
    if number == 1:
        return output
    return output.with_name(f"{output.stem}-{count}{output.suffix}")


def _check_outputs(output: Path | None, number: int, signature: Path | None) -> None:
    """Check before any work is done. Raises `UsageError` where the signature is one of the others,
    and `ClickException` where one cannot be written."""
    if signature is not None:
        check_writable(signature)
    if output is None:
        return
    check_writable(_numbered(output, 1, number))
    if signature is not None:
        written = os.path.realpath(signature)
        files = (_numbered(output, count, number) for count in range(1, number + 1))
        if any(os.path.realpath(file) == written for file in files):
            raise click.UsageError(f"{signature}: is an interaction, too: write another file")
