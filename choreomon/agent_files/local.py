"""Protocol between a service and its agent, over a Unix stream or a loopback connection.

A frame is 4 bytes, the length of what follows, big-endian, and that many bytes of JSON: one
object whose `type` says which of the messages below it is. A service says `Hello` first and is
answered with `Welcome`. Then it tells its events by `Report` and what it cannot tell by `Gap`,
numbered together from 1 without holes; each is answered by `Clock` with its number, in order.

**Numbers.** `welcome.number` is the last one that the agent has taken in the session. A client
that comes back repeats, in order and with their numbers, all that it was not answered; the agent
answers what it has taken already as it did before, and counts nothing twice. Where the client
repeats nothing it goes on with `welcome.number + 1`. `done` lets the agent forget its answers.
A session lives on one connection, the newest: of an older one nothing more is taken.

**The lease.** A client lets no message leave before its event is answered, except after it has
promised nothing for a while (policies `buffer` and `let-go`). The promise: *until `lease`
seconds after I received grant G, by my own monotonic clock, nothing leaves unanswered*. A grant
is the agent's own monotonic time in `Welcome` and `Renewed`. `Renew` with grant G says that it
was received, and that all that ever left has been told before, in this order, by reports and
gaps. So an agent that counts `lease` seconds from the time G *of a grant that came back* never
relies on a promise that was not made: not after it stood still, nor when its answer was lost,
nor before a buffer has arrived. Before the first `Renew` of a connection there is no promise.

Under `buffer` an agent without a promise answers nobody and merges no clock, and takes reports
whenever they come. Under `let-go` it goes on with a gap; then a report may have left before
other things that it knows by now, so that it takes one only within `lease` seconds of the last
grant that the client has received for certain (a report shows that it received the welcome), and
closes the connection otherwise: the client will say what was lost.

What is read from a service may have at most `MAX_FRAME` bytes and no unknown fields: a misspelt
`heard` would be a lost order. What is read from an agent may have `MAX_AGENT_FRAME`, for the
labels of large tables, and unknown fields are ignored.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from choreomon.agent_files.clocks.text import MAX_CLOCK_TEXT
from choreomon.agent_files.values import NO_VALUES, Given, Value
from choreomon.core.binding import Values
from choreomon.core.errors import MalformedMessage
from choreomon.core.message import EventKind
from choreomon.core.names import MAX_NAME

VERSION: Final = 1
VERSION_WITH_VALUES: Final = 2
"""The version of agents whose labels carry parameters: a client that does not know these cannot
tell of such events, and must not go on."""
VERSIONS: Final = (VERSION, VERSION_WITH_VALUES)

LENGTH_BYTES: Final = 4
MAX_FRAME: Final = 65_536
"""Bytes of JSON from a service."""
MAX_AGENT_FRAME: Final = 4 << 20
"""Bytes of JSON from an agent."""
MAX_SESSION: Final = 64
MAX_TOKEN: Final = 256
MAX_NUMBER: Final = (1 << 53) - 1
"""Largest number: what a JSON number is exact to in every language."""
MAX_LEASE: Final = 3600.0
MAX_WINDOW: Final = 65_536

Policy: TypeAlias = Literal["block", "buffer", "let-go", "fire-and-forget"]
"""Policy of a service while its agent is unavailable.

    block            waits, and sends nothing that was not answered
    buffer           after the lease messages leave, and their events are kept and told later
    let-go           after the lease messages leave, and their events are never told
    fire-and-forget  never waits; events are told when that is possible
"""

RefusalReason: TypeAlias = Literal[
    "malformed", "version", "token", "session", "number", "window", "process", "closing"
]

_Name: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_NAME)]
_Clock: TypeAlias = Annotated[str, msgspec.Meta(max_length=MAX_CLOCK_TEXT)]
_Session: TypeAlias = Annotated[str, msgspec.Meta(max_length=MAX_SESSION)]
_Token: TypeAlias = Annotated[str, msgspec.Meta(max_length=MAX_TOKEN)]
_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=MAX_NUMBER)]
_Number: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=MAX_NUMBER)]
_Lease: TypeAlias = Annotated[float, msgspec.Meta(gt=0, le=MAX_LEASE)]
_Window: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=MAX_WINDOW)]


class Hello(msgspec.Struct, tag="hello", frozen=True, gc=False, forbid_unknown_fields=True):
    """The first message on a connection.

    `session` is "" for a new one, else that of an earlier `Welcome`. `lost` counts the events
    that were let go since the last contact, before all that will be told from now on: they
    never will be. `token` is that of the agent's file, "" on a Unix stream.
    """

    policy: Policy
    session: _Session = ""
    lost: _Count = 0
    token: _Token = ""
    version: int = VERSION


class Report(msgspec.Struct, tag="report", frozen=True, gc=False, forbid_unknown_fields=True):
    """An event. `peer` is the other end of the message, `env` where it came from outside.
    `heard` is the text of all clocks heard since the last report, for a handle that of its
    message included. `done`: all numbers up to it were answered and will not be repeated.
    `values`: of the parameters that its label carries; integers stand for their decimal text."""

    number: _Number
    done: _Count
    event: EventKind
    peer: _Name
    name: _Name
    heard: _Clock = ""
    values: dict[str, Value] | msgspec.UnsetType = msgspec.UNSET

    @property
    def given(self) -> Given:
        """The values, or none."""
        return self.values or NO_VALUES


def report(
    number: int, done: int, event: EventKind, peer: str, name: str, heard: str, values: Values
) -> Report:
    """The report of an event; without a field for values where it has none."""
    if not values:
        return Report(number, done, event, peer, name, heard)
    return Report(number, done, event, peer, name, heard, dict[str, Value](values))


class Gap(msgspec.Struct, tag="gap", frozen=True, gc=False, forbid_unknown_fields=True):
    """A gap between what was reported before and what will be reported from now on: `lost` events
    happened that never will be."""

    number: _Number
    done: _Count
    lost: _Number


class Renew(msgspec.Struct, tag="renew", frozen=True, gc=False, forbid_unknown_fields=True):
    """`grant`, the latest that was received, is in force, and all that ever left was told
    before. Of two renewals only one is under way at a time. 0 makes no promise: it only shows
    that somebody is there."""

    grant: _Count = 0


class Goodbye(msgspec.Struct, tag="goodbye", frozen=True, gc=False, forbid_unknown_fields=True):
    """The session ends in order: nothing will be repeated."""


class Reload(msgspec.Struct, tag="reload", frozen=True, gc=False, forbid_unknown_fields=True):
    """Request of an operator, instead of a hello, to read the configuration anew. `token` as in a
    hello. The answer is `Reloaded`, and the connection is closed."""

    token: _Token = ""


class Reloaded(msgspec.Struct, tag="reloaded", frozen=True, gc=False):
    """The answer to `Reload`: `why` it cannot be done, "" where it is."""

    why: str


class Welcome(msgspec.Struct, tag="welcome", frozen=True, gc=False):
    """`number` is the last that was taken in this session. `clock` has the clock of every
    system of this agent. `lease` is in seconds. At most `window` reports and gaps may wait for
    their answers. `labels` are the events that some table mentions, as
    `choreomon.core.labels` writes them, with the parameters of which a report needs values in
    parentheses; the others need no report. `version` is `VERSION_WITH_VALUES` where there are
    any."""

    process: _Name
    session: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_SESSION)]
    number: _Count
    clock: _Clock
    lease: _Lease
    window: _Window
    labels: tuple[str, ...]
    grant: _Count = 0
    version: int = VERSION


class Clock(msgspec.Struct, tag="clock", frozen=True, gc=False):
    """The event has happened, with this clock right after it; its message may leave. After a
    gap: the gap is noted."""

    number: _Number
    clock: _Clock


class Renewed(msgspec.Struct, tag="renewed", frozen=True, gc=False):
    """The answer to a renewal, with the next grant."""

    lease: _Lease
    grant: _Count = 0


class Farewell(msgspec.Struct, tag="farewell", frozen=True, gc=False):
    """The answer to a goodbye, and the last message."""


class Refused(msgspec.Struct, tag="refused", frozen=True, gc=False):
    """Something was not taken: that with `number`, or what is no report where it is 0. After
    any reason but `window` the agent closes the connection."""

    number: _Count
    reason: RefusalReason
    message: str


ClientMessage: TypeAlias = Hello | Report | Gap | Renew | Goodbye | Reload
AgentMessage: TypeAlias = Welcome | Clock | Renewed | Farewell | Refused

_ENCODER: Final = msgspec.json.Encoder()
_CLIENT: Final[msgspec.json.Decoder[ClientMessage]] = msgspec.json.Decoder(ClientMessage)
_AGENT: Final[msgspec.json.Decoder[AgentMessage]] = msgspec.json.Decoder(AgentMessage)
_RELOADED: Final[msgspec.json.Decoder[Reloaded | Refused]] = msgspec.json.Decoder(
    Reloaded | Refused
)


def encode(message: ClientMessage | AgentMessage | Reloaded) -> bytes:
    """The whole frame, its length first. How long it is, is the reader's to check."""
    body = _ENCODER.encode(message)
    return len(body).to_bytes(LENGTH_BYTES, "big") + body


def decode_client_untrusted(frame: bytes) -> ClientMessage:
    """Decode a frame of a service, without its length.

    Raises `MalformedMessage`, and nothing else, for what is none of its messages. Whether
    numbers, session and names make sense is the session's to judge, and so is the version.
    """
    try:
        return _CLIENT.decode(frame)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedMessage(f"from the service: {error}") from None


def decode_agent_untrusted(frame: bytes) -> AgentMessage:
    """Decode a frame of an agent. Raises `MalformedMessage`, and nothing else, for what is none of
    its messages."""
    try:
        return _AGENT.decode(frame)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedMessage(f"from the agent: {error}") from None


def decode_reloaded_untrusted(frame: bytes) -> Reloaded | Refused:
    """The answer of an agent to `Reload`. Raises `MalformedMessage`, and nothing else."""
    try:
        return _RELOADED.decode(frame)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedMessage(f"from the agent: {error}") from None


class FrameSplitter:
    """Cuts a stream into frames. Keeps what is not complete: fewer than `limit` bytes and
    their length, beside the data of the last call."""

    __slots__ = ("_limit", "_rest")

    def __init__(self, limit: int = MAX_FRAME) -> None:
        self._limit = limit
        self._rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        """The frames that `data` completes, without their lengths, in order.

        Raises `MalformedMessage` where a frame longer than the limit begins; that is seen by
        its first 4 bytes. The stream cannot be understood from there on, so that the connection
        is to be closed; frames before it in the same data are given up with it.
        """
        if self._rest:
            data = self._rest + data
        frames = []
        start, end = 0, len(data)
        while end - start >= LENGTH_BYTES:
            body = start + LENGTH_BYTES
            length = int.from_bytes(data[start:body], "big")
            if length > self._limit:
                raise MalformedMessage(
                    f"a frame of {length} bytes; at most {self._limit} are accepted"
                )
            if end - body < length:
                break
            start = body + length
            frames.append(data[body:start])
        self._rest = data[start:]
        return frames
