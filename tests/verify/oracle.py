"""The verdict on a multi-trace by brute force: the definitions, read aloud.

For tests. It enumerates the accepted global traces (`choreomon.interaction.denotation`) up to a
length, projects each of them, and compares. Both searches are checked against it.

To find an explanation is a proof. *Not* to find one is a proof only if the length is large enough,
and `sufficient_length` gives such a length: if a longer global trace explains the observation, so
does one of that length, since every loop iteration that contributes no observed action may be
dropped as a whole. The dropped actions were not observed, so windows of observation stay without
gaps.

The mode `test` is defined by the ends of a graph, not by traces (the small-step paper, section
4.5), so for it the whole graph is built from `choreomon.interaction.step.frontier`, and no length
matters. The mode `simulate` is defined by its procedure alone; there is nothing to compare it with
but `slice`, so the oracle refuses it.
"""

from __future__ import annotations

from typing import Final

from choreomon.core.action import Action
from choreomon.interaction.denotation import Trace, traces
from choreomon.interaction.lifelines import known_mask, names
from choreomon.interaction.step import frontier
from choreomon.interaction.term import LOOPS, Interaction, Operator, subterms
from choreomon.multitrace.multitrace import MultiTrace, multi_trace
from choreomon.multitrace.projection import partition_of, project_trace
from choreomon.multitrace.slices import is_multi_prefix, is_slice
from choreomon.verify.verdict import Mode, Verdict

COVERED: Final = "Cov"
TOO_SHORT: Final = "TooShort"
LACKS_OBSERVATION: Final = "LackObs"
OUT: Final = "Out"


def judge(interaction: Interaction, multitrace: MultiTrace, mode: Mode, length: int) -> Verdict:
    """The verdict, as far as accepted global traces of at most `length` actions show.

    Lifelines of the interaction that no component is about count as observed and silent. Raises
    ValueError for the mode `simulate`. Time grows exponentially with `length`.
    """
    return Oracle(interaction, length).judge(multitrace, mode)


class Oracle:
    """`judge` for many multi-traces: the accepted traces are enumerated once."""

    def __init__(self, interaction: Interaction, length: int) -> None:
        self.interaction = interaction
        self.length = length
        self._traces: frozenset[Trace] | None = None

    def judge(self, multitrace: MultiTrace, mode: Mode) -> Verdict:
        """The verdict, as the function `judge` gives it."""
        seen = multi_trace(multitrace.components, names(self.interaction.lifelines))
        if mode == "test":
            return _verdict_of_ends(ends(self.interaction, seen))
        if mode == "simulate":
            raise ValueError("simulate is defined by its procedure; compare it with slice")
        known = set(seen.lifelines)
        if self._traces is None:
            self._traces = traces(self.interaction, self.length)
        weakly = False
        for trace in self._traces:
            assert all(action.lifeline in known for action in trace)
            whole = project_trace(trace, partition_of(seen))
            if _same(seen, whole):
                return Verdict.PASS
            weakly = weakly or _weakly(seen, trace, whole, mode)
        return Verdict.WEAK_PASS if weakly else Verdict.FAIL


def _same(seen: MultiTrace, whole: MultiTrace) -> bool:
    return seen.length == whole.length and is_multi_prefix(seen, whole)


def _weakly(seen: MultiTrace, trace: Trace, whole: MultiTrace, mode: Mode) -> bool:
    """Tell whether `mode` allows `seen`, given the accepted `trace` and its projection."""
    if mode == "prefix":
        return _same(seen, project_trace(trace[: seen.length], partition_of(seen)))
    if mode == "multiprefix":
        return is_multi_prefix(seen, whole)
    return mode == "slice" and is_slice(seen, whole)


def sufficient_length(interaction: Interaction, observed: int) -> int:
    """A length that is enough for `observed` actions: what a longer accepted trace explains, one of
    at most this length explains, too.

    It is the most actions possible without entering a loop, plus those of every iteration, where
    every iteration needs an observed action of its own; an action serves the iteration that it
    belongs to and those around it. Never less than `observed`, so that longer observations are
    known to be wrong.

    An iteration of `loopH` also keeps the action that it begins with, and with it the iterations
    of loops within that this action belongs to: without it, later iterations might begin too
    early. It counts as one more observed action there.
    """
    longest: dict[Interaction, list[int]] = {}
    parts = subterms(interaction)
    heads = sum(part.operator is Operator.LOOP_H for part in parts)
    for part in parts:
        longest[part] = _longest(part, longest, observed + heads)
    return max(longest[interaction][observed], observed)


def _longest(term: Interaction, of: dict[Interaction, list[int]], observed: int) -> list[int]:
    """The length of the longest trace with at most n actions observed, for n from 0 to
    `observed`."""
    upto = range(observed + 1)
    if term.left is None:
        return [0 if term.action is None else 1 for _ in upto]
    left = of[term.left]
    if term.operator in LOOPS:
        more = 1 if term.operator is Operator.LOOP_H else 0
        best = [0]
        for n in upto[1:]:
            best.append(max(left[min(m + more, observed)] + best[n - m] for m in range(1, n + 1)))
        return best
    if term.right is None:
        return left
    right = of[term.right]
    if term.operator is Operator.ALT:
        return [max(left[n], right[n]) for n in upto]
    return [max(left[m] + right[n - m] for m in range(n + 1)) for n in upto]


def ends(interaction: Interaction, multitrace: MultiTrace) -> frozenset[str]:
    """The ends among `Cov`, `TooShort`, `LackObs`, `Out` that the graph of the small-step paper,
    Definition 11, reaches, with rule R4 split as in section 4.5.

    A component counts as emptied only if the interaction has an action on it (docs/verify.md).
    The multi-trace has a component for every lifeline of the interaction.
    """
    observed = [tuple(part.actions) for part in multitrace.components]
    matters = [bool(interaction.lifelines & known_mask(c.lifelines)) for c in multitrace.components]
    start = (interaction, (0,) * len(observed))
    visited = {start}
    pending = [start]
    found: set[str] = set()
    while pending:
        term, places = pending.pop()
        heads: list[Action | None] = [
            actions[place] if place < len(actions) else None
            for actions, place in zip(observed, places, strict=True)
        ]
        if all(head is None for head in heads):
            found.add(COVERED if term.terminates else TOO_SHORT)
            continue
        matched = False
        for _, action, follow_up in frontier(term):
            if action not in heads:
                continue
            matched = True
            number = heads.index(action)
            vertex = (follow_up, (*places[:number], places[number] + 1, *places[number + 1 :]))
            if vertex not in visited:
                visited.add(vertex)
                pending.append(vertex)
        if not matched:
            emptied = any(
                head is None and relevant for head, relevant in zip(heads, matters, strict=True)
            )
            found.add(LACKS_OBSERVATION if emptied else OUT)
    return frozenset(found)


def _verdict_of_ends(found: frozenset[str]) -> Verdict:
    if COVERED in found:
        return Verdict.PASS
    if TOO_SHORT in found:
        return Verdict.WEAK_PASS
    return Verdict.INCONC if LACKS_OBSERVATION in found else Verdict.FAIL
