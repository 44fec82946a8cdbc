"""Outputs of a sidecar's step: what it asks its driver to do, or tells it. Frozen values, in order.

`system` is the place of a property among those of the sidecar, `event_count` the count of an event
of its process there.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from choreomon.agent_files import local
from choreomon.agent_files.told_traces import EventTrace
from choreomon.core.binding import Binding
from choreomon.core.message import Label
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import MonitorVerdict
from choreomon.monitor.messages import Inquiry, Response, Waiting
from choreomon.monitor.of_instances.messages import InstanceMessage


class DeclaredVerdict(NamedTuple):
    """A verdict with an identity that outlasts restarts. `label` is written as in documents, and
    empty for the end of a gap. `said`: what its service said of the event: which instance it is
    about, of a property for each, and its trace (`choreomon.agent_files.values.without_trace`).
    `traces`: what is known of those of the events in its reasons."""

    id: str
    system: int
    event_count: int
    label: str
    verdict: MonitorVerdict
    provisional: bool
    said: Binding = ()
    traces: tuple[EventTrace, ...] = ()


class Reply(NamedTuple):
    """Reply to the service at this connection."""

    connection: int
    message: local.AgentMessage


class Close(NamedTuple):
    """Close this connection: nothing more is taken from it."""

    connection: int


class Ask(NamedTuple):
    """Ask another agent, until it answers."""

    system: int
    inquiry: Inquiry | InstanceMessage


class Answer(NamedTuple):
    """Answer another agent, once. `traces`: what is known of those of the own events whose records
    are in it, by count."""

    system: int
    message: Response | Waiting | InstanceMessage
    traces: tuple[tuple[int, bytes], ...] = ()


class Answered(NamedTuple):
    """Another agent has answered an inquiry; it need not be repeated."""

    system: int
    peer: str
    response: Response | Waiting | InstanceMessage


class AskAgain(NamedTuple):
    """Output to repeat the outstanding inquiries."""

    system: int


class Deadline(NamedTuple):
    """Start the deadline of an event that others must answer about."""

    system: int
    event_count: int


class LeftUnfinished(NamedTuple):
    """Judging is unfinished: go on when everybody else had a turn."""

    system: int


class Decided(NamedTuple):
    """An event is decided; `declared` is `None` if nothing was formed."""

    system: int
    event_count: int
    declared: DeclaredVerdict | None
    provisional: bool


class Ticked(NamedTuple):
    """An event happened, at this monotonic time in microseconds. `said`: what its message carries
    in this property, as its service said it."""

    system: int
    at: int
    label: Label
    clock: VectorClock
    said: Binding = ()


class LeftUnsettled(NamedTuple):
    """The verdict is `possibly-violated`, and it is not proven that no monitor could be more
    certain."""

    system: int
    event_count: int


class Dropped(NamedTuple):
    """Something was not taken. `reason` is one of a few words, for counting."""

    reason: str
    sender: str
    detail: str


Output: TypeAlias = (
    Reply
    | Close
    | Ask
    | Answer
    | Answered
    | AskAgain
    | Deadline
    | LeftUnfinished
    | Decided
    | LeftUnsettled
    | Ticked
    | Dropped
)

Observed: TypeAlias = Ticked | Decided | LeftUnsettled | Dropped | Answered
"""Outputs that logs, traces and metrics are told of."""
