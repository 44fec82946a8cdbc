"""Random properties and random logs of them, with gaps, for the laws of the audit.

A log comes from a real run of three processes and a fourth one that the property does not have:
messages that the property names and others, delivered at any time after they were sent, or never.
Of it some is lost: single events, the end of a log, all of a log. What is left has vector clocks,
or message ids with numbers, or neither, and is read in any order that keeps that of each process.

In mixed logs each process says something else, or the same at some of its events only: a clock,
a number or a message id is left out by itself, or clock and number together. Clocks
either run through all of them, though not all write them down, or only through some, which do.
Where they do not, what the others told them is not known to those who know them by their clocks:
there the audit may be less sure than brute force, and never more.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Literal, NamedTuple, TypeAlias

from choreomon.audit.auditor import Auditor
from choreomon.audit.items import Item
from choreomon.audit.oracle import Truth, truth
from choreomon.audit.outcome import AuditVerdict, Order, Outcome
from choreomon.audit.search import Unseen
from choreomon.audit.window import Limits
from choreomon.core.errors import PropertyError
from choreomon.core.message import HANDLE, SEND, EventKind, Label, Message
from choreomon.core.recorded import Place, RecordedEvent
from choreomon.properties.automaton import (
    SequenceAutomaton,
    StatedTransition,
    sequence_automaton,
)
from choreomon.properties.reference import formations
from tests.laws.drawn import draw_begun

PROCESSES = ("P1", "P2", "P3")
OTHER = "X"


class Holes(NamedTuple):
    """How often an event of a process does not say what others of it do: after the first one,
    neither its clock nor its number; and at any event one of these, or a message's id."""

    both: float = 0.0
    clock: float = 0.0
    number: float = 0.0
    identity: float = 0.0


HOLES = (
    *(Holes(), Holes(), Holes(both=0.3), Holes(clock=0.4), Holes(clock=0.8), Holes(identity=0.4)),
    *(Holes(number=0.2), Holes(clock=0.4, identity=0.4), Holes(0.1, 0.3, 0.1, 0.3)),
)
Says: TypeAlias = Literal["clocks", "ids", "counts", "mixed", "mixed, loosely"]


@dataclass(frozen=True)
class Case:
    automaton: SequenceAutomaton
    says: Says
    events: tuple[RecordedEvent, ...]
    incomplete: tuple[str, ...]
    patience: int

    def audit(self, limits: Limits | None = None) -> Outcome:
        auditor = Auditor(
            self.automaton,
            incomplete=self.incomplete,
            limits=limits or Limits(patience=self.patience),
        )
        for event in self.events:
            auditor.add(event)
        return auditor.finish()

    def truth(self) -> Truth:
        return truth(self.automaton, self.events, self.incomplete)


def case(seed: int, *, lossy: bool | None = None, mixed: bool = False, begin: bool = False) -> Case:
    """The case with this seed; with gaps or without, where that is said. `mixed`: with logs of
    which each says something else. `begin`: with `BEGIN`, and not mixed."""
    random = Random(f"mixed {seed}" if mixed else f"audit {seed}")
    between = None
    if mixed and random.random() < 0.5:
        automaton, between = two_sends(random)
    else:
        automaton = draw_begun(random, PROCESSES) if begin else random_automaton(random)
    says: Says = "mixed" if mixed else random.choice(("clocks", "clocks", "ids", "counts"))
    events = recorded(random, automaton, says, between)
    if mixed:
        return mixed_case(random, automaton, events, lossy=lossy)
    if random.random() < 0.6 if lossy is None else lossy:
        events = lost(random, events, says)
    incomplete = tuple(
        name
        for name in dict.fromkeys(label.process for label in automaton.labels)
        if random.random() < 0.05 and lossy is not False
    )
    return Case(automaton, says, shuffled(random, events), incomplete, random.choice((1, 2, 16)))


def random_automaton(random: Random) -> SequenceAutomaton:
    while True:
        pool = []
        for number in range(random.randint(2, 5)):
            sender, receiver = random.sample(PROCESSES, 2)
            message = Message(sender, f"m{number}", receiver)
            kinds: tuple[EventKind, ...] = random.choice(((SEND,), (HANDLE,), (SEND, HANDLE)))
            pool += [Label(kind, message) for kind in kinds]
        transitions: list[StatedTransition] = []
        initial, final = [], []
        for part in range(random.choice((1, 1, 1, 2))):
            size = random.randint(2, 4)
            name = "qr"[part]
            initial.append(f"{name}0")
            final.append(f"{name}{size - 1}")
            pairs = {(each, each + 1) for each in range(size - 1)}
            for _ in range(random.randint(0, 3)):
                source, target = random.sample(range(size), 2)
                pairs.add((source, target))
            if random.random() < 0.2:
                initial.append(f"{name}{random.randrange(size - 1)}")
            for source, target in sorted(pairs):
                transitions += [
                    StatedTransition(f"{name}{source}", label, f"{name}{target}")
                    for label in random.sample(pool, random.choice((1, 1, 2)))
                ]
        try:
            return sequence_automaton(initial=initial, final=final, transitions=transitions)
        except PropertyError:
            continue


def two_sends(random: Random) -> tuple[SequenceAutomaton, tuple[str, str]]:
    """One and then the other, by two processes, whose order hangs on the messages between them;
    and who sends these to whom."""
    one, other, third = random.sample(PROCESSES, 3)
    labels = [Label(SEND, Message(name, f"of_{name}", third)) for name in (one, other)]
    random.shuffle(labels)
    transitions = [
        StatedTransition(f"q{at}", label, f"q{at + 1}") for at, label in enumerate(labels)
    ]
    found = sequence_automaton(initial=["q0"], final=["q2"], transitions=transitions)
    return found, (one, other)


def recorded(
    random: Random,
    automaton: SequenceAutomaton,
    says: Says,
    between: tuple[str, str] | None = None,
) -> list[RecordedEvent]:
    """What processes wrote down, in the order in which it happened. In mixed logs everything is
    there, of which `mixed_case` takes some away; clocks run through some of the processes only.
    `between`: who sends what the property does not name to whom, where it is not anybody, and
    more of it."""
    names = (*PROCESSES, OTHER)
    clocks: dict[str, dict[str, int]] = {name: {} for name in names}
    messages = sorted({label.message for label in automaton.labels})
    flying: list[tuple[Message, str, dict[str, int]]] = []
    events: list[RecordedEvent] = []
    clocked = names
    if says == "mixed" and random.random() < 0.6:
        clocked = tuple(random.sample(names, random.randint(1, 3)))

    def happen(kind: Literal["send", "handle", "local"], name: str, peer: str | None,
               message: str, identity: str | None) -> None:  # fmt: skip
        clock = clocks[name]
        clock[name] = clock.get(name, 0) + 1
        events.append(
            RecordedEvent(
                name,
                kind,
                message,
                Place("log", len(events) + 1),
                peer,
                identity if says in ("ids", "mixed") else None,
                dict(clock) if says == "clocks" or (says == "mixed" and name in clocked) else None,
                clock[name] if says in ("ids", "mixed") else None,
            )
        )

    for number in range(random.randint(2, 12)):
        chosen = random.random()
        if chosen < 0.55 or not flying:
            if random.random() < (0.75 if between is None else 0.4):
                message = random.choice(messages)
            else:
                sender, receiver = between or random.sample(names, 2)
                message = Message(sender, "other", receiver)
            happen("send", message.sender, message.receiver, message.name, str(number))
            carried = dict(clocks[message.sender]) if message.sender in clocked else {}
            flying.append((message, str(number), carried))
        elif chosen < 0.95:
            message, identity, clock = flying.pop(random.randrange(len(flying)))
            mine = clocks[message.receiver]
            if message.receiver in clocked:
                for name, count in clock.items():
                    mine[name] = max(mine.get(name, 0), count)
            happen("handle", message.receiver, message.sender, message.name, identity)
        else:
            happen("local", random.choice(names), None, "thought", None)
    return events


def mixed_case(
    random: Random,
    automaton: SequenceAutomaton,
    events: list[RecordedEvent],
    *,
    lossy: bool | None,
) -> Case:
    """Some of what a process could say it does not say: clocks, numbers or message ids, from its
    first event on or later here and there. Of what says nothing only the end is lost."""
    names = (*PROCESSES, OTHER)
    clocked = {event.process for event in events if event.clock is not None}
    says = {
        name: (
            random.random() < 0.7 and name in clocked,
            random.random() < 0.5,
            random.random() < 0.5,
        )
        for name in names
    }
    holes = {name: random.choice(HOLES) for name in names}
    if random.random() < 0.5:  # all log alike, none in full
        alike = random.choice(HOLES[3:])
        everywhere = clocked == {event.process for event in events}
        clock, identity = random.random() < 0.5 and everywhere, random.random() < 0.5
        says = dict.fromkeys(names, (clock, True, identity))
        holes = dict.fromkeys(names, alike)
    kept = [*events]
    if random.random() < 0.6 if lossy is None else lossy:
        counts = not all(clock or number for clock, number, _ in says.values())
        counts = counts or any(hole.number for hole in holes.values())
        kept = lost(random, kept, "counts" if counts else "ids")
    loosely = len(clocked) < len({event.process for event in events}) and random.random() < 0.3
    if len(clocked) < len({event.process for event in events}) and not loosely:
        says |= {name: (True, *says[name][1:]) for name in clocked}
        holes |= {name: holes[name]._replace(clock=0.0, both=0.0) for name in clocked}
    begun: set[str] = set()
    written = []
    for event in kept:
        clock, number, identity = says[event.process]
        hole = holes[event.process]
        if event.process in begun and random.random() < hole.both:
            clock = number = False
        begun.add(event.process)
        unaddressed = event.name == "other" and event.kind == SEND and random.random() < 0.1
        written.append(
            event._replace(
                peer=None if unaddressed else event.peer,
                clock=event.clock if clock and random.random() >= hole.clock else None,
                number=event.number if number and random.random() >= hole.number else None,
                message_id=event.message_id
                if identity and random.random() >= hole.identity
                else None,
            )
        )
    incomplete = tuple(
        name
        for name in dict.fromkeys(label.process for label in automaton.labels)
        if random.random() < 0.05 and lossy is not False
    )
    patience = random.choice((1, 2, 16))
    kind: Says = "mixed, loosely" if loosely else "mixed"
    return Case(automaton, kind, shuffled(random, written), incomplete, patience)


def lost(random: Random, events: list[RecordedEvent], says: Says) -> list[RecordedEvent]:
    """Where messages are counted no send is lost from the middle of a log: nobody could know."""
    chosen = random.random() if says != "counts" else random.uniform(0.55, 1)
    if chosen < 0.55:
        dropped = {random.randrange(len(events)) for _ in range(random.randint(1, 2))}
        return [event for place, event in enumerate(events) if place not in dropped]
    name = random.choice((*PROCESSES, OTHER))
    if chosen < 0.75:
        return [event for event in events if event.process != name]
    cut = random.randrange(len(events))
    return [event for place, event in enumerate(events) if event.process != name or place < cut]


def shuffled(random: Random, events: list[RecordedEvent]) -> tuple[RecordedEvent, ...]:
    """As they happened, or one log after the other, or mixed in any way."""
    how = random.choice(("happened", "files", "mixed"))
    if how == "happened":
        return tuple(events)
    names = [*dict.fromkeys(event.process for event in events)]
    random.shuffle(names)
    logs = [[event for event in events if event.process == name] for name in names]
    if how == "files":
        return tuple(event for log in logs for event in log)
    mixed = []
    while logs := [log for log in logs if log]:
        mixed.append(random.choice(logs).pop(0))
    return tuple(mixed)


def faults(case: Case, outcome: Outcome, true: Truth) -> list[str]:
    """What is wrong with an outcome, in words. What is `undecided` is only held to being possible,
    or open."""
    wrong = []
    places = {event.place: place for place, event in enumerate(case.events)}
    said = {
        places[verdict.item.event.place]: verdict
        for verdict in outcome.verdicts
        if verdict.item.event is not None
    }
    for place, formed in true.events.items():
        verdict = said.get(place)
        expected = _kind(formed)
        found = None if verdict is None else verdict.kind
        if case.says == "mixed, loosely" and found == "possibly-violated":
            continue
        if verdict is not None and verdict.undecided:
            continue
        if found != expected and not (outcome.late and found is None):
            wrong.append(f"event {place}: {found}, and not {expected}")
    expected = _kind(true.overall)
    unsure = case.says == "mixed, loosely" and outcome.overall.kind == "possibly-violated"
    if outcome.overall.kind != expected and not outcome.overall.undecided and not unsure:
        wrong.append(f"overall: {outcome.overall.kind}, and not {expected}")
    for verdict in outcome.verdicts:
        wrong += [f"event {verdict.item.event}: {each}" for each in _bad_orders(case, verdict)]
    overall = outcome.overall
    if overall.kind is not None and not overall.undecided:
        if overall.formed is None or not overall.formed.formed:
            wrong.append("overall: no order for it")
        if overall.kind == "possibly-violated":
            if overall.not_formed is None:
                wrong.append("overall: no order against it")
            elif not overall.not_formed.cut_off and _formed(case, overall.not_formed):
                wrong.append("overall: the order against it forms the property")
    for order in (overall.formed, overall.not_formed):
        if order is not None and not order.cut_off:
            wrong += [f"overall: {each}" for each in _inconsistent(case, order)]
    return wrong


def _kind(formed: set[bool]) -> str | None:
    if True not in formed:
        return None
    return "violated" if len(formed) == 1 else "possibly-violated"


def _bad_orders(case: Case, verdict: AuditVerdict) -> list[str]:
    if verdict.undecided:
        return []
    wrong = []
    if verdict.formed is None:
        return ["no order for it"]
    if (verdict.not_formed is None) != (verdict.kind == "violated"):
        wrong.append("an order against it is missing, or too many")
    for order, expected in ((verdict.formed, True), (verdict.not_formed, False)):
        if order is None or order.cut_off:
            continue
        if order.events[-1] is not verdict.item:
            wrong.append("an order that ends elsewhere")
        wrong += _inconsistent(case, order)
        formed = _formed(case, order)
        if (len(order.events) - 1 in formed) != expected:
            wrong.append(f"the order for formed={expected} does not show it")
        if expected and order.formed[-1:] != (len(order.events) - 1,):
            wrong.append("a formed sequence that ends elsewhere")
    return wrong


def _formed(case: Case, order: Order) -> set[int]:
    found = formations(case.automaton, [each.label for each in order.events])
    return {each.index for each in found}


def _inconsistent(case: Case, order: Order) -> list[str]:
    """Whether the order contradicts the log; of items by their clocks, which are held against the
    log's own words by the verdicts. Unseen events have to be in their gaps."""
    seen: list[Item] = []
    wrong = []
    last: dict[int, int] = {}
    for what in order.events:
        if isinstance(what, Unseen):
            if what.label.process != what.gap.process:
                wrong.append("an unseen event of another process")
            if what.gap.before is not None and any(
                item.event is not None and item.event.place == what.gap.before for item in seen
            ):
                wrong.append("an unseen event after the end of its gap")
            continue
        if what.rank <= last.get(what.process, 0):
            wrong.append("events of a process out of order")
        last[what.process] = what.rank
        if any(other.clock[what.process] >= what.rank for other in seen):
            wrong.append("an event after one that knows it")
        seen.append(what)
    return wrong
