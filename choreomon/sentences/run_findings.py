"""Findings of runs: each verdict and each missed formation, and its kind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum
from typing import Final, Literal, NamedTuple, TypeAlias

from choreomon.core.run import Run, RunVerdict
from choreomon.core.stated_rule import StatedRule
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED, WITHDRAWN, VerdictKind
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.sentences.forbidden_sequences import MAX_SEQUENCES, first_sequences, in_words
from choreomon.sentences.formed_sequences import certain
from choreomon.sentences.kinds import Alike, kinds
from choreomon.sentences.summary import missed

Said: TypeAlias = VerdictKind | Literal["missed"]

_GRAVITY: Final[tuple[Said, ...]] = ("missed", VIOLATED, POSSIBLY_VIOLATED, WITHDRAWN)


class Finding(NamedTuple):
    """A verdict of a run; without one, a formation at `event_index` that no monitor declared.
    `rule`: the one that it is about, of a property that is written as rules."""

    run: Run
    event_index: int
    verdict: RunVerdict | None
    rule: StatedRule | None = None

    @property
    def formed(self) -> bool | None:
        """True if it was really formed there; `None` if that was not evaluated."""
        if self.run.formed is None:
            return None
        about = self.event_index, self.rule
        return any((each.event_index, each.rule) == about for each in self.run.formed)

    @property
    def latency(self) -> int | None:
        """Microseconds from the event to the last verdict about it; `None` if the time of the event
        is not known."""
        if self.verdict is None:
            return None
        at = self.verdict.happened_at
        if at is None:
            times = (e.time for e in self.run.kept_events if e.index == self.event_index)
            at = next(times, None)
        return None if at is None else self.verdict.declared_at - at


class FindingKind(NamedTuple):
    """Findings of one kind are about the same last step (`transitions` into final states, on one
    `label`), and as grave. Of a missed formation no monitor says which step it was, but the rule is
    known."""

    said: Said
    formed: bool | None
    transitions: tuple[tuple[str, str], ...] = ()
    label: str = ""
    rule: StatedRule | None = None


def kind_of(finding: Finding) -> FindingKind:
    verdict = finding.verdict
    if verdict is None:
        return FindingKind("missed", True, rule=finding.rule)
    found = finding.formed, verdict.transitions, verdict.label, finding.rule
    return FindingKind(verdict.verdict, *found)


def findings_of(run: Run) -> list[Finding]:
    """The findings of one run, in no particular order."""
    return [
        *(Finding(run, each.event_index, None, each.rule) for each in missed(run)),
        *(Finding(run, each.event_index, each, each.rule) for each in run.verdicts),
    ]


def kinds_in(run: Run) -> frozenset[FindingKind]:
    return frozenset(map(kind_of, findings_of(run)))


def kinds_of_findings(runs: Iterable[Run]) -> list[Alike[FindingKind, Finding]]:
    """The kinds of findings, the gravest first: missed, violated, possibly violated (really formed
    ones before others), withdrawn. The first of each kind is from a run whose events were kept, if
    there is one."""
    found = [finding for run in runs for finding in findings_of(run)]
    found.sort(key=lambda each: (_gravity(each), not each.run.kept_events))
    return kinds(found, kind_of)


def _gravity(finding: Finding) -> tuple[int, bool]:
    kind = kind_of(finding)
    return _GRAVITY.index(kind.said), not kind.formed


class SequenceRow(NamedTuple):
    """A row on the sequences with one last step, or on a rule: in how many runs it had a verdict,
    and in how many of these which one was the gravest. `name` is that of the rule, or the numbers
    of the sequences, of which `words` say what they are. `latency` is a mean over the verdicts, in
    microseconds."""

    name: str
    words: tuple[str, ...]
    runs: int
    violated: int
    possible: int
    withdrawn: int
    latency: float | None


def sequence_rows(runs: Sequence[Run], automaton: SequenceAutomaton) -> list[SequenceRow]:
    """The rows, one for each rule or each last step of forbidden sequences, with or without
    verdicts. Sequences beyond the first `MAX_SEQUENCES` are counted under their last step, without
    a number."""
    found_in = [findings_of(run) for run in runs]
    if automaton.rules:
        return [
            _row(stated.name, (), [[f for f in found if f.rule == stated] for found in found_in])
            for stated, _ in automaton.rules
        ]
    sequences = first_sequences(automaton)
    endings: dict[tuple[str, str], list[int]] = {
        (t.source, t.target): [] for t in automaton.forward if t.target in automaton.final
    }
    for number, sequence in enumerate(sequences[:MAX_SEQUENCES], 1):
        endings[sequence[-1].source, sequence[-1].target].append(number)
    more = len(sequences) > MAX_SEQUENCES
    rows = []
    for ending, numbers in endings.items():
        own = [[f for f in findings if _is_about(f, ending)] for findings in found_in]
        named = ", ".join(map(str, numbers)) + (", ..." if more and numbers else "")
        name = named or f"ending {ending[0]} -> {ending[1]}"
        words = tuple(in_words(automaton, sequences[number - 1]) for number in numbers)
        rows.append(_row(name, words, own, ending))
    return rows


def _row(
    name: str,
    words: tuple[str, ...],
    found_in: Sequence[Sequence[Finding]],
    ending: tuple[str, str] | None = None,
) -> SequenceRow:
    """The row of what was found in each run; `ending` is the last step that it is about."""
    said = [[f for f in found if f.verdict is not None] for found in found_in]
    told = [found for found in said if found]
    worst = [min((_said_of(f, ending) for f in found), key=_GRAVITY.index) for found in told]
    latencies = [f.latency for found in told for f in found if f.latency is not None]
    return SequenceRow(
        name=name,
        words=words,
        runs=len(told),
        violated=worst.count(VIOLATED),
        possible=worst.count(POSSIBLY_VIOLATED),
        withdrawn=worst.count(WITHDRAWN),
        latency=fsum(latencies) / len(latencies) if latencies else None,
    )


def _said_of(finding: Finding, ending: tuple[str, str] | None) -> Said:
    """The result that a finding gives, for one of its last steps if asked: if another one is
    certain, a step without a certain step before it is only possible."""
    verdict = finding.verdict
    assert verdict is not None
    sure = certain(verdict)
    if ending is not None and sure and ending not in sure:
        return POSSIBLY_VIOLATED
    return verdict.verdict


def _is_about(finding: Finding, ending: tuple[str, str]) -> bool:
    return finding.verdict is not None and ending in finding.verdict.transitions
