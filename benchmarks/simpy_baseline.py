"""Messages per second of the simulator and of the same application written in SimPy.

    python -m benchmarks.simpy_baseline [--messages N] [--rounds R] [--busy] [--json]

The application: 14 processes with 9 handlers each; a handler looks at a boolean variable,
flips it, and sends one message to one of two receivers, so the number of messages under
way stays the same. Both sides have vector clocks, FIFO mailboxes, service times and
channels in order with uniform delays, and draw these from the same streams.

SimPy is written in two ways. `processes` is the idiomatic one: an actor is a process that
waits at a `Store`. `callbacks` is the fastest that SimPy allows while its environment
still decides what comes next: no processes and no stores, one `Timeout` a message whose
callback runs the handler. Handlers are plain Python there, where the simulator interprets
statements. The ratio that counts is against `callbacks`, whose events are the simulator's
one by one: the final clocks are compared in every round.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Generator
from itertools import product
from statistics import median
from time import perf_counter
from typing import Any, Final, TypeAlias

import click
import simpy
from simpy.core import StopSimulation

from choreomon.actors.application import Application, Assign, If, Process, Start, Tell
from choreomon.actors.compilation import compile_application
from choreomon.actors.delays import NO_TIME, Delay, LinkDelays, Uniform, sampler
from choreomon.actors.randomness import Streams
from choreomon.core.vector_clock import VectorClock
from simulator.world import World

PROCESSES: Final = 14
HANDLERS: Final = 9
STARTS: Final = 3 * PROCESSES
DELAYS: Final = LinkDelays(Uniform(1, 20))

Target: TypeAlias = tuple[int, int]
"""A process and the number of its handler."""

Outcome: TypeAlias = tuple[float, list[VectorClock]]
"""The seconds that a round took, and the clocks at its end."""


def targets(process: int, handler: int, processes: int = PROCESSES) -> tuple[Target, Target]:
    """Where a handler sends to, while its variable is true and while it is false."""
    first = (process + 1 + handler) % processes
    second = (process * 5 + handler * 3 + 2) % processes
    return (first, (handler + process) % HANDLERS), (second, (handler * 2 + 1) % HANDLERS)


def relay_application(processes: int = PROCESSES) -> Application:
    """The application in the language of the simulator; where it has another number of
    processes, there are three messages under way for each, too."""

    def arm(target: Target, value: bool, handler: int) -> tuple[Assign, Tell]:
        return Assign(f"v{handler}", value), Tell(f"P{target[0]}", f"m{target[1]}")

    def process(index: int) -> Process:
        handlers = {}
        for handler in range(HANDLERS):
            yes, no = targets(index, handler, processes)
            branch = If(f"v{handler}", arm(yes, False, handler), arm(no, True, handler))
            handlers[f"m{handler}"] = (branch,)
        return Process(f"P{index}", handlers, {f"v{n}": n % 2 == 0 for n in range(HANDLERS)})

    return Application(
        tuple(map(process, range(processes))),
        tuple(Start(f"P{n % processes}", f"m{n % HANDLERS}", n) for n in range(3 * processes)),
    )


def with_simulator(events: int, service: Delay, seed: int) -> Outcome:
    """A run of the simulator until this many events."""
    application = compile_application(relay_application())
    world = World(application, seed, DELAYS, service=service, max_events=events)
    begin = perf_counter()
    world.run()
    return perf_counter() - begin, world.clocks


Behaviour: TypeAlias = Callable[[int, int, VectorClock | None], None]
Transmit: TypeAlias = Callable[[int, Target, VectorClock], None]


class Relay:
    """What both ways of writing it in SimPy share: clocks, variables, handlers, delays."""

    def __init__(self, events: int, seed: int, service: Delay) -> None:
        streams = Streams(seed)
        names = [f"P{n}" for n in range(PROCESSES)]
        self.env: Any = simpy.Environment()  # its times are whole numbers here, not floats
        self.clocks: list[VectorClock] = [(0,) * PROCESSES] * PROCESSES
        self.delays = {
            (i, j): sampler(DELAYS.default, streams.stream("application", names[i], names[j]))
            for i, j in product(range(PROCESSES), repeat=2)
        }
        self.services = [sampler(service, streams.stream("service", name)) for name in names]
        self.latest = dict.fromkeys(self.delays, 0)
        self.variables = [[n % 2 == 0 for n in range(HANDLERS)] for _ in names]
        self.targets = [[targets(i, n) for n in range(HANDLERS)] for i in range(PROCESSES)]
        self.left = events

    def handle(
        self, process: int, handler: int, sent_clock: VectorClock | None, transmit: Transmit
    ) -> bool:
        """One handle event with the send of its handler; `False` once the events are over."""
        clocks = self.clocks
        if sent_clock is None:
            entries = [*clocks[process]]
        else:
            entries = [
                a if a >= b else b
                for a, b in zip(clocks[process], sent_clock)  # noqa: B905 - as in the simulator
            ]
        entries[process] += 1
        clocks[process] = tuple(entries)
        self.left -= 1
        if not self.left:
            return False
        variables = self.variables[process]
        if variables[handler]:
            variables[handler] = False
            target = self.targets[process][handler][0]
        else:
            variables[handler] = True
            target = self.targets[process][handler][1]
        entries[process] += 1
        clocks[process] = clock = tuple(entries)
        self.left -= 1
        transmit(process, target, clock)
        return self.left > 0

    def wait(self, process: int, receiver: int) -> int:
        """Until when a message that leaves now is under way, relative to now."""
        pair = process, receiver
        now = self.env.now
        arrival = now + self.delays[pair]()
        latest = self.latest
        if arrival > latest[pair]:
            latest[pair] = arrival
        else:
            arrival = latest[pair]
        wait: int = arrival - now
        return wait


def with_callbacks(events: int, service: Delay, seed: int) -> Outcome:
    """The fastest way in SimPy."""
    relay = Relay(events, seed, service)
    env = relay.env
    timeout = env.timeout
    mailboxes: list[deque[Any]] = [deque() for _ in range(PROCESSES)]
    busy = [False] * PROCESSES

    def transmit(process: int, target: Target, clock: VectorClock) -> None:
        under_way = timeout(relay.wait(process, target[0]), (target, clock))
        under_way.callbacks.append(arrive)

    def arrive(event: simpy.Event) -> None:
        envelope = event._value  # the property checks what is known here
        process = envelope[0][0]
        if busy[process]:
            mailboxes[process].append(envelope)
        else:
            handle(envelope)

    def handle(envelope: Any) -> None:
        (process, handler), clock = envelope
        if not relay.handle(process, handler, clock, transmit):
            raise StopSimulation(None)
        serving = relay.services[process]()
        if serving:
            busy[process] = True
            timeout(serving, process).callbacks.append(become_idle)

    def become_idle(event: simpy.Event) -> None:
        process = event._value
        busy[process] = False
        mailbox = mailboxes[process]
        while mailbox and not busy[process]:
            handle(mailbox.popleft())

    for n in range(STARTS):
        timeout(n, ((n % PROCESSES, n % HANDLERS), None)).callbacks.append(arrive)
    begin = perf_counter()
    env.run()
    return perf_counter() - begin, relay.clocks


def with_processes(events: int, service: Delay, seed: int) -> Outcome:
    """The idiomatic way in SimPy."""
    relay = Relay(events, seed, service)
    env = relay.env
    stores = [simpy.Store(env) for _ in range(PROCESSES)]
    over = env.event()

    def transmit(process: int, target: Target, clock: VectorClock) -> None:
        under_way = env.timeout(relay.wait(process, target[0]), (target, clock))
        under_way.callbacks.append(arrive)

    def arrive(event: Any) -> None:
        envelope = event.value
        stores[envelope[0][0]].put(envelope)

    def actor(process: int) -> Generator[simpy.Event, Any, None]:
        while True:
            (_, handler), clock = yield stores[process].get()
            if not relay.handle(process, handler, clock, transmit):
                over.succeed()
                return
            serving = relay.services[process]()
            if serving:
                yield env.timeout(serving)

    for process in range(PROCESSES):
        env.process(actor(process))
    for n in range(STARTS):
        env.timeout(n, ((n % PROCESSES, n % HANDLERS), None)).callbacks.append(arrive)
    begin = perf_counter()
    env.run(until=over)
    return perf_counter() - begin, relay.clocks


SIDES: Final = {
    "simulator": with_simulator,
    "callbacks": with_callbacks,
    "processes": with_processes,
}


def measure(messages: int, rounds: int, service: Delay) -> dict[str, Any]:
    """Messages per second of each side (median), and the simulator's ratio to the ways of
    SimPy (median of the ratios of each round; above 1: the simulator is faster).

    Sides take turns within a round, so that a slow moment of the machine hits all of them.
    """
    events = 2 * messages
    speeds: dict[str, list[float]] = {side: [] for side in SIDES}
    same = True
    for number in range(rounds):
        clocks = {}
        for side, run in SIDES.items():
            seconds, clocks[side] = run(events, service, number)
            speeds[side].append(messages / seconds)
        same = same and clocks["simulator"] == clocks["callbacks"]
    ratios = {
        side: median(a / b for a, b in zip(speeds["simulator"], speeds[side], strict=True))
        for side in ("callbacks", "processes")
    }
    return {
        "messages": messages,
        "rounds": rounds,
        "messages_per_second": {side: round(median(values)) for side, values in speeds.items()},
        "ratio": {side: round(ratio, 3) for side, ratio in ratios.items()},
        "same_run": same,
    }


@click.command(help=__doc__)
@click.option("--messages", default=200_000, show_default=True, type=click.IntRange(STARTS))
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(1))
@click.option("--busy", is_flag=True, help="handlers keep their process busy for up to 1 ms")
@click.option("--json", "as_json", is_flag=True, help="for machines")
def main(messages: int, rounds: int, busy: bool, as_json: bool) -> None:
    result = measure(messages, rounds, Uniform(0, 1) if busy else NO_TIME)
    if as_json:
        click.echo(json.dumps(result))
    else:
        for side, speed in result["messages_per_second"].items():
            ratio = result["ratio"].get(side)
            beside = "" if ratio is None else f"   the simulator is {ratio:.2f} times as fast"
            click.echo(f"{side:>10}: {speed:>9,} messages per second{beside}")
    if not result["same_run"]:
        raise click.ClickException("the simulator and the callbacks did not have the same run")


if __name__ == "__main__":
    main()
