"""Traces of events, as agents tell each other of them: before an answer goes a frame of its own,
with the traces of those events whose records are in the answer, as far as they are known.

    [version, system, 8, [sender, event_count, {count: trace}], nil, false, store]

in MessagePack, framed as in `choreomon.agent_files.wire`. `event_count` is that of the answer. The
map has at most `MOST_TOLD` events of the sender, by their counts, each with the 16 bytes of its
trace's id. Where no trace is known there is no such frame, and all others are as they are.

Monitors know nothing of it, and no verdict rests on it: without it a verdict lacks ids of traces.
So it is neither repeated nor answered by itself; who answers again tells again. A peer that does
not know this kind counts the frame as `malformed`, and takes the answer.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Final, NamedTuple

import msgspec
from msgspec import Meta

from choreomon.agent_files.wire import NO_STORE, TRACES, Frame, body_of, framed
from choreomon.core.errors import MalformedMessage
from choreomon.core.names import MAX_NAME
from choreomon.core.verdict import NEVER

TRACE_BYTES: Final = 16
MOST_TOLD: Final = 64
"""Events in one frame. Of an answer with records of more, the newest are told."""

_Count = Annotated[int, Meta(gt=0, lt=NEVER)]
_Id = Annotated[bytes, Meta(min_length=TRACE_BYTES, max_length=TRACE_BYTES)]


class EventTrace(NamedTuple):
    """The id of the trace, in 16 bytes, that the event number `number` of `process` is in."""

    process: str
    number: int
    trace: bytes


class ToldTraces(NamedTuple):
    """The traces of events of `sender`, by their counts, told beside its answer about the event
    number `event_count` of the receiver."""

    sender: str
    event_count: _Count
    traces: Annotated[dict[_Count, _Id], Meta(min_length=1, max_length=MOST_TOLD)]


_DECODER: Final = msgspec.msgpack.Decoder(ToldTraces)


def encode_traces(told: ToldTraces, system: bytes, store: bytes = NO_STORE) -> bytes:
    """The frame; it is whole."""
    return framed(TRACES, told, system, store)


def read_traces_untrusted(frame: Frame, processes: Collection[str]) -> ToldTraces:
    """The traces in a frame of the kind `TRACES`. Raises `MalformedMessage`, and nothing else, for
    anything but traces of events of one of `processes`."""
    told: ToldTraces = body_of(_DECODER, frame)
    if told.sender not in processes:
        raise MalformedMessage(f"unknown process {told.sender[:MAX_NAME]!r}")
    if bytes(TRACE_BYTES) in told.traces.values():
        raise MalformedMessage("the id of a trace that is all zeros")
    return told
