"""Rows with the same parameters, as means and shares."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

from choreomon.experiments.monitoring.cells import Row

_NORMAL: Final = 1.959964
"""Half the width of the central 95 % of a normal distribution, in standard deviations."""


class Summary(NamedTuple):
    """The summary of some rows. Means are over the runs that have the value; `None` if no run has
    it.

    - `messages_per_monitor`: of the messages of each run, by its monitors;
    - `saved`: the share of inquiries that could have been saved;
    - `nothing`, `possible_runs`, `violated_runs`: runs by gravest verdict;
    - `unformed`: runs in which no sequence was formed in the real order, and `quiet`: those of them
      in which nothing was declared;
    - from `formed` to `unsettled`: sums over runs, as in
      `choreomon.experiments.monitoring.cells.Measured`.
    """

    runs: int
    monitors: float
    labelled: float
    messages: float
    messages_per_monitor: float
    bytes: float
    saved: float | None
    waiting: float | None
    latency: float | None
    memory: float
    nothing: int
    possible_runs: int
    violated_runs: int
    unformed: int
    quiet: int
    formed: int
    violated: int
    possible: int
    missed: int
    false_alarms: int
    avoidable: int
    undecided: int
    unsettled: int

    @property
    def avoidable_share(self) -> float | None:
        """The share of avoidable ones among the possible verdicts that the exact evaluation
        decided."""
        return share(self.avoidable, self.possible - self.undecided)

    @property
    def quiet_share(self) -> float | None:
        """The share of quiet runs among those in which no sequence was formed: how RQ4 is read
        here."""
        return share(self.quiet, self.unformed)


def summary(rows: Sequence[Row]) -> Summary:
    """The summary of at least one row."""
    measured = [row.measured for row in rows]

    def total(column: str) -> Any:
        return sum(getattr(each, column) for each in measured)

    def mean(values: Iterable[float | None]) -> float | None:
        there = [value for value in values if value is not None]
        return sum(there) / len(there) if there else None

    number = len(rows)
    unformed = [each for each in measured if not each.formed]
    return Summary(
        runs=number,
        monitors=total("monitors") / number,
        labelled=total("labelled") / number,
        messages=total("messages") / number,
        messages_per_monitor=sum(each.messages / each.monitors for each in measured) / number,
        bytes=total("bytes") / number,
        saved=share(total("joined") + total("empty"), total("inquiries")),
        waiting=mean(each.waiting for each in measured),
        latency=mean(each.latency for each in measured),
        memory=total("memory") / number,
        nothing=sum(each.outcome == "nothing" for each in measured),
        possible_runs=sum(each.outcome == "possible" for each in measured),
        violated_runs=sum(each.outcome == "violated" for each in measured),
        unformed=len(unformed),
        quiet=sum(each.outcome == "nothing" for each in unformed),
        formed=total("formed"),
        violated=total("violated"),
        possible=total("possible"),
        missed=total("missed"),
        false_alarms=total("false_alarms"),
        avoidable=total("avoidable"),
        undecided=total("undecided"),
        unsettled=total("unsettled"),
    )


def grouped(rows: Iterable[Row], *parameters: str) -> dict[tuple[Any, ...], list[Row]]:
    """Group rows by the values of some fields of their cells, in the order of the rows."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        key = tuple(getattr(row.cell, name) for name in parameters)
        groups.setdefault(key, []).append(row)
    return groups


def measurements(
    rows: Iterable[Row], place: Callable[[Row], float], value: Callable[[Row], float | None]
) -> dict[float, list[float]]:
    """The measurements of a value, by place, for `choreomon.experiments.monitoring.fits`."""
    series: dict[float, list[float]] = {}
    for row in rows:
        found = value(row)
        if found is not None:
            series.setdefault(place(row), []).append(found)
    return series


def share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def interval(part: int, whole: int) -> tuple[float, float]:
    """Wilson's score interval: the bounds of the true share with 95 % confidence, if `part` of
    `whole` (at least one) were found."""
    found, z2 = part / whole, _NORMAL**2
    centre = (found + z2 / (2 * whole)) / (1 + z2 / whole)
    half = _NORMAL * math.sqrt(found * (1 - found) / whole + z2 / (4 * whole**2))
    half /= 1 + z2 / whole
    return max(0.0, centre - half), min(1.0, centre + half)
