"""Messages between the orchestrator of a run and its processes, over a pipe for each. Each process
is told its role first, then plays it: the rest is about when. Values are pickled; both ends are of
one run and trust each other.
"""

from __future__ import annotations

from asyncio import AbstractEventLoop
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from choreomon.core.live import LiveVerdict

# ---------------------------------------------------------------- to a process


@dataclass(frozen=True, slots=True)
class Connect:
    """Message to the network: monitors listen at these addresses, by process."""

    endpoints: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Begin:
    """Message to the network: let the environment begin."""


@dataclass(frozen=True, slots=True)
class Settle:
    """Message to a process with a monitor: the application is at its end; say when the monitor is,
    too."""


@dataclass(frozen=True, slots=True)
class HowFar:
    """Message to the network: say what is not at its end."""


@dataclass(frozen=True, slots=True)
class End:
    """Message to everybody: end, in order."""


Instruction: TypeAlias = Connect | Begin | Settle | HowFar | End

# ---------------------------------------------------------------- from a process


@dataclass(frozen=True, slots=True)
class Listening:
    """Message from the network: the addresses at which monitors ask each other, by process; or from
    a monitor: its own address, by its process."""

    endpoints: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class AllReady:
    """Message from the network: all actors have connected."""


@dataclass(frozen=True, slots=True)
class Begun:
    """Message from the network: the time at which the environment began, in seconds of the
    monotonic clock, which all processes of a machine share."""

    at: float


@dataclass(frozen=True, slots=True)
class Quiet:
    """Message from the network: the application is at its end, at the time `at`."""

    at: float
    reached_max_events: bool


@dataclass(frozen=True, slots=True)
class Unfinished:
    """Message from the network: the number of events, of messages under way, and of messages at
    each process that has any."""

    events: int
    under_way: int
    busy: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Said:
    """Message from a monitor: a verdict, and when it was given, in seconds of the monotonic
    clock."""

    at: float
    verdict: LiveVerdict


@dataclass(frozen=True, slots=True)
class Settled:
    """Message from a monitor: it has nothing left to find out, as long as no event happens; at the
    time `at`."""

    at: float


@dataclass(frozen=True, slots=True)
class Cost:
    """Message from a monitor at its end: the messages that it sent and their bytes; the
    microseconds from each event with a final label to the last verdict about it; how many of its
    steps left it with each number of records; and the events that it left unsettled, by its process
    and their counts there."""

    messages: int = 0
    bytes: int = 0
    latencies: tuple[int, ...] = ()
    records: Mapping[int, int] = field(default_factory=dict)
    unsettled: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Ended:
    """Message from everybody, at last: all is told, and all is written."""


@dataclass(frozen=True, slots=True)
class Failed:
    """Message from anybody: something of ours went wrong, as the traceback says."""

    traceback: str


Told: TypeAlias = (
    Listening | AllReady | Begun | Quiet | Unfinished | Said | Settled | Cost | Ended | Failed
)


class Control(Protocol):
    """A process's own end of its pipe."""

    def tell(self, message: Told) -> None:
        """Send a message to the orchestrator."""

    async def instruction(self) -> Instruction:
        """The next instruction."""


class Role(Protocol):
    """The role of a process."""

    def new_loop(self) -> AbstractEventLoop:
        """The event loop to play it on."""

    async def play(self, control: Control) -> None:
        """Play the whole role, until `End` arrives."""
