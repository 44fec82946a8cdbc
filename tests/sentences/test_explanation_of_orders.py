"""What is said of drawn runs in which monitors search the orders: sentences follow the verdict,
though each record was weighed by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from choreomon.core.run import RunReason, RunVerdict
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED, Reason, Reference, VerdictKind
from choreomon.monitor.effects import Declared
from choreomon.monitor.precise import PRECISE
from choreomon.sentences.explanation import ExplanationText, explanation
from tests.laws.interleaving import Run
from tests.laws.test_guarantees import draw_run

RUNS = 250
SURE = ("initial state", "nothing before it", "in every possible order")


def run_verdict(run: Run, index: int, declared: Declared) -> RunVerdict:
    """As the simulator has it."""
    verdict = declared.verdict
    assert verdict is not None
    return RunVerdict(
        verdict=verdict.kind,
        monitor=verdict.process,
        event_index=index,
        transitions=tuple(map(arrow, verdict.transitions)),
        label=str(declared.label),
        because=tuple(run_reason(run, each) for each in verdict.because),
        declared_at=0,
        silent=verdict.silent,
        early=declared.provisional,
    )


def arrow(reference: Reference) -> tuple[str, str]:
    return reference.source, reference.target


def run_reason(run: Run, reason: Reason) -> RunReason:
    own = run.system.index_of[reason.reference.process]
    of = reason.of_reference
    return RunReason(
        run.index(own, reason.clock),
        arrow(reason.reference),
        reason.role,
        reason.result,
        reason.relation,
        reason.certain,
        None
        if of is None or reason.of is None
        else run.index(run.system.index_of[of.process], reason.of),
        None if of is None else arrow(of),
        None if reason.since is None else run.index(own, reason.since),
    )


def told(deadline: bool) -> Iterator[tuple[RunVerdict, ExplanationText]]:
    for seed in range(RUNS):
        run = draw_run(Random(seed), PRECISE, deadline=deadline)
        for index, declared in run.said():
            if declared.verdict is not None:
                verdict = run_verdict(run, index, declared)
                yield verdict, explanation(verdict, (), run.system.automaton)


def contradicted(verdict: RunVerdict, text: ExplanationText) -> bool:
    """Whether the sentences leave a sure verdict open, or make a possible one sure."""
    *why, conclusion = text.sentences
    if verdict.verdict == VIOLATED:
        pointing = verdict.silent or any(words in sentence for sentence in why for words in SURE)
        certain = any(reason.certain for reason in verdict.because)
        return "In every possible order" not in conclusion or not (certain or pointing)
    if verdict.verdict == POSSIBLY_VIOLATED:
        return " may " not in conclusion or any("in every" in sentence for sentence in why)
    return False


@pytest.mark.parametrize("deadline", [False, True])
def test_sentences_say_what_the_verdict_says(deadline: bool) -> None:
    kinds = set()
    for verdict, text in told(deadline):
        kinds.add((verdict.verdict, "in every possible order" in str(text)))
        assert not contradicted(verdict, text), str(text)
    assert {(VIOLATED, True), (VIOLATED, False), (POSSIBLY_VIOLATED, False)} <= kinds


@pytest.mark.parametrize(
    ("said", "meant"), [(VIOLATED, POSSIBLY_VIOLATED), (POSSIBLY_VIOLATED, VIOLATED)]
)
def test_sentences_that_say_the_other_verdict_are_noticed(
    said: VerdictKind, meant: VerdictKind
) -> None:
    for verdict, text in told(False):
        if verdict.verdict == said:
            assert contradicted(replace(verdict, verdict=meant), text)


def test_a_silent_monitor_is_named_and_has_no_records() -> None:
    """What it may have is uncertain, and nobody made it up."""
    silent = [text for verdict, text in told(True) if verdict.silent]
    assert silent
    for text in silent:
        assert "had not answered by then." in str(text)
        assert "in a gap" not in str(text)
