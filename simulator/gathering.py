"""Judging from what was gathered, again and again: the heart of `push` and `central`.

A gathering monitor inquires nothing. It judges an event by what it knows at that moment
and judges it anew whenever it learns of another event that matters; its words are
provisional, and the last one counts once the network is quiet. At any fixpoint the rules
keep G1 and G2 by the same argument as for pulling: along the real order of events, what
fired is judged possible at least, and what is judged sure did fire.

Events that are concurrent and may each continue the other could take turns in reviving
and refuting each other for ever while the news travel. So after `MAX_REVISIONS` changes
a judgement stays `Frm_p`, which is always right, and less precise.

Nothing is ever dropped: these strategies are there to be compared with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from choreomon.core.message import Event, Label
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import FRM_P, Judgement, Reference, Result
from choreomon.monitor.history import Chain, Record
from choreomon.monitor.rules import NOTHING, STARTS, Rules
from choreomon.properties.tables import Inspected, TransitionTable

MAX_REVISIONS: Final = 8


class Judged(NamedTuple):
    """What one transition came to at one event, and how often that has changed."""

    inspected: Inspected
    event: VectorClock
    judgement: Judgement
    revision: int


class Gathering:
    """Everything gathered so far, with the judgements of the events of `tables`.

    Not a value: it grows with the run. Its methods are deterministic functions of the
    calls before.
    """

    def __init__(
        self, tables: Sequence[TransitionTable], processes: tuple[str, ...], rules: Rules
    ) -> None:
        self.rules = rules
        self.index_of: Mapping[str, int] = {p: i for i, p in enumerate(processes)}
        self.inspections: dict[Label, tuple[Inspected, ...]] = {}
        self.needed_by: dict[Reference, list[Reference]] = {}
        for table in tables:
            self.inspections.update(table.inspections)
            for row in table.rows:
                for asked in ((row.pre,) if row.pre else ()) + row.vio:
                    needing = self.needed_by.setdefault(asked, [])
                    if row.transition.reference not in needing:
                        needing.append(row.transition.reference)
        self.judged: dict[Reference, list[Judged]] = {}
        self.chains: dict[Reference, Chain] = {}
        self.revisions: dict[tuple[Reference, VectorClock], int] = {}

    @property
    def records(self) -> int:
        """The size of what is remembered as fired."""
        return sum(map(len, self.chains.values()))

    def observe(self, event: Event) -> list[Judged]:
        """Judge an event of one of the tables' processes; all judgements that are new or
        changed, its own first."""
        changed: list[Judged] = []
        own = self.index_of[event.process]
        for inspected in self.inspections[event.label]:
            reference = inspected.reference
            entries = self.judged.setdefault(reference, [])
            place = len(entries)  # late notices go where they belong
            while place and entries[place - 1].event[own] > event.clock[own]:
                place -= 1
            entries.insert(place, Judged(inspected, event.clock, NOTHING, 0))
        for inspected in self.inspections[event.label]:
            entries = self.judged[inspected.reference]
            place = next(
                i
                for i in range(len(entries) - 1, -1, -1)
                if entries[i].event[own] == event.clock[own]
            )
            judgement = self._judge(inspected, event.clock, own)
            entries[place] = Judged(inspected, event.clock, judgement, 0)
            changed.append(entries[place])
            self._set(inspected.reference, event.clock, judgement.result)
        changed += self._spread([(judged.inspected.reference, event.clock) for judged in changed])
        return changed

    def learn(
        self, reference: Reference, event: VectorClock, result: Result | None, revision: int
    ) -> list[Judged]:
        """Take over what another monitor judged; the judgements that change by it."""
        known = self.revisions.get((reference, event), -1)
        if revision <= known:
            return []
        self.revisions[reference, event] = revision
        self._set(reference, event, result)
        return self._spread([(reference, event)])

    def _set(self, reference: Reference, event: VectorClock, result: Result | None) -> None:
        own = self.index_of[reference.process]
        chain = self.chains.get(reference, ())
        place = len(chain)
        while place and chain[place - 1].clock[own] >= event[own]:
            place -= 1
        tail = chain[place:]
        if tail and tail[0].clock == event:
            tail = tail[1:]
        record = () if result is None else (Record(reference, event, result),)
        self.chains[reference] = chain[:place] + record + tail

    def _spread(self, news: list[tuple[Reference, VectorClock]]) -> list[Judged]:
        """Judge anew whatever the news concern, and what that concerns in turn."""
        changed: list[Judged] = []
        while news:
            reference, event = news.pop(0)
            for needing in self.needed_by.get(reference, ()):
                for place in self._concerned(needing, event):
                    entry = self.judged[needing][place]
                    revised = self._revised(entry)
                    if revised is None:
                        continue
                    self.judged[needing][place] = revised
                    changed.append(revised)
                    if revised.judgement.result != entry.judgement.result:
                        self._set(needing, entry.event, revised.judgement.result)
                        news.append((needing, entry.event))
        return changed

    def _concerned(self, needing: Reference, event: VectorClock) -> Iterator[int]:
        """Where in `judged[needing]` the events are that did not happen before `event`,
        newest first: only those can be concerned by it."""
        own = self.index_of[needing.process]
        entries = self.judged.get(needing, [])
        for place in range(len(entries) - 1, -1, -1):
            if entries[place].event[own] <= event[own]:
                return
            yield place

    def _revised(self, entry: Judged) -> Judged | None:
        """The entry judged anew, or `None` where nothing changed."""
        if entry.inspected.starts:
            return None
        own = self.index_of[entry.inspected.reference.process]
        judgement = self._judge(entry.inspected, entry.event, own)
        if entry.revision >= MAX_REVISIONS:
            judgement = judgement._replace(result=FRM_P)
        if judgement == entry.judgement:
            return None
        changes = judgement.result != entry.judgement.result
        return Judged(entry.inspected, entry.event, judgement, entry.revision + changes)

    def _judge(self, inspected: Inspected, event: VectorClock, own: int) -> Judgement:
        if inspected.starts:
            return STARTS
        records: list[Record] = []
        for _, asked in inspected.asks:
            for reference in asked:
                chain = self.chains.get(reference)
                if chain:
                    index = self.index_of[reference.process]
                    records += self.rules.answer(chain, index, event, own)
        return self.rules.judge(inspected, event, own, records, self.index_of)
