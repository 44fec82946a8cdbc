"""The search over late terms, for any co-localization, where some components were not observed
all the time.

Vertices are late terms and how much of each component was consumed. What happens unobserved is no
move: before and after every observed action there is an epoch in which anything may have happened
on the lifelines that were not observed there. Success is having consumed everything.

Of interactions with `loopH` over several lifelines this answers for one with `loopW` instead,
which accepts more: no is no there, too.
"""

from __future__ import annotations

from typing import TypeAlias

from choreomon.interaction.lifelines import NONE, Mask
from choreomon.interaction.normal import normal
from choreomon.interaction.term import Interaction, act
from choreomon.verify.exact_search import TOO_MANY_VERTICES, Exhausted, Limits, Observed, Places
from choreomon.verify.late import LateTerm, without_heads
from choreomon.verify.views import Views

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
        self.visited = 0

    def free(self, places: Places) -> Mask:
        """The lifelines on which something may happen unobserved now."""
        found = NONE
        for part, place, end in zip(self._parts, places, self._end, strict=True):
            if place == end or (self._before and not place):
                found |= part.lifelines
        return found

    def run(self, interaction: Interaction) -> tuple[bool, int]:
        """Whether the end was reached, and how many vertices were visited."""
        limits, views = self._limits, self._views
        places: Places = (0,) * len(self._parts)
        term = views.late_terms.plain(normal(without_heads(interaction)))
        start = (views.late_terms.opened(term, self.free(places)), places)
        seen = {start}
        pending = [start]
        while pending:
            node, places = pending.pop()
            if places == self._end:
                return True, self.visited
            self.visited += 1
            if limits.vertices is not None and self.visited > limits.vertices:
                raise Exhausted(TOO_MANY_VERTICES)
            limits.ask()
            for number in range(len(places) - 1, -1, -1):
                place = places[number]
                if place == self._end[number]:
                    continue
                then = (*places[:number], place + 1, *places[number + 1 :])
                free = self.free(then)
                for rest in views.after(node, self._leaves[number][place], free):
                    vertex = (rest, then)
                    if vertex not in seen:
                        seen.add(vertex)
                        pending.append(vertex)
        return False, self.visited
