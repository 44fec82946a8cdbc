"""Our own event logs: one event a line, as `choreomon simulate --trace` writes them.

    {"index":0,"time":1.5,"event":"send","process":"a",
     "message":{"sender":"a","name":"go","receiver":"b"},"clock":{"a":1}}

`index` and `time` may be left out, and say nothing here: the order of a process's events is that of
its lines. So may `clock`; then an `id` says which reception belongs to which send, and where there
is none either they are counted. `number` may count the events of a process, from 1, so that missing
ones are noticed (a clock counts them, too).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Literal

import msgspec

from choreomon.core.recorded import Diagnostic, Place, RecordedEvent
from choreomon.formats.json_shapes import placed_problem


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
    index: int = 0
    time: float = 0


_DECODER: Final = msgspec.json.Decoder(_Line)


def own_events(
    lines: Iterable[bytes | None], file: str
) -> Iterator[RecordedEvent | Diagnostic | None]:
    """The events that lines tell of; what is none is a diagnostic, an empty line nothing, and None
    stays None: nothing more at the moment. `file` is what places call it."""
    decode = _DECODER.decode
    number = 0
    for line in lines:
        if line is None:
            yield None
            continue
        number += 1
        try:
            said = decode(line)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as wrong:
            if line.strip():
                yield _not_understood(str(wrong), Place(file, number))
            continue
        message = said.message
        if said.event == "send":
            own, peer = message.sender, message.receiver
        else:
            peer, own = message.sender, message.receiver
        process = said.process
        if own != process:
            told = f"a {said.event} of this message happens at {own}, not {process}"
            yield Diagnostic("not-understood", told, Place(file, number))
            continue
        yield RecordedEvent(
            process,
            said.event,
            message.name,
            Place(file, number),
            peer,
            said.id,
            said.clock,
            said.number,
        )


def _not_understood(wrong: str, place: Place) -> Diagnostic:
    field, told = placed_problem(wrong, "'send' or 'handle'")
    where = f"{field}: " if field else ""
    return Diagnostic("not-understood", f"is no event: {where}{told}", place)
