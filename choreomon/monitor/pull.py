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
- Later, once for each: step with `ProcessNext()`. A driver that would do so at once steps with
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
from choreomon.core.verdict import Judgement, Reference, Result
from choreomon.monitor.answering import (
    FEW,
    FOREVER,
    answer,
    must_wait,
    promise,
    undecided,
)
from choreomon.monitor.effects import Declared, Effect, Send, SetDeadline
from choreomon.monitor.history import MAX_CHAIN, OPEN, Chain, Record, place_in
from choreomon.monitor.joint import joint_verdict
from choreomon.monitor.messages import Inquiry, Response
from choreomon.monitor.provisional import provisional_word
from choreomon.monitor.rules import STARTS
from choreomon.monitor.setup import MonitorSetup
from choreomon.monitor.state import (
    Decision,
    Expire,
    Input,
    Inspection,
    MonitorState,
    Observe,
    ProcessNext,
)

Stepped: TypeAlias = tuple[MonitorState, VectorClock, list[Effect]]

SMALL: Final = 4
"""A chain is looked through for what can be dropped when its length is a multiple of this
(or above `MAX_CHAIN`), and a promise that is better by less than this is not taken down:
doing either every time would cost more than it saves."""

# To call `__new__` takes two thirds of the time of calling the class; where every message
# makes such values, that is a twentieth of what monitors cost.
new_inquiry: Final = Inquiry.__new__
new_inspection: Final = Inspection.__new__
new_record: Final = Record.__new__
new_response: Final = Response.__new__
new_send: Final = Send.__new__
new_state: Final = MonitorState.__new__


@dataclass(frozen=True)
class Monitor(MonitorSetup):
    """The pulling monitor of one process; it has no state of its own."""

    def initial(self) -> MonitorState:
        return MonitorState(
            (), ((),) * len(self.references), (), (), (), (0,) * len(self.processes)
        )

    def step(self, state: MonitorState, clock: VectorClock, given: Input) -> Stepped:
        """The next state, the merged clock, and what to do.

        Raises `InternalError` for `ProcessNext` with nothing queued and for an `Event`
        with something queued: these are mistakes of the driver. Inquiries about
        references that are not this monitor's, and responses that nothing waits for, come
        from a peer with another property: the first are answered with nothing, the second
        are ignored.
        """
        # What is common goes first and by type: class patterns cost several times as much.
        if type(given) is Response:
            return self._answered(state, clock, given)
        if type(given) is Inquiry:
            return self._inquired(state, clock, given)
        if type(given) is Event and not state.unprocessed:
            return self._process(state, clock, given, ())
        match given:
            case Observe(event):
                return self._observed(state, event), clock, []
            case ProcessNext() if state.unprocessed:
                return self._process(state, clock, state.unprocessed[0], state.unprocessed[1:])
            case ProcessNext() | Event():
                queued = len(state.unprocessed)
                raise InternalError(f"{self.process}: {given} with {queued} events queued")
            case Expire(event):
                early = provisional_word(self, state, event)
                if early is None:
                    return state, clock, []
                state, verdict = early
                return state, clock, [Declared(event, verdict, True)]
            case _:
                assert_never(given)

    # Algorithm 2: an event of the own process.

    def _observed(self, state: MonitorState, event: Event) -> MonitorState:
        return state._replace(unprocessed=(*state.unprocessed, event))

    def _process(
        self,
        state: MonitorState,
        clock: VectorClock,
        processed: Event,
        unprocessed: tuple[Event, ...],
    ) -> Stepped:
        label, event = processed
        _, history, inspections, decisions, postponed, settled = state
        effects: list[Effect] = []
        chains = [*history]
        judged: list[tuple[Reference, Judgement]] = []
        fired: list[int] = []
        missing = 0
        oldest = inspections[0].event if inspections else event
        for inspected, place, others, waiting, own_asked in self.plans[label]:
            reference = inspected.reference
            for owner, index, asked in others:
                effects.append(
                    new_send(
                        Send,
                        new_inquiry(
                            Inquiry,
                            self.process,
                            owner,
                            reference,
                            event,
                            asked,
                            clock,
                            oldest[index],
                        ),
                    )
                )
            records: tuple[Record, ...] = ()
            if own_asked:
                inquiry = new_inquiry(
                    Inquiry, self.process, self.process, reference, event, own_asked, clock, 0
                )
                is_open = state.inspections or unprocessed
                if is_open and must_wait(self, undecided(self, state), inquiry):
                    waiting = (*waiting, self.process)
                    postponed = (*postponed, inquiry)
                else:
                    records = answer(self, state, inquiry)
            if waiting:
                inspections = (
                    *inspections,
                    new_inspection(Inspection, event, inspected, waiting, records),
                )
                chains[place] = (*chains[place], new_record(Record, reference, event, OPEN))
                missing += inspected.final
                continue
            judgement = STARTS if inspected.starts else self.judge(inspected, event, records)
            result = judgement.result
            if result is not None and self.remembers[place]:
                chains[place] = (*chains[place], new_record(Record, reference, event, result))
                fired.append(place)
            if inspected.final:
                judged.append((reference, judgement))
        if missing:
            decisions = (*decisions, Decision(event, tuple(judged), missing))
            if self.has_deadline:
                effects.append(SetDeadline(event))
        elif judged:
            effects.append(Declared(event, joint_verdict(self.process, event, judged), False))
        # Only now that the open inspections of this very event are in place is it known
        # what of the history no longer matters.
        for place in fired:
            chains[place] = self._kept(chains[place], place, inspections, settled)
        state = new_state(
            MonitorState, unprocessed, tuple(chains), inspections, decisions, postponed, settled
        )
        return self._retried(state, clock, effects) if postponed else (state, clock, effects)

    # Algorithm 3: monitoring messages.

    def _inquired(self, state: MonitorState, clock: VectorClock, inquiry: Inquiry) -> Stepped:
        asker, _, _, _, _, heard, promised = inquiry
        clock = merge(clock, heard)
        unprocessed, history, inspections, decisions, postponed, settled = state
        index = self.index_of[asker]
        if promised >= settled[index] + SMALL:
            settled = (*settled[:index], promised, *settled[index + 1 :])
        effects: list[Effect] = []
        is_open = inspections or unprocessed
        if is_open and must_wait(self, undecided(self, state), inquiry):
            postponed = (*postponed, inquiry)
        else:
            effects.append(self._response(state, clock, inquiry))
        if settled is not state.settled or postponed is not state.postponed:
            state = new_state(
                MonitorState, unprocessed, history, inspections, decisions, postponed, settled
            )
        return state, clock, effects

    def _answered(self, state: MonitorState, clock: VectorClock, response: Response) -> Stepped:
        sender, _, inspected, count, records, heard, promised = response
        clock = merge(clock, heard)
        settled = state.settled
        index = self.index_of[sender]
        if promised >= settled[index] + SMALL:
            settled = (*settled[:index], promised, *settled[index + 1 :])
        effects: list[Effect] = []
        received = self._received(state, settled, sender, inspected, count, records, effects)
        if received.postponed and len(received.inspections) < len(state.inspections):
            return self._retried(received, clock, effects)
        return received, clock, effects

    def _response(self, state: MonitorState, clock: VectorClock, inquiry: Inquiry) -> Send:
        asker, _, inspected, event, _, _, _ = inquiry
        index = self.index_of[asker]
        records, promised = answer(self, state, inquiry), promise(state, clock, index)
        return new_send(
            Send,
            new_response(
                Response, self.process, asker, inspected, event[index], records, clock, promised
            ),
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
            unprocessed, history, inspections, decisions, _, settled = state
            state = new_state(
                MonitorState, unprocessed, history, inspections, decisions, tuple(waiting), settled
            )
            for inquiry in ready:
                if inquiry.sender == self.process:
                    state = self._received(
                        state,
                        state.settled,
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
        settled: tuple[int, ...],
        owner: str,
        reference: Reference,
        count: int,
        records: tuple[Record, ...],
        effects: list[Effect],
    ) -> MonitorState:
        """Take down an answer and the promises `settled`; with the last answer, judge."""
        unprocessed, history, inspections, decisions, postponed, _ = state
        own = self.own
        place = 0
        if len(inspections) > FEW:
            place = _first_at(inspections, own, count)
        for inspection in inspections[place:]:
            event, inspected, waiting, answered = inspection
            if event[own] == count and inspected.reference == reference and owner in waiting:
                break
            if event[own] > count:
                return state if settled is state.settled else state._replace(settled=settled)
            place += 1
        else:
            return state if settled is state.settled else state._replace(settled=settled)
        records = answered + records
        if len(waiting) > 1:
            at = waiting.index(owner)
            less = new_inspection(
                Inspection, event, inspected, waiting[:at] + waiting[at + 1 :], records
            )
            inspections = (*inspections[:place], less, *inspections[place + 1 :])
        else:
            judgement = self.judge(inspected, event, records)
            inspections = inspections[:place] + inspections[place + 1 :]
            place = self.chain_of[reference]
            chain = self._evaluated(history[place], place, event, judgement.result)
            if judgement.result is not None:
                chain = self._kept(chain, place, inspections, settled)
            history = (*history[:place], chain, *history[place + 1 :])
            if inspected.final:
                decisions = self._decided(decisions, reference, event, judgement, effects)
        return new_state(
            MonitorState, unprocessed, history, inspections, decisions, postponed, settled
        )

    def _evaluated(
        self, chain: Chain, place: int, event: VectorClock, result: Result | None
    ) -> Chain:
        """EvalHist: the open record becomes what was found, or goes."""
        own = self.own
        at = len(chain) - 1
        if chain[at].clock[own] != event[own]:
            at = place_in(chain, own, event[own])
        if result is None or not self.remembers[place]:
            return chain[:at] + chain[at + 1 :]
        return (
            *chain[:at],
            new_record(Record, chain[at].reference, event, result),
            *chain[at + 1 :],
        )

    def _kept(
        self,
        chain: Chain,
        place: int,
        inspections: tuple[Inspection, ...],
        settled: tuple[int, ...],
    ) -> Chain:
        """The chain at `place`, in which a record became known, without the records that
        no longer matter."""
        size = len(chain)
        if len(inspections) > FEW:
            size -= len(inspections)  # of a backlog, open records are not looked through
        keep = self.rules.keep
        if size <= 0 or (size % SMALL and size <= MAX_CHAIN) or keep is None:
            return chain
        own, reached = self.own, FOREVER
        for reader in self.readers_of[place]:
            if reader != own:
                promised = settled[reader]
            elif inspections:
                promised = inspections[0].event[own] - 1
            else:
                continue  # what is queued happened after all that is in the chain
            if promised < reached:
                reached = promised
        return keep(chain, own, reached)

    def _decided(
        self,
        decisions: tuple[Decision, ...],
        reference: Reference,
        event: VectorClock,
        judgement: Judgement,
        effects: list[Effect],
    ) -> tuple[Decision, ...]:
        """One final transition of an event is judged; with the last one, give the word."""
        place = _first_at(decisions, self.own, event[self.own])
        _, judged, missing, told = decisions[place]
        judged = (*judged, (reference, judgement))
        before, after = decisions[:place], decisions[place + 1 :]
        if missing > 1:
            return (*before, Decision(event, judged, missing - 1, told), *after)
        verdict = joint_verdict(self.process, event, judged, told)
        effects.append(Declared(event, verdict, False))
        return before + after


def _first_at(things: Sequence[Inspection | Decision], own: int, count: int) -> int:
    """Where the first of the things is, oldest first, whose event has this count or more."""
    return bisect_left(things, count, key=lambda thing: thing.event[own])
