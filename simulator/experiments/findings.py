"""What came of an experiment: claims, fits, and how precise verdicts were."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from simulator.experiments import conservatism, cost, scalability
from simulator.experiments.cells import Row
from simulator.experiments.claims import Claim, Series
from simulator.experiments.grids import ExperimentName, Variant
from simulator.experiments.summaries import Summary, grouped, summary
from simulator.experiments.wording import percent


class Finding(NamedTuple):
    """`precision` says for each variant how many possible verdicts were avoidable (G3), and how
    many verdicts were wrong; `wrong` counts those that no rules but the paper's may give."""

    claims: tuple[Claim, ...]
    series: tuple[Series, ...]
    precision: tuple[str, ...]
    wrong: int


def finding(name: ExperimentName, rows: Sequence[Row]) -> Finding:
    """Of all rows of an experiment."""
    series: tuple[Series, ...] = ()
    if name == "fig7":
        series = scalability.series(rows)
        claims = scalability.claims(rows, series)
    elif name == "fig8":
        series = cost.series(rows)
        claims = cost.claims(rows, series)
    else:
        claims = conservatism.claims(rows)
    return Finding(claims, series, _precision(rows), wrong(rows))


def wrong(rows: Sequence[Row]) -> int:
    """Formations that were missed and violations that were none, by rules that promise that there
    are no such (G1 and G2 of docs/verdicts.md); `paper` does not."""
    return sum(
        row.measured.missed + row.measured.false_alarms for row in rows if row.cell.rules != "paper"
    )


def _precision(rows: Sequence[Row]) -> tuple[str, ...]:
    return tuple(
        f"{Variant(*variant)}: {_avoidable(found)}. Of {found.formed:,} formations "
        f"{found.missed:,} were declared by nobody, and of {found.violated:,} violations "
        f"{found.false_alarms:,} were none."
        for variant, own in grouped(rows, "strategy", "rules").items()
        for found in [summary(own)]
    )


def _avoidable(found: Summary) -> str:
    if not found.possible:
        return "nothing was declared possible"
    return (
        f"of {found.possible:,} possible verdicts {found.avoidable:,} were avoidable, "
        f"{percent(found.avoidable_share)} of those that could be decided; the budget left "
        f"{found.undecided:,} open"
    )
