"""RQ2 and RQ3, Fig. 8: messages, memory and latency by the length of sequences.

The paper's latency is how long monitors "need to receive responses from other monitors and decide
to whether add a record to their history". That is `waiting`; the time until there is a verdict is
measured beside it.
"""

from __future__ import annotations

from collections.abc import Sequence

from choreomon.experiments.monitoring.cells import Row
from choreomon.experiments.monitoring.claims import (
    LATENCY,
    MEMORY,
    MESSAGES,
    WAITING,
    Claim,
    Series,
    change,
    ends,
    in_words,
    linear,
    of_variant,
    total,
    why_messages,
)
from choreomon.experiments.monitoring.fits import Fit, fit
from choreomon.experiments.monitoring.grids import OF_THE_PAPER, PULLING
from choreomon.experiments.monitoring.summaries import measurements
from choreomon.experiments.monitoring.wording import factor, number


def length(row: Row) -> float:
    return row.cell.length


def series(rows: Sequence[Row]) -> tuple[Series, ...]:
    """The series over the lengths."""
    return tuple(
        Series(
            measure.name,
            variant,
            "",
            fit(measurements(of_variant(rows, variant), length, measure.value)),
        )
        for measure in (MESSAGES, MEMORY, WAITING, LATENCY)
        for variant in PULLING
    )


def claims(rows: Sequence[Row], fitted: Sequence[Series]) -> tuple[Claim, ...]:
    own = of_variant(rows, OF_THE_PAPER)
    found = {one.measure: one.fit for one in fitted if one.variant == OF_THE_PAPER}
    return (
        linear(
            "The number of monitoring messages grows linearly as the length of sequences increases "
            "(Fig. 8a).",
            fitted,
            MESSAGES,
            why_messages(own, length, "length"),
        ),
        linear(
            "The memory consumption of the monitors grows linearly as the length of sequences "
            "increases (Fig. 8b).",
            fitted,
            MEMORY,
            (_why_memory(own),),
        ),
        _longer_waiting(found[WAITING.name], found[LATENCY.name]),
    )


def _why_memory(rows: Sequence[Row]) -> str:
    first, last = ends(rows, length)
    for_each = [total(part, "memory") / total(part, "labelled") for part in (first, last)]
    return (
        f"A monitor holds records of its events, and the inspections that wait. From length "
        f"{number(length(first[0]))} to {number(length(last[0]))} the events that the property "
        f"mentions go from {change(first, last, 'labelled')} a run, and the bytes of a monitor for "
        f"each of them from {factor(*for_each)}."
    )


def _longer_waiting(waiting: Fit, latency: Fit) -> Claim:
    steps = len(waiting.places) - 1
    grows = waiting.shape != "constant" and waiting.slope > 0
    return Claim(
        "As the length of the sequences increases, monitors need more time to gather all responses "
        "(Fig. 8c).",
        f"Waiting for answers, ms: {in_words(waiting)}; the mean rises at {waiting.rises} of "
        f"{steps} steps. Latency to the verdict, ms: {in_words(latency)}.",
        "as the paper says" if grows else "not as the paper says",
        ()
        if grows
        else (
            f"Single runs scatter by {number(waiting.spread)} ms about the mean of their length, "
            f"and means differ by {number(max(waiting.means) - min(waiting.means))} ms at most.",
        ),
    )
