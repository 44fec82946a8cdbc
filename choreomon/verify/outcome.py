"""What became of the multi-traces that were to be verified, one by one and all together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from choreomon.verify.verdict import Answer, Mode, Verdict

if TYPE_CHECKING:
    from choreomon.verify.explanation import Explanation
    from choreomon.verify.fault import Fault

Conclusion: TypeAlias = Literal["bad input", "failed", "inconclusive", "passed"]
"""What many outcomes come to together; the first of these that holds for one of them."""


class Outcome(NamedTuple):
    """What became of one multi-trace.

    - `trace`: its file, as it was given or found;
    - `answer`: None where it could not be read, and then `problem` says why;
    - `seconds`: for reading and deciding, without explaining or blaming anybody;
    - `explanation`: where it was asked for, and where there is one;
    - `recorded`: the lifelines of components with actions;
    - `fault`: who is to blame, where it failed and that was found out;
    - `fits_late`: whether it failed, and would fit if logs might have begun late, too.
    """

    trace: str
    mode: Mode
    answer: Answer | None
    seconds: float
    explanation: Explanation | None = None
    problem: str = ""
    recorded: tuple[str, ...] = ()
    fault: Fault | None = None
    fits_late: bool = False

    @property
    def conclusion(self) -> Conclusion:
        """What the outcome alone comes to."""
        if self.answer is None:
            return "bad input"
        if self.answer.verdict.passes:
            return "passed"
        return "inconclusive" if self.answer.verdict.inconclusive else "failed"


class Tally:
    """Counts outcomes as they pass: their verdicts, and the reasons of these."""

    def __init__(self) -> None:
        self.verdicts: Counter[Verdict] = Counter()
        self.reasons: Counter[str] = Counter()
        self.unreadable = 0
        self.late = 0
        """Those that fail, and would fit if logs might have begun late."""
        self._recorded: set[str] | None = set()

    def add(self, outcome: Outcome) -> None:
        if self._recorded is not None:
            apart = outcome.recorded and self._recorded.isdisjoint(outcome.recorded)
            self._recorded = self._recorded.union(outcome.recorded) if apart else None
        self.late += outcome.fits_late
        if outcome.answer is None:
            self.unreadable += 1
        else:
            self.verdicts[outcome.answer.verdict] += 1
            self.reasons[outcome.answer.reason] += 1

    @property
    def apart(self) -> bool:
        """Whether there are several, and no lifeline recorded something in two of them: then they
        are more likely the logs of one run than runs of their own."""
        return sum(self.verdicts.values()) > 1 and self._recorded is not None

    @property
    def conclusion(self) -> Conclusion:
        """What could not be read comes before what failed, and that before what is not known:
        each of them is hidden by nothing that is less bad."""
        if self.unreadable:
            return "bad input"
        if self.verdicts[Verdict.FAIL]:
            return "failed"
        if any(self.verdicts[verdict] for verdict in Verdict if verdict.inconclusive):
            return "inconclusive"
        return "passed"


def tally(outcomes: Iterable[Outcome]) -> Tally:
    """All of them, counted."""
    counted = Tally()
    for outcome in outcomes:
        counted.add(outcome)
    return counted
