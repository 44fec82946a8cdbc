"""RQ4: how often nothing is declared if no sequence was formed.

"Our algorithm declares the non-formation of the sequences in 76% of executions", of a hundred; and
the question was how conservative the algorithm is "when no bad-prefix is formed". It is read as: of
the runs in which no sequence was formed, the share of those in which nothing was declared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from choreomon.experiments.monitoring.cells import Row
from choreomon.experiments.monitoring.claims import AGREES, Claim
from choreomon.experiments.monitoring.grids import DELAY, OF_THE_PAPER
from choreomon.experiments.monitoring.summaries import grouped, interval, summary
from choreomon.experiments.monitoring.wording import listed, number, percent
from simulator.generation.parameters import BRANCHING

PUBLISHED: Final = 0.76

_PAPER: Final = (
    "The algorithm declares the non-formation of the sequences in 76 % of executions, read as: of "
    "those in which no sequence was formed."
)


def claims(rows: Sequence[Row]) -> tuple[Claim, ...]:
    """The claims, from all rows of the experiment."""
    own = [row for row in rows if (row.cell.strategy, row.cell.rules) == OF_THE_PAPER]
    main = [row for row in own if (row.cell.delay, row.cell.branching) == (DELAY, BRANCHING)]
    found = summary(main)
    if not found.unformed:
        return (Claim(_PAPER, "In every run a sequence was formed.", "not as the paper says"),)
    low, high = interval(found.quiet, found.unformed)
    agrees = low <= PUBLISHED <= high
    return (
        Claim(
            _PAPER,
            f"In {found.quiet} of the {found.unformed} runs in which no sequence was formed "
            f"nothing was declared: {percent(found.quiet_share)}, with 95 % confidence between "
            f"{percent(low)} and {percent(high)}: {percent(PUBLISHED)} lies "
            f"{'between' if agrees else 'outside of'} these. Of all {found.runs} runs "
            f"{found.nothing} end with nothing, {found.possible_runs} with possibly violated and "
            f"{found.violated_runs} with violated.",
            AGREES if agrees else "not as the paper says",
            _why(own),
        ),
    )


def _why(rows: Sequence[Row]) -> tuple[str, ...]:
    along_delays = [row for row in rows if row.cell.branching == BRANCHING]
    by_delay = _shares(along_delays, "delay")
    by_delay_of_all = [summary(own) for _, own in sorted(grouped(along_delays, "delay").items())]
    by_branching = _shares([row for row in rows if row.cell.delay == DELAY], "branching")
    return (
        f"The paper says that its share depends on the network delay, which it does not give. "
        f"With delays of {listed([number(delay) for delay in by_delay])} service times it is here "
        f"{listed([percent(quiet) for quiet in by_delay.values()])}{_around(by_delay)}.",
        f"Nor does it say how often its applications branch. Where "
        f"{listed([percent(one) for one in by_branching])} of the handlers that send do so only "
        f"if a variable says so, the share is "
        f"{listed([percent(quiet) for quiet in by_branching.values()])}{_around(by_branching)}.",
        f"Of all executions, those in which a sequence was formed included, nothing is declared in "
        f"{listed([percent(one.nothing / one.runs) for one in by_delay_of_all])}, by delay.",
    )


def _around(shares: dict[Any, float]) -> str:
    inside = min(shares.values()) <= PUBLISHED <= max(shares.values())
    return f": {percent(PUBLISHED)} lies {'between' if inside else 'outside of'} these"


def _shares(rows: Sequence[Row], parameter: str) -> dict[Any, float]:
    """The shares of quiet runs by a parameter, where any could be quiet."""
    found = {key: summary(own).quiet_share for (key,), own in grouped(rows, parameter).items()}
    return {key: quiet for key, quiet in sorted(found.items()) if quiet is not None}
