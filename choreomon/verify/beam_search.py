"""Beam search: over what may remain of an interaction, and how much of every log is explained.

A vertex is a residual with the places reached in the logs. The search goes through layers: the
vertices of a layer have explained equally many actions. Vertices at the same places are one state
of the lazy automaton, so with one clock for everything the search is a walk through that automaton.
Logs are explained once the search reaches their end.

- Among the components that could go on, one whose action is a persistent set is enough; the search
  takes the one that leaves the fewest and smallest residuals. Otherwise it tries each of them. With
  more than `MANY` components left, it looks first at the one whose next action stands in the fewest
  places, and the first persistent one is enough.
- Residuals that the rest of some lifeline's log does not fit are dropped (`look_ahead`).
- A layer keeps `width` residuals, the smallest ones of each place first: a beam search. So a yes is
  always right, and a no is right if nothing was dropped. `BEAMS` are tried one after the other
  until there is an answer.

Terms grow where one component runs ahead of the others. Once the smallest way to go on is larger
than twice the interaction, all components are tried in a beam, not only a persistent one: the
smallest residuals are left by those who are behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import inf
from operator import ge
from typing import Final, Literal, NamedTuple, TypeAlias

from choreomon.core.action import Action
from choreomon.interaction.lifelines import NONE, Mask
from choreomon.interaction.step import prune
from choreomon.interaction.term import Interaction
from choreomon.verify.budget import CheckBudget
from choreomon.verify.lazy_automaton import LazyAutomaton, Observation, State
from choreomon.verify.look_ahead import AHEAD, NARROW, LookAhead
from choreomon.verify.occurrences import occurrences
from choreomon.verify.residual import Residual

ExactMode: TypeAlias = Literal["accept", "prefix", "multiprefix", "slice"]

WIDTHS: Final = (1, 16, 256, None)
"""Residuals that a layer keeps, in successive attempts; None: all of them."""


class Beam(NamedTuple):
    """A beam: a search keeps at most `width` residuals of a layer. `eager` is for slices: try all
    components until each has begun, and prefer places where more have. So logs begin as early as
    they may, and little happens unobserved before."""

    width: int | None
    eager: bool = False


BEAMS: Final = (Beam(1, eager=True), *map(Beam, WIDTHS))
"""Beams tried for a decision, in this order."""

REMEMBERED: Final = 100_000
"""The most residuals, states and projections held, about a thousand bytes each; with more, all but
those of the current layer are forgotten."""

MANY: Final = 8
"""With more unfinished components than this, the search does not look at all of them for the best
one to go on with."""

STRETCH: Final = 1_000
"""Actions of one component in a row, between two looks at the budget and at what is held."""


class Observed(NamedTuple):
    """The record of one clock: the interaction's lifelines it is about, and the actions."""

    lifelines: Mask
    actions: Sequence[Action]


Places: TypeAlias = tuple[int, ...]
"""The number of explained actions, for each component with actions."""


class Cluster(NamedTuple):
    """The vertices of a layer at the same places: what may remain, which component moved last, and
    on which lifelines something may happen unobserved."""

    state: State
    last: int
    unobserved: Mask


Layer: TypeAlias = dict[Places, Cluster]


class Search:
    """Decides whether logs are explained in one mode. Not for several threads at once.

    `mode` belongs to the question, `beam` to the attempt that answered it; `answer` is None until
    then, and the width -1 before the first attempt. `last` is the last layer with anything in it.
    """

    def __init__(
        self,
        automaton: LazyAutomaton,
        term: Interaction,
        parts: Sequence[Observed],
        mode: ExactMode,
        check_budget: CheckBudget | None = None,
    ) -> None:
        self.automaton = automaton
        self.complete = mode == "accept"
        self.before = mode == "slice"
        self.afterwards = mode in ("slice", "multiprefix")
        self.components = [part for part in parts if len(part.actions)]
        self.answer: bool | None = None
        self.visited = 0
        self.end: Places = tuple([len(part.actions) for part in self.components])
        self.last: Layer = {}
        self.mode: ExactMode = mode
        self.beam = Beam(-1)
        self._check_budget = check_budget
        self._term = term
        self._silent = NONE
        for part in parts:
            if not len(part.actions):
                self._silent |= part.lifelines
        self._large = 2 * term.size
        self._look_ahead: LookAhead | None = None
        self._observations: dict[tuple[int, Mask, bool], Observation] = {}

    def attempt(self, beam: Beam) -> bool | None:
        """Decides whether the logs are explained; None if this beam is too narrow to tell."""
        width, eager = beam
        if len(self.components) == 1:
            # Nothing is chosen but residuals, and a few of them cost next to nothing.
            beam = Beam(None if width is None else max(width, NARROW))
        elif eager and not self.before:
            beam = Beam(width)
        if self.answer is None and beam != self.beam:
            self.beam = beam
            start = self.first_residual() if self.is_possible else None
            if start is None:
                self.answer = False
            else:
                self.answer = self.run(self.first_layer(self.automaton.state([start])))
        return self.answer

    # --- before the search ------------------------------------------------------------------------

    @cached_property
    def is_possible(self) -> bool:
        """Decides whether each component alone may be explained: a necessary condition. A component
        that sees everything is skipped: analyzing it would be the search itself."""
        for part in self.components:
            if self._term.lifelines & ~part.lifelines:
                most, last = self.alone(part)
                if most < len(part.actions):
                    return False
                if last is not None and self.complete and not last.terminates:
                    return False
        return True

    def alone(self, part: Observed) -> tuple[int, State | None]:
        """The most actions of a component that may be explained, judged by this component alone,
        and the state after them. The state is None if the walk ended at a state with more than
        `NARROW` residuals, or at one that grows: then nothing is known of the rest."""
        automaton = self.automaton
        state = automaton.start(self._term, part.lifelines, self.before)
        for place, action in enumerate(part.actions):
            known = state.next
            reached = known[action] if action in known else automaton.next(state, action)
            if reached is None:
                return place, state
            state = reached
            if len(state.residuals) > NARROW or state.size > self._large:
                return len(part.actions), None
        return len(part.actions), state

    def first_residual(self) -> Residual | None:
        """The residual before the first action; None where a silent lifeline would have to act."""
        term: Interaction | None = self._term
        if self.complete and self._silent:
            term = prune(self._term, self._silent)
            if term is None:
                return None
        assert term is not None
        residuals = self.automaton.residuals
        free = self.unobserved((0,) * len(self.end))
        return residuals.opened(residuals.plain(term), free)

    def unobserved(self, places: Places) -> Mask:
        """The lifelines on which something may happen unobserved at these places."""
        if not self.afterwards:
            return NONE
        found = self._silent
        for (lifelines, _), place, end in zip(self.components, places, self.end, strict=True):
            if place == end or (self.before and not place):
                found |= lifelines
        return found

    def first_layer(self, state: State) -> Layer:
        """Return the layer in which nothing is explained yet and `state` may remain."""
        places = (0,) * len(self.end)
        return {places: Cluster(state, 0, self.unobserved(places))}

    # --- what subclasses change -------------------------------------------------------------------

    goes_straight = True
    """True if layers may be skipped where there is nothing to choose."""

    looks_ahead = True
    """True if residuals that cannot lead to the end of the logs may be dropped."""

    def passed(self, before: Layer, after: Layer) -> None:
        """Called with every layer and the next one, skipped layers excepted."""

    # --- layers -----------------------------------------------------------------------------------

    def run(self, layer: Layer) -> bool | None:
        """Search from a layer to the end of the logs; None if the search dropped something on the
        way and did not reach the end."""
        dropped = False
        width, eager = self.beam
        remaining = sum(self.end) - sum(next(iter(layer)))
        while remaining:
            if self.automaton.remembered > REMEMBERED:
                layer = self._forgetting(layer)
            self.last = layer
            if len(layer) == 1 and self.goes_straight:
                layer, steps = self._straight(layer, remaining)
                if steps:
                    if self._check_budget is not None:
                        self._check_budget()
                    remaining -= steps
                    self.visited += steps
                    continue
            remaining -= 1
            self.visited += len(layer)
            layer = self._next_layer(layer)
            if eager:
                begun = self._begun(layer)
                dropped |= begun is not layer
                layer = begun
            count = _count(layer)
            if self.looks_ahead and width is not None and count > width:
                layer = self.fitting(layer)
                count = _count(layer)
            if not layer:
                return None if dropped else False
            if width is not None and count > width:
                dropped = True
                layer = self.narrowed(layer)
            self.passed(self.last, layer)
        self.last = layer
        if not self.complete or any(cluster.state.terminates for cluster in layer.values()):
            return True
        return None if dropped else False

    def _straight(self, layer: Layer, remaining: int) -> tuple[Layer, int]:
        """Follow the component that moved last as long as this leaves no more residuals than before
        and nothing begins or ends: `_moves` would choose the same, but look at the others, too."""
        ((places, cluster),) = layer.items()
        state, component, unobserved = cluster
        place = places[component]
        stop = min(self.end[component] - 1, place + STRETCH)
        if place >= stop or not place or (self.beam.eager and 0 in places):
            return layer, 0
        actions = self.components[component].actions
        how = self.observation(component, unobserved, ends=False)
        move = self.automaton.move
        large = self._large
        most: float = len(state.residuals)
        alone = remaining == self.end[component] - place
        if alone:
            # Nobody else has anything left: there is nothing to choose.
            most = inf if self.beam.width is None else self.beam.width
        while place < stop:
            action = actions[place]
            try:
                reached, persistent = state.moves[how][action]
            except KeyError:
                reached, persistent = move(state, action, how)
            if reached is None or len(reached.residuals) > most:
                break
            if not alone:
                if not persistent or reached.size > large:
                    break
                most = len(reached.residuals)
            state = reached
            place += 1
        steps = place - places[component]
        there = (*places[:component], place, *places[component + 1 :])
        return {there: Cluster(state, component, unobserved)}, steps

    def _next_layer(self, layer: Layer) -> Layer:
        found: Layer = {}
        check_budget = self._check_budget
        for places, cluster in layer.items():
            if check_budget is not None:
                check_budget()
            for there, reached in self._moves(places, cluster):
                other = found.get(there)
                if other is not None:
                    together = {*other.state.residuals, *reached.state.residuals}
                    reached = reached._replace(state=self.automaton.state(together))
                found[there] = reached
        return found

    def _moves(self, places: Places, cluster: Cluster) -> list[tuple[Places, Cluster]]:
        """Return the moves to try, each with the vertex that it leads to."""
        state, last, _ = cluster
        unfinished = [n for n, place in enumerate(places) if place < self.end[n]]
        if last != unfinished[0] and last in unfinished:
            unfinished.remove(last)
            unfinished.insert(0, last)
        many = len(unfinished) > MANY
        if many:
            found_in = occurrences(state.residuals)
            unfinished.sort(key=lambda n: found_in[self.components[n].actions[places[n]]])
        alone = len(unfinished) == 1
        begins = self.beam.eager and 0 in places
        best: tuple[int, int] | None = None
        chosen: tuple[Places, Cluster] | None = None
        every: list[tuple[Places, Cluster]] = []
        for component in unfinished:
            place = places[component]
            there = (*places[:component], place + 1, *places[component + 1 :])
            ends = place + 1 == self.end[component]
            unobserved = cluster.unobserved
            if not place or ends:
                unobserved = self.unobserved(there)
            how = self.observation(component, unobserved, ends)
            action = self.components[component].actions[place]
            reached, persistent = self.automaton.move(state, action, how)
            if reached is not None:
                found = there, Cluster(reached, component, unobserved)
                every.append(found)
            if not alone and (not persistent or (self.before and not place)):
                continue
            if reached is None:
                return []  # nothing explains the rest
            count, size = len(reached.residuals), reached.size
            weight = (count, size) if size <= self._large else (size, count)
            if best is None or weight < best:
                best, chosen = weight, found
            goes_on = many or (component == last and count <= len(state.residuals))
            if goes_on and size <= self._large and not begins:
                break
        if chosen is not None and not begins:
            size = chosen[1].state.size
            if (
                self.beam.width is None
                or size <= self._large
                or size == min([one.state.size for _, one in every])
            ):
                return [chosen]
        if chosen is None and len(state.residuals) > 1:
            # What is persistent for each of them may not be the same.
            return [
                move
                for one in state.residuals
                for move in self._moves(places, cluster._replace(state=self.automaton.state([one])))
            ]
        return every

    def _begun(self, layer: Layer) -> Layer:
        """The layer without those places where a log has not begun, once there are others, and
        these have proved themselves for as long as is looked ahead."""
        enough = [min(AHEAD, end) for end in self.end]
        if not any(all(map(ge, places, enough)) for places in layer):
            return layer
        begun = {places: one for places, one in layer.items() if 0 not in places}
        return begun if len(begun) < len(layer) else layer

    def observation(self, component: int, unobserved: Mask, ends: bool) -> Observation:
        key = (component, unobserved, ends)
        known = self._observations.get(key)
        if known is None:
            own = self.components[component].lifelines
            silent = own if ends and self.complete else NONE
            known = self.automaton.observation(own, unobserved, silent)
            self._observations[key] = known
        return known

    def fitting(self, layer: Layer) -> Layer:
        """The layer without what cannot lead to the end of the logs."""
        if self._look_ahead is None:
            self._look_ahead = LookAhead(
                self.automaton, self.components, complete=self.complete, before=self.before
            )
        found: Layer = {}
        for places, cluster in layer.items():
            residuals = cluster.state.residuals
            kept = [one for one in residuals if self._look_ahead.fits(one, places)]
            if len(kept) == len(residuals):
                found[places] = cluster
            elif kept:
                found[places] = cluster._replace(state=self.automaton.state(kept))
        return found

    def narrowed(self, layer: Layer) -> Layer:
        """The layer with as many residuals as the width allows: of each place the smallest one, of
        each the second one, and so on."""
        ranked = sorted(
            [
                (self.beam.eager and places.count(0), rank, one.size, one.order, places, one)
                for places, cluster in layer.items()
                for rank, one in enumerate(cluster.state.residuals)
            ],
            key=lambda entry: entry[:5],
        )
        kept: dict[Places, list[Residual]] = {}
        for *_, places, one in ranked[: self.beam.width]:
            kept.setdefault(places, []).append(one)
        return {
            places: layer[places]._replace(state=self.automaton.state(residuals))
            for places, residuals in kept.items()
        }

    def _forgetting(self, layer: Layer) -> Layer:
        states = self.automaton.forget([cluster.state for cluster in layer.values()])
        self._look_ahead = None
        return {
            places: cluster._replace(state=state)
            for (places, cluster), state in zip(layer.items(), states, strict=True)
        }


def _count(layer: Layer) -> int:
    return sum([len(cluster.state.residuals) for cluster in layer.values()])
