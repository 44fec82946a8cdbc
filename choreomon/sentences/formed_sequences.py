"""Forbidden sequences that a verdict says were formed, and those that it leaves possible."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from choreomon.core.run import Run, RunVerdict
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED
from choreomon.properties.sequences import steps_of


class Formed(NamedTuple):
    """Numbers of sequences, from 1: those certainly formed, and others that may have been."""

    certainly: frozenset[int] = frozenset()
    possibly: frozenset[int] = frozenset()


def starting(verdict: RunVerdict) -> list[tuple[str, str]]:
    """The transitions that fired without a pre-transition. If answers were missing, a transition
    without a record may also be one of which nothing is known yet; and if reasons were left out,
    one whose records are among those."""
    missing = verdict.silent or verdict.early
    unknown = missing and len(verdict.transitions) > 1
    if verdict.verdict != VIOLATED or unknown or verdict.reasons_left_out:
        return []
    reached = {reason.transition[1] for reason in verdict.because if reason.role == "pre"}
    return [transition for transition in verdict.transitions if transition[0] not in reached]


def certain(verdict: RunVerdict) -> list[tuple[str, str]]:
    """The final transitions that certainly fired, one by one, if the verdict is `violated`; none if
    several are judged and it is not known which of them did."""
    if verdict.verdict != VIOLATED:
        return []
    reached = {r.transition[1] for r in verdict.because if r.role == "pre" and r.certain}
    begin = starting(verdict)
    alone = len(verdict.transitions) == 1 and not verdict.transitions_left_out
    return [t for t in verdict.transitions if alone or t[0] in reached or t in begin]


def formed_in(run: Run, sequences: Sequence[int]) -> Formed:
    """The sequences formed in a run by its last verdicts, given the number of steps of each."""
    steps = steps_of(sequences)

    def numbers(transitions: Iterable[tuple[str, str]]) -> set[int]:
        return {steps[each].sequence for each in transitions if each in steps}

    certainly: set[int] = set()
    possibly: set[int] = set()
    for verdict in run.verdicts:
        certainly |= numbers(certain(verdict))
        if verdict.verdict in (VIOLATED, POSSIBLY_VIOLATED):
            possibly |= numbers(verdict.transitions)
    return Formed(frozenset(certainly), frozenset(possibly - certainly))
