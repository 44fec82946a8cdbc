"""Findings of audits of many sessions, as lines for people: each kind of verdict once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from rich.text import Text

from choreomon.audit.items import Gap
from choreomon.audit.kinds import Step
from choreomon.audit.outcome import AuditVerdict
from choreomon.audit.rules import RuleResult
from choreomon.audit.summary import GRAVEST_FIRST, Example, SessionsOutcome
from choreomon.core.verdict import VerdictKind
from choreomon.sentences.wording import VERDICT_IN_WORDS, counted
from choreomon.terminal.audit_text import (
    counted_events,
    gap_sentence,
    nowhere_lines,
    overall_lines,
    session_name,
    to_record_lines,
    verdict_lines,
)
from choreomon.terminal.rules_text import rule_lines
from choreomon.terminal.text import STYLES

NAMED: Final = 5
"""The most sessions that a line names."""


def kind_lines(example: Example) -> Text:
    """Lines on one kind of verdict: in how many sessions, and why in the first of them."""
    kind = example.kind
    text = Text()
    text.append(VERDICT_IN_WORDS[kind.verdict], STYLES[kind.verdict])
    text.append(f"{', undecided,' if kind.undecided else ''} in {_sessions_named(example)}")
    if kind.rule:
        text.append(f": {kind.rule}")
    if kind.steps:
        text.append(f": {steps_sentence(kind.steps)}")
    if kind.instead:
        text.append(f"; perhaps undone by {', '.join(kind.instead)}, which nobody recorded")
    text.append("\n")
    text.append(example_lines(example))
    return text


def steps_sentence(steps: tuple[Step, ...]) -> str:
    """A forbidden sequence on one line."""
    return ", then ".join(f"{step.label}{' (unseen)' if step.unseen else ''}" for step in steps)


def example_lines(example: Example) -> Text:
    """The first verdict of a kind, indented below it."""
    if isinstance(example.verdict, AuditVerdict):
        lines = verdict_lines(example.verdict)
    else:
        lines = overall_lines(example.verdict, f"{example.called} {session_name(example.name)}")
    return Text("\n").join(Text("  ").append_text(line) for line in lines.split("\n"))


def _sessions_named(example: Example) -> str:
    told = counted(example.sessions, example.called)
    if example.verdicts > example.sessions:
        told += f", at {example.verdicts:,} events"
    names = ", ".join(map(session_name, example.names[:NAMED]))
    return f"{told} ({names}{', ..' if example.sessions > NAMED else ''})"


def worst_sentence(outcome: SessionsOutcome) -> str | None:
    """A sentence on the sessions with the most verdicts of the gravest kind; None if none has more
    than one."""
    worst = [one for one in outcome.worst if one.verdict == outcome.verdict]
    if not worst or (worst[0].violated or worst[0].possible) < 2:
        return None
    told = ", ".join(
        f"{session_name(one.name)} ({counted(one.violated or one.possible, 'event')})"
        for one in worst[:NAMED]
    )
    return f"worst: {told}"


def gap_lines(outcome: SessionsOutcome, shown: int) -> list[str]:
    """Lines on the first gaps, one for each reason, and how many more there are."""
    told = gaps_told(outcome.gaps)
    lines = [f"gap: {sentence}" for sentence, _ in told[:shown]]
    more = outcome.gap_count - sum(many for _, many in told[:shown])
    return [*lines, f"and {counted(more, 'more gap')} in {outcome.called}s"] if more > 0 else lines


def gaps_told(gaps: Iterable[Gap]) -> list[tuple[str, int]]:
    """Sentences on what is missing, each with the number of sessions; without a place if there are
    several."""
    found: dict[str, list[Gap]] = {}
    for gap in gaps:
        found.setdefault(gap.reason, []).append(gap)
    return [
        (gap_sentence(own[0]) if len(own) == 1 else f"{reason} (in {len(own):,} places)", len(own))
        for reason, own in found.items()
    ]


def verdict_in_words(kind: VerdictKind | None) -> str:
    """The words for a kind of verdict, or for none."""
    return "nothing formed" if kind is None else VERDICT_IN_WORDS[kind]


def sessions_headline(outcome: SessionsOutcome) -> str:
    """The answer, without a full stop: how many sessions are of which verdict."""
    of = f"of {counted(outcome.sessions, outcome.called)}"
    told = [
        f"{outcome.verdicts[kind]:,} {of if not number else ''}".strip()
        + f" {VERDICT_IN_WORDS[kind]}"
        for number, kind in enumerate(
            kind for kind in GRAVEST_FIRST if kind is not None and outcome.verdicts.get(kind)
        )
    ]
    if not told:
        judged = outcome.sessions - outcome.unjudged
        if outcome.unjudged and not judged:
            return f"No {outcome.called} could be judged"
        where = counted(judged, outcome.called)
        told = [f"Nothing forbidden happened in {where}, in any possible order"]
    if outcome.unjudged:
        told.append(f"{outcome.unjudged:,} not judged")
    return ", ".join(told)


def sessions_overall_text(outcome: SessionsOutcome, rules: Sequence[RuleResult]) -> Text:
    """Text on the result of all sessions, the answer first."""
    headline = sessions_headline(outcome)
    text = Text(headline)
    if outcome.verdict is not None:
        said = VERDICT_IN_WORDS[outcome.verdict]
        at = headline.index(said)
        text.stylize(STYLES[outcome.verdict], at, at + len(said))
    text.append(f". {counted_events(outcome.events, outcome.labelled)}")
    if outcome.undecided:
        text.append(f" {counted(outcome.undecided, outcome.called)} undecided.")
    if outcome.late_count:
        text.append(
            f"\nIn {outcome.called}s, {counted(outcome.late_count, 'gap')} were found after others "
            f"were judged as if there were none, first: {gap_sentence(outcome.late[0])}. To have "
            f"all judged by it: --incomplete {outcome.late[0].process}"
        )
    verdicts = (example.verdict for example in outcome.kinds)
    told = (
        *rule_lines(rules),
        *to_record_lines(verdicts, outcome.occurrences),
        *nowhere_lines(outcome.occurrences.nowhere()),
    )
    for sentence in told:
        text.append(f"\n{sentence}")
    return text
