"""Outcomes of the multi-traces that were to be verified, one by one and all together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from choreomon.core.action import Action
from choreomon.verify.verdict import Answer, Mode, Verdict

if TYPE_CHECKING:
    from choreomon.verify.explanation import Explanation
    from choreomon.verify.fault import Fault

MOST_STRANGE: Final = 20
"""The most actions that should never happen that are reported, for one multi-trace and for all."""

Conclusion: TypeAlias = Literal["bad input", "failed", "inconclusive", "passed"]
"""The conclusion from many outcomes: the first of these that holds for one of them."""


class Outcome(NamedTuple):
    """The outcome of one multi-trace.

    - `trace`: its file, as it was given or found;
    - `answer`: None where it could not be read, and then `problem` says why;
    - `seconds`: for reading and deciding, without explaining or blaming anybody;
    - `explanation`: where it was asked for, and where there is one;
    - `recorded`: the lifelines of components with actions;
    - `fault`: who is to blame, where it failed and that was found out;
    - `strange`: the first actions in it that should never happen, each once;
    - `unseen`: a bit for each action that should happen and is not in it, in the order of
      `choreomon.batch.judge.letters_of`;
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
    strange: tuple[Action, ...] = ()
    unseen: int = 0

    @property
    def conclusion(self) -> Conclusion:
        """The conclusion from this outcome alone."""
        if self.answer is None:
            return "bad input"
        if self.answer.verdict.passes:
            return "passed"
        return "inconclusive" if self.answer.verdict.inconclusive else "failed"


class Tally:
    """Counters of the verdicts and reasons of outcomes, updated as outcomes pass."""

    def __init__(self) -> None:
        self.verdicts: Counter[Verdict] = Counter()
        self.reasons: Counter[str] = Counter()
        self.unreadable = 0
        self.late = 0
        """The number of multi-traces that fail, and would fit if logs might have begun late."""
        self._recorded: set[str] | None = set()
        self.strange: Counter[Action] = Counter()
        """Actions that should never happen, and in how many of them they do: the first ones."""
        self.unseen: int | None = None
        """Bits of the actions that are in no multi-trace, as in outcomes; None: none was judged."""

    def add(self, outcome: Outcome) -> None:
        if self._recorded is not None:
            apart = outcome.recorded and self._recorded.isdisjoint(outcome.recorded)
            self._recorded = self._recorded.union(outcome.recorded) if apart else None
        self.late += outcome.fits_late
        for action in outcome.strange:
            if action in self.strange or len(self.strange) < MOST_STRANGE:
                self.strange[action] += 1
        if outcome.answer is None:
            self.unreadable += 1
        else:
            self.unseen = outcome.unseen if self.unseen is None else self.unseen & outcome.unseen
            self.verdicts[outcome.answer.verdict] += 1
            self.reasons[outcome.answer.reason] += 1

    @property
    def apart(self) -> bool:
        """True if there are several multi-traces, and no lifeline recorded something in two of
        them: then they are more likely the logs of one run than separate runs."""
        return sum(self.verdicts.values()) > 1 and self._recorded is not None

    @property
    def conclusion(self) -> Conclusion:
        """The worst conclusion of all: `bad input` is worse than `failed`, and that is worse than
        `inconclusive`."""
        if self.unreadable:
            return "bad input"
        if self.verdicts[Verdict.FAIL]:
            return "failed"
        if any(self.verdicts[verdict] for verdict in Verdict if verdict.inconclusive):
            return "inconclusive"
        return "passed"


def tally(outcomes: Iterable[Outcome]) -> Tally:
    """Counts all outcomes."""
    counted = Tally()
    for outcome in outcomes:
        counted.add(outcome)
    return counted
