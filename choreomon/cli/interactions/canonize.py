"""`choreomon canonize`: the normal form of an interaction."""

from __future__ import annotations

import json
from pathlib import Path

import click

from choreomon.cli import NOTHING_FOUND
from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.writing import WrittenPath, check_not_read, write


@click.command(
    "canonize",
    epilog=examples(
        ("choreomon canonize order.hif", "Print the normal form."),
        ("choreomon canonize order.hif -o normal.json", "Write it to a file, as JSON."),
    ),
)
@click.argument("file", type=click.Path())
@click.option("--signature", "-s", type=click.Path(), help="Lifelines and messages: .hsf or .json.")
@click.option("--config", type=click.Path(), help="A .hcf file with a @canonize_option section.")
@click.option("--simplify", is_flag=True, help="Only take out what is redundant; keep the rest.")
@click.option(
    "-o",
    "--output",
    type=WrittenPath(printed=True),
    help="Write a file instead; .json is JSON, others .hif.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with both forms.")
def command(
    file: str,
    signature: str | None,
    config: str | None,
    simplify: bool,
    output: Path | None,
    as_json: bool,
) -> int:
    """Print the normal form of the interaction in FILE.

    It has the same traces. Interactions with equal normal forms have the same traces; those with
    different ones may, too.

    Of a configuration, options about the order of a search have no effect, and a message says
    which: the form is computed. Loggers and search_all are errors, since there is no search.
    """
    from choreomon.documents.interactions import load_interaction
    from choreomon.hibou.interaction import write_interaction
    from choreomon.interaction import normal as forms
    from choreomon.interaction.measures import metrics
    from choreomon.interaction_files.loading import load_signature
    from choreomon.interaction_files.offline_json import write_interaction_json

    if output is not None:
        check_not_read(output, (file, signature, config))
    if config is not None:
        _check(config)
    declared = None if signature is None else load_signature(signature)
    given = load_interaction(file, declared)
    made = forms.simplify(given) if simplify else forms.normal(given)
    in_json = output is not None and output.suffix.lower() == ".json"
    try:
        text = write_interaction_json(made) if in_json else write_interaction(made)
        before = write_interaction(given) if as_json else ""
        after = write_interaction(made) if as_json else ""
    except ValueError as error:
        instead = "use -o NAME.json" + (
            " without --json, which prints both forms" if as_json else ""
        )
        raise click.ClickException(f"{file}: {error}: {instead}") from None
    if output is not None:
        write(output, text)
    if as_json:
        forms_in_json = {"given": before, "normal": after}
        sizes = {
            name: {
                key: number
                for key, number in metrics(term)._asdict().items()
                if isinstance(number, int)
            }
            for name, term in (("given", given), ("normal", made))
        }
        click.echo(json.dumps({**forms_in_json, "metrics": sizes}, indent=2))
    elif output is None:
        click.echo(text, nl=not text.endswith("\n"))
    return NOTHING_FOUND


def _check(path: str) -> None:
    """Name the options of a configuration that change nothing. Raises DocumentError where it has no
    section for this, or asks for what only a search by rewriting could show."""
    from choreomon.cli.command_line.loggers import refuse
    from choreomon.core.errors import DocumentError, Problem
    from choreomon.hibou.configuration import CanonizeOptions
    from choreomon.interaction_files.loading import load_configuration

    options = load_configuration(path).canonize
    if options is None:
        raise DocumentError((Problem(path, 0, "", "has no section @canonize_option{..}"),))
    if options.loggers:
        refuse(path, "loggers are not supported by canonize: there is no search to be drawn")
    if options.search_all:
        refuse(path, "search_all is not supported by canonize: there is one normal form")
    usual = CanonizeOptions()
    idle = [
        name
        for name in ("strategy", "filters", "priorities", "randomize", "memoize")
        if getattr(options, name) != getattr(usual, name)
    ]
    if idle:
        click.echo(
            f"{path}: no effect here, since nothing is searched: {', '.join(idle)}", err=True
        )
