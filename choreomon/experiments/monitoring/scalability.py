"""RQ1, Fig. 7: monitoring messages by complexity class and number of sequences.

"The average number of communicated monitoring messages among all monitors" can be read in two ways:
as the messages that are sent among all monitors, averaged over runs, or as the average over the
monitors, too. With more processes in each class the two differ in shape, so both are measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from choreomon.experiments.monitoring.cells import Row
from choreomon.experiments.monitoring.claims import (
    AGREES,
    MESSAGES,
    PER_MONITOR,
    Claim,
    Series,
    agreement,
    change,
    ends,
    linear,
    mean,
    of_variant,
    why_messages,
)
from choreomon.experiments.monitoring.fits import fit
from choreomon.experiments.monitoring.grids import OF_THE_PAPER, PULLING
from choreomon.experiments.monitoring.summaries import grouped, measurements
from choreomon.experiments.monitoring.wording import listed, number


def class_number(row: Row) -> float:
    """i of Ci, which is also the length of its chains."""
    return int(row.cell.complexity.removeprefix("C"))


def series(rows: Sequence[Row]) -> tuple[Series, ...]:
    """The series over the classes, for each number of sequences."""
    return tuple(
        Series(
            measure.name,
            variant,
            f"{sequences} sequences",
            fit(measurements(own, class_number, measure.value)),
        )
        for measure in (MESSAGES, PER_MONITOR)
        for variant in PULLING
        for (sequences,), own in grouped(of_variant(rows, variant), "sequences").items()
    )


def claims(rows: Sequence[Row], fitted: Sequence[Series]) -> tuple[Claim, ...]:
    own = of_variant(rows, OF_THE_PAPER)
    return (
        linear(
            "The number of communicated monitoring messages grows linearly with the complexity of "
            "applications (Fig. 7), read as the messages among all monitors together.",
            fitted,
            MESSAGES,
            why_messages(own, class_number, "class"),
        ),
        linear(
            "The same, read as the average over the monitors: messages by the number of monitors.",
            fitted,
            PER_MONITOR,
            (_why_per_monitor(own),),
        ),
        _more_sequences(own),
    )


def _why_per_monitor(rows: Sequence[Row]) -> str:
    first, last = ends(rows, class_number)
    more_monitors = mean(last, "monitors") / mean(first, "monitors")
    more_messages = mean(last, "messages") / mean(first, "messages")
    return (
        f"Monitors go from {change(first, last, 'monitors')}, and the messages among them from "
        f"{change(first, last, 'messages')}: sequences stay as long as they are, so "
        + (
            "more monitors have fewer steps each."
            if more_messages < more_monitors
            else "what a monitor asks for grows with what happens twice."
        )
    )


def _more_sequences(rows: Sequence[Row]) -> Claim:
    by_class = {
        complexity: [
            (sequences, mean(own, "messages"))
            for (sequences,), own in grouped(of_class, "sequences").items()
        ]
        for (complexity,), of_class in grouped(rows, "complexity").items()
    }
    falling = [
        complexity
        for complexity, points in by_class.items()
        if any(before >= after for (_, before), (_, after) in pairwise(points))
    ]
    numbers = [sequences for sequences, _ in next(iter(by_class.values()))]
    growth = [points[-1][1] / points[0][1] for points in by_class.values()]
    rising = len(by_class) - len(falling)
    found = agreement(rising, len(by_class))
    runs = len(rows) // (len(by_class) * len(numbers))
    return Claim(
        "When the number of sequences increases, so does the number of messages.",
        f"Means rise at every step from {numbers[0]} to {numbers[-1]} sequences in {rising} of "
        f"{len(by_class)} classes; messages with {numbers[-1]} are {number(min(growth))} to "
        f"{number(max(growth))} times those with {numbers[0]}.",
        found,
        ()
        if found == AGREES
        else (
            f"They do not rise at every step in {listed(falling)}; each is the mean of {runs} "
            "runs.",
        ),
    )
