"""Recorded events: what logs say happened, whatever their format, and what was strange.

A recorded event says less than an event of a monitor: its log may not know the other end of a
message, may have no clock, and may have gaps. Readers (`choreomon.logs.readers`) make these values;
happened-before is derived from them alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias

RecordedKind: TypeAlias = Literal["send", "handle", "local"]
"""The sending or the handling of a message, or anything else that a process wrote down."""

NO_FIELDS: Final[Mapping[str, str]] = MappingProxyType({})


class Place(NamedTuple):
    """A place in a file; lines count from 1, 0 is the file as a whole."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


UNCOUNTED: Final = -1


class RecordedEvent(NamedTuple):
    """An event of one process. The events of a process come in the order of its log.

    - `name`: that of the message; of a local event, what is written.
    - `peer`: the other end of the message, None if the log does not say.
    - `message_id`: the same for a send and its handling, and for no others; None if the log has
      none.
    - `clock`: how many events of each process the process knew right after this one, itself
      counted; processes left out: 0. None if the log has none.
    - `number`: its place among the events of its process, from 1, if the log counts them. (A clock
      counts them, too.) `UNCOUNTED` if the log counts only other events, which come later.
    - `session`: the run, trace or session that it belongs to; "" if there is only one.
    - `time`: as written. It orders nothing.
    - `fields`: whatever else is known, for people.
    - `values`: the values of parameters that it carries (`choreomon.properties.instances`).
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
"""Kinds of strangeness in logs that are no errors."""


class Diagnostic(NamedTuple):
    """Something strange: what, in a sentence with the fix if there is one, and where."""

    kind: Strange
    message: str
    place: Place


class LiveTold(NamedTuple):
    """A recorded span as its agent would have been told of it, live. `why`: what keeps it from
    being told; "" where it is, as the `kind` of a message `name` from or to `peer`, with a header
    or none."""

    place: Place
    process: str
    span: str
    kind: str = ""
    peer: str = ""
    name: str = ""
    header: bool = False
    values: Mapping[str, str] = NO_FIELDS
    why: str = ""
