"""Meaning of a property over a partial order: a search over consistent cuts.

The orders of a run that are consistent with happened-before may disagree on whether the
property is formed at an event (G3 in docs/verdicts.md, "What is guaranteed"). `evaluate`
says for every event whether they all form it there, none does, or they disagree, as
enumerating all of them would (`evaluate_slowly` does that), but by walking the lattice of
consistent cuts with the sets of live transitions that are possible at each.

Three things make it fast enough. Only labelled events count. Of a live transition only
its two states matter, never the event at which it fired, so a live set is a bit mask.
And what an event does to a *set* of live sets is remembered: few different ones occur.

The lattice can still be exponential in the number of processes; `max_cuts` bounds it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from functools import cache
from typing import Final, NamedTuple, TypeAlias

from choreomon.core.errors import BudgetExceeded
from choreomon.core.message import BEGIN, Event, Label
from choreomon.core.vector_clock import knows
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.reference import formations
from choreomon.properties.relations import pre_transitions

MAX_CUTS: Final = 1_000_000
SETS_A_CUT: Final = 64
"""Live sets at a cut that the budget allows on average: few are usual, but their number is
exponential in the forward transitions at worst."""


class Formed(Enum):
    """Formation at an event, over all orders that are consistent with happened-before."""

    ALWAYS = "always"
    NEVER = "never"
    SOMETIMES = "sometimes"


LiveSet: TypeAlias = int
"""Bit i is set when the forward transition number i is live."""


class _Step(NamedTuple):
    """The effect of an event on a set of live sets."""

    after: frozenset[LiveSet]
    some_formed: bool
    all_formed: bool


def evaluate(
    automaton: SequenceAutomaton,
    processes: Sequence[str],
    events: Sequence[Event],
    *,
    max_cuts: int = MAX_CUTS,
) -> list[Formed]:
    """Evaluate for every event, in the order given, where the property is formed.

    `events` may come in any order; the order of `processes` is that of clock entries.
    Raises `BudgetExceeded` when more than `max_cuts` consistent cuts would be visited, or
    more than `SETS_A_CUT` times as many live sets at them.
    """
    step = _stepper(automaton)
    watched = set(automaton.labels)
    index_of = {process: index for index, process in enumerate(processes)}
    chains: list[list[int]] = [[] for _ in processes]
    for number, event in enumerate(events):
        if event.label in watched:
            chains[index_of[event.process]].append(number)
    for index, chain in enumerate(chains):
        chain.sort(key=lambda number: events[number].clock[index])
    needed = _needed(events, chains)
    some, every = [False] * len(events), [True] * len(events)

    cuts = {(0,) * len(chains): frozenset({begun(automaton)})}
    visited = sets = 0
    while cuts:
        visited += len(cuts)
        if visited > max_cuts:
            raise BudgetExceeded(f"more than {max_cuts} consistent cuts")
        sets += sum(map(len, cuts.values()))
        if sets > max_cuts * SETS_A_CUT:
            raise BudgetExceeded(f"more than {max_cuts * SETS_A_CUT} sets of live transitions")
        following: dict[tuple[int, ...], frozenset[LiveSet]] = {}
        for cut, live in cuts.items():
            for index, done in enumerate(cut):
                chain = chains[index]
                if done == len(chain):
                    continue
                number = chain[done]
                if any(cut[other] < least for other, least in needed[number]):
                    continue
                after, some_formed, all_formed = step(events[number].label, live)
                if some_formed:
                    some[number] = True
                if not all_formed:
                    every[number] = False
                larger = (*cut[:index], done + 1, *cut[index + 1 :])
                known = following.get(larger)
                following[larger] = after if known is None or known is after else known | after
        cuts = following
    return [
        Formed.NEVER if not some[number] else Formed.ALWAYS if every[number] else Formed.SOMETIMES
        for number in range(len(events))
    ]


def _needed(
    events: Sequence[Event], chains: Sequence[Sequence[int]]
) -> dict[int, tuple[tuple[int, int], ...]]:
    """Map every labelled event to the number of labelled events of each other process that a cut
    must have before it, without zeros."""
    needed = {}
    for own, chain in enumerate(chains):
        for number in chain:
            clock = events[number].clock
            least = []
            for other, others in enumerate(chains):
                if other == own:
                    continue
                # Sorted by count, so those that are known come first.
                count = bisect_right(
                    others, clock[other], key=lambda before: events[before].clock[other]
                )
                if count:
                    least.append((other, count))
            needed[number] = tuple(least)
    return needed


def _stepper(
    automaton: SequenceAutomaton,
) -> Callable[[Label, frozenset[LiveSet]], _Step]:
    """A remembered function of a label and a set of live sets."""
    one = live_stepper(automaton)

    @cache
    def step(label: Label, sets: frozenset[LiveSet]) -> _Step:
        results = [one(label, live) for live in sets]
        return _Step(
            frozenset(after for after, _ in results),
            any(formed for _, formed in results),
            all(formed for _, formed in results),
        )

    return step


def live_bits(automaton: SequenceAutomaton) -> dict[tuple[str, str], LiveSet]:
    """The bit of each pair of states between which a forward transition lies. Parallel transitions
    share one."""
    pairs = dict.fromkeys((t.source, t.target) for t in automaton.forward)
    return {pair: 1 << number for number, pair in enumerate(pairs)}


def begun(automaton: SequenceAutomaton) -> LiveSet:
    """Return what is live before every event."""
    bit = live_bits(automaton)
    return sum({bit[t.source, t.target] for t in automaton.begun})


def live_stepper(
    automaton: SequenceAutomaton,
) -> Callable[[Label, LiveSet], tuple[LiveSet, bool]]:
    """A remembered function of a label and a live set: what is live after an event with that
    label, and whether it forms the property. Bits beyond those of `live_bits` are kept as they
    are. The label is one of the automaton's."""
    rules = _rules_of(automaton)

    @cache
    def one(label: Label, live: LiveSet) -> tuple[LiveSet, bool]:
        fires, removes = rules[label]
        removed = 0
        for pre, cancelled in removes:
            if live & pre:
                removed |= cancelled
        fired, formed = 0, False
        for starts, pre, bit, final in fires:
            if starts or live & pre:
                fired |= bit
                formed = formed or final
        return live & ~removed | fired, formed

    return one


class _LabelRules(NamedTuple):
    """The effects of a label: what it fires `(starts, pre mask, own bit, final)` and what it
    cancels `(pre mask, cancelled mask)`. Parallel transitions share one bit."""

    fires: list[tuple[bool, int, int, bool]]
    removes: list[tuple[int, int]]


def _rules_of(automaton: SequenceAutomaton) -> dict[Label, _LabelRules]:
    bit = live_bits(automaton)
    rules = {label: _LabelRules([], []) for label in (*automaton.labels, BEGIN)}
    pres: dict[tuple[str, str], int] = {}
    cancelled: dict[tuple[str, str], int] = {}
    for t in (*automaton.forward, *automaton.backward):
        ends = t.source, t.target
        if ends not in pres:
            pre = {(each.source, each.target) for each in pre_transitions(automaton, t)}
            pres[ends] = sum(bit[pair] for pair in pre)
            cancelled[ends] = sum(b for pair, b in bit.items() if t in automaton.cancelling[pair])
        if ends in bit:
            starts, final = t.source in automaton.initial, t.target in automaton.final
            rules[t.label].fires.append((starts, pres[ends], bit[ends], final))
        else:
            rules[t.label].removes.append((pres[ends], cancelled[ends]))
    return rules


def evaluate_slowly(
    automaton: SequenceAutomaton, processes: Sequence[str], events: Sequence[Event]
) -> list[Formed]:
    """Evaluate by enumerating every order. Factorial; for tests."""
    formed_in: list[set[bool]] = [set() for _ in events]
    for order in _linear_extensions(processes, events):
        formed = {f.index for f in formations(automaton, [events[n].label for n in order])}
        for position, number in enumerate(order):
            formed_in[number].add(position in formed)
    return [
        Formed.SOMETIMES if len(seen) == 2 else Formed.ALWAYS if True in seen else Formed.NEVER
        for seen in formed_in
    ]


def _linear_extensions(
    processes: Sequence[str], events: Sequence[Event]
) -> Iterator[tuple[int, ...]]:
    index_of = {process: index for index, process in enumerate(processes)}

    def before(first: Event, second: Event) -> bool:
        index = index_of[first.process]
        return first is not second and knows(second.clock, index, first.clock[index])

    def extend(order: tuple[int, ...], left: frozenset[int]) -> Iterator[tuple[int, ...]]:
        if not left:
            yield order
        for number in sorted(left):
            if not any(before(events[other], events[number]) for other in left):
                yield from extend((*order, number), left - {number})

    return extend((), frozenset(range(len(events))))
