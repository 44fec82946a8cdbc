"""The journal of a service: events and gaps not yet answered, in the order in which they happened.

An entry is *written* when its frame went out on the present connection, *numbered* when it ever
went out in the present session (so that the agent may have taken it), and *released* when the
service went on without an answer. Written entries are a prefix of the journal, and so are
numbered ones. A gap stands for events that never will be told, at its place among those that
will be.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice, takewhile
from typing import Any, Final, Literal, TypeAlias

from choreomon.agent_files.clocks.text import ClockText
from choreomon.agent_files.local import Gap, Report, report
from choreomon.agent_files.values import NO_VALUES
from choreomon.core.binding import Values
from choreomon.core.errors import InternalError
from choreomon.core.message import EventKind

GAP: Final = "gap"
EntryKind: TypeAlias = EventKind | Literal["gap"]


class Ticket:
    """An event that waits for its answer: settled with the clock right after it, or failed.

    `since` is monotonic time, in seconds. `waiter` is the driver's: a future, or the lock of a
    thread.
    """

    __slots__ = ("clock", "entry", "failed", "since", "waiter")

    def __init__(self, since: float, entry: Entry) -> None:
        self.since = since
        self.entry = entry
        self.clock: ClockText | None = None
        self.failed = False
        self.waiter: Any = None


class Entry:
    """`number` is 0 where it is not numbered. `values`: those that its message carries, as far as
    the agent wanted them. `lost`: how many events a gap stands for. `tickets`: who waits, one at
    most for an event; for a gap all whose events came into doubt."""

    __slots__ = ("heard", "kind", "lost", "name", "number", "peer", "released", "tickets", "values")

    def __init__(
        self,
        kind: EntryKind,
        peer: str = "",
        name: str = "",
        heard: ClockText = "",
        values: Values = NO_VALUES,
    ) -> None:
        self.kind = kind
        self.peer = peer
        self.name = name
        self.heard = heard
        self.values = values
        self.number = 0
        self.lost = 0
        self.released = False
        self.tickets: list[Ticket] = []

    def take(self, number: int) -> bool:
        """Take this number, unless it has one; whether it took it."""
        taken = not self.number
        self.number = self.number or number
        return taken

    def waits(self, since: float) -> Ticket:
        """Make a ticket for a call that waits for the answer."""
        ticket = Ticket(since, self)
        self.tickets.append(ticket)
        return ticket

    def message(self, done: int) -> Report | Gap:
        """The message that tells the agent of it. All numbers up to `done` were answered."""
        if self.kind == GAP:
            return Gap(self.number, done, self.lost)
        given = (self.number, done, self.kind, self.peer, self.name, self.heard)
        return report(*given, self.values) if self.values else Report(*given)


class Journal:
    """`written` entries at the head went out on the present connection, `kept` events are
    released. `greeting`: the gap at the head is being told in a hello."""

    __slots__ = ("_entries", "greeting", "kept", "written")

    def __init__(self) -> None:
        self._entries: deque[Entry] = deque()
        self.written = 0
        self.kept = 0
        self.greeting = False

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries)

    def append(self, entry: Entry) -> None:
        self._entries.append(entry)
        self.kept += entry.released

    def lose(self, events: int = 1) -> Entry:
        """Note that these many events happened last, and will not be told. Returns their gap."""
        last = self._entries[-1] if self._entries else None
        if (
            last is None
            or last.kind != GAP
            or last.number
            or (self.greeting and len(self._entries) == 1)
        ):
            last = Entry(GAP)
            self._entries.append(last)
        last.lost += events
        return last

    def unwritten(self) -> Entry:
        """The first entry that is not written; there is one."""
        return self._entries[self.written]

    def everything_left_is_written(self) -> bool:
        """Tell whether all events but the waiting ones are written, so that a promise can be
        made."""
        # Entries that left without an answer come before waiting ones: this mostly looks at one.
        return not any(
            entry.kind == GAP or entry.released
            for entry in islice(self._entries, self.written, None)
        )

    def unwrite(self) -> None:
        """The connection is gone."""
        self.written = 0
        self.greeting = False

    def numbered(self) -> list[Entry]:
        return list(takewhile(lambda entry: entry.number, self._entries))

    def answered(self, number: int) -> Entry | None:
        """Take the first entry out, which was answered; `None` where that is another one."""
        if not self.written or self._entries[0].number != number:
            return None
        entry = self._entries.popleft()
        self.written -= 1
        self.kept -= entry.released
        return entry

    def greet(self) -> int:
        """Count the events of the gap at the head, if one is there, for the hello."""
        head = self._entries[0] if self._entries else None
        if head is None or head.kind != GAP or head.number:
            return 0
        self.greeting = True
        return head.lost

    def greeted(self) -> Entry | None:
        """The gap that the hello told is told: takes it out."""
        if not self.greeting:
            return None
        self.greeting = False
        return self._entries.popleft()

    def remove(self, entry: Entry) -> Entry | None:
        """Take an entry out that is not numbered. Returns the event after it."""
        position = self._entries.index(entry)
        if entry.number:
            raise InternalError(f"the agent may have taken number {entry.number} already")
        del self._entries[position]
        self.kept -= entry.released
        return self.first_event(position)

    def first_event(self, start: int = 0) -> Entry | None:
        entries = islice(self._entries, start, None)
        return next((entry for entry in entries if entry.kind != GAP), None)

    def release(self, most: int) -> tuple[list[Entry], list[Entry]]:
        """Release those who wait. Returns the events that are kept, `most` of all kept ones and
        those that the agent may have taken, and the events that are lost in a gap."""
        kept: list[Entry] = []
        entries = iter(self._entries)
        self._entries = deque()
        lost: list[Entry] = []
        for entry in entries:
            if not entry.tickets or entry.kind == GAP:
                self._entries.append(entry)
            elif entry.number or self.kept < most:
                entry.released = True
                self.kept += 1
                kept.append(entry)
                self._entries.append(entry)
            else:
                self.lose()
                lost.append(entry)
        return kept, lost

    def doubt(self) -> list[Entry]:
        """The agent will never acknowledge the numbered entries: replace them and their tickets by
        one gap. Returns the events among them."""
        numbered = self.numbered()
        if numbered:
            self.unwrite()
            rest = islice(self._entries, len(numbered), None)
            self._entries = deque([_gap_of(numbered), *rest])
            self._count_kept()
        return [entry for entry in numbered if entry.kind != GAP]

    def let_go(self) -> list[Entry]:
        """Replace everything, and all tickets, by one gap, except entries that a hello is telling.
        Return the events."""
        entries = list(self._entries)
        told, gone = (entries[:1], entries[1:]) if self.greeting else ([], entries)
        self.written = 0
        self._entries = deque([*told, _gap_of(gone)] if gone else told)
        self._count_kept()
        return [entry for entry in gone if entry.kind != GAP]

    def _count_kept(self) -> None:
        self.kept = sum(entry.released for entry in self._entries)


def _gap_of(entries: list[Entry]) -> Entry:
    gap = Entry(GAP)
    for entry in entries:
        gap.lost += entry.lost if entry.kind == GAP else 1
        gap.tickets += entry.tickets
        for ticket in entry.tickets:
            ticket.entry = gap
    return gap
