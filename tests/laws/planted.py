"""Bugs on purpose. A law that does not notice the bug it is about is not worth having.

Each is a set of rules, injected into the monitors in place of the right ones, or a function that
monitors use, replaced for one test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import FRM, FRM_P, Judgement, Reference
from choreomon.monitor import evidence, precise, what_matters
from choreomon.monitor.gaps import Gap, gap_records, relevant_gaps
from choreomon.monitor.history import (
    OPEN,
    Chain,
    Record,
    merged,
    not_after,
    relevant,
    without_dominated,
)
from choreomon.monitor.messages import Inquiry
from choreomon.monitor.precise import Precise
from choreomon.monitor.record_by_record import Sound
from choreomon.monitor.rules import Findings, Told
from choreomon.monitor.setup import MonitorSetup
from choreomon.monitor.state import Inspection, MonitorState
from choreomon.properties.tables import Inspected


class ShortChains(Sound):
    """No bug: chains are merged down to `longest` records, so that merging happens in
    short runs."""

    def __init__(self, longest: int) -> None:
        self.longest = longest

    def keep(self, chain: Chain, own: int, settled: int | None) -> Chain:
        if settled is None:
            return super().keep(chain, own, settled)
        return merged(without_dominated(chain, own, settled), self.longest)


class WholeChains(Sound):
    """No bug: nothing is dropped or merged, and everything is told that may matter."""

    def keep(self, chain: Chain, own: int, settled: int | None) -> Chain:
        return chain

    def tell(self, chain: Chain, own: int, event: VectorClock, asker: int) -> list[Record]:
        told = not_after(chain, own, event, asker)
        return [r for r in told if not (own == asker and r.clock[own] == event[asker])]


class ForgetsConcurrentRecords(Sound):
    """Tells only what happened before the inquired event."""

    def tell(self, chain: Chain, own: int, event: VectorClock, asker: int) -> list[Record]:
        return [r for r in relevant(chain, own, event, asker) if r.clock[own] <= event[own]]


class Misjudges(Sound):
    """Judges something else than what is there."""

    def mistaken(
        self, inspected: Inspected, records: Sequence[Record]
    ) -> tuple[Inspected, Sequence[Record]]:
        """What is judged instead."""
        raise NotImplementedError

    def judge(self, *given: Any, **named: Any) -> Judgement:
        inspected, event, own, records, *more = given
        inspected, records = self.mistaken(inspected, records)
        return super().judge(inspected, event, own, records, *more, **named)


class TrustsUncertainCancellations(Misjudges):
    """Takes a vio record that possibly fired for one that did (docs/adr/022-monitors.md, "2. A
    cancellation that may not have fired")."""

    def mistaken(
        self, inspected: Inspected, records: Sequence[Record]
    ) -> tuple[Inspected, Sequence[Record]]:
        vio = {reference for need in inspected.needs for reference in need.vio}
        return inspected, [r._replace(result=FRM) if r.reference in vio else r for r in records]


class TrustsUncertainRecords(Misjudges):
    """Takes a pre record that possibly fired for one that did."""

    def mistaken(
        self, inspected: Inspected, records: Sequence[Record]
    ) -> tuple[Inspected, Sequence[Record]]:
        pre = {each for need in inspected.needs for each in need.pres}
        return inspected, [r._replace(result=FRM) if r.reference in pre else r for r in records]


class IgnoresCancellations(Misjudges):
    def mistaken(
        self, inspected: Inspected, records: Sequence[Record]
    ) -> tuple[Inspected, Sequence[Record]]:
        return inspected._replace(needs=tuple(n._replace(vio=()) for n in inspected.needs)), records


class ForgetsAllButTheLast(Sound):
    """Drops every settled record but the newest, whether it is certain or not."""

    def keep(self, chain: Chain, own: int, settled: int | None) -> Chain:
        opened = tuple(record for record in chain if record.result == OPEN)
        return opened or chain[-1:]


class MergesIntoTheLast(ShortChains):
    """Forgets when the first of the merged events was."""

    def keep(self, chain: Chain, own: int, settled: int | None) -> Chain:
        return tuple(r._replace(since=None) for r in super().keep(chain, own, settled))


class MergesCertainly(ShortChains):
    """Calls merged records certain."""

    def keep(self, chain: Chain, own: int, settled: int | None) -> Chain:
        return tuple(
            r._replace(result=FRM) if r.since is not None and r.result == FRM_P else r
            for r in super().keep(chain, own, settled)
        )


class TrustsWhatIsMissing(Sound):
    """What is missing is judged as if nothing had happened there."""

    def findings(
        self, monitor: MonitorSetup, state: MonitorState, inspection: Inspection
    ) -> Findings:
        return super().findings(monitor, state, inspection._replace(waiting=()))


class TrustsWhatWasAnswered(Sound):
    """Whoever is silent may have fired what leads to the event, but took nothing back."""

    def judge(
        self,
        inspected: Inspected,
        event: VectorClock,
        own: int,
        records: Sequence[Record],
        index_of: Mapping[str, int],
        silent: Sequence[str] = (),
    ) -> Judgement:
        judgement = super().judge(inspected, event, own, records, index_of)
        missing = any(pre.process in silent for need in inspected.needs for pre in need.pres)
        return judgement._replace(result=FRM_P) if missing or judgement.result else judgement


# Gaps.


def no_gaps(gaps: tuple[Gap, ...], own: int, event: VectorClock, asker: int) -> tuple[Gap, ...]:
    """Nothing is told of gaps."""
    return ()


def gaps_before(gaps: tuple[Gap, ...], own: int, event: VectorClock, asker: int) -> tuple[Gap, ...]:
    """Of gaps only that which has ended before the event is told."""
    known = event[own] - (own == asker)
    return tuple(g for g in relevant_gaps(gaps, own, event, asker) if g.until[own] <= known)


def gaps_not_before(
    gaps: tuple[Gap, ...], own: int, event: VectorClock, asker: int
) -> tuple[Gap, ...]:
    """Gaps that have ended before the event are not told."""
    known = event[own] - (own == asker)
    return tuple(g for g in relevant_gaps(gaps, own, event, asker) if g.until[own] > known)


def gaps_as_possible_events(gaps: tuple[Gap, ...], reference: Reference) -> list[Record]:
    """A gap is told as if something had happened in it."""
    return [r._replace(result=FRM_P) for r in gap_records(gaps, reference)]


def gaps_as_moments(gaps: tuple[Gap, ...], reference: Reference) -> list[Record]:
    """When a gap began is not told."""
    return [r._replace(since=None) for r in gap_records(gaps, reference)]


def only_the_last_gap(gaps: tuple[Gap, ...], gap: Gap) -> tuple[Gap, ...]:
    """Of the gaps that have ended only the last is kept, and it does not stand for the others."""
    return (gap,)


def last_gap_without_the_first(gaps: tuple[Gap, ...], gap: Gap) -> tuple[Gap, ...]:
    """All gaps become one, which begins where the last of them does."""
    return (Gap(gaps[-1].until, gap.until),) if gaps else (gap,)


# Precise rules.


class ShortPreciseChains(Precise):
    """No bug: chains are merged down to `longest` records."""

    def __init__(self, longest: int) -> None:
        self.longest = longest

    def keep(self, chain: Chain, own: int, settled: int) -> Chain:
        return precise.merged(
            precise.without_dominated(chain, own, settled, precise.KEPT_DOMINATED), self.longest
        )


class SendsNoEvidence(Precise):
    def answer(self, monitor: MonitorSetup, state: MonitorState, inquiry: Inquiry) -> Told:
        return super().answer(monitor, state, inquiry)._replace(evidence=())


class CutsEvidence(Precise):
    """A bug that was real: what undecided records rest on is told without what is after the event
    that is asked about, and then passes for all that they rest on, whoever needs it for whatever
    event (docs/adr/018-precise-rules.md, "Why it is exact")."""

    def answer(self, monitor: MonitorSetup, state: MonitorState, inquiry: Inquiry) -> Told:
        told = super().answer(monitor, state, inquiry)
        asker = monitor.index_of[inquiry.sender]
        count = inquiry.event[asker]
        return told._replace(
            evidence=tuple(each for each in told.evidence if each.first[asker] < count)
        )


class LeavesOutUnprocessedEvents(Precise):
    def answer(self, monitor: MonitorSetup, state: MonitorState, inquiry: Inquiry) -> Told:
        return super().answer(monitor, state._replace(unprocessed=()), inquiry)


class NeverAsksAgain(Precise):
    """What the first answers come to is final."""

    def findings(
        self, monitor: MonitorSetup, state: MonitorState, inspection: Inspection
    ) -> Findings:
        return super().findings(monitor, state, inspection)._replace(named=())


class NotJointly(Precise):
    """Each final transition of an event is judged by itself."""

    def findings(
        self, monitor: MonitorSetup, state: MonitorState, inspection: Inspection
    ) -> Findings:
        return super().findings(monitor, state, inspection)._replace(surely=frozenset())


class DropsWithoutMark(Precise):
    """What was dropped counts as not fired: the `Frm` that is left does not say since when."""

    def keep(self, chain: Chain, own: int, settled: int) -> Chain:
        kept = precise.without_dominated(chain, own, settled, precise.KEPT_DOMINATED)
        return precise.merged(tuple(r._replace(since=None) if r.result == FRM else r for r in kept))


def open_as_not_fired(
    monitor: MonitorSetup, state: MonitorState, inspection: Inspection
) -> list[Record]:
    return [r for r in _KNOWN(monitor, state, inspection) if r.result != OPEN]


def open_as_fired(
    monitor: MonitorSetup, state: MonitorState, inspection: Inspection
) -> list[Record]:
    known = _KNOWN(monitor, state, inspection)
    return [r._replace(result=FRM) if r.result == OPEN else r for r in known]


def settles_itself(
    users: what_matters._Events,
    process: int,
    count: int,
    settling: what_matters._Events,
    index: int,
) -> int:
    """What settles is before itself."""
    user = users.clocks[process][count]
    before = [
        clock[index]
        for each, clocks in settling.clocks.items()
        for clock in clocks.values()
        if clock[each] <= user[each]
    ]
    return max(before, default=-1)


_KNOWN = evidence.known_records


class CallsAllUnsettled(Precise):
    """Nothing is said to be shown."""

    def findings(
        self, monitor: MonitorSetup, state: MonitorState, inspection: Inspection
    ) -> Findings:
        return super().findings(monitor, state, inspection)._replace(unsettled=True)


def no_gap_records(gaps: tuple[Gap, ...], reference: Reference) -> list[Record]:
    """What is asked about did not happen in a gap."""
    return []
