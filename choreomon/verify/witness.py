"""Witnesses: global traces that explain multi-traces, found by the way back through the search.

The search, run again with links, leaves a path: which component moved when, and for every observed
action what was decided to have happened unobserved before it, and in which gap. The path does not
tell the order within a gap. To find it, the path is walked once more, through the terms themselves,
with the unobserved actions of each gap in any order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple, TypeAlias

from choreomon.automata.logs import WHOLE
from choreomon.core.action import Action
from choreomon.interaction.completion import shortest_completion
from choreomon.interaction.normal import normal
from choreomon.interaction.step import after
from choreomon.interaction.term import Interaction, act
from choreomon.verify.beam_search import WIDTHS, Beam, ExactMode, Layer, Observed, Places, Search
from choreomon.verify.budget import CheckBudget, TooMuchWork, at_most
from choreomon.verify.exact import Decision, ExactDecider
from choreomon.verify.lazy_automaton import Observation, State
from choreomon.verify.marked_search import MarkedSearch
from choreomon.verify.residual import PLAIN, Residual


class WitnessStep(NamedTuple):
    """An action of a global trace, and whether the multi-trace has it."""

    action: Action
    observed: bool


class Link(NamedTuple):
    """The way to a vertex with the fewest unobserved actions: the vertex before it, the component
    that acted, the digest of its residual, and the number of unobserved actions so far. Residuals
    themselves are not held, so that they can be forgotten on the way."""

    previous: Link | None
    component: int
    order: int
    unobserved: int


class LinkedSearch(Search):
    """A search that knows the way back: a hundred bytes an action."""

    goes_straight = False

    def first_layer(self, state: State) -> Layer:
        """The first layer, without a way back."""
        layer = super().first_layer(state)
        self._known: dict[tuple[Residual, Action, Observation], list[tuple[int, int]]] = {}
        self._links: Mapping[tuple[Places, int], Link | None] = {
            (places, one.order): None
            for places, cluster in layer.items()
            for one in cluster.state.residuals
        }
        return layer

    def passed(self, before: Layer, after: Layer) -> None:
        """Links every vertex of the next layer."""
        wanted = {
            places: {one.order for one in cluster.state.residuals}
            for places, cluster in after.items()
        }
        found: dict[tuple[Places, int], Link] = {}
        moved: Iterable[int] = range(len(self.end))
        if len(before) == 1 == len(after):
            moved = [cluster.last for cluster in after.values()]
        for places, cluster in before.items():
            for component in moved:
                place = places[component]
                there = (*places[:component], place + 1, *places[component + 1 :])
                if there not in wanted:
                    continue
                action = self.components[component].actions[place]
                how = self.observation(
                    component, self.unobserved(there), place + 1 == self.end[component]
                )
                for one in cluster.state.residuals:
                    link = self._links[places, one.order]
                    before_it = 0 if link is None else link.unobserved
                    for order, count in self._rests(one, action, how):
                        if order not in wanted[there]:
                            continue
                        unobserved = before_it + count
                        known = found.get((there, order))
                        if known is None or unobserved < known.unobserved:
                            found[there, order] = Link(link, component, order, unobserved)
        self._links = found

    def _rests(self, residual: Residual, action: Action, how: Observation) -> list[tuple[int, int]]:
        """The residuals after an action: the digest of each, and the number of unobserved actions
        on the way to it. Kept for as long as residuals are held."""
        key = (residual, action, how)
        known = self._known.get(key)
        if known is None:
            rests = self.automaton.rests(*key)
            known = self._known[key] = [(rest.order, past.count()) for (_, past), rest in rests]
        return known

    def _forgetting(self, layer: Layer) -> Layer:
        self._known.clear()
        return super()._forgetting(layer)

    def path(self) -> list[Link]:
        """The links from the start to an end, once one is found."""
        ends = [
            (self._links[places, one.order], one)
            for places, cluster in self.last.items()
            for one in cluster.state.residuals
            if not self.complete or (one.kind == PLAIN and one.term.terminates)
        ]
        link, _ = min(ends, key=self._length)
        links: list[Link] = []
        while link is not None:
            links.append(link)
            link = link.previous
        links.reverse()
        return links

    def _length(self, end: tuple[Link | None, Residual]) -> int:
        """The number of unobserved actions of a witness with this end."""
        link, residual = end
        remaining = self.automaton.residuals.settled(residual)
        so_far = 0 if link is None else link.unobserved
        return so_far + len(shortest_completion(remaining))


SHORT: Final = Beam(WIDTHS[2], eager=True)
"""The beam that finds short ways, with little that happened unobserved, or none: wide enough to
know several ways."""

ALLOWANCE: Final = 60_000
TIMES: Final = 3
"""Limits on the checks of the budget while looking for a short way: a fixed number, plus this many
times the vertices of the decision. There is about one check for each vertex, and for each new
residual."""

Moment: TypeAlias = tuple[Counter[Action], Action]
"""The unobserved actions of one gap, and the observed action behind it."""


def witness(
    decider: ExactDecider,
    decision: Decision,
    parts: Sequence[Observed],
    check_budget: CheckBudget | None,
) -> tuple[WitnessStep, ...]:
    """A global trace of the interaction that explains the multi-trace of these parts, from the
    decision that there is one. Raises Exhausted.

    The trace is accepted if the multi-trace is. Otherwise it is what happened up to the last
    observed action, and then the shortest way to where the interaction may stop.
    """
    if decision.missing is not None:
        return _of_discrete(decider, decision, parts, check_budget)
    if isinstance(decision.search, MarkedSearch):
        path = decision.search.path()
        steps = [WitnessStep(move.action, move.observed) for move in path]
        return _completed(steps, path[-1].vertex[0] if path else decider.normal)
    assert decision.search is not None
    search = _short_way(decider, decision.search.mode, parts, check_budget, decision.vertices)
    if search is None:
        search = decider.search(parts, decision.search.mode, check_budget, LinkedSearch)
        for beam in (decision.search.beam, Beam(None)):
            if search.attempt(beam):
                break
    return _of_search(decider, search, check_budget)


def _of_discrete(
    decider: ExactDecider,
    decision: Decision,
    parts: Sequence[Observed],
    check_budget: CheckBudget | None,
) -> tuple[WitnessStep, ...]:
    """A witness for logs of one lifeline each: a short way where the search finds one, since the
    automaton's path may have many unobserved actions; else that path."""
    assert decider.discrete is not None
    assert decision.missing is not None
    if decision.missing != WHOLE and not decider.has_wide_loop_heads:
        search = _short_way(decider, decider.mode, parts, check_budget, decision.vertices)
        if search is not None:
            return _of_search(decider, search, check_budget)
    found = decider.discrete.witness(parts, decision.missing, check_budget)
    if decider.mode == "prefix":
        # Nothing is ordered strictly: unobserved actions may as well have happened in the end.
        found = tuple(sorted(found, key=lambda step: not step[1]))
    return tuple(WitnessStep(action, observed) for action, observed in found)


def _of_search(
    decider: ExactDecider, search: LinkedSearch, check_budget: CheckBudget | None
) -> tuple[WitnessStep, ...]:
    """The way that a search found."""
    assert search.answer, "a search finds what it found before"
    moments, remaining = _moments(search)
    if any(happened for happened, _ in moments):
        steps, end = _in_order(decider.normal, moments, check_budget)
    else:
        steps = [WitnessStep(action, True) for _, action in moments]
        end = decider.automaton.residuals.settled(remaining)
    return _completed(steps, end)


def _completed(steps: Iterable[WitnessStep], end: Interaction) -> tuple[WitnessStep, ...]:
    """The steps, and the shortest way from their end to where the interaction may stop."""
    return (*steps, *(WitnessStep(action, False) for action in shortest_completion(end)))


def _short_way(
    decider: ExactDecider,
    mode: ExactMode,
    parts: Sequence[Observed],
    check_budget: CheckBudget | None,
    vertices: int,
) -> LinkedSearch | None:
    """A search that found a way with few unobserved actions, at not much more work than the
    decision, which visited `vertices` vertices; None if it found none, or if nothing is
    unobserved."""
    if mode == "accept":
        return None
    limited = at_most(ALLOWANCE + TIMES * vertices, check_budget)
    decider.automaton.checking(limited)
    search = decider.search(parts, mode, limited, LinkedSearch)
    with suppress(TooMuchWork):
        search.attempt(SHORT)
    decider.automaton.checking(check_budget)
    return search if search.answer else None


def _moments(search: LinkedSearch) -> tuple[list[Moment], Residual]:
    """The observed actions in the order of the path, with what happened in the gaps before; and
    what remains."""
    automaton = search.automaton
    residuals = automaton.residuals
    places = [0] * len(search.end)
    first = search.first_residual()
    assert first is not None
    residual = first
    gaps = [0] * residual.count
    happened: list[Counter[Action]] = [Counter()]
    observed: list[Action] = []
    for _, component, order, _ in search.path():
        place = places[component]
        places[component] += 1
        action = search.components[component].actions[place]
        unobserved = search.unobserved(tuple(places))
        how = search.observation(component, unobserved, place + 1 == search.end[component])
        (remaining, past), residual = next(
            (decided, rest)
            for decided, rest in automaton.rests(residual, action, how)
            if rest.order == order
        )
        for gap, unseen in past.actions():
            happened[gaps[gap]][unseen] += 1
        observed.append(action)
        happened.append(Counter())
        gaps = gaps[: remaining.count]
        if how.unobserved:
            known = [*gaps, len(observed)]
            _, kept = residuals.opened_with_gaps(remaining, how.unobserved)
            gaps = [known[gap] for gap in kept]
    return list(zip(happened, observed, strict=False)), residual


_Bag: TypeAlias = tuple[int, ...]


class _Step(NamedTuple):
    previous: _Step | None
    step: WitnessStep


def _in_order(
    term: Interaction, moments: Sequence[Moment], check_budget: CheckBudget | None
) -> tuple[list[WitnessStep], Interaction]:
    """The steps of a trace, with the actions of each gap in a possible order, which exists, and the
    term that remains."""
    for width in WIDTHS:
        found = _ordered_within(term, moments, width, check_budget)
        if found is not None:
            break
    assert found is not None, "what residuals tell may happen"
    end, last = found
    steps: list[WitnessStep] = []
    while last is not None:
        steps.append(last.step)
        last = last.previous
    steps.reverse()
    return steps, end


def _ordered_within(
    term: Interaction,
    moments: Sequence[Moment],
    width: int | None,
    check_budget: CheckBudget | None,
) -> tuple[Interaction, _Step | None] | None:
    layer: dict[Interaction, _Step | None] = {normal(term): None}
    for happened, action in moments:
        if happened:
            letters = list(happened)
            bags: dict[tuple[Interaction, _Bag], _Step | None] = {
                (one, tuple(happened.values())): last for one, last in layer.items()
            }
            for _ in range(happened.total()):
                bags = _one_more(bags, letters, check_budget)
                kept = sorted(bags, key=lambda one: (one[0].size, one[0].order, one[1]))[:width]
                bags = {one: bags[one] for one in kept}
            layer = {one: last for (one, _), last in bags.items()}
        step = WitnessStep(action, True)
        found: dict[Interaction, _Step | None] = {}
        for one, last in layer.items():
            for rest in after(one, act(action), check_budget):
                found.setdefault(normal(rest), _Step(last, step))
        smallest = sorted(found, key=lambda one: (one.size, one.order))[:width]
        layer = {one: found[one] for one in smallest}
        if not layer:
            return None
    return next(iter(layer.items()))


def _one_more(
    bags: dict[tuple[Interaction, _Bag], _Step | None],
    letters: Sequence[Action],
    check_budget: CheckBudget | None,
) -> dict[tuple[Interaction, _Bag], _Step | None]:
    """The terms after one more unobserved action out of the bags."""
    found: dict[tuple[Interaction, _Bag], _Step | None] = {}
    for (term, bag), last in bags.items():
        for number, count in enumerate(bag):
            if not count:
                continue
            less = (*bag[:number], count - 1, *bag[number + 1 :])
            step = _Step(last, WitnessStep(letters[number], False))
            for rest in after(term, act(letters[number]), check_budget):
                found.setdefault((normal(rest), less), step)
    return found
