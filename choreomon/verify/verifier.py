"""The verifier for all modes: it chooses who decides.

The modes `test` and `simulate` are defined by the papers' search of a graph
(`choreomon.verify.papers`), and if you state how to search, that search decides the other modes,
too. If you do not, the exact mode behind these two is asked first (`BEHIND`): mostly it is enough,
and where it is not, one end of the graph is looked for instead of the best of all.

Questions about short logs of one lifeline each are first put to a search of their own
(`choreomon.verify.short_logs`). All others have exact answers, by a search
(`choreomon.verify.exact`) or by the interaction's automaton
(`choreomon.verify.automaton_verifier`). The automaton decides if you ask for one of its procedures,
or with `auto` if it can answer the mode, a log has several lifelines, and it is small: it is about
as quick in `accept` and several times as quick in the other modes (docs/adr/020-procedures.md).
Very long logs are always searched.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal

from choreomon.automata.centralized import MAX_STATES
from choreomon.interaction.session import require_current
from choreomon.interaction.term import Interaction
from choreomon.multitrace.multitrace import MultiTrace, multi_trace
from choreomon.verify.papers.options import Options, Reason
from choreomon.verify.short_logs import ShortDecider
from choreomon.verify.synthesis import LONG, small_automaton, synthesize
from choreomon.verify.verdict import Answer, Mode, Procedure, Verdict

# Whoever decides is imported only then.
if TYPE_CHECKING:
    from choreomon.verify.automaton_verifier import AutomatonVerifier
    from choreomon.verify.exact import ExactDecider
    from choreomon.verify.papers.engine import Searcher
    from choreomon.verify.papers.portfolio import Portfolio

BEHIND: Final[dict[Mode, tuple[Mode, Verdict, Verdict]]] = {
    "test": ("prefix", Verdict.FAIL, Verdict.INCONC),
    "simulate": ("slice", Verdict.WEAK_PASS, Verdict.WEAK_PASS),
}
"""The exact mode behind one that a search defines; its verdict of which only the search knows what
it is there; and the verdict at which that search may end, since it finds no better one."""


class Verifier:
    """Decides multi-traces of one interaction in one mode.

    - `options`: the options of the papers' search; None for exact verdicts.
    - `portfolio`: let the two searches that the removal paper advises take turns.
    - `procedure`: a procedure on automata, with at most `max_states` states; `auto`: one if that is
      quicker, otherwise the search; None: the search.
    - `should_stop`: for all multi-traces; may be called very often, so it should be quick.

    What it learns for one multi-trace is kept for the next, within bounds. Not for several threads
    at once. Raises ValueError if the options or the procedure do not fit the mode, TooLarge if a
    procedure is asked for and the interaction's automaton is too large for it.
    """

    def __init__(
        self,
        interaction: Interaction,
        mode: Mode,
        *,
        options: Options | None = None,
        portfolio: bool = False,
        procedure: Procedure | Literal["auto"] | None = None,
        max_states: int = MAX_STATES,
        should_stop: Callable[[], Reason | None] | None = None,
    ) -> None:
        self.interaction = interaction
        self.mode: Mode = mode
        self._should_stop = should_stop
        self._searcher: Searcher | Portfolio | None = None
        self._behind: Verifier | None = None
        self._exact: ExactDecider | None = None
        self._forced: AutomatonVerifier | None = None
        self._small: AutomatonVerifier | None = None
        self._short: ShortDecider | None = None
        self._tries_automaton = procedure == "auto"
        """Until there turns out to be no small one."""
        if procedure is not None and procedure != "auto":
            if options is not None or portfolio:
                raise ValueError(
                    f"{procedure} is about automata, which are not searched by options"
                )
            from choreomon.verify.automaton_verifier import AutomatonVerifier, automaton_mode

            automaton_mode(mode)
            self._forced = AutomatonVerifier(
                synthesize(interaction).automaton,
                mode,
                procedure=procedure,
                max_states=max_states,
                should_stop=should_stop,
            )
            return
        if options is None and not portfolio:
            if mode not in BEHIND:
                require_current(interaction)
                return
            behind, _, goal = BEHIND[mode]
            options = Options(goal=goal)
            self._behind = Verifier(
                interaction, behind, procedure=procedure, should_stop=should_stop
            )
        options = options or Options()
        if should_stop is not None:
            options = replace(options, should_stop=should_stop)
        self._searcher = _searcher(interaction, mode, options, portfolio=portfolio)

    def _automaton_for(self, multitrace: MultiTrace) -> AutomatonVerifier | None:
        """The verifier by an automaton, if that is the quickest way to decide the multi-trace."""
        if self._forced is not None:
            return self._forced
        several = len(multitrace.components) > 1
        if (
            not self._tries_automaton
            or self.mode == "prefix"
            or multitrace.is_discrete
            or (several and multitrace.length > LONG)
        ):
            return None
        if self._small is None:
            from choreomon.verify.automaton_verifier import AutomatonVerifier

            found = small_automaton(self.interaction)
            if found is None:
                self._tries_automaton = False
            else:
                self._small = AutomatonVerifier(found, self.mode, should_stop=self._should_stop)
        return self._small

    def _exact_decider(self) -> ExactDecider:
        if self._exact is None:
            from choreomon.verify.exact import ExactDecider

            assert self.mode != "test"
            assert self.mode != "simulate"
            self._exact = ExactDecider(self.interaction, self.mode)
        return self._exact

    def decide(self, multitrace: MultiTrace) -> Answer:
        """The verdict on a multi-trace, over any partition that the method allows.

        Lifelines of the interaction that no component is about count as observed and silent; an
        action that the interaction does not have never fits. Raises ValueError if lifeline removal
        is asked for and several lifelines share a clock.
        """
        if self._behind is not None:
            known = self._behind.decide(multitrace)
            if known.verdict is not BEHIND[self.mode][1]:
                # Of these only `simulate` has one to go on with: what is no slice is not found.
                fails = known.verdict is Verdict.FAIL
                return known._replace(verdict=Verdict.WEAK_FAIL) if fails else known
        if self._searcher is not None:
            result = self._searcher.search(multitrace)
            method = self._searcher.decided_by(multitrace)
            return Answer(result.verdict, result.reason, result.vertices, method)
        if self._forced is None:
            if self._short is None:
                self._short = ShortDecider(self.interaction, self.mode)
            brief = self._short.decide(multitrace, self._should_stop)
            if brief is None and multitrace.is_discrete and multitrace.length <= LONG:
                brief = self._patiently(multitrace, self._short)
            if brief is not None:
                return brief
        automaton = self._automaton_for(multitrace)
        if automaton is None:
            return self._exact_decider().decide(multitrace, self._should_stop)
        return automaton.decide(multi_trace(multitrace.components, automaton.automaton.lifelines))

    def _patiently(self, multitrace: MultiTrace, short: ShortDecider) -> Answer | None:
        """The answer of a longer search, if no automaton decides discrete multi-traces."""
        if not short.is_asked or self._exact_decider().discrete is not None:
            return None
        return short.decide(multitrace, self._should_stop, patiently=True)


def _searcher(
    interaction: Interaction, mode: Mode, options: Options, *, portfolio: bool
) -> Searcher | Portfolio:
    from choreomon.verify.papers.engine import Searcher
    from choreomon.verify.papers.portfolio import Portfolio, advised

    if options.method != "auto" and mode != "multiprefix":
        raise ValueError(
            f"the method {options.method} is for the mode multiprefix only; here it is {mode}"
        )
    if portfolio:
        return Portfolio(interaction, mode, advised(options))
    return Searcher(interaction, mode, options)
