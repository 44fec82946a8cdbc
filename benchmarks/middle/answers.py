"""What became of a question: a value, and a line of JSON."""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

from benchmarks.middle.corpora import SEARCHED, Question
from choreomon.verify.verdict import Answer, Mode, Verdict

OVERDUE: Final = "Overdue"
"""The reason where somebody answered after the budget, or did not even ask whether to stop."""
CRASHED: Final = "Crashed"
"""The reason where the process ended."""


class Answered(NamedTuple):
    """`milliseconds` are of the processor, `megabytes` the most that the process ever had. `reason`
    is why it is undecided, and empty where it is not. Where it was not `asked`, it was undecided
    at a smaller length, and took so long there."""

    question: Question
    length: int
    milliseconds: float
    verdict: Verdict
    reason: str = ""
    asked: bool = True
    megabytes: float = 0.0

    def line(self) -> str:
        return json.dumps([*self.question, *self[1:3], self.verdict.value, *self[4:]])


def from_line(line: str) -> Answered:
    fields: list[Any] = json.loads(line)
    size = len(Question._fields)
    length, milliseconds, verdict, *others = fields[size:]
    return Answered(Question(*fields[:size]), length, milliseconds, Verdict(verdict), *others)


def why_undecided(answer: Answer, mode: Mode, seconds: float, budget: float) -> str:
    """The reason, or nothing. That `test` lacks observation, and that the bounded `simulate` finds
    nothing, are answers of these modes."""
    if answer.verdict.inconclusive:
        if mode in SEARCHED and answer.reason in ("", "LackObs"):
            return ""
        return answer.reason or answer.verdict.value
    return OVERDUE if seconds > budget else ""
