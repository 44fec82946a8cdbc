"""Looking ahead in the logs of single lifelines: what is left of each must fit what it sees."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from choreomon.core.action import Action
from choreomon.interaction.lifelines import Mask, bit, each
from choreomon.interaction.term import Interaction
from choreomon.verify.lazy_automaton import LazyAutomaton, State
from choreomon.verify.residual import Residual

AHEAD: Final = 64
"""The most actions of a lifeline examined."""

NARROW: Final = 16
"""Larger states of a lifeline are not examined: they allow almost everything."""

KEPT: Final = 100_000
"""The most answers kept, at least one for each place of a log; with more, all are forgotten."""


class _Lifeline(NamedTuple):
    """The part of a component's log that is of one lifeline: the places of its actions in that
    log."""

    lifeline: Mask
    component: int
    places: array[int]
    actions: Sequence[Action]


class LookAhead:
    """Tells residuals that cannot lead to the end of the logs from those that may.

    - `complete`: where nothing may be left to do at the end of a log;
    - `before`: where something may have happened unobserved before the first action of one.
    """

    def __init__(
        self,
        automaton: LazyAutomaton,
        components: Sequence[tuple[Mask, Sequence[Action]]],
        *,
        complete: bool,
        before: bool,
    ) -> None:
        self._automaton = automaton
        self._complete = complete
        self._before = before
        self._known: dict[tuple[State, int, int], bool] = {}
        self._lifelines: list[_Lifeline] = []
        for number, (lifelines, actions) in enumerate(components):
            for one in each(lifelines):
                places = array(
                    "q", [at for at, action in enumerate(actions) if bit(action.lifeline) == one]
                )
                if places:
                    own = actions if len(places) == len(actions) else [actions[at] for at in places]
                    self._lifelines.append(_Lifeline(one, number, places, own))

    def fits(self, residual: Residual, places: Sequence[int]) -> bool:
        """Return False only if the residual cannot explain the rest of the logs from these places
        on."""
        projection = self._automaton.projection
        for number, place, begun in self._unfinished(places):
            state = projection(residual, self._lifelines[number].lifeline, begun)
            if not self._allows(state, number, place):
                return False
        return True

    def fits_interaction(self, term: Interaction, places: Sequence[int]) -> bool:
        """Tell whether each log fits the term as it is before anything happened."""
        for number, place, begun in self._unfinished(places):
            state = self._automaton.start(term, self._lifelines[number].lifeline, begun)
            if not self._allows(state, number, place):
                return False
        return True

    def _unfinished(self, places: Sequence[int]) -> Iterator[tuple[int, int, bool]]:
        """The lifelines with something left in their logs: the place, and whether something may
        have happened before it."""
        for number, (_, component, own_places, actions) in enumerate(self._lifelines):
            place = bisect_left(own_places, places[component])
            if place < len(actions):
                yield number, place, self._before and not places[component]

    def _allows(self, state: State, number: int, place: int) -> bool:
        known = self._known
        if len(known) > KEPT:
            known.clear()
        actions = self._lifelines[number].actions
        stop = min(len(actions), place + AHEAD)
        walked: list[tuple[State, int, int]] = []
        here: State | None = state
        while True:
            if here is None:
                answer = False
                break
            key = (here, number, place)
            if key in known:
                answer = known[key]
                break
            if place == len(actions):
                answer = here.terminates or not self._complete
                break
            if place == stop or len(here.residuals) > NARROW:
                # Not for the places examined last: too few actions behind them were examined.
                del walked[1 + len(walked) // 2 :]
                answer = True
                break
            walked.append(key)
            here = self._automaton.next(here, actions[place])
            place += 1
        for key in walked:
            known[key] = answer
        return answer
