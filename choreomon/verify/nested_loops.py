"""Short logs of interactions whose loops are nested hundreds deep.

There, one action has a follow-up for every loop around it, each as large as the interaction is
deep. Whoever makes them all needs time that grows with the square of the depth before anything
else is done. Three answers do not take that:

- an action that the interaction does not have never fits;
- what is accepted with as many actions as were recorded, iterations that take more left out
  (`choreomon.verify.affordable`), which leaves few loops;
- a prefix that is found by looking at one follow-up at a time, depth first. A prefix is a
  multi-prefix and a slice, too.

What is none of these, somebody else has to decide, a little later (`STEPS`) than without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from choreomon.interaction.enabled import Enabled, enabled
from choreomon.interaction.measures import loop_depth
from choreomon.interaction.normal import normal
from choreomon.interaction.term import Interaction, subterms
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify.affordable import affordable
from choreomon.verify.exact_search import STOPPED, Exhausted, Limits, Vertex
from choreomon.verify.verdict import Answer, Mode, Verdict

NESTED: Final = 100
"""So many loops have to be within each other. Where there are fewer, all follow-ups together are
soon made."""

SHORT: Final = 64
"""So many actions may be recorded."""

STEPS: Final = 400_000
"""How many symbols of terms are looked at or made to find a prefix: about 0.2 s."""

FEW: Final = 16
"""Of terms over so many lifelines, normal forms take less time than they save."""

Accepts: TypeAlias = Callable[[Interaction, MultiTrace], Answer]
"""Decides `accept`."""

_PATIENCE: Final = 64
"""Actions between two questions whether to stop."""


class NestedLoops:
    """Decides short multi-traces of one interaction with loops that are nested deep.

    `accepts` is who decides acceptance by interactions with few loops.
    """

    def __init__(
        self, interaction: Interaction, mode: Mode, accepts: Accepts, steps: int = STEPS
    ) -> None:
        self._term = normal(interaction)
        self._actions = {one.action for one in subterms(self._term) if one.action is not None}
        self._mode: Mode = mode
        self._accepts = accepts
        self._steps = steps

    @staticmethod
    def are_in(interaction: Interaction) -> bool:
        """Whether loops are nested so deep that this is for the interaction."""
        return loop_depth(normal(interaction)) >= NESTED

    def decide(self, multitrace: MultiTrace, limits: Limits) -> Answer | None:
        """The verdict, over any partition; None where it is not found soon. Inconc only where the
        limits ended the decision."""
        if multitrace.length > SHORT:
            return None
        recorded = {action for part in multitrace.components for action in part.actions}
        if not recorded <= self._actions and self._mode not in ("test", "simulate"):
            return Answer(Verdict.FAIL)
        rest = affordable(self._term, recorded, multitrace.length)
        count = 0
        if rest is not None:
            rest = normal(rest)
            if loop_depth(rest) >= NESTED:
                return None
            answer = self._accepts(rest, multitrace)
            if answer.verdict is not Verdict.FAIL:
                return answer
            count = answer.vertices
        if self._mode == "accept":
            return Answer(Verdict.FAIL, "", count)
        search = _PrefixSearch(multitrace, limits, self._steps)
        try:
            found = search.finds_end(self._term)
        except Exhausted:
            return Answer(Verdict.INCONC, STOPPED, count)
        return Answer(Verdict.WEAK_PASS, "", count + search.visited) if found else None


class _PrefixSearch:
    """A search for one way to consume a multi-trace, depth first, with one follow-up at a time.

    It gives up after about `most` symbols of terms that are looked at or made.
    """

    def __init__(self, multitrace: MultiTrace, limits: Limits, most: int) -> None:
        self._parts = [part.actions for part in multitrace.components]
        self._ends = tuple(map(len, self._parts))
        self._limits = limits
        self._most = most
        self._known: set[Vertex] = set()
        self._symbols = 0

    @property
    def visited(self) -> int:
        """How many vertices there were."""
        return len(self._known) + 1

    def finds_end(self, term: Interaction) -> bool:
        """Whether a way to the ends of all components was found."""
        start = (term, (0,) * len(self._parts))
        if start[1] == self._ends:
            return True
        pending = [self._following(start)]
        while pending and self._symbols < self._most:
            vertex = next(pending[-1], None)
            if vertex is None:
                pending.pop()
            elif vertex[1] == self._ends:
                return True
            elif vertex not in self._known:
                self._known.add(vertex)
                pending.append(self._following(vertex))
        return False

    def _following(self, vertex: Vertex) -> Iterator[Vertex]:
        """What can be reached with the next action of a component."""
        term, places = vertex
        wanted = {
            self._parts[number][place]: number
            for number, place in enumerate(places)
            if place < self._ends[number]
        }
        found: list[Enabled] = []
        for count, one in enumerate(enabled(term)):
            if not count % _PATIENCE:
                self._limits.ask()
            if one.action in wanted:
                found.append(one)
        self._symbols += term.size
        # The fewer loops are around an action, the less has to follow.
        found.sort(key=lambda one: one.loops)
        for one in found:
            self._limits.ask()
            number = wanted[one.action]
            rest = one.follow_up()
            self._symbols += rest.size
            if rest.lifelines.bit_count() <= FEW:
                rest = normal(rest)
            yield rest, (*places[:number], places[number] + 1, *places[number + 1 :])
