"""Rules that weigh one record after the other: `sound`, and the literal ones of the paper.

Both are tabulated in docs/adr/022-monitors.md, "The rules". `Sound` keeps G1 (no missed
violation) and G2 (no false alarm). `Paper` is Algorithm 3 with EvalVc and NotViolate to
the letter, and misses violations in the four ways shown there; it exists to reproduce
the paper's figures.

That v certainly cancels p without being `Frm`, because v's own inspection counted p as a
pre-transition, is decided by the states: v is a vio-transition of p, so p is a
pre-transition of v exactly when p ends where v starts. If p was live, v fired and
cancelled it; if it was not, it is gone all the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from choreomon.core.vector_clock import VectorClock, concurrent, happened_before
from choreomon.core.verdict import FRM, FRM_P, UNSEEN, Judgement, Reason, Relation, Result, Role
from choreomon.monitor.gaps import gap_records, relevant_gaps
from choreomon.monitor.history import (
    MAX_CHAIN,
    Chain,
    Record,
    merged,
    not_after,
    relevant,
    without_dominated,
)
from choreomon.monitor.messages import Inquiry
from choreomon.monitor.rules import NOTHING, POSSIBLY, STARTS, Findings, Keep, Told
from choreomon.properties.tables import Inspected, RulesName

if TYPE_CHECKING:
    from choreomon.monitor.setup import MonitorSetup
    from choreomon.monitor.state import Inspection, MonitorState


class RecordByRecord(ABC):
    """Part that both sets of rules share: each transition is inspected by itself, each pre record
    is weighed by itself, against the vio records, and what is the surest of all counts.

    `keep`: what of a chain to keep, `None` where everything is kept.
    """

    name: RulesName
    together: Final = False
    keep: Keep | None

    @abstractmethod
    def most_told(self, most_open: int) -> int | None:
        """See `Rules`."""

    @abstractmethod
    def tell(self, chain: Chain, own: int, event: VectorClock, asker: int) -> list[Record]:
        """Return what to tell about `chain`, of the process at `own`, for an event of `asker`."""

    def answer(self, monitor: MonitorSetup, state: MonitorState, inquiry: Inquiry) -> Told:
        own, asker, event = monitor.own, monitor.index_of[inquiry.sender], inquiry.event
        gaps = state.gaps
        unseen = relevant_gaps(gaps, own, event, asker) if gaps else ()
        records: list[Record] = []
        for reference in inquiry.asked:
            place = monitor.chain_of.get(reference)
            if place is None:
                continue
            if chain := state.history[place]:
                records += self.tell(chain, own, event, asker)
            if unseen:
                records += gap_records(unseen, reference)
            for queued in state.unprocessed:
                if queued.clock[asker] < event[asker] and queued.label in monitor.watched(
                    reference
                ):
                    records.append(Record(reference, queued.clock, FRM_P))
        return Told(tuple(records))

    def findings(
        self, monitor: MonitorSetup, state: MonitorState, inspection: Inspection
    ) -> Findings:
        event, ((inspected,), *_), waiting, records, *_ = inspection
        judgement = self.judge(inspected, event, monitor.own, records, monitor.index_of, waiting)
        return Findings((judgement,))

    def judge(
        self,
        inspected: Inspected,
        event: VectorClock,
        own: int,
        records: Sequence[Record],
        index_of: Mapping[str, int],
        silent: Sequence[str] = (),
    ) -> Judgement:
        """Judge whether `inspected` fired at `event`, of the process at `own`, given all `records`
        of what it needs, but those of the processes that are `silent`: these may have fired
        anything. Starting transitions are not judged: they fire. Reasons may be left out where the
        transition is not final: nobody asks for them."""
        missing = silent and any(
            pre.process in silent for need in inspected.needs for pre in need.pres
        )
        result: Result | None = FRM_P if missing else None
        if not records:
            return POSSIBLY if missing else NOTHING
        candidates = self._candidates(records, event, own)
        because: list[Reason] | None = [] if inspected.final else None
        for pre_reference, vio_references, others in inspected.needs:
            vios: Sequence[Record] | None = None if vio_references else ()
            doubted = silent and any(each.process in silent for each in vio_references)
            # By place: a name costs several times as much.
            needed = [record for record in candidates if record[0] == pre_reference]
            if others:
                more = [record for record in candidates if record[0] in others]
                needed += sorted(more, key=lambda record: others.index(record[0]))
            for pre in needed:
                if because is None and result is not None and (result == FRM or pre[2] != FRM):
                    continue  # it can tell no more: a backlog has hundreds that are not certain
                if vios is None:
                    vios = [vio for vio in candidates if vio[0] in vio_references]
                found = self._weighed(pre, vios, event, own, index_of, because, not doubted)
                if found == FRM or result is None:
                    result = found
        if because is not None:
            return Judgement(result, tuple(because))
        return STARTS if result == FRM else NOTHING if result is None else POSSIBLY

    @abstractmethod
    def _candidates(
        self, records: Sequence[Record], event: VectorClock, own: int
    ) -> Sequence[Record]:
        """The records that may matter to the event."""

    @abstractmethod
    def _weighed(
        self,
        pre: Record,
        vios: Sequence[Record],
        event: VectorClock,
        own: int,
        index_of: Mapping[str, int],
        because: list[Reason] | None,
        all_heard: bool,
    ) -> Result | None:
        """Return what comes of one pre record; its reason and those of the vio records that concern
        it go to `because`, where they are asked for. `all_heard`: whether no vio record can be
        missing."""


class Sound(RecordByRecord):
    """Keeps G1 and G2, and bounds the history."""

    name: RulesName = "sound"

    def tell(self, chain: Chain, own: int, event: VectorClock, asker: int) -> list[Record]:
        return relevant(chain, own, event, asker)

    def most_told(self, most_open: int) -> int | None:
        return 8  # three that matter, two gaps, and some to spare

    def keep(self, chain: Chain, own: int, settled: int) -> Chain:
        kept = without_dominated(chain, own, settled)
        return merged(kept) if len(kept) > MAX_CHAIN else kept

    def _candidates(
        self, records: Sequence[Record], event: VectorClock, own: int
    ) -> Sequence[Record]:
        """Return the records that begin before the event, and are not the event itself."""
        count = event[own]
        return [record for record in records if (record[3] or record[1])[own] < count]

    def _weighed(
        self,
        pre: Record,
        vios: Sequence[Record],
        event: VectorClock,
        own: int,
        index_of: Mapping[str, int],
        because: list[Reason] | None,
        all_heard: bool,
    ) -> Result | None:
        reference, pre_clock, pre_result, _ = pre
        pre_own = index_of[reference.process]
        pre_last = pre_clock[pre_own]
        cancelled, certain = False, all_heard
        reasons: list[Reason] = []
        for vio in vios:
            vio_reference, vio_clock, vio_result, _ = vio
            vio_own = index_of[vio_reference.process]
            vio_last = vio_clock[vio_own]
            if pre_clock[vio_own] >= vio_last:
                continue  # before the pre record, or its own event
            # A merged record may end with the event itself, which is not before it.
            known = event[vio_own] >= vio_last + (vio_own == own)
            cancels = (
                known
                and vio_clock[pre_own] >= pre_last
                and vio_result not in UNSEEN  # perhaps nothing happened in it
                and (vio_result == FRM or reference.target == vio_reference.source)
            )
            cancelled = cancelled or cancels
            certain = False
            if because is not None:
                reasons.append(_reason("vio", vio, known, cancels, pre))
        known = event[pre_own] >= pre_last + (pre_own == own)
        surely = certain and known and pre_result == FRM
        if because is not None:
            because += (_reason("pre", pre, known, surely), *reasons)
        return FRM if surely else None if cancelled else FRM_P


class Paper(RecordByRecord):
    """Algorithm 3, EvalVc, NotViolate and EvalHist to the letter.

    Deviations, none of which concerns a result: inquiries about several transitions are
    answered in one response once all can be answered; a transition without
    pre-transitions that is final is declared, as the paper's prose has it. Nothing is
    ever dropped from the history.
    """

    name: RulesName = "paper"
    keep = None

    def most_told(self, most_open: int) -> int | None:
        return None

    def tell(self, chain: Chain, own: int, event: VectorClock, asker: int) -> list[Record]:
        return not_after(chain, own, event, asker)

    def _candidates(
        self, records: Sequence[Record], event: VectorClock, own: int
    ) -> Sequence[Record]:
        return records

    def _weighed(
        self,
        pre: Record,
        vios: Sequence[Record],
        event: VectorClock,
        own: int,
        index_of: Mapping[str, int],
        because: list[Reason] | None,
        all_heard: bool,
    ) -> Result | None:
        cancelled, certain = False, all_heard
        reasons: list[Reason] = []
        for vio in vios:
            cancels = happened_before(pre.clock, vio.clock)
            if not cancels and not concurrent(pre.clock, vio.clock):
                continue
            cancelled, certain = cancelled or cancels, False
            if because is not None:
                known = happened_before(vio.clock, event)
                reasons.append(_reason("vio", vio, known, cancels, pre))
        known = happened_before(pre.clock, event)
        found: Result | None = None
        if certain and known:
            found = FRM if pre.result == FRM else FRM_P
        elif not cancelled and not happened_before(event, pre.clock):
            found = FRM_P
        if because is not None:
            because += (_reason("pre", pre, known, found == FRM), *reasons)
        return found


SOUND: Final = Sound()
PAPER: Final = Paper()


def _reason(
    role: Role, record: Record, known: bool, certain: bool, pre: Record | None = None
) -> Reason:
    relation: Relation = "before" if known else "concurrent"
    reference, clock, result, since = record
    return Reason(
        role=role,
        reference=reference,
        clock=clock,
        result=result,  # type: ignore[arg-type]
        relation=relation,
        certain=certain,
        of=pre.clock if pre else None,
        of_reference=pre.reference if pre else None,
        since=None if known else since,
    )
