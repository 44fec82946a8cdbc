"""Multi-traces against an automaton: verdicts, and why.

The automaton stands for the global traces that it accepts. Of the modes those are answered that say
which actions logs may lack: none (`accept`), those after the last one of a component
(`multiprefix`), also those before its first one (`slice`). Verdicts are exact, as those of
`choreomon.verify.exact` are, and the same where the automaton is that of an interaction.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

from choreomon.automata.automaton import Automaton
from choreomon.automata.membership import WHOLE, Missing, membership
from choreomon.automata.witness import Place, reached
from choreomon.core.suggestion import closest
from choreomon.multitrace.multitrace import Component, MultiTrace
from choreomon.verify.budget import Exhausted, ShouldStop, checking
from choreomon.verify.explanation import Explanation, Obstacle, Reached
from choreomon.verify.verdict import Answer, Mode, Verdict
from choreomon.verify.witness import WitnessStep

AutomatonMode: TypeAlias = Literal["accept", "multiprefix", "slice"]

AUTOMATON_MODES: Final[tuple[AutomatonMode, ...]] = get_args(AutomatonMode)

MISSING: Final[dict[AutomatonMode, Missing]] = {
    "accept": WHOLE,
    "multiprefix": Missing(after=True),
    "slice": Missing(before=True, after=True),
}
"""What logs may lack."""


class AutomatonVerifier:
    """Decides multi-traces of one automaton in one mode. `should_stop` is for all multi-traces; it
    may be called very often. Raises ValueError for a mode that automata do not answer."""

    def __init__(
        self, automaton: Automaton, mode: Mode, *, should_stop: ShouldStop | None = None
    ) -> None:
        self.automaton = automaton
        self.mode = automaton_mode(mode)
        self._check_budget = checking(should_stop)

    def decide(self, multitrace: MultiTrace) -> Answer:
        """The verdict on a multi-trace, over any partition.

        Lifelines of the automaton that no component is about count as observed and silent; an
        action that is no letter never fits. `vertices` counts the cuts of the search that answered.
        """
        automaton, logs, check_budget = self.automaton, multitrace.components, self._check_budget
        try:
            whole = membership(automaton, logs, WHOLE, check_budget)
            if whole.explained:
                return Answer(Verdict.PASS, "", whole.cuts)
            if self.mode == "accept":
                return Answer(Verdict.FAIL, "", whole.cuts)
            found = membership(automaton, logs, MISSING[self.mode], check_budget)
        except Exhausted as cut:
            return Answer(Verdict.INCONC, str(cut))
        return Answer(Verdict.WEAK_PASS if found.explained else Verdict.FAIL, "", found.cuts)


def automaton_mode(mode: Mode) -> AutomatonMode:
    """The mode, if automata answer it. Raises ValueError where they do not."""
    for one in AUTOMATON_MODES:
        if one == mode:
            return one
    raise ValueError(f"automata answer {', '.join(AUTOMATON_MODES)}, and not {mode}")


def explain_by_automaton(
    automaton: Automaton,
    multitrace: MultiTrace,
    mode: Mode,
    *,
    should_stop: ShouldStop | None = None,
) -> Explanation:
    """A witness with the fewest actions, or how far the multi-trace can be explained.

    Raises ValueError as `automaton_mode`.
    """
    missing = MISSING[automaton_mode(mode)]
    logs = multitrace.components
    try:
        found = reached(automaton, logs, missing, checking(should_stop))
    except Exhausted as cut:
        return Explanation(Verdict.INCONC, None, None, str(cut))
    if found.word is None:
        failure = tuple(
            _reached(automaton, part, place) for part, place in zip(logs, found.places, strict=True)
        )
        return Explanation(Verdict.FAIL, None, failure)
    steps = tuple(WitnessStep(action, observed) for action, observed in found.word)
    verdict = Verdict.PASS if all(step.observed for step in steps) else Verdict.WEAK_PASS
    return Explanation(verdict, steps, None)


def _reached(automaton: Automaton, part: Component, place: Place) -> Reached:
    end = place.position
    if end == len(part.actions):
        return Reached(part, end, None, place.allowed)
    following = part.actions[end]
    obstacle: Obstacle | None = None
    meant = ""
    if following.lifeline not in automaton.lifelines:
        obstacle, meant = "lifeline", closest(following.lifeline, automaton.lifelines)
    elif following not in automaton.letter_numbers:
        there = [str(one) for one in automaton.letters if one.lifeline == following.lifeline]
        obstacle, meant = "action", closest(str(following), there)
    elif place.waits:
        obstacle = "others"
    return Reached(part, end, following, place.allowed, obstacle, meant)
