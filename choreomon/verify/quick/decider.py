"""The quick deciders of a mode, and for which multi-traces they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from choreomon.interaction.lifelines import is_single, mask
from choreomon.interaction.normal import normal
from choreomon.interaction.order import is_exact_to_weaken
from choreomon.interaction.term import Interaction
from choreomon.interaction.weakening import has_strict_like, weakened
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify.quick.commuting import SITUATIONS, CommutingDecider
from choreomon.verify.quick.single_clock import STOPPED, QuickMode, WordDecider
from choreomon.verify.quick.words import Stopped
from choreomon.verify.verdict import Answer, Verdict

SHORT: Final = 64
"""Answers about multi-traces of so many actions are kept: longer ones seldom come again."""

ANSWERS: Final = 1 << 12
"""So many are kept before all are forgotten."""


class QuickDecider:
    """Decides multi-traces of one term without strict-like operators in one mode."""

    def __init__(self, term: Interaction, mode: QuickMode, limit: int = SITUATIONS) -> None:
        self.mode: QuickMode = mode
        self.accepted = CommutingDecider(term, "prune", limit)
        self.asked = self.accepted if mode == "accept" else CommutingDecider(term, "remove", limit)

    def decide(
        self, multitrace: MultiTrace, should_stop: Callable[[], bool] | None = None
    ) -> Answer:
        """The verdict; Inconc only if `should_stop()` was true before there was one."""
        before = self._visited()
        try:
            if not self.asked.decide(multitrace, should_stop):
                return Answer(Verdict.FAIL, "", self._visited() - before)
            passes = self.mode == "accept" or self.accepted.decide(multitrace, should_stop)
        except Stopped:
            return Answer(Verdict.INCONC, STOPPED, self._visited() - before)
        verdict = Verdict.PASS if passes else Verdict.WEAK_PASS
        return Answer(verdict, "", self._visited() - before)

    def _visited(self) -> int:
        if self.mode == "accept":
            return self.accepted.visited
        return self.asked.visited + self.accepted.visited


class Quick:
    """The quick deciders of one interaction in one mode.

    What a single clock saw is read as a word. Of the rest, a term without strict-like operators
    is decided over any partition. One that has some can be rewritten for the discrete partition
    where the rule of `choreomon.interaction.order` says so; but not in the mode `prefix`, since
    prefixes of global traces show the difference.
    """

    def __init__(self, interaction: Interaction, mode: QuickMode, limit: int = SITUATIONS) -> None:
        form = normal(interaction)
        self._lifelines = form.lifelines
        self._any_partition = not has_strict_like(form)
        term: Interaction | None = form
        if not self._any_partition:
            exact = mode != "prefix" and is_exact_to_weaken(form)
            term = weakened(form) if exact else None
        self.words = WordDecider(form, mode, limit)
        self._decider = None if term is None else QuickDecider(term, mode, limit)
        self._answers: dict[MultiTrace, Answer] = {}

    def decide(
        self, multitrace: MultiTrace, should_stop: Callable[[], bool] | None = None
    ) -> Answer | None:
        """The verdict, None where only a search can tell; Inconc only if `should_stop()` was true
        before there was one. What was definite for a short multi-trace is so for its like."""
        short = sum([len(actions) for _, actions in multitrace.components]) <= SHORT
        if short:
            known = self._answers.get(multitrace)
            if known is not None:
                return known
        answer = self._decided(multitrace, should_stop)
        if short and answer is not None and answer.verdict is not Verdict.INCONC:
            if len(self._answers) >= ANSWERS:
                self._answers.clear()
            self._answers[multitrace] = answer
        return answer

    def _decided(
        self, multitrace: MultiTrace, should_stop: Callable[[], bool] | None
    ) -> Answer | None:
        if self.words.applies(multitrace):
            answer = self.words.decide(multitrace, should_stop)
            if answer is not None:
                return answer
        decider = self.decider(multitrace)
        return None if decider is None else decider.decide(multitrace, should_stop)

    def decider(self, multitrace: MultiTrace) -> QuickDecider | None:
        """Who decides a multi-trace of several components; None where only a search can."""
        if self._decider is None or self._any_partition:
            return self._decider
        for lifelines, _ in multitrace.components:
            if len(lifelines) > 1:
                own = mask(lifelines) & self._lifelines
                if own and not is_single(own):
                    return None
        return self._decider
