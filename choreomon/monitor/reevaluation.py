"""Evaluation again and again, of what is known so far: the heart of `push` and `central`.

A monitor of these inquires nothing. It judges an event by what it knows at that moment
and judges it anew whenever it learns of another event that matters; its verdicts are
provisional, and the last one counts once the network is quiet. At any fixpoint the rules
keep G1 and G2 by the same argument as for pulling: along the real order of events, what
fired is judged possible at least, and what is judged sure did fire.

Events that are concurrent and may each continue the other could take turns in reviving
and refuting each other for ever while what they tell travels. So after `MAX_REVISIONS` changes
a judgement stays `Frm_p`, which is always right, and less precise.

Most changes leave most results as they are, and those judgements are not made anew: see
`Reevaluation._concerned`. Their reasons grow old meanwhile, and may turn out wrong: what a
result rests on is cancelled, and something else has taken its place. So the reasons that
count are asked for once, when the network is quiet: `Reevaluation.explained`.

Nothing is ever dropped: these strategies are there to be compared with.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from choreomon.core.message import Event, Label
from choreomon.core.vector_clock import VectorClock, indices
from choreomon.core.verdict import (
    FRM,
    FRM_P,
    Judgement,
    MonitorVerdict,
    Reason,
    Reference,
    Result,
)
from choreomon.monitor.history import Chain, Record
from choreomon.monitor.record_by_record import RecordByRecord
from choreomon.monitor.rules import NOTHING, STARTS
from choreomon.properties.tables import Inspected, TransitionTable

MAX_REVISIONS: Final = 8


class Judged(NamedTuple):
    """Judgement on one transition at one event, and how often that result has changed. The reasons
    are those of the last change, and need not hold any more."""

    inspected: Inspected
    event: VectorClock
    judgement: Judgement
    revision: int


class RecordChange(NamedTuple):
    """A record that appeared (`was` is `None`), vanished (`now` is `None`) or changed its
    result; `older` and `newer` are the clocks of its neighbours in the chain at that
    moment."""

    reference: Reference
    event: VectorClock
    was: Result | None
    now: Result | None
    older: VectorClock | None
    newer: VectorClock | None


class Reevaluation:
    """Collection of everything gathered so far, with the judgements of the events of `tables`.

    Not a value: it grows with the run. Its methods are deterministic functions of the
    calls before.
    """

    def __init__(
        self, tables: Sequence[TransitionTable], processes: tuple[str, ...], rules: RecordByRecord
    ) -> None:
        self.rules = rules
        self.index_of = indices(processes)
        self.inspections: dict[Label, tuple[Inspected, ...]] = {}
        # Who needs a reference, and which of its results a record that is concurrent to
        # the judged event can change by appearing.
        self.needed_by: dict[Reference, dict[Reference, set[Result | None]]] = {}
        for table in tables:
            self.inspections.update(table.inspections)
            for row in table.rows:
                needing = row.transition.reference
                if row.pre:
                    self._need(row.pre, needing).add(None)
                for vio in row.vio:
                    self._need(vio, needing).add(FRM)
        self.judged: dict[Reference, list[Judged]] = {}
        self.chains: dict[Reference, Chain] = {}
        self.revisions: dict[tuple[Reference, VectorClock], int] = {}

    def _need(self, asked: Reference, needing: Reference) -> set[Result | None]:
        return self.needed_by.setdefault(asked, {}).setdefault(needing, set())

    @property
    def records(self) -> int:
        """The number of records of fired transitions that are kept."""
        return sum(map(len, self.chains.values()))

    @property
    def remembered(self) -> tuple[object, ...]:
        """Return all that grows with the run, as plain values; of a row of a table only its
        name."""
        return (
            list(self.chains.items()),
            [
                (reference, [(each.event, each.judgement, each.revision) for each in entries])
                for reference, entries in self.judged.items()
            ],
            list(self.revisions.items()),
        )

    def observe(self, event: Event) -> list[Judged]:
        """Judge an event of one of the tables' processes; all judgements that are new or
        have another result now, its own first."""
        changed: list[Judged] = []
        changes: list[RecordChange] = []
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
            changes += self._set(inspected.reference, event.clock, judgement.result)
        return changed + self._spread(changes)

    def learn(
        self, reference: Reference, event: VectorClock, result: Result | None, revision: int
    ) -> list[Judged]:
        """Take over the judgements of another monitor, and return the judgements whose results
        change."""
        known = self.revisions.get((reference, event), -1)
        if revision <= known:
            return []
        self.revisions[reference, event] = revision
        return self._spread(self._set(reference, event, result))

    def explained(self, verdict: MonitorVerdict) -> MonitorVerdict:
        """A verdict that rests on the judgements here, with the reasons that it has by all that
        is known now; everything else about it stays.

        Not guaranteed: where a judgement stays `Frm_p` after `MAX_REVISIONS`, the reasons
        may say more than the verdict does, or less.
        """
        own = self.index_of[verdict.process]
        because: dict[Reason, None] = {}
        for reference in verdict.transitions:
            entries = self.judged[reference]
            place = bisect_left(entries, verdict.clock[own], key=lambda entry: entry.event[own])
            judgement = self._judge(entries[place].inspected, verdict.clock, own)
            because.update(dict.fromkeys(judgement.because))
        return verdict._replace(because=tuple(because))

    def _set(
        self, reference: Reference, event: VectorClock, result: Result | None
    ) -> tuple[RecordChange, ...]:
        """Note what became of an event; the change, where there is one."""
        own = self.index_of[reference.process]
        chain = self.chains.get(reference, ())
        place = len(chain)
        while place and chain[place - 1].clock[own] >= event[own]:
            place -= 1
        tail = chain[place:]
        was: Result | None = None
        if tail and tail[0].clock == event:
            was = FRM if tail[0].result == FRM else FRM_P
            tail = tail[1:]
        if was == result:
            return ()
        record = () if result is None else (Record(reference, event, result),)
        self.chains[reference] = chain[:place] + record + tail
        older = chain[place - 1].clock if place else None
        newer = tail[0].clock if tail else None
        return (RecordChange(reference, event, was, result, older, newer),)

    def _spread(self, first: Iterable[RecordChange]) -> list[Judged]:
        """Judge anew whatever the changes concern, and what that concerns in turn: a worklist
        algorithm.

        A judgement anew is by all that is known, later changes in the queue included. So an
        entry is always as if judged after some of the changes, at least those that were
        taken from the queue; passing over it is right where the next one alone changes
        nothing.
        """
        changed: list[Judged] = []
        queue = deque(first)
        while queue:
            change = queue.popleft()
            for needing, appearing in self.needed_by.get(change.reference, {}).items():
                for place in self._concerned(needing, appearing, change):
                    entry = self.judged[needing][place]
                    revised = self._revised(entry)
                    if revised is not None:
                        self.judged[needing][place] = revised
                        changed.append(revised)
                        queue += self._set(needing, entry.event, revised.judgement.result)
        return changed

    def _concerned(
        self, needing: Reference, appearing: set[Result | None], change: RecordChange
    ) -> Iterator[int]:
        """Yield where in `judged[needing]` the entries are whose results a change may change,
        newest first. None of their events happened before that of the change.

        Entries whose events know the event of the change are all judged anew. For the others, to
        which it is concurrent, the `sound` rules leave few. They only ask *whether* a
        chain has a record concurrent to the entry, not how many, nor of which result:
        - as a pre record each one gives `Frm_p` and nothing else. It cannot be certainly
          cancelled: what does that happened before the entry, and so would it have. So
          the first to appear matters where the result is `None`, and the last to vanish
          where it is `Frm_p`;
        - as a vio record each one takes the certainty from every pre record before the
          entry, and cancels none. So the first to appear matters where the result is
          `Frm`, and the last to vanish where it is `Frm_p`.
        Whether there is another one, its neighbours in the chain tell: of the older
        records the nearest is known to the fewest entries, and of the newer ones the
        nearest happened after the fewest.

        Other rules promise nothing of the kind, and judge all of them anew.
        """
        entries = self.judged.get(needing, [])
        own, other = self.index_of[needing.process], self.index_of[change.reference.process]

        def not_before(event: VectorClock) -> int:
            return bisect_right(entries, event[own], key=lambda entry: entry.event[own])

        def knowing(event: VectorClock) -> int:
            return bisect_left(entries, event[other], key=lambda entry: entry.event[other])

        begin = not_before(change.event)
        if self.rules.name != "sound":
            yield from reversed(range(begin, len(entries)))
            return
        end = max(begin, knowing(change.event))
        yield from reversed(range(end, len(entries)))
        if change.was is not None:
            appearing = {FRM_P} if change.now is None else set()
        if not appearing:
            return
        if change.older is not None:
            begin = max(begin, knowing(change.older))
        if change.newer is not None:
            end = min(end, not_before(change.newer))
        for place in reversed(range(begin, end)):
            if entries[place].judgement.result in appearing:
                yield place

    def _revised(self, entry: Judged) -> Judged | None:
        """Judge an entry again; `None` where the result stays the same: nobody is told of new
        reasons alone, and nobody needs them before the end (`explained`)."""
        if entry.inspected.starts:
            return None
        own = self.index_of[entry.inspected.reference.process]
        judgement = self._judge(entry.inspected, entry.event, own)
        if entry.revision >= MAX_REVISIONS:
            judgement = judgement._replace(result=FRM_P)
        if judgement.result == entry.judgement.result:
            return None
        return Judged(entry.inspected, entry.event, judgement, entry.revision + 1)

    def _judge(self, inspected: Inspected, event: VectorClock, own: int) -> Judgement:
        if inspected.starts:
            return STARTS
        records: list[Record] = []
        for _, asked in inspected.asks:
            for reference in asked:
                chain = self.chains.get(reference)
                if chain:
                    index = self.index_of[reference.process]
                    records += self.rules.tell(chain, index, event, own)
        return self.rules.judge(inspected, event, own, records, self.index_of)
