"""`choreomon slice`: what partial observation leaves of multi-traces."""

from __future__ import annotations

import re
from contextlib import suppress
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Final

import click

from choreomon.cli import NOTHING_FOUND
from choreomon.cli.given import given_options, refuse_given
from choreomon.cli.writing import WrittenPath
from choreomon.cli.written_traces import TraceWriter, check_apart, stem

_SHARE: Final = re.compile(r"[0-9]{1,9}([/.][0-9]{1,9})?|\.[0-9]{1,9}")
"""Without exponents: `Fraction` would write them out."""


def _share(value: str) -> Fraction:
    """A part of the length, as `1/3` or `0.5`."""
    share = Fraction(-1)
    if _SHARE.fullmatch(value):
        with suppress(ZeroDivisionError):
            share = Fraction(value)
    if not 0 <= share <= 1:
        raise click.BadParameter(f"{value!r} is no share between 0 and 1, such as 1/3")
    return share


@click.command("slice")
@click.argument("traces", metavar="TRACE...", nargs=-1, required=True, type=click.Path())
@click.option("--prefixes", is_flag=True, help="Cut ends off only, so that prefixes are left.")
@click.option(
    "--wide",
    type=_share,
    default="0",
    metavar="SHARE",
    help="Leave at least this share of each component, such as 1/3.",
)
@click.option("--seed", default=0, show_default=True, help="Of all random choices.")
@click.option(
    "--number", type=click.IntRange(min=1), default=1, show_default=True, help="Slices of each."
)
@click.option("--all", "every", is_flag=True, help="Every slice, once, instead of random ones.")
@click.option(
    "-o",
    "--output",
    "folder",
    type=WrittenPath(directory=True),
    help="Write files to this folder; else the slices are printed.",
)
@click.option("--json", "as_json", is_flag=True, help="Slices as JSON, instead of .htf.")
@click.pass_context
def command(
    context: click.Context,
    traces: tuple[str, ...],
    prefixes: bool,
    wide: Fraction,
    seed: int,
    number: int,
    every: bool,
    folder: Path | None,
    as_json: bool,
) -> int:
    """Cut pieces out of multi-traces, files or folders, each component for itself.

    Random pieces: every length is as likely as any other, and every start. One seed gives one
    result, on every machine. With --all --number is a bound, and none if it is left out.
    """
    from random import Random

    from choreomon.cli.trace_files import trace_files
    from choreomon.formats.hibou.files import load_multi_trace
    from choreomon.multitrace.slices import (
        multi_prefixes,
        random_multi_prefix,
        random_slice,
        slices,
    )

    bounded = bool(given_options(context, ("number",)))
    if every:
        refuse_given(context, ("wide", "seed"), "for random slices, without --all")
    draw = random_multi_prefix if prefixes else random_slice
    rng = Random(seed)
    paths = trace_files(traces)
    if folder is not None:
        check_apart(folder, paths)
    writer = TraceWriter(folder, as_json=as_json)
    kind = "prefix" if prefixes else "slice"
    for path in paths:
        whole = load_multi_trace(path)
        if every:
            pieces = (multi_prefixes if prefixes else slices)(whole)
            pieces = islice(pieces, number if bounded else None)
        else:
            pieces = (draw(rng, whole, wide=wide) for _ in range(number))
        for count, piece in enumerate(pieces, start=1):
            writer.write(f"{stem(path)}-{kind}-{count}", piece)
    if said := writer.said():
        click.echo(said, err=True)
    return NOTHING_FOUND
