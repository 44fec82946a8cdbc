"""Build the sections about many runs together: a summary, measurements, runs with equal results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from choreomon.core.run import Run
from choreomon.core.verdict import WITHDRAWN
from choreomon.pages.page import (
    as_html,
    facts,
    figure,
    folded,
    table,
)
from choreomon.pictures.shapes.charts import Bar, bar_chart, histogram
from choreomon.pictures.shapes.drawing import MUTED, POSSIBLY, QUIET, Picture
from choreomon.pictures.shapes.drawing import VIOLATED as VIOLATED_COLOUR
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.sentences.run_findings import (
    sequence_rows,
)
from choreomon.sentences.summary import (
    WITHDRAWN_NOTE,
    alike_runs,
    few_seeds,
    figures,
    worst_verdict,
)
from choreomon.sentences.wording import VERDICT_IN_WORDS, counted, number, with_arrow

MAX_ROWS: Final = 200
"""About the number of runs listed one by one."""


def in_html(text: str) -> str:
    """The text with arrows that no line break can cut in two."""
    return as_html(with_arrow(text))


def summary_parts(runs: Sequence[Run], automaton: SequenceAutomaton) -> list[str]:
    """Parts on each rule, or forbidden sequence: which verdicts it had, and in how many runs."""
    what = "rule" if automaton.rules else "sequence"
    rows = sequence_rows(runs, automaton)
    listed = "".join(
        f"<li value={number}>{in_html(words)}</li>"
        for row in rows
        for number, words in zip(row.name.split(", "), row.words, strict=False)
    )
    cells = [
        (
            with_arrow(row.name),
            *(f"{count:,}" for count in (row.runs, row.violated, row.possible, row.withdrawn)),
            "–" if row.latency is None else number(row.latency / 1000),
        )
        for row in rows
    ]
    columns = (
        *(what, "runs with a verdict", "violated", "possible", "withdrawn"),
        "latency, ms",
    )
    parts = [
        f"<ol>{listed}</ol>" if listed else "",
        table(columns, cells),
        f'<p class="note">Runs with a verdict: those of {len(runs):,} in which something was said '
        f"of this {what}. The next columns split them by gravest verdict.</p>",
    ]
    if any(verdict.verdict == WITHDRAWN for run in runs for verdict in run.verdicts):
        parts.append(f'<p class="note">{WITHDRAWN_NOTE}</p>')
    return parts


def measurements_parts(runs: Sequence[Run]) -> list[str]:
    """The figures with notes, and charts of several runs."""
    parts = [facts(figures(runs), numbers=True)]
    if any(run.formed is not None for run in runs):
        parts.append(
            '<p class="note">"Formations in the real order" counts the events at which the '
            "property was formed in the order in which events really happened. That order is known "
            "of the run as a whole, and to no monitor: it is there to judge the monitors by.</p>"
        )
    parts.append(
        '<p class="note">Latency: from an event that could complete a sequence to the final '
        "verdict about it, even if that verdict is “nothing”.</p>"
    )
    if any(verdict.verdict == WITHDRAWN for run in runs for verdict in run.verdicts):
        parts.append(f'<p class="note">{WITHDRAWN_NOTE}</p>')
    charts = _charts(runs)
    if charts:
        parts.append(f'<div class="charts">{"".join(map(figure, charts))}</div>')
    return parts


def runs_parts(runs: Sequence[Run]) -> list[str]:
    """A row for each different result; below it the runs one by one, folded."""
    with_logs = any(run.verification is not None for run in runs)
    columns = ["result", "runs", "seeds", *(["logs"] if with_logs else [])]
    found = alike_runs(runs)
    rows = []
    for kind in found:
        _, said, unseen, logs = kind.key
        own = sorted((kind.first, *kind.others), key=lambda run: run.seed)
        rows.append((said + unseen, f"{len(own):,}", few_seeds(own), *([logs] * with_logs)))
    parts = [table(columns, rows)]
    each = ["seed", "events", "monitoring messages", "bytes", "latency, ms"]
    room = max(1, MAX_ROWS // len(found))
    for kind in found:
        own = sorted((kind.first, *kind.others), key=lambda run: run.seed)
        listed = [table(each, map(_run_row, own[:room]))]
        if len(own) > room:
            listed.append(f'<p class="note">{counted(len(own) - room, "more run")} like these.</p>')
        parts.append(folded(f"{''.join(kind.key[1:3])}: {counted(len(own), 'run')}", listed))
    return parts


def _run_row(run: Run) -> tuple[str, ...]:
    return (
        str(run.seed),
        f"{run.events:,}",
        f"{run.monitoring_messages:,}",
        f"{run.monitoring_bytes:,}",
        "–" if run.latency.mean is None else number(run.latency.mean / 1000),
    )


def _charts(runs: Sequence[Run]) -> list[Picture]:
    """Charts of the runs; none for a single run, whose figures say everything."""
    if len(runs) < 2:
        return []
    words = Counter(map(worst_verdict, runs))
    colours = (VIOLATED_COLOUR, POSSIBLY, QUIET)
    bars = [
        Bar(text, words[word], colour)
        for (word, text), colour in zip(VERDICT_IN_WORDS.items(), colours, strict=True)
    ]
    pictures = [bar_chart("Runs by gravest verdict", [*bars, Bar("nothing", words[None], MUTED)])]
    latencies = [run.latency.mean / 1000 for run in runs if run.latency.mean is not None]
    if len(latencies) > 1:
        pictures.append(histogram("Runs by mean latency of the last verdict, ms", latencies, " ms"))
    messages = [float(run.monitoring_messages) for run in runs]
    pictures.append(histogram("Runs by monitoring messages", messages))
    return pictures
