"""Random logs of several sessions, whose numbers and clocks count all that a process does.

One run, as `tests.audit.cases` has them, in which each message belongs to a session, and local
events to any. Of what was recorded some is lost, of which nobody knows the session.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from choreomon.core.recorded import RecordedEvent
from choreomon.properties.automaton import SequenceAutomaton
from tests.audit.cases import Says, random_automaton, recorded, shuffled

SESSIONS = ("one", "two", "three")


@dataclass(frozen=True)
class Sessions:
    """`events` as they were read, of all sessions mixed; `lost` those that were not."""

    automaton: SequenceAutomaton
    says: Says
    events: tuple[RecordedEvent, ...]
    lost: tuple[RecordedEvent, ...]


def sessions(seed: int, *, lossy: bool | None = None) -> Sessions:
    """Those with this seed; with events lost or without, where that is said."""
    random = Random(f"sessions {seed}")
    automaton = random_automaton(random)
    says: Says = random.choice(("clocks", "ids"))
    run: list[RecordedEvent] = []
    events: list[RecordedEvent] = []
    while len(events) < 10:
        run = recorded(random, automaton, "clocks")
        events = _with_sessions(random, run, says)
    lost: list[RecordedEvent] = []
    if random.random() < 0.6 if lossy is None else lossy:
        lost = random.sample(events, random.randint(1, 2))
    kept = [event for event in events if event not in lost]
    return Sessions(automaton, says, shuffled(random, kept), tuple(lost))


def _with_sessions(random: Random, run: list[RecordedEvent], says: Says) -> list[RecordedEvent]:
    of_message: dict[tuple[object, ...], list[tuple[str, str]]] = {}
    events: list[RecordedEvent] = []
    for number, event in enumerate(run):
        assert event.clock is not None
        session, identity = random.choice(SESSIONS), str(number)
        if event.kind == "send":
            key = (event.process, event.name, event.peer)
            of_message.setdefault(key, []).append((session, identity))
        elif event.kind == "handle":
            open_sends = of_message[event.peer, event.name, event.process]
            session, identity = open_sends.pop(0)
        count = event.clock[event.process]
        if says == "clocks":
            events.append(event._replace(session=session))
        else:
            own = identity if event.kind != "local" else None
            events.append(event._replace(session=session, clock=None, number=count, message_id=own))
    return events


def of_session(events: tuple[RecordedEvent, ...], name: str) -> list[RecordedEvent]:
    """The events of one session."""
    return [event for event in events if event.session == name]


def number_of(event: RecordedEvent) -> int:
    """Which event of its process it is, of all sessions."""
    number = event.number if event.clock is None else event.clock[event.process]
    assert number is not None
    return number


def renumbered(found: Sessions, name: str) -> tuple[list[RecordedEvent], set[str]]:
    """The events of a session as they were if numbers and clocks counted only those of this
    session, and those that are missing from all, each of which may have been of it; and the
    processes that have none in it though some are missing. Slow and obvious."""
    seen: dict[str, set[int]] = {}
    told: dict[str, int] = {}
    for event in found.events:
        seen.setdefault(event.process, set()).add(number_of(event))
        for process, count in ((event.clock or {}) | {event.process: number_of(event)}).items():
            told[process] = max(told.get(process, 0), count)
    own = of_session(found.events, name)
    counted: dict[str, set[int]] = {}
    for process, most in told.items():
        if process in seen:
            missing = set(range(1, most + 1)) - seen[process]
            mine = {number_of(event) for event in own if event.process == process}
            counted[process] = missing | mine

    def local(process: str, count: int) -> int:
        return sum(number <= count for number in counted.get(process, ()))

    events = []
    for event in own:
        clock = event.clock
        if clock is not None:
            known = {process: local(process, count) for process, count in clock.items()}
            events.append(event._replace(clock=known))
        else:
            events.append(event._replace(number=local(event.process, number_of(event))))
    present = {event.process for event in own}
    return events, {process for process in counted if counted[process] and process not in present}
