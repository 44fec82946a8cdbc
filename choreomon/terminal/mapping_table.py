"""Events that a mapping makes of the lines or spans of a log: the first ones as a table, all of
them counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

from rich.table import Table
from rich.text import Text

from choreomon.core.recorded import Diagnostic, RecordedEvent
from choreomon.sentences.wording import counted

SHOWN: Final = 20
"""The number of events shown."""

STRANGE: Final = 10
"""The number of diagnostics shown with their places."""

_WIDEST: Final = 60


class MappingExplained(NamedTuple):
    """The first events and diagnostics, and how many there are of each."""

    first: tuple[RecordedEvent, ...]
    strange: tuple[Diagnostic, ...]
    kinds: Counter[str]
    processes: Counter[str]
    strange_kinds: Counter[str]
    sessions: int
    with_clock: int
    with_id: int


def explained_mapping(
    recorded: Iterable[RecordedEvent | Diagnostic], shown: int = SHOWN
) -> MappingExplained:
    """Reads a whole log and keeps `shown` events of it, its processes and its sessions."""
    first: list[RecordedEvent] = []
    strange: list[Diagnostic] = []
    kinds: Counter[str] = Counter()
    processes: Counter[str] = Counter()
    strange_kinds: Counter[str] = Counter()
    sessions: set[str] = set()
    with_clock = with_id = 0
    for each in recorded:
        if isinstance(each, Diagnostic):
            strange_kinds[each.kind] += 1
            if len(strange) < STRANGE:
                strange.append(each)
            continue
        if len(first) < shown:
            first.append(each)
        kinds[each.kind] += 1
        processes[each.process] += 1
        sessions.add(each.session)
        with_clock += each.clock is not None
        with_id += each.message_id is not None
    return MappingExplained(
        first=tuple(first),
        strange=tuple(strange),
        kinds=kinds,
        processes=processes,
        strange_kinds=strange_kinds,
        sessions=len(sessions),
        with_clock=with_clock,
        with_id=with_id,
    )


def mapping_table(explained: MappingExplained) -> Table:
    """The first events, and how many more there are."""
    return events_table(explained.first, sum(explained.kinds.values()) - len(explained.first))


def events_table(events: Sequence[RecordedEvent], more: int) -> Table:
    """A table of events, with columns for fields that some of them have; `more` are not shown."""
    columns: list[tuple[str, Callable[[RecordedEvent], str]]] = [
        ("line", lambda event: str(event.place.line)),
        ("process", lambda event: event.process),
        ("kind", lambda event: event.kind),
        ("name", lambda event: event.name),
        ("peer", lambda event: event.peer or ""),
        ("message id", lambda event: event.message_id or ""),
        ("clock", _clock),
        ("session", lambda event: event.session),
    ]
    table = Table(caption_justify="left")
    rows = [[cell(event) for _, cell in columns] for event in events]
    kept = [number for number in range(len(columns)) if number < 4 or any(r[number] for r in rows)]
    for number in kept:
        table.add_column(columns[number][0], overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cut(row[number])) for number in kept))
    if more:
        table.caption = Text(f"{more:,} more events are not shown")
    return table


def mapping_sentences(explained: MappingExplained) -> list[str]:
    """Sentences on how many of each there are, and what was not understood, with file and line."""
    kinds = explained.kinds
    total = sum(kinds.values())
    told = [
        f"{counted(total, 'event')} of "
        f"{counted(len(explained.processes), 'process', 'processes')}: "
        f"{counted(kinds['send'], 'send')}, {counted(kinds['handle'], 'handle')}, "
        f"{counted(kinds['local'], 'local event')}; {explained.with_clock:,} with a clock, "
        f"{explained.with_id:,} with a message id; {counted(explained.sessions, 'session')}"
    ]
    if total and not kinds["send"] + kinds["handle"]:
        told.append("no event is a send or a handle: say which are by --mapping FILE")
    for kind, count in sorted(explained.strange_kinds.items()):
        told.append(f"{kind.replace('-', ' ')}: {count:,}")
        told += [
            f"  {each.place}: {each.message}" for each in explained.strange if each.kind == kind
        ]
    return told


def mapping_as_json(explained: MappingExplained) -> dict[str, Any]:
    """The explained mapping for machines."""
    return {
        "events": sum(explained.kinds.values()),
        "kinds": dict(explained.kinds),
        "processes": dict(explained.processes),
        "sessions": explained.sessions,
        "with_clock": explained.with_clock,
        "with_message_id": explained.with_id,
        "not_understood": explained.strange_kinds["not-understood"],
        "strange": [
            {"kind": each.kind, "message": each.message, **each.place._asdict()}
            for each in explained.strange
        ],
        "first": events_as_json(explained.first),
    }


def events_as_json(events: Iterable[RecordedEvent]) -> list[dict[str, Any]]:
    """Events for machines."""
    return [
        {
            **event.place._asdict(),
            "process": event.process,
            "kind": event.kind,
            "name": event.name,
            "peer": event.peer,
            "message_id": event.message_id,
            "clock": None if event.clock is None else dict(event.clock),
            "number": event.number,
            "session": event.session,
            "time": event.time,
            "fields": dict(event.fields),
        }
        for event in events
    ]


def _clock(event: RecordedEvent) -> str:
    if event.clock is None:
        return ""
    return ", ".join(f"{process} {count}" for process, count in event.clock.items())


def _cut(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 3]}..."
