"""The choreographed monitor that pulls: Algorithms 1 to 3 of the paper as a step function.

`step(state, clock, input) -> (state, clock, effects)`. The clock is the one that the
monitor shares with its process: the process ticks it, the monitor only merges into it.
A driver passes the current clock in and puts the returned one back before the process
does anything else; that makes the merge, the check of unprocessed events and the look-up
in the history one atomic step, which G1 needs (docs/adr/022-monitors.md, "Clocks"). The state is a
value: stepping one twice gives the same twice.

What a driver does:

- At every event of the process whose label is in `monitor.table.inspections`, and before
  a sent message leaves: step with `Observe(event)`. It only queues the event.
- Later, once for each: step with `ProcessNext()`. A driver that would do so at once steps with
  the event itself instead.
- A step was left `Unfinished`: step with `GoOn`, soon. It does no harm where there is nothing.
- A monitoring message arrived: step with the message. One that arrives twice, or late, does no
  harm: an inquiry is answered again, a response that nothing waits for is ignored.
- The deadline for an event passed: step with `Expire`. Nothing more is waited for: with `GiveUp`.
- Events happen that it is not told of: step with `GapOpens` before any can have happened, and with
  `GapEnds` after the last.
- Carry out the effects, in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, assert_never

from choreomon.core.errors import InternalError
from choreomon.core.message import Event
from choreomon.core.vector_clock import VectorClock, merge
from choreomon.core.verdict import Judgement, Reference
from choreomon.monitor.answering import has_to_wait, must_wait, promise, undecided
from choreomon.monitor.effects import Declared, Effect, Send, SetDeadline, Unfinished
from choreomon.monitor.gap_bounds import gap_ended, gap_opened
from choreomon.monitor.giving_up import given_up
from choreomon.monitor.history import OPEN, Record
from choreomon.monitor.inspection import SMALL, judged, pruned, received
from choreomon.monitor.joint import joint_verdict
from choreomon.monitor.messages import Inquiry, Response, Waiting
from choreomon.monitor.provisional import provisional_verdicts
from choreomon.monitor.retransmission import same_inquiry
from choreomon.monitor.rules import STARTS, Findings, Told
from choreomon.monitor.setup import MonitorSetup
from choreomon.monitor.state import (
    Decision,
    Expire,
    GapEnds,
    GapOpens,
    GiveUp,
    GoOn,
    Input,
    Inspection,
    MonitorState,
    Observe,
    ProcessNext,
)
from choreomon.monitor.wait_for_graph import notice_of_waiting, told_of_waiting

Stepped: TypeAlias = tuple[MonitorState, VectorClock, list[Effect]]

_STARTED: Final = Findings((STARTS,))
_NOTHING_TOLD: Final = Told(())

WAITING_PER_OPEN: Final = 4
"""Inquiries of others that may wait here for each inspection that may be open. One more is not
taken down, and its asker will repeat it."""

ANSWERS_IN_A_SLICE: Final = 16
"""Inquiries that waited and are answered in one step of a monitor `in_slices`: each may tell of
hundreds of records."""


@dataclass(frozen=True)
class Monitor(MonitorSetup):
    """The pulling monitor of one process; it has no state of its own."""

    def initial(self) -> MonitorState:
        return MonitorState((), ((),) * len(self.references), (), (), (), (0,) * len(self.readers))

    def step(self, state: MonitorState, clock: VectorClock, input_: Input) -> Stepped:
        """The next state, the merged clock, and what to do.

        Raises `InternalError` for `ProcessNext` with nothing queued, for an `Event` with
        something queued, and for the end of a gap that never opened: these are mistakes of the
        driver. Inquiries about references that are not this monitor's come from a peer with
        another property, and are answered with nothing; responses that nothing waits for are
        ignored.
        """
        # What is common goes first and by type: class patterns cost several times as much.
        if type(input_) is Response:
            return self._answered(state, clock, input_)
        if type(input_) is Inquiry:
            return self._inquired(state, clock, input_)
        if type(input_) is Event and not state.unprocessed:
            return self._process(state, clock, input_, ())
        match input_:
            case Observe(event):
                return state._replace(unprocessed=(*state.unprocessed, event)), clock, []
            case ProcessNext() if state.unprocessed:
                queued, *later = state.unprocessed
                return self._retried(*self._process(state, clock, queued, tuple(later)))
            case ProcessNext() | Event():
                waiting = len(state.unprocessed)
                raise InternalError(f"{self.process}: {input_} with {waiting} events queued")
            case Expire(event):
                state, early = provisional_verdicts(self, state, event)
                return state, clock, [*early]
            case Waiting():
                return told_of_waiting(self, state, input_), merge(clock, input_.clock), []
            case GiveUp(event):
                effects: list[Effect] = []
                return self._retried(given_up(self, state, event, effects), clock, effects)
            case GoOn():
                return self._retried(state, clock, [])
            case GapOpens(since):
                return gap_opened(self, state, since or clock), clock, []
            case GapEnds(until, since):
                state, verdicts = gap_ended(self, state, until, since)
                return state, clock, verdicts
            case _:
                assert_never(input_)

    # Algorithm 2: an event of the own process.

    def _process(
        self,
        state: MonitorState,
        clock: VectorClock,
        processed: Event,
        unprocessed: tuple[Event, ...],
    ) -> Stepped:
        label, event = processed
        _, history, inspections, decisions, postponed, settled, gaps, evidence = state
        effects: list[Effect] = []
        chains = [*history]
        judged_now: dict[int, list[tuple[Reference, Judgement]]] = {}
        missing: dict[int, int] = {}
        fired: list[int] = []
        answered = None
        oldest = inspections[0].event if inspections else event
        for plan in self.plans[label]:
            if plan.starts:
                findings = _STARTED
            else:
                for owner, index, asked in plan.others:
                    effects.append(
                        Send(
                            Inquiry(
                                sender=self.process,
                                receiver=owner,
                                inspected=plan.key,
                                event=event,
                                asked=asked,
                                clock=clock,
                                settled=oldest[index],
                            )
                        )
                    )
                waiting = tuple([owner for owner, _, _ in plan.others])
                told = _NOTHING_TOLD
                if plan.own_asked:
                    inquiry = Inquiry(
                        sender=self.process,
                        receiver=self.process,
                        inspected=plan.key,
                        event=event,
                        asked=plan.own_asked,
                        clock=clock,
                        settled=0,
                    )
                    is_open = state.inspections or unprocessed
                    if is_open and must_wait(self, undecided(self, state), inquiry):
                        waiting = (*waiting, self.process)
                        postponed = (*postponed, inquiry)
                    else:
                        told = self.rules.answer(self, state, inquiry)
                inspection = Inspection(event, plan, waiting, told.records, (), told.evidence)
                if waiting or self.rules.together:
                    if not waiting:
                        answered = len(inspections)  # and may ask again: judged below
                    inspections = (*inspections, inspection)
                    for place, each in zip(plan.places, plan.inspected, strict=True):
                        chains[place] = (*chains[place], Record(each.reference, event, OPEN))
                    for rule in self.final_rules(plan):
                        missing[rule] = missing.get(rule, 0) + 1
                    continue
                findings = self.rules.findings(self, state, inspection)
            for place, each, judgement in zip(
                plan.places, plan.inspected, findings.judgements, strict=True
            ):
                if judgement.result is not None and self.remembers[place]:
                    record = Record(each.reference, event, judgement.result)
                    chains[place] = (*chains[place], record)
                    fired.append(place)
                if each.final:
                    rule = self.rule_of[each.reference]
                    judged_now.setdefault(rule, []).append((each.reference, judgement))
        for rule in {**judged_now, **missing}:
            judged_ = tuple(judged_now.get(rule, ()))
            if rule in missing:
                decision = Decision(event, label, judged_, missing[rule], rule=rule)
                decisions = (*decisions, decision)
            else:
                verdict = joint_verdict(self.process, event, judged_)
                effects.append(Declared(event, verdict, False, label, rule=rule))
        # Only now that the open inspections of this very event are in place is it known
        # what of the history no longer matters.
        for place in fired:
            chains[place] = pruned(self, chains[place], place, inspections, settled)
        state = MonitorState(
            unprocessed=unprocessed,
            history=tuple(chains),
            inspections=inspections,
            decisions=decisions,
            postponed=postponed,
            settled=settled,
            gaps=gaps,
            evidence=evidence,
        )
        if answered is not None:
            state = judged(self, state, answered, clock, effects)
        if self.has_deadline and state.decisions and state.decisions[-1].event == event:
            effects.append(SetDeadline(event))
        if self.most_open is not None:
            while len(state.inspections) > self.most_open and state.inspections[0].event != event:
                state = given_up(self, state, state.inspections[0].event, effects)
                state, _, _ = self._retried(state, clock, effects)
        return state, clock, effects

    # Algorithm 3: monitoring messages.

    def _inquired(self, state: MonitorState, clock: VectorClock, inquiry: Inquiry) -> Stepped:
        asker, _, _, _, _, heard, promised, _ = inquiry
        clock = merge(clock, heard)
        postponed, settled = state.postponed, self._promised(state.settled, asker, promised)
        effects: list[Effect] = []
        if has_to_wait(self, state, inquiry):
            index = self.index_of[asker]
            if postponed and any(same_inquiry(inquiry, each, index) for each in postponed):
                effects.append(Send(notice_of_waiting(self, state, clock, inquiry)))
            elif self.most_open is None or len(postponed) < WAITING_PER_OPEN * self.most_open:
                postponed = (*postponed, inquiry)
        else:
            effects.append(self._response(state, clock, inquiry))
        if settled is not state.settled or postponed is not state.postponed:
            state = state._replace(postponed=postponed, settled=settled)
        return state, clock, effects

    def _answered(self, state: MonitorState, clock: VectorClock, response: Response) -> Stepped:
        clock = merge(clock, response.clock)
        settled = self._promised(state.settled, response.sender, response.settled)
        effects: list[Effect] = []
        after = received(self, state, settled, clock, response, effects)
        if not after.postponed or after.inspections is state.inspections:
            return after, clock, effects
        # What waits does so for the oldest that is undecided of a transition. In a backlog it is
        # mostly another one that was decided now.
        if undecided(self, after) != undecided(self, state):
            return self._retried(after, clock, effects)
        return after, clock, effects

    def _promised(self, settled: tuple[int, ...], name: str, count: int) -> tuple[int, ...]:
        """Add what this process promised, if it may ask and that says enough more."""
        place = self.readers.get(name)
        if place is None or count < settled[place] + SMALL:
            return settled
        return (*settled[:place], count, *settled[place + 1 :])

    def _response(self, state: MonitorState, clock: VectorClock, inquiry: Inquiry) -> Send:
        asker, _, inspected, event, _, _, _, named = inquiry
        index = self.index_of[asker]
        told = self.rules.answer(self, state, inquiry)
        promised = promise(state, clock, index)
        return Send(
            Response(
                sender=self.process,
                receiver=asker,
                inspected=inspected,
                event_count=event[index],
                records=told.records,
                clock=clock,
                settled=promised,
                evidence=told.evidence,
                named=named,
            )
        )

    def _retried(self, state: MonitorState, clock: VectorClock, effects: list[Effect]) -> Stepped:
        """HndlPndMonitorMsg: answer what need no longer wait, as long as there is any; an
        answer to oneself may settle what others wait for. In slices only up to the first answer
        to oneself, which may be the last one of an inspection, so that this is judged."""
        while state.postponed:
            open_now = undecided(self, state)
            ready: list[Inquiry] = []
            waiting: list[Inquiry] = []
            for inquiry in state.postponed:
                (waiting if must_wait(self, open_now, inquiry) else ready).append(inquiry)
            if not ready:
                break
            later = 0
            if self.in_slices:
                now = _first_slice(ready, self.process)
                later, ready = len(ready) - len(now), now
                chosen = {id(each) for each in now}
                waiting = [each for each in state.postponed if id(each) not in chosen]
            state = state._replace(postponed=tuple(waiting))
            for inquiry in ready:
                response = self._response(state, clock, inquiry)
                if inquiry.sender == self.process:
                    told = response.message
                    assert isinstance(told, Response)
                    state = received(self, state, state.settled, clock, told, effects)
                else:
                    effects.append(response)
            if self.in_slices:
                if later or (state.postponed and ready[-1].sender == self.process):
                    effects.append(Unfinished())
                break
        return state, clock, effects


def _first_slice(ready: Sequence[Inquiry], process: str) -> list[Inquiry]:
    """Return the inquiries to answer in one step: the first few that are ready, up to the first one
    of this process itself."""
    few = ready[:ANSWERS_IN_A_SLICE]
    own = [place for place, inquiry in enumerate(few) if inquiry.sender == process]
    return [*few[: own[0] + 1]] if own else [*few]
