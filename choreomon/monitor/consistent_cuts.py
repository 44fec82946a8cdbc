"""What an event may have fired, over all orders that are consistent with happened-before: a search
upwards through the consistent cuts of what is known to have happened.

`choreomon.properties.partial_order` does this with the whole property and all events, and is what
this is held against. Here transitions have no labels, of some events it is known what they fired,
of others what they rest on, and of some nothing at all:

- a record `Frm` fires, whatever is live;
- `Frm_p` fires where one of its pre-transitions is live, that is what it rests on is among the
  records, too;
- an open one (`?`) may have fired or not;
- so may anything from `since` to `clock`, where a record says of a stretch of time that its
  transition may have fired in it. (`since` of a `Frm` says something else:
  `choreomon.monitor.precise`.)

A state of the search is what must and what may be live. Where nothing is open the two are the same,
and the search is exact. Where something is, `Outcomes` says of an order `yes` or `no` only if that
is so whatever the open ones come to; so outcomes that differ stay different. What is open is put
together, not branched on: that costs certainty where two open ones make up for each other, and no
time.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Final, NamedTuple, TypeAlias

from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import FRM, FRM_P, Reference
from choreomon.monitor.history import Record
from choreomon.properties.tables import Skeleton

MAX_STATES: Final = 8_000
"""States that are looked at for one event; where there are more, the rest counts as unknown."""

Live: TypeAlias = tuple[int, int]
"""The transitions that must be live and those that may be, as bits."""

Cut: TypeAlias = tuple[int, ...]
"""How many events of each process that has any are in it."""


@dataclass(slots=True)
class Outcomes:
    """Outcomes of asking whether something fired: in some order surely, in some surely not, in some
    that depends on what is open, or that were not looked at."""

    yes: bool = False
    no: bool = False
    unknown: bool = False

    def add(self, surely: bool, possibly: bool) -> None:
        if surely:
            self.yes = True
        elif possibly:
            self.unknown = True
        else:
            self.no = True

    @property
    def always(self) -> bool:
        return not self.no and not self.unknown

    @property
    def never(self) -> bool:
        return not self.yes and not self.unknown

    @property
    def both(self) -> bool:
        """The orders disagree, whatever the open ones come to."""
        return self.yes and self.no


class Found(NamedTuple):
    """Outcomes of each transition that was asked about, and of all final ones together; `cut_off`:
    the search was."""

    each: tuple[Outcomes, ...]
    final: Outcomes
    cut_off: bool


class _Effect(NamedTuple):
    """Effect of one transition, with the `result` of its record: `pre` are the bits of which one
    must be live, `adds` its own bit where it is a forward one, `takes` what it cancels."""

    result: str
    pre: int
    adds: int
    takes: int


class _Event(NamedTuple):
    """The effects of one event, and how many events of which chains happened before it."""

    effects: tuple[_Effect, ...]
    least: tuple[tuple[int, int], ...]


class _Stretch(NamedTuple):
    """Stretch of cuts, from `least` to `most`, chain by chain, at which these may fire."""

    least: Cut
    most: Cut
    adds: int
    takes: int


class Bits:
    """The transitions of a skeleton as bits, numbered as they are met. Made once for a monitor.
    `cancels`: what each backward transition cancels."""

    def __init__(self, skeleton: Skeleton) -> None:
        bits: dict[Reference, int] = {}
        # The owners of one transition share what it needs, so that is looked at once.
        shared = {id(need): need for needs in skeleton.values() for need in needs}
        taken: dict[Reference, dict[int, None]] = {}
        for key, need in shared.items():
            for pre in need.pres:
                bits.setdefault(pre, 1 << len(bits))
            for each in need.vio:
                taken.setdefault(each, {})[key] = None
        bits_of = {
            key: reduce(or_, [bits[pre] for pre in need.pres]) for key, need in shared.items()
        }
        together = {
            keys: tuple(dict.fromkeys(pre for key in keys for pre in shared[key].pres))
            for keys in map(tuple, taken.values())
        }
        self.cancels: dict[Reference, tuple[Reference, ...]] = {
            each: together[tuple(keys)] for each, keys in taken.items()
        }
        self._effects: dict[Reference, tuple[int, int, int]] = {}
        for reference, needs in skeleton.items():
            needed = cancelled = 0
            for need in needs:
                needed |= bits_of[id(need)]
            for key in taken.get(reference, ()):
                cancelled |= bits_of[key]
            self._effects[reference] = (needed, bits.get(reference, 0), cancelled)

    def effect(self, reference: Reference, result: str) -> _Effect:
        return _Effect(result, *self._effects[reference])


def possible_outcomes(
    bits: Bits,
    index_of: Mapping[str, int],
    event: VectorClock,
    own: int,
    asked: Sequence[tuple[Reference, bool]],
    records: Sequence[Record],
    *,
    most: int = MAX_STATES,
) -> Found:
    """Find out whether the transitions `asked`, each with whether it is final, fired at `event` of
    the process at `own`, by `records`. Those of the event itself, and of what happened after it,
    are left out. `bits` knows all transitions that are recorded or asked about."""
    chains, events, stretches = _arranged(bits, index_of, event, own, records)
    least = _before(chains, event, own)
    pres = [(bits.effect(reference, FRM_P).pre, final) for reference, final in asked]
    each = tuple(Outcomes() for _ in asked)
    final = Outcomes()
    wanted = [*each, final] if any(is_final for _, is_final in asked) else [*each]
    seen = 0
    for cut, lives in _reached(events, stretches):
        seen += len(lives)
        if all(count >= there for count, there in zip(cut, least, strict=True)):
            for must, may in lives:
                surely = possibly = False
                for outcomes, (pre, is_final) in zip(each, pres, strict=True):
                    outcomes.add(bool(must & pre), bool(may & pre))
                    if is_final:
                        surely, possibly = surely or bool(must & pre), possibly or bool(may & pre)
                final.add(surely, possibly)
            if all(outcomes.both for outcomes in wanted):
                return Found(each, final, False)
        if seen > most:
            for outcomes in wanted:
                outcomes.unknown = True
            return Found(each, final, True)
    return Found(each, final, False)


def _reached(
    events: Sequence[Sequence[_Event]], stretches: Sequence[_Stretch]
) -> Iterator[tuple[Cut, frozenset[Live]]]:
    """Yield every consistent cut with what may be live there, smaller ones first."""
    disturbing = _Disturbing(stretches, [len(each) for each in events])
    cuts: dict[Cut, set[Live]] = {(0,) * len(events): {(0, 0)}}
    while cuts:
        following: dict[Cut, set[Live]] = {}
        for cut, before in cuts.items():
            adds, takes = disturbing.at(cut)
            lives = frozenset([(must & ~takes, may | adds) for must, may in before])
            yield cut, lives
            for place, done in enumerate(cut):
                if done == len(events[place]):
                    continue
                happening = events[place][done]
                if any(cut[other] < count for other, count in happening.least):
                    continue
                larger = (*cut[:place], done + 1, *cut[place + 1 :])
                following.setdefault(larger, set()).update(
                    [after(happening.effects, live) for live in lives]
                )
        cuts = following


class _Disturbing:
    """Transitions that may fire at a cut, by the stretches that it is in. For each place of a cut
    and each count there it is kept which stretches allow it, as the bits of one number."""

    def __init__(self, stretches: Sequence[_Stretch], sizes: Sequence[int]) -> None:
        self._stretches = stretches
        self._allowed = [[0] * (size + 1) for size in sizes]
        for number, (least, most, _, _) in enumerate(stretches):
            for allowed, first, last in zip(self._allowed, least, most, strict=True):
                for count in range(first, last + 1):
                    allowed[count] |= 1 << number
        self._together: dict[int, tuple[int, int]] = {0: (0, 0)}

    def at(self, cut: Cut) -> tuple[int, int]:
        """Return what all of them may add there, and what they may take."""
        within = (1 << len(self._stretches)) - 1
        for allowed, count in zip(self._allowed, cut, strict=True):
            within &= allowed[count]
        found = self._together.get(within)
        if found is None:
            adds = takes = 0
            for number, stretch in enumerate(self._stretches):
                if within >> number & 1:
                    adds |= stretch.adds
                    takes |= stretch.takes
            found = self._together[within] = adds, takes
        return found


def after(effects: Sequence[_Effect], live: Live) -> Live:
    """Return the transitions that are live after an event. All that the event labels are judged by
    those that were live before it."""
    before_must, before_may = must, may = live
    fired = perhaps = 0
    for result, pre, adds, takes in effects:
        if result == FRM or (result == FRM_P and before_must & pre):
            must &= ~takes
            may &= ~takes
            fired |= adds
        elif result != FRM_P or before_may & pre:
            must &= ~takes
            perhaps |= adds
            if result == FRM_P:  # what it needs would have fired it, so it is live no more
                may &= ~(takes & pre)
    return must | fired, may | fired | perhaps


def _arranged(
    bits: Bits,
    index_of: Mapping[str, int],
    event: VectorClock,
    own: int,
    records: Sequence[Record],
) -> tuple[list[tuple[int, list[VectorClock]]], list[list[_Event]], list[_Stretch]]:
    """The events of each process that has any, oldest first, as its index and their clocks; what
    they do; and the stretches."""
    effects: dict[int, dict[int, tuple[VectorClock, list[_Effect]]]] = {}
    wide: list[tuple[int, Record]] = []
    count = event[own]
    for record in records:
        reference, clock, result, since = record
        index = index_of[reference.process]
        if since is not None and result != FRM:
            if since[own] < count:
                wide.append((index, record))
        elif clock[own] < count:
            at = effects.setdefault(index, {}).setdefault(clock[index], (clock, []))
            at[1].append(bits.effect(reference, result))
    chains = [
        (index, [there[number][0] for number in sorted(there)])
        for index, there in sorted(effects.items())
    ]
    events = [
        [
            _Event(tuple(effects[index][clock[index]][1]), _needed(chains, place, clock))
            for clock in clocks
        ]
        for place, (index, clocks) in enumerate(chains)
    ]
    return chains, events, [_stretch(bits, chains, index, record) for index, record in wide]


def _needed(
    chains: Sequence[tuple[int, list[VectorClock]]], own: int, clock: VectorClock
) -> tuple[tuple[int, int], ...]:
    found = []
    for place, (index, clocks) in enumerate(chains):
        if place != own:
            known = bisect_right(clocks, clock[index], key=lambda other: other[index])
            if known:
                found.append((place, known))
    return tuple(found)


def _before(chains: Sequence[tuple[int, list[VectorClock]]], event: VectorClock, own: int) -> Cut:
    """Count the events of each chain that happened before this one of the process at `own`."""
    return tuple(
        bisect_right(clocks, event[index] - (index == own), key=lambda other: other[index])
        for index, clocks in chains
    )


def _stretch(
    bits: Bits,
    chains: Sequence[tuple[int, list[VectorClock]]],
    index: int,
    record: Record,
) -> _Stretch:
    since, last = record.first, record.clock[index]
    least = []
    for chain, clocks in chains:
        known = since[chain] - (chain == index)
        least.append(bisect_right(clocks, known, key=lambda other: other[chain]))
    # What its last event fired is live after whatever else that event did.
    most = [
        bisect_left(clocks, last + (chain == index), key=lambda other: other[index])
        for chain, clocks in chains
    ]
    effect = bits.effect(record.reference, record.result)
    return _Stretch(tuple(least), tuple(most), effect.adds, effect.takes)
