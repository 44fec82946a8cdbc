"""Interactions without strict-like operators, over any partition.

Their traces are closed under swapping neighbours on different lifelines, so it does not matter
whose action is consumed next. It matters for how many terms have to be remembered: a lifeline in
the middle may decide what is undecided on all others. Slices and multi-prefixes are decided one
component after the other (`choreomon.verify.one_by_one`), acceptance by sets of terms.

Of an interaction with strict-like operators this answers for `weakened(interaction)`, which
accepts more: no is no there, too.
"""

from __future__ import annotations

from typing import Final

from choreomon.interaction.term import Interaction
from choreomon.verify.exact_search import ExactMode, Limits, Observed
from choreomon.verify.one_by_one import OneByOne
from choreomon.verify.views import State, Views

_AT_ONCE: Final = (32, 256)
"""How many terms each component's try at being first is given."""

_GROWN: Final = 2
"""How many times larger than at the start the largest term may become."""


class Discrete:
    """The decider of one interaction, which has no strict-like operators. Of slices and
    multi-prefixes `greedy` views are asked first, if there are any."""

    def __init__(
        self, views: Views, weak: Interaction, limits: Limits, greedy: Views | None = None
    ) -> None:
        self._views = views
        self._greedy = greedy
        self._weak = weak
        self._limits = limits

    def holds(self, parts: tuple[Observed, ...], mode: ExactMode) -> tuple[bool | None, int]:
        """Whether the mode's question is answered with yes, and the vertices of the search. None
        where few vertices do not suffice, and acceptance is not asked for. Not for `prefix`."""
        views = self._views
        start = views.plain(self._weak)
        active: list[Observed] = []
        for part in parts:
            if len(part.actions):
                active.append(part)
                continue
            gone = views.silent if mode == "accept" else views.without
            rest = gone(start, part.lifelines)
            if rest is None:
                return False, 0
            start = rest
        before = mode == "slice"
        for lifelines, actions in active:
            own = views.local(self._weak, lifelines, before)
            if views.walk(own, actions) is None:
                return False, 0
        if not active:
            return start.terminates or mode != "accept", 0
        if mode == "accept":
            return self._accepts(start, active), 0
        (left,) = start.terms
        count = 0
        if self._greedy is not None:
            quick = OneByOne(self._greedy, active, before, self._limits)
            if quick.goes_through(left.term):
                return True, quick.visited
            count = quick.visited
        search = OneByOne(views, active, before, self._limits)
        return search.holds(left.term), count + search.visited

    def _accepts(self, start: State, active: list[Observed]) -> bool:
        """Each component has a try at being first, with few terms, with more, then without a
        bound."""
        best = (-1, 0)
        for most in _AT_ONCE:
            for first in range(len(active)):
                consumed, answer = self._attempt(start, active, first, most)
                if answer is not None:
                    return answer
                best = max(best, (consumed, -first))
        _, answer = self._attempt(start, active, -best[1], None)
        assert answer is not None
        return answer

    def _attempt(
        self,
        here: State,
        active: list[Observed],
        first: int,
        most: int | None,
    ) -> tuple[int, bool | None]:
        """How many actions were consumed with at most `most` terms at once, and the answer, None
        where they did not suffice. One component goes first; of the others it is the last one's
        turn again as long as that leaves no more terms than before, else whoever leaves the
        fewest has it. Nobody runs so far ahead of the others that the terms grow beyond `_GROWN`
        times the size they had."""
        views = self._views
        waiting = [active[first], *active[:first], *active[first + 1 :]]
        places = [0] * len(waiting)
        large = _GROWN * here.size
        current = consumed = 0
        led = True
        while waiting:
            reached = views.next(here, waiting[current].actions[places[current]])
            ahead = reached is not None and reached.size > large
            if reached is not None and (
                ahead or (not led and len(reached.terms) > len(here.terms))
            ):
                for number, other in enumerate(waiting):
                    if number == current:
                        continue
                    instead = views.next(here, other.actions[places[number]])
                    if instead is None:
                        return consumed, False
                    fewer = len(instead.terms) - len(reached.terms)
                    if fewer < 0 or (ahead and not fewer and instead.size < reached.size):
                        current, reached = number, instead
            if reached is None:
                return consumed, False
            if most is not None and len(reached.terms) > most:
                return consumed, None
            here = reached
            consumed += 1
            places[current] += 1
            lifelines, actions = waiting[current]
            if places[current] == len(actions):
                rest = views.silent(here, lifelines)
                if rest is None:
                    return consumed, False
                here = rest
                del waiting[current], places[current]
                current = 0
                led = False
        return consumed, here.terminates
