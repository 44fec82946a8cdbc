"""The choreographed monitor that pulls: Algorithms 1 to 3 of the paper as a step function.

`step(state, clock, input) -> (state, clock, effects)`. The clock is the one that the
monitor shares with its process: the process ticks it, the monitor only merges into it.
A driver passes the current clock in and puts the returned one back before the process
does anything else; that makes the merge, the check of unprocessed events and the look-up
in the history one atomic step, which G1 needs (docs/monitors.md, "Clocks"). The state is a
value: stepping one twice gives the same twice.

What a driver does:

- At every event of the process whose label is in `monitor.table.inspections`, and before
  a sent message leaves: step with `Observe(event)`. It only queues the event.
- Later, once for each: step with `Process()`. A driver that would do so at once steps with
  the event itself instead.
- A monitoring message arrived: step with the message.
- Carry out the effects, in order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, assert_never

from choreomon.core.errors import InternalError
from choreomon.core.message import Event
from choreomon.core.vector_clock import VectorClock, merge
from choreomon.core.verdict import FRM_P, Judgement, Reference
from choreomon.monitor.answering import (
    FEW,
    answer,
    must_wait,
    oldest_unsettled,
    promise,
    undecided,
)
from choreomon.monitor.effects import Declared, Effect, Send, SetDeadline
from choreomon.monitor.history import MAX_CHAIN, OPEN, Record
from choreomon.monitor.joint import joint_verdict
from choreomon.monitor.messages import Inquiry, Response
from choreomon.monitor.rules import STARTS
from choreomon.monitor.setup import MonitorSetup
from choreomon.monitor.state import (
    Decision,
    Expire,
    Input,
    Inspection,
    MonitorState,
    Observe,
    Process,
)
from choreomon.properties.tables import Inspected

Stepped: TypeAlias = tuple[MonitorState, VectorClock, list[Effect]]

SMALL: Final = 4
"""A chain is looked through for what can be dropped when its length is a multiple of this
(or above `MAX_CHAIN`), and a promise that is better by less than this is not taken down:
doing either every time would cost more than it saves."""


@dataclass(frozen=True)
class Monitor(MonitorSetup):
    """The pulling monitor of one process; it has no state of its own."""

    def initial(self) -> MonitorState:
        return MonitorState(
            (), ((),) * len(self.references), (), (), (), (0,) * len(self.processes)
        )

    def step(self, state: MonitorState, clock: VectorClock, given: Input) -> Stepped:
        """The next state, the merged clock, and what to do.

        Raises `InternalError` for `Process` with nothing queued and for an `Event`
        with something queued: these are mistakes of the driver. Inquiries about
        references that are not this monitor's, and responses that nothing waits for, come
        from a peer with another property: the first are answered with nothing, the second
        are ignored.
        """
        match given:
            case Inquiry():
                return self._inquired(state, clock, given)
            case Response():
                return self._answered(state, clock, given)
            case Observe(event):
                return self._observed(state, event), clock, []
            case Event() if not state.unprocessed:
                return self._process(state, clock, given, ())
            case Process() if state.unprocessed:
                return self._process(state, clock, state.unprocessed[0], state.unprocessed[1:])
            case Process() | Event():
                queued = len(state.unprocessed)
                raise InternalError(f"{self.process}: {given} with {queued} events queued")
            case Expire(event):
                return self._expire(state, clock, event)
            case _:
                assert_never(given)

    # Algorithm 2: an event of the own process.

    def _observed(self, state: MonitorState, event: Event) -> MonitorState:
        unprocessed = (*state.unprocessed, event)
        return MonitorState(
            unprocessed,
            state.history,
            state.inspections,
            state.decisions,
            state.postponed,
            state.settled,
        )

    def _process(
        self,
        state: MonitorState,
        clock: VectorClock,
        processed: Event,
        unprocessed: tuple[Event, ...],
    ) -> Stepped:
        label, event = processed
        effects: list[Effect] = []
        inspections, postponed = state.inspections, state.postponed
        history = [*state.history]
        judged: list[tuple[Reference, Judgement]] = []
        fired: list[int] = []
        missing = 0
        oldest = inspections[0].event if inspections else event
        for inspected, place, others, waiting, own_asked in self.plans[label]:
            reference = inspected.reference
            for owner, index, asked in others:
                effects.append(
                    Send(
                        Inquiry(self.process, owner, reference, event, asked, clock, oldest[index])
                    )
                )
            records: tuple[Record, ...] = ()
            if own_asked:
                inquiry = Inquiry(self.process, self.process, reference, event, own_asked, clock, 0)
                is_open = state.inspections or unprocessed
                if is_open and must_wait(self, undecided(self, state), inquiry):
                    waiting = (*waiting, self.process)
                    postponed = (*postponed, inquiry)
                else:
                    records = answer(self, state, inquiry)
            if waiting:
                inspections = (*inspections, Inspection(event, inspected, waiting, records))
                history[place] = (*history[place], Record(reference, event, OPEN))
                missing += inspected.final
                continue
            judgement = STARTS if inspected.starts else self._judge(inspected, event, records)
            result = judgement.result
            if result is not None and (self.readers_of[place] or not self.rules.drops):
                history[place] = (*history[place], Record(reference, event, result))
                fired.append(place)
            if inspected.final:
                judged.append((reference, judgement))
        decisions = state.decisions
        if missing:
            decisions = (*decisions, Decision(event, tuple(judged), missing))
            if self.deadline:
                effects.append(SetDeadline(event))
        elif judged:
            effects.append(Declared(event, joint_verdict(self.process, event, judged), False))
        state = MonitorState(
            unprocessed, tuple(history), inspections, decisions, postponed, state.settled
        )
        # Only now that the open inspections of this very event are in place is it known
        # what of the history no longer matters.
        for place in fired:
            state = self._kept(state, place)
        return self._retried(state, clock, effects) if postponed else (state, clock, effects)

    def _expire(self, state: MonitorState, clock: VectorClock, event: VectorClock) -> Stepped:
        """A provisional word where the answers that are missing may matter."""
        decision = next((d for d in state.decisions if d.event[self.own] == event[self.own]), None)
        if decision is None:
            return state, clock, []
        judged = [*decision.judged]
        silent: dict[str, None] = {}
        for inspection in state.inspections:
            if inspection.event[self.own] == event[self.own] and inspection.inspected.final:
                silent |= dict.fromkeys(w for w in inspection.waiting if w != self.process)
                judged.append((inspection.inspected.reference, self._early(inspection)))
        verdict = joint_verdict(self.process, event, judged, None, tuple(silent))
        if verdict is None:
            return state, clock, []
        told = decision._replace(told=verdict.word)
        decisions = tuple(told if d is decision else d for d in state.decisions)
        return state._replace(decisions=decisions), clock, [Declared(event, verdict, True)]

    def _early(self, inspection: Inspection) -> Judgement:
        """What is known while answers are missing: what a silent monitor owns is
        uncertain."""
        inspected = inspection.inspected
        judgement = self._judge(inspected, inspection.event, inspection.records)
        missing = any(need.pre.process in inspection.waiting for need in inspected.needs)
        if judgement.result is None and not missing:
            return judgement
        return judgement._replace(result=FRM_P)

    # Algorithm 3: monitoring messages.

    def _inquired(self, state: MonitorState, clock: VectorClock, inquiry: Inquiry) -> Stepped:
        clock = merge(clock, inquiry.clock)
        if inquiry.settled >= state.settled[self.index_of[inquiry.sender]] + SMALL:
            state = self._noted(state, inquiry)
        is_open = state.inspections or state.unprocessed
        if is_open and must_wait(self, undecided(self, state), inquiry):
            state = MonitorState(
                state.unprocessed,
                state.history,
                state.inspections,
                state.decisions,
                (*state.postponed, inquiry),
                state.settled,
            )
            return state, clock, []
        return state, clock, [self._response(state, clock, inquiry)]

    def _answered(self, state: MonitorState, clock: VectorClock, response: Response) -> Stepped:
        clock = merge(clock, response.clock)
        if response.settled >= state.settled[self.index_of[response.sender]] + SMALL:
            state = self._noted(state, response)
        open_before = len(state.inspections)
        effects: list[Effect] = []
        state = self._received(
            state,
            response.sender,
            response.inspected,
            response.event_count,
            response.records,
            effects,
        )
        if state.postponed and len(state.inspections) < open_before:
            return self._retried(state, clock, effects)
        return state, clock, effects

    def _noted(self, state: MonitorState, message: Inquiry | Response) -> MonitorState:
        """The state with what the sender promised."""
        sender, settled = self.index_of[message.sender], state.settled
        settled = (*settled[:sender], message.settled, *settled[sender + 1 :])
        return MonitorState(
            state.unprocessed,
            state.history,
            state.inspections,
            state.decisions,
            state.postponed,
            settled,
        )

    def _response(self, state: MonitorState, clock: VectorClock, inquiry: Inquiry) -> Send:
        sender = self.index_of[inquiry.sender]
        return Send(
            Response(
                self.process,
                inquiry.sender,
                inquiry.inspected,
                inquiry.event[sender],
                answer(self, state, inquiry),
                clock,
                promise(state, clock, sender),
            )
        )

    def _retried(self, state: MonitorState, clock: VectorClock, effects: list[Effect]) -> Stepped:
        """HndlPndMonitorMsg: answer what need no longer wait, as long as there is any; an
        answer to oneself may settle what others wait for."""
        while state.postponed:
            open_now = undecided(self, state)
            ready: list[Inquiry] = []
            waiting: list[Inquiry] = []
            for inquiry in state.postponed:
                (waiting if must_wait(self, open_now, inquiry) else ready).append(inquiry)
            if not ready:
                break
            state = state._replace(postponed=tuple(waiting))
            for inquiry in ready:
                if inquiry.sender == self.process:
                    state = self._received(
                        state,
                        self.process,
                        inquiry.inspected,
                        inquiry.event[self.own],
                        answer(self, state, inquiry),
                        effects,
                    )
                else:
                    effects.append(self._response(state, clock, inquiry))
        return state, clock, effects

    # Judging.

    def _received(
        self,
        state: MonitorState,
        owner: str,
        reference: Reference,
        count: int,
        records: tuple[Record, ...],
        effects: list[Effect],
    ) -> MonitorState:
        """Take down an answer; with the last one, judge."""
        own = self.own
        place = 0
        if len(state.inspections) > FEW:
            place = bisect_left(state.inspections, count, key=lambda i: i.event[own])
        for inspection in state.inspections[place:]:
            if inspection.event[own] > count:
                return state
            if (
                inspection.event[own] == count
                and inspection.inspected.reference == reference
                and owner in inspection.waiting
            ):
                break
            place += 1
        else:
            return state
        records = inspection.records + records
        before, after = state.inspections[:place], state.inspections[place + 1 :]
        if len(inspection.waiting) > 1:
            waiting = tuple([other for other in inspection.waiting if other != owner])
            inspection = Inspection(inspection.event, inspection.inspected, waiting, records)
            return MonitorState(
                state.unprocessed,
                state.history,
                (*before, inspection, *after),
                state.decisions,
                state.postponed,
                state.settled,
            )
        judgement = self._judge(inspection.inspected, inspection.event, records)
        state = self._settled(state, before + after, inspection, judgement)
        if inspection.inspected.final:
            return self._decided(state, inspection, judgement, effects)
        return state

    def _judge(
        self, inspected: Inspected, event: VectorClock, records: Sequence[Record]
    ) -> Judgement:
        return self.rules.judge(inspected, event, self.own, records, self.index_of)

    def _settled(
        self,
        state: MonitorState,
        inspections: tuple[Inspection, ...],
        inspection: Inspection,
        judgement: Judgement,
    ) -> MonitorState:
        """EvalHist: the open record becomes what was found, or goes."""
        own, reference = self.own, inspection.inspected.reference
        count = inspection.event[own]
        place = self.chain_of[reference]
        chain = state.history[place]
        at = len(chain) - 1
        if chain[at].clock[own] != count:
            at = bisect_left(chain, count, key=lambda record: record.clock[own])
        history, result = state.history, judgement.result
        kept = result is not None and (self.readers_of[place] or not self.rules.drops)
        found = (Record(reference, inspection.event, result or FRM_P),) if kept else ()
        chain = chain[:at] + found + chain[at + 1 :]
        state = MonitorState(
            state.unprocessed,
            (*history[:place], chain, *history[place + 1 :]),
            inspections,
            state.decisions,
            state.postponed,
            state.settled,
        )
        return self._kept(state, place) if found else state

    def _kept(self, state: MonitorState, place: int) -> MonitorState:
        """The state without the records of one chain that no longer matter."""
        chain, own = state.history[place], self.own
        size = len(chain)
        if len(state.inspections) > FEW:
            size -= len(state.inspections)  # of a backlog, open records are not looked through
        if not self.rules.drops or size <= 0 or (size % SMALL and size <= MAX_CHAIN):
            return state
        settled = min(
            [
                state.settled[reader] if reader != own else oldest_unsettled(state, own) - 1
                for reader in self.readers_of[place]
            ]
        )
        kept = self.rules.keep(chain, own, settled)
        if kept is chain:
            return state
        history = state.history
        return MonitorState(
            state.unprocessed,
            (*history[:place], kept, *history[place + 1 :]),
            state.inspections,
            state.decisions,
            state.postponed,
            state.settled,
        )

    def _decided(
        self,
        state: MonitorState,
        inspection: Inspection,
        judgement: Judgement,
        effects: list[Effect],
    ) -> MonitorState:
        """One final transition of an event is judged; with the last one, give the word."""
        own, event = self.own, inspection.event
        count = event[own]
        place = bisect_left(state.decisions, count, key=lambda d: d.event[own])
        decision = state.decisions[place]
        judged = (*decision.judged, (inspection.inspected.reference, judgement))
        before, after = state.decisions[:place], state.decisions[place + 1 :]
        if decision.missing > 1:
            decision = Decision(event, judged, decision.missing - 1, decision.told)
            decisions = (*before, decision, *after)
            return state._replace(decisions=decisions)
        verdict = joint_verdict(self.process, event, judged, decision.told)
        effects.append(Declared(event, verdict, False))
        return MonitorState(
            state.unprocessed,
            state.history,
            state.inspections,
            before + after,
            state.postponed,
            state.settled,
        )
