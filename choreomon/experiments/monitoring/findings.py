"""Findings of an experiment: claims, fits, and how precise verdicts were."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from choreomon.experiments.monitoring import conservatism, cost, scalability
from choreomon.experiments.monitoring.cells import Cell, Row
from choreomon.experiments.monitoring.claims import Claim, Series, of_variant, total
from choreomon.experiments.monitoring.grids import (
    DELAY,
    OF_THE_PAPER,
    PULLING,
    VARIANTS,
    ExperimentName,
    Variant,
)
from choreomon.experiments.monitoring.summaries import Summary, grouped, summary
from choreomon.experiments.monitoring.wording import number, percent
from choreomon.sentences.wording import counted


class Finding(NamedTuple):
    """`notes` are sentences under headings: how many possible verdicts were avoidable (G3) and how
    many verdicts wrong, which inquiries could have been saved, and how strategies and rules
    compare. `wrong` counts wrong verdicts by rules other than the paper's, which must not give
    any."""

    claims: tuple[Claim, ...]
    series: tuple[Series, ...]
    notes: tuple[tuple[str, tuple[str, ...]], ...]
    wrong: int


def finding(name: ExperimentName, rows: Sequence[Row]) -> Finding:
    """The finding from all rows of an experiment."""
    series: tuple[Series, ...] = ()
    if name == "fig7":
        series = scalability.series(rows)
        claims = scalability.claims(rows, series)
    elif name == "fig8":
        series = cost.series(rows)
        claims = cost.claims(rows, series)
    else:
        claims = conservatism.claims(rows)
    alike = of_all_variants(rows)
    notes = (
        ("How precise verdicts were", _precision(alike)),
        ("What could have been saved", _saved(alike)),
        ("Strategies and rules beside each other", _compared(alike)),
    )
    return Finding(claims, series, notes, wrong(rows))


def of_all_variants(rows: Sequence[Row]) -> list[Row]:
    """The rows of runs that all variants had, so that sums over them can be compared."""
    runs = Counter(_run(row) for row in rows)
    return [row for row in rows if runs[_run(row)] == len(VARIANTS)]


def _run(row: Row) -> Cell:
    return replace(row.cell, strategy="pull", rules="sound")


def wrong(rows: Sequence[Row]) -> int:
    """The number of missed formations and false violations, by rules that promise to have none (G1
    and G2 of docs/verdicts.md); `paper` does not."""
    return sum(
        row.measured.missed + row.measured.false_alarms for row in rows if row.cell.rules != "paper"
    )


def _precision(rows: Sequence[Row]) -> tuple[str, ...]:
    return tuple(
        f"{Variant(*variant)}: {_avoidable(found)}. {_reported(found)}"
        for variant, own in grouped(rows, "strategy", "rules").items()
        for found in [summary(own)]
    )


def _reported(found: Summary) -> str:
    formed = f"{counted(found.formed, 'formed sequence')}"
    missed = (
        f"All {formed} were reported"
        if not found.missed
        else f"{found.missed:,} of {formed} were not reported"
    )
    false = "none" if not found.false_alarms else f"{found.false_alarms:,}"
    was = "were" if found.false_alarms > 1 else "was"
    return f"{missed}, and {false} of the {counted(found.violated, 'violation')} {was} false."


def _avoidable(found: Summary) -> str:
    if not found.possible:
        return "nothing was declared possible"
    return (
        f"of {found.possible:,} possible verdicts {found.avoidable:,} were avoidable, "
        f"{percent(found.avoidable_share)} of those that could be decided; the budget left "
        f"{found.undecided:,} open"
    )


def _saved(rows: Sequence[Row]) -> tuple[str, ...]:
    return tuple(
        f"{variant}: {percent((joined + empty) / sent)} of {number(sent)} inquiries were "
        f"unnecessary: {percent(empty / sent)} had empty answers, and {percent(joined / sent)} "
        "could have been merged with another one. Each inquiry costs an answer as well."
        for variant in PULLING
        for own in [of_variant(rows, variant)]
        for sent, joined, empty in [[total(own, each) for each in ("inquiries", "joined", "empty")]]
        if sent
    )


def _compared(rows: Sequence[Row]) -> tuple[str, ...]:
    """Sentences that compare variants, at the delay of generated documents, with the paper's
    algorithm on the same runs."""
    own = {variant: summary(of_variant(rows, variant)) for variant in VARIANTS}
    base = own[OF_THE_PAPER]
    return tuple(
        f"{variant}, beside {OF_THE_PAPER} at a delay of {DELAY} service times: "
        f"{_times(found.messages, base.messages)} the messages, {_times(found.bytes, base.bytes)} "
        f"the bytes, {_times(found.latency, base.latency)} the latency and "
        f"{_times(found.memory, base.memory)} the memory per monitor."
        for variant, found in own.items()
        if variant != OF_THE_PAPER
    )


def _times(value: float | None, base: float | None) -> str:
    return f"{number(value / base)} times" if value is not None and base else "–"
