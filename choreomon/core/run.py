"""A finished run of an application with its monitors, as a value.

The simulator makes it, and so does `choreomon.deployment`; `choreomon.logs` writes it,
`choreomon.pictures` draws it. It names all messages, since it is made where the whole property is
known. Times are whole microseconds of the document's time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple

from choreomon.core.binding import Binding, in_words
from choreomon.core.message import ENVIRONMENT, EventKind, Label, Message
from choreomon.core.stated_rule import RuleStates, StatedRule
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import Relation, Result, Role, Unseen, VerdictKind


@dataclass(frozen=True, slots=True)
class RunEvent:
    """An event, in the order in which events really happened (`index` from 0).

    `sent_at` is, for a handle, the index of the event that sent the message; `None` for a send, and
    for a message from the environment. The message carries `values`.
    """

    index: int
    time: int
    kind: EventKind
    process: str
    message: Message
    clock: VectorClock
    sent_at: int | None = None
    values: Binding = ()

    @property
    def label(self) -> Label:
        return Label(self.kind, self.message)

    @property
    def name(self) -> str:
        """The name of the message, with the values that it carries, as in `ship(A-17)`."""
        return f"{self.message.name}{self.carried}"

    @property
    def carried(self) -> str:
        """The values that the message carries, as in `(A-17)`; empty if it carries none."""
        return f"({', '.join(value for _, value in self.values)})" if self.values else ""


def with_known_ends(events: Iterable[RunEvent]) -> list[RunEvent]:
    """The events with the processes at both ends of their messages, as far as the events tell:
    where one end is a role (`choreomon.core.roles`), the slot that sent or handled. A message that
    was not handled keeps the role. For pictures and exports: labels have a role at one end."""
    found = list(events)
    places = {event.index: place for place, event in enumerate(found)}
    for place, event in enumerate(found):
        if event.sent_at is None or (there := places.get(event.sent_at)) is None:
            continue
        sent = found[there]
        message = event.message._replace(sender=sent.process, receiver=event.process)
        if message != event.message:
            found[place] = replace(event, message=message)
        if message != sent.message:
            found[there] = replace(sent, message=message)
    return found


def with_lost_ends(processes: Sequence[str], events: Iterable[RunEvent]) -> tuple[str, ...]:
    """The processes, and behind them the roles that were sent a message which no slot handled;
    `events` have known ends."""
    ends = dict.fromkeys(end for event in events for end in event.message[::2])
    return (*dict.fromkeys((*processes, *(end for end in ends if end != ENVIRONMENT))),)


@dataclass(frozen=True, slots=True)
class MonitorsMessage:
    """A message between the monitors of two processes. Their clocks learn from it what happened
    before, so it orders events as messages of the application do.

    `sent` and `taken` give its places in the run: how many events had happened by then, and a
    number that orders actions of monitors between two events.
    """

    kind: Literal["inquiry", "response", "other"]
    sender: str
    receiver: str
    sent: tuple[int, int]
    taken: tuple[int, int]


BEFORE_ALL: Final = -1
"""The index of the beginning, before every event of a run (`choreomon.core.message.BEGIN`)."""


@dataclass(frozen=True, slots=True)
class RunReason:
    """A `Reason` with its event looked up, which may be `BEFORE_ALL`. `of` and `of_transition` are
    the event index and the transition of the pre record that a vio concerns; `since` is the index
    of the first event of a merged record."""

    event_index: int
    transition: tuple[str, str]
    role: Role
    result: Result | Unseen
    relation: Relation
    certain: bool
    of: int | None = None
    of_transition: tuple[str, str] | None = None
    since: int | None = None


@dataclass(frozen=True, slots=True)
class RunVerdict:
    """The last verdict about one event. `label` is written as in the document. `early` is a verdict
    that a pulling monitor gave at its deadline, while it waited for other monitors (`silent`) or
    for what it had still to find out itself. `happened_at` is the time of the event, if the maker
    of the run knows it without the events. `binding`: that of the instance concerned, if the
    property is for each instance. Live verdicts are bounded: `reasons_left_out` and
    `transitions_left_out` say how many more there were. `rule`: the rule that it is about, if the
    property is written as rules."""

    verdict: VerdictKind
    monitor: str
    event_index: int
    transitions: tuple[tuple[str, str], ...]
    label: str
    because: tuple[RunReason, ...]
    declared_at: int
    silent: tuple[str, ...] = ()
    early: bool = False
    happened_at: int | None = None
    reasons_left_out: int = 0
    transitions_left_out: int = 0
    binding: Binding = ()
    rule: StatedRule | None = None

    @property
    def instance(self) -> str:
        """The instance in words, with a leading blank: ` for order=A-17`; empty if there is
        none."""
        return f" for {in_words(self.binding)}" if self.binding else ""


def in_order(verdicts: Iterable[RunVerdict], rules: Sequence[RuleStates]) -> list[RunVerdict]:
    """The verdicts in the order of events, those about one event in the order of the rules."""
    places = {stated: place for place, (stated, _) in enumerate(rules)}
    return sorted(
        verdicts,
        key=lambda each: (each.event_index, places[each.rule] if each.rule is not None else 0),
    )


@dataclass(frozen=True, slots=True)
class Summary:
    """Mean, some percentiles and maximum of a series; `None` if it was empty."""

    mean: float | None = None
    p50: float | None = None
    p99: float | None = None
    max: float | None = None


def summary(values: Sequence[int]) -> Summary:
    """Mean, nearest-rank percentiles and maximum; all `None` if there are no values."""
    if not values:
        return Summary()
    ranked = sorted(values)
    return Summary(
        mean=sum(ranked) / len(ranked),
        p50=ranked[_nearest_rank(50, len(ranked))],
        p99=ranked[_nearest_rank(99, len(ranked))],
        max=ranked[-1],
    )


def _nearest_rank(percent: int, count: int) -> int:
    return max(0, -(-percent * count // 100) - 1)


def summary_of_counts(counts: Mapping[int, int]) -> Summary:
    """Mean and maximum of values with their numbers of occurrences; both `None` without any."""
    if not counts:
        return Summary()
    total = sum(value * times for value, times in counts.items())
    return Summary(mean=total / sum(counts.values()), max=max(counts))


@dataclass(frozen=True, slots=True)
class Verification:
    """Verdict of the verifier on the logs of a run (docs/verify.md, "Runs of the simulator").

    `logs` are their processes, how many of their events they show, and how many there were.
    """

    mode: str
    verdict: str
    reason: str
    logs: tuple[tuple[tuple[str, ...], int, int], ...]


class Exercise(NamedTuple):
    """Extent to which a run exercised the property: for each rule how many of its steps were
    reached (`choreomon.properties.progress`), and for each label, as written, how many events.
    `names`: those of rules that have some."""

    far: tuple[int, ...]
    steps: tuple[int, ...]
    labels: tuple[tuple[str, int], ...]
    names: tuple[str, ...] = ()


class RunFormation(NamedTuple):
    """An event at which the property, or that rule of it, was really formed, and one sequence of
    events that formed it, by their indices; empty where the events were not kept."""

    event_index: int
    events: tuple[int, ...] = ()
    rule: StatedRule | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """A run. `kept_events` are the last events if they were kept, else empty. `formed` gives the
    result of the reference semantics for the real order: each event at which the property, or a
    rule of it, was formed, in the order of events. `None`: there is no property. `kept_messages`
    are messages between monitors, if kept with the events. `verification` is `None` if the logs
    were not verified. `unsettled` are the indices of the events with possible verdicts by `precise`
    rules that monitors could not show to be left open by the order of the run. `exercise` is `None`
    if nobody watched.
    """

    seed: int
    processes: tuple[str, ...]
    events: int
    ended_at: int
    reached_max_events: bool
    monitoring_messages: int
    monitoring_bytes: int
    latency: Summary
    history_records: Summary
    verdicts: tuple[RunVerdict, ...]
    kept_events: tuple[RunEvent, ...] = ()
    formed: tuple[RunFormation, ...] | None = None
    verification: Verification | None = None
    unsettled: tuple[int, ...] = ()
    kept_messages: tuple[MonitorsMessage, ...] = ()
    exercise: Exercise | None = None
