"""What a pulling monitor remembers, and what it is stepped with. Frozen values."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias, cast

from choreomon.core.message import Event, Label
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import Judgement, Reference, VerdictKind
from choreomon.monitor.gaps import Gap
from choreomon.monitor.history import Chain, Record
from choreomon.monitor.messages import Inquiry, Named, Response, Waiting
from choreomon.monitor.plan import Plan
from choreomon.properties.resting import Need


class Observe(NamedTuple):
    """A labelled event of the process; it is queued, not yet processed."""

    event: Event


class ProcessNext(NamedTuple):
    """Input to process the oldest queued event."""


class Expire(NamedTuple):
    """The deadline for answers about the event with this clock has passed."""

    event: VectorClock


class GiveUp(NamedTuple):
    """Input to stop waiting for answers about the event with this clock: it gets its last verdict
    from what is known."""

    event: VectorClock


class GoOn(NamedTuple):
    """Input that continues a step that was left `Unfinished`."""


class GapOpens(NamedTuple):
    """Input that from now on, until `GapEnds`, events may happen that nobody tells this monitor of;
    or since the clock of the process was `since`, where that is only found out now."""

    since: VectorClock | None = None


class GapEnds(NamedTuple):
    """Input that every event from now on is told again. `until` is the clock of the gap's end,
    which has a count of its own; `None` where nothing happened after all. It began after the clock
    `since`, or when it opened, if that was earlier."""

    until: VectorClock | None
    since: VectorClock | None = None


Input: TypeAlias = (
    Event
    | Observe
    | ProcessNext
    | Inquiry
    | Response
    | Waiting
    | Expire
    | GiveUp
    | GoOn
    | GapOpens
    | GapEnds
)
"""An `Event` is `Observe` and `ProcessNext` in one, for a driver that never lets events queue."""


class Inspection(NamedTuple):
    """The inspection of transitions at one event: who still has to answer, what was answered, and
    for whom those that have to answer said that they wait in turn.

    The rest is for rules that ask a second time. `evidence`: what answers told of others. `named`:
    what is being asked about now; the transitions have been judged once then. `resolved`: what
    was asked about before.
    """

    event: VectorClock
    plan: Plan
    waiting: tuple[str, ...]
    records: tuple[Record, ...] = ()
    behind: tuple[tuple[str, tuple[str, ...]], ...] = ()
    evidence: tuple[Record, ...] = ()
    named: tuple[Named, ...] = ()
    resolved: tuple[Named, ...] = ()


class Decision(NamedTuple):
    """The joint verdict about an event that labels final transitions of one rule, by its place
    (`TransitionTable.rules`; 0 of a property that is not written as rules), while it is not given:
    what those that were judged came to, how many inspections of others go on, the provisional
    verdict that was given, if any, and who was given up, with those whom they waited for. `surely`:
    one of those that were judged fired, though it may not be certain which."""

    event: VectorClock
    label: Label
    judged: tuple[tuple[Reference, Judgement], ...]
    missing: int
    told: VerdictKind | None = None
    silent: tuple[str, ...] = ()
    waiting_for: tuple[str, ...] = ()
    surely: bool = False
    rule: int = 0


def as_written(decisions: tuple[Decision, ...]) -> tuple[Decision, ...]:
    """Decisions as bytes have them: without the place of their rule where it is the first one, so
    that those of a property that is not written as rules are as before. They are read alike."""
    return cast("tuple[Decision, ...]", tuple([d if d.rule else d[:-1] for d in decisions]))


def with_written_plans(inspections: tuple[Inspection, ...]) -> tuple[Inspection, ...]:
    """Inspections as bytes have them: a need without others of a crowd has no place for them, as
    before there were any. They are read alike."""
    written: dict[int, Plan] = {}
    for each in inspections:
        if id(each.plan) not in written:
            inspected = tuple(
                one._replace(
                    needs=cast(
                        "tuple[Need, ...]",
                        tuple([need if need.others else need[:2] for need in one.needs]),
                    )
                )
                for one in each.plan.inspected
            )
            written[id(each.plan)] = each.plan._replace(inspected=inspected)
    return tuple([each._replace(plan=written[id(each.plan)]) for each in inspections])


class Evidence(NamedTuple):
    """Evidence that the undecided records of the own event with this number rest on."""

    number: int
    records: tuple[Record, ...]


class MonitorState(NamedTuple):
    """State of a monitor: everything that it remembers.

    `unprocessed`: the paper's `list`. `history`: a chain for each own reference, in the
    order of `Monitor.references`; an inspection that is not over has an open record in
    it. `inspections` and `decisions`: oldest event first. `postponed`: the inquiries that
    wait, the monitor's own to itself among them. `settled`: for each of `Monitor.readers`, what its
    monitor promised (`Inquiry.settled`). `gaps`: oldest first; the last one may be open.
    `evidence`: oldest first; only `precise` rules have any.
    """

    unprocessed: tuple[Event, ...]
    history: tuple[Chain, ...]
    inspections: tuple[Inspection, ...]
    decisions: tuple[Decision, ...]
    postponed: tuple[Inquiry, ...]
    settled: tuple[int, ...]
    gaps: tuple[Gap, ...] = ()
    evidence: tuple[Evidence, ...] = ()

    @property
    def records(self) -> int:
        """The size of the history, with what it rests on."""
        if not self.evidence:
            return sum(map(len, self.history))
        return sum(map(len, self.history)) + sum(len(each.records) for each in self.evidence)


def state_as_written(state: MonitorState) -> MonitorState:
    """A state as bytes have it."""
    return state._replace(
        inspections=with_written_plans(state.inspections), decisions=as_written(state.decisions)
    )
