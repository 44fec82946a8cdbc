"""What `choreomon verify` says beside the verdicts: what else might have been asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from choreomon.verify.outcome import Tally


def say_hints(protocol: str, tally: Tally, budget: float | None) -> None:
    """Says, as errors are said, where there was little time, where files look like the logs of one
    run, and where what fails would fit in another mode; `protocol` is the file that says what
    should happen."""
    _say_bounds(protocol, tally, budget)
    _say_apart(tally)
    _say_late(tally)


def _say_bounds(protocol: str, tally: Tally, budget: float | None) -> None:
    """Nothing but depth has a bound where none was asked for."""
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
        fits = "1 that fails fits" if tally.late == 1 else f"{tally.late:,} that fail fit"
        click.echo(f"{fits} if logs may have begun late: --mode slice", err=True)
