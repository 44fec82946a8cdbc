"""The strategy `push`: a monitor tells the readers of its references what it sees.

Nobody inquires. On a labelled event a monitor judges by what it knows and pushes what
became of the event to every monitor that reads the reference; whoever hears of something
that concerns an earlier judgement judges anew, pushes what changed, and revises its
verdict. The last verdict about an event keeps G1 and G2 once the network is quiet; before that
any verdict may be wrong. Where two events are concurrent, pushing cannot find out that one
of them had not happened yet, which an inquiry can (the paper, Fig 3).
"""

from __future__ import annotations

from collections.abc import Sequence

from choreomon.core.message import Event
from choreomon.core.vector_clock import VectorClock, merge
from choreomon.core.verdict import (
    POSSIBLY_VIOLATED,
    Judgement,
    MonitorVerdict,
    Reference,
    VerdictKind,
)
from choreomon.monitor.effects import Declared, Effect, Send
from choreomon.monitor.joint import joint_verdict
from choreomon.monitor.messages import Push
from choreomon.monitor.record_by_record import RecordByRecord
from choreomon.monitor.reevaluation import Judged, Reevaluation
from choreomon.properties.tables import TransitionTable


class JointVerdicts:
    """The joint verdicts about events with final transitions, as their judgements change.

    `withdrawn` takes back `possibly-violated` only. Where a hasty `violated` was the only
    verdict, and nothing remains of it, there is no verdict any more.
    """

    def __init__(self) -> None:
        self._finals: dict[tuple[str, VectorClock], dict[Reference, Judgement]] = {}
        self._told_possible: set[tuple[str, VectorClock]] = set()

    @property
    def remembered(self) -> tuple[object, ...]:
        """Return all that grows with the run, as plain values."""
        finals = [(event, list(found.items())) for event, found in self._finals.items()]
        return finals, list(self._told_possible)

    def revise(self, changed: Sequence[Judged]) -> list[tuple[str, Declared]]:
        """The verdicts to declare after these judgements were made or changed, each with the
        process of its event."""
        touched: dict[tuple[str, VectorClock], None] = {}
        for judged in changed:
            if judged.inspected.final:
                reference = judged.inspected.reference
                event = (reference.process, judged.event)
                self._finals.setdefault(event, {})[reference] = judged.judgement
                touched[event] = None
        verdicts: list[tuple[str, Declared]] = []
        for event in touched:
            process, clock = event
            finals = tuple(self._finals[event].items())
            told: VerdictKind | None = POSSIBLY_VIOLATED if event in self._told_possible else None
            verdict = joint_verdict(process, clock, finals, told)
            if verdict is not None and verdict.kind == POSSIBLY_VIOLATED:
                self._told_possible.add(event)
            verdicts.append((process, Declared(clock, verdict, True)))
        return verdicts


class PushMonitor:
    """The pushing monitor of one process. Grows with the run; see `Reevaluation`."""

    def __init__(
        self, table: TransitionTable, processes: tuple[str, ...], rules: RecordByRecord
    ) -> None:
        self.table = table
        self._reevaluation = Reevaluation([table], processes, rules)
        self._verdicts = JointVerdicts()

    @property
    def records(self) -> int:
        return self._reevaluation.records

    @property
    def remembered(self) -> tuple[object, ...]:
        """Return all that grows with the run, as plain values."""
        return self._reevaluation.remembered + self._verdicts.remembered

    def observe(self, event: Event, clock: VectorClock) -> list[Effect]:
        """Judge an own event; `clock` is that of the process now."""
        return self._tell(self._reevaluation.observe(event), clock)

    def receive(self, push: Push, clock: VectorClock) -> tuple[VectorClock, list[Effect]]:
        """Take over what another monitor pushed; the merged clock, and what to do."""
        clock = merge(clock, push.clock)
        changed = self._reevaluation.learn(push.reference, push.event, push.result, push.revision)
        return clock, self._tell(changed, clock)

    def explained(self, verdict: MonitorVerdict) -> MonitorVerdict:
        """Return one of its verdicts with the reasons of now; see `Reevaluation.explained`."""
        return self._reevaluation.explained(verdict)

    def _tell(self, changed: list[Judged], clock: VectorClock) -> list[Effect]:
        effects: list[Effect] = []
        for inspected, event, judgement, revision in changed:
            if judgement.result is None and not revision:
                continue  # the readers were never told that it fired
            effects += [
                Send(
                    Push(
                        sender=self.table.process,
                        receiver=reader,
                        reference=inspected.reference,
                        event=event,
                        result=judgement.result,
                        revision=revision,
                        clock=clock,
                    )
                )
                for reader in self.table.readers[inspected.reference]
                if reader != self.table.process
            ]
        return effects + [declared for _, declared in self._verdicts.revise(changed)]
