"""What monitors cost in the simulator: a monitoring message beside an application message,
and a whole run with monitors beside the same run without.

    python -m benchmarks.monitoring_overhead [--messages N] [--processes P]
                                            [--rounds R] [--seed S] [--json]

The application is that of `benchmarks.simpy_baseline`: 14 processes with 9 handlers, class
C9 of the paper's experiments. The property `sequences` is that of the paper's Fig 7 for this
class, three forbidden sequences of nine messages; `cancelled` has five sequences of four
messages, each with a message that cancels it after any step. Both are over messages that
are sent again and again, so that about 10 % of all messages are labelled.

Runs without and with monitors alternate; the ratios are medians over the rounds, each
round's from runs right after each other in one process.

A monitoring message is compared with an application message in two ways. In the harsh one all
that monitors cost is put down to their messages, the inspection of events and the making of
verdicts too. In the other one it is what a message costs once it is made: every message of the
run is encoded, sent and delivered once more, one after the other, and the step of its receiver
is made again from the state that it was in then. An answer is made in the step that an inquiry
causes, a judgement in the step that the last answer causes, and both are counted; making an
inquiry is a part of inspecting an event, and is not.

Both are said a second time for monitors whose steps cost nothing: what they did is looked up
instead of being done. That is what the simulator itself takes for monitoring, and no monitor,
however it is written, can make it less.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from random import Random
from statistics import median
from time import process_time
from typing import Any, Final, NamedTuple, TypeAlias
from unittest.mock import patch

import click

from benchmarks.simpy_baseline import DELAYS, HANDLERS, PROCESSES, relay_application, targets
from choreomon.actors.compilation import compile_application
from choreomon.actors.delays import NO_TIME
from choreomon.actors.randomness import Streams
from choreomon.agent_files.wire import encode
from choreomon.core.message import SEND, Label, Message
from choreomon.core.run import Run, RunEvent
from choreomon.core.vector_clock import VectorClock
from choreomon.monitor.host import Host, HostState
from choreomon.monitor.messages import Inquiry, Response
from choreomon.monitor.pull import Monitor, Stepped
from choreomon.monitor.state import Input, MonitorState
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.sequences import Cancellation, MessageSequence, sequences_automaton
from simulator.event_queue import MONITORING, EventQueue
from simulator.network import Network
from simulator.run import Simulation

Handled: TypeAlias = tuple[Host, HostState, Inquiry | Response]
"""A monitoring message with its receiver, and the state that it found there."""


class Workload(NamedTuple):
    """The application with so many processes, until so many events."""

    processes: int
    events: int
    seed: int


def all_labels(processes: int) -> list[Label]:
    """Every message that a handler of the application may send, as a label of its sending."""
    return [
        Label(SEND, Message(f"P{process}", f"m{number}", f"P{receiver}"))
        for process in range(processes)
        for handler in range(HANDLERS)
        for receiver, number in targets(process, handler, processes)
    ]


def sequences_only(labels: list[Label]) -> SequenceAutomaton:
    """Three sequences of nine steps: 27 labels."""
    return sequences_automaton(
        [MessageSequence(tuple(labels[first : first + 9])) for first in (0, 9, 18)]
    )


def with_cancellations(labels: list[Label]) -> SequenceAutomaton:
    """Five sequences of four steps, each with a message that cancels it: 25 labels."""
    return sequences_automaton(
        [
            MessageSequence(
                tuple(labels[first : first + 4]), (Cancellation(labels[first + 4], (1, 3), 0),)
            )
            for first in range(0, 25, 5)
        ]
    )


PROPERTIES: Final = {"sequences": (sequences_only, 27), "cancelled": (with_cancellations, 25)}


def labels_for(share: float, needed: int, load: Workload) -> tuple[list[Label], float]:
    """So many labels, in an order drawn with the seed, such that about this share of all
    messages is labelled; and the share as it came out."""
    counts = dict.fromkeys(all_labels(load.processes), 0)
    sent = 0

    def count(event: RunEvent) -> None:
        nonlocal sent
        if event.kind == SEND:
            counts[event.label] += 1
            sent += 1

    prepared(None, load).run(load.seed, recorder=count)
    nearest = sorted(counts, key=lambda label: (abs(counts[label] - share * sent / needed), label))
    chosen = nearest[:needed]
    Random(f"monitoring overhead {load.seed}").shuffle(chosen)
    return chosen, sum(counts[label] for label in chosen) / sent


def prepared(automaton: SequenceAutomaton | None, load: Workload) -> Simulation:
    """The run, with monitors where there is a property."""
    return Simulation(
        application=compile_application(relay_application(load.processes)),
        delays=DELAYS,
        service=NO_TIME,
        max_events=load.events,
        automaton=automaton,
        rules="sound",
        in_order=True,
        monitoring_service=NO_TIME,
        deadline=None,
    )


def timed(automaton: SequenceAutomaton | None, load: Workload) -> tuple[float, Run]:
    """Seconds of processor time, and the run."""
    ready = prepared(automaton, load)
    begin = process_time()
    run = ready.run(load.seed)
    return process_time() - begin, run


def all_handled(
    automaton: SequenceAutomaton, load: Workload
) -> tuple[list[Handled], list[Stepped], list[Stepped]]:
    """Every monitoring message of the run, what each step of a monitor came to, and what
    those for a message came to."""
    handled: list[Handled] = []
    steps: list[Stepped] = []
    for_messages: list[Stepped] = []
    hosts: dict[str, Host] = {}
    step = Monitor.step

    def noting(monitor: Monitor, state: MonitorState, clock: VectorClock, given: Input) -> Stepped:
        steps.append(stepped := step(monitor, state, clock, given))
        if isinstance(given, Inquiry | Response):
            host = hosts.get(monitor.process) or hosts.setdefault(monitor.process, Host(monitor))
            handled.append((host, HostState(clock, state), given))
            for_messages.append(stepped)
        return stepped

    with patch.object(Monitor, "step", noting):
        prepared(automaton, load).run(load.seed)
    return handled, steps, for_messages


@contextmanager
def looked_up(steps: Iterable[Stepped]) -> Iterator[None]:
    """Monitors do not decide: their next steps are these."""
    following = iter(steps).__next__

    def look_up(_monitor: Monitor, _state: object, _clock: object, _given: object) -> Stepped:
        return following()

    with patch.object(Monitor, "step", look_up):
        yield


def carried(handled: list[Handled], seed: int) -> float:
    """Seconds of processor time that it takes to encode, send, deliver and handle each, without
    the cycle collector, as in a run."""
    event_queue = EventQueue()
    network = Network(event_queue, MONITORING, DELAYS, Streams(seed), name="monitoring")

    def deliver(content: Handled) -> None:
        host, state, message = content
        host.receive(state, message)

    pairs = dict.fromkeys((message.sender, message.receiver) for _, _, message in handled)
    channels = {pair: network.channel(*pair, deliver) for pair in pairs}
    gc.disable()
    begin = process_time()
    for content in handled:
        message = content[2]
        encode(message)
        channels[message.sender, message.receiver](content)
        event_queue.step()
    seconds = process_time() - begin
    gc.enable()
    return seconds


def measured(name: str, messages: int, processes: int, rounds: int, seed: int) -> dict[str, Any]:
    """What the command prints of one property."""
    load = Workload(processes, 2 * messages, seed)
    make, needed = PROPERTIES[name]
    labels, share = labels_for(0.1, needed, load)
    automaton = make(labels)
    whole, each, alone, plain_cost = [], [], [], []
    for _ in range(rounds):
        without, _ = timed(None, load)
        with_monitors, run = timed(automaton, load)
        whole.append(with_monitors / without)
        plain_cost.append(without / messages)
        monitoring = (with_monitors - without) / run.monitoring_messages
        each.append(monitoring / (without / messages))
    # Only now: so many states in memory would be in the way of the runs above.
    handled, steps, for_messages = all_handled(automaton, load)
    gc.freeze()
    each_for_nothing, alone_for_nothing = [], []
    for _ in range(rounds):
        without, _ = timed(None, load)
        cost = without / messages
        alone.append(carried(handled, seed) / len(handled) / cost)
        with looked_up(for_messages):
            alone_for_nothing.append(carried(handled, seed) / len(handled) / cost)
        with looked_up(steps):
            with_monitors, _ = timed(automaton, load)
        each_for_nothing.append((with_monitors - without) / len(handled) / cost)
    gc.unfreeze()
    return {
        "property": name,
        "processes": processes,
        "application_messages": messages,
        "labelled_share": round(share, 4),
        "monitoring_messages": run.monitoring_messages,
        "verdicts": len(run.verdicts),
        "application_message_microseconds": round(median(plain_cost) * 1e6, 2),
        "monitoring_message_to_application_message": round(median(each), 2),
        "the_same_with_steps_that_cost_nothing": round(median(each_for_nothing), 2),
        "monitoring_message_once_made_to_application_message": round(median(alone), 2),
        "once_made_with_steps_that_cost_nothing": round(median(alone_for_nothing), 2),
        "with_monitors_to_without": round(median(whole), 2),
    }


@click.command(help=__doc__)
@click.option("--messages", type=click.IntRange(min=1000), default=100_000, show_default=True)
@click.option("--processes", type=click.IntRange(min=5), default=PROCESSES, show_default=True)
@click.option("--rounds", type=click.IntRange(min=1), default=9, show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="for machines")
def main(messages: int, processes: int, rounds: int, seed: int, as_json: bool) -> None:
    figures = [measured(name, messages, processes, rounds, seed) for name in PROPERTIES]
    if as_json:
        sys.stdout.write(json.dumps(figures) + "\n")
        return
    for each in figures:
        for name, value in each.items():
            click.echo(f"{name.replace('_', ' '):54}{value}")
        click.echo()


if __name__ == "__main__":
    main()
