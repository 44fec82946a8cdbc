"""Our own event logs (`choreomon.logs.trace`), line by line.

Unlike `choreomon.logs.event_log`, which makes multi-traces of whole runs and takes nothing that
is not right, a line that is none is told, and what stands around it is read: the log may be that of
one process, and may end in the middle of a line.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

import msgspec

from choreomon.core.message import ENVIRONMENT, SEND
from choreomon.core.recorded import NO_FIELDS, UNCOUNTED, Diagnostic, Place, RecordedEvent
from choreomon.files.json_keys import repeated_key
from choreomon.logs.readers.json_values import json_problem
from choreomon.logs.readers.lines import Log
from choreomon.logs.readers.reading_options import ReadingOptions


class _Message(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    sender: str
    name: str
    receiver: str


class _Line(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    event: Literal["send", "handle"]
    process: str
    message: _Message
    clock: dict[str, int] | None = None
    id: str | None = None
    number: int | None = None
    index: int | None = None
    time: float | None = None
    values: dict[str, str | int] | None = None


_KEYS: Final = 6 + len(_Message.__struct_fields__)
"""Keys of a line that has no more than `choreomon simulate --trace` writes."""

NOTHING: Final[dict[str, int]] = {}


def read_own_events(log: Log, _: ReadingOptions) -> Iterator[RecordedEvent | Diagnostic]:
    """The events, in the order of the log. What `simulate --trace` writes has clocks, which say the
    order. Lines of others may have none, an `id` of the message, the same for its send and its
    reception, and `number`, which counts the events of a process from 1; `index` and `time` may be
    left out. `values` are those of parameters. Live monitors count only what a property mentions:
    an event whose own count stays as it was is not counted, and has no clock here; before the first
    that is, it says so.

    Raises DocumentError only where lines cannot be read at all.
    """
    decode = msgspec.json.Decoder(_Line).decode
    file = log.file
    counts: dict[str, int] = {}
    new = tuple.__new__  # twice as quick as what a NamedTuple does with its arguments
    for number, text in enumerate(log.lines(), start=1):
        try:
            line = decode(text)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            if text.strip():
                field, told = json_problem(error, "'send' or 'handle'")
                where = f"its field {field} " if field else "it "
                yield _strange(f"{where}{told}", file, number)
            continue
        message, clock, process = line.message, line.clock or NOTHING, line.process
        if line.event == SEND:
            end, peer = message.sender, message.receiver
        else:
            end, peer = message.receiver, message.sender
        if (
            end != process
            or line.values is not None
            or text.count(b":") > _KEYS + len(clock)
            or (clock and min(clock.values()) < 0)
            or not process
            or not message.name
            or ENVIRONMENT in (end, message.receiver)
        ):
            wrong = _wrong(line, end, text)
            if wrong:
                yield _strange(wrong, file, number)
                continue
        counted = None
        own, place = clock.get(process, 0), line.number
        if own and own != counts.get(process, 0):  # others refuse a count that falls
            counted, counts[process] = line.clock, own
        elif line.clock is not None and place is None and process not in counts:
            place = UNCOUNTED
        time = "" if line.time is None else repr(line.time)
        at = new(Place, (file, number))
        ends = (process, line.event, message.name, at, peer, line.id)
        values = NO_FIELDS
        if line.values is not None:
            values = {name: str(value) for name, value in line.values.items()}
        yield new(RecordedEvent, (*ends, counted, place, "", time, NO_FIELDS, values))


def _wrong(line: _Line, end: str, text: bytes) -> str:
    """Name the defect of a line of the right shape; empty for one that only looks strange."""
    keys = sum(getattr(line, name) is not None for name in line.__struct_fields__)
    inside = len(_Message.__struct_fields__) + len(line.clock or NOTHING)
    twice = repeated_key(text, keys + inside + len(line.values or NOTHING))
    if twice is not None:
        return f"it has the key {twice!r} twice: keep one of the two"
    if not line.process or not line.message.name:
        return f"its {'message.name' if line.process else 'process'} should not be empty"
    if ENVIRONMENT in (end, line.message.receiver):
        return f"{ENVIRONMENT} has no events: it sends messages that a process handles"
    if end != line.process:
        return f"a {line.event} of this message happens at {end}, not {line.process}"
    if line.clock and min(line.clock.values()) < 0:
        return "its clock has a count below 0"
    return ""


def _strange(message: str, file: str, number: int) -> Diagnostic:
    return Diagnostic(
        "not-understood", f"{message}; expected an event of a choreomon log", Place(file, number)
    )
