"""Frames between actors and the network: one frame of MessagePack for each message, from a DEALER
of the actor to the one ROUTER of the network, and back. Both ends are ours and in one run, so only
the shape of frames is checked.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec

from choreomon.core.binding import Binding


class Ready(msgspec.Struct, frozen=True, array_like=True, tag="r"):
    """An actor can take messages from now on."""


class Posted(msgspec.Struct, frozen=True, array_like=True, tag="p"):
    """A message leaves. `receiver` may be a role; `number` counts the messages of its sender from
    1; `headers` travel with it; `sent` is when it left, in seconds of the monotonic clock; `values`
    are those that it carries."""

    receiver: str
    name: str
    number: int
    headers: dict[str, str]
    sent: float
    values: Binding = ()


class Done(msgspec.Struct, frozen=True, array_like=True, tag="d"):
    """A number of messages was handled, and all that was sent meanwhile was posted before; or,
    after `Stop`, they are `dropped` and will never be handled."""

    messages: int
    dropped: bool = False


FromActor: TypeAlias = Ready | Posted | Done


class Delivered(msgspec.Struct, frozen=True, array_like=True, tag="m"):
    """A message arrives; from the environment if `number` is 0. `sender` is a process, which may be
    a slot of a role."""

    sender: str
    name: str
    number: int
    headers: dict[str, str]
    values: Binding = ()


class Stop(msgspec.Struct, frozen=True, array_like=True, tag="s"):
    """Handle nothing more; drop waiting messages."""


ToActor: TypeAlias = Delivered | Stop

encode: Final = msgspec.msgpack.Encoder().encode
decode_from_actor: Final = msgspec.msgpack.Decoder(FromActor).decode
decode_to_actor: Final = msgspec.msgpack.Decoder(ToActor).decode
