"""What actors and the network between them say to each other, as bytes: one frame of MessagePack
each, from a DEALER of the actor to the one ROUTER of the network, and back.

Both ends are ours and in one run, so what is read is not checked beyond its shape.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec

from choreomon.core.binding import Binding


class Ready(msgspec.Struct, frozen=True, array_like=True, tag="r"):
    """An actor can take messages from now on."""


class Posted(msgspec.Struct, frozen=True, array_like=True, tag="p"):
    """A message leaves. `number` is its own among those of its sender, from 1; `headers` are what
    travels with it; `sent` is when it left, in seconds of the monotonic clock; `values` are what it
    carries."""

    receiver: str
    name: str
    number: int
    headers: dict[str, str]
    sent: float
    values: Binding = ()


class Done(msgspec.Struct, frozen=True, array_like=True, tag="d"):
    """So many messages were handled, and all that was sent meanwhile was posted before; or, after
    `Stop`, they will never be handled, and are `dropped`."""

    messages: int
    dropped: bool = False


FromActor: TypeAlias = Ready | Posted | Done


class Delivered(msgspec.Struct, frozen=True, array_like=True, tag="m"):
    """A message arrives; from the environment where `number` is 0."""

    sender: str
    name: str
    number: int
    headers: dict[str, str]
    values: Binding = ()


class Stop(msgspec.Struct, frozen=True, array_like=True, tag="s"):
    """Handle nothing more; what waits is dropped."""


ToActor: TypeAlias = Delivered | Stop

encode: Final = msgspec.msgpack.Encoder().encode
decode_from_actor: Final = msgspec.msgpack.Decoder(FromActor).decode
decode_to_actor: Final = msgspec.msgpack.Decoder(ToActor).decode
