"""The pictures of an experiment, from its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from choreomon.experiments.monitoring.cells import Row
    from choreomon.experiments.monitoring.claims import Measure, Series
    from choreomon.experiments.monitoring.fits import Fit
    from choreomon.experiments.monitoring.grids import ExperimentName, Variant
    from choreomon.experiments.monitoring.instances import Point
    from choreomon.experiments.monitoring.replicas import Point as PointOfReplicas
    from choreomon.experiments.monitoring.summaries import Summary
    from choreomon.pictures.shapes.drawing import Picture
    from choreomon.pictures.shapes.line_chart import Axis, Line


class Figure(NamedTuple):
    """A figure; `name` is that of its files."""

    name: str
    picture: Picture
    caption: str


def figures(
    name: ExperimentName, rows: Sequence[Row], series: Sequence[Series]
) -> tuple[Figure, ...]:
    """The figures of all rows of an experiment, with its fits."""
    return tuple({"fig7": _fig7, "fig8": _fig8, "rq4": _rq4}[name](rows, series))


def figure_of_instances(points: Sequence[Point]) -> Figure:
    """The figure of the cost of an event, by how many instances are alive."""
    return _costs_of_an_event(
        "instances",
        ("instances alive", [f"{point.instances:,}" for point in points]),
        {
            "messages an event": [point.messages for point in points],
            "bytes an event": [point.bytes for point in points],
        },
        "Class C3, three sequences of length 4.",
    )


def figure_of_replicas(points: Sequence[PointOfReplicas]) -> Figure:
    """The figure of the cost of an event, by how many replicas a service has."""
    return _costs_of_an_event(
        "replicas",
        ("replicas", [f"{point.replicas}" for point in points]),
        {
            "messages an event": [point.messages for point in points],
            "bytes an event": [point.bytes for point in points],
            "latency, ms": [point.latency for point in points],
        },
        "Class C3, three sequences of length 4, one role.",
    )


def _costs_of_an_event(
    name: str,
    along: tuple[str, Sequence[str]],
    lines: Mapping[str, Sequence[float]],
    note: str,
) -> Figure:
    """A chart of means; `along` has the name of its axis and the words at its places."""
    from choreomon.pictures.shapes.line_chart import Axis, Line, line_chart

    axis = Axis(along[0], (*enumerate(along[1]),))
    drawn = [Line(measure, (*enumerate(values),)) for measure, values in lines.items()]
    chart = line_chart("What an event costs", axis, "mean", drawn, scale="powers")
    return Figure(name, chart, note)


def _fig7(rows: Sequence[Row], series: Sequence[Series]) -> Iterator[Figure]:
    from choreomon.experiments.monitoring.claims import MEMORY, MESSAGES, PER_MONITOR, of_variant
    from choreomon.experiments.monitoring.grids import DELAY, OF_THE_PAPER, VARIANTS
    from choreomon.experiments.monitoring.scalability import class_number
    from choreomon.pictures.shapes.line_chart import Axis, line_chart

    classes = {class_number(row): row.cell.complexity for row in rows}
    along = Axis("complexity class", tuple(sorted(classes.items())))
    for measure, name in ((MESSAGES, "messages"), (PER_MONITOR, "per-monitor")):
        yield Figure(
            f"fig7-{name}",
            line_chart(
                f"{measure.name.capitalize()}, by class ({OF_THE_PAPER})",
                along,
                f"{measure}, mean",
                _fitted(series, measure, OF_THE_PAPER),
            ),
            f"As Fig. 7: the paper's algorithm, sequences of length 9, a delay of {DELAY} service "
            f"times.",
        )
    most = max(row.cell.sequences for row in rows)
    for measure, name in ((MESSAGES, "baselines"), (MEMORY, "memory")):
        lines = [
            _line(
                str(variant),
                [row for row in of_variant(rows, variant) if row.cell.sequences == most],
                class_number,
                measure.value,
            )
            for variant in VARIANTS
        ]
        yield Figure(
            f"fig7-{name}",
            line_chart(
                f"{measure.name.capitalize()}, by class, {most} sequences",
                along,
                f"{measure}, mean",
                lines,
            ),
            f"All variants with {most} sequences of length 9, a delay of {DELAY} service times. "
            f"Central has one monitor, the others one for each process.",
        )


def _fig8(rows: Sequence[Row], series: Sequence[Series]) -> Iterator[Figure]:
    from choreomon.experiments.monitoring.claims import (
        LATENCY,
        MEMORY,
        MESSAGES,
        WAITING,
        of_variant,
    )
    from choreomon.experiments.monitoring.cost import length
    from choreomon.experiments.monitoring.grids import BASELINES, DELAY, PULLING, VARIANTS
    from choreomon.pictures.shapes.line_chart import Axis, line_chart

    lengths = sorted({row.cell.length for row in rows})
    along = Axis("length of sequences", tuple((at, str(at)) for at in lengths))
    for measure, name, others in (
        (MESSAGES, "messages", BASELINES),
        (MEMORY, "memory", ()),  # others have so much larger ones that nothing could be seen
        (MEMORY, "memory-baselines", BASELINES),
        (WAITING, "waiting", ()),
        (LATENCY, "latency", BASELINES),
    ):
        lines = [line for one in PULLING for line in _fitted(series, measure, one, str(one))]
        lines += [_line(str(one), of_variant(rows, one), length, measure.value) for one in others]
        yield Figure(
            f"fig8-{name}",
            line_chart(f"{measure.name.capitalize()}, by length", along, f"{measure}, mean", lines),
            f"As Fig. 8: class C6, three sequences, a delay of {DELAY} service times.",
        )
    longest = [row for row in rows if row.cell.length == lengths[-1]]
    yield Figure(
        "fig8-delays",
        line_chart(
            f"Latency to the verdict, by delay, sequences of length {lengths[-1]}",
            _delays(rows),
            "ms, mean",
            [
                _line(str(one), _of(longest, one), _delay_place(rows), LATENCY.value)
                for one in VARIANTS
            ],
            scale="powers",
        ),
        "Class C6, three sequences; places on the axis are those of the grid, not to scale.",
    )


def _rq4(rows: Sequence[Row], series: Sequence[Series]) -> Iterator[Figure]:
    from choreomon.experiments.monitoring.conservatism import PUBLISHED
    from choreomon.experiments.monitoring.grids import PULLING, VARIANTS
    from choreomon.experiments.monitoring.wording import percent
    from choreomon.pictures.shapes.line_chart import line_chart
    from simulator.generation.parameters import BRANCHING

    rows = [row for row in rows if row.cell.branching == BRANCHING]
    along = _delays(rows)
    level = (PUBLISHED, f"the paper: {percent(PUBLISHED)}")
    yield Figure(
        "rq4-nothing",
        line_chart(
            "Runs in which nothing was declared, of those in which nothing was formed",
            along,
            "share of these runs",
            [_shares(str(one), _of(rows, one), lambda s: s.quiet_share) for one in VARIANTS],
            scale="shares",
            level=level,
        ),
        "Class C6, three sequences of length 7. The paper's share is of an unknown delay.",
    )
    outcomes: tuple[tuple[str, Callable[[Summary], float | None]], ...] = (
        ("nothing", lambda s: s.nothing / s.runs),
        ("possibly violated", lambda s: s.possible_runs / s.runs),
        ("violated", lambda s: s.violated_runs / s.runs),
        ("nothing, of runs without a formation", lambda s: s.quiet_share),
    )
    for one in PULLING:
        yield Figure(
            f"rq4-outcomes-{one.rules}",
            line_chart(
                f"Runs by gravest verdict ({one})",
                along,
                "share of runs",
                [_shares(word, _of(rows, one), share) for word, share in outcomes],
                scale="shares",
                level=level,
            ),
            "The first three make all runs together.",
        )
    yield Figure(
        "rq4-avoidable",
        line_chart(
            "Possible verdicts that were avoidable",
            along,
            "share of possible verdicts",
            [_shares(str(one), _of(rows, one), lambda s: s.avoidable_share) for one in VARIANTS],
            scale="shares",
        ),
        "By the exact evaluation over the run's happened-before order, monitoring messages "
        "included.",
    )


def _fitted(
    series: Sequence[Series], measure: Measure, variant: Variant, name: str | None = None
) -> list[Line]:
    """Means of the fitted series of a measure, each with its line."""
    from choreomon.pictures.shapes.line_chart import Line

    lines = []
    for one in series:
        if (one.measure, one.variant) == (measure.name, variant):
            found = one.fit
            lines.append(Line(name or one.part, tuple(zip(found.places, found.means, strict=True))))
            lines.append(Line("", _straight(found), fitted=True))
    return lines


def _straight(found: Fit) -> tuple[tuple[float, float], ...]:
    """The ends of the fitted line, as far as it is not below 0."""
    ends = []
    for x in (found.places[0], found.places[-1]):
        y = found.intercept + found.slope * x
        ends.append((x, y) if y >= 0 else (-found.intercept / found.slope, 0.0))
    return tuple(ends)


def _line(
    name: str,
    rows: Sequence[Row],
    place: Callable[[Row], float],
    value: Callable[[Row], float | None],
) -> Line:
    from choreomon.experiments.monitoring.summaries import measurements
    from choreomon.pictures.shapes.line_chart import Line

    series = measurements(rows, place, value)
    return Line(name, tuple((at, sum(found) / len(found)) for at, found in sorted(series.items())))


def _of(rows: Sequence[Row], variant: Variant) -> list[Row]:
    return [row for row in rows if (row.cell.strategy, row.cell.rules) == variant]


def _delays(rows: Sequence[Row]) -> Axis:
    """The axis of delays, at equal distances: they are no scale with a 0."""
    from choreomon.pictures.shapes.line_chart import Axis

    delays = sorted({row.cell.delay for row in rows})
    return Axis("network delay, service times", tuple((n, str(d)) for n, d in enumerate(delays)))


def _delay_place(rows: Sequence[Row]) -> Callable[[Row], float]:
    place = {delay: n for n, delay in enumerate(sorted({row.cell.delay for row in rows}))}
    return lambda row: place[row.cell.delay]


def _shares(name: str, rows: Sequence[Row], share: Callable[[Summary], float | None]) -> Line:
    from choreomon.experiments.monitoring.summaries import grouped, summary
    from choreomon.pictures.shapes.line_chart import Line

    found = [
        (place, share(summary(own)))
        for place, (_, own) in enumerate(sorted(grouped(rows, "delay").items()))
    ]
    return Line(name, tuple((place, value) for place, value in found if value is not None))
