"""Brute force: every order of all recorded events, and everything that may be in gaps.

Walks every order event by event, labelled or not, with happened-before as a relation between them,
and with the live transitions of `choreomon.properties.reference`. In a gap every event of its
process may happen next, any number of times. Two ways to the same place with the same transitions
live go on alike, so each such place is visited once; that is all that is clever here, and what lets
gaps have any length. Exponential; for tests.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import inf
from typing import NamedTuple

from choreomon.core.message import BEGIN, ENVIRONMENT, Label, Message
from choreomon.core.recorded import UNCOUNTED, RecordedEvent
from choreomon.core.roles import NO_ROLES, Roles
from choreomon.properties.automaton import SequenceAutomaton, Transition
from choreomon.properties.relations import pre_transitions, vio_transitions


class Truth(NamedTuple):
    """The truth over all orders: for every event, by its place in the order read, whether it forms
    the property; and whether anything does. `lacking`: processes whose logs may lack anything."""

    events: dict[int, set[bool]]
    overall: set[bool]
    lacking: frozenset[str]


def truth(
    automaton: SequenceAutomaton,
    events: Sequence[RecordedEvent],
    incomplete: Collection[str] = (),
    roles: Roles = NO_ROLES,
) -> Truth:
    """Evaluate all orders of the events that keep the order of each process. The property may be
    over `roles`; events are of their replicas, each a process of its own."""
    labels = [label_of(automaton, event, roles) for event in events]
    chains: dict[str, list[int]] = {}
    for place, event in enumerate(events):
        chains.setdefault(event.process, []).append(place)
    numbers, gaps, unsure = _numbers(events, chains)
    before, unsent = _before(events, chains, incomplete, numbers, roles)
    owners = {*roles.processes(label.process for label in automaton.labels)}
    lacking = {*incomplete, *unsent, *unsure, *(owners - chains.keys())} & owners
    names = [*chains]
    found: dict[int, set[bool]] = {place: set() for place in range(len(events))}
    overall: set[bool] = set()
    begun, _ = reference_step(automaton, BEGIN, frozenset())
    first = ((0,) * len(names), begun, False)
    todo, known = [first], {first}
    while todo:
        done, live, formed_before = todo.pop()
        happened = {
            place for name, count in zip(names, done, strict=True) for place in chains[name][:count]
        }
        if len(happened) == len(events):
            overall.add(formed_before)
        following = []
        for index, (name, count) in enumerate(zip(names, done, strict=True)):
            chain = chains[name]
            if count < len(chain) and before[chain[count]] <= happened:
                place = chain[count]
                after, formed = reference_step(automaton, labels[place], live)
                found[place].add(formed)
                further = (*done[:index], count + 1, *done[index + 1 :])
                following.append((further, after, formed_before or formed))
        standing = {name for name, count in zip(names, done, strict=True) if (name, count) in gaps}
        for label in automaton.labels:
            if not (standing | lacking).isdisjoint(roles.slots_of(label.process)):
                after, formed = reference_step(automaton, label, live)
                following.append((done, after, formed_before or formed))
        for state in following:
            if state not in known:
                known.add(state)
                todo.append(state)
    return Truth(found, overall, frozenset(lacking))


def reference_step(
    automaton: SequenceAutomaton, label: Label | None, live: frozenset[Transition]
) -> tuple[frozenset[Transition], bool]:
    """Take one event, as `choreomon.properties.reference` does, without when transitions fired."""
    fired = {
        t
        for t in automaton.forward
        if t.label == label
        and (t.source in automaton.initial or live & set(pre_transitions(automaton, t)))
    }
    cancelling = {
        t
        for t in automaton.backward
        if t.label == label and live & set(pre_transitions(automaton, t))
    }
    left = {r for r in live if not cancelling & set(vio_transitions(automaton, r))}
    return frozenset(left | fired), any(t.target in automaton.final for t in fired)


def label_of(
    automaton: SequenceAutomaton, event: RecordedEvent, roles: Roles = NO_ROLES
) -> Label | None:
    """The label over roles that the event has, whose other end is known."""
    if event.kind == "local" or event.peer is None:
        return None
    ends = (event.process, event.peer)
    sender, receiver = ends if event.kind == "send" else ends[::-1]
    label = roles.of_roles(Label(event.kind, Message(sender, event.name, receiver)))
    return label if label in automaton.labels else None


def _before(
    events: Sequence[RecordedEvent],
    chains: Mapping[str, Sequence[int]],
    incomplete: Collection[str],
    numbers: Sequence[float],
    roles: Roles,
) -> tuple[list[set[int]], set[str]]:
    """Predecessors of every event, enough for the others to follow; and the senders of messages
    that were received and not sent."""
    before: list[set[int]] = [set() for _ in events]
    unsent: set[str] = set()
    for chain in chains.values():
        for position, place in enumerate(chain):
            before[place].update(chain[:position])
    for place, event in enumerate(events):
        if event.clock is not None:
            before[place] |= {
                other
                for other, each in enumerate(events)
                if each.process != event.process
                and numbers[other] <= event.clock.get(each.process, 0)
            }
        elif event.kind == "handle" and event.peer not in (None, ENVIRONMENT):
            assert event.peer is not None
            senders = roles.slots_of(event.peer)
            if event.message_id is None and (len(senders) > 1 or senders[0] in incomplete):
                continue  # not to be counted
            chain = [place for sender in senders for place in chains.get(sender, ())]
            sends, counted = _sends([events[other] for other in chain], event, roles)
            earlier = _number_before(events, chains[event.process], place, roles)
            if earlier < len(sends):
                before[place].add(chain[sends[earlier]])
            elif counted:
                unsent.update(senders)
    for sender in chains.keys() - {*incomplete}:
        several = (role for role in roles.slots if len(roles.slots_of(role)) > 1)
        if any(_too_many(events, chains, sender, role, roles) for role in several):
            unsent.add(sender)
    return before, unsent


def _too_many(
    events: Sequence[RecordedEvent],
    chains: Mapping[str, Sequence[int]],
    sender: str,
    role: str,
    roles: Roles,
) -> bool:
    """Tell whether all replicas of a role together received more without ids than was sent, not
    all by clocks, and every send is counted. A send to one of them is for no other one."""
    own = [events[place] for place in chains[sender]]
    slots = roles.slots_of(role)
    for name in {event.name for event in events if event.process in slots}:
        received = [
            event
            for event in events
            if event.kind == "handle"
            and (event.process in slots and event.name == name and event.message_id is None)
            and (event.peer == sender or roles.slots_of(event.peer or "") == (sender,))
        ]
        sent = [event.peer for event in own if event.kind == "send" and event.name == name]
        counted = all(each.message_id is None for each in own if each.name == name)
        if None in sent or not counted or _counted_up_to(own) < len(own):
            continue
        if all(each.clock is not None for each in received):
            continue
        left = [each for each in sent if roles.role_of(each or "") == role]
        for event in sorted(received, key=lambda each: each.process):
            receiver = event.process if event.process in left else role
            if receiver not in left:
                return True
            left.remove(receiver)
    return False


def _number_before(
    events: Sequence[RecordedEvent], chain: Sequence[int], place: int, roles: Roles
) -> int:
    """Count the earlier receptions of such a message. A role with one replica is that replica,
    however the receiver's log calls it."""
    event = events[place]
    sender = roles.slots_of(event.peer or "")
    return sum(
        events[other].kind == "handle"
        and events[other].name == event.name
        and roles.slots_of(events[other].peer or "") == sender
        and events[other].message_id == event.message_id
        for other in chain[: chain.index(place)]
    )


def _sends(
    sender: Sequence[RecordedEvent], reception: RecordedEvent, roles: Roles
) -> tuple[list[int], bool]:
    """Places in the sender's log where the message may have been sent: the sends with its id if it
    has one, else those that are counted; and whether it must be one of them. Counting ends where a
    send may be missing, where one of this name does not name its receiver, and where one has an
    id."""
    named = [
        place
        for place, event in enumerate(sender)
        if event.kind == "send"
        and event.name == reception.name
        and event.peer in (None, reception.process, roles.role_of(reception.process))
    ]
    if reception.message_id is not None:
        own = [place for place in named if sender[place].message_id == reception.message_id]
        named = [place for place in named if sender[place].peer is not None]
        return own, all(sender[place].message_id is not None for place in named)
    ends = [
        place
        for place in named
        if sender[place].peer is None or sender[place].message_id is not None
    ]
    end = min((*ends, _counted_up_to(sender)))
    return [place for place in named if place < end], end == len(sender)


def _counted_up_to(chain: Sequence[RecordedEvent]) -> int:
    """Count the first events of a process that are numbered without a gap, as far as can be known;
    all if none has a number."""
    numbered = False
    for position, event in enumerate(chain):
        number = _stated(event)
        if (number is None and numbered) or (number is not None and number != position + 1):
            return position
        numbered = numbered or number is not None
    return len(chain)


def _numbers(
    events: Sequence[RecordedEvent], chains: Mapping[str, Sequence[int]]
) -> tuple[list[float], set[tuple[str, int]], set[str]]:
    """The number by which clocks of others know each event; for processes the number of their
    events before a gap; and the processes with missing events anywhere. The numbers are those that
    events state, by their own entry or otherwise. If no event of a process states one, they are
    positions in the log. Otherwise an event without a number is not counted, unless all events
    before the first one with a number can have been counted; a clock that knows the next event with
    a number knows it, too.
    """
    numbers: list[float] = [inf] * len(events)
    gaps: set[tuple[str, int]] = set()
    unsure: set[str] = set()
    for name, chain in chains.items():
        stated = [_stated(events[place]) for place in chain]
        first = next((number for number in stated if number is not None), None)
        leading = len(chain) if first is None else stated.index(first)
        last = 0
        waiting: list[int] = []
        if first is None or first > leading:
            for position, place in enumerate(chain[:leading], start=1):
                numbers[place] = last = position
        else:
            waiting += chain[:leading]
        for position, place in enumerate(chain[leading:], start=leading):
            number = stated[position]
            waiting.append(place)
            if number is None:
                continue
            if number != last + 1:
                if len(waiting) > 1:
                    unsure.add(name)
                else:
                    gaps.add((name, position))
            for each in waiting:
                numbers[each] = number
            last, waiting = number, []
        if any((event.clock or {}).get(name, 0) > last for event in events):
            if waiting:
                unsure.add(name)
            else:
                gaps.add((name, len(chain)))
    return numbers, gaps, unsure


def _stated(event: RecordedEvent) -> int | None:
    """The event's own number, if it says one."""
    own = None if event.clock is None else event.clock.get(event.process)
    if own is None and event.number != UNCOUNTED:
        own = event.number
    return own
