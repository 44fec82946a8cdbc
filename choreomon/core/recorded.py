"""What logs say happened, whatever their format: events as recorded, and what was strange.

A recorded event says less than an event of a monitor: its log may not know the other end of a
message, may have no clock, and may have gaps. Readers (`choreomon.logs.readers`) make these
values; what happened before what is worked out from them alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias

RecordedKind: TypeAlias = Literal["send", "handle", "local"]
"""The sending or the handling of a message, or anything else that a process wrote down."""

NO_FIELDS: Final[Mapping[str, str]] = MappingProxyType({})


class Place(NamedTuple):
    """Where it is written; lines count from 1, 0 is the file as a whole."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


UNCOUNTED: Final = -1


class RecordedEvent(NamedTuple):
    """One event of one process. The events of a process come in the order of its log.

    - `name`: that of the message; of a local event, what is written.
    - `peer`: the other end of the message, None where the log does not say.
    - `message_id`: the same for a send and the handling of what was sent, and for no others; None
      where the log has none.
    - `clock`: how many events of each process the process knew right after this one, itself
      counted; processes that are left out: 0. None where the log has none.
    - `number`: its place among the events of its process, from 1, where the log counts them. (A
      clock counts them, too.) `UNCOUNTED` where it counts others only, which come later.
    - `session`: to which run, trace or session it belongs; "" where there is one only.
    - `time`: as written. It orders nothing.
    - `fields`: whatever else is known, for people.
    - `values`: those of parameters that it carries (`choreomon.properties.instances`).
    """

    process: str
    kind: RecordedKind
    name: str
    place: Place
    peer: str | None = None
    message_id: str | None = None
    clock: Mapping[str, int] | None = None
    number: int | None = None
    session: str = ""
    time: str = ""
    fields: Mapping[str, str] = NO_FIELDS
    values: Mapping[str, str] = NO_FIELDS


Strange: TypeAlias = Literal[
    "not-understood",
    "two-sends",
    "two-receptions",
    "reception-without-send",
    "send-without-reception",
    "gap",
    "log-missing",
    "late-event",
    "out-of-order",
    "mended",
]
"""What may be strange about logs without being an error."""


class Diagnostic(NamedTuple):
    """Something strange: what, in a sentence with the fix where there is one, and where."""

    kind: Strange
    message: str
    place: Place
