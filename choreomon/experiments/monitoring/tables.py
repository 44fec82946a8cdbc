"""Tables of an experiment, as texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from choreomon.experiments.monitoring.cells import Row
from choreomon.experiments.monitoring.claims import Series
from choreomon.experiments.monitoring.summaries import Summary, grouped, summary
from choreomon.experiments.monitoring.wording import number, percent

MAIN_COLUMNS: Final = (
    *("strategy", "rules", "branching", "complexity", "sequences", "length", "delay"),
    *("messages", "latency, ms", "missed"),
)
"""The columns of a table of means to read first: its parameters, the costs, and what was missed."""


class Table(NamedTuple):
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


_COLUMNS: Final[tuple[tuple[str, Callable[[Summary], str]], ...]] = (
    ("runs", lambda s: f"{s.runs:,}"),
    ("messages", lambda s: number(s.messages)),
    ("per monitor", lambda s: number(s.messages_per_monitor)),
    ("bytes", lambda s: number(s.bytes)),
    ("inquiries saved", lambda s: percent(s.saved)),
    ("waiting, ms", lambda s: number(s.waiting)),
    ("latency, ms", lambda s: number(s.latency)),
    ("memory per monitor, bytes", lambda s: number(s.memory)),
    ("runs with nothing", lambda s: percent(s.nothing / s.runs)),
    ("possible", lambda s: percent(s.possible_runs / s.runs)),
    ("violated", lambda s: percent(s.violated_runs / s.runs)),
    ("nothing, of unformed", lambda s: percent(s.quiet_share)),
    ("formed", lambda s: f"{s.formed:,}"),
    ("missed", lambda s: f"{s.missed:,}"),
    ("false", lambda s: f"{s.false_alarms:,}"),
    ("possible verdicts", lambda s: f"{s.possible:,}"),
    ("avoidable", lambda s: f"{s.avoidable:,}"),
    ("rate", lambda s: percent(s.avoidable_share)),
    ("undecided", lambda s: f"{s.undecided:,}"),
    ("unsettled", lambda s: f"{s.unsettled:,}"),
)


def by_parameters(title: str, rows: Sequence[Row], *parameters: str) -> Table:
    """Means and shares of the rows with the same values of these parameters."""
    return Table(
        title,
        (*parameters, *(name for name, _ in _COLUMNS)),
        tuple(
            (*map(str, key), *(text(found) for _, text in _COLUMNS))
            for key, own in grouped(rows, *parameters).items()
            for found in [summary(own)]
        ),
    )


def of_fits(series: Sequence[Series]) -> Table:
    """The fits, with the residuals of the means from the line."""
    return Table(
        "Fits by least squares",
        (
            *("measure", "variant", "series", "shape", "slope", "intercept", "R²", "R² of means"),
            *("residuals of means", "bend", "spread"),
        ),
        tuple(
            (
                *(one.measure, str(one.variant), one.part or "all", found.shape),
                *(number(found.slope), number(found.intercept)),
                *(f"{found.r2:.3f}", f"{found.r2_of_means:.3f}"),
                ", ".join(map(number, found.residuals)),
                *(number(found.bend), number(found.spread)),
            )
            for one in series
            for found in [one.fit]
        ),
    )


MEANINGS: Final = (
    "Messages, messages by the number of monitors, bytes, waiting, latency and memory are means "
    "over runs. Bytes are those of the messages' wire form.",
    "Inquiries saved: the share of all inquiries that need not have been, since another one to the "
    "same monitor about the same event could have asked for it, too, or since no answer to these "
    "had a record. Only pulling monitors inquire.",
    "Waiting: how long a transition waited for answers; what needed none is left out. Latency: "
    "from an event that may complete a sequence to the last verdict about it.",
    "Memory: the most that the state of a monitor held after one of its steps, in the bytes of its "
    "MessagePack form, on average over monitors. With central there is one monitor.",
    "Runs by gravest verdict: nothing, possible, violated. Nothing, of unformed: of the runs in "
    "which no sequence was formed in the real order, those in which nothing was declared.",
    "Formed, missed, false: events at which a sequence was formed, those of them about which "
    "nothing was declared, and violations at events at which none was formed.",
    "Avoidable: possible verdicts although all orders that are consistent with the run's "
    "happened-before order, monitoring messages included, agree; their rate is of those that could "
    "be decided. Undecided: those of which the budget of the exact evaluation left that open.",
    "Delay: what a message takes on average, in service times; a service time is how long a "
    "monitor is busy with an event or a message.",
)
"""Sentences on what the columns of tables mean."""
