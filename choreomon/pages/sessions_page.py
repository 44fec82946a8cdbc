"""Build the page about audits of many sessions: the answer, and each kind of verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from choreomon.audit.kinds import kind_of
from choreomon.audit.outcome import AuditVerdict
from choreomon.audit.rules import RuleResult
from choreomon.audit.summary import GRAVEST_FIRST, Example, SessionsOutcome
from choreomon.core.binding import in_words
from choreomon.core.recorded import Diagnostic
from choreomon.core.roles import Roles
from choreomon.pages.audit_page import (
    GAPS_ALONE,
    TONES,
    diagnostics_parts,
    labels_parts,
    orders_parts,
    rules_parts,
    to_record_section,
)
from choreomon.pages.page import Section, as_html, header, page, section, table
from choreomon.pages.property_section import property_section
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.sentences.wording import VERDICT_IN_WORDS, counted, with_arrow
from choreomon.terminal.audit_text import counted_events, nowhere_lines, session_name
from choreomon.terminal.rules_text import rule_lines
from choreomon.terminal.sessions_text import (
    gaps_told,
    sessions_headline,
    steps_sentence,
    verdict_in_words,
)

MAX_DETAILED: Final = 20
"""The most kinds with pictures, the gravest first."""

MAX_WORST: Final = 20

MAX_EACH: Final = 100
"""The most verdicts of instances shown, the gravest and newest."""

MAX_GAPS: Final = 200


def sessions_page(
    title: str,
    document_facts: Sequence[tuple[str, str]],
    automaton: SequenceAutomaton,
    outcome: SessionsOutcome,
    rules: Sequence[RuleResult],
    counts: Mapping[str, int],
    diagnostics: Sequence[Diagnostic],
    made_with: Sequence[tuple[str, str]] = (),
) -> str:
    """A whole HTML page, like that of `choreomon.pages.audit_page` for one session."""
    result = f"{sessions_headline(outcome)}."
    roles = outcome.occurrences.roles
    kinds = [part for example in outcome.kinds[:MAX_DETAILED] for part in _kind(example, roles)]
    if len(outcome.kinds) > MAX_DETAILED:
        left = counted(len(outcome.kinds) - MAX_DETAILED, "more kind")
        kinds.append(f"<p>{left} of verdicts, in the table above.</p>")
    told = [_headline(example) for example in outcome.kinds[:1]]
    told.append(counted_events(outcome.events, outcome.labelled))
    told += map(with_arrow, rule_lines(rules)) if len(rules) == 1 else ()
    told += map(with_arrow, nowhere_lines(outcome.occurrences.nowhere()))
    strange = {kind: count for kind, count in counts.items() if kind not in GAPS_ALONE}
    body: list[str | Section] = [
        header(TONES[outcome.verdict], title, result, told),
        section("Rules", rules_parts(rules)) if len(rules) > 1 else "",
        section("Kinds of verdicts", _kinds(outcome)) if outcome.kinds else "",
        section("What was found", kinds) if kinds else "",
        section("Verdicts", _each(outcome)) if outcome.each.kept else "",
        section(f"{outcome.called.capitalize()}s", _sessions(outcome)),
        to_record_section((each.verdict for each in outcome.kinds), outcome.occurrences),
        property_section(automaton, title),
        section("What occurred", labels_parts(outcome.occurrences, sessions=outcome.called)),
        section("What is missing", _gaps(outcome)) if outcome.gaps else "",
        section("What is strange", diagnostics_parts(strange, diagnostics)) if strange else "",
    ]
    return page(f"{result} {title}", body, (*document_facts, *made_with))


def _sessions(outcome: SessionsOutcome) -> list[str]:
    rows = [(verdict_in_words(kind), f"{many:,}") for kind, many in outcome.verdicts.items()]
    if outcome.unjudged:
        rows.append(("not judged", f"{outcome.unjudged:,}"))
    parts = [table(("verdict", f"{outcome.called}s"), rows)]
    if outcome.worst:
        parts.append("<h3>The worst</h3>")
        worst = [
            (
                session_name(one.name),
                verdict_in_words(one.verdict),
                f"{one.violated:,}",
                f"{one.possible:,}",
                f"{one.events:,}",
            )
            for one in outcome.worst[:MAX_WORST]
        ]
        columns = (
            outcome.called,
            "verdict",
            "events violated",
            "possibly violated",
            "events in all",
        )
        parts.append(table(columns, worst))
    if outcome.problems:
        parts.append("<h3>Not judged</h3>")
        parts.append(table(("why",), [(problem,) for problem in outcome.problems[:MAX_WORST]]))
    return parts


def _kinds(outcome: SessionsOutcome) -> list[str]:
    rows: list[tuple[str, ...]] = [
        (
            verdict_in_words(each.kind.verdict) + (", undecided" if each.kind.undecided else ""),
            with_arrow(steps_sentence(each.kind.steps)) or "at no one event",
            f"{each.sessions:,}",
            f"{each.verdicts:,}",
            ", ".join(map(session_name, each.names)) + each.dots,
            ", ".join(map(with_arrow, each.kind.instead)),
        )
        for each in outcome.kinds
    ]
    columns: tuple[str, ...] = (
        *("verdict", "sequence", f"{outcome.called}s", "verdicts", "which"),
        "perhaps undone by",
    )
    if not any(row[-1] for row in rows):
        rows, columns = [row[:-1] for row in rows], columns[:-1]
    parts = [table(columns, rows)]
    if outcome.others:
        parts.append(f"<p>{counted(outcome.others, 'more verdict')}, of other kinds.</p>")
    return parts


def _each(outcome: SessionsOutcome) -> list[str]:
    """Verdicts of instances one by one, the gravest and newest first."""
    rows = []
    for binding, verdict in outcome.each.kept[:MAX_EACH]:
        kind = kind_of(verdict)
        event = verdict.item.event if isinstance(verdict, AuditVerdict) else None
        rows.append(
            (
                session_name(in_words(binding)),
                verdict_in_words(kind.verdict) + (", undecided" if kind.undecided else ""),
                with_arrow(steps_sentence(kind.steps)) or "at no one event",
                "" if event is None else str(event.place),
            )
        )
    parts = [table((outcome.called, "verdict", "sequence", "at"), rows)]
    more = Counter(each.verdict.kind for each in outcome.each.kept[MAX_EACH:])
    more.update(dict(outcome.each.others))
    told = [f"{more[kind]:,} {verdict_in_words(kind)}" for kind in GRAVEST_FIRST if more[kind]]
    if told:
        parts.append(f"<p>More verdicts: {', '.join(told)}.</p>")
    return parts


def _headline(example: Example) -> str:
    kind = example.kind
    steps = f": {with_arrow(steps_sentence(kind.steps))}" if kind.steps else ""
    return f"{VERDICT_IN_WORDS[kind.verdict].capitalize()}{steps}"


def _kind(example: Example, roles: Roles) -> list[str]:
    verdict = example.verdict
    parts = [f"<h3>{as_html(_headline(example))}</h3>"]
    where = f"In {counted(example.sessions, example.called)}, first in {session_name(example.name)}"
    if example.event is not None:
        where += f", {example.event.place}"
    parts.append(f"<p>{as_html(where)}</p>")
    if verdict.undecided:
        parts.append(f"<p>Undecided: {as_html(verdict.reason)}.</p>")
    return [*parts, *orders_parts(verdict, roles=roles)]


def _gaps(outcome: SessionsOutcome) -> list[str]:
    told = gaps_told(outcome.gaps)
    rows = [(sentence,) for sentence, _ in told[:MAX_GAPS]]
    parts = [table(("gap",), rows)]
    if len(told) > MAX_GAPS:
        parts.append(f"<p>{counted(len(told) - MAX_GAPS, 'more gap')} of this table.</p>")
    more = outcome.gap_count - len(outcome.gaps)
    if more > 0:
        parts.append(f"<p>{counted(more, 'more gap')} in {outcome.called}s.</p>")
    return parts
