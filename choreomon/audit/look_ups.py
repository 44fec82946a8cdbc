"""A window by the `sound` rules: what they are sure of needs no search.

Every event is judged by the tables of the monitors, with records of the window's other events, as
if every monitor had answered. The rules keep G1 and G2 (docs/verdicts.md), so what they call
violated is formed in every order, and what they are silent about in none; only of what they call
possible the orders have to be looked at. So it is with what is live after the window.

They know nothing of gaps here; windows with gaps are searched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias, cast

from choreomon.audit.items import Item
from choreomon.core.message import BEGINNING, Label
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import FRM, FRM_P, NEVER, Reference, Result
from choreomon.monitor.history import OPEN, Chain, Record, place_in, relevant
from choreomon.monitor.record_by_record import SOUND
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.partial_order import LiveSet, live_bits
from choreomon.properties.relations import vio_transitions
from choreomon.properties.resting import Need
from choreomon.properties.tables import Inspected, transition_tables

_Chains: TypeAlias = dict[Reference, list[Record]]
"""The records that fired, may have fired, or are not judged yet, by transition, in the order of the
process."""


class Judged(NamedTuple):
    """`formed` by the numbers of the items, where it is not None. Live after all of them are the
    transitions `surely`, and perhaps `perhaps`."""

    formed: dict[int, Result]
    surely: LiveSet
    perhaps: LiveSet


@dataclass(frozen=True)
class LookUps:
    """The tables of one automaton; `processes` have the order of clocks."""

    automaton: SequenceAutomaton
    processes: tuple[str, ...]

    def judged(self, items: Sequence[Item], live: LiveSet) -> Judged:
        """Labelled items in an order in which each comes after all that it knows, of which `live`
        is before them all."""
        chains: _Chains = {}
        before = (0,) * len(self.processes)
        for (source, target), bit in self._bits.items():
            for reference in self._references[source, target] if live & bit else ():
                chains[reference] = [Record(reference, before, FRM)]
        for item in items:
            for inspected in self._inspected(item.label):
                found = chains.setdefault(inspected.reference, [])
                found.append(Record(inspected.reference, item.clock, OPEN))
        formed: dict[int, Result] = {}
        for item in items:
            results = [
                (inspected, FRM if inspected.starts else self._result(inspected, item, chains))
                for inspected in self._inspected(item.label)
            ]
            for inspected, result in results:
                chain = chains[inspected.reference]
                place = place_in(cast(Chain, chain), item.process, item.rank)
                if result is None:
                    del chain[place]
                else:
                    chain[place] = Record(inspected.reference, item.clock, result)
                    if inspected.final and formed.get(item.number) != FRM:
                        formed[item.number] = result
        surely = perhaps = 0
        for pair, bit in self._bits.items():
            for reference in self._references[pair]:
                result = self._left(reference, chains)
                surely |= bit if result == FRM else 0
                perhaps |= bit if result == FRM_P else 0
        return Judged(formed, surely, perhaps & ~surely)

    @cached_property
    def _bits(self) -> Mapping[tuple[str, str], LiveSet]:
        return live_bits(self.automaton)

    @cached_property
    def _references(self) -> Mapping[tuple[str, str], tuple[Reference, ...]]:
        return {
            pair: tuple(
                dict.fromkeys(
                    t.reference for t in self.automaton.forward if (t.source, t.target) == pair
                )
            )
            for pair in self._bits
        }

    @cached_property
    def _by_label(self) -> Mapping[Label, tuple[Inspected, ...]]:
        tables = transition_tables(self.automaton, self.processes, "sound")
        return {
            label: found for table in tables.values() for label, found in table.inspections.items()
        }

    @cached_property
    def _at_the_end(self) -> Mapping[Reference, Inspected]:
        """Look each one up as if a transition needed it alone."""
        found = {}
        for t in self.automaton.forward:
            vio = dict.fromkeys(v.reference for v in vio_transitions(self.automaton, t))
            need = Need(t.reference, tuple(vio))
            found[t.reference] = Inspected(t.reference, False, False, (need,), ())
        return found

    @cached_property
    def _index_of(self) -> Mapping[str, int]:
        """A beginning counts as of the first process: it is among what is live from the start."""
        return {BEGINNING: 0} | {process: index for index, process in enumerate(self.processes)}

    def _inspected(self, label: Label | None) -> tuple[Inspected, ...]:
        assert label is not None
        return self._by_label[label]

    def _result(self, inspected: Inspected, item: Item, chains: _Chains) -> Result | None:
        return self._judge(inspected, item.clock, item.process, chains)

    def _left(self, reference: Reference, chains: _Chains) -> Result | None:
        last = (NEVER,) * len(self.processes)
        return self._judge(self._at_the_end[reference], last, 0, chains)

    def _judge(
        self,
        inspected: Inspected,
        clock: VectorClock,
        own: int,
        chains: _Chains,
    ) -> Result | None:
        records: list[Record] = []
        for pre, vio, others in inspected.needs:
            for reference in (pre, *others, *vio):
                chain = chains.get(reference)
                if chain:
                    index = self._index_of[reference.process]
                    records += relevant(cast(Chain, chain), index, clock, own)
        return SOUND.judge(inspected, clock, own, records, self._index_of).result
