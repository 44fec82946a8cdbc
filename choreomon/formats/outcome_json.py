"""Outcomes -> the lines of JSON that `choreomon verify --json` prints."""

from __future__ import annotations

import json

from choreomon.verify.outcome import Outcome


def outcome_line(outcome: Outcome) -> str:
    """The outcome as one line of ASCII, without a line end (docs/verify.md, "JSON").

    Of what could not be read `verdict` is null, and `reason` says why. Where an explanation was
    asked for and not found, `reason` says why, too.
    """
    answer, explanation = outcome.answer, outcome.explanation
    found = {"witness": None, "failure": None} if explanation is None else explanation.as_json()
    reason = outcome.problem if answer is None else answer.reason
    if not reason and explanation is not None:
        reason = explanation.reason
    return json.dumps(
        {
            "trace": outcome.trace,
            "mode": outcome.mode,
            "verdict": None if answer is None else answer.verdict.value,
            "reason": reason,
            "vertices": 0 if answer is None else answer.vertices,
            "seconds": round(outcome.seconds, 9),
            **found,
        },
        separators=(",", ":"),
    )
