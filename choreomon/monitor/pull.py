"""The choreographed monitor that pulls: Algorithms 1 to 3 of paper 002 as a step function.

`step(state, clock, input) -> (state, clock, effects)`. The clock is the one that the
monitor shares with its process: the process ticks it, the monitor only merges into it.
A driver passes the current clock in and puts the returned one back before the process
does anything else; that makes the merge, the check of unprocessed events and the look-up
in the history one atomic step, which G1 needs (semantics.md 1.6). The state is a value:
stepping one twice gives the same twice.

What a driver does:

- At every event of the process whose label is in `monitor.table.inspections`, and before
  a sent message leaves: step with `Observe(event)`. It only queues the event.
- Later, once for each: step with `Process()`.
- A monitoring message arrived: step with the message.
- Carry out the effects, in order.

A response waits while a transition that it is asked about is unprocessed or under
inspection at an event that happened before the inquired one. It waits for nothing else,
so waiting goes strictly back in happened-before order and nobody waits in a circle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, TypeAlias, assert_never

from choreomon.core.errors import InternalError
from choreomon.core.vector_clock import VectorClock, merge
from choreomon.core.verdict import FRM_P, Judgement, Reference, Verdict, Word
from choreomon.monitor.effects import Declared, Effect, Send, SetDeadline, Settled
from choreomon.monitor.history import OPEN, Chain, Record
from choreomon.monitor.joint import joint_verdict
from choreomon.monitor.messages import Inquiry, Response
from choreomon.monitor.rules import NOTHING, SOUND, STARTS, Rules
from choreomon.monitor.state import (
    Expire,
    Input,
    Inspection,
    MonitorState,
    Observe,
    Part,
    Process,
)
from choreomon.properties.tables import Inspected, TransitionTable

Stepped: TypeAlias = tuple[MonitorState, VectorClock, list[Effect]]

FOREVER: Final = 1 << 62


@dataclass(frozen=True)
class Monitor:
    """What a monitor is made of and never changes.

    `processes` are all processes of the system, in the order of clock entries.
    `deadline`: whether provisional words are wanted from `Expire`.
    """

    table: TransitionTable
    processes: tuple[str, ...]
    rules: Rules = SOUND
    deadline: bool = False
    references: tuple[Reference, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "references", tuple(self.table.readers))

    @property
    def process(self) -> str:
        return self.table.process

    @cached_property
    def index_of(self) -> Mapping[str, int]:
        return {process: index for index, process in enumerate(self.processes)}

    @cached_property
    def own(self) -> int:
        """The index of the own process."""
        return self.index_of[self.table.process]

    @cached_property
    def chain_of(self) -> Mapping[Reference, int]:
        """Where in the history the chain of an own reference is."""
        return {reference: place for place, reference in enumerate(self.references)}

    @cached_property
    def readers_of(self) -> tuple[tuple[int, ...], ...]:
        """For each own reference the indices of the processes that may ask for it."""
        return tuple(
            tuple(self.index_of[reader] for reader in self.table.readers[reference])
            for reference in self.references
        )

    def initial(self) -> MonitorState:
        return MonitorState((), ((),) * len(self.references), (), (), (0,) * len(self.processes))

    def step(self, state: MonitorState, clock: VectorClock, given: Input) -> Stepped:
        """The next state, the merged clock, and what to do.

        Raises `InternalError` for `Process()` with nothing queued. Inquiries about
        references that are not this monitor's, and responses that nothing waits for, come
        from a peer with another property: they are ignored, the first is answered with
        what is known, which is nothing.
        """
        work = _Work(self, state, clock)
        match given:
            case Inquiry():
                work.inquired(given)
            case Response():
                work.answered(given)
            case Observe(event):
                work.unprocessed = (*state.unprocessed, event)
            case Process():
                work.process()
            case Expire(event):
                work.expire(event)
            case _:
                assert_never(given)
        return work.stepped()


class _Work:
    """One step in the making: a scratch copy of the state that `step` throws away."""

    __slots__ = (
        "clock", "effects", "history", "inspections", "monitor", "postponed", "settled",
        "unprocessed",
    )

    def __init__(self, monitor: Monitor, state: MonitorState, clock: VectorClock) -> None:
        self.monitor = monitor
        self.clock = clock
        self.effects: list[Effect] = []
        self.unprocessed, self.history, self.inspections, self.postponed, self.settled = state

    def stepped(self) -> Stepped:
        state = MonitorState(
            self.unprocessed, self.history, self.inspections, self.postponed, self.settled
        )
        return state, self.clock, self.effects

    # Algorithm 2: an event of the own process.

    def process(self) -> None:
        if not self.unprocessed:
            raise InternalError(f"the monitor of {self.monitor.process} has no event to process")
        event, self.unprocessed = self.unprocessed[0], self.unprocessed[1:]
        monitor, clock = self.monitor, event.clock
        parts = tuple(
            Part(inspected, (), (), STARTS) if inspected.starts
            else Part(inspected, tuple(owner for owner, _ in inspected.asks), (), None)
            for inspected in monitor.table.inspections[event.label]
        )
        # Among the inspections before anything is put into the history: what is dropped
        # there depends on the oldest open event.
        inspection = Inspection(clock, parts)
        self.inspections = (*self.inspections, inspection)
        own_inquiries = []
        waits_for_final = False
        for part in parts:
            reference = part.inspected.reference
            if part.judgement is not None:
                self._settle(part.inspected, clock, part.judgement, opened=False)
                continue
            self._put(reference, (Record(reference, clock, OPEN),))
            waits_for_final = waits_for_final or part.inspected.final
            for owner, asked in part.inspected.asks:
                settled = self.inspections[0].event[monitor.index_of[owner]]
                inquiry = Inquiry(
                    monitor.process, owner, reference, clock, asked, self.clock, settled
                )
                if owner == monitor.process:
                    own_inquiries.append(inquiry)
                else:
                    self.effects.append(Send(inquiry))
        if waits_for_final and monitor.deadline:
            self.effects.append(SetDeadline(clock))
        self._close(inspection)
        if own_inquiries:
            self.postponed = (*self.postponed, *own_inquiries)
        self._retry()

    def expire(self, event: VectorClock) -> None:
        """Give a provisional word where the answers that are missing may matter."""
        own = self.monitor.own
        for inspection in self.inspections:
            if inspection.event[own] == event[own] and not inspection.declared:
                break
        else:
            return
        silent: dict[str, None] = {}
        judged = []
        for part in inspection.parts:
            if part.inspected.final:
                silent |= dict.fromkeys(part.waiting)
                judged.append(part._replace(judgement=self._judge_early(part, event)))
        verdict = _verdict(self.monitor.process, event, judged, None, tuple(silent))
        if verdict is not None:
            self.effects.append(Declared(event, verdict, True))
            self._replace(inspection, inspection._replace(told=verdict.word))

    # Algorithm 3: monitoring messages.

    def inquired(self, inquiry: Inquiry) -> None:
        self._heard(inquiry)
        if self._must_wait(inquiry):
            self.postponed = (*self.postponed, inquiry)
        else:
            self._answer(inquiry)

    def answered(self, response: Response) -> None:
        self._heard(response)
        self._receive(response.sender, response.inspected, response.event_count, response.records)
        if self.postponed:
            self._retry()

    def _heard(self, message: Inquiry | Response) -> None:
        self.clock = merge(self.clock, message.clock)
        sender = self.monitor.index_of[message.sender]
        if message.settled > self.settled[sender]:
            self.settled = (
                *self.settled[:sender], message.settled, *self.settled[sender + 1 :]
            )

    def _must_wait(self, inquiry: Inquiry) -> bool:
        """Whether something that is asked about happened before the inquired event and is
        not decided yet."""
        if not self.inspections and not self.unprocessed:
            return False
        monitor = self.monitor
        own = monitor.own
        known = inquiry.event[own]
        if inquiry.sender == monitor.process:
            known -= 1  # the inquired event itself is no reason to wait for it
        for reference in inquiry.asked:
            place = monitor.chain_of.get(reference)
            if place is None:
                continue
            for record in self.history[place]:
                if record.result == OPEN and record.clock[own] <= known:
                    return True
            for event in self.unprocessed:
                if (
                    event.clock[own] <= known
                    and event.label in monitor.table.watched_by[reference]
                ):
                    return True
        return False

    def _answer(self, inquiry: Inquiry) -> None:
        monitor = self.monitor
        own, asker = monitor.own, monitor.index_of[inquiry.sender]
        records: list[Record] = []
        for reference in inquiry.asked:
            place = monitor.chain_of.get(reference)
            if place is not None and self.history[place]:
                records += monitor.rules.answer(self.history[place], own, inquiry.event, asker)
            if self.unprocessed:
                records += self._unprocessed_records(reference, inquiry.event, asker)
        count = inquiry.event[asker]
        if asker == own:
            self._receive(monitor.process, inquiry.inspected, count, tuple(records))
            return
        self.effects.append(Send(Response(
            monitor.process, inquiry.sender, inquiry.inspected, count, tuple(records),
            self.clock, self._promise(asker),
        )))

    def _unprocessed_records(
        self, reference: Reference, event: VectorClock, asker: int
    ) -> list[Record]:
        """Conservative records for queued events that are concurrent to the inquired one."""
        watched = self.monitor.table.watched_by.get(reference, frozenset())
        count = event[asker]
        return [
            Record(reference, queued.clock, FRM_P)
            for queued in self.unprocessed
            if queued.label in watched and queued.clock[asker] < count
        ]

    def _promise(self, reader: int) -> int:
        """Of the events of `reader`, the count that every event knows about which this
        monitor may still ask."""
        if self.inspections:
            return self.inspections[0].event[reader]
        if self.unprocessed:
            return self.unprocessed[0].clock[reader]
        return self.clock[reader]

    # Judging.

    def _receive(
        self, owner: str, reference: Reference, count: int, records: tuple[Record, ...]
    ) -> None:
        own = self.monitor.own
        place = next(
            (i for i, other in enumerate(self.inspections) if other.event[own] == count), None
        )
        if place is None:
            return
        inspection = self.inspections[place]
        parts = inspection.parts
        number = next(
            (
                i for i, part in enumerate(parts)
                if part.inspected.reference == reference and owner in part.waiting
            ),
            None,
        )
        if number is None:
            return
        part = parts[number]
        records = part.records + records
        waiting = tuple(other for other in part.waiting if other != owner)
        judgement = None
        if not waiting:
            judgement = self._judge(part.inspected, inspection.event, records)
            self._settle(part.inspected, inspection.event, judgement, opened=True)
        part = Part(part.inspected, waiting, records, judgement)
        inspection = inspection._replace(parts=(*parts[:number], part, *parts[number + 1 :]))
        self.inspections = (
            *self.inspections[:place], inspection, *self.inspections[place + 1 :]
        )
        if judgement is not None:
            self._close(inspection)

    def _judge(
        self, inspected: Inspected, event: VectorClock, records: Sequence[Record]
    ) -> Judgement:
        monitor = self.monitor
        return monitor.rules.judge(inspected, event, monitor.own, records, monitor.index_of)

    def _settle(
        self, inspected: Inspected, event: VectorClock, judgement: Judgement, *, opened: bool
    ) -> None:
        """EvalHist: the open record becomes what was found, or goes."""
        reference = inspected.reference
        found: Chain = ()
        if judgement.result is not None:
            found = (Record(reference, event, judgement.result),)
        self._put(reference, found, event if opened else None)
        self.effects.append(Settled(reference, event, judgement))

    def _put(
        self, reference: Reference, records: Chain, instead: VectorClock | None = None
    ) -> None:
        """Add records to the end of a chain, or put them in the place of the open one of
        the event `instead`; and drop what no longer matters."""
        monitor = self.monitor
        place = monitor.chain_of[reference]
        chain = self.history[place]
        if instead is None:
            chain += records
        else:
            own = monitor.own
            at = next(i for i, r in enumerate(chain) if r.clock[own] == instead[own])
            chain = chain[:at] + records + chain[at + 1 :]
        settled: int | None = None
        if readers := monitor.readers_of[place]:
            settled = min(
                self._oldest_open() - 1 if reader == monitor.own else self.settled[reader]
                for reader in readers
            )
        chain = monitor.rules.keep(chain, monitor.own, settled)
        self.history = (*self.history[:place], chain, *self.history[place + 1 :])

    def _oldest_open(self) -> int:
        """The count of the oldest own event that is not settled."""
        if self.inspections:
            return self.inspections[0].event[self.monitor.own]
        if self.unprocessed:
            return self.unprocessed[0].clock[self.monitor.own]
        return FOREVER

    def _judge_early(self, part: Part, event: VectorClock) -> Judgement:
        """What is known of a part while answers are missing: what a silent monitor owns
        is uncertain."""
        if part.judgement is not None:
            return part.judgement
        judgement = self._judge(part.inspected, event, part.records)
        missing_pre = any(need.pre.process in part.waiting for need in part.inspected.needs)
        if judgement.result is None and not missing_pre:
            return judgement
        return judgement._replace(result=FRM_P)

    def _close(self, inspection: Inspection) -> None:
        """Declare when all final transitions are judged; forget when all are."""
        finals = [part for part in inspection.parts if part.inspected.final]
        if (
            finals
            and not inspection.declared
            and all(part.judgement is not None for part in finals)
        ):
            verdict = _verdict(self.monitor.process, inspection.event, finals, inspection.told)
            self.effects.append(Declared(inspection.event, verdict, False))
            declared = inspection._replace(declared=True)
            self._replace(inspection, declared)
        if all(part.judgement is not None for part in inspection.parts):
            own = self.monitor.own
            self.inspections = tuple(
                i for i in self.inspections if i.event[own] != inspection.event[own]
            )

    def _replace(self, old: Inspection, new: Inspection) -> None:
        self.inspections = tuple(new if i is old else i for i in self.inspections)

    def _retry(self) -> None:
        """HndlPndMonitorMsg: answer what need no longer wait, as long as there is any;
        an answer to oneself may settle what others wait for."""
        while True:
            for place, inquiry in enumerate(self.postponed):
                if not self._must_wait(inquiry):
                    self.postponed = self.postponed[:place] + self.postponed[place + 1 :]
                    self._answer(inquiry)
                    break
            else:
                return


def _verdict(
    process: str,
    event: VectorClock,
    finals: Sequence[Part],
    told: Word | None,
    silent: tuple[str, ...] = (),
) -> Verdict | None:
    """The joint word about all final transitions that an event labels."""
    judged = [(part.inspected.reference, part.judgement or NOTHING) for part in finals]
    return joint_verdict(process, event, judged, told, silent)
