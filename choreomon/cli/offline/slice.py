"""`choreomon slice`: what partial observation leaves of multi-traces."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import click

from choreomon.cli import NOTHING_FOUND
from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.explicit_options import explicit_options, refuse_explicit
from choreomon.cli.command_line.options import (
    drawn_by,
    number_option,
    seed_option,
    traces_argument,
    written_options,
)
from choreomon.cli.command_line.written_traces import check_apart, stem, write_all

if TYPE_CHECKING:
    from random import Random

    from choreomon.multitrace.multitrace import MultiTrace

Cut: TypeAlias = "Callable[[MultiTrace], Iterable[MultiTrace]]"
"""The pieces of one."""

_SHARE: Final = re.compile(r"[0-9]{1,9}([/.][0-9]{1,9})?|\.[0-9]{1,9}")
"""Write them without exponents: `Fraction` would write them out."""


def _share(value: str) -> Fraction:
    """A part of the length, as `1/3` or `0.5`."""
    share = Fraction(-1)
    if _SHARE.fullmatch(value):
        with suppress(ZeroDivisionError):
            share = Fraction(value)
    if not 0 <= share <= 1:
        raise click.BadParameter(f"{value!r} is no share between 0 and 1, such as 1/3")
    return share


@click.command(
    "slice",
    epilog=examples(
        (
            "choreomon slice logs/early.htf --number 5 -o pieces",
            "Cut a random piece out of each log, five times.",
        ),
        (
            "choreomon slice logs/early.htf --prefixes --all",
            "Print all ways in which the logs may have stopped early.",
        ),
    ),
)
@traces_argument
@click.option("--prefixes", is_flag=True, help="Cut ends off only, so that prefixes are left.")
@click.option(
    "--wide",
    type=_share,
    default="0",
    metavar="SHARE",
    help="Leave at least this share of each component, such as 1/3.",
)
@seed_option()
@number_option("Slices of each.")
@click.option("--all", "every", is_flag=True, help="Every slice, once, instead of random ones.")
@written_options("slices")
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
    """Cut pieces out of multi-traces, as if logs had begun late and stopped early.

    Each TRACE is a file or a folder. Each log of a multi-trace is cut by itself: every length is as
    likely as any other, and so is every start. The same seed gives the same pieces on every
    machine. With --all, --number is how many are made at most; without it there is no limit.
    """
    from choreomon.cli.command_line.trace_files import trace_files
    from choreomon.interaction_files.loading import load_multi_trace

    bounded = bool(explicit_options(context, ("number",)))
    if every:
        refuse_explicit(context, ("wide", "seed"), "for random slices, without --all")
    cut = (
        _every(prefixes, number if bounded else None)
        if every
        else _random(drawn_by(seed), prefixes, wide, number)
    )
    paths = trace_files(traces)
    check_apart(folder, paths)
    kind = "prefix" if prefixes else "slice"
    pieces = (
        (f"{stem(path)}-{kind}-{count}", piece)
        for path in paths
        for count, piece in enumerate(cut(load_multi_trace(path)), start=1)
    )
    write_all(pieces, folder, as_json=as_json)
    return NOTHING_FOUND


def _every(prefixes: bool, most: int | None) -> Cut:
    """Slices: all there are, or the first of them."""
    from choreomon.multitrace.slices import multi_prefixes, slices

    enumerated = multi_prefixes if prefixes else slices
    return lambda whole: islice(enumerated(whole), most)


def _random(rng: Random, prefixes: bool, wide: Fraction, number: int) -> Cut:
    from choreomon.multitrace.slices import random_multi_prefix, random_slice

    draw = random_multi_prefix if prefixes else random_slice
    return lambda whole: (draw(rng, whole, wide=wide) for _ in range(number))
