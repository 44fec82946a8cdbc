"""One self-contained page about some runs: verdicts, why, pictures, measurements.

The page needs nothing from outside and no scripts; it reads on a phone and on paper.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from choreomon.core.run import Run
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED
from choreomon.interaction.term import Interaction
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.tables import TransitionTable
from choreomon.render.automaton_drawing import automaton_picture
from choreomon.render.charts import Bar, bar_chart, histogram
from choreomon.render.drawing import MUTED, POSSIBLY, QUIET, Picture
from choreomon.render.drawing import VIOLATED as VIOLATED_COLOUR
from choreomon.render.explanation import explanation
from choreomon.render.highlights import highlights_in_run, highlights_of_missed
from choreomon.render.kinds import Kind
from choreomon.render.page import (
    Section,
    as_html,
    facts,
    figure,
    folded,
    header,
    page,
    section,
    table,
)
from choreomon.render.run_findings import (
    Finding,
    FindingKind,
    kinds_of_findings,
    sequence_rows,
)
from choreomon.render.sequence_diagram import sequence_diagram
from choreomon.render.space_time import place_of, space_time_picture
from choreomon.render.summary import (
    figures,
    gravest,
    headline,
    missed,
    not_shown,
    result_in_words,
    worst_verdict,
)
from choreomon.render.text import table_rows
from choreomon.render.verification import verdict_of, verification_headline, verified
from choreomon.render.window import View, kept_events
from choreomon.render.wording import VERDICT_IN_WORDS, counted, number, with_arrow

MAX_KINDS: Final = 20
MAX_ALIKE: Final = 50
MAX_KEPT: Final = 60
"""Events that a picture shows because the property names them: pages are read, not studied."""
MAX_ROWS: Final = 200

_CLASS: Final = {VIOLATED: "violated", POSSIBLY_VIOLATED: "possibly"}


def report_page(
    title: str,
    document_facts: Sequence[tuple[str, str]],
    automaton: SequenceAutomaton,
    runs: Sequence[Run],
    *,
    tables: Sequence[TransitionTable] = (),
    interaction: Interaction | None = None,
    max_kinds: int = MAX_KINDS,
    made_with: Sequence[tuple[str, str]] = (),
) -> str:
    """A whole HTML page.

    `document_facts` are names and values that say what was run (file, strategy, rules and
    so on), `made_with` what the page was made with (version, date, command, seed); both stand at
    the foot. In detail come one verdict or missed formation of each kind (`FindingKind`), the
    gravest first, of `max_kinds` kinds at most; of each kind `MAX_ALIKE` others are named in a
    folded table. The table of runs has at most `MAX_ROWS` rows, of more runs those of the gravest.
    What is left out is counted on the page.
    `interaction` is what the logs of the runs were verified against, where they were.
    """
    result = " ".join(filter(None, (headline(runs), verification_headline(runs))))
    tones = {*map(_tone, runs), *map(_tone_of_logs, runs)}
    tone = next((tone for tone in ("violated", "possibly") if tone in tones), "quiet")
    found = kinds_of_findings(runs)
    gravest_first = [_headline(kind.first, automaton) for kind in found[:1]]
    several = len(runs) > 1
    body: list[str | Section] = [
        header(tone, title, result, gravest_first),
        section("Summary", _summary(runs, automaton)),
        section("What must not happen", [figure(automaton_picture(automaton, title))]),
        section("What was found", _findings(found, runs, automaton, max_kinds)),
        section("What should happen", _logs(interaction, title, runs)) if interaction else "",
        section("Measurements", _measurements(runs)),
        section("Runs", _runs(runs)) if several else "",
        section("What each monitor knows", _tables(tables)) if tables else "",
    ]
    return page(f"{title}: {result}", body, (*document_facts, *made_with))


def _tone(run: Run) -> str:
    """What no monitor declared is as grave as what one did."""
    return "violated" if missed(run) else _CLASS.get(worst_verdict(run) or "", "quiet")


def _tone_of_logs(run: Run) -> str:
    if run.verification is None or verdict_of(run.verification).passes:
        return "quiet"
    return "possibly" if verdict_of(run.verification).inconclusive else "violated"


def _logs(interaction: Interaction, title: str, runs: Sequence[Run]) -> list[str]:
    """The interaction, and the logs of the first run that do not fit it."""
    parts = [
        f"<p>{as_html(verification_headline(runs))}</p>",
        figure(sequence_diagram(interaction, lifelines=runs[0].processes, name=title)),
    ]
    worst = next((run for run in runs if _tone_of_logs(run) == "violated"), None)
    if worst is not None and worst.verification is not None:
        rows = [
            (", ".join(processes), f"{seen:,}", f"{events:,}")
            for processes, seen, events in worst.verification.logs
        ]
        parts.append(f"<h3>The logs with seed {worst.seed}, which do not fit</h3>")
        parts.append(table(("log of", "events seen", "events"), rows))
    return parts


def _sentence(text: str) -> str:
    """With arrows that no line break can cut in two."""
    return as_html(with_arrow(text))


def _headline(finding: Finding, automaton: SequenceAutomaton) -> str:
    run, index, verdict = finding
    if verdict is not None:
        return with_arrow(explanation(verdict, run.kept_events, automaton).headline)
    return f"The sequence was formed at event {index} in the real order, and no monitor said so."


def _summary(runs: Sequence[Run], automaton: SequenceAutomaton) -> list[str]:
    rows = sequence_rows(runs, automaton)
    listed = "".join(
        f"<li value={number}>{_sentence(words)}</li>"
        for row in rows
        for number, words in zip(row.numbers.split(", "), row.words, strict=False)
    )
    cells = [
        (
            with_arrow(row.numbers),
            *(f"{count:,}" for count in (row.runs, row.violated, row.possible, row.withdrawn)),
            "–" if row.latency is None else number(row.latency / 1000),
        )
        for row in rows
    ]
    columns = ("sequence", "runs", "violated", "possible", "withdrawn", "latency, ms")
    several = len(runs) > 1
    parts = [f"<ol>{listed}</ol>" if listed else "", table(columns, cells)]
    if several:
        parts.append(
            '<p class="note">"runs" counts those in which something was said of the sequence, of '
            f"{len(runs):,}; each counts once more, for the gravest that was said.</p>"
        )
    unseen = sum(len(missed(run)) for run in runs)
    if unseen:
        parts.append(
            f'<p class="violated">{counted(unseen, "formation")} in the real order, which no '
            "monitor said.</p>"
        )
    return parts


def _findings(
    found: Sequence[Kind[FindingKind, Finding]],
    runs: Sequence[Run],
    automaton: SequenceAutomaton,
    limit: int,
) -> list[str]:
    if not found:
        parts = ["<p>No monitor declared anything.</p>"]
        shown = next((run for run in runs if run.kept_events), None)
        if shown is not None:
            picture = space_time_picture(shown.kept_events, shown.processes)
            parts.append(figure(picture, f"The run with seed {shown.seed}"))
        return parts
    parts = [_kind(kind, automaton) for kind in found[:limit]]
    if len(found) > limit:
        more = counted(len(found) - limit, "more kind", "more kinds")
        parts.append(f'<p class="note">{more} of verdicts are in the table of runs.</p>')
    return parts


def _kind(kind: Kind[FindingKind, Finding], automaton: SequenceAutomaton) -> str:
    first, others = kind.first, kind.others
    said = "missed" if first.verdict is None else VERDICT_IN_WORDS[first.verdict.verdict]
    at = f": {with_arrow(kind.key.label)}" if kind.key.label else ""
    parts = [f"<h3>{as_html(said.capitalize() + at)}, in the run with seed {first.run.seed}</h3>"]
    parts += (_missed if first.verdict is None else _verdict)(first, automaton)
    if others:
        shown = others[:MAX_ALIKE]
        inner = [table(("seed", "event", "declared by", "after, ms"), map(_row, shown))]
        if len(others) > len(shown):
            left = f"{len(others) - len(shown):,} more like these"
            inner.append(f'<p class="note">{left}.</p>')
        runs = len({finding.run.seed for finding in others})
        alike = f"{len(others):,} more like this, in {counted(runs, 'run')}"
        parts.append(folded(alike, inner))
    return f"<article>{''.join(parts)}</article>"


def _view(run: Run, automaton: SequenceAutomaton) -> View:
    judged = [verdict.event_index for verdict in run.verdicts]
    return View(kept=kept_events(run.kept_events, automaton.labels, judged), most=MAX_KEPT)


def _row(finding: Finding) -> tuple[str, ...]:
    run, index, verdict = finding
    latency = finding.latency
    return (
        str(run.seed),
        f"{index:,}",
        "–" if verdict is None else verdict.monitor,
        "–" if latency is None else number(latency / 1000),
    )


def _missed(finding: Finding, automaton: SequenceAutomaton) -> list[str]:
    run, index, _ = finding
    parts = [
        f'<p class="violated"><strong>Missed:</strong> the sequence was formed at '
        f"event {index} in the real order, and no monitor said so.</p>"
    ]
    if run.kept_events:
        highlights = highlights_of_missed(run, index)
        view = _view(run, automaton)
        picture = space_time_picture(
            run.kept_events, run.processes, highlights, missed=index, view=view
        )
        caption = f"Marked: the sequence that was formed at event {index}."
        parts.append(figure(picture, caption, place_of(picture, index)))
    return parts


def _verdict(finding: Finding, automaton: SequenceAutomaton) -> list[str]:
    run, _, verdict = finding
    assert verdict is not None
    formed = dict(run.formed or ())
    explained = explanation(verdict, run.kept_events, automaton)
    tone = _CLASS.get(verdict.verdict, "quiet")
    sentences = map(_sentence, explained.sentences)
    reasons = "".join(f"<li>{sentence}</li>" for sentence in sentences)
    parts = [f'<p class="{tone}"><strong>{_sentence(explained.headline)}</strong></p>']
    parts.append(f"<ul>{reasons}</ul>")
    if run.formed is not None:
        truth = (
            "In the real order of the events, which no monitor knows, it was "
            f"{'formed' if verdict.event_index in formed else 'not formed'} there."
        )
        parts.append(f'<p class="note">{truth}</p>')
    if run.kept_events:
        sequence = formed.get(verdict.event_index, ())
        highlights = highlights_in_run(run, verdict, automaton)
        view = _view(run, automaton)
        picture = space_time_picture(
            run.kept_events, run.processes, highlights, verdict=verdict, view=view
        )
        parts.append(
            figure(
                picture,
                "Marked: a sequence that was formed, by the real order."
                if sequence
                else "Marked: what the verdict rests on.",
                place_of(picture, verdict.event_index),
            )
        )
    return parts


def _tables(tables: Sequence[TransitionTable]) -> list[str]:
    parts = [
        "<p>Each monitor holds the rows of its own process. Of other processes' transitions "
        "it knows the states and whom to ask, never the messages. ⊤ stands where a transition "
        "completes a sequence.</p>"
    ]
    for one in tables:
        rows = [tuple(map(with_arrow, row)) for row in table_rows(one)]
        parts.append(f"<h3>{as_html(one.process)}</h3>")
        parts.append(
            table(("transition", "final", "pre-transition", "vio-transitions"), rows)
            if rows
            else "<p>No rows: this monitor has nothing to watch.</p>"
        )
    return parts


def _measurements(runs: Sequence[Run]) -> list[str]:
    parts = [facts(figures(runs), numbers=True)]
    if any(run.formed is not None for run in runs):
        parts.append(
            '<p class="note">"Formations in the real order" counts the events at which the '
            "property was formed in the order in which events really happened. That order is known "
            "of the run as a whole, and to no monitor: it is there to judge the monitors by.</p>"
        )
    parts.append(
        '<p class="note">"Latency" is the time from an event that may complete a sequence to the '
        "last verdict about it, also where that is that nothing was formed.</p>"
    )
    charts = _charts(runs)
    if charts:
        parts.append(f'<div class="charts">{"".join(map(figure, charts))}</div>')
    return parts


def _runs(runs: Sequence[Run]) -> list[str]:
    columns = ["seed", "result", "events", "monitoring messages", "bytes", "latency, ms"]
    shown = gravest(runs, MAX_ROWS)
    rows = [_run_row(run) for run in shown]
    if any(run.verification is not None for run in runs):
        columns.append("logs")
        rows = [(*row, verified(run)) for row, run in zip(rows, shown, strict=True)]
    parts = [table(columns, rows)]
    if len(runs) > MAX_ROWS:
        parts.append(f'<p class="note">{not_shown(len(runs) - MAX_ROWS)}.</p>')
    return [
        folded(
            f"All {len(runs):,} runs"
            if len(runs) <= MAX_ROWS
            else f"{MAX_ROWS:,} of {len(runs):,} runs",
            parts,
        )
    ]


def _run_row(run: Run) -> tuple[str, ...]:
    return (
        str(run.seed),
        "".join(result_in_words(run)),
        f"{run.events:,}",
        f"{run.monitoring_messages:,}",
        f"{run.monitoring_bytes:,}",
        "–" if run.latency.mean is None else number(run.latency.mean / 1000),
    )


def _charts(runs: Sequence[Run]) -> list[Picture]:
    """None for a single run: its figures are all there is."""
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
