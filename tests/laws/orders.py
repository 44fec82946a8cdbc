"""All orders in which a finished run may have been, with what each leaves live: a search of its
own, by docs/properties.md alone.

`choreomon.properties.partial_order` forgets at which event a transition fired, and monitors know no
labels and not the whole run. Here every live transition keeps its event, so that what is said of a
single event can be held against every order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from choreomon.core.errors import BudgetExceeded
from choreomon.core.message import Event
from choreomon.core.run import BEFORE_ALL
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.relations import pre_transitions, vio_transitions

Fired: TypeAlias = tuple[int, tuple[str, str]]
"""The index of an event, and the states of a transition that it fired."""

Cut: TypeAlias = tuple[int, ...]
"""How many labelled events of each process have happened."""

MAX_MOMENTS: Final = 20_000
"""So many events after so many histories are looked at."""


class Moment:
    """An event in one of the orders: the `cut` that had happened before, what was `live` then, what
    it `fired`, backward transitions too, and what was `left` live after it."""

    __slots__ = ("cut", "fired", "left", "live")

    def __init__(
        self, cut: Cut, live: frozenset[Fired], fired: frozenset[Fired], left: frozenset[Fired]
    ) -> None:
        self.cut, self.live, self.fired, self.left = cut, live, fired, left


class Orders:
    """`moments`: of each labelled event, by its index, all that it may have met with.
    `begun`: what is live before all of them. `cancelled_by`: of each forward transition the
    backward ones that take it back.

    Raises `BudgetExceeded` where there are more than `MAX_MOMENTS` in all.
    """

    def __init__(
        self, automaton: SequenceAutomaton, processes: Sequence[str], events: Sequence[Event]
    ) -> None:
        self.processes = tuple(processes)
        self._events = events
        self._place = {process: place for place, process in enumerate(processes)}
        self._forward = [(t, {*pre_transitions(automaton, t)}) for t in automaton.forward]
        self._backward = [(t, {*pre_transitions(automaton, t)}) for t in automaton.backward]
        self._initial = frozenset(automaton.initial)
        self.begun = frozenset((BEFORE_ALL, (t.source, t.target)) for t in automaton.begun)
        self.cancelled_by: dict[tuple[str, str], set[tuple[str, str]]] = {}
        for each in automaton.forward:
            by = {(back.source, back.target) for back in vio_transitions(automaton, each)}
            self.cancelled_by.setdefault((each.source, each.target), set()).update(by)
        self.moments: dict[int, list[Moment]] = {}
        self._search({*automaton.labels})

    def _search(self, watched: Iterable[object]) -> None:
        chains: list[list[int]] = [[] for _ in self._place]
        for index, event in enumerate(self._events):
            if event.label in watched:
                chains[self._place[event.process]].append(index)
                self.moments[index] = []
        number = {index: place for chain in chains for place, index in enumerate(chain)}
        self._number = number
        seen = 0
        cuts: dict[Cut, set[frozenset[Fired]]] = {(0,) * len(chains): {self.begun}}
        while cuts:
            following: dict[Cut, set[frozenset[Fired]]] = {}
            for cut, lives in cuts.items():
                for own, chain in enumerate(chains):
                    if cut[own] == len(chain) or not self._may_come(chain[cut[own]], cut, chains):
                        continue
                    larger = (*cut[:own], cut[own] + 1, *cut[own + 1 :])
                    for live in lives:
                        seen += 1
                        if seen > MAX_MOMENTS:
                            raise BudgetExceeded(f"more than {MAX_MOMENTS} moments")
                        moment = self._moment(chain[cut[own]], cut, live)
                        self.moments[chain[cut[own]]].append(moment)
                        following.setdefault(larger, set()).add(moment.left)
            cuts = following

    def _may_come(self, index: int, cut: Cut, chains: Sequence[Sequence[int]]) -> bool:
        """Whether all that happened before it is in the cut."""
        return all(
            count == len(chain) or not self.before(chain[count], index)
            for count, chain in zip(cut, chains, strict=True)
        )

    def _moment(self, index: int, cut: Cut, live: frozenset[Fired]) -> Moment:
        label, states = self._events[index].label, {transition for _, transition in live}
        forward = {
            (index, (t.source, t.target))
            for t, pre in self._forward
            if t.label == label
            and (t.source in self._initial or any((p.source, p.target) in states for p in pre))
        }
        backward = {
            (index, (t.source, t.target))
            for t, pre in self._backward
            if t.label == label and any((p.source, p.target) in states for p in pre)
        }
        cancelling = {transition for _, transition in backward}
        left = {each for each in live if not cancelling & self.cancelled_by[each[1]]}
        return Moment(cut, live, frozenset(forward | backward), frozenset(left | forward))

    def before(self, one: int, other: int) -> bool:
        """Whether the event `one` happened before the other."""
        if BEFORE_ALL in (one, other):
            return other != BEFORE_ALL
        first, second = self._events[one], self._events[other]
        place = self._place[first.process]
        known = second.clock[place] >= first.clock[place]
        return one != other and known

    def concurrent(self, one: int, other: int) -> bool:
        return one != other and not self.before(one, other) and not self.before(other, one)

    def happened(self, index: int, moment: Moment) -> bool:
        """Whether the event was there before the moment."""
        if index == BEFORE_ALL:
            return True
        return moment.cut[self._place[self._events[index].process]] > self._number[index]

    def always_fires(self, index: int, transitions: Iterable[tuple[str, str]]) -> bool:
        """Whether in every order one of these fires at the event."""
        wanted = {(index, transition) for transition in transitions}
        return all(wanted & moment.fired for moment in self.moments[index])

    def ever_fires(self, index: int, transitions: Iterable[tuple[str, str]]) -> bool:
        wanted = {(index, transition) for transition in transitions}
        return any(wanted & moment.fired for moment in self.moments[index])
