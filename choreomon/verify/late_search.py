"""The search over late terms, for any co-localization, where some components were not observed
all the time.

Vertices are late terms and how much of each component was consumed. What happens unobserved is no
move: before and after every observed action there is an epoch in which anything may have happened
on the lifelines that were not observed there. Success is having consumed everything. A component
goes on to the end of a run (`choreomon.verify.runs`) before others have a turn, and nothing
happens unobserved until then. A vertex is cut where what a component still recorded does not fit
what it may see of the late term, or where what remains of the logs of two messages does not fit
what remains of their term (`choreomon.verify.pairs`).

Of interactions with `loopH` over several lifelines this answers for one with `loopW` instead,
which accepts more: no is no there, too.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from choreomon.interaction.lifelines import NONE, Mask
from choreomon.interaction.normal import normal
from choreomon.interaction.term import EMPTY, Interaction, act
from choreomon.verify.exact_search import TOO_MANY_VERTICES, Exhausted, Limits, Observed, Places
from choreomon.verify.late import LateTerm
from choreomon.verify.overestimates import without_heads
from choreomon.verify.pairs import Pairs
from choreomon.verify.runs import Inside, within_runs
from choreomon.verify.views import Fits, Views

_TRIES: Final = (2, 8)
"""How many vertices each component's try at being first is given, for each recorded action. The
first tries mostly suffice, so what components may see is looked at only after them."""

_EASY: Final = 2
"""Pairs of messages are looked at after so many vertices for each recorded action."""

LateVertex: TypeAlias = tuple[LateTerm, Places]


class LateSearch:
    """Depth first. `before` where components may have done something before they were observed;
    afterwards they may in any case."""

    def __init__(
        self, views: Views, parts: tuple[Observed, ...], before: bool, limits: Limits
    ) -> None:
        self._views = views
        self._parts = parts
        self._before = before
        self._limits = limits
        self._leaves = [[act(action) for action in part.actions] for part in parts]
        self._end = tuple(len(leaves) for leaves in self._leaves)
        self._term = EMPTY
        self._inside: list[Inside] = []
        self._pairs: Pairs | None = None
        self._fits = Fits(views, [part.actions for part in parts], complete=False)
        self.visited = 0

    def free(self, places: Places) -> Mask:
        """The lifelines on which something may happen unobserved now."""
        found = NONE
        for part, place, end in zip(self._parts, places, self._end, strict=True):
            if place == end or (self._before and not place):
                found |= part.lifelines
        return found

    def run(self, interaction: Interaction) -> tuple[bool, int]:
        """Whether the end was reached, and how many vertices were visited. Whose action is next
        matters for how soon that is: each component has a try at always being first, then all of
        them take turns, with few vertices, then with more, and then without a bound."""
        start = self._start(interaction)
        active = [number for number, end in enumerate(self._end) if end]
        if len(active) > 1:
            for turn, times in enumerate(_TRIES):
                for first in (*active, None):
                    most = times * sum(self._end)
                    answer = self._depth_first(start, first, most, careful=turn > 0)
                    if answer is not None:
                        return answer, self.visited
        answer = self._depth_first(start, None, None, careful=True)
        assert answer is not None
        return answer, self.visited

    def goes_through(self, interaction: Interaction) -> tuple[bool, int]:
        """Whether tries with the fewest vertices reach the end, components taking turns or each of
        them first, and how many vertices were visited. It may be reached where these do not."""
        start = self._start(interaction)
        active = [number for number, end in enumerate(self._end) if end]
        most = _TRIES[0] * sum(self._end)
        for first in (None, *active):
            if self._depth_first(start, first, most, careful=False):
                return True, self.visited
        return False, self.visited

    def _start(self, interaction: Interaction) -> LateVertex:
        """The vertex at which nothing was consumed."""
        places: Places = (0,) * len(self._parts)
        terms = self._views.late_terms
        term = normal(without_heads(interaction))
        waits = self._views.waiting(term)
        self._inside = [within_runs(p.actions, p.lifelines, waits) for p in self._parts]
        self._pairs = None
        self._term = term
        return terms.opened(terms.plain(term), self.free(places)), places

    def _depth_first(
        self, start: LateVertex, first: int | None, most: int | None, careful: bool
    ) -> bool | None:
        """Whether the end can be reached; None where visiting `most` vertices did not tell."""
        limits, after = self._limits, self._views.after
        seen = {start}
        pending = [start]
        visited = 0
        while pending:
            node, places = pending.pop()
            if places == self._end:
                return True
            if visited == most:
                return None
            within = self._within(places)
            if careful and within is None and not self._may_lead_on(node, places):
                continue
            visited += 1
            self.visited += 1
            if limits.vertices is not None and self.visited > limits.vertices:
                raise Exhausted(TOO_MANY_VERTICES)
            limits.ask()
            for number in self._turns(places, first) if within is None else (within,):
                place = places[number]
                then = (*places[:number], place + 1, *places[number + 1 :])
                free = NONE if self._inside[number][place + 1] else self.free(then)
                for rest in after(node, self._leaves[number][place], free):
                    vertex = (rest, then)
                    if vertex not in seen:
                        seen.add(vertex)
                        pending.append(vertex)
        return False

    def _within(self, places: Places) -> int | None:
        """The component whose run has begun and is not over."""
        for number, place in enumerate(places):
            if self._inside[number][place]:
                return number
        return None

    def _may_lead_on(self, node: LateTerm, places: Places) -> bool:
        """False only where no end can be reached: what remains of a component does not fit what
        it may see of the term, or what remains of two messages does not."""
        for number, (part, place, end) in enumerate(
            zip(self._parts, places, self._end, strict=True)
        ):
            if place < end:
                seen = self._views.seen(node, part.lifelines, self._before and not place)
                if not self._fits.allows(seen, number, place):
                    return False
        if self.visited < _EASY * sum(self._end):
            return True
        if self._pairs is None:
            ask = self._limits.ask
            self._pairs = Pairs(self._views, self._term, self._parts, self._before, ask)
        return self._pairs.allow(node, places, self.visited)

    def _turns(self, places: Places, first: int | None) -> list[int]:
        """The components that have something left, those that are to be first at the end: the
        one of this number, or else those of which the smallest part was consumed."""
        end = self._end
        left = [number for number, place in enumerate(places) if place < end[number]]
        if first is None:
            left.sort(key=lambda number: places[number] / end[number], reverse=True)
        elif first in left:
            left.remove(first)
            left.append(first)
        return left
