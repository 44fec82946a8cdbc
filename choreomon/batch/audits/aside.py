"""Events that are put aside in files, those of one session into the same part.

What this process writes, processes of the same Python read again and nobody else, in a folder that
is theirs alone; so they are written by `marshal`, which is several times as fast as formats that
others could read. What an audit does not look at is left out: times and fields.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias
from zlib import crc32

from choreomon.core.recorded import Place, RecordedEvent

AT_ONCE: Final = 50_000
"""Events that are kept in memory before they are written."""

Put: TypeAlias = tuple[Any, ...]
"""An event, with the line in its piece."""

Segments: TypeAlias = list[tuple[int, int, int]]
"""Places of events in a file: the part, the first byte, and the number of bytes."""


class Aside:
    """A file at `path` with events of `parts` parts. Use it once."""

    def __init__(self, path: Path, parts: int) -> None:
        self._file = path.open("wb")
        self._parts = parts
        self._events: dict[str, list[Put]] = {}
        self._held = 0
        self._written = 0
        self.segments: Segments = []

    def add(self, event: RecordedEvent) -> None:
        """Put an event aside, of a log whose lines may be counted from elsewhere."""
        put = (
            event.process,
            event.kind,
            event.name,
            event.place.line,
            event.peer,
            event.message_id,
            event.clock,
            event.number,
        )
        own = self._events.get(event.session)
        if own is None:
            own = self._events[event.session] = []
        own.append(put)
        self._held += 1
        if self._held >= AT_ONCE:
            self._write()

    def close(self) -> None:
        """Close the file."""
        self._write()
        self._file.close()

    def _write(self) -> None:
        parts: dict[int, list[tuple[str, list[Put]]]] = {}
        for session, events in self._events.items():
            parts.setdefault(part_of(session, self._parts), []).append((session, events))
        for part in sorted(parts):
            data = marshal.dumps(parts[part])
            self._file.write(data)
            self.segments.append((part, self._written, len(data)))
            self._written += len(data)
        self._events = {}
        self._held = 0


def part_of(session: str, parts: int) -> int:
    """The part that a session is in, the same on every machine."""
    return crc32(session.encode("utf-8", "surrogatepass")) % parts


_NO_FIELDS: Final[dict[str, str]] = {}
"""Unlike those of the core, it can be sent to other processes."""


class Share(NamedTuple):
    """A share of one part in one file: its log, the number of lines before, and its segments."""

    log: int
    path: str
    before: int
    file: Path
    places: tuple[tuple[int, int], ...]


def taken(share: Share) -> Iterator[tuple[str, list[Put]]]:
    """Sessions with some of their events, in the order of the log; a session may come again."""
    with share.file.open("rb") as stream:
        for start, size in share.places:
            stream.seek(start)
            yield from marshal.loads(stream.read(size))


def event_of(put: Put, path: str, before: int, session: str) -> RecordedEvent:
    """The event again."""
    process, kind, name, line, peer, message_id, clock, number = put
    place = Place(path, line + before)
    return RecordedEvent(
        process,
        kind,
        name,
        place,
        peer=peer,
        message_id=message_id,
        clock=clock,
        number=number,
        session=session,
        fields=_NO_FIELDS,
        values=_NO_FIELDS,
    )
