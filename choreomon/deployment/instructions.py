"""What the orchestrator of a run and its processes say to each other, over a pipe of their own.

Each process is told its role first, then plays it: the rest is about when. Values are pickled; both
ends are of one run and trust each other.
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
    """To the network: monitors listen at these addresses, by process."""

    endpoints: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Begin:
    """To the network: let the environment begin."""


@dataclass(frozen=True, slots=True)
class Settle:
    """To who has a monitor: the application is at its end; say when the monitor is, too."""


@dataclass(frozen=True, slots=True)
class HowFar:
    """To the network: say what is not at its end."""


@dataclass(frozen=True, slots=True)
class End:
    """To everybody: end, in order."""


Instruction: TypeAlias = Connect | Begin | Settle | HowFar | End

# ---------------------------------------------------------------- from a process


@dataclass(frozen=True, slots=True)
class Listening:
    """From the network: where monitors are to ask each other, by process. From a monitor: where it
    is to be asked, by its own process."""

    endpoints: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class AllReady:
    """From the network: all actors have connected."""


@dataclass(frozen=True, slots=True)
class Begun:
    """From the network: the time at which the environment began, in seconds of the monotonic
    clock, which is one for all processes of a machine."""

    at: float


@dataclass(frozen=True, slots=True)
class Quiet:
    """From the network: the application is at its end, at the time `at`."""

    at: float
    reached_max_events: bool


@dataclass(frozen=True, slots=True)
class Unfinished:
    """From the network: how many events there were, how many messages are on their way, and how
    many each process has that has any."""

    events: int
    under_way: int
    busy: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Said:
    """From a monitor: a verdict, and when it was given, in seconds of the monotonic clock."""

    at: float
    verdict: LiveVerdict


@dataclass(frozen=True, slots=True)
class Settled:
    """From a monitor: it has nothing to find out any more, and so for as long as no event happens;
    at the time `at`."""

    at: float


@dataclass(frozen=True, slots=True)
class Cost:
    """From a monitor, at its end: messages that it sent and their bytes; the microseconds from each
    event with a final label to the last verdict about it; after how many of its steps it had so
    many records; and the events that it left unsettled, by its process and their counts there."""

    messages: int = 0
    bytes: int = 0
    latencies: tuple[int, ...] = ()
    records: Mapping[int, int] = field(default_factory=dict)
    unsettled: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Ended:
    """From everybody, at last: all is told, and all is written."""


@dataclass(frozen=True, slots=True)
class Failed:
    """From anybody: something of ours went wrong, as the traceback says."""

    traceback: str


Told: TypeAlias = (
    Listening | AllReady | Begun | Quiet | Unfinished | Said | Settled | Cost | Ended | Failed
)


class Control(Protocol):
    """A process's own end of its pipe."""

    def tell(self, message: Told) -> None:
        """To the orchestrator."""

    async def instruction(self) -> Instruction:
        """The next one."""


class Role(Protocol):
    """What a process is there for."""

    def new_loop(self) -> AbstractEventLoop:
        """The event loop to play it on."""

    async def play(self, control: Control) -> None:
        """All of it, until `End` was told."""
