"""Short logs of interactions whose loops are nested hundreds deep.

There, one action has a follow-up for every loop around it, each as large as the interaction is
deep. Whoever makes them all needs time that grows with the square of the depth before anything
else is done. Two answers do not take that:

- what is accepted with as many actions as were recorded, iterations that take more left out
  (`choreomon.verify.affordable`), which leaves few loops;
- a prefix that is found by looking at one follow-up at a time, depth first. A prefix is a
  multi-prefix and a slice, too.

What is neither accepted nor found to be a prefix soon, somebody else has to decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from choreomon.interaction.enabled import Enabled, enabled
from choreomon.interaction.measures import loop_depth
from choreomon.interaction.normal import normal
from choreomon.interaction.term import Interaction
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify.affordable import affordable
from choreomon.verify.exact_search import STOPPED, Exhausted, Limits
from choreomon.verify.verdict import Answer, Mode, Verdict

NESTED: Final = 100
"""So deep have loops to be nested."""

SHORT: Final = 64
"""So many actions may be recorded."""

STEPS: Final = 100_000
"""How many actions that may happen, and symbols of what remains after one of them, are looked at
to find a prefix: some tenths of a second."""

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
        parts = multitrace.components
        recorded = {action for part in parts for action in part.actions}
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
        try:
            looked = self._prefix(multitrace, limits)
        except Exhausted:
            return Answer(Verdict.INCONC, STOPPED, count)
        return None if looked is None else Answer(Verdict.WEAK_PASS, "", count + looked)

    def _prefix(self, multitrace: MultiTrace, limits: Limits) -> int | None:
        """After how many terms the multi-trace was found to be one of a prefix of an accepted
        trace; None where it was not."""
        parts = [part.actions for part in multitrace.components]
        ends = tuple(map(len, parts))
        known: set[tuple[Interaction, tuple[int, ...]]] = set()
        steps = 0

        def following(
            term: Interaction, places: tuple[int, ...]
        ) -> Iterator[tuple[Interaction, tuple[int, ...]]]:
            nonlocal steps
            wanted = {
                parts[number][place]: number
                for number, place in enumerate(places)
                if place < ends[number]
            }
            found: list[Enabled] = []
            for one in enabled(term):
                steps += 1
                if not steps % _PATIENCE:
                    limits.ask()
                if one.action in wanted:
                    found.append(one)
            # The fewer loops are around an action, the less has to follow.
            found.sort(key=lambda one: one.loops)
            for one in found:
                limits.ask()
                steps += term.depth
                number = wanted[one.action]
                place = places[number] + 1
                rest = one.follow_up()
                if rest.lifelines.bit_count() <= FEW:
                    rest = normal(rest)
                yield rest, (*places[:number], place, *places[number + 1 :])

        start = (0,) * len(parts)
        if start == ends:
            return 0
        pending = [following(self._term, start)]
        while pending and steps < self._steps:
            there = next(pending[-1], None)
            if there is None:
                pending.pop()
            elif there[1] == ends:
                return len(known) + 1
            elif there not in known:
                known.add(there)
                pending.append(following(*there))
        return None
