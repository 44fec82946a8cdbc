"""Build the page about some runs: verdicts, why, pictures, measurements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from choreomon.core.binding import in_words as of_instance
from choreomon.core.run import Run
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED, WITHDRAWN
from choreomon.interaction.term import Interaction
from choreomon.pages.filters import filters, mark_of
from choreomon.pages.many_runs import (
    in_html,
    measurements_parts,
    runs_parts,
    summary_parts,
)
from choreomon.pages.page import (
    Section,
    as_html,
    figure,
    folded,
    header,
    page,
    section,
    table,
)
from choreomon.pages.property_section import property_section
from choreomon.pages.verify_page import outcome_parts
from choreomon.pictures.interactions.sequence_diagram import sequence_diagram
from choreomon.pictures.space_time.diagram import place_of, space_time_picture
from choreomon.pictures.space_time.highlights import highlights_in_run, highlights_of_missed
from choreomon.pictures.space_time.window import View, kept_events
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.formed import really_formed
from choreomon.properties.tables import TransitionTable
from choreomon.sentences.exercised import exercise_sentences
from choreomon.sentences.explanation import explanation
from choreomon.sentences.forbidden_sequences import MAX_SEQUENCES, first_sequences, in_words
from choreomon.sentences.kinds import Alike
from choreomon.sentences.run_findings import (
    Finding,
    FindingKind,
    kinds_of_findings,
)
from choreomon.sentences.summary import (
    headline,
    missed,
    worst_verdict,
)
from choreomon.sentences.verification import verdict_of, verification_headline
from choreomon.sentences.wording import VERDICT_IN_WORDS, counted, number, with_arrow
from choreomon.terminal.text import table_rows
from choreomon.verify.outcome import Outcome

MAX_KINDS: Final = 20
_RESTS: Final = "what the verdict rests on"
MAX_ALIKE: Final = 50
MAX_KEPT: Final = 60
"""The most events that a picture shows because the property names them: pages are read, not
studied."""

_CLASS: Final = {VIOLATED: "violated", POSSIBLY_VIOLATED: "possibly"}


def report_page(
    title: str,
    document_facts: Sequence[tuple[str, str]],
    automaton: SequenceAutomaton,
    runs: Sequence[Run],
    *,
    tables: Sequence[TransitionTable] = (),
    interaction: Interaction | None = None,
    unfit: Outcome | None = None,
    max_kinds: int = MAX_KINDS,
    made_with: Sequence[tuple[str, str]] = (),
) -> str:
    """A whole HTML page.

    `document_facts` are names and values that say what was run (file, strategy, rules and so on),
    `made_with` what the page was made with (version, date, command, seed); both stand at the foot.
    One verdict or missed formation of each kind (`FindingKind`) is shown in detail, the gravest
    first, of at most `max_kinds` kinds; a folded table names `MAX_ALIKE` others of each kind. Runs
    with equal results are one row; about `MAX_ROWS` are listed one by one. The page counts what it
    leaves out. `interaction` is what the logs of the runs were verified against, if they were;
    `unfit` is the first run whose logs do not fit.
    """
    result = " ".join(filter(None, (headline(runs, automaton), verification_headline(runs))))
    tones = {*map(_tone, runs), *map(_tone_of_logs, runs)}
    tone = next((tone for tone in ("violated", "possibly") if tone in tones), "quiet")
    found = kinds_of_findings(runs)
    told = [*_formed(runs, automaton), *(_headline(kind.first, automaton) for kind in found[:1])]
    told += map(with_arrow, exercise_sentences(run.exercise for run in runs))
    several = len(runs) > 1
    body: list[str | Section] = [
        header(tone, title, result, told),
        section("Summary", summary_parts(runs, automaton)) if several else "",
        section("What was found", _findings(found, runs, automaton, max_kinds)),
        section("What should happen", _logs(interaction, title, runs, unfit))
        if interaction
        else "",
        property_section(automaton, title),
        section("Measurements", measurements_parts(runs)),
        section("Runs", runs_parts(runs)) if several else "",
        section("What each monitor knows", _tables(tables)) if tables else "",
    ]
    return page(f"{result} {title}", body, (*document_facts, *made_with))


def _formed(runs: Sequence[Run], automaton: SequenceAutomaton) -> list[str]:
    """Parts on the sequences that one run formed, or may have formed."""
    if automaton.rules:
        told = {each.rule for run in runs for each in run.verdicts if each.verdict != WITHDRAWN}
        stated = [rule for rule, _ in automaton.rules if rule in told and rule.description]
        return [with_arrow(f"{rule.name}: {rule.description}") for rule in stated[:MAX_SEQUENCES]]
    sequences = first_sequences(automaton)
    if len(runs) > 1 or len(sequences) > MAX_SEQUENCES:
        return []
    endings = {
        transition
        for verdict in runs[0].verdicts
        if verdict.verdict != WITHDRAWN
        for transition in verdict.transitions
    }
    return [
        with_arrow(f"{number}. " * (len(sequences) > 1) + in_words(automaton, sequence))
        for number, sequence in enumerate(sequences, 1)
        if (sequence[-1].source, sequence[-1].target) in endings
    ]


def _tone(run: Run) -> str:
    """The tone of a run; a missed formation is as grave as a declared one."""
    return "violated" if missed(run) else _CLASS.get(worst_verdict(run) or "", "quiet")


def _tone_of_logs(run: Run) -> str:
    if run.verification is None or verdict_of(run.verification).passes:
        return "quiet"
    return "possibly" if verdict_of(run.verification).inconclusive else "violated"


def _logs(
    interaction: Interaction, title: str, runs: Sequence[Run], unfit: Outcome | None
) -> list[str]:
    """Parts on why the logs of the first unfit run do not fit, and the interaction."""
    parts = [f"<p>{as_html(verification_headline(runs))}</p>"]
    if unfit is not None:
        parts += outcome_parts(unfit)
    run = next((run for run in runs if unfit and unfit.trace == f"seed {run.seed}"), None)
    if run is not None and run.verification is not None:
        rows = [
            (", ".join(processes), f"{seen:,}", f"{events:,}")
            for processes, seen, events in run.verification.logs
        ]
        parts.append(folded("How much of its logs was seen", [_seen_table(rows)]))
    picture = sequence_diagram(interaction, lifelines=runs[0].processes, name=title)
    return [*parts, "<h3>The interaction</h3>", figure(picture)]


def _seen_table(rows: Sequence[tuple[str, ...]]) -> str:
    return table(("log of", "events seen", "events"), rows)


def _headline(finding: Finding, automaton: SequenceAutomaton) -> str:
    run, _, verdict, _ = finding
    if verdict is not None:
        return with_arrow(explanation(verdict, run.kept_events, automaton).headline)
    return f"{_unsaid(finding, 'The')} in the real order, and no monitor said so."


def _unsaid(finding: Finding, the: str = "the") -> str:
    if finding.rule is None:
        return f"{the} sequence was formed at event {finding.event_index}"
    return f"{finding.rule.name} was violated at event {finding.event_index}"


def _findings(
    found: Sequence[Alike[FindingKind, Finding]],
    runs: Sequence[Run],
    automaton: SequenceAutomaton,
    limit: int,
) -> list[str]:
    if not found:
        parts = ["<p>No monitor declared anything.</p>"]
        shown = next((run for run in runs if run.kept_events), None)
        if shown is not None:
            picture = space_time_picture(shown.kept_events, shown.processes)
            parts.append(figure(picture, f"The run with seed {shown.seed}."))
        return parts
    shown_kinds = found[:limit]
    parts = [_kind(kind, automaton) for kind in shown_kinds]
    parts[:0] = _unseen(runs)
    if len(shown_kinds) > 1:
        parts.insert(0, filters(_marks(shown_kinds)))
    if len(found) > limit:
        more = counted(len(found) - limit, "more kind", "more kinds")
        parts.append(f'<p class="note">{more} of verdicts are in the table of runs.</p>')
    return parts


def _unseen(runs: Sequence[Run]) -> list[str]:
    """Parts on how many formations no monitor declared."""
    unseen = sum(len(missed(run)) for run in runs)
    if not unseen:
        return []
    told = f"{counted(unseen, 'formation')} in the real order, which no monitor said."
    return [f'<p class="violated">{told}</p>']


def _said(finding: Finding) -> str:
    return "missed" if finding.verdict is None else VERDICT_IN_WORDS[finding.verdict.verdict]


def _marks(
    found: Sequence[Alike[FindingKind, Finding]],
) -> list[tuple[str, list[tuple[str, str]]]]:
    """Filters of kinds, each with its values and the marks of their articles."""
    by: dict[str, dict[str, str]] = {name: {} for name in _FILTERS}
    for kind in found:
        for name, value in zip(by, _values(kind), strict=True):
            by[name][value] = mark_of(name, value)
    return [(name, [*values.items()]) for name, values in by.items() if len(values) > 1]


_FILTERS: Final = ("Result", "Rule", "Completed by", "Process")


def _values(kind: Alike[FindingKind, Finding]) -> tuple[str, ...]:
    """Return, of a kind, what `_FILTERS` are about."""
    verdict, rule = kind.first.verdict, kind.key.rule
    at = with_arrow(kind.key.label) or "not known"
    by = "none" if verdict is None else verdict.monitor
    return _said(kind.first), "" if rule is None else rule.name, at, by


def _kind(kind: Alike[FindingKind, Finding], automaton: SequenceAutomaton) -> str:
    first, others = kind.first, kind.others
    said = _said(first)
    of_rule = "" if kind.key.rule is None else f" {kind.key.rule.name}"
    at = f"{of_rule}: {with_arrow(kind.key.label)}" if kind.key.label else of_rule
    parts = [f"<h3>{as_html(said.capitalize() + at)}, in the run with seed {first.run.seed}</h3>"]
    told, pictures = (_missed if first.verdict is None else _verdict)(first, automaton)
    parts.append(f'<div class="finding"><div>{"".join(told)}</div>{"".join(pictures)}</div>')
    if others:
        shown = others[:MAX_ALIKE]
        names: tuple[str, ...] = ("seed", "event", "declared by", "after, ms")
        rows = [_row(finding) for finding in shown]
        bindings = [() if each.verdict is None else each.verdict.binding for each in shown]
        if any(bindings):
            names = (*names, "for")
            rows = [(*row, of_instance(own)) for row, own in zip(rows, bindings, strict=True)]
        inner = [table(names, rows)]
        if len(others) > len(shown):
            left = f"{len(others) - len(shown):,} more like these"
            inner.append(f'<p class="note">{left}.</p>')
        runs = len({finding.run.seed for finding in others})
        alike = f"{len(others):,} more like this, in {counted(runs, 'run')}"
        parts.append(folded(alike, inner))
    marks = " ".join(map(mark_of, _FILTERS, _values(kind)))
    return f'<article class="{marks}">{"".join(parts)}</article>'


def _view(run: Run, automaton: SequenceAutomaton) -> View:
    judged = [verdict.event_index for verdict in run.verdicts]
    return View(kept=kept_events(run.kept_events, automaton.labels, judged), most=MAX_KEPT)


def _row(finding: Finding) -> tuple[str, ...]:
    run, index, verdict, _ = finding
    latency = finding.latency
    return (
        str(run.seed),
        f"{index:,}",
        "–" if verdict is None else verdict.monitor,
        "–" if latency is None else number(latency / 1000),
    )


def _missed(finding: Finding, automaton: SequenceAutomaton) -> tuple[list[str], list[str]]:
    run, index, _, rule = finding
    pictures = []
    told = [
        f'<p class="violated"><strong>Missed:</strong> {as_html(_unsaid(finding))} in the real '
        "order, and no monitor said so.</p>"
    ]
    if run.kept_events:
        unsaid = next(each for each in missed(run) if each[::2] == (index, rule))
        highlights = highlights_of_missed(unsaid)
        view = _view(run, automaton)
        picture = space_time_picture(
            run.kept_events, run.processes, highlights, missed=index, view=view
        )
        caption = f"Marked: the sequence that was formed at event {index}."
        pictures.append(figure(picture, caption, place_of(picture, index)))
    return told, pictures


def _verdict(finding: Finding, automaton: SequenceAutomaton) -> tuple[list[str], list[str]]:
    """The text on a verdict, and its picture."""
    run, _, verdict, _ = finding
    pictures = []
    assert verdict is not None
    formed = really_formed(run, verdict)
    explained = explanation(
        *(verdict, run.kept_events, automaton),
        messages=run.kept_messages,
        processes=run.processes,
    )
    tone = _CLASS.get(verdict.verdict, "quiet")
    sentences = map(in_html, explained.sentences)
    reasons = "".join(f"<li>{sentence}</li>" for sentence in sentences)
    parts = [f'<p class="{tone}"><strong>{in_html(explained.headline)}</strong></p>']
    parts.append(f"<ul>{reasons}</ul>")
    if formed is not None:
        truth = (
            "Checked against the real order, which only the simulator knows: "
            f"{'formed' if verdict.event_index in formed else 'not formed'} there."
        )
        parts.append(f'<p class="note">{truth}</p>')
    if run.kept_events:
        sequence = (formed or {}).get(verdict.event_index, ())
        highlights = highlights_in_run(run, verdict, automaton)
        view = _view(run, automaton)
        picture = space_time_picture(
            run.kept_events,
            run.processes,
            highlights,
            verdict=verdict,
            view=view,
            messages=run.kept_messages,
        )
        marked = "a sequence that was formed, by the real order" if sequence else _RESTS
        focus = place_of(picture, verdict.event_index)
        pictures.append(figure(picture, f"Marked: {marked}.", focus))
    return parts, pictures


def _tables(tables: Sequence[TransitionTable]) -> list[str]:
    parts = [
        "<p>Each monitor holds the rows of its own process. Of other processes' transitions "
        "it knows the states and whom to ask, never the messages. "
        "⊤: the transition completes a sequence, ⊥: it does not. "
        "Pre-transition: the one that must have fired before; ∅: none. "
        "Vio-transitions: those that cancel it. (q1, @P, q2) is a transition from q1 to q2 "
        "whose message only the monitor of P knows.</p>"
    ]
    for one in tables:
        rows = [tuple(map(with_arrow, row)) for row in table_rows(one)]
        parts.append(f"<h3>{as_html(one.process)}</h3>")
        parts.append(
            table(("transition", "final", "pre-transition", "vio-transitions"), rows)
            if rows
            else "<p>No rows: this monitor has nothing to watch.</p>"
        )
    return [folded(f"The tables of {counted(len(tables), 'monitor')}", parts)]
