"""What the paper says of its figures, what was measured, and why the two differ.

Everything said here is made from the rows. The paper's claims are held against its own algorithm,
`OF_THE_PAPER`, at the delay of generated documents; fits are made for all rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from simulator.experiments.cells import Row
from simulator.experiments.fits import Fit, fit
from simulator.experiments.grids import (
    DELAY,
    OF_THE_PAPER,
    PULLING,
    ExperimentName,
    Variant,
)
from simulator.experiments.summaries import (
    Summary,
    grouped,
    interval,
    measurements,
    summary,
)
from simulator.experiments.wording import factor, listed, number, percent
from simulator.generation.parameters import BRANCHING

PUBLISHED_QUIET: Final = 0.76
"""RQ4: "our algorithm declares the non-formation of the sequences in 76% of executions"."""

Agreement: TypeAlias = Literal["as the paper says", "not as the paper says", "partly"]


class Claim(NamedTuple):
    """A sentence of the paper, what was measured instead, and from the data why it differs; nothing
    where it does not."""

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


class Finding(NamedTuple):
    """What came of an experiment."""

    claims: tuple[Claim, ...]
    series: tuple[Series, ...]
    precision: tuple[str, ...]


class Measure(NamedTuple):
    """Something that is measured of a run, with its name in sentences and its unit."""

    name: str
    unit: str
    value: Callable[[Row], float | None]


MESSAGES: Final = Measure("monitoring messages", "a run", lambda row: row.measured.messages)
PER_MONITOR: Final = Measure(
    "messages per monitor", "a run", lambda row: row.measured.messages / row.measured.monitors
)
MEMORY: Final = Measure("memory per monitor", "bytes", lambda row: row.measured.memory)
WAITING: Final = Measure("waiting for answers", "ms", lambda row: row.measured.waiting)
LATENCY: Final = Measure("latency to the verdict", "ms", lambda row: row.measured.latency)


def finding(name: ExperimentName, rows: Sequence[Row]) -> Finding:
    """Of all rows of an experiment."""
    found = {"fig7": _fig7, "fig8": _fig8, "rq4": _rq4}[name](rows)
    return Finding(*found, _precision(rows))


def class_number(row: Row) -> float:
    """i of Ci, which is also the length of its chains."""
    return int(row.cell.complexity.removeprefix("C"))


def length(row: Row) -> float:
    return row.cell.length


def of_variant(rows: Sequence[Row], variant: Variant, delay: int = DELAY) -> list[Row]:
    return [
        row
        for row in rows
        if (row.cell.strategy, row.cell.rules, row.cell.delay) == (*variant, delay)
    ]


# RQ1


def _fig7(rows: Sequence[Row]) -> tuple[tuple[Claim, ...], tuple[Series, ...]]:
    series = tuple(
        Series(measure.name, variant, f"{sequences} sequences", found)
        for measure in (MESSAGES, PER_MONITOR)
        for variant in PULLING
        for (sequences,), own in grouped(of_variant(rows, variant), "sequences").items()
        for found in [fit(measurements(own, class_number, measure.value))]
    )
    own = of_variant(rows, OF_THE_PAPER)
    claims = (
        _linear(
            "The number of communicated monitoring messages grows linearly with the complexity "
            "(Fig. 7), read as the messages among all monitors together.",
            _published(series, MESSAGES),
            MESSAGES,
            _why_messages(own, class_number, "class"),
        ),
        _linear(
            "The same, read as the average over the monitors: messages by the number of monitors.",
            _published(series, PER_MONITOR),
            PER_MONITOR,
            (_why_per_monitor(own),),
        ),
        _more_sequences(own),
    )
    return claims, series


def _published(series: Sequence[Series], measure: Measure) -> list[Series]:
    return [one for one in series if (one.measure, one.variant) == (measure.name, OF_THE_PAPER)]


def _linear(
    paper: str, series: Sequence[Series], measure: Measure, because: Sequence[str]
) -> Claim:
    """The claim that some series grow linearly."""
    linear = [one for one in series if one.fit.grows_linearly]
    agreement: Agreement = (
        "as the paper says"
        if len(linear) == len(series)
        else "partly"
        if linear
        else "not as the paper says"
    )
    said = [f"{one.part + ': ' if one.part else ''}{shape_in_words(one.fit)}" for one in series]
    measured = f"{measure.name.capitalize()}. " + "; ".join(said) + "."
    return Claim(
        paper, measured, agreement, () if agreement == "as the paper says" else (*because,)
    )


def shape_in_words(found: Fit) -> str:
    """A fit as a part of a sentence."""
    by = f"{number(abs(found.slope))} a step"
    line = f"R² {found.r2:.3f}, of the means {found.r2_of_means:.3f}"
    ends = f"from {number(found.means[0])} to {number(found.means[-1])}"
    match found.shape:
        case "constant":
            return f"no growth that can be told from chance, {ends} (the line has {line})"
        case "linear":
            return f"{'grows' if found.slope > 0 else 'falls'} linearly by {by}, {ends} ({line})"
        case "bent":
            way = "upwards" if found.bend > 0 else "downwards"
            return f"not linear, bent {way}, {ends} (the line has {line})"
        case _:
            return f"neither a line nor a parabola, {ends} (the line has {line})"


def _why_messages(rows: Sequence[Row], place: Callable[[Row], float], what: str) -> tuple[str, ...]:
    """Messages are those for one labelled event times labelled events: which of both changes."""
    first, last = _ends(rows, place)
    return (
        f"From {what} {number(place(first[0]))} to {number(place(last[0]))}, over all series, a "
        f"run's events that the property mentions go from {_change(first, last, 'labelled')}, and "
        f"the messages for each of them from "
        f"{factor(*(_total(part, 'messages') / _total(part, 'labelled') for part in (first, last)))}"
        f"; messages are the product of both.",
        f"Of the inquiries "
        f"{percent(_total(first, 'joined') / _total(first, 'inquiries'))} are further ones of one "
        f"event to one monitor at the beginning, and "
        f"{percent(_total(last, 'joined') / _total(last, 'inquiries'))} at the end: the fewer "
        f"processes, the more often one message is a step of several sequences or several times "
        f"one.",
    )


def _why_per_monitor(rows: Sequence[Row]) -> str:
    first, last = _ends(rows, class_number)
    return (
        f"Monitors go from {_change(first, last, 'monitors')}, messages in all from "
        f"{_change(first, last, 'messages')}: the quotient "
        + (
            "falls, since sequences are of one length and more monitors share the work."
            if _mean(last, "messages") / _mean(last, "monitors")
            < _mean(first, "messages") / _mean(first, "monitors")
            else "rises."
        )
    )


def _more_sequences(rows: Sequence[Row]) -> Claim:
    by_class = {
        complexity: [
            (sequences, _mean(own, "messages"))
            for (sequences,), own in grouped(of_class, "sequences").items()
        ]
        for (complexity,), of_class in grouped(rows, "complexity").items()
    }
    rising = [
        complexity
        for complexity, points in by_class.items()
        if all(before[1] < after[1] for before, after in zip(points, points[1:], strict=False))
    ]
    numbers = [point[0] for point in next(iter(by_class.values()))]
    growth = [points[-1][1] / points[0][1] for points in by_class.values()]
    return Claim(
        "When the number of sequences increases, so does the number of messages.",
        f"At every step from {numbers[0]} to {numbers[-1]} sequences in {len(rising)} of "
        f"{len(by_class)} classes; messages with {numbers[-1]} are {number(min(growth))} to "
        f"{number(max(growth))} times those with {numbers[0]}.",
        "as the paper says"
        if len(rising) == len(by_class)
        else "partly"
        if rising
        else "not as the paper says",
        ()
        if len(rising) == len(by_class)
        else (
            f"Means of {len(rows) // sum(map(len, by_class.values()))} runs, each of another "
            f"application, scatter; they do not rise at every step in "
            f"{listed([name for name in by_class if name not in rising])}.",
        ),
    )


# RQ2 and RQ3


def _fig8(rows: Sequence[Row]) -> tuple[tuple[Claim, ...], tuple[Series, ...]]:
    series = tuple(
        Series(measure.name, variant, "", fit(measurements(own, length, measure.value)))
        for measure in (MESSAGES, MEMORY, WAITING, LATENCY)
        for variant in PULLING
        for own in [of_variant(rows, variant)]
    )
    own = of_variant(rows, OF_THE_PAPER)
    why = _why_messages(own, length, "length")
    claims = (
        _linear(
            "The number of monitoring messages grows linearly with the length of sequences "
            "(Fig. 8a).",
            _published(series, MESSAGES),
            MESSAGES,
            why,
        ),
        _linear(
            "The memory consumption of the monitors grows linearly with the length of sequences "
            "(Fig. 8b).",
            _published(series, MEMORY),
            MEMORY,
            _why_memory(own),
        ),
        _longer_waiting(_published(series, WAITING)[0].fit, _published(series, LATENCY)[0].fit),
    )
    return claims, series


def _why_memory(rows: Sequence[Row]) -> tuple[str, ...]:
    first, last = _ends(rows, length)
    return (
        f"From length {number(length(first[0]))} to {number(length(last[0]))} labelled events go "
        f"from {_change(first, last, 'labelled')} and bytes from {_change(first, last, 'memory')}. "
        f"A monitor holds records of its own events and inspections that wait: the mean of the "
        f"bytes for one labelled event of the run goes from "
        f"{factor(*(_total(part, 'memory') / _total(part, 'labelled') for part in (first, last)))}.",
    )


def _longer_waiting(waiting: Fit, latency: Fit) -> Claim:
    steps = len(waiting.places) - 1
    agrees = waiting.shape != "constant" and waiting.slope > 0
    return Claim(
        "As sequences become longer monitors need more time to gather all responses (Fig. 8c).",
        f"Waiting for answers, ms: {shape_in_words(waiting)}; the mean rises at {waiting.rises} of "
        f"{steps} steps. Latency to the verdict, ms: {shape_in_words(latency)}.",
        "as the paper says" if agrees else "not as the paper says",
        ()
        if agrees
        else (
            f"Answers travel at the same time, so that waiting is that for the slowest of them, and "
            f"for what those who are asked wait for in turn. Single runs scatter by "
            f"{number(waiting.spread)} ms about the mean of their length, and the means change by "
            f"{number(max(waiting.means) - min(waiting.means))} ms.",
        ),
    )


# RQ4


def _rq4(rows: Sequence[Row]) -> tuple[tuple[Claim, ...], tuple[Series, ...]]:
    own = [row for row in rows if _variant(row) == OF_THE_PAPER]
    main = summary([row for row in own if (row.cell.delay, row.cell.branching) == _MAIN])
    if not main.unformed:
        said = "In every run a sequence was formed."
        return (Claim(_QUIET_CLAIM, said, "not as the paper says"),), ()
    low, high = interval(main.quiet, main.unformed)
    agrees = low <= PUBLISHED_QUIET <= high
    claim = Claim(
        _QUIET_CLAIM,
        f"In {main.quiet} of the {main.unformed} runs in which no sequence was formed nothing was "
        f"declared: {percent(main.quiet_share)}, between {percent(low)} and {percent(high)} with "
        f"95 % confidence. Of all {main.runs} runs {main.nothing} end with nothing, "
        f"{main.possible_runs} with possibly violated, {main.violated_runs} with violated.",
        "as the paper says" if agrees else "not as the paper says",
        () if agrees else _why_quiet(own, main),
    )
    return (claim,), ()


_MAIN: Final = (DELAY, BRANCHING)
_QUIET_CLAIM: Final = (
    "The non-formation of the sequences is declared in 76 % of executions, read as: of the runs in "
    "which no sequence was formed, those in which nothing was declared (RQ4 asks for the case in "
    "which no bad-prefix is formed)."
)


def _why_quiet(rows: Sequence[Row], main: Summary) -> tuple[str, ...]:
    by_delay = _shares([row for row in rows if row.cell.branching == BRANCHING], "delay")
    by_branching = _shares([row for row in rows if row.cell.delay == DELAY], "branching")
    return (
        f"The paper says that this share depends on the network delay, which it does not give. Here "
        f"it goes from {percent(min(by_delay.values()))} to {percent(max(by_delay.values()))} over "
        f"delays of {listed([number(delay) for delay in by_delay])} service times.",
        f"Nor does it say how its applications branch. Where a share of "
        f"{listed([number(branching) for branching in by_branching])} of the handlers that send "
        f"do so only if a variable says so, it is "
        f"{listed([percent(quiet) for quiet in by_branching.values()])}. {_between(by_branching)}",
        f"Of all {main.runs} runs a share of {percent(main.nothing / main.runs)} ends with nothing, "
        f"if that was counted.",
    )


def _between(shares: dict[Any, float]) -> str:
    inside = min(shares.values()) <= PUBLISHED_QUIET <= max(shares.values())
    return f"The paper's 76 % {'lies' if inside else 'does not lie'} between these."


def _shares(rows: Sequence[Row], parameter: str) -> dict[Any, float]:
    shares = {key: summary(own).quiet_share for (key,), own in grouped(rows, parameter).items()}
    return {key: shares[key] or 0.0 for key in sorted(shares) if shares[key] is not None}


# G3, in every experiment


def _precision(rows: Sequence[Row]) -> tuple[str, ...]:
    return tuple(
        f"{Variant(*variant)}: {_avoidable(found)} Formations that nobody declared: {found.missed} "
        f"of {found.formed}. Violations that were none: {found.false_alarms} of {found.violated}."
        for variant, own in grouped(rows, "strategy", "rules").items()
        for found in [summary(own)]
    )


def _avoidable(found: Summary) -> str:
    if not found.possible:
        return "nothing was declared possible."
    return (
        f"of {found.possible:,} possible verdicts {found.avoidable:,} were avoidable "
        f"({percent(found.avoidable_share)} of those decided), and {found.undecided:,} were left "
        f"open by the budget."
    )


def _variant(row: Row) -> Variant:
    return Variant(row.cell.strategy, row.cell.rules)


def _ends(rows: Sequence[Row], place: Callable[[Row], float]) -> tuple[list[Row], list[Row]]:
    places = [place(row) for row in rows]
    return (
        [row for row in rows if place(row) == min(places)],
        [row for row in rows if place(row) == max(places)],
    )


def _total(rows: Sequence[Row], column: str) -> float:
    total: float = sum(getattr(row.measured, column) for row in rows)
    return total


def _mean(rows: Sequence[Row], column: str) -> float:
    return _total(rows, column) / len(rows)


def _change(first: Sequence[Row], last: Sequence[Row], column: str) -> str:
    return factor(_mean(first, column), _mean(last, column))
