"""Claims of the paper beside what was measured, and what all claims have in common. All sentences
are made from rows. The paper's claims are held against its own algorithm, `OF_THE_PAPER`, at the
delay of generated documents; fits are made for all rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from choreomon.experiments.monitoring.cells import Row
from choreomon.experiments.monitoring.fits import Fit
from choreomon.experiments.monitoring.grids import DELAY, OF_THE_PAPER, Variant
from choreomon.experiments.monitoring.wording import factor, number, percent

Agreement: TypeAlias = Literal["as the paper says", "partly", "not as the paper says"]
AGREES: Final = "as the paper says"


class Claim(NamedTuple):
    """A sentence of the paper, what was measured, and from the data why the two differ; empty if
    they do not."""

    paper: str
    measured: str
    agreement: Agreement
    because: tuple[str, ...] = ()


class Series(NamedTuple):
    """A fitted series: what was measured, of which variant, and of which part of the grid."""

    measure: str
    variant: Variant
    part: str
    fit: Fit


class Measure(NamedTuple):
    """A quantity measured of a run, with its name in sentences and on axes, and its unit if it has
    one."""

    name: str
    unit: str
    value: Callable[[Row], float | None]

    def __str__(self) -> str:
        return f"{self.name}, {self.unit}" if self.unit else self.name


MESSAGES: Final = Measure("monitoring messages of a run", "", lambda row: row.measured.messages)
PER_MONITOR: Final = Measure(
    "messages of a run per monitor", "", lambda row: row.measured.messages / row.measured.monitors
)
MEMORY: Final = Measure("memory per monitor", "bytes", lambda row: row.measured.memory)
WAITING: Final = Measure("waiting for answers", "ms", lambda row: row.measured.waiting)
LATENCY: Final = Measure("latency to the verdict", "ms", lambda row: row.measured.latency)


def agreement(agreeing: int, of: int) -> Agreement:
    """The agreement, given how many of the things compared agree."""
    return AGREES if agreeing == of else "partly" if agreeing else "not as the paper says"


def of_variant(rows: Sequence[Row], variant: Variant) -> list[Row]:
    """The rows of a variant at the delay of generated documents."""
    wanted = (*variant, DELAY)
    return [row for row in rows if (row.cell.strategy, row.cell.rules, row.cell.delay) == wanted]


def linear(paper: str, series: Sequence[Series], measure: Measure, because: Sequence[str]) -> Claim:
    """The claim that a measure grows linearly in all series of the paper's algorithm."""
    own = [s for s in series if (s.measure, s.variant) == (measure.name, OF_THE_PAPER)]
    found = agreement(sum(one.fit.grows_linearly for one in own), len(own))
    said = [f"{one.part}: {in_words(one.fit)}" if one.part else in_words(one.fit) for one in own]
    return Claim(
        paper,
        f"{str(measure).capitalize()}: {'; '.join(said)}.",
        found,
        () if found == AGREES else (*because,),
    )


def in_words(found: Fit) -> str:
    """A fit as a part of a sentence."""
    by = f"{number(abs(found.slope))} a step"
    explained = f"R² {found.r2:.3f}, of the means {found.r2_of_means:.3f}"
    ends = f"from {number(found.means[0])} to {number(found.means[-1])}"
    match found.shape:
        case "constant":
            return f"no growth that can be told from chance, {ends} (the line has {explained})"
        case "linear":
            way = "grows" if found.slope > 0 else "falls"
            return f"{way} linearly by {by}, {ends} ({explained})"
        case "bent":
            way = "rises" if found.means[-1] > found.means[0] else "falls"
            bent = "upwards" if found.bend > 0 else "downwards"
            return f"{way}, and not linearly but bent {bent}, {ends} (the line has {explained})"
        case _:
            return f"neither a line nor a parabola, {ends} (the line has {explained})"


def why_messages(rows: Sequence[Row], place: Callable[[Row], float], what: str) -> tuple[str, ...]:
    """Messages are labelled events times messages for each: which of the two changes."""
    first, last = ends(rows, place)
    for_each = [total(part, "messages") / total(part, "labelled") for part in (first, last)]
    further = [total(part, "joined") / total(part, "inquiries") for part in (first, last)]
    return (
        f"Messages are the events of a run that the property mentions, times the messages for "
        f"each. From {what} {number(place(first[0]))} to {number(place(last[0]))}, over all "
        f"series, these events go from {change(first, last, 'labelled')}, and the messages for "
        f"each of them from {factor(*for_each)}.",
        f"Of the inquiries {percent(further[0])} at the beginning and {percent(further[1])} at the "
        "end are further ones of one event to one monitor, as there are where a message is a step "
        "of several sequences.",
    )


def ends(rows: Sequence[Row], place: Callable[[Row], float]) -> tuple[list[Row], list[Row]]:
    """The rows at the first place and those at the last one."""
    places = [place(row) for row in rows]
    first, last = min(places), max(places)
    return (
        [row for row in rows if place(row) == first],
        [row for row in rows if place(row) == last],
    )


def total(rows: Sequence[Row], column: str) -> float:
    found: float = sum(getattr(row.measured, column) for row in rows)
    return found


def mean(rows: Sequence[Row], column: str) -> float:
    return total(rows, column) / len(rows)


def change(first: Sequence[Row], last: Sequence[Row], column: str) -> str:
    """The change of a column's mean, in words."""
    return factor(mean(first, column), mean(last, column))
