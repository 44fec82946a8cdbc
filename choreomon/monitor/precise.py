"""The `precise` rules: they keep G1 and G2, and leave open only what the order of the run leaves
open (G3), but where a bound is met.

A record says of an event and a transition: `Frm`, it surely fired; `Frm_p`, that is not certain,
and all that it directly rests on is known; `?`, its monitor is still asking. What an undecided
record rests on is its *evidence*, records of others, and goes with it. So whoever asks can search
the orders itself (`choreomon.monitor.consistent_cuts`). Where the search depends on records that
are still open, their owners are asked a second time, by name.

Why it is exact. An answer to an inquiry about an event m lists all events of its owner that matter
directly and are not after m, since whatever happens there later is after m. The same holds of the
evidence of each undecided record. So once no record is open, all is known on which m rests, and
the search is that over all orders of the run. As long as some are, an order in which these come
after m is judged right whatever they come to, since what only they rest on concerns nothing else.

What is dropped. Of the records that all later inquiries know, all before the last `Frm` are: to an
event after it they make no difference, and every undecided record that is not after it has them
as evidence. This `Frm` then says with `since` that there were others. Who holds one of these as
open, in evidence that has grown old, cannot find out any more what became of it: it counts as one
that may have fired, which costs certainty alone. So does merging: of more than `MOST_RECORDS` of
one transition the oldest become a stretch in which it may have fired.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from choreomon.core.vector_clock import VectorClock, zero
from choreomon.core.verdict import FRM, FRM_P, GAP, NEVER, Judgement, Reason, Reference, Result
from choreomon.monitor.consistent_cuts import possible_outcomes
from choreomon.monitor.gaps import gap_records
from choreomon.monitor.history import OPEN, Chain, Record
from choreomon.monitor.messages import Inquiry, Named
from choreomon.monitor.record_by_record import SOUND
from choreomon.monitor.rules import Findings, Told
from choreomon.properties.tables import Inspected, RulesName, Skeleton, closure

if TYPE_CHECKING:
    from choreomon.monitor.setup import MonitorSetup
    from choreomon.monitor.state import Inspection, MonitorState

MOST_RECORDS: Final = 12
"""Records of one transition above which the oldest are merged."""

MOST_EVIDENCE: Final = 64
"""Records that one event may rest on; where there are more, the undecided ones become stretches."""

_RANK: Final[Mapping[str, int]] = {OPEN: 0, FRM_P: 1, FRM: 2}

_At: TypeAlias = tuple[Reference, int]
"""A transition, and the count of an event of its process."""


class Precise:
    """See the module."""

    name: RulesName = "precise"
    together: Final = True

    def keep(self, chain: Chain, own: int, settled: int) -> Chain:
        return merged(without_dominated(chain, own, settled))

    def answer(self, monitor: MonitorSetup, state: MonitorState, inquiry: Inquiry) -> Told:
        if inquiry.named:
            return self._named(monitor, state, inquiry)
        asker = monitor.index_of[inquiry.sender]
        count = inquiry.event[asker]
        gaps = tuple(gap for gap in state.gaps if gap.since[asker] < count)
        records: list[Record] = []
        for reference in inquiry.asked:
            place = monitor.chain_of.get(reference)
            if place is None:
                continue
            records += [each for each in state.history[place] if each.first[asker] < count]
            records += gap_records(gaps, reference)
            for queued in state.unprocessed:
                if queued.clock[asker] < count and queued.label in monitor.watched(reference):
                    starts = any(
                        plan.starts and plan.key == reference
                        for plan in monitor.plans[queued.label]
                    )
                    records.append(Record(reference, queued.clock, FRM if starts else OPEN))
        return Told(tuple(records), _evidence_of(monitor, state, records, asker, count))

    def _named(self, monitor: MonitorSetup, state: MonitorState, inquiry: Inquiry) -> Told:
        """What became of single events. Of one that was dropped, what stands for it is told."""
        own, asker = monitor.own, monitor.index_of[inquiry.sender]
        records: dict[Record, None] = {}
        for count, reference in inquiry.named:
            place = monitor.chain_of.get(reference)
            if place is not None:
                gaps = gap_records(state.gaps, reference)
                found = standing_for((*state.history[place], *gaps), own, count)
                if found is not None:
                    records[found] = None
        told = tuple(records)
        return Told(told, _evidence_of(monitor, state, told, asker, inquiry.event[asker]))

    def findings(
        self, monitor: MonitorSetup, state: MonitorState, inspection: Inspection
    ) -> Findings:
        event, plan, waiting, *_ = inspection
        own = monitor.own
        references = [each.reference for each in plan.inspected]
        everything = _known(monitor, state, inspection)
        known = _mattering(monitor, event, own, references, everything)
        inspected = [(each.reference, each.final) for each in plan.inspected]
        found = possible_outcomes(monitor.bits, monitor.index_of, event, own, inspected, known)
        results: list[Result | None] = [
            FRM if each.always else None if each.never else FRM_P for each in found.each
        ]
        unsettled = plan.final and found.final.unknown and not found.final.both
        named: tuple[Named, ...] = ()
        if unsettled and not waiting and not found.cut_off:
            named = tuple(
                Named(record.clock[monitor.index_of[record.reference.process]], record.reference)
                for record in known
                if record.result == OPEN
            )
        evidence: tuple[Record, ...] = ()
        if FRM_P in results:
            undecided = [
                reference
                for (reference, _), result in zip(inspected, results, strict=True)
                if result == FRM_P
            ]
            evidence = tuple(_mattering(monitor, event, own, undecided, known))
        alone = len(evidence) > MOST_EVIDENCE
        silent = () if inspection.named else waiting
        # Of what did not fire, what was cancelled is the reason, which matters to nothing else.
        judgements = tuple(
            Judgement(
                result,
                self._because(monitor, event, each, known if result else everything, silent)
                if each.final
                else (),
            )
            for each, result in zip(plan.inspected, results, strict=True)
        )
        return Findings(
            judgements,
            plan.final and found.final.always,
            named,
            () if alone else evidence,
            alone,
            unsettled and not named,
        )

    def _because(
        self,
        monitor: MonitorSetup,
        event: VectorClock,
        inspected: Inspected,
        known: Sequence[Record],
        silent: Sequence[str],
    ) -> tuple[Reason, ...]:
        """The records of pre- and vio-transitions, weighed one by one. The orders say more. That a
        silent monitor may have any record counts, but is no reason: the verdict names who it is."""
        records = [each._replace(result=FRM_P) if each.result == OPEN else each for each in known]
        because = SOUND.judge(inspected, event, monitor.own, records, monitor.index_of).because
        missing = {
            (each.clock, each.reference)
            for each in because
            if each.result == GAP and each.reference.process in silent
        }
        return tuple(
            [
                each
                for each in because
                if (each.clock, each.reference) not in missing
                and (each.of, each.of_reference) not in missing
            ]
        )


PRECISE: Final = Precise()


def without_dominated(chain: Chain, own: int, settled: int) -> Chain:
    """The chain without what is before the last `Frm` that all later inquiries know, which says
    since when there were others."""
    last = None
    for place, record in enumerate(chain):
        if record.clock[own] > settled:
            break
        if record.result == FRM:
            last = place
    if not last:
        return chain
    kept = tuple(each for each in chain[:last] if each.result == OPEN)
    if len(kept) == last:
        return chain
    gone = next(each for each in chain[:last] if each.result != OPEN)
    since = min(gone.first, chain[last].first, key=sum)
    return (*kept, chain[last]._replace(since=since), *chain[last + 1 :])


def merged(chain: Chain, longest: int = MOST_RECORDS) -> Chain:
    """The chain with its oldest neighbours merged until it is no longer than `longest`, or no two
    are left that can be: open ones cannot, and the last `Frm` is not while others can."""
    while len(chain) > longest:
        last = max((i for i, each in enumerate(chain) if each.result == FRM), default=-1)
        pairs = [
            place
            for place in range(len(chain) - 1)
            if OPEN not in (chain[place].result, chain[place + 1].result)
        ]
        if not pairs:
            break
        at = next((place for place in pairs if last not in (place, place + 1)), pairs[0])
        older, newer = chain[at], chain[at + 1]
        both = Record(newer.reference, newer.clock, FRM_P, older.first)
        chain = (*chain[:at], both, *chain[at + 2 :])
    return chain


def standing_for(records: Iterable[Record], own: int, count: int) -> Record | None:
    """Of the records of one transition of the process at `own` that of the event number `count`, or
    what stands for it, where it was dropped or merged. `None`: it did not fire."""
    found = None
    for record in records:
        if record.clock[own] == count and (record.since is None or record.result == FRM):
            return record
        if record.since is not None and record.clock[own] >= count and found is None:
            found = record
    return found


def _evidence_of(
    monitor: MonitorSetup,
    state: MonitorState,
    told: Iterable[Record],
    asker: int,
    count: int,
) -> tuple[Record, ...]:
    """What the undecided ones of these own records rest on, but nothing that happened after the
    event number `count` of the process at `asker`, and nothing on which only others rest."""
    undecided = [each for each in told if each.result == FRM_P and each.since is None]
    if not undecided:
        return ()
    numbers = {each.clock[monitor.own] for each in undecided}
    related = closure(monitor.table.skeleton, [each.reference for each in undecided])
    found: dict[Record, None] = {}
    for evidence in state.evidence:
        if evidence.number in numbers:
            for each in evidence.records:
                if each.reference in related and each.first[asker] < count:
                    found[each] = None
    return tuple(found)


def _known(monitor: MonitorSetup, state: MonitorState, inspection: Inspection) -> list[Record]:
    """All that is known to have happened before or concurrently to the event: of each event what
    is most certain, and no open record of which is known by now that it did not fire."""
    event, plan, waiting, direct, _, evidence, _, resolved = inspection
    own, index_of = monitor.own, monitor.index_of
    points: dict[_At, Record] = {}
    stretches: dict[tuple[Reference, VectorClock, str], Record] = {}
    at_first_hand: dict[Reference, list[Record]] = {}
    refreshed: list[Record] = []
    for record in evidence:
        if record.reference.process == monitor.process and record.result != FRM:
            refreshed += _own(monitor, state, record)
    for record in (*direct, *evidence, *refreshed):
        reference, clock, result, since = record
        if since is not None and result != FRM:
            # A gap that has ended was open before; what was merged grows.
            known = stretches.get((reference, since, result))
            index = index_of[reference.process]
            if known is None or (clock[index] < known.clock[index]) == (result == GAP):
                stretches[reference, since, result] = record
        else:
            at = (reference, clock[index_of[reference.process]])
            best = points.get(at)
            if best is None or _RANK[result] > _RANK[best.result]:
                points[at] = record
    for record in direct:
        at_first_hand.setdefault(record.reference, []).append(record)
    asked = {each for _, _, references in plan.others for each in references} | {*plan.own_asked}
    silent = () if inspection.named else waiting
    answered = {each for each in asked if each.process not in silent}
    by_name = {(reference, count) for count, reference in resolved}
    for at, record in [*points.items()]:
        if record.result != OPEN:
            continue
        reference, count = at
        if reference.process == monitor.process:
            place = monitor.chain_of[reference]
            told = standing_for(
                (*state.history[place], *gap_records(state.gaps, reference)), own, count
            )
        elif at in by_name:
            told = standing_for(
                [each for each in at_first_hand.get(reference, ()) if each.result != OPEN],
                index_of[reference.process],
                count,
            )
        elif reference in answered:
            told = standing_for(
                at_first_hand.get(reference, ()), index_of[reference.process], count
            )
        else:
            continue
        if told is None:
            del points[at]
        elif told.clock != record.clock or told.since is not None:
            points[at] = record._replace(result=FRM_P, since=record.clock)
    missing = [
        Record(each, _for_ever(event, index_of[each.process]), GAP, zero(len(event)))
        for each in asked
        if each.process in silent
    ]
    count = event[own]
    return [
        each
        for each in (*points.values(), *stretches.values(), *missing)
        if (each.clock if each.result == FRM else each.first)[own] < count
    ]


def _own(monitor: MonitorSetup, state: MonitorState, record: Record) -> list[Record]:
    """What is known by now of an own record that somebody told back."""
    own = monitor.own
    place = monitor.chain_of[record.reference]
    found = standing_for(state.history[place], own, record.clock[own])
    if found is None or found.clock != record.clock or found.since is not None:
        return []
    return [
        found,
        *(
            each
            for evidence in state.evidence
            if found.result == FRM_P and evidence.number == found.clock[own]
            for each in evidence.records
        ),
    ]


def _for_ever(event: VectorClock, index: int) -> VectorClock:
    return tuple([NEVER if place == index else 0 for place in range(len(event))])


def _relevant(
    monitor: MonitorSetup, references: Iterable[Reference], known: Sequence[Record]
) -> list[Record]:
    """Of what is known that on which these transitions rest: what they need, and what undecided
    records of that need in turn."""
    skeleton: Skeleton = monitor.table.skeleton
    by_reference: dict[Reference, list[Record]] = {}
    for record in known:
        by_reference.setdefault(record.reference, []).append(record)
    found: list[Record] = []
    seen: set[Reference] = set()
    queue = [*references]
    for reference in queue:
        for pre, vio in skeleton[reference]:
            for each in (pre, *vio):
                if each in seen:
                    continue
                seen.add(each)
                records = by_reference.get(each, ())
                found += records
                if any(record.result == FRM_P and record.since is None for record in records):
                    queue.append(each)
    return found


def _mattering(
    monitor: MonitorSetup,
    event: VectorClock,
    own: int,
    references: Sequence[Reference],
    known: Sequence[Record],
) -> list[Record]:
    """What of this matters to these transitions at the event: what they rest on, but no record of
    whose effect nothing is left. A forward transition that surely fired is live after that, one
    that was surely cancelled is not, whatever was before; so a record matters no more to an event
    that comes after such a one for each transition that it concerns. It may still matter to an
    undecided event that matters itself."""
    index_of, skeleton, cancels = monitor.index_of, monitor.table.skeleton, monitor.bits.cancels
    while True:
        known = _relevant(monitor, references, known)
        settling: dict[Reference, list[_Place]] = {}
        users: dict[Reference, list[_Place]] = {}
        for reference, clock, result, since in known:
            place = _Place(index_of[reference.process], clock)
            if result == FRM:
                for each in cancels.get(reference, (reference,)):
                    settling.setdefault(each, []).append(place)
            elif result == FRM_P and since is None:
                for need in skeleton[reference]:
                    users.setdefault(need.pre, []).append(place)
        for reference in references:
            for need in skeleton[reference]:
                users.setdefault(need.pre, []).append(_Place(own, event))
        kept = []
        for record in known:
            reference, clock, result, since = record
            index = index_of[reference.process]
            last = _Place(index, clock)
            first = last if since is None or result == FRM else _Place(index, since)
            if any(
                not user.before(first)
                and not any(
                    last.before(settled) and settled.before(user)
                    for settled in settling.get(each, ())
                )
                for each in cancels.get(reference, (reference,))
                for user in users.get(each, ())
                if user != first or first != last
            ):
                kept.append(record)
        if len(kept) == len(known):
            return kept
        known = kept


class _Place(NamedTuple):
    """An event: the index of its process, and its clock."""

    process: int
    clock: VectorClock

    def before(self, other: _Place) -> bool:
        """Whether this one happened before the other."""
        here, there = self.clock[self.process], other.clock[self.process]
        return here < there or (here == there and self.process != other.process)
