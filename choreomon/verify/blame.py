"""Finding the fault of a failed multi-trace (`choreomon.verify.fault`), by an automaton or by the
exact search.

With an automaton, the reduced form says whether a set of locations is unexplained, and local
verifiers and areas say which kind it is. An interaction without a small automaton is searched, and
so are very long logs; then there is no InterError, as there are no areas.

In the search, a location without a log is free if the mode allows logs to cease: all of its actions
may be missing. The mode `accept` does not allow that. There the interaction is followed by an end
action on each lifeline, which no log has. The logs of the chosen locations end with theirs, and the
question is whether they are a multi-prefix: they are one exactly if they are whole.

`prefix` asks whether all logs ceased at one moment, and of a single log that is what `multiprefix`
asks. So faults of `prefix`, and of `test`, which is explained as `prefix` is, are those of
`multiprefix`. If only the moment is wrong, the fault is that all logs together disagree.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

from choreomon.automata.automaton import Automaton
from choreomon.automata.logs import Log
from choreomon.automata.reduced import Reduced
from choreomon.automata.semi_centralized import (
    LocalVerifiers,
    has_path,
    intersection,
    locations_of,
)
from choreomon.core.action import emission
from choreomon.interaction.lifelines import names
from choreomon.interaction.term import Interaction, act, seq, subterms
from choreomon.multitrace.multitrace import Component, MultiTrace, multi_trace
from choreomon.verify.automaton_verifier import AUTOMATON_MODES, MISSING, automaton_mode
from choreomon.verify.beam_search import ExactMode
from choreomon.verify.budget import (
    CheckBudget,
    Exhausted,
    ShouldStop,
    TooMuchWork,
    at_most,
    checking,
)
from choreomon.verify.exact import ExactDecider
from choreomon.verify.explanation import EXPLAINED_AS
from choreomon.verify.fault import Fault, Location, pairs, smallest
from choreomon.verify.synthesis import LONG, small_automaton
from choreomon.verify.verdict import Mode

MOST_WORK: Final = 200_000
"""The most work for one fault: cuts, or vertices of the exact search."""

_END: Final = "end"


class Blame:
    """Finds faults of multi-traces of one interaction or automaton in one mode; what it learns is
    kept for the next multi-trace. `should_stop` is for all multi-traces. Not for several threads at
    once. Raises ValueError for a mode that an automaton does not answer."""

    def __init__(
        self,
        protocol: Interaction | Automaton,
        mode: Mode,
        *,
        should_stop: ShouldStop | None = None,
    ) -> None:
        self._check = checking(should_stop)
        self._by_search: _BySearch | None = None
        self._by_automaton: _ByAutomaton | None = None
        if isinstance(protocol, Automaton):
            self._by_automaton = _ByAutomaton(protocol, mode)
            return
        self._by_search = _BySearch(protocol, EXPLAINED_AS[mode])
        small = small_automaton(protocol) if mode in AUTOMATON_MODES else None
        if small is not None:
            self._by_automaton = _ByAutomaton(small, mode)

    def fault(self, multitrace: MultiTrace) -> Fault | None:
        """The fault of a multi-trace; None if it fits, or if none was found within `MOST_WORK` or
        before there was a reason to stop."""
        finder: _ByAutomaton | _BySearch | None = self._by_automaton
        if finder is None or (self._by_search is not None and multitrace.length > LONG):
            finder = self._by_search
        assert finder is not None
        try:
            return finder.fault(multitrace, at_most(MOST_WORK, self._check))
        except (Exhausted, TooMuchWork):
            return None


class _ByAutomaton:
    def __init__(self, automaton: Automaton, mode: Mode) -> None:
        self._automaton = automaton
        self._missing = MISSING[automaton_mode(mode)]
        self._verifiers = LocalVerifiers(automaton)
        self._reduced = Reduced(automaton, self._verifiers)

    def fault(self, multitrace: MultiTrace, check_budget: CheckBudget) -> Fault | None:
        self._verifiers.check_budget = self._reduced.check_budget = check_budget
        logs = multitrace.components
        every = locations_of(self._automaton, logs)
        locations = [tuple(lifelines) for lifelines, _ in every]
        areas = self._verifiers.areas(logs, self._missing)
        wrong = [one for one, area in zip(locations, areas, strict=True) if area is None]
        if wrong:
            return Fault("LocalError", tuple(wrong))
        if self._explained(every, range(len(every)), len(logs)):
            return None

        def unexplained(chosen: Sequence[int]) -> bool:
            return not self._explained(every, chosen, len(logs))

        if has_path(self._automaton, intersection(areas)):
            found = smallest(len(every), unexplained)
            return Fault("CentralError", tuple(locations[one] for one in found))
        failing = pairs(len(every), unexplained)
        found = failing[0] if failing else smallest(len(every), unexplained)
        told = tuple((locations[one], locations[other]) for one, other in failing)
        return Fault("InterError", tuple(locations[one] for one in found), told)

    def _explained(self, every: Sequence[Log], chosen: Sequence[int], told: int) -> bool:
        """Tell whether these locations are explained; those from `told` on have no log."""
        left = [name for n, (own, _) in enumerate(every) if n not in chosen for name in own]
        logs = [every[one] for one in chosen if one < told]
        return self._reduced.decide(logs, self._missing, free=left).explained


class _BySearch:
    def __init__(self, interaction: Interaction, mode: ExactMode) -> None:
        self._interaction = interaction
        self._mode: ExactMode = mode
        self._lifelines = names(interaction.lifelines)
        self._whole = ExactDecider(interaction, mode)

    def fault(self, multitrace: MultiTrace, check_budget: CheckBudget) -> Fault | None:
        multitrace = multi_trace(multitrace.components, self._lifelines)
        if self._whole.decision(multitrace, check_budget).verdict.passes:
            return None
        every = multitrace.components

        def unexplained(chosen: Sequence[int]) -> bool:
            logs = MultiTrace(tuple(self._asked(every[one]) for one in chosen))
            return not self._parts.decision(logs, check_budget).verdict.passes

        def told(chosen: Sequence[int]) -> tuple[Location, ...]:
            return tuple(every[one].lifelines for one in chosen)

        wrong = [one for one in range(len(every)) if unexplained([one])]
        if wrong:
            return Fault("LocalError", told(wrong))
        if self._mode == "prefix" and not unexplained(range(len(every))):
            return Fault("CentralError", told(range(len(every))))
        return Fault("CentralError", told(smallest(len(every), unexplained)))

    @cached_property
    def _parts(self) -> ExactDecider:
        """Make the decider for the logs of some locations, whatever happened at the others."""
        if self._mode != "accept":
            return ExactDecider(
                self._interaction, "slice" if self._mode == "slice" else "multiprefix"
            )
        ends = [act(emission(name, self._end)) for name in self._lifelines]
        return ExactDecider(seq(self._interaction, *ends), "multiprefix")

    @cached_property
    def _end(self) -> str:
        """A message that the interaction does not have."""
        known = {part.action.message for part in subterms(self._interaction) if part.action}
        end = _END
        while end in known:
            end += "'"
        return end

    def _asked(self, one: Component) -> Component:
        """A component as the question sees it when the others are free."""
        if self._mode != "accept":
            return one
        ends = [emission(name, self._end) for name in one.lifelines if name in self._lifelines]
        return Component(one.lifelines, (*one.actions, *ends))
