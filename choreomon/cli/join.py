"""`choreomon join`: the logs of several machines as one multi-trace."""

from __future__ import annotations

from pathlib import Path

import click

from choreomon.cli import NOTHING_FOUND
from choreomon.cli.options import traces_argument
from choreomon.cli.writing import WrittenPath, check_not_read, write


@click.command("join")
@traces_argument
@click.option("--signature", "-s", type=click.Path(), help="Lifelines and messages: .hsf or .json.")
@click.option(
    "-o", "--output", type=WrittenPath(), help="Write a file instead; .json is JSON, others .htf."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, instead of .htf.")
def command(
    traces: tuple[str, ...], signature: str | None, output: Path | None, as_json: bool
) -> int:
    """Put the logs of one run together that several machines kept, files or folders.

    What comes out is one multi-trace with all their components. Other commands take each file as
    a run of its own.
    """
    from choreomon.cli.trace_files import trace_files
    from choreomon.formats.hibou import write_multi_trace
    from choreomon.formats.hibou.files import load_multi_trace, load_signature
    from choreomon.formats.offline_json import write_multi_trace_json
    from choreomon.multitrace.joining import joined

    in_json = as_json if output is None else output.suffix.lower() == ".json"
    if as_json and not in_json:
        raise click.UsageError(f"{output}: is JSON only where it ends in .json")
    paths = trace_files(traces)
    if output is not None:
        check_not_read(output, (signature, *paths))
    declared = None if signature is None else load_signature(signature)
    try:
        whole = joined((path, load_multi_trace(path, signature=declared)) for path in paths)
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
