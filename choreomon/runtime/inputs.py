"""Inputs of a sidecar, as values that are logged and can be replayed.

Each is a msgspec struct that is an array with a tag in its binary form: a batch of them is a row of
the journal. Whatever is drawn or read from a clock stands in them, so that replaying them gives the
same states.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec

from choreomon.core.message import EventKind

Policy: TypeAlias = Literal["block", "buffer", "let-go", "fire-and-forget"]


class Hello(msgspec.Struct, frozen=True, array_like=True, tag="h"):
    """Input that a service connected. `session` is the session that it continues, or empty; `fresh`
    is the id for a new one; `lost`: events that it dropped since its last connection."""

    connection: int
    policy: Policy
    session: str
    fresh: str
    lost: int


class Report(msgspec.Struct, frozen=True, array_like=True, tag="r"):
    """An event of the service. `at` is monotonic time in microseconds. See docs/agent-protocol.md
    for the rest."""

    connection: int
    session: str
    number: int
    done: int
    event: EventKind
    peer: str
    name: str
    heard: str
    at: int


class ReportWithValues(Report, frozen=True, array_like=True, tag="v"):
    """A report whose label carries parameters: their values, by name."""

    values: dict[str, str]


class Happened(msgspec.Struct, frozen=True, array_like=True, tag="o"):
    """An event of a service that holds its sidecar itself, and so needs no session. `heard` is the
    clock of each property that it knew before; empty: none."""

    event: EventKind
    peer: str
    name: str
    heard: list[tuple[int, ...]]
    at: int


class HappenedWithValues(Happened, frozen=True, array_like=True, tag="w"):
    """An event whose label carries parameters: their values, by name."""

    values: dict[str, str]


class Gap(msgspec.Struct, frozen=True, array_like=True, tag="p"):
    """Input that a service has a gap: `lost` events happened, after those it reported, that it will
    never report."""

    connection: int
    session: str
    number: int
    done: int
    lost: int


class Promised(msgspec.Struct, frozen=True, array_like=True, tag="m"):
    """The service of a session has told all that ever left, and promised that until the end of
    its lease nothing leaves unanswered (`choreomon.agent_files.local`, "The lease")."""

    session: str


class Goodbye(msgspec.Struct, frozen=True, array_like=True, tag="g"):
    """A service ends its session."""

    connection: int
    session: str


class Lapsed(msgspec.Struct, frozen=True, array_like=True, tag="l"):
    """The lease of a session has expired: its service may have let messages go."""

    session: str


class Abandoned(msgspec.Struct, frozen=True, array_like=True, tag="a"):
    """Input that the service of a session will not come back; events that it kept back are lost."""

    session: str


class FromPeer(msgspec.Struct, frozen=True, array_like=True, tag="f"):
    """Input that is a frame of another agent, unread. `peer` is the sender; if empty, whoever the
    frame names."""

    peer: str
    data: bytes


class Expired(msgspec.Struct, frozen=True, array_like=True, tag="e"):
    """The deadline of an event has passed."""

    system: int
    count: int


class GivenUp(msgspec.Struct, frozen=True, array_like=True, tag="u"):
    """An event is given up: nothing more is waited for."""

    system: int
    count: int


class WentOn(msgspec.Struct, frozen=True, array_like=True, tag="c"):
    """Input that continues a step that was left unfinished."""

    system: int


class Delivered(msgspec.Struct, frozen=True, array_like=True, tag="t"):
    """Verdicts were delivered to all sinks."""

    ids: list[str]


class Recovered(msgspec.Struct, frozen=True, array_like=True, tag="s"):
    """Input that the sidecar was started again with this state. `forgetful`: its last steps may be
    lost."""

    forgetful: bool


class BegunAnew(Recovered, frozen=True, array_like=True, tag="n"):
    """The sidecar was started again on a store that is lost, and everything may have happened, up
    to the count `reached` in each property."""

    reached: int


Input: TypeAlias = (
    Hello
    | Report
    | ReportWithValues
    | Happened
    | HappenedWithValues
    | Gap
    | Promised
    | Goodbye
    | Lapsed
    | Abandoned
    | FromPeer
    | Expired
    | GivenUp
    | WentOn
    | Delivered
    | Recovered
    | BegunAnew
)

encode_batch: Final = msgspec.msgpack.Encoder().encode
"""A list of inputs as bytes."""

decode_batch: Final = msgspec.msgpack.Decoder(list[Input]).decode
"""The inputs of a row. Raises `msgspec.MsgspecError` for what is none."""
