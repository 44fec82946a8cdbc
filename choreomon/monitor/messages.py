"""What monitors say to each other (the paper's monitoring messages).

No message carries a label: transitions are named by references, events by clocks. Every
message carries `clock`, the clock of its sender's process when it was sent, which the
receiver merges.

`settled` is ours, for bounded memory, a low watermark: of the receiver's events, the count that
every event knows about which the sender may still ask, or has asked without an answer. It
only grows, and stays true however late it arrives.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias, final

from choreomon.core.message import Label
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import Reference, Result
from choreomon.monitor.history import Record

MOST_EVIDENCE_TOLD: Final = 512
"""Records of others in one answer, and events in a second inquiry."""


class Named(NamedTuple):
    """A transition at the event with this number of its process."""

    number: int
    reference: Reference


@final
class Inquiry(NamedTuple):
    """ "Which of your transitions `asked` fired, as far as they did not happen after the
    event with clock `event`?" One for each event, inspected transition and owner, or where a
    monitor inspects all transitions of an event together, for each event and owner; `inspected` is
    then the first of them.

    Or, with `named`, the second inquiry of `precise` rules: "what became of these?" """

    sender: str
    receiver: str
    inspected: Reference
    event: VectorClock
    asked: tuple[Reference, ...]
    clock: VectorClock
    settled: int
    named: tuple[Named, ...] = ()


@final
class Response(NamedTuple):
    """The answer to one inquiry, about all that it asked. `event_count` is the
    count of the inquired event, `named` what the inquiry named. `evidence` are records of others,
    on which those records rest that are not certain."""

    sender: str
    receiver: str
    inspected: Reference
    event_count: int
    records: tuple[Record, ...]
    clock: VectorClock
    settled: int
    evidence: tuple[Record, ...] = ()
    named: tuple[Named, ...] = ()


@final
class Waiting(NamedTuple):
    """ "Your inquiry about the event number `event_count` still waits here, since I wait for
    `waiting_for`." Sent when a waiting inquiry is repeated, so that the asker can name the monitor
    that is dead rather than the one it asked."""

    sender: str
    receiver: str
    inspected: Reference
    event_count: int
    waiting_for: tuple[str, ...]
    clock: VectorClock


class Push(NamedTuple):
    """Message of a pushing monitor to a reader of one of its references: what became of the event
    with clock `event`. `result` is `None` where it turned out not fired; a higher `revision`
    replaces a lower one."""

    sender: str
    receiver: str
    reference: Reference
    event: VectorClock
    result: Result | None
    revision: int
    clock: VectorClock


class Notice(NamedTuple):
    """Message of a process to the central monitor, which is beside none: a labelled event happened.
    The one message that carries a label, since a central monitor knows the whole property."""

    sender: str
    label: Label
    event: VectorClock


PeerMessage: TypeAlias = Inquiry | Response | Waiting | Push
"""From one monitor to another one."""

MonitoringMessage: TypeAlias = PeerMessage | Notice
