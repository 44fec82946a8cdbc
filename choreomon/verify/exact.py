"""Verdicts that are exact: Pass, WeakPass and Fail are the truth of the mode.

The slices paper answers "inconclusive" where its bounded simulation finds nothing. Here Inconc
appears only where a budget that was passed in is used up, with that reason (docs/adr/016 has the
argument). Where every log is of one lifeline, a small automaton decides, if there is one
(`choreomon.verify.discrete`). Otherwise a decision makes up to three searches by turns, in ever
wider beams (`choreomon.verify.beam_search`): whether the multi-trace is accepted; whether it fits
the mode; and for slices whether it is a multi-prefix, which is a slice, too, and found sooner.

Deviation from the slices paper, Definition 7: there the observed part of a component may be
preceded and followed by simulated actions while a measure lasts; here by any number of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from typing import Final, NamedTuple, TypeVar

from choreomon.automata.logs import WHOLE, Missing
from choreomon.interaction.lifelines import is_single, known_mask
from choreomon.interaction.loop_heads import without_heads
from choreomon.interaction.normal import normal
from choreomon.interaction.session import require_current
from choreomon.interaction.term import Interaction, Operator, subterms
from choreomon.interaction.weakening import has_strict_like
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify.beam_search import BEAMS, ExactMode, Observed, Search
from choreomon.verify.budget import (
    CheckBudget,
    Exhausted,
    ShouldStop,
    TooMuchWork,
    at_most,
    checking,
)
from choreomon.verify.discrete import DiscreteLogs, are_discrete, discrete_logs
from choreomon.verify.global_traces import of_interaction
from choreomon.verify.lazy_automaton import LazyAutomaton
from choreomon.verify.marked_search import MarkedSearch
from choreomon.verify.parikh import Counts, counts
from choreomon.verify.synthesis import LONG
from choreomon.verify.verdict import Answer, Method, Verdict

KNOWN: Final = 4
UNKNOWN: Final = 10
"""Limits for discrete multi-traces of more than `LONG` actions: an automaton is asked after this
many layers for each action, or after one new residual for this many actions."""

AnySearch = TypeVar("AnySearch", bound=Search)


class Decision(NamedTuple):
    """A verdict, and the search that gave it: None if none was needed, or if an automaton decided.
    In the latter case `missing` is what logs may lack in the question that the automaton
    answered."""

    verdict: Verdict
    search: Search | MarkedSearch | None
    vertices: int
    missing: Missing | None = None


class ExactDecider:
    """Decider of multi-traces for one interaction and mode. It keeps what it learns, within bounds.
    Not thread-safe. Raises ValueError for an interaction of another session."""

    def __init__(self, interaction: Interaction, mode: ExactMode) -> None:
        require_current(interaction)
        self.interaction = interaction
        self.mode: ExactMode = mode
        self.automaton = LazyAutomaton()
        self.normal = normal(interaction)
        self.prefixes_are_multi = not has_strict_like(self.normal)
        """True if `prefix` allows all that `multiprefix` does: nothing is ordered strictly."""
        self._masks: dict[tuple[str, ...], int] = {}
        self._global = of_interaction(interaction, mode)

    @cached_property
    def has_wide_loop_heads(self) -> bool:
        """True if there is a `loopH` over several lifelines. Residuals do not know these: later
        iterations begin after the first action of the earlier ones."""
        return any(
            part.operator is Operator.LOOP_H and not is_single(part.lifelines)
            for part in subterms(self.normal)
        )

    @cached_property
    def _headless(self) -> Interaction:
        """The interaction with `loopW` for `loopH`: it accepts at least as much."""
        return normal(without_heads(self.normal))

    @cached_property
    def _counts(self) -> Counts | None:
        return counts(self.normal)

    def decide(self, multitrace: MultiTrace, should_stop: ShouldStop | None = None) -> Answer:
        """The verdict on a multi-trace over any partition."""
        check_budget = checking(should_stop)
        try:
            known = self._global.answer(multitrace, check_budget)
            if known is not None:
                return known._replace(method="exact")
            found = self.decision(multitrace, check_budget)
        except Exhausted as cut:
            return Answer(Verdict.INCONC, str(cut), method="exact")
        method: Method = "exact" if found.missing is None else "reduced"
        return Answer(found.verdict, "", found.vertices, method)

    def decision(self, multitrace: MultiTrace, check_budget: CheckBudget | None) -> Decision:
        """The verdict with the search that found it. Raises Exhausted."""
        parts = self.observed(multitrace)
        if parts is None:
            return Decision(Verdict.FAIL, None, 0)
        discrete = self.discrete if are_discrete(parts) else None
        if discrete is None:
            return self._searched(parts, check_budget, check_budget)
        length = sum(len(part.actions) for part in parts)
        if length > LONG:
            # Mostly the search goes straight through, through residuals that it knows, at a tenth
            # of the time and of the memory for each action.
            known = at_most(KNOWN * length, check_budget)
            with suppress(TooMuchWork):
                return self._searched(parts, known, at_most(length // UNKNOWN, check_budget))
        return self._of_discrete(parts, discrete, check_budget)

    def _searched(
        self,
        parts: list[Observed],
        check_budget: CheckBudget | None,
        check_unknown: CheckBudget | None,
    ) -> Decision:
        """Decide by the search; it calls `check_unknown` before it computes anything new."""
        self.automaton.checking(check_unknown)
        accept = self.search(parts, "accept", check_budget, Search)
        if self.mode == "accept":
            return self._accepted(accept, parts)
        question = self.search(parts, self.mode, check_budget, Search)
        if not question.is_possible:
            return Decision(Verdict.FAIL, question, 0)
        easier: Search | None = None
        found: Search | None = None
        confirmed: MarkedSearch | None = None
        for beam in BEAMS:
            if accept.attempt(beam):
                return Decision(Verdict.PASS, accept, accept.visited)
            if found is None:
                if self.mode == "slice":
                    easier = easier or self.search(parts, "multiprefix", check_budget, Search)
                if easier is not None and easier.attempt(beam):
                    found = easier
                elif question.attempt(beam):
                    found = question
                elif question.answer is False:
                    return Decision(Verdict.FAIL, question, question.visited)
                if found is not None and self.mode != "prefix" and self.has_wide_loop_heads:
                    # Yes only means that it would be one with `loopW`.
                    marked = MarkedSearch(self.automaton, parts, self.mode, check_budget)
                    if not marked.finds(self.normal):
                        return Decision(Verdict.FAIL, marked, marked.visited)
                    confirmed = marked
            if found is not None and self._is_refuted(accept, parts):
                return Decision(Verdict.WEAK_PASS, confirmed or found, found.visited)
        raise AssertionError("the widest beam drops nothing")

    @cached_property
    def discrete(self) -> DiscreteLogs | None:
        """Return the automaton that decides discrete multi-traces, if there is one. None for
        `prefix`, unless it means the same as `multiprefix`: if all logs stop at one moment, the
        order between lifelines counts."""
        if self.mode == "prefix" and not self.prefixes_are_multi:
            return None
        return discrete_logs(self.normal)

    def _of_discrete(
        self, parts: list[Observed], discrete: DiscreteLogs, check_budget: CheckBudget | None
    ) -> Decision:
        missing = WHOLE
        explained, cuts = discrete.decide(parts, missing, check_budget)
        verdict = Verdict.PASS
        if not explained and self.mode != "accept":
            missing = Missing(before=self.mode == "slice", after=True)
            explained, cuts = discrete.decide(parts, missing, check_budget)
            verdict = Verdict.WEAK_PASS
        return Decision(verdict if explained else Verdict.FAIL, None, cuts, missing)

    def _accepted(self, accept: Search, parts: list[Observed]) -> Decision:
        for beam in BEAMS:
            if accept.attempt(beam):
                return Decision(Verdict.PASS, accept, accept.visited)
            if self._is_refuted(accept, parts):
                break
        return Decision(Verdict.FAIL, accept, accept.visited)

    def _is_refuted(self, accept: Search, parts: list[Observed]) -> bool:
        """Tell by counting whether the multi-trace is certainly not accepted, before a wider beam
        is tried."""
        if accept.answer is None and self._counts is not None:
            may_be_accepted = self._counts.allow(part.actions for part in parts)
            accept.answer = None if may_be_accepted else False
        return accept.answer is False

    def search(
        self,
        parts: Sequence[Observed],
        mode: ExactMode,
        check_budget: CheckBudget | None,
        kind: type[AnySearch],
    ) -> AnySearch:
        """A search of one mode that has not begun."""
        if mode == "prefix" and self.prefixes_are_multi:
            # Moved behind all observed ones, what happens unobserved in the end may be left out.
            mode = "multiprefix"
        term = self.normal if mode in ("accept", "prefix") else self._headless
        return kind(self.automaton, term, parts, mode, check_budget)

    def observed(self, multitrace: MultiTrace) -> list[Observed] | None:
        """The components that have lifelines of the interaction; lifelines without a component form
        one silent component. None if something was recorded on other lifelines."""
        parts: list[Observed] = []
        known = self.normal.lifelines
        silent = known
        for lifelines, actions in multitrace.components:
            own = self._masks.get(lifelines)
            if own is None:
                own = self._masks[lifelines] = known_mask(lifelines) & known
            silent &= ~own
            if own:
                parts.append(Observed(own, actions))
            elif len(actions):
                return None
        if silent:
            parts.append(Observed(silent, ()))
        return parts


def decide_exact(
    interaction: Interaction,
    multitrace: MultiTrace,
    mode: ExactMode,
    should_stop: ShouldStop | None = None,
) -> Answer:
    """The verdict on one multi-trace. For many, keep an `ExactDecider`."""
    return ExactDecider(interaction, mode).decide(multitrace, should_stop)
