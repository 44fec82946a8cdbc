"""Slices and multi-prefixes one component after the other, through single terms, where no order
shows between the components.

Traces of terms without strict-like operators are closed under swapping neighbours of different
components. So where a trace explains the logs, one does in which all that the first component ever
does comes before everything else: what nobody saw of it, what it recorded, and what nobody saw
afterwards. Only on its own lifelines something may have happened unobserved meanwhile. Once its
log is consumed its lifelines are removed, with whatever is undecided about them, and what is left
is a plain term of which the next component is asked. So what is undecided does not pile up, as it
does where all components begin late at once, however many there are.

What one action may leave is looked at depth first, the smallest first: a component that may have
acted in iterations of its own or in those that others have seen is believed to have seen the same.
Where that leads nowhere soon, every component has a try at being first, and then what remains is
asked whether every other component's own view of it allows its log.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from choreomon.interaction.lifelines import NONE
from choreomon.interaction.term import Interaction, act
from choreomon.verify.exact_search import TOO_MANY_VERTICES, Exhausted, Limits, Observed
from choreomon.verify.late import PLAIN, LateTerm
from choreomon.verify.views import Fits, Views

_TRIES: Final = (2, 8)
"""How many vertices a try is given for each recorded action; see `OneByOne.holds`."""

_Vertex: TypeAlias = tuple[LateTerm, int, int]
"""What remains, the number of the component whose turn it is, and how much of it was consumed."""


class OneByOne:
    """The search for one multi-trace. All components have recorded something, and share no
    lifelines; the lifelines of all others are removed. `before` where components may have done
    something before they were observed; afterwards they may in any case."""

    def __init__(
        self, views: Views, active: Sequence[Observed], before: bool, limits: Limits
    ) -> None:
        self._views = views
        self._active = active
        self._before = before
        self._limits = limits
        self.visited = 0

    def holds(self, term: Interaction) -> bool | None:
        """Whether the term explains the logs, None where few vertices did not tell. The term is in
        normal form and has no strict-like operators."""
        recorded = sum(len(part.actions) for part in self._active)
        answer = self._depth_first(term, self._active, _TRIES[0] * recorded, careful=False)
        for first in range(len(self._active)):
            if answer is not None:
                break
            order = (self._active[first], *self._active[:first], *self._active[first + 1 :])
            answer = self._depth_first(term, order, _TRIES[1] * recorded, careful=True)
        return answer

    def goes_through(self, term: Interaction) -> bool:
        """Whether the first of these tries finds that the term explains the logs."""
        recorded = sum(len(part.actions) for part in self._active)
        few = _TRIES[0] * recorded
        return self._depth_first(term, self._active, few, careful=False) is True

    def _depth_first(
        self, term: Interaction, order: Sequence[Observed], most: int, careful: bool
    ) -> bool | None:
        """Whether all logs can be consumed in this order of the components, None where visiting
        `most` vertices did not tell; `careful` where their views are asked."""
        views = self._views
        leaves = [[act(action) for action in part.actions] for part in order]
        fits = Fits(views, [part.actions for part in order], complete=False)
        start = (self._opened(term, order[0]), 0, 0)
        seen = {start}
        pending = [start]
        most += self.visited
        while pending:
            node, number, place = pending.pop()
            log = leaves[number]
            end = len(log)
            while True:
                if self.visited >= most:
                    return None
                self._visit()
                rests = views.after(node, log[place], NONE)
                place += 1
                if len(rests) != 1 or place == end:
                    break
                (node,) = rests  # nothing to come back to
            found: list[_Vertex] = []
            for rest in rests:
                vertex = (rest, number, place)
                if place == end:
                    left = views.late_terms.without(rest, order[number].lifelines)
                    assert left.kind == PLAIN  # nothing is undecided of the others
                    if number + 1 == len(order):
                        return True
                    if careful and not self._may_lead_on(left.term, order, number + 1, fits):
                        continue
                    vertex = (self._opened(left.term, order[number + 1]), number + 1, 0)
                if vertex not in seen:
                    seen.add(vertex)
                    found.append(vertex)
            if len(found) > 1:
                found.sort(key=lambda vertex: vertex[0].size, reverse=True)
            pending += found
        return False

    def _visit(self) -> None:
        """Counts a vertex. Raises Exhausted where that was too many, or where it has to stop."""
        limits = self._limits
        self.visited += 1
        if limits.vertices is not None and self.visited > limits.vertices:
            raise Exhausted(TOO_MANY_VERTICES)
        limits.ask()

    def _opened(self, term: Interaction, part: Observed) -> LateTerm:
        """The term when it is this component's turn."""
        terms = self._views.late_terms
        if not self._before:
            return terms.plain(term)
        return terms.undecided(term, (part.lifelines,), NONE)

    def _may_lead_on(
        self, term: Interaction, order: Sequence[Observed], begin: int, fits: Fits
    ) -> bool:
        """Whether the view of every component from this number on allows its log."""
        return all(
            fits.allows(self._views.local(term, order[number].lifelines, self._before), number, 0)
            for number in range(begin, len(order))
        )
