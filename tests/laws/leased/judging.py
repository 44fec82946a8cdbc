"""What was committed beside what was said of it."""

from __future__ import annotations

from collections import Counter
from typing import TypeAlias

from choreomon.core.message import Event
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED
from choreomon.properties.partial_order import Formed, evaluate
from choreomon.properties.reference import formations
from tests.laws.leased.world import World

Wrong: TypeAlias = tuple[str, object]


def wrong(world: World) -> list[Wrong]:
    """Everything that breaks a guarantee: G1 (`missed`), G2 (`made up`), G3 (`avoidable`), events
    that are lost or counted twice, and what nobody answers."""
    events = world.events
    labels = [each.label for each in events]
    truth = {each.index for each in formations(world.automaton, labels)}
    by_role = [world.roles.of_roles(label) for label in labels]
    known = [t.label for t in (*world.by_role.forward, *world.by_role.backward)]
    assert {*by_role} <= {*known}
    found = [*world.problems]
    if truth != {each.index for each in formations(world.by_role, by_role)}:
        found.append(("formed otherwise over roles", None))
    times = Counter(each.uid for each in events)
    found += [("counted twice", uid) for uid, n in times.items() if n > 1]
    found += [("acknowledged, not committed", uid) for uid in world.acknowledged - {*times}]
    keys: dict[tuple[str, int], int] = {}
    for index, each in enumerate(events):
        key = (each.slot, each.clock[world.place[each.slot]])
        if key in keys:
            found.append(("one count for two events", key))
        keys[key] = index
    words = {index: world.said.get(key) for key, index in keys.items()}
    violated = {index for index, word in words.items() if word == VIOLATED}
    possibly = {index for index, word in words.items() if word == POSSIBLY_VIOLATED}
    for index in truth - violated - possibly:
        later = [
            (slot, count)
            for slot, before, count in world.lives
            if slot == events[index].slot and before > index
        ]
        if not later:
            found.append(("missed", index))
        elif not world.unseen.intersection(later):
            found.append(("lost, and not covered", index))
    found += [("made up", index) for index in violated - truth]
    if world.rules.name == "precise" and not world.lives:
        found += _avoidable(world, keys, possibly)
    world.counts.update(
        events=len(events), formed=len(truth), violated=len(violated), possibly=len(possibly)
    )
    return found + _unfinished(world)


def _avoidable(world: World, keys: dict[tuple[str, int], int], possibly: set[int]) -> list[Wrong]:
    """What is `possibly-violated` though the order of the events is known well enough, and nobody
    announced that it may be."""
    if not possibly:
        return []
    happened = [Event(each.label, each.clock) for each in world.events]
    formed = evaluate(world.automaton, world.slots, happened)
    avoidable = {index for index in possibly if formed[index] != Formed.SOMETIMES}
    world.counts["avoidable"] += len(avoidable)
    return [
        ("avoidable, and not said", index)
        for key, index in keys.items()
        if index in avoidable and key not in world.unsettled
    ]


def _unfinished(world: World) -> list[Wrong]:
    """What is still waited for though everybody who lives had time enough."""
    found: list[Wrong] = []
    holders = {
        (slot, beside.lease.number)
        for agent in world.agents
        if agent.alive and not agent.paused
        for slot, beside in agent.slots.items()
    }
    for slot, lease in world.engine.leases.items():
        if (slot, lease.number) not in holders:
            found.append(("held by nobody", slot))
        state = world.engine.stores[slot].state
        if state is not None:
            (host,) = state.hosts
            if host.monitor.inspections or host.monitor.decisions:
                found.append(("unfinished", slot))
    # A service without a slot, since there are more services, is not answered for now.
    found += [
        ("never answered", agent.name)
        for agent in world.agents
        if agent.alive and agent.own is not None and agent.service.waiting is not None
    ]
    return found
