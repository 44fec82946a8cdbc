"""Live verdicts and status: what an agent says of an event, and of itself. `choreomon.agent_files`
writes and reads these values, and `choreomon.terminal` puts them into words. A live agent does not
know the order of all events, so an event is named by its process and its count there
(`choreomon.core.vector_clock`), and only messages of the agent's own process are named.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from choreomon.core.stated_rule import Severity, StatedRule
from choreomon.core.verdict import Relation, Result, Role, Unseen, VerdictKind


@dataclass(frozen=True, slots=True)
class EventName:
    """The event number `count` of `process`. `gap`: a stretch of events of that process of which
    its agent was not told; `count` is then that of its end, `None` while it is open. `trace_id`: of
    the trace that the event is in, 32 hexadecimal digits; empty where it is not known, or not said
    again. It is no part of the name."""

    process: str
    count: int | None = None
    gap: bool = False
    trace_id: str = field(default="", compare=False)

    def __str__(self) -> str:
        if not self.gap:
            return f"event {self.count} of {self.process}"
        if self.count is None:
            return f"a gap of {self.process} that has not ended"
        return f"a gap of {self.process} up to event {self.count}"


@dataclass(frozen=True, slots=True)
class LiveReason:
    """A `Reason` whose events are named; `event` has its trace, others have none. `of` and
    `of_transition` are the event and the transition of the pre record that a vio concerns. `since`:
    the first event of a merged record, or the last event before a gap; left out if the judged event
    is known to come after."""

    event: EventName
    transition: tuple[str, str]
    role: Role
    result: Result | Unseen
    relation: Relation
    certain: bool
    of: EventName | None = None
    of_transition: tuple[str, str] | None = None
    since: EventName | None = None


@dataclass(frozen=True, slots=True)
class LiveRule:
    """A `StatedRule` as in lines of verdicts."""

    id: str
    where: Mapping[str, str] = field(default_factory=dict)
    description: str = ""
    severity: Severity = "error"
    runbook_url: str = ""
    tags: tuple[str, ...] = ()

    @property
    def stated(self) -> StatedRule:
        return StatedRule(
            self.id,
            self.description,
            self.severity,
            self.runbook_url,
            self.tags,
            tuple(self.where.items()),
        )


def live_rule(stated: StatedRule) -> LiveRule:
    """The rule as in lines of verdicts."""
    id, description, severity, runbook_url, tags, where, *_ = stated
    return LiveRule(id, dict(where), description, severity, runbook_url, tags)


@dataclass(frozen=True, slots=True)
class LiveVerdict:
    """Verdict of an agent on the event number `count` of its `process`. `id` outlasts restarts: a
    repeated verdict has the same one. `provisional`: given at a deadline, another verdict follows.
    `system` is the id of the split property (32 hex digits), `property` its title. `label` is
    written as in documents, `None` for the end of a gap. `clock` is that of the event by process,
    zero entries left out. `unseen`: the verdict stands for final events that may have been in the
    gap that ends here. `time` is the wall time, in RFC 3339, at which the verdict was told: for
    people, and in no order with anything. `sequences`: how many steps each sequence of the property
    has; empty for an automaton. `instance`: for a property for each instance, the values that the
    event binds, by parameter, as the service of the process said them. `left_out`: the number of
    missing entries by field: a verdict is bounded (`choreomon.agent_files.verdict_size`). `rule`:
    the rule that it is about, if the property is written as rules. `trace_id`: of the trace that
    the event is in, 32 hexadecimal digits; empty where the service did not say.
    """

    id: str
    verdict: VerdictKind
    provisional: bool
    system: str
    property: str
    process: str
    count: int
    label: str | None
    clock: Mapping[str, int]
    transitions: tuple[tuple[str, str], ...]
    because: tuple[LiveReason, ...]
    silent: tuple[str, ...]
    waiting_for: tuple[str, ...]
    unseen: bool
    time: str
    sequences: tuple[int, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    instance: Mapping[str, str] = field(default_factory=dict)
    rule: LiveRule | None = None
    trace_id: str = ""

    def stated(self) -> StatedRule | None:
        """The rule that it is about, as its author stated it."""
        return None if self.rule is None else self.rule.stated


@dataclass(frozen=True, slots=True)
class LabelStatus:
    """A label with events at an agent's process: how many since the agent was started, and how many
    seconds ago the last one was told; None if there was none."""

    label: str
    events: int
    seconds_ago: float | None


@dataclass(frozen=True, slots=True)
class InstancesStatus:
    """Status of the instances of a property for each instance. `created`: how many have been
    remembered since the store was made, `in_memory`: how many are held there now, `in_store`: of
    how many others something is remembered. `unknown`: inquiries about instances of which nothing
    was remembered; if most are, services may write a value differently. `promise_lag`: how many own
    events are newer than what others may still ask about, so that none of them can be dropped.
    `forgotten`: how many were idle for so long that they were forgotten; `finished`: of how many
    nothing was left that mattered.
    """

    created: int
    in_memory: int
    unknown: int
    promise_lag: int
    forgotten: int = 0
    in_store: int = 0
    finished: int = 0


@dataclass(frozen=True, slots=True)
class PropertyStatus:
    """Status of one property of an agent, now. `events`: how many of its events happened since the
    agent was started. `undecided`: events without a last verdict yet; `provisional` counts those of
    them with a provisional verdict, by that verdict. `inspections`: inspections of transitions that
    wait for answers; `waiting_for`: the processes they wait for. `gaps` are the remembered ones,
    and `gap_open` tells whether events may be happening of which the agent is not told. `closing`:
    no verdicts on new events are given; `untold`: verdicts that some sink has not taken. `labels`
    are those of the process, at most 200 of them. `instances`: None if the property is not for each
    instance. `rules`: the ids of those that the process tells of, of a property written as rules.
    """

    title: str
    system: str
    events: int
    undecided: int
    provisional: Mapping[VerdictKind, int]
    inspections: int
    waiting_for: tuple[str, ...]
    gaps: int
    gap_open: bool
    closing: bool = False
    untold: int = 0
    labels: tuple[LabelStatus, ...] = ()
    instances: InstancesStatus | None = None
    rules: tuple[str, ...] = ()

    @property
    def drained(self) -> bool:
        """True if the property is being closed, and no verdict is left to give."""
        return self.closing and not self.undecided and not self.untold


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStatus:
    """Status of one agent, now. `uptime` is in seconds. `not_ready`: why it is not ready, in words;
    empty if it is. `failing`: why the disk takes nothing; empty if it does. `sessions` are the
    remembered ones of services, `connected` the open connections, `leases` the sessions whose
    services let nothing leave unanswered. `untold`: verdicts that some sink has not taken; `sinks`
    says for each failing sink why. `words` counts those declared since the store was made, by
    `LiveVerdict.verdict`, provisional ones as `provisional`; `refused` counts what was refused
    since it was started, by reason. `doubled`: processes for which two agents run, with a store
    each, so that neither is believed. `opening`: properties, by title and system, that will be open
    once services know which of their events to tell. `verdicts` are the last ones since the start,
    the newest at the end.
    """

    process: str
    version: str
    time: str
    uptime: float
    durability: str
    not_ready: tuple[str, ...] = ()
    failing: str = ""
    properties: tuple[PropertyStatus, ...] = ()
    sessions: int = 0
    connected: int = 0
    leases: int = 0
    untold: int = 0
    sinks: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, int] = field(default_factory=dict)
    refused: Mapping[str, int] = field(default_factory=dict)
    doubled: tuple[str, ...] = ()
    opening: tuple[str, ...] = ()
    verdicts: tuple[LiveVerdict, ...] = ()
