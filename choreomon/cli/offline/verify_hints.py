"""Hints of `choreomon verify` beside the verdicts: what else might have been asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from choreomon.verify.outcome import Tally


def say_hints(protocol: str, tally: Tally, budget: float | None) -> None:
    """Print hints with the errors: where there was little time, where files look like the logs of
    one run, and where failures would fit in another mode; `protocol` is the file of the interaction
    or automaton."""
    _say_bounds(protocol, tally, budget)
    _say_apart(tally)
    _say_late(tally)


def _say_bounds(protocol: str, tally: Tally, budget: float | None) -> None:
    """Hint at the limit for deep interactions, the only one that is on by default."""
    from choreomon.batch import bounds

    if budget is None and tally.reasons["TimedOut"]:
        click.echo(
            f"{protocol}: operators are nested more than {bounds.DEEP} deep, so each decision "
            f"had {bounds.DECIDING_DEEP:g} s; --budget SECONDS gives it more",
            err=True,
        )


def _say_apart(tally: Tally) -> None:
    if tally.apart:
        click.echo(
            "each file was verified as a run of its own, and no two have actions of one lifeline: "
            "if they are the logs of one run, `choreomon join` makes one file of them",
            err=True,
        )


def _say_late(tally: Tally) -> None:
    if tally.late:
        click.echo(
            f"{tally.late:,} of these would fit if logs may begin late: try --mode slice", err=True
        )
