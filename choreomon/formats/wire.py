"""Monitoring messages as bytes: MessagePack, one array a message.

`[version, kind, [fields...]]`, where the fields are those of the message's class in
`choreomon.monitor.messages`, in order, nested tuples as arrays. Nothing is left out, so
the length of the bytes is what a message costs on the wire, transport framing aside.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final, get_args

import msgspec

from choreomon.core.errors import MalformedMessage
from choreomon.monitor.history import OPEN, Record
from choreomon.monitor.messages import Inquiry, MonitoringMessage, Notice, Push, Response

VERSION: Final = 1
MAX_BYTES: Final = 1 << 20

_KINDS: Final = {kind: number for number, kind in enumerate(get_args(MonitoringMessage))}
_ENCODER: Final = msgspec.msgpack.Encoder()
_FRAME: Final = msgspec.msgpack.Decoder(tuple[int, int, msgspec.Raw])
_DECODERS: Final = [msgspec.msgpack.Decoder(kind) for kind in _KINDS]


def encode(message: MonitoringMessage) -> bytes:
    """The wire form. Its length is not bounded here; a peer refuses more than `MAX_BYTES`."""
    return _ENCODER.encode((VERSION, _KINDS[type(message)], message))


def decode_untrusted(data: bytes, processes: Collection[str]) -> MonitoringMessage:
    """The message that a peer sent.

    Raises `MalformedMessage`, and nothing else, for anything but the wire form of a
    message between two of `processes`, or from one to the central monitor, whose clocks have
    an entry for each of them.
    """
    if len(data) > MAX_BYTES:
        raise MalformedMessage(f"{len(data)} bytes; at most {MAX_BYTES} are accepted")
    try:
        version, kind, body = _FRAME.decode(data)
        if version != VERSION:
            raise MalformedMessage(f"wire version {version}; this is version {VERSION}")
        if not 0 <= kind < len(_DECODERS):
            raise MalformedMessage(f"unknown kind of message {kind}")
        message: MonitoringMessage = _DECODERS[kind].decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedMessage(f"no monitoring message: {error}") from None
    _check(message, processes)
    return message


def _check(message: MonitoringMessage, processes: Collection[str]) -> None:
    names = [message.sender]
    clocks: list[Any] = []
    records: tuple[Record, ...] = ()
    match message:
        case Inquiry():
            clocks += [message.event, message.clock]
        case Response():
            clocks.append(message.clock)
            records = message.records
        case Push():
            clocks += [message.event, message.clock]
        case Notice():
            clocks.append(message.event)
    if not isinstance(message, Notice):
        names.append(message.receiver)
    for name in names:
        if name not in processes:
            raise MalformedMessage(f"unknown process {name!r}")
    for record in records:
        clocks += [record.clock, record.first]
        if record.result == OPEN:
            raise MalformedMessage(f"a record of {record.reference} is still open")
        if record.reference.process != message.sender:
            raise MalformedMessage(
                f"{message.sender} answers with a record of {record.reference.process}"
            )
    for clock in clocks:
        if len(clock) != len(processes) or any(entry < 0 for entry in clock):
            raise MalformedMessage(f"{clock} is no clock of {len(processes)} processes")
