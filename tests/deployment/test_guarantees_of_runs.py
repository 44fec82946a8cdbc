"""Laws of real runs, over the scenarios and over random ones: what monitors say keeps G1 and G2
(docs/verdicts.md, "What is guaranteed") against the order of ticks, that order is one in which
everything happened after what caused it, messages take as long as the seed says, and the log of a
run is one that the verifier reads.

Nothing is concluded from how long anything took at most: a slow machine gives other runs, not wrong
ones. Most runs are fast ones with monitors within the actors, since these cost least.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from random import Random

import pytest

from choreomon.actors.delays import sampler
from choreomon.actors.randomness import Streams
from choreomon.core.binding import Binding
from choreomon.core.errors import InternalError
from choreomon.core.message import ENVIRONMENT, HANDLE, SEND
from choreomon.core.run import Run, RunEvent
from choreomon.core.vector_clock import merge, zero
from choreomon.deployment import coordinator
from choreomon.deployment.fork_server import ForkServer
from choreomon.deployment.run import Deployment
from choreomon.documents.read import Document, load_document, parse_document
from choreomon.documents.scenario import Scenario, scenario
from choreomon.logs.event_log import multi_trace_of_events
from choreomon.logs.trace import trace_line
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.properties.parts import restricted
from choreomon.properties.reference import formations
from choreomon.verify.verdict import Verdict
from choreomon.verify.verifier import Verifier
from simulator.run import Simulation
from tests.deployment import planted
from tests.scenarios.test_scenarios import (
    ALL_TWINS,
    WITH_INTERACTIONS,
    broken_guarantees,
    path_of,
)
from tests.simulator.monitored import draw_simulation, judged

SPEED = 20.0
TIMEOUT = 300.0


@dataclass(frozen=True)
class Ran:
    """A run, with all its events."""

    scenario: Scenario
    run: Run
    events: tuple[RunEvent, ...]
    speed: float


def ran(
    fork_server: ForkServer,
    what: Scenario,
    seed: int,
    *,
    embedded: bool = True,
    speed: float = SPEED,
) -> Ran:
    events: list[RunEvent] = []
    deployment = Deployment(
        fork_server, what, what.rules, embedded=embedded, speed=speed, timeout=TIMEOUT
    )
    run = deployment.run(seed, recorder=events.append, keep_events=True)
    return Ran(what, run, tuple(events), speed)


def check(ran: Ran) -> None:
    """All laws."""
    run, events = ran.run, ran.events
    assert run.events == len(events)
    assert run.kept_events == events
    assert broken_guarantees(run) == []
    check_formations(ran)
    check_order(ran)
    check_delays(ran)
    check_application(ran)
    lines = [trace_line(event, run.processes) for event in events]
    logs = multi_trace_of_events(lines) if lines else None
    if logs is not None:
        assert sum(len(component.actions) for component in logs.components) == len(events)


def check_formations(ran: Ran) -> None:
    """They are those of the slow reference, of each rule, in the slice of each binding."""
    automaton, parameters = ran.scenario.automaton, ran.scenario.parameters
    assert automaton is not None
    bindings: list[Binding] = [() for _ in ran.events]
    if parameters is not None:
        found = [parameters.binding(each.label, dict(each.values)) for each in ran.events]
        bindings = [each for each in found if each is not None]
    rules = [restricted(automaton, states) for _, states in automaton.rules] or [automaton]
    expected: list[int] = []
    for rule, binding in product(rules, {*bindings}):
        of = [n for n, other in enumerate(bindings) if {*other} <= {*binding}]
        labels = [ran.events[n].label for n in of]
        formed = [of[formation.index] for formation in formations(rule, labels)]
        expected += [n for n in formed if bindings[n] == binding]
    assert ran.run.formed is not None
    assert [index for index, *_ in ran.run.formed] == sorted(expected)


def check_order(ran: Ran) -> None:
    """Times never fall, every handle comes after its send, and no clock knows of an event that
    comes later: the order is a linear extension of happened-before, with that of inquiries."""
    events, roles = ran.events, ran.scenario.application.replicas.roles
    assert [event.index for event in events] == [*range(len(events))]
    times = [event.time for event in events]
    assert times == sorted(times)
    for event in events:
        if event.kind == HANDLE and event.message.sender != ENVIRONMENT:
            assert event.sent_at is not None
            sent = events[event.sent_at]
            assert sent.kind == SEND
            assert roles.of_roles(sent.label).message == roles.of_roles(event.label).message
            assert event.sent_at < event.index
            assert all(a <= b for a, b in zip(sent.clock, event.clock, strict=True))
    assert ran.scenario.automaton is not None
    known = zero(len(ran.run.processes))
    for event in events:
        own = ran.run.processes.index(event.process)
        if event.label in ran.scenario.automaton.labels:  # it ticks, and nobody knew of it before
            assert event.clock[own] == known[own] + 1
        known = merge(known, event.clock)
        assert known[own] == event.clock[own]


def check_delays(ran: Ran) -> None:
    """The n-th message of a link takes at least as long as the n-th draw of its stream, and no
    message overtakes an earlier one of its link."""
    streams, delays = Streams(ran.run.seed), ran.scenario.delays
    draws: dict[tuple[str, str], list[int]] = defaultdict(list)
    samplers = {}
    draw_of: dict[int, int] = {}
    handler_of = {event.sent_at: event.process for event in ran.events}
    for event in ran.events:
        if (
            event.kind == SEND and event.index in handler_of
        ):  # if not, then no later one of its link
            link = (event.process, handler_of[event.index])
            if link not in samplers:
                stream = streams.stream("application", *link)
                samplers[link] = sampler(delays.between(*link), stream)
            draw_of[event.index] = samplers[link]()
            draws[link].append(draw_of[event.index])
    latest: dict[tuple[str, str], int] = defaultdict(int)
    slack = 4 * ran.speed  # the times of two events are cut to microseconds
    for event in ran.events:
        if event.sent_at is not None:
            link = (ran.events[event.sent_at].process, event.process)
            assert latest[link] <= event.sent_at
            latest[link] = event.sent_at
            taken = event.time - ran.events[event.sent_at].time
            assert taken + slack >= draw_of[event.sent_at]


def check_application(ran: Ran) -> None:
    """Everything that was sent was handled, unless the run was stopped; so were all starts."""
    kinds = [event.kind for event in ran.events]
    starts = sum(event.message.sender == ENVIRONMENT for event in ran.events)
    if not ran.run.reached_max_events:
        assert starts == len(ran.scenario.application.starts)
        assert kinds.count(HANDLE) == kinds.count(SEND) + starts
    else:
        assert len(kinds) >= ran.scenario.max_events


@pytest.mark.parametrize(
    ("role", "broken"),
    [
        ("ActorRole", planted.TellsLate),
        ("ActorRole", planted.ForgetsClocks),
        ("ActorRole", planted.DoneTooEarly),
        ("NetworkRole", planted.Impatient),
        ("NetworkRole", planted.Overtakes),
    ],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_the_laws_notice(
    fork_server: ForkServer, role: str, broken: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each planted bug breaks one of them, at the latest in a few runs; in more on a busy machine,
    where messages that could overtake each other often do not."""
    monkeypatch.setattr(coordinator, role, broken)
    what = scenario(parse_document(BUSY, "busy.yaml"), "run")
    for seed in range(60):
        try:
            check(ran(fork_server, what, seed))
        except (AssertionError, InternalError):
            return
    pytest.fail("no law was broken")


BUSY = """
application:
  processes:
    - id: P1
      handlers:
        go:
          - {send: {to: P2, message: a}}
          - {send: {to: P2, message: c}}
          - {send: {to: P3, message: d}}
        e: []
    - id: P2
      handlers: {a: [{send: {to: P3, message: b}}], c: [{send: {to: P1, message: e}}]}
    - id: P3
      handlers: {b: [], d: []}
  start: [{to: P1, message: go}]
network: {delay: {uniform: [1, 100]}}
property:
  sequences: [{steps: ["P1 -> P2 : a", "handle P1 -> P2 : a", "P2 -> P3 : b"]}]
"""


def test_no_law_is_broken_where_nothing_is(fork_server: ForkServer) -> None:
    what = scenario(parse_document(BUSY, "busy.yaml"), "run")
    for seed in range(5):
        check(ran(fork_server, what, seed))


@pytest.mark.parametrize("twin", ALL_TWINS)
def test_every_scenario_keeps_the_guarantees(fork_server: ForkServer, twin: str) -> None:
    check(ran(fork_server, scenario(load_document(path_of(twin)), "run"), 0))


@pytest.mark.parametrize("twin", ["smart-home-violating", "lock-conforming", "fig4-violating"])
def test_scenarios_keep_the_guarantees_with_agents_beside_their_processes(
    fork_server: ForkServer, twin: str
) -> None:
    what = scenario(load_document(path_of(twin)), "run")
    check(ran(fork_server, what, 1, embedded=False, speed=5))


def test_random_scenarios_keep_the_guarantees(fork_server: ForkServer) -> None:
    """A few of them with agents of their own. Numbers show that the runs are about something."""
    formed = declared = stopped = 0
    for seed in range(30):
        what = draw_simulation(Random(seed), seed)
        embedded = seed % 10 != 9
        one = ran(fork_server, what, seed, embedded=embedded)
        check(one)
        formed += len(one.run.formed or ())
        declared += len(one.run.verdicts)
        stopped += one.run.reached_max_events
    assert formed > 10
    assert declared > 10
    assert 0 < stopped < 30


def test_where_one_thing_follows_from_the_other_a_run_is_that_of_the_simulator(
    fork_server: ForkServer,
) -> None:
    """Where at most one message is ever on its way there is one order of events alone, and real
    time changes nothing: the same events, and the same words."""
    compared = said = 0
    for seed in range(80):
        drawn = draw_simulation(Random(seed), seed)
        first = replace(drawn.application, starts=drawn.application.starts[:1])
        what = replace(drawn, application=first, max_events=200)
        virtual = judged(what, seed)
        if virtual.run.reached_max_events or not is_a_chain(virtual.events):
            continue
        compared += 1
        real = ran(fork_server, what, seed)
        assert [event.label for event in real.events] == [event.label for event in virtual.events]
        assert joint_verdicts(real.run) == joint_verdicts(virtual.run)
        said += len(joint_verdicts(real.run))
    assert compared > 15
    assert said > 5


def is_a_chain(events: Sequence[RunEvent]) -> bool:
    """Whether at most one message was ever on its way."""
    under_way = 1  # the start
    for event in events:
        under_way += 1 if event.kind == SEND else -1
        if under_way > 1:
            return False
    return True


def joint_verdicts(run: Run) -> dict[int, tuple[str, tuple[tuple[str, str], ...]]]:
    """By event; that something provisional was withdrawn depends on who was how fast."""
    return {
        verdict.event_index: (verdict.verdict, verdict.transitions)
        for verdict in run.verdicts
        if verdict.verdict != "withdrawn"
    }


@pytest.mark.parametrize("name", WITH_INTERACTIONS)
@pytest.mark.parametrize("kind", ["conforming", "violating"])
def test_the_log_of_a_scenario_agrees_with_its_interaction_as_in_the_simulator(
    fork_server: ForkServer, name: str, kind: str
) -> None:
    """On a machine that is very slow a run may take another course than in virtual time; of a few
    runs one takes the same."""
    document = load_document(path_of(f"{name}-{kind}"))
    assert document.interaction is not None
    what = Simulation(**vars(scenario(document, "run")))
    virtual = logs_of(document, judged(what, 0).events)
    for speed in (4.0, 2.0, 1.0, 0.5):
        logs = logs_of(document, ran(fork_server, what, 0, speed=speed).events)
        if logs == virtual:
            answer = Verifier(document.interaction.interaction, "accept").decide(logs)
            assert answer.verdict is (Verdict.PASS if kind == "conforming" else Verdict.FAIL)
            return
    pytest.fail("no run took the course that it takes in virtual time")


def logs_of(document: Document, events: Sequence[RunEvent]) -> MultiTrace:
    """As its trace has them, with the clocks that are shared as the document says."""
    return multi_trace_of_events(
        [trace_line(event, document.processes) for event in events],
        partition=[sorted(log.processes) for log in document.observation.logs],
    )


ROLES = """
roles: {{shop: 3, carrier: {{slots: 2, balance: random}}}}
application:
  processes:
    - id: bank
      handlers:
        go: [{{send: {{to: shop, message: paid, with: {{order: $order}}}}}}]
    - id: shop
      variables: {{told: false}}
      handlers:
        paid: [{{send: {{to: carrier, message: ship, with: {{order: $order}}}}}}]
    - {{id: carrier, handlers: {{ship: []}}}}
  start:
    - {{to: bank, message: go, at: 1, repeat: {{order: "1..12", every: 5}}}}
    - {{to: shop, message: paid, at: 3, with: {{order: 99}}}}
network: {{delay: {{uniform: [1, 100]}}}}
property:
  for_each: [order]
  sequences: [{{steps: [{first}, {last}]}}]
"""


@pytest.mark.parametrize("embedded", [True, False])
@pytest.mark.parametrize(
    ("first", "last", "violated"),
    [
        ("bank -> shop : paid(order)", "handle shop -> carrier : ship(order)", 12),
        ("handle shop -> carrier : ship(order)", "bank -> shop : paid(order)", 0),
    ],
    ids=["violating", "conforming"],
)
def test_replicas_keep_the_guarantees_and_say_what_the_recorded_run_says(
    fork_server: ForkServer, first: str, last: str, violated: int, embedded: bool
) -> None:
    text = ROLES.format(first=f'"{first}"', last=f'"{last}"')
    one = ran(
        fork_server, scenario(parse_document(text, "roles.yaml"), "run"), 3, embedded=embedded
    )
    check(one)
    run = one.run
    assert run.formed is not None
    assert len(run.formed) == violated
    definite = {each.event_index for each in run.verdicts if each.verdict == "violated"}
    assert definite == {index for index, *_ in run.formed}
    handled = [event.process for event in one.events if event.kind == HANDLE]
    assert [handled.count(f"shop/{n}") for n in range(3)] in ([5, 4, 4], [4, 5, 4], [4, 4, 5])
    assert {each for each in handled if each.startswith("carrier")} == {"carrier/0", "carrier/1"}
