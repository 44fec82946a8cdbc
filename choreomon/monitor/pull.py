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
- A monitoring message arrived: step with the message. One that arrives twice, or late, does no
  harm: an inquiry is answered again, a response that nothing waits for is ignored.
- The deadline for an event passed: step with `Expire`. Nothing more is waited for: with `GiveUp`.
- Events happen that it is not told of: step with `GapOpens` before any can have happened, and with
  `GapEnds` after the last.
- Carry out the effects, in order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, assert_never

from choreomon.core.errors import InternalError
from choreomon.core.message import Event, Label
from choreomon.core.vector_clock import VectorClock, merge
from choreomon.core.verdict import (
    NEVER,
    POSSIBLY_VIOLATED,
    Judgement,
    Reference,
    Result,
    Verdict,
)
from choreomon.monitor.answering import (
    FEW,
    FOREVER,
    answer,
    must_wait,
    promise,
    undecided,
    waited_for,
)
from choreomon.monitor.effects import Declared, Effect, Send, SetDeadline
from choreomon.monitor.gaps import Gap, earlier, open_since, with_gap
from choreomon.monitor.history import MAX_CHAIN, OPEN, Chain, Record, place_in
from choreomon.monitor.joint import joint_verdict
from choreomon.monitor.messages import Inquiry, Response, Waiting
from choreomon.monitor.provisional import early_judgement, provisional_word, silent_ones
from choreomon.monitor.rules import STARTS
from choreomon.monitor.setup import MonitorSetup
from choreomon.monitor.state import (
    Decision,
    Expire,
    GapEnds,
    GapOpens,
    GiveUp,
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

WAITING_PER_OPEN: Final = 4
"""Inquiries of others that may wait here for each inspection that may be open. One more is not
taken down, and its asker will repeat it."""

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

        Raises `InternalError` for `ProcessNext` with nothing queued, for an `Event` with
        something queued, and for the end of a gap that never opened: these are mistakes of the
        driver. Inquiries about
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
                return state, clock, [Declared(event, verdict, True, self._label(state, event))]
            case Waiting():
                return self._told_of_waiting(state, given), merge(clock, given.clock), []
            case GiveUp(event):
                return self._given_up(state, clock, event, [])
            case GapOpens(since):
                return self._gap_opened(state, since or clock), clock, []
            case GapEnds(until, since):
                return self._gap_ended(state, clock, until, since)
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
        _, history, inspections, decisions, postponed, settled, gaps = state
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
            decisions = (*decisions, Decision(event, label, tuple(judged), missing))
            if self.has_deadline:
                effects.append(SetDeadline(event))
        elif judged:
            verdict = joint_verdict(self.process, event, judged)
            effects.append(Declared(event, verdict, False, label))
        # Only now that the open inspections of this very event are in place is it known
        # what of the history no longer matters.
        for place in fired:
            chains[place] = self._kept(chains[place], place, inspections, settled)
        state = new_state(
            MonitorState,
            unprocessed,
            tuple(chains),
            inspections,
            decisions,
            postponed,
            settled,
            gaps,
        )
        if self.most_open is not None:
            while len(state.inspections) > self.most_open and state.inspections[0].event != event:
                oldest = state.inspections[0].event
                state, clock, effects = self._given_up(state, clock, oldest, effects)
        return self._retried(state, clock, effects) if postponed else (state, clock, effects)

    # Algorithm 3: monitoring messages.

    def _inquired(self, state: MonitorState, clock: VectorClock, inquiry: Inquiry) -> Stepped:
        asker, _, _, _, _, heard, promised = inquiry
        clock = merge(clock, heard)
        unprocessed, history, inspections, decisions, postponed, settled, gaps = state
        index = self.index_of[asker]
        if promised >= settled[index] + SMALL:
            settled = (*settled[:index], promised, *settled[index + 1 :])
        effects: list[Effect] = []
        is_open = inspections or unprocessed
        if is_open and must_wait(self, undecided(self, state), inquiry):
            if postponed and any(_same(inquiry, each, index) for each in postponed):
                effects.append(Send(self._waiting(state, clock, inquiry)))
            elif self.most_open is None or len(postponed) < WAITING_PER_OPEN * self.most_open:
                postponed = (*postponed, inquiry)
        else:
            effects.append(self._response(state, clock, inquiry))
        if settled is not state.settled or postponed is not state.postponed:
            state = new_state(
                MonitorState, unprocessed, history, inspections, decisions, postponed, settled, gaps
            )
        return state, clock, effects

    def _waiting(self, state: MonitorState, clock: VectorClock, inquiry: Inquiry) -> Waiting:
        count = inquiry.event[self.index_of[inquiry.sender]]
        names = waited_for(self, state, inquiry.asked, inquiry.event[self.own])
        behind = tuple(name for name in names if name != inquiry.sender)
        return Waiting(self.process, inquiry.sender, inquiry.inspected, count, behind, clock)

    def _told_of_waiting(self, state: MonitorState, told: Waiting) -> MonitorState:
        place = self._inspection_at(state, told.sender, told.inspected, told.event_count)
        if place is None:
            return state
        inspection = state.inspections[place]
        behind = tuple(each for each in inspection.behind if each[0] != told.sender)
        inspection = inspection._replace(behind=(*behind, (told.sender, told.waiting_for)))
        inspections = (
            *state.inspections[:place],
            inspection,
            *state.inspections[place + 1 :],
        )
        return state._replace(inspections=inspections)

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
            unprocessed, history, inspections, decisions, _, settled, gaps = state
            state = new_state(
                MonitorState,
                unprocessed,
                history,
                inspections,
                decisions,
                tuple(waiting),
                settled,
                gaps,
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
        place = self._inspection_at(state, owner, reference, count)
        if place is None:
            return state if settled is state.settled else state._replace(settled=settled)
        unprocessed, history, inspections, decisions, postponed, _, gaps = state
        event, inspected, waiting, answered, behind = inspections[place]
        records = answered + records
        if len(waiting) > 1:
            at = waiting.index(owner)
            less = new_inspection(
                Inspection, event, inspected, waiting[:at] + waiting[at + 1 :], records, behind
            )
            inspections = (*inspections[:place], less, *inspections[place + 1 :])
            return new_state(
                MonitorState, unprocessed, history, inspections, decisions, postponed, settled, gaps
            )
        judgement = self.judge(inspected, event, records)
        return self._judged(state, settled, place, judgement, effects)

    def _inspection_at(
        self, state: MonitorState, owner: str, reference: Reference, count: int
    ) -> int | None:
        """Where the inspection of `reference` at the own event number `count` is that still waits
        for `owner`, if there is one."""
        own, inspections = self.own, state.inspections
        place = _first_at(inspections, own, count) if len(inspections) > FEW else 0
        for event, inspected, waiting, _, _ in inspections[place:]:
            if event[own] > count:
                return None
            if event[own] == count and inspected.reference == reference and owner in waiting:
                return place
            place += 1
        return None

    def _judged(
        self,
        state: MonitorState,
        settled: tuple[int, ...],
        place: int,
        judgement: Judgement,
        effects: list[Effect],
    ) -> MonitorState:
        """The inspection at `place` is over."""
        unprocessed, history, inspections, decisions, postponed, _, gaps = state
        event, inspected, _, _, _ = inspections[place]
        inspections = inspections[:place] + inspections[place + 1 :]
        place = self.chain_of[inspected.reference]
        chain = self._evaluated(history[place], place, event, judgement.result)
        if judgement.result is not None:
            chain = self._kept(chain, place, inspections, settled)
        history = (*history[:place], chain, *history[place + 1 :])
        if inspected.final:
            decisions = self._decided(decisions, inspected.reference, event, judgement, effects)
        return new_state(
            MonitorState, unprocessed, history, inspections, decisions, postponed, settled, gaps
        )

    def _given_up(
        self, state: MonitorState, clock: VectorClock, event: VectorClock, effects: list[Effect]
    ) -> Stepped:
        """Nothing more is waited for about the own event with this clock."""
        own, count = self.own, event[self.own]
        while True:
            inspections = state.inspections
            place = _first_at(inspections, own, count)
            if place == len(inspections) or inspections[place].event[own] != count:
                break
            inspection = inspections[place]
            if inspection.inspected.final:
                state = self._noted_silent(state, inspection)
            judgement = early_judgement(self, inspection)
            state = self._judged(state, state.settled, place, judgement, effects)
        if state.postponed:
            mine = self.process
            postponed = tuple(
                each for each in state.postponed if each.sender != mine or each.event[own] != count
            )
            state = state._replace(postponed=postponed)
        return self._retried(state, clock, effects)

    def _noted_silent(self, state: MonitorState, inspection: Inspection) -> MonitorState:
        place = _first_at(state.decisions, self.own, inspection.event[self.own])
        decision = state.decisions[place]
        missing, behind = silent_ones(self, state, inspection)
        silent = dict.fromkeys((*decision.silent, *missing))
        waiting_for = dict.fromkeys((*decision.waiting_for, *behind))
        decision = decision._replace(
            silent=tuple(silent),
            waiting_for=tuple(name for name in waiting_for if name not in silent),
        )
        decisions = (*state.decisions[:place], decision, *state.decisions[place + 1 :])
        return state._replace(decisions=decisions)

    # Gaps.

    def _gap_opened(self, state: MonitorState, since: VectorClock) -> MonitorState:
        gaps = state.gaps
        if gaps and gaps[-1].until[self.own] == NEVER:
            if earlier(gaps[-1].since, since) == gaps[-1].since:
                return state
            gaps = gaps[:-1]
        return state._replace(gaps=(*gaps, open_since(since, self.own)))

    def _gap_ended(
        self,
        state: MonitorState,
        clock: VectorClock,
        until: VectorClock | None,
        since: VectorClock | None,
    ) -> Stepped:
        gaps = state.gaps
        if gaps and gaps[-1].until[self.own] == NEVER:
            opened, gaps = gaps[-1].since, gaps[:-1]
            since = opened if since is None else earlier(opened, since)
        if until is None:
            return state._replace(gaps=gaps), clock, []
        if since is None:
            raise InternalError(f"{self.process}: a gap ends that never opened")
        state = state._replace(gaps=with_gap(gaps, Gap(since, until)))
        effects: list[Effect] = []
        finals = dict.fromkeys(row.transition.reference for row in self.table.rows if row.final)
        if finals:
            verdict = Verdict(
                POSSIBLY_VIOLATED, self.process, until, tuple(finals), (), unseen=True
            )
            effects.append(Declared(until, verdict, False))
        return state, clock, effects

    def _label(self, state: MonitorState, event: VectorClock) -> Label:
        return state.decisions[_first_at(state.decisions, self.own, event[self.own])].label

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
        _, label, judged, missing, told, silent, waiting_for = decisions[place]
        judged = (*judged, (reference, judgement))
        before, after = decisions[:place], decisions[place + 1 :]
        if missing > 1:
            less = Decision(event, label, judged, missing - 1, told, silent, waiting_for)
            return (*before, less, *after)
        verdict = joint_verdict(self.process, event, judged, told, silent, waiting_for)
        effects.append(Declared(event, verdict, False, label))
        return before + after


def _same(inquiry: Inquiry, other: Inquiry, asker: int) -> bool:
    """Whether both ask the same for the same event of the process at `asker`."""
    return (
        inquiry.event[asker] == other.event[asker]
        and inquiry.inspected == other.inspected
        and inquiry.sender == other.sender
    )


def open_inquiries(monitor: Monitor, state: MonitorState, clock: VectorClock) -> Iterator[Inquiry]:
    """What others were asked and have not answered, oldest event first: what to ask again after
    a restart, or where it may have been lost."""
    if not state.inspections:
        return
    oldest = state.inspections[0].event
    for event, inspected, waiting, _, _ in state.inspections:
        for owner, asked in inspected.asks:
            if owner in waiting and owner != monitor.process:
                index = monitor.index_of[owner]
                yield Inquiry(
                    monitor.process,
                    owner,
                    inspected.reference,
                    event,
                    asked,
                    clock,
                    oldest[index],
                )


def _first_at(things: Sequence[Inspection | Decision], own: int, count: int) -> int:
    """Where the first of the things is, oldest first, whose event has this count or more."""
    return bisect_left(things, count, key=lambda thing: thing.event[own])
