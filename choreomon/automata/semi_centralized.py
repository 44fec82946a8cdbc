"""The semi-centralized procedure: Algorithms 2 and 3 of the automata paper, to the letter.

First each log alone, by the verifier of its location (`choreomon.automata.local_view`): a wrong one
is a LocalError. Each right one has an area, the edges that it may have taken. If no accepted word
of the automaton is left within all areas (Definition 9), that is an InterError. Otherwise the
centralized procedure decides within them: Pass or CentralError.

Lifelines that no log is about are locations where nothing happened.

Deviations: all logs that are wrong are named, not the first one. A sub-automaton without edges
keeps its initial states, otherwise the empty word would be lost. The states of verifiers are
computed when logs lead there; `SemiCentralized.prepare` finds all of them first, as the paper does.
Logs may lack letters (`choreomon.automata.logs.Missing`), which then are free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from choreomon.automata.automaton import Automaton, members
from choreomon.automata.centralized import MAX_STATES, centralized
from choreomon.automata.local_view import Edges, LocalView
from choreomon.automata.logs import WHOLE, Log, Missing, coded, letters_on

MOST_LOCATIONS: Final = 1_000
"""The most locations whose verifiers are kept."""

Kind: TypeAlias = Literal["LocalError", "InterError", "CentralError"]


class SemiCentralized(NamedTuple):
    """The answer of the procedure: the kind of the error, None for Pass. `wrong` are the locations
    with a LocalError, by their places in `locations_of`; `states` counts those that the central
    check built."""

    error: Kind | None
    wrong: tuple[int, ...]
    states: int


class LocalVerifiers:
    """The local verifiers of an automaton; what one learns for a log is kept for the next, within
    bounds. `check_budget` is called now and then; it may raise, to stop. Not for several threads at
    once."""

    def __init__(
        self, automaton: Automaton, check_budget: Callable[[], None] | None = None
    ) -> None:
        self.automaton = automaton
        self.check_budget = check_budget
        self._views: dict[tuple[str, ...], LocalView] = {}

    def at(self, lifelines: Sequence[str]) -> LocalView:
        """The verifier of the location of these lifelines."""
        key = tuple(lifelines)
        known = self._views.get(key)
        if known is None:
            if len(self._views) == MOST_LOCATIONS:
                self._views.clear()
            known = LocalView(self.automaton, letters_on(self.automaton, key))
            self._views[key] = known
        known.forget()
        return known

    def prepare(self, locations: Iterable[Sequence[str]], limit: int | None = None) -> None:
        """Finds all states of the verifiers of these locations. Raises BudgetExceeded where one
        has more than `limit`."""
        for lifelines in locations:
            self.at(lifelines).complete(limit)

    def decide(
        self,
        logs: Sequence[Log],
        missing: Missing = WHOLE,
        *,
        limit: int = MAX_STATES,
    ) -> SemiCentralized:
        """Decide logs, and tell what is wrong with them. Raises BudgetExceeded if the central check
        would build more than `limit` states."""
        areas = self.areas(logs, missing)
        wrong = tuple(place for place, area in enumerate(areas) if area is None)
        if wrong:
            return SemiCentralized("LocalError", wrong, 0)
        inter = intersection(areas)
        if not has_path(self.automaton, inter):
            return SemiCentralized("InterError", (), 0)
        found = centralized(
            self.automaton, logs, missing, limit=limit, within=inter, check_budget=self.check_budget
        )
        return SemiCentralized(None if found.explained else "CentralError", (), found.visited)

    def areas(self, logs: Sequence[Log], missing: Missing = WHOLE) -> list[Edges | None]:
        """The edges that each location (`locations_of`) may have taken, None if its log is wrong by
        itself."""
        told = len(logs)
        return [
            self._area(log, missing if place < told else WHOLE)
            for place, log in enumerate(locations_of(self.automaton, logs))
        ]

    def _area(self, log: Log, missing: Missing) -> Edges | None:
        lifelines, actions = log
        word = coded(self.automaton, actions)
        if word is None:
            return None
        view = self.at(lifelines)
        path = view.path(word, missing, self.check_budget)
        if path is None or not view.accepts(path[-1]):
            return None
        return view.area(word, path, missing)


def locations_of(automaton: Automaton, logs: Sequence[Log]) -> list[Log]:
    """The logs, and an empty one for each other lifeline. The empty ones always count as whole."""
    told = {name for lifelines, _ in logs for name in lifelines}
    return [*logs, *(((name,), ()) for name in automaton.lifelines if name not in told)]


def intersection(areas: Iterable[Edges | None]) -> Edges:
    """The edges that are in all of these."""
    found = -1
    for area in areas:
        if area is not None:
            found &= area
    return found


def has_path(automaton: Automaton, edges: Edges) -> bool:
    """Tell whether a path of these edges leads from an initial state to a final one."""
    pending = list(members(automaton.initial))
    seen = set(pending)
    final = automaton.final
    while pending:
        state = pending.pop()
        if final >> state & 1:
            return True
        there = automaton.outgoing[state]
        taken = edges >> there.start & (1 << len(there)) - 1
        for place in members(taken):
            target = automaton.edges[there.start + place].target
            if target not in seen:
                seen.add(target)
                pending.append(target)
    return False
