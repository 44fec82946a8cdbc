"""Finds how far logs can be explained that cannot be explained whole.

First, cut off what a component alone shows to be impossible; if the rest is explained, that is all.
Otherwise the search that decides finds the furthest places: where it ends, cut off the component
that cannot go on, and continue from that layer with the others, until each is explained or cut off.
Then no component can be explained by one more action, as far as the beam tells. A further search,
from shortly before the cut, finds the actions that would have been possible there.

Residuals take `loopW` for a `loopH` over several lifelines, so they may explain too much. With such
loops `choreomon.verify.marked_search` confirms every yes; what it does not confirm is cut shorter.

For `prefix` the cuts are projected prefixes, for other modes what the mode says. If there are
several furthest places, `choreomon.verify.readings` compares them; not for `prefix` of interactions
that order strictly, where part of an explained multi-trace need not be explained.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from choreomon.core.action import Action
from choreomon.verify.beam_search import (
    WIDTHS,
    Beam,
    Cluster,
    ExactMode,
    Layer,
    Observed,
    Places,
    Search,
)
from choreomon.verify.budget import CheckBudget, TooMuchWork, at_most
from choreomon.verify.exact import ExactDecider
from choreomon.verify.lazy_automaton import State
from choreomon.verify.marked_search import MarkedSearch
from choreomon.verify.readings import readings

NARROW: Final = Beam(WIDTHS[0])
WIDE: Final = Beam(WIDTHS[1])
"""The beam for furthest places: wide enough to go on if the smallest residual is not the right one,
at sixteen times the price if residuals are many."""

MOST_VISITED: Final = 20_000
MOST_LOOKS: Final = 20_000
"""The most vertices visited, and the most checks of the budget, to compare readings: some tenths of
a second. A decision once begun is completed."""


class _SnapshotSearch(Search):
    """A search that remembers the last layer before each component reached its end."""

    snapshots: dict[int, Layer]
    has_dropped: bool
    """True if a search resumed from a snapshot cannot be trusted when it says no."""

    def first_layer(self, state: State) -> Layer:
        layer = super().first_layer(state)
        self.has_dropped = False
        self.snapshots = dict.fromkeys(range(len(self.end)), layer)
        self._unfinished = [*range(len(self.end))]
        return layer

    def passed(self, before: Layer, after: Layer) -> None:
        for component in [*self._unfinished]:
            end = self.end[component]
            if any(places[component] == end for places in before):
                self._unfinished.remove(component)
            else:
                self.snapshots[component] = before

    def narrowed(self, layer: Layer) -> Layer:
        self.has_dropped = True
        return super().narrowed(layer)


class _CuttingSearch(_SnapshotSearch):
    """Search that cuts a component off where it gets stuck."""

    looks_ahead = False

    def reach(self) -> Places:
        """The furthest places; from then on they are the ends of the logs of this search."""
        start = self.first_residual()
        assert start is not None
        self.beam = WIDE
        layer = self.first_layer(self.automaton.state([start]))
        while not self.run(layer):
            layer = self._cut_off()
        self.answer = True
        return self.end

    def _cut_off(self) -> Layer:
        """The last layer, at one of its places, with the components that get no further cut off
        there."""
        candidates = [
            (places, cluster, self._stuck(places, cluster)) for places, cluster in self.last.items()
        ]
        # Where somebody goes on without those that are cut off, more is explained in the end.
        places, cluster, stuck = min(
            candidates,
            key=lambda one: (len(one[2]) == self._to_go(one[0]), one[1].state.size, one[0]),
        )
        self.has_dropped |= len(candidates) > 1
        for component in stuck:
            self.end = (*self.end[:component], places[component], *self.end[component + 1 :])
        unobserved = self.unobserved(places)
        state = cluster.state
        if unobserved != cluster.unobserved:
            opened = self.automaton.residuals.opened
            state = self.automaton.state({opened(one, unobserved) for one in state.residuals})
        return {places: Cluster(state, cluster.last, unobserved)}

    def _to_go(self, places: Places) -> int:
        return sum(place < end for place, end in zip(places, self.end, strict=True))

    def _stuck(self, places: Places, cluster: Cluster) -> list[int]:
        """Return the components that cannot go on, whatever the others do first; if none is known
        to be stuck, all unfinished ones."""
        alone = self._to_go(places) == 1
        unfinished = [n for n, place in enumerate(places) if place < self.end[n]]
        stuck: list[int] = []
        for component in unfinished:
            place = places[component]
            how = self.observation(component, cluster.unobserved, ends=False)
            action = self.components[component].actions[place]
            reached, persistent = self.automaton.move(cluster.state, action, how)
            if reached is None and (alone or (persistent and (place or not self.before))):
                stuck.append(component)
        return stuck or unfinished


class Furthest:
    """The furthest places of the logs of a multi-trace in one mode."""

    def __init__(
        self,
        decider: ExactDecider,
        parts: Sequence[Observed],
        mode: ExactMode,
        check_budget: CheckBudget | None,
    ) -> None:
        self._decider = decider
        self._mode = mode
        self._check_budget = check_budget
        self._is_confirmed = mode != "prefix" and decider.has_wide_loop_heads
        self._parts = parts
        alone = decider.search(parts, mode, check_budget, Search).alone
        self.most = [alone(part)[0] if len(part.actions) else 0 for part in parts]
        """The number of actions of each part that are explained by themselves."""
        self.places = [*self.most]
        """The number of actions of each part that are explained together with those of others."""
        self._cut: list[Observed] = []
        self._wide: _SnapshotSearch | None = None
        self._whole = self._cut_off()
        if self._whole.answer is not True:
            cutting = decider.search(self._cut, mode, check_budget, _CuttingSearch)
            reached = cutting.reach()
            places = iter(reached)
            self.places = [next(places) if len(part.actions) else 0 for part in self._cut]
            if all(reached) and not cutting.afterwards:
                self._whole, self._cut = cutting, self._up_to(self.places)
            else:  # one without actions is no component; after its end one is not observed
                self._whole = self._cut_off()
        if self._is_confirmed and not self.is_explained(self._cut):
            self._shorten()
            self._whole = self._cut_off()
        while self._goes_further():
            self._whole = self._cut_off()
        self.others: list[Places] = []
        """Other furthest places found, best first."""
        if self.places != self.most and (mode != "prefix" or decider.prefixes_are_multi):
            self._choose()

    def _choose(self) -> None:
        """Choose the best of several readings."""
        logs = [part.actions for part in self._parts]
        chosen, *self.others = readings(logs, self.most, tuple(self.places), self._oracle())
        if chosen != tuple(self.places):
            self.places = [*chosen]
            self._whole = self._cut_off()
            while self._goes_further():  # where a wide beam was too narrow for a question
                self._whole = self._cut_off()

    def _oracle(self) -> Callable[[Places], bool]:
        """A predicate: these prefixes of the parts are explained together, as far as a wide beam
        tells. It raises TooMuchWork."""
        done = 0
        known: dict[Places, bool] = {}
        check_budget = at_most(MOST_LOOKS, self._check_budget)

        def explained(places: Places) -> bool:
            nonlocal done
            if places not in known:
                if done > MOST_VISITED:
                    raise TooMuchWork
                parts = self._up_to(places)
                search = self._decider.search(parts, self._mode, check_budget, Search)
                found = search.attempt(NARROW)
                if found is None:
                    found = search.attempt(WIDE)
                done += search.visited
                known[places] = bool(found) and (not self._is_confirmed or self.is_explained(parts))
            return known[places]

        return explained

    def _up_to(self, places: Sequence[int]) -> list[Observed]:
        return [
            part._replace(actions=part.actions[:place])
            for part, place in zip(self._parts, places, strict=True)
        ]

    def is_explained(self, parts: Sequence[Observed]) -> bool:
        """Tell whether the parts satisfy the mode, with `loopH` as it is."""
        search = MarkedSearch(self._decider.automaton, parts, self._mode, self._check_budget)
        return search.finds(self._decider.normal)

    def _shorten(self) -> None:
        """Cut all parts to an equal length that is explained. This works since any part of an
        explained log is explained."""
        most = max(self.places)
        equal = bisect_left(
            range(1, most + 1), True, key=lambda length: not self._is_explained_to(length)
        )
        self.places = [min(place, equal) for place in self.places]

    def _is_explained_to(self, length: int) -> bool:
        return self.is_explained(self._up_to([min(place, length) for place in self.places]))

    def _cut_off(self) -> _SnapshotSearch:
        self._cut = self._up_to(self.places)
        self._wide = None
        whole = self._decider.search(self._cut, self._mode, self._check_budget, _SnapshotSearch)
        if whole.attempt(NARROW) is None:
            whole.attempt(WIDE)
        return whole

    def _cut_off_in_wide_beam(self) -> _SnapshotSearch:
        if self._wide is None:
            search = self._decider.search
            self._wide = search(self._cut, self._mode, self._check_budget, _SnapshotSearch)
            self._wide.attempt(WIDE)
        return self._wide

    def _goes_further(self) -> bool:
        """Extends a part by actions that can be explained as well: if only wrong orders were tried,
        some may be left."""
        for number, (place, most) in enumerate(zip(self.places, self.most, strict=True)):
            rest = self._parts[number].actions[place:most]
            if len(rest) and self._goes_on(number, rest[:1]):
                # As far as possible, as found by bisection.
                more = bisect_left(
                    range(2, len(rest) + 1), True, key=lambda n: not self._goes_on(number, rest[:n])
                )
                self.places[number] += 1 + more
                return True
        return False

    def allowed(self, part: int, alphabet: Iterable[Action]) -> list[Action]:
        """The actions among these that would have been possible at the place of a part."""
        return [action for action in alphabet if self._goes_on(part, [action])]

    def waits_for_others(self, part: int, alphabet: Iterable[Action]) -> bool:
        """Tell whether one of these actions would be possible for a part if other parts had done
        more, judging by this part alone."""
        own = self._cut[part]
        if not self._decider.normal.lifelines & ~own.lifelines:
            return False
        return any(
            self._decider.search(
                [own._replace(actions=(*own.actions, action))],
                self._mode,
                self._check_budget,
                Search,
            ).is_possible
            for action in alphabet
        )

    def _goes_on(self, part: int, more: Sequence[Action]) -> bool:
        """Tell whether a part can be explained with more actions, with the others as they are
        cut."""
        own = self._cut[part]
        longer = [*self._cut]
        longer[part] = own._replace(actions=(*own.actions, *more))
        if not self._may_be_explained(part, longer):
            return False
        return not self._is_confirmed or self.is_explained(longer)

    def _may_be_explained(self, part: int, longer: Sequence[Observed]) -> bool:
        own = self._cut[part]
        search = self._decider.search(longer, self._mode, self._check_budget, Search)
        if not search.is_possible:
            return False
        if not own.actions or not self._whole.answer:
            return bool(search.attempt(WIDE))
        # The way up to a snapshot is the same.
        component = sum(1 for one in self._cut[:part] if one.actions)
        for beam in (NARROW, WIDE):
            whole = self._whole if beam is NARROW else self._cut_off_in_wide_beam()
            search.beam = beam
            found = search.run(whole.snapshots[component])
            if found:
                return True
            if found is False and not whole.has_dropped:
                return False
        return False
