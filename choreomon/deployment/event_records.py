"""Records of events noted while a run goes on, and one log of them afterwards.

The actor notes every event of its process, in order. Events that its monitor is told of get their
time and their clock from the monitor: they happened when its clock ticked, and the monitor's trace
has them in the same order. For the others the actor notes the time, before a message leaves and
after one was taken, and the values carried; they do not tick.

All clocks of a machine's processes are one (CLOCK_MONOTONIC), and every message was sent before it
was taken, so in the order of times everything happens after its cause. That is checked here, never
enforced: another order is a mistake of ours.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import merge as merged
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from choreomon.agent_files.clocks.text import ClockText, SystemKey, decode_clocks_untrusted
from choreomon.core.binding import Binding
from choreomon.core.errors import InternalError, MalformedMessage
from choreomon.core.message import ENVIRONMENT, SEND, EventKind, Label, Message
from choreomon.core.roles import NO_ROLES, Roles
from choreomon.core.run import RunEvent
from choreomon.core.vector_clock import VectorClock, merge, zero
from choreomon.deployment.links import MICROSECONDS

TOLD: Final = -1
"""Stands for a time that the monitor has, as it was told of the event."""


class Noted(msgspec.Struct, frozen=True, array_like=True):
    """An event as its actor notes it, with the slots of roles at the ends that are known: both of a
    message that is handled, the sender of one that is sent. `number` is that of the message among
    those of its sender, 0 for one from the environment. `at` is in microseconds of the monotonic
    clock, or `TOLD`. The message carries `clock` and `values`."""

    kind: EventKind
    sender: str
    name: str
    receiver: str
    number: int
    at: int
    clock: ClockText
    values: Binding = ()


class _Message(msgspec.Struct):
    sender: str
    name: str
    receiver: str


class _Tick(msgspec.Struct):
    """A line of a monitor's trace (`choreomon.logs.trace`)."""

    time: float
    event: EventKind
    message: _Message
    clock: dict[str, int]


_encode: Final = msgspec.json.Encoder().encode
_decode_noted: Final = msgspec.json.Decoder(Noted).decode
_decode_tick: Final = msgspec.json.Decoder(_Tick).decode


def noted_line(noted: Noted) -> bytes:
    """The event as one line."""
    return _encode(noted) + b"\n"


class Records(NamedTuple):
    """The files of one process: the notes of its actor, and the trace of its monitor; `None` if
    nothing is monitored."""

    process: str
    noted: Path
    ticks: Path | None


class _Step(NamedTuple):
    """An event with its time; compares by time, then by the place of the process, then by order
    within it."""

    at: int
    process: int
    number: int
    noted: Noted
    clock: VectorClock


@dataclass(frozen=True, slots=True)
class Timing:
    """Timing of a run: when the environment began, in microseconds of the monotonic clock, and how
    many microseconds of the document pass in one of these."""

    begun: int
    speed: float

    def document_time(self, at: float) -> int:
        """Convert a time to microseconds of the document since the beginning."""
        return max(0, round((at - self.begun) * self.speed))

    @classmethod
    def of(cls, begun: float, speed: float) -> Timing:
        """Make a timing; `begun` is in seconds."""
        return cls(int(begun * MICROSECONDS), speed)


class EventLog:
    """Log of all events of a run in the order in which they happened.

    `key` is that of the property's system. Reading the log makes the events that ticked known to
    `index_of`.
    """

    def __init__(
        self,
        records: Sequence[Records],
        key: SystemKey,
        timing: Timing,
        roles: Roles = NO_ROLES,
    ) -> None:
        self._records = records
        self._roles = roles
        self._key = key
        self._timing = timing
        self._processes = tuple(each.process for each in records)
        self._ticked = {process: array("q") for process in self._processes}

    def index_of(self, process: str, number: int) -> int:
        """The index of event number `number`, counted from 1 among the ticking events of the
        process."""
        return self._ticked[process][number - 1]

    def events(self) -> Iterator[RunEvent]:
        """Yields the events one by one; may be read once. Raises `InternalError` if actors and
        monitors disagree, or if something happened before its cause.
        """
        steps = merged(*(self._steps(place, each) for place, each in enumerate(self._records)))
        sent: dict[tuple[str, int], int] = {}
        for index, step in enumerate(steps):
            kind, noted = step.noted.kind, step.noted
            process = self._processes[step.process]
            sent_at = None
            if kind == SEND:
                sent[noted.sender, noted.number] = index
            elif noted.sender != ENVIRONMENT:
                sent_at = sent.pop((noted.sender, noted.number), None)
                if sent_at is None:
                    raise InternalError(f"{process} handled {noted} before it was sent")
            if noted.at == TOLD:
                self._ticked[process].append(index)
            yield RunEvent(
                index,
                self._timing.document_time(step.at),
                kind,
                process,
                self._message(noted),
                step.clock,
                sent_at,
                noted.values,
            )

    def _steps(self, place: int, records: Records) -> Iterator[_Step]:
        ticks = _lines(records.ticks) if records.ticks is not None else iter(())
        clock = zero(len(self._processes))
        last = 0
        numbers = count()
        for line in _lines(records.noted):
            noted = _decode_noted(line)
            clock = merge(clock, self._carried(noted.clock, clock))
            at = noted.at
            if at == TOLD:
                told = next(ticks, None)
                tick = None if told is None else _decode_tick(told)
                if tick is None or not self._is_of(tick, noted):
                    raise InternalError(f"{records.process}: {noted} was noted, and {tick} ticked")
                at = round(tick.time * 1000)
                clock = merge(
                    clock, tuple([tick.clock.get(process, 0) for process in self._processes])
                )
            if at < last:
                raise InternalError(f"{records.process}: {noted} happened before what was before")
            last = at
            yield _Step(at, place, next(numbers), noted, clock)
        left = next(ticks, None)
        if left is not None:
            raise InternalError(f"{records.process}: {left!r} ticked, and was not noted")

    def _message(self, noted: Noted) -> Message:
        message = Message(noted.sender, noted.name, noted.receiver)
        return self._roles.label(Label(noted.kind, message)).message if self._roles else message

    def _is_of(self, tick: _Tick, noted: Noted) -> bool:
        message = tick.message
        return (tick.event, message.sender, message.name, message.receiver) == (
            noted.kind,
            *self._message(noted),
        )

    def _carried(self, text: ClockText, otherwise: VectorClock) -> VectorClock:
        try:
            return decode_clocks_untrusted(text).get(self._key, otherwise)
        except MalformedMessage as error:
            raise InternalError(str(error)) from None


def _lines(path: str | os.PathLike[str]) -> Iterator[bytes]:
    with open(path, "rb") as file:
        yield from file
