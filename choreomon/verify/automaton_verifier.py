"""Multi-traces against an automaton: verdicts, and why.

The automaton stands for the global traces that it accepts. It answers the modes that say which
actions logs may lack: none (`accept`), those after the last action of a component (`multiprefix`),
also those before its first one (`slice`). Verdicts are exact, as those of `choreomon.verify.exact`
are, and the same where the automaton is that of an interaction.

Three procedures decide: the two of the automata paper, and the reduced form of the first one, which
is the quickest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from choreomon.automata.automaton import Automaton
from choreomon.automata.centralized import MAX_STATES, centralized
from choreomon.automata.logs import WHOLE, Decided, Missing
from choreomon.automata.reduced import Reduced
from choreomon.automata.semi_centralized import LocalVerifiers
from choreomon.core.errors import BudgetExceeded
from choreomon.core.suggestion import closest
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify.budget import Exhausted, ShouldStop, checking
from choreomon.verify.global_traces import of_automaton
from choreomon.verify.verdict import Answer, Mode, Procedure, Verdict

if TYPE_CHECKING:
    from choreomon.automata.witness import Place
    from choreomon.multitrace.multitrace import Component
    from choreomon.verify.explanation import Explanation, Obstacle, Reached

AutomatonMode: TypeAlias = Literal["accept", "multiprefix", "slice"]

AUTOMATON_MODES: Final[tuple[AutomatonMode, ...]] = get_args(AutomatonMode)

MISSING: Final[dict[AutomatonMode, Missing]] = {
    "accept": WHOLE,
    "multiprefix": Missing(after=True),
    "slice": Missing(before=True, after=True),
}
"""The actions that logs may lack, by mode."""


class AutomatonVerifier:
    """Decides multi-traces of one automaton in one mode.

    - `procedure`: what decides. The paper's procedures may need many states: if they would build
      more than `max_states`, the answer is Inconc, `TooManyStates`;
    - `should_stop`: for all multi-traces; may be called very often;
    - `reorders`: as of `choreomon.automata.reduced`.

    What it learns of the automaton for one multi-trace is kept for the next, within bounds. Not for
    several threads at once. Raises ValueError for a mode that automata do not answer.
    """

    def __init__(
        self,
        automaton: Automaton,
        mode: Mode,
        *,
        procedure: Procedure = "reduced",
        max_states: int = MAX_STATES,
        should_stop: ShouldStop | None = None,
        reorders: bool = True,
    ) -> None:
        self.automaton = automaton
        self.mode = automaton_mode(mode)
        self.procedure: Procedure = procedure
        self.max_states = max_states
        self._check_budget = checking(should_stop)
        self._global = of_automaton(automaton, self.mode)
        self._verifiers = LocalVerifiers(automaton, self._check_budget)
        self._reduced = Reduced(automaton, self._verifiers, self._check_budget, reorders=reorders)

    def decide(self, multitrace: MultiTrace) -> Answer:
        """The verdict on a multi-trace, over any partition.

        Lifelines of the automaton that no component is about count as observed and silent; an
        action that is no letter never fits. `vertices` counts the states or cuts that were visited
        for the question that was answered last.
        """
        if self.procedure == "reduced" and (known := self._global.answer(multitrace)) is not None:
            return known._replace(method="reduced")
        try:
            verdict, visited = self._verdict(multitrace)
        except Exhausted as cut:
            return Answer(Verdict.INCONC, str(cut), method=self.procedure)
        except BudgetExceeded:
            return Answer(Verdict.INCONC, "TooManyStates", method=self.procedure)
        return Answer(verdict, "", visited, self.procedure)

    def _verdict(self, multitrace: MultiTrace) -> tuple[Verdict, int]:
        whole = self._decided(multitrace, WHOLE)
        if whole.explained:
            return Verdict.PASS, whole.visited
        if self.mode == "accept":
            return Verdict.FAIL, whole.visited
        found = self._decided(multitrace, MISSING[self.mode])
        return Verdict.WEAK_PASS if found.explained else Verdict.FAIL, found.visited

    def _decided(self, multitrace: MultiTrace, missing: Missing) -> Decided:
        logs = multitrace.components
        if self.procedure == "reduced":
            return self._reduced.decide(logs, missing)
        if self.procedure == "semi-centralized":
            found = self._verifiers.decide(logs, missing, limit=self.max_states)
            return Decided(found.error is None, found.states)
        return centralized(
            self.automaton,
            logs,
            missing,
            limit=self.max_states,
            check_budget=self._check_budget,
        )


def automaton_mode(mode: Mode) -> AutomatonMode:
    """Return the mode if automata can answer it. Raises ValueError otherwise."""
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
    from choreomon.automata.witness import reached
    from choreomon.verify.explanation import UNKNOWN, Explanation, ranked
    from choreomon.verify.witness import WitnessStep

    missing = MISSING[automaton_mode(mode)]
    logs = multitrace.components
    try:
        found = reached(automaton, logs, missing, checking(should_stop))
    except Exhausted as cut:
        return Explanation(Verdict.INCONC, None, None, str(cut))
    if found.word is None:
        failure = [
            _reached(automaton, part, place) for part, place in zip(logs, found.places, strict=True)
        ]
        alone = [one.obstacle in UNKNOWN for one in failure]
        return Explanation(Verdict.FAIL, None, ranked(failure, alone))
    steps = tuple(WitnessStep(action, observed) for action, observed in found.word)
    verdict = Verdict.PASS if all(step.observed for step in steps) else Verdict.WEAK_PASS
    return Explanation(verdict, steps, None)


def _reached(automaton: Automaton, part: Component, place: Place) -> Reached:
    from choreomon.verify.explanation import Reached

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
