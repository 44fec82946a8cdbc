"""Tables of experiments, in Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from choreomon.experiments.monitoring.instances import Point
from choreomon.experiments.monitoring.replicas import Point as PointOfReplicas
from choreomon.experiments.offline.multiprefix import (
    COLUMNS,
    DEFAULT,
    Measure,
    Measurement,
    Procedures,
    TimeoutTable,
)
from choreomon.experiments.offline.procedure_traces import Kind
from choreomon.experiments.offline.procedures import Row, Sample
from choreomon.experiments.offline.slices import SliceRow
from choreomon.experiments.offline.statistics import Summary
from choreomon.sentences.wording import counted


def _column(kind: str, conforms: bool | None) -> str:
    return kind if conforms is None else f"{kind} {'Ok' if conforms else 'Nok'}"


COLUMN_NAMES: Final = tuple(_column(kind, conforms) for kind, conforms in COLUMNS)
"""Names of columns, as in Fig. 15 and 17 of the removal paper."""

SHOWN: Final = 20
"""The most wrong verdicts listed one by one."""


def timeout_table(table: TimeoutTable) -> str:
    """A table like Fig. 15 and 17 of the removal paper: a row for each method, a column for each
    kind."""
    head = ["", *COLUMN_NAMES]
    rows = [["total", *map(str, table.total)]]
    rows += [[f"timeout, {name}", *map(str, row)] for name, row in table.timeouts.items()]
    return markdown(head, rows)


def wrong_list(measurements: Iterable[Measurement], procedures: Procedures) -> str:
    """A list of how many verdicts are wrong, by method, and the first of them: the expected ones of
    the paper's own procedures, and others; at the end how many are right."""
    every = list(measurements)
    wrong = [(one, measure, name) for one in every for measure, name in one.wrong]
    expected = [entry for entry in wrong if procedures == "paper" and entry[2] != DEFAULT]
    others = [entry for entry in wrong if entry not in expected]
    lines: list[str] = []
    if expected:
        lines += [
            f"{counted(len(expected), 'verdict')} wrong, as expected: lifeline removal and the "
            "reduction of Definition 11, as the paper has them, are not always right "
            "(docs/verify.md).",
            *_by_method(expected),
        ]
    if others:
        lines += [f"{counted(len(others), 'verdict')} wrong that should be right:"]
        lines += _by_method(others)
    given = sum(value is not None for one in every for value in _verdicts(one))
    by_default = sum(one.seconds.get(DEFAULT) is not None for one in every)
    false = sum(name == DEFAULT for _, _, name in wrong)
    right = f"Right: {given - len(wrong):,} of {counted(given, 'verdict')}"
    if by_default:
        right += f", {by_default - false:,} of {by_default:,} by the default decider"
    return "\n".join([*lines, f"{right}.", ""])


def _verdicts(one: Measurement) -> tuple[float | None, ...]:
    """A value for each search; None if it timed out without a verdict."""
    return (*one.sizes.values(), *one.seconds.values())


def _by_method(wrong: Sequence[tuple[Measurement, Measure, str]]) -> list[str]:
    words = {"sizes": "whole graph", "times": "analysis"}
    methods = Counter(f"{words[measure]}, {name}" for _, measure, name in wrong)
    return [
        "",
        *(f"- {number} of {method}" for method, number in methods.items()),
        "",
        "The first of them:",
        "",
        *(
            f"- {one.interaction}, {one.case}: {words[measure]}, {name}"
            for one, measure, name in wrong[:SHOWN]
        ),
        "",
    ]


def slice_table(rows: Iterable[SliceRow], published: Summary | None) -> str:
    """A table of counts of answers, and milliseconds; below them what HIBOU's author published."""
    head = [
        *("mode", "multi-traces", "number", "slice", "no slice", "not known"),
        *("min", "q1", "median", "mean", "q3", "max", "sd"),
    ]
    lines = [
        [
            row.decider,
            row.kind or "all",
            *map(str, (row.number, row.passed, row.failed, row.undecided)),
            *_milliseconds(row.seconds),
        ]
        for row in rows
    ]
    if published is not None:
        lines.append(["HIBOU, the slices paper", "all", "", "", "", "", *_milliseconds(published)])
    return markdown(head, lines)


def procedure_table(
    samples: Iterable[Sample], rows: Iterable[Row], published: Mapping[Kind, int]
) -> str:
    """Tables of how many multi-traces of each kind were drawn, beside how many the automata paper
    measured; then of milliseconds, and states or cuts visited."""
    drawn = markdown(
        ["kind", "multi-traces", "tries", "not finished", "in the paper"],
        [
            [
                one.kind,
                *(f"{number:,}" for number in (len(one.multitraces), one.tries, one.unfinished)),
                f"{published[one.kind]:,}" if one.kind in published else "",
            ]
            for one in samples
        ],
    )
    measured = markdown(
        [
            *("kind", "procedure", "multi-traces", "mean ms", "median ms", "longest ms"),
            *("mean visited", "most visited", "not finished"),
        ],
        [
            [
                row.kind or "AllTypes",
                row.procedure,
                f"{row.number:,}",
                *(
                    f"{1000 * value:.3f}"
                    for value in (row.seconds.mean, row.seconds.median, row.seconds.maximum)
                ),
                f"{row.visited.mean:,.0f}",
                f"{row.visited.maximum:,.0f}",
                f"{row.unfinished:,}",
            ]
            for row in rows
        ],
    )
    return f"{drawn}\n{measured}"


def _milliseconds(seconds: Summary) -> list[str]:
    return [f"{1000 * value:.3f}" for value in seconds]


def instances_table(points: Iterable[Point]) -> str:
    """A table of the cost of an event, by how many instances are alive."""
    head = ("instances", "events", "messages an event", "bytes an event", "bytes a message")
    rows = (
        (
            f"{point.instances:,}",
            f"{point.events:,}",
            f"{point.messages:.2f}",
            f"{point.bytes:.0f}",
            f"{point.bytes_of_message:.0f}",
        )
        for point in points
    )
    return markdown(head, rows)


def replicas_table(points: Iterable[PointOfReplicas]) -> str:
    """A table of the cost of an event, by how many replicas a service has."""
    head = ("replicas", "events", "messages an event", "bytes an event", "latency, ms")
    rows = (
        (
            f"{point.replicas}",
            f"{point.events:,}",
            f"{point.messages:.2f}",
            f"{point.bytes:.0f}",
            f"{point.latency:.1f}",
        )
        for point in points
    )
    return markdown(head, rows)


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose first column is text and whose others are numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
