"""What a monitor's step asks its driver to do, or tells it. Frozen values, in order."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from choreomon.core.binding import Binding
from choreomon.core.message import Label
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import MonitorVerdict
from choreomon.monitor.messages import PeerMessage
from choreomon.monitor.of_instances.messages import InstanceMessage


class Send(NamedTuple):
    """Send this message to its receiver."""

    message: PeerMessage | InstanceMessage


class SetDeadline(NamedTuple):
    """Request to step, after the monitor's deadline, with `Expire(event)`."""

    event: VectorClock


class Declared(NamedTuple):
    """The monitor's verdict about the event with this clock, which labels a final transition.

    `verdict` is `None` where nothing was formed. A pulling monitor gives at most one
    provisional verdict and then one that is not; the verdicts of the other strategies are all
    provisional, and the last one counts once the network is quiet. `label` is the event's own,
    where the monitor says it; the end of a gap has none. `binding`: of which instance, where the
    property is for each. `rule`: the place of the rule in the monitor's table, of a property that
    is written as rules: each has a verdict of its own.
    """

    event: VectorClock
    verdict: MonitorVerdict | None
    provisional: bool
    label: Label | None = None
    binding: Binding = ()
    rule: int = 0


class Unsettled(NamedTuple):
    """Note of `precise` rules: the event with this clock was declared `possibly-violated`, although
    it is not proven that the order of the run leaves that open. A bound was met, or something was
    not observed."""

    event: VectorClock


class Unfinished(NamedTuple):
    """Inquiries that waited may be answered by now, and were left to a later step: step with
    `GoOn`. Only a monitor `in_slices` says so."""


Effect: TypeAlias = Send | SetDeadline | Declared | Unsettled | Unfinished
