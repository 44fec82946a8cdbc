"""One self-contained page about some runs: verdicts, why, pictures, measurements.

The page needs nothing from outside and no scripts; it reads on a phone and on paper.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from choreomon.core.run import Run, RunVerdict
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
from choreomon.render.page import as_html, facts, figure, page, section, table
from choreomon.render.sequence_diagram import sequence_diagram
from choreomon.render.space_time import space_time_picture
from choreomon.render.summary import (
    figures,
    gravest,
    gravity,
    headline,
    missed,
    not_shown,
    result_in_words,
    tells,
    worst_verdict,
)
from choreomon.render.text import table_rows
from choreomon.render.verification import verdict_of, verification_headline, verified
from choreomon.render.wording import VERDICT_IN_WORDS, counted, number, with_arrow

MAX_DETAILED_RUNS: Final = 5
MAX_VERDICTS_PER_RUN: Final = 3
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
    max_detailed_runs: int = MAX_DETAILED_RUNS,
) -> str:
    """A whole HTML page.

    `document_facts` are names and values that say what was run (file, strategy, rules and
    so on). In detail come the first `max_detailed_runs` of the runs with a verdict or a
    missed formation, the gravest first, with at most `MAX_VERDICTS_PER_RUN` verdicts each, and
    pictures of as many missed formations; the table of runs has at most `MAX_ROWS` rows, of more
    runs those of the gravest. What is left out is counted on the page.
    `interaction` is what the logs of the runs were verified against, where they were.
    """
    result = " ".join(filter(None, (headline(runs, automaton), verification_headline(runs))))
    tones = {*map(_tone, runs), *map(_tone_of_logs, runs)}
    tone = next((tone for tone in ("violated", "possibly") if tone in tones), "quiet")
    body = [
        f'<header class="{tone}"><p>{as_html(title)}</p><h1>{as_html(result)}</h1></header>',
        section("Verdicts", _verdicts(runs, automaton, max_detailed_runs)),
        section("What must not happen", [figure(automaton_picture(automaton, title))]),
        section("What should happen", _logs(interaction, title, runs)) if interaction else "",
        section("What each monitor knows", _tables(tables)) if tables else "",
        section("Measurements", _measurements(runs)),
        section("What was run", [facts(document_facts)]),
    ]
    return page(f"{title}: {result}", body)


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


def _verdicts(runs: Sequence[Run], automaton: SequenceAutomaton, limit: int) -> list[str]:
    found = sorted(filter(tells, runs), key=gravity)
    if not found:
        parts = ["<p>No monitor declared anything.</p>"]
        shown = next((run for run in runs if run.kept_events), None)
        if shown is not None:
            picture = space_time_picture(shown.kept_events, shown.processes)
            parts.append(figure(picture, f"The run with seed {shown.seed}"))
        return parts
    parts = [_run(run, automaton) for run in found[:limit]]
    if len(found) > limit:
        parts.append(f'<p class="note">{_left_out(runs, len(found), limit)}</p>')
    return parts


def _left_out(runs: Sequence[Run], found: int, limit: int) -> str:
    """Of `found` runs that tell something all but `limit` are not shown in detail."""
    left = found - limit
    listed = sum(map(tells, gravest(runs, MAX_ROWS))) - limit
    names = "it" if left == 1 else "them" if listed >= left else f"{listed:,} of them"
    return (
        f"{counted(left, 'more run')} with a verdict or with a missed sequence "
        f"{'is' if left == 1 else 'are'} not shown in detail; the table of runs below names "
        f"{names}."
    )


def _run(run: Run, automaton: SequenceAutomaton) -> str:
    order = {word: place for place, word in enumerate(VERDICT_IN_WORDS)}
    formed = dict(run.formed or ())
    verdicts = sorted(  # they are in the order of events
        run.verdicts, key=lambda v: (order[v.verdict], v.event_index not in formed)
    )
    parts = [f"<h3>Run with seed {run.seed}</h3>"]
    parts += [_verdict(verdict, run, automaton) for verdict in verdicts[:MAX_VERDICTS_PER_RUN]]
    left = len(verdicts) - MAX_VERDICTS_PER_RUN
    if left > 0:
        parts.append(f'<p class="note">{counted(left, "more verdict")} in this run.</p>')
    parts += _missed(run)
    return f"<article>{''.join(parts)}</article>"


def _missed(run: Run) -> list[str]:
    indices = missed(run)
    if not indices:
        return []
    events = ", ".join(map(str, indices))
    parts = [
        f'<p class="violated"><strong>Missed:</strong> the sequence was formed at '
        f"event {events} in the real order, and no monitor said so.</p>"
    ]
    for index in indices[:MAX_VERDICTS_PER_RUN] if run.kept_events else ():
        highlights = highlights_of_missed(run, index)
        picture = space_time_picture(run.kept_events, run.processes, highlights, missed=index)
        parts.append(figure(picture, f"Marked: the sequence that was formed at event {index}."))
    return parts


def _verdict(verdict: RunVerdict, run: Run, automaton: SequenceAutomaton) -> str:
    formed = dict(run.formed or ())
    explained = explanation(verdict, run.kept_events, automaton, messages=run.kept_messages)
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
        parts.append(
            figure(
                space_time_picture(
                    run.kept_events,
                    run.processes,
                    highlights,
                    verdict=verdict,
                    messages=run.kept_messages,
                ),
                "Marked: a sequence that was formed, by the real order."
                if sequence
                else "Marked: what the verdict rests on.",
            )
        )
    return "".join(parts)


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
    parts = [facts(figures(runs))]
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
    if len(runs) > 1:
        parts.append("<h3>Runs</h3>")
        columns = ["seed", "result", "events", "monitoring messages", "bytes", "latency, ms"]
        shown = gravest(runs, MAX_ROWS)
        rows = [_run_row(run) for run in shown]
        if any(run.verification is not None for run in runs):
            columns.append("logs")
            rows = [(*row, verified(run)) for row, run in zip(rows, shown, strict=True)]
        parts.append(table(columns, rows))
    if len(runs) > MAX_ROWS:
        parts.append(f'<p class="note">{not_shown(len(runs) - MAX_ROWS)}.</p>')
    return parts


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
