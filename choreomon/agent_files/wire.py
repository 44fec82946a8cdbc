"""Monitoring messages as bytes: MessagePack, one array a message.

    [version, system, kind, [fields...]]
    [version, system, kind, [fields...], base, offers]
    [version, system, kind, [fields...], base, offers, store]

`system` is the id of the system that a property was split for (16 bytes), so that a monitor with
another property is noticed; a run of the simulator has one system and calls it `NO_SYSTEM`. The
fields are those of the message's class in `choreomon.monitor.messages`, in order, nested tuples as
arrays. Nothing is left out, so the length of the bytes is what a message costs on the wire,
transport framing aside.

A clock is an array of its entries or, where that is shorter, a byte string
(`choreomon.agent_files.clocks.coding`). `clock`, that of the message, stands for itself, or is
relative to one that the receiver has offered: then `base` is its name. `offers`: the receiver may
use `clock` as a base in turn (`choreomon.agent_files.clocks.links`). All other clocks of the
message are relative to `clock`. So all but `clock` can be read without knowing anything else, and
the first form is whole: it stands for the message whatever was said before. `store` names the store
of the agent that says it, so that two agents of one process are noticed
(`choreomon.runtime.network.peer_stores`); version 3 had none, and is still read.

A message about an instance has a kind of its own, and instead of its fields `[[fields...],
parameters, digests]` (`choreomon.agent_files.bindings`). So have traces, which are no message of a
monitor (`choreomon.agent_files.told_traces`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple, get_args

import msgspec

from choreomon.agent_files.bindings import (
    CodedBinding,
    binding_of,
    coded_binding,
)
from choreomon.agent_files.clocks.coding import PLAIN, coded
from choreomon.agent_files.clocks.fields import message_coder
from choreomon.agent_files.clocks.links import Link, Told, hear, tell
from choreomon.agent_files.clocks.packed import PackedClock, packed
from choreomon.core.binding import Binding
from choreomon.core.errors import MalformedMessage
from choreomon.core.names import MAX_NAME
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import NEVER, UNSEEN
from choreomon.monitor.history import Record
from choreomon.monitor.messages import (
    Inquiry,
    MonitoringMessage,
    Named,
    Notice,
    PeerMessage,
    Push,
    Response,
    Waiting,
)
from choreomon.monitor.of_instances.messages import AboutOne, InstanceMessage

VERSION: Final = 4
_READ: Final = (3, VERSION)
MAX_BYTES: Final = 1 << 20
SYSTEM_BYTES: Final = 16
NO_SYSTEM: Final = bytes(SYSTEM_BYTES)
STORE_BYTES: Final = 8
NO_STORE: Final = b""

_KINDS: Final = {kind: number for number, kind in enumerate(get_args(MonitoringMessage))}
_OF_INSTANCES: Final = len(_KINDS)
"""The offset of the kinds of messages about an instance."""
TRACES: Final = _OF_INSTANCES + len(get_args(AboutOne))
"""The kind of frames in which agents tell each other of traces, the last one."""
_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODERS: Final = [msgspec.msgpack.Decoder(kind) for kind in _KINDS]
"""Decoders for so few processes that clocks are never coded."""
_CODERS: Final = [message_coder(kind) for kind in _KINDS]
_RAW_DECODERS: Final = [msgspec.msgpack.Decoder(coder.wire) for coder in _CODERS]


class _OfInstance(NamedTuple):
    """The body of a message about an instance."""

    body: Any
    parameters: int
    digests: bytes


class _RawOfInstance(NamedTuple):
    body: msgspec.Raw
    parameters: int
    digests: bytes


_OF_INSTANCE_DECODER: Final = msgspec.msgpack.Decoder(_RawOfInstance)


class _Frame(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    version: int
    system: bytes
    kind: int
    body: msgspec.Raw
    base: int | None = None
    offers: bool = False
    store: bytes = NO_STORE


_FRAME: Final = msgspec.msgpack.Decoder(_Frame)


class Frame(NamedTuple):
    """A frame of a peer, opened as far as the system that it is about; its body is not read."""

    system: bytes
    kind: int
    body: msgspec.Raw
    base: int | None = None
    offers: bool = False
    store: bytes = NO_STORE

    @property
    def is_linked(self) -> bool:
        """True if the message has to go through `unlinked`."""
        return self.offers or self.base is not None


def encode(
    message: MonitoringMessage | InstanceMessage,
    system: bytes = NO_SYSTEM,
    store: bytes = NO_STORE,
    parameters: Sequence[str] = (),
) -> bytes:
    """The wire form that is whole. Its length is not bounded here; a peer refuses more than
    `MAX_BYTES`. `parameters`: those of a property for each instance, sorted; the values in a
    message about one have to be digests."""
    body: Any
    if type(message) is InstanceMessage:
        kind, body = _kind_and_body(message.message)
        kind, body = _about_one(kind, body, message.binding, parameters)
    else:
        kind, body = _kind_and_body(message)  # type: ignore[arg-type]
    return framed(kind, body, system, store)


def framed(kind: int, body: Any, system: bytes, store: bytes) -> bytes:
    """The frame of what is whole."""
    if store:
        return _ENCODER.encode((VERSION, system, kind, body, None, False, store))
    return _ENCODER.encode((VERSION, system, kind, body))


def encode_linked(
    message: PeerMessage | InstanceMessage,
    link: Link,
    system: bytes = NO_SYSTEM,
    store: bytes = NO_STORE,
    parameters: Sequence[str] = (),
) -> tuple[bytes, Link]:
    """The wire form to a peer, and what is known of the peer after it."""
    if len(message.clock) <= PLAIN:
        return encode(message, system, store, parameters), link
    clock = packed(message.clock)
    link, told = tell(link, clock)
    return encode_told(message, clock, told, system, store, parameters), link


def encode_told(
    message: PeerMessage | InstanceMessage,
    clock: PackedClock,
    told: Told,
    system: bytes = NO_SYSTEM,
    store: bytes = NO_STORE,
    parameters: Sequence[str] = (),
) -> bytes:
    """The wire form to a peer, whose clock, which is `clock`, is told so. It has more than `PLAIN`
    entries."""
    raw: Any
    if type(message) is InstanceMessage:
        kind = _KINDS[type(message.message)]
        raw = _CODERS[kind].told(message.message, clock, told.code)
        kind, raw = _about_one(kind, raw, message.binding, parameters)
    else:
        kind = _KINDS[type(message)]
        raw = _CODERS[kind].told(message, clock, told.code)
    if store:
        return _ENCODER.encode((VERSION, system, kind, raw, told.base, told.offers, store))
    if told.base is None and not told.offers:
        return _ENCODER.encode((VERSION, system, kind, raw))
    return _ENCODER.encode((VERSION, system, kind, raw, told.base, told.offers))


def _kind_and_body(message: MonitoringMessage) -> tuple[int, Any]:
    kind = _KINDS[type(message)]
    return kind, message if _is_plain(message) else _CODERS[kind].raw(message)


def _about_one(
    kind: int, body: Any, binding: Binding, parameters: Sequence[str]
) -> tuple[int, _OfInstance]:
    return kind + _OF_INSTANCES, _OfInstance(body, *coded_binding(binding, parameters))


def _is_plain(message: MonitoringMessage) -> bool:
    clock = message.event if type(message) is Notice else message.clock  # type: ignore[union-attr]
    return len(clock) <= PLAIN


def open_untrusted(data: bytes) -> Frame:
    """The frame that a peer sent. Raises `MalformedMessage`, and nothing else."""
    if len(data) > MAX_BYTES:
        raise MalformedMessage(f"{len(data)} bytes; at most {MAX_BYTES} are accepted")
    try:
        frame = _FRAME.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedMessage(f"no monitoring message: {error}") from None
    system, kind = frame.system, frame.kind
    if frame.version not in _READ:
        raise MalformedMessage(f"wire version {frame.version}; this is version {VERSION}")
    if len(system) != SYSTEM_BYTES:
        raise MalformedMessage(f"a system id of {len(system)} bytes; it has {SYSTEM_BYTES}")
    if not 0 <= kind <= TRACES:
        raise MalformedMessage(f"unknown kind of message {kind}")
    if kind == TRACES and (frame.base is not None or frame.offers):
        raise MalformedMessage("traces that are told with a clock")
    if frame.store and len(frame.store) != STORE_BYTES:
        raise MalformedMessage(f"the name of a store of {len(frame.store)} bytes")
    return Frame(system, kind, frame.body, frame.base, frame.offers, frame.store)


def read_untrusted(
    frame: Frame, processes: Collection[str], parameters: Sequence[str] = ()
) -> MonitoringMessage | InstanceMessage:
    """The message in a frame that is whole. `parameters` as in `encode`.

    Raises `MalformedMessage`, and nothing else, for anything but the wire form of a
    message between two of `processes`, or from one to the central monitor, whose clocks have
    an entry for each of them.
    """
    if frame.base is not None:
        raise MalformedMessage(f"its clock is relative to {frame.base:x}: it is not whole")
    if frame.kind >= _OF_INSTANCES:
        about, coded = _opened(frame)
        inner = read_untrusted(about, processes)
        assert not isinstance(inner, Push | Notice | InstanceMessage)
        return InstanceMessage(inner, binding_of(coded, parameters))
    message: MonitoringMessage
    if len(processes) <= PLAIN:
        message = body_of(_DECODERS[frame.kind], frame)
    else:
        raw = body_of(_RAW_DECODERS[frame.kind], frame)
        message = _CODERS[frame.kind].message(raw, len(processes))
    _check(message, processes)
    return message


def _opened(frame: Frame) -> tuple[Frame, CodedBinding]:
    """The message in one about an instance, and about which."""
    if frame.kind == TRACES:
        raise MalformedMessage("traces, which are no message of a monitor")
    body, *coded = body_of(_OF_INSTANCE_DECODER, frame)
    return frame._replace(kind=frame.kind - _OF_INSTANCES, body=body), CodedBinding(*coded)


def body_of(decoder: msgspec.msgpack.Decoder[Any], frame: Frame) -> Any:
    """The body of a frame, by this decoder. Raises `MalformedMessage`, and nothing else."""
    try:
        return decoder.decode(frame.body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedMessage(f"no monitoring message: {error}") from None


def unlinked(frame: Frame, processes: int, link: Link) -> tuple[bytes, Link]:
    """The frame of a peer made whole, among this many processes, and what is known of the peer
    after it. Raises `UnknownBase`, or another `MalformedMessage`; of a frame that is let through
    only the clock is known to be one."""
    if frame.kind >= _OF_INSTANCES:
        about, coded = _opened(frame)
        whole, link = _unlinked(about, processes, link)
        told = _OfInstance(whole, *coded)
    else:
        told, link = _unlinked(frame, processes, link)
    return _ENCODER.encode((VERSION, frame.system, frame.kind, told)), link


def _unlinked(frame: Frame, processes: int, link: Link) -> tuple[Any, Link]:
    """The body of a frame made whole."""
    coder = _CODERS[frame.kind]
    if coder.clock is None:
        raise MalformedMessage("a message without a clock offers none, and needs no base")
    raw = body_of(_RAW_DECODERS[frame.kind], frame)
    link, clock = hear(link, Told(raw[coder.clock], frame.base, frame.offers), processes)
    return (*raw[: coder.clock], coded(clock), *raw[coder.clock + 1 :]), link


def decode_untrusted(
    data: bytes,
    processes: Collection[str],
    system: bytes = NO_SYSTEM,
    parameters: Sequence[str] = (),
) -> MonitoringMessage | InstanceMessage:
    """Decode and check at once a frame that should be about this system."""
    frame = open_untrusted(data)
    if frame.system != system:
        raise MalformedMessage(f"it is about the system {frame.system.hex()}")
    return read_untrusted(frame, processes, parameters)


def _check(message: MonitoringMessage, processes: Collection[str]) -> None:
    names = [message.sender]
    clocks: list[Any] = []
    records: tuple[Record, ...] = ()
    match message:
        case Inquiry(inspected=inspected):
            if max(len(inspected.source), len(inspected.target)) > MAX_NAME:
                raise MalformedMessage(f"a state whose name is longer than {MAX_NAME} characters")
            clocks += [message.event, message.clock]
            _check_names(message.named)
        case Response():
            clocks.append(message.clock)
            records = message.records + message.evidence
            _check_names(message.named)
        case Waiting():
            clocks.append(message.clock)
            names += message.waiting_for
        case Push():
            clocks += [message.event, message.clock]
        case Notice():
            clocks.append(message.event)
    if not isinstance(message, Notice):
        names.append(message.receiver)
    for name in names:
        if name not in processes:
            raise MalformedMessage(f"unknown process {name[:MAX_NAME]!r}")
    own_records = len(message.records) if isinstance(message, Response) else 0
    for place, record in enumerate(records):
        names_other = record.reference.process != message.sender
        if names_other and place < own_records:
            raise MalformedMessage(
                f"{message.sender} answers with a record of {record.reference.process}"
            )
        if names_other and record.reference.process not in processes:
            raise MalformedMessage(f"unknown process {record.reference.process[:MAX_NAME]!r}")
        clocks.append(record.first)
        if record.result in UNSEEN:
            if record.since is None:
                raise MalformedMessage(f"a gap of {record.reference} without a beginning")
            clocks.append(_reached_in_gap(record, processes))
        elif record.since is not None:
            clocks.append(record.clock)
    count = len(processes)
    for clock in clocks:
        if len(clock) != count:
            raise MalformedMessage(f"{len(clock)} entries are no clock of {count} processes")
        if min(clock) < 0 or max(clock) >= NEVER:
            raise MalformedMessage(f"{clock} is no clock of {count} processes")


def _check_names(named: tuple[Named, ...]) -> None:
    for number, reference in named:
        if not 0 < number < NEVER:
            raise MalformedMessage(f"there is no event number {number} of {reference.process}")


def _reached_in_gap(gap: Record, processes: Collection[str]) -> VectorClock:
    """The clock at the end of a gap, in which the own entry alone may be `NEVER`."""
    own = list(processes).index(gap.reference.process)
    return tuple(
        0 if entry == NEVER and place == own else entry for place, entry in enumerate(gap.clock)
    )
