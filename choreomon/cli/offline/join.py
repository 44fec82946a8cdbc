"""`choreomon join`: the logs of several machines as one multi-trace."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from choreomon.cli import NOTHING_FOUND
from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.log_options import LogChoices, log_options
from choreomon.cli.command_line.options import taken, traces_argument
from choreomon.cli.command_line.writing import WrittenPath, check_not_read, write

if TYPE_CHECKING:
    from choreomon.multitrace.multitrace import MultiTrace


@click.command(
    "join",
    epilog=examples(
        (
            "choreomon join customer.htf shop.htf bank.htf -o run.htf",
            "Make one multi-trace of the logs of three machines.",
        ),
        ("choreomon join machines -o run.htf", "The same of all logs in a folder."),
    ),
)
@traces_argument
@click.option("--signature", "-s", type=click.Path(), help="Lifelines and messages: .hsf or .json.")
@click.option(
    "-o",
    "--output",
    type=WrittenPath(printed=True),
    help="Write a file instead; .json is JSON, others .htf.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, instead of .htf.")
@log_options()
def command(
    traces: tuple[str, ...],
    signature: str | None,
    output: Path | None,
    as_json: bool,
    **choices: Any,
) -> int:
    """Put the logs of one run together that several machines kept, files or folders.

    The result is one multi-trace with all of these logs. Other commands take each file as
    a run of its own. Logs may be in other formats, too (docs/logs.md).
    """
    from choreomon.cli.command_line.trace_files import trace_files
    from choreomon.hibou.multitrace import write_multi_trace
    from choreomon.interaction_files.loading import load_multi_trace, load_signature
    from choreomon.interaction_files.offline_json import write_multi_trace_json
    from choreomon.multitrace.joining import joined

    in_json = as_json if output is None else output.suffix.lower() == ".json"
    if as_json and not in_json:
        raise click.UsageError(f"{output}: is JSON only where it ends in .json")
    paths = trace_files(traces)
    if output is not None:
        check_not_read(output, (signature, *paths))
    declared = None if signature is None else load_signature(signature)
    logs = taken(LogChoices, choices).loaded()

    def read() -> Iterator[tuple[str, MultiTrace]]:
        for path in paths:
            if logs.is_log(path):
                yield from logs.multi_traces(path, signature=declared)
            else:
                yield path, load_multi_trace(path, signature=declared)

    try:
        whole = joined(read())
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    try:
        text = (write_multi_trace_json if in_json else write_multi_trace)(whole)
    except ValueError as error:
        raise click.ClickException(f"{error}: use --json, or -o NAME.json") from None
    if output is None:
        click.echo(text, nl=False)
    else:
        write(output, text)
    return NOTHING_FOUND
