"""Replicas that come and go in simulated runs: what is lost, what is not, and that verdicts stay
right."""

from __future__ import annotations

from random import Random

import pytest

from choreomon.actors.balancing import Balance, Replicas
from choreomon.actors.compilation import compile_application
from choreomon.actors.delays import LinkDelays, microseconds
from choreomon.actors.membership import Membership
from choreomon.core.message import HANDLE, SEND, Event
from choreomon.core.roles import Roles
from choreomon.core.run import Run, RunEvent
from choreomon.core.vector_clock import zero
from choreomon.documents.read import parse_document
from choreomon.experiments.monitoring.avoidable import evaluated
from choreomon.properties.partial_order import Formed
from choreomon.properties.roles import automaton_over_slots
from simulator.run import Simulation, simulation
from simulator.sidecars.single_server import SingleServer
from simulator.world import World
from tests.simulator.monitored import DELAYS, SERVICES, draw_application, draw_property, judged

DOCUMENT = """
roles:
  shop: {shop}
  carrier: {carrier}
application:
  processes:
    - id: shop
      variables: {{again: false}}
      handlers:
        order:
          - {{send: {{to: carrier, message: ship, with: {{order: $order}}}}}}
          - if: again
            then: [{{send: {{to: carrier, message: more, with: {{order: $order}}}}}}]
          - assign: {{again: true}}
    - {{id: carrier, handlers: {{ship: [], more: []}}}}
  start:
    - {{to: shop, message: order, at: 1, repeat: {{order: "1..40", every: 5}}}}
network: {{delay: {delay}, service: {{constant: 3}}}}
property:
  for_each: [order]
  sequences: [{{steps: [{steps}]}}]
"""
GUILT = '"shop -> carrier : ship(order)", "handle shop -> carrier : ship(order)"'
INNOCENCE = '"handle shop -> carrier : ship(order)", "shop -> carrier : ship(order)"'


def ran(
    shop: str,
    carrier: str = "1",
    *,
    steps: str = GUILT,
    seed: int = 0,
    delay: str = "{constant: 2}",
) -> tuple[Run, list[RunEvent]]:
    text = DOCUMENT.format(shop=shop, carrier=carrier, steps=steps, delay=delay)
    events: list[RunEvent] = []
    run = simulation(parse_document(text, "roles.yaml")).run(seed, recorder=events.append)
    return run, events


def times(events: list[RunEvent], process: str, message: str) -> list[int]:
    """In milliseconds."""
    return [e.time // 1000 for e in events if e.process == process and e.message.name == message]


def test_replicas_join_at_free_slots_and_leave_what_others_do() -> None:
    _, events = ran(
        "{slots: 3, replicas: 1, changes: [{at: 50, join: 1}, {at: 100, leave: shop/0}]}"
    )
    first, second = times(events, "shop/0", "order"), times(events, "shop/1", "order")
    assert min(second) > 50
    assert max(first) < 100
    assert max(second) > 190
    assert len(first) + len(second) == 40
    assert times(events, "shop/2", "order") == []
    assert sum(e.kind == SEND for e in events) == sum(
        e.kind == HANDLE and e.message.sender == "shop" for e in events
    )


def test_a_killed_replica_loses_its_mailbox_and_its_variables() -> None:
    changes = "[{at: 52, kill: carrier/0}, {at: 60, join: 1}]"
    _, events = ran("1", f"{{slots: 1, changes: {changes}, lease: 30}}", delay="{uniform: [1, 12]}")
    sent = times(events, "shop/0", "ship")
    handled = times(events, "carrier/0", "ship")
    assert len(sent) == 40
    assert [each for each in handled if 52 <= each < 82] == []
    assert max(handled) > 190
    assert len(handled) < 35
    _, events = ran("{slots: 1, changes: [{at: 52, kill: shop/0}, {at: 60, join: 1}], lease: 0}")
    more = times(events, "shop/0", "more")
    ships = times(events, "shop/0", "ship")
    assert len(ships) == len(more) + 2  # the first order of each replica


def test_the_monitor_of_a_killed_replica_is_silent_until_its_lease_is_over() -> None:
    """Who asks it waits so long, and knows then what had happened before."""
    changes = "[{at: 52, kill: shop/0}]"
    run, events = ran(f"{{slots: 2, changes: {changes}, lease: 300}}")
    late = [v for v in run.verdicts if events[v.event_index].time >= microseconds(52)]
    assert len(late) > 20
    assert all(v.declared_at >= microseconds(352) for v in late)
    assert {v.verdict for v in run.verdicts} == {"violated"}


def test_nobody_comes_or_goes_when_the_application_is_at_its_end() -> None:
    every = "{slots: 2, changes: {every: 1}, lease: 1}"
    run, events = ran(every, every)
    assert run.ended_at < microseconds(1000)
    assert run.events == len(events)


@pytest.mark.parametrize("seed", range(20))
def test_guilt_stays_guilt_and_innocence_innocence(seed: int) -> None:
    every = "{slots: 3, changes: {every: 20}, lease: 25}"
    delay = "{uniform: [1, 40]}"
    run, events = ran(every, every, seed=seed, delay=delay)
    guilty = {e.index for e in events if e.message.name == "ship" and e.kind == HANDLE}
    assert 0 < len(guilty) <= 40
    assert {(v.event_index, v.verdict) for v in run.verdicts} == {(n, "violated") for n in guilty}
    innocent, _ = ran(every, every, seed=seed, delay=delay, steps=INNOCENCE)
    assert innocent.verdicts == ()


def drawn(seed: int, *, precise: bool) -> Simulation:
    """A random application with a random property, in which any process may be a role whose
    replicas come and go."""
    random = Random(seed)
    application = draw_application(random)
    slots = {name: random.choice((1, 2, 3)) for name in application.names if random.random() < 0.8}
    balances: list[Balance] = ["round-robin", "random"]
    replicas = Replicas(
        Roles(slots),
        {role: random.choice(balances) for role in slots},
        {
            role: Membership(
                count, random.randint(1, count), every=random.choice((2.0, 8.0)), lease=lease
            )
            for role, count in slots.items()
            if count > 1
            for lease in (random.choice((0, 3_000, 30_000)),)
        },
    )
    plain = Simulation(
        application=compile_application(application, replicas),
        delays=LinkDelays(random.choice(DELAYS)),
        service=random.choice(SERVICES),
        max_events=40,
        automaton=None,
        rules="precise" if precise else "sound",
        in_order=random.random() < 0.7,
        monitoring_service=random.choice(SERVICES),
        deadline=random.choice((None, None, microseconds(random.choice((0, 1, 8))))),
    )
    happened = plain.run(seed, keep_events=True).kept_events
    labels = [*dict.fromkeys(replicas.roles.of_roles(event.label) for event in happened)]
    stated = draw_property(random, labels)
    return Simulation(**{**vars(plain), "automaton": automaton_over_slots(stated, replicas.roles)})


def wrong(seed: int) -> tuple[list[str], int]:
    """What is wrong with a run, held against the real order, and against all orders that its clocks
    allow; and how often its property was formed."""
    what = drawn(seed, precise=seed % 2 == 0)
    automaton = what.automaton
    assert automaton is not None
    found = judged(what, seed)
    labels = {*automaton.labels}
    own = [event for event in found.events if event.label in labels]
    told = [event.index for event in own]
    exact = dict(
        zip(
            told,
            evaluated(
                automaton,
                found.run.processes,
                [Event(event.label, event.clock) for event in own],
                range(len(own)),
            ),
            strict=True,
        )
    )
    mistakes = [f"missed {n}" for n in found.formed - found.violated - found.possible]
    mistakes += [f"false alarm at {n}" for n in found.violated - found.formed]
    mistakes += [f"certain of {n}" for n in found.violated if exact[n] not in (Formed.ALWAYS, None)]
    if what.rules == "precise":
        settled = found.possible - {*found.run.unsettled}
        mistakes += [f"avoidable {n}" for n in settled if exact[n] in (Formed.ALWAYS, Formed.NEVER)]
    return mistakes, len(found.formed)


def test_no_verdict_becomes_wrong_also_against_all_orders() -> None:
    formed = 0
    for seed in range(400):
        mistakes, more = wrong(seed)
        assert mistakes == [], seed
        formed += more
    assert formed > 200


def went_wrong() -> bool:
    """Tell whether a run of the law does."""
    for seed in range(400):
        try:
            if wrong(seed)[0]:
                return True
        except KeyError:  # a verdict about an event that never happened
            return True
    return False


def test_the_law_notices_a_replica_whose_clock_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    renew = World.renew

    def broken(world: World, process: int) -> None:
        renew(world, process)
        world.clocks[process] = zero(len(world.processes))

    monkeypatch.setattr(World, "renew", broken)
    assert went_wrong()


@pytest.mark.parametrize("lost", ["events", "messages"])
def test_the_law_notices_what_an_adopter_does_not_find(
    monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    """What waits at a monitor that is adopted: events that were written ahead, inquiries that are
    repeated. Without it events are not judged, or answered."""
    silence = SingleServer.silence

    def broken(server: SingleServer, until: int) -> None:
        getattr(server, f"_{lost}").clear()
        silence(server, until)

    monkeypatch.setattr(SingleServer, "silence", broken)
    assert went_wrong()
