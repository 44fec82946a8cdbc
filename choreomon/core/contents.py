"""Contents of logs, counted, before anything is forbidden."""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple, TypeAlias, TypeVar

from choreomon.core.message import HANDLE, SEND
from choreomon.core.message_ends import MessageEnds
from choreomon.core.ordered_pairs import Beginning, OrderedPairs
from choreomon.core.recorded import Diagnostic, RecordedEvent
from choreomon.core.templates import Templates

MOST: Final = 10_000
"""The most different processes, messages and local events counted separately, the first ones; all
others of a kind are counted together."""

MOST_TEMPLATES: Final = 2_000
"""The most templates of the local events of a process."""

MOST_SESSIONS: Final = 1_000_000
"""The most sessions told apart."""

MOST_STRANGE: Final = 100
"""The most different sentences about what was strange, for each kind."""


class MessageCount(NamedTuple):
    """A message, and how often it was `sent` and `handled`; an end is None if logs name it neither
    here nor with its message id."""

    sender: str | None
    receiver: str | None
    name: str
    sent: int
    handled: int


class ProcessCount(NamedTuple):
    """The events of a process. `missing` counts numbers up to the highest that no event has: events
    that are in no log."""

    process: str
    sent: int
    handled: int
    local: int
    with_clock: int
    with_number: int
    missing: int

    @property
    def events(self) -> int:
        return self.sent + self.handled + self.local


class LocalCount(NamedTuple):
    """Local events of a process: the template of their texts, how often it occurred, and the first
    text."""

    process: str
    template: str
    events: int
    example: str


class StrangeCount(NamedTuple):
    """A kind of strangeness, how often it occurred, and the first place; `message` is the sentence
    for that."""

    kind: str
    message: str
    events: int
    first: str


class Contents(NamedTuple):
    """The contents of logs, the most frequent first. `ends` counts sends and handles, `with_id`
    those of them with a message id, `uncounted` events that are in none of the lists, as there are
    too many different ones. `ordered` tells how much is known of the order of the first ones."""

    events: int
    processes: tuple[ProcessCount, ...]
    messages: tuple[MessageCount, ...]
    local: tuple[LocalCount, ...]
    strange: tuple[StrangeCount, ...]
    sessions: int
    with_id: int
    with_clock: int
    with_number: int
    uncounted: int
    ends: int
    ordered: OrderedPairs

    @property
    def not_understood(self) -> int:
        return sum(each.events for each in self.strange if each.kind == "not-understood")


class _Numbered:
    """Numbers up to the highest, and how many events have one."""

    def __init__(self) -> None:
        self.highest = 0
        self.events = 0

    def add(self, number: int) -> None:
        self.highest = max(self.highest, number)
        self.events += 1

    @property
    def missing(self) -> int:
        return max(0, self.highest - self.events)


class Numbers:
    """Numbers of the events of a process, and how many are missing. They begin anew in each session
    if two sessions share a number, otherwise they go on through all."""

    def __init__(self) -> None:
        self._whole = _Numbered()
        self._sessions: dict[str, _Numbered] = {}
        self._session_of: dict[int, str] = {}
        self._anew = False

    def add(self, session: str, number: int) -> None:
        """Take the number of an event, from 1; others are ignored."""
        if number < 1:
            return
        self._whole.add(number)
        if session in self._sessions or len(self._sessions) < MOST:
            self._sessions.setdefault(session, _Numbered()).add(number)
        if not self._anew and (number in self._session_of or len(self._session_of) < MOST):
            self._anew = self._session_of.setdefault(number, session) != session

    @property
    def missing(self) -> int:
        """The numbers that no event has."""
        if not self._anew:
            return self._whole.missing
        return sum(each.missing for each in self._sessions.values())


_Key: TypeAlias = tuple[str | None, str | None, str]
_T = TypeVar("_T")


class Looking:
    """Counts what is read, one event after the other, in bounded memory."""

    def __init__(self) -> None:
        self._events = 0
        self._processes: dict[str, Counter[str]] = {}
        self._sent: Counter[_Key] = Counter()
        self._handled: Counter[_Key] = Counter()
        self._local: dict[str, Templates] = {}
        self._beginning = Beginning()
        self._numbers: dict[str, Numbers] = {}
        self._ends = MessageEnds()
        self._strange: Counter[tuple[str, str]] = Counter()
        self._first: dict[tuple[str, str], str] = {}
        self._alike: dict[str, Templates] = {}
        self._sessions: set[str] = set()
        self._with = Counter[str]()
        self._uncounted = 0

    def add(self, what: RecordedEvent | Diagnostic) -> None:
        """Count an event or a diagnostic."""
        if isinstance(what, Diagnostic):
            self._add_strange(what)
            return
        self._events += 1
        self._beginning.add(what)
        facts: list[str] = [what.kind]
        if what.clock is not None:
            facts.append("clock")
        number = what.number
        if number is None and what.clock is not None:
            number = what.clock.get(what.process)
        if number is not None:
            facts.append("number")
            if what.process in self._numbers or len(self._numbers) < MOST:
                self._numbers.setdefault(what.process, Numbers()).add(what.session, number)
        if what.message_id is not None and what.kind != "local":
            facts.append("id")
        for fact in facts:
            self._with[fact] += 1
        if what.process in self._processes or len(self._processes) < MOST:
            own = self._processes.setdefault(what.process, Counter())
            for fact in facts:
                own[fact] += 1
        if len(self._sessions) < MOST_SESSIONS:
            self._sessions.add(what.session)
        if what.kind == "local":
            self._uncounted += not self._add_local(what)
        else:
            for end in self._ends.add(what):
                counts = self._sent if end.sent else self._handled
                self._uncounted += not _count(counts, end[1:])

    def _add_local(self, event: RecordedEvent) -> bool:
        own = self._local.get(event.process)
        if own is None:
            if len(self._local) >= MOST:
                return False
            own = self._local[event.process] = Templates(MOST_TEMPLATES)
        return own.add(event.name) is not None

    def _add_strange(self, strange: Diagnostic) -> None:
        """Count a diagnostic with similar ones: sentences that differ in a few words."""
        own = self._alike.setdefault(strange.kind, Templates(MOST_STRANGE)).add(strange.message)
        key = strange.kind, own.example if own is not None else "and others"
        self._first.setdefault(key, str(strange.place))
        self._strange[key] += 1

    def found(self) -> Contents:
        """Return what was counted so far."""
        sent, handled = self._sent.copy(), self._handled.copy()
        uncounted = self._uncounted
        for end in self._ends.rest():
            uncounted += not _count(sent if end.sent else handled, end[1:])
        messages = [MessageCount(*key, sent[key], handled[key]) for key in {**sent, **handled}]
        return Contents(
            events=self._events,
            processes=tuple(
                ProcessCount(
                    process,
                    *(each[SEND], each[HANDLE], each["local"], each["clock"], each["number"]),
                    numbers.missing if (numbers := self._numbers.get(process)) else 0,
                )
                for process, each in sorted(
                    self._processes.items(), key=lambda item: (-_events(item[1]), item[0])
                )
            ),
            messages=tuple(
                sorted(messages, key=lambda each: (-each.sent - each.handled, _written(each)))
            ),
            local=tuple(
                sorted(
                    (
                        LocalCount(process, str(each), each.texts, each.example)
                        for process, templates in self._local.items()
                        for each in templates.all
                    ),
                    key=lambda each: (-each.events, each),
                )
            ),
            strange=tuple(
                StrangeCount(*key, events, self._first[key])
                for key, events in sorted(
                    self._strange.items(), key=lambda item: (-item[1], item[0])
                )
            ),
            sessions=len(self._sessions),
            with_id=self._with["id"],
            with_clock=self._with["clock"],
            with_number=self._with["number"],
            uncounted=uncounted,
            ends=self._with[SEND] + self._with[HANDLE],
            ordered=self._beginning.ordered(),
        )


def _count(counts: Counter[_T], key: _T) -> bool:
    """Count a key, unless there are too many different ones; return whether it was counted."""
    if key in counts or len(counts) < MOST:
        counts[key] += 1
        return True
    return False


def _events(counts: Counter[str]) -> int:
    return counts[SEND] + counts[HANDLE] + counts["local"]


def _written(message: MessageCount) -> tuple[str, str, str]:
    return message.sender or "", message.receiver or "", message.name
