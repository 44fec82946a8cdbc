"""Words on the results of verifying the logs of runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from choreomon.core.run import Run, Verification
from choreomon.sentences.wording import counted
from choreomon.verify.verdict import Verdict


def verdict_of(verification: Verification) -> Verdict:
    """The verdict that a verification holds as a word."""
    return Verdict(verification.verdict)


def passes(run: Run) -> bool:
    """Tell whether the logs of a run were verified, and fit."""
    return run.verification is not None and verdict_of(run.verification).passes


def verified(run: Run) -> str:
    """The verdict on the logs of one run, with its reason; empty if there is none."""
    found = run.verification
    if found is None:
        return ""
    return f"{found.verdict}: {found.reason}" if found.reason else found.verdict


def verdicts_counted(runs: Sequence[Run]) -> str:
    """The numbers of each verdict, the good ones first."""
    counts = Counter(verdict_of(run.verification) for run in runs if run.verification is not None)
    return ", ".join(
        f"{counts[verdict]:,} {verdict.value}" for verdict in Verdict if counts[verdict]
    )


def verification_headline(runs: Sequence[Run]) -> str:
    """The result of verifying the logs of all runs in one sentence; empty if none were."""
    found = [run.verification for run in runs if run.verification is not None]
    if not found:
        return ""
    if len(found) > 1:
        fitting = sum(verdict_of(one).passes for one in found)
        return (
            f"The logs fit the interaction in {fitting:,} of {len(found):,} runs: "
            f"{verdicts_counted(runs)} (mode {found[0].mode})."
        )
    (one,) = found
    seen = sum(seen for _, seen, _ in one.logs)
    events = sum(events for _, _, events in one.logs)
    shown = f"{seen:,} of {counted(events, 'event')} seen, mode {one.mode}"
    verdict = verdict_of(one)
    if verdict is Verdict.FAIL:
        return f"The logs do not fit the interaction: Fail ({shown})."
    if verdict.inconclusive:
        return f"Whether the logs fit the interaction is not known: {verified(runs[0])} ({shown})."
    return f"The logs fit the interaction: {verdict.value} ({shown})."
