"""Random properties over roles, and random logs of their replicas, for the laws of the audit.

A log comes from a real run. Who sends does not know which replica will handle, so its log names the
role, or now and then the replica; who handles names either, too. Some replicas have names of their
own, as pods have. Of what happened some is lost: single events, the end of a log, all of a log.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from choreomon.audit.auditor import Auditor, over_replicas
from choreomon.audit.oracle import Truth, truth
from choreomon.audit.outcome import Outcome
from choreomon.audit.window import Limits
from choreomon.core.message import Message
from choreomon.core.recorded import Place, RecordedEvent, RecordedKind
from choreomon.core.replica_names import ReplicaNames
from choreomon.core.roles import Roles
from choreomon.properties.automaton import SequenceAutomaton
from tests.audit.cases import OTHER, PROCESSES, Case, Says, random_automaton, shuffled


class CaseOfRoles(NamedTuple):
    """`automaton` is over roles, `over_replicas` has the same events and the property over the
    replicas that logs have."""

    automaton: SequenceAutomaton
    over_replicas: Case
    roles: Roles
    names: ReplicaNames

    def audit(self, limits: Limits | None = None) -> Outcome:
        one = self.over_replicas
        auditor = Auditor(
            self.automaton,
            incomplete=one.incomplete,
            limits=limits or Limits(patience=one.patience),
            roles=self.roles,
        )
        for event in one.events:
            auditor.add(event)
        return auditor.finish()

    def truth(self) -> Truth:
        one = self.over_replicas
        return truth(self.automaton, one.events, one.incomplete, self.roles)


def case_of_roles(seed: int) -> CaseOfRoles:
    """The case with this seed."""
    random = Random(f"audit of roles {seed}")
    automaton = random_automaton(random)
    says: Says = random.choice(("clocks", "ids", "counts", "counts", "counts"))
    replicas, names = drawn_replicas(random)
    events = recorded(random, automaton, replicas, says)
    if random.random() < 0.5:
        events = lost(random, events, says)
    peers = (event.peer for event in events if event.peer is not None)
    roles = names.recorded((event.process for event in events), peers)
    owners = roles.processes(dict.fromkeys(label.process for label in automaton.labels))
    incomplete = tuple(name for name in owners if random.random() < 0.04)
    over = over_replicas(automaton, roles)
    patience = random.choice((1, 2, 16))
    case = Case(over, says, shuffled(random, events), incomplete, patience)
    return CaseOfRoles(automaton, case, roles, names)


def drawn_replicas(random: Random) -> tuple[dict[str, tuple[str, ...]], ReplicaNames]:
    """The replicas of each process, and how they are told; not all processes are roles."""
    replicas: dict[str, tuple[str, ...]] = {}
    patterns: dict[str, tuple[str, ...]] = {}
    for name in PROCESSES:
        count = random.choice((0, 1, 2, 2, 3))
        if count and random.random() < 0.4:
            replicas[name] = tuple(f"{name.lower()}-{'xyz'[each]}" for each in range(count))
            patterns[name] = (f"{name.lower()}-*",)
        elif count:
            replicas[name] = tuple(f"{name}/{each}" for each in range(count))
    others = tuple(name for name in (*PROCESSES, OTHER) if name not in replicas)
    return replicas, ReplicaNames(tuple(replicas), others, patterns)


def recorded(
    random: Random,
    automaton: SequenceAutomaton,
    replicas: dict[str, tuple[str, ...]],
    says: Says,
) -> list[RecordedEvent]:
    """What replicas wrote down, in the order in which it happened."""
    clocks: dict[str, dict[str, int]] = {}
    messages = sorted({label.message for label in automaton.labels})
    flying: list[tuple[Message, str, str, str, dict[str, int]]] = []
    events: list[RecordedEvent] = []
    exactly = random.choice((0.0, 0.0, 0.3, 1.0))
    told_from = random.choice((1.0, 1.0, 0.7, 0.0))

    def one_of(role: str) -> str:
        return random.choice(replicas.get(role, (role,)))

    def happen(kind: RecordedKind, name: str, peer: str | None, what: str, identity: str) -> None:
        clock = clocks.setdefault(name, {})
        clock[name] = clock.get(name, 0) + 1
        place = Place("log", len(events) + 1)
        number = clock[name] if says == "ids" else None
        knows = dict(clock) if says == "clocks" else None
        own = identity if says == "ids" else None
        events.append(RecordedEvent(name, kind, what, place, peer, own, knows, number))

    for number in range(random.randint(2, 12)):
        chosen = random.random()
        if chosen < 0.55 or not flying:
            message = random.choice(messages)
            if random.random() < 0.2:
                sender, receiver = random.sample((*PROCESSES, OTHER), 2)
                message = Message(sender, "other", receiver)
            sender, receiver = one_of(message.sender), one_of(message.receiver)
            told = receiver if random.random() < exactly else message.receiver
            happen("send", sender, told, message.name, str(number))
            flying.append((message, sender, receiver, str(number), dict(clocks[sender])))
        else:
            message, sender, receiver, identity, clock = flying.pop(random.randrange(len(flying)))
            mine = clocks.setdefault(receiver, {})
            for name, count in clock.items():
                mine[name] = max(mine.get(name, 0), count)
            told = sender if random.random() < told_from else message.sender
            happen("handle", receiver, told, message.name, identity)
    return events


def lost(random: Random, events: list[RecordedEvent], says: Says) -> list[RecordedEvent]:
    """Where messages are counted no send is lost from the middle of a log: nobody could know."""
    chosen = random.random() if says != "counts" else random.uniform(0.55, 1)
    if chosen < 0.55:
        dropped = {random.randrange(len(events)) for _ in range(random.randint(1, 2))}
        return [event for place, event in enumerate(events) if place not in dropped]
    name = random.choice(sorted({event.process for event in events}))
    if chosen < 0.75:
        return [event for event in events if event.process != name]
    cut = random.randrange(len(events))
    return [event for place, event in enumerate(events) if event.process != name or place < cut]
