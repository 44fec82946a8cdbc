"""The `precise` rules: they keep G1 and G2, and leave open only what the order of the run leaves
open (G3), but where a bound is met.

A record says of an event and a transition: `Frm`, it certainly fired; `Frm_p`, that is not certain,
and all that it directly rests on is known; `?`, its monitor is still asking. What an undecided
record rests on is its *evidence*, records of others, and goes with it. So whoever asks can search
the orders itself (`choreomon.monitor.consistent_cuts`). Where the search depends on records that
are still open, their owners are asked a second time, by name. Where there are too many orders,
and the fewer are looked at the more inspections wait, records are weighed one by one as by the
rules `sound`; what these leave possible is unsettled.

Why it is exact. An answer to an inquiry about an event m lists all events of its owner that matter
directly and are not after m, since whatever happens there later is after m. Each undecided record
comes with all that it rests on in this way, whoever asks. What of that is after m is told, too,
since other events rest on the same record; only the search about m leaves it out. So once no
record is open, all is known on which m rests, and the search is that over all orders of the run.
As long as some are, an order in which these come after m is judged right whatever they come to,
since what only they rest on concerns nothing else. The proof: docs/adr/018-precise-rules.md, "Why
it is exact".

What is dropped. Of the records that all later inquiries know, all before the last `Frm` are
dominated: to an event after it they make no difference, and every undecided record that is not
after it has them as evidence. All but the last few are dropped, and this `Frm` then says with
`since` that there were others. Who holds one of these as open, in evidence that has grown old,
cannot find out any more what became of it: it counts as one that may have fired, which costs
certainty alone. So does merging: of more than `MOST_RECORDS` of one transition the oldest become a
stretch in which it may have fired.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Final

from choreomon.core.message import BEGINNING
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import FRM, FRM_P, UNSEEN, Judgement
from choreomon.monitor.consistent_cuts import MAX_STATES, possible_outcomes
from choreomon.monitor.evidence import (
    concerning,
    known_records,
    standing_for,
    unanswered,
)
from choreomon.monitor.gaps import MAX_GAPS, earlier, gap_records
from choreomon.monitor.history import OPEN, Chain, Record
from choreomon.monitor.messages import MOST_EVIDENCE_TOLD, Inquiry, Named
from choreomon.monitor.record_by_record import SOUND
from choreomon.monitor.rules import NOTHING, Findings, Told
from choreomon.monitor.what_matters import mattering, mattering_directly
from choreomon.properties.tables import Inspected, RulesName, closure

if TYPE_CHECKING:
    from choreomon.monitor.setup import MonitorSetup
    from choreomon.monitor.state import Inspection, MonitorState

MOST_RECORDS: Final = 24
"""Records of one transition above which the oldest are merged."""

KEPT_DOMINATED: Final = 4
"""Records of one transition that are kept though they are dominated, for who still holds them as
open. With none some verdicts were possible that need not be, in 3 of 12,000 random runs; with two
in 2 of 28,000; with four in none of 40,000."""

NEVER_DOMINATED: Final = UNSEEN | {OPEN}
"""Records that stay, whatever comes after them."""

MOST_EVIDENCE: Final = 128
"""Records that one event may rest on; where there are more, the undecided ones become stretches."""

MOST_ENTRIES_TOLD: Final = 200_000
"""Entries of clocks in the evidence of one answer, whose bytes are bounded, too."""


UNHURRIED: Final = 8
"""Open inspections, above which searches are shorter the more there are."""

TOO_MANY: Final = 64
"""Open inspections, above which nothing is searched."""


class _Known:
    """Knowledge about an inspection, whichever rule it is asked for: of all that was `told`, what
    concerns the event (`here`); what is `missing`; and how many inspections are open."""

    def __init__(self, monitor: MonitorSetup, state: MonitorState, inspection: Inspection) -> None:
        self.inspection = inspection
        self.backlog = len(state.inspections)
        self.told = known_records(monitor, state, inspection)
        self.here = concerning(monitor, inspection, self.told)
        self._monitor = monitor

    @cached_property
    def missing(self) -> list[Record]:
        inspection = self.inspection
        return unanswered(self._monitor, inspection) if inspection.waiting else []


class Precise:
    """Rules of the module above."""

    name: RulesName = "precise"
    together: Final = True

    def keep(self, chain: Chain, own: int, settled: int) -> Chain:
        return merged(without_dominated(chain, own, settled, KEPT_DOMINATED))

    def most_told(self, most_open: int) -> int | None:
        # Between any two that are open one may be that is not, which can be merged with no other.
        return MOST_RECORDS + 2 * most_open + MAX_GAPS + 1

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
        return _told(monitor, state, records)

    def _named(self, monitor: MonitorSetup, state: MonitorState, inquiry: Inquiry) -> Told:
        """Tell what became of single events. Of one that was dropped, what stands for it is
        told."""
        own = monitor.own
        records: dict[Record, None] = {}
        for count, reference in inquiry.named:
            place = monitor.chain_of.get(reference)
            if place is not None:
                gaps = gap_records(state.gaps, reference)
                found = standing_for((*state.history[place], *gaps), own, count)
                if found is not None:
                    records[found] = None
        return _told(monitor, state, [*records])

    def findings(
        self, monitor: MonitorSetup, state: MonitorState, inspection: Inspection
    ) -> Findings:
        """Find each rule by itself, since they have no transition in common."""
        known = _Known(monitor, state, inspection)
        by_rule = monitor.by_rule(inspection.plan)
        if len(by_rule) == 1:
            return self._found(monitor, known, inspection.plan.inspected, by_rule[0].rule)
        recorded = {record.reference for record in (*known.here, *known.missing)}
        judgements: list[Judgement] = [NOTHING] * len(inspection.plan.inspected)
        all_found: list[Findings] = []
        for rule, places, transitions, needed in by_rule:
            if recorded.isdisjoint(needed):
                continue  # nothing is before it, and nothing took anything back
            found = self._found(monitor, known, transitions, rule)
            all_found.append(found)
            for place, judgement in zip(places, found.judgements, strict=True):
                judgements[place] = judgement
        named = tuple(each for found in all_found for each in found.named)[:MOST_EVIDENCE_TOLD]
        alone = any(found.alone for found in all_found)
        evidence = {each: None for found in all_found for each in found.evidence}
        return Findings(
            tuple(judgements),
            frozenset().union(*[found.surely for found in all_found]),
            named,
            () if alone else tuple(evidence),
            alone,
            not named and any(found.unsettled for found in all_found),
        )

    def _found(
        self,
        monitor: MonitorSetup,
        about: _Known,
        transitions: Sequence[Inspected],
        rule: int,
    ) -> Findings:
        """Return what is found of the transitions of one rule."""
        inspection, told, here = about.inspection, about.told, about.here
        event, plan, waiting, *_ = inspection
        own, is_final = monitor.own, any(each.final for each in transitions)
        references = [each.reference for each in transitions]
        most = self.most_states(about.backlog)
        if most < MAX_STATES:
            hurried = self._hurried(monitor, about, transitions, rule, search=most > 0)
            if hurried is not None:
                return hurried
        missing = about.missing
        known = mattering(monitor, event, own, references, here + missing)
        inspected = [(each.reference, each.final) for each in transitions]
        found = possible_outcomes(
            monitor.bits, monitor.entry_of, event, own, inspected, known, most=most
        )
        silent = () if inspection.named else waiting
        if found.cut_off:
            results = [
                self._record_by_record(monitor, event, each, here, silent).result
                for each in transitions
            ]
            final = [r for r, each in zip(results, transitions, strict=True) if each.final]
            surely = FRM in final
            settled = surely or FRM_P not in final
        else:
            results = [FRM if each.always else None if each.never else FRM_P for each in found.each]
            surely = is_final and found.final.always
            settled = surely or found.final.never or found.final.both
        unsettled = is_final and not settled and not plan.violates
        named: tuple[Named, ...] = ()
        if unsettled and not waiting and not found.cut_off:
            named = tuple(
                Named(record.clock[monitor.index_of[record.reference.process]], record.reference)
                for record in known
                if record.result == OPEN
            )[:MOST_EVIDENCE_TOLD]
        evidence: tuple[Record, ...] = ()
        if FRM_P in results:
            undecided = [
                reference
                for (reference, _), result in zip(inspected, results, strict=True)
                if result == FRM_P
            ]
            evidence = tuple(
                each
                for each in mattering(monitor, event, own, undecided, told + missing)
                if each.reference.process != BEGINNING
            )
        # What somebody did not answer is nothing that others could be told of.
        alone = len(evidence) > MOST_EVIDENCE or any(each in missing for each in evidence)
        finals = [each.reference for each in transitions if each.final]
        heard = [each for each in known if each not in missing]
        heard = mattering_directly(monitor, event, own, finals, heard) if finals else []
        # Of what did not fire, what was cancelled is the reason, which matters to nothing else.
        judgements = tuple(
            Judgement(
                result,
                self._record_by_record(
                    monitor, event, each, heard if result else here, silent
                ).because
                if each.final
                else (),
            )
            for each, result in zip(transitions, results, strict=True)
        )
        return Findings(
            judgements,
            frozenset((rule,)) if surely else frozenset(),
            named,
            () if alone else evidence,
            alone,
            unsettled and not named,
        )

    def _hurried(
        self,
        monitor: MonitorSetup,
        about: _Known,
        transitions: Sequence[Inspected],
        rule: int,
        *,
        search: bool,
    ) -> Findings | None:
        """Return, of a backlog, what records say that are weighed one by one, where that is all
        sure, or where nothing is to be searched. `None`: the orders are to be."""
        inspection, here = about.inspection, about.here
        event, plan, waiting, *_ = inspection
        own, silent = monitor.own, () if inspection.named else waiting
        references = [each.reference for each in transitions]
        # First, since to weigh records takes a time that grows with their square.
        heard = mattering_directly(monitor, event, own, references, here)
        judgements = [
            self._record_by_record(monitor, event, each, heard, silent) for each in transitions
        ]
        possible = [each for each in judgements if each.result == FRM_P]
        if possible and search:
            return None
        for place, each in enumerate(transitions):
            # Of what did not fire, what was cancelled is the reason, which matters to nothing else.
            if each.final and judgements[place].result is None and len(here) <= MOST_EVIDENCE:
                told = self._record_by_record(monitor, event, each, here, silent)
                judgements[place] = judgements[place]._replace(because=told.because)
        final = [
            judgement.result
            for judgement, each in zip(judgements, transitions, strict=True)
            if each.final
        ]
        surely = FRM in final
        unsettled = FRM_P in final and not surely and not plan.violates
        return Findings(
            tuple(judgements),
            frozenset((rule,)) if surely else frozenset(),
            (),
            (),
            bool(possible),
            unsettled,
        )

    def most_states(self, backlog: int) -> int:
        """Return how many states are looked at for one event while so many inspections are open.
        The longer they are, the less time there is for each, as others wait: a backlog of n takes
        MAX_STATES * UNHURRIED * (1 + log(n / UNHURRIED)) at most, until it is gone. Of more than
        TOO_MANY none is searched: even what matters takes longer to find than there is time."""
        if backlog > TOO_MANY:
            return 0
        return MAX_STATES * UNHURRIED // max(backlog, UNHURRIED)

    def _record_by_record(
        self,
        monitor: MonitorSetup,
        event: VectorClock,
        inspected: Inspected,
        known: Sequence[Record],
        silent: Sequence[str],
    ) -> Judgement:
        """The records of pre- and vio-transitions, weighed one by one. The orders say more; but
        what this calls sure is so in all of them, and what it denies in none."""
        records = [each._replace(result=FRM_P) if each.result == OPEN else each for each in known]
        return SOUND.judge(inspected, event, monitor.own, records, monitor.entry_of, silent)


PRECISE: Final = Precise()


def without_dominated(chain: Chain, own: int, settled: int, kept: int) -> Chain:
    """The chain where, of what is before the last `Frm` that all later inquiries know, only the
    last `kept` are left, what is open, and what nobody saw; this `Frm` says since when there were
    others. Who holds a stretch that nobody saw as evidence takes the owner's word that there was
    none (`choreomon.monitor.evidence.concerning`), so it is in all answers for as long as the
    chain is."""
    last = None
    for place, record in enumerate(chain):
        if record.clock[own] > settled:
            break
        if record.result == FRM:
            last = place
    if not last or last <= kept:
        return chain
    dominated = [place for place in range(last) if chain[place].result not in NEVER_DOMINATED]
    gone = dominated[: max(0, len(dominated) - kept)]
    if not gone:
        return chain
    since = reduce(earlier, [chain[place].first for place in (*gone, last)])
    left = [each for place, each in enumerate(chain[:last]) if place not in gone]
    return (*left, chain[last]._replace(since=since), *chain[last + 1 :])


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
        since = earlier(older.first, newer.first)  # a `Frm` may stand for what was before both
        both = Record(newer.reference, newer.clock, FRM_P, since)
        chain = (*chain[:at], both, *chain[at + 2 :])
    return chain


def _told(monitor: MonitorSetup, state: MonitorState, records: Sequence[Record]) -> Told:
    """Tell these own records with all that the undecided ones rest on, and nothing on which only
    others rest. Where that is too much for a message, they may have fired, and nothing more is told
    of them."""
    undecided = [each for each in records if each.result == FRM_P and each.since is None]
    if not undecided:
        return Told(tuple(records))
    numbers = {each.clock[monitor.own] for each in undecided}
    related = closure(monitor.table.skeleton, [each.reference for each in undecided])
    found: dict[Record, None] = {}
    for evidence in state.evidence:
        if evidence.number in numbers:
            for each in evidence.records:
                if each.reference in related:
                    found[each] = None
    if len(found) > min(MOST_EVIDENCE_TOLD, MOST_ENTRIES_TOLD // len(monitor.processes)):
        return Told(
            tuple([each for each in records if each not in undecided])
            + tuple([each._replace(since=each.clock) for each in undecided])
        )
    return Told(tuple(records), tuple(found))
