"""What monitors cost in the simulator: a monitoring message beside an application message,
and a whole run with monitors beside the same run without.

    python -m benchmarks.monitoring_overhead [--messages N] [--rounds R] [--seed S] [--json]

The application is that of `benchmarks.simpy_baseline`: 14 processes with 9 handlers. The
property: five forbidden sequences of four messages, each with a cancellation, over
messages that are sent again and again, so that about 10 % of all messages are labelled.
Runs without and with monitors alternate; the ratios are medians over the rounds, each
round's from runs right after each other in one process.
"""

from __future__ import annotations

import json
import sys
from random import Random
from statistics import median
from time import perf_counter
from typing import Any, Final

import click

from benchmarks.simpy_baseline import DELAYS, HANDLERS, PROCESSES, relay_application, targets
from choreomon.core.message import SEND, Label, Message
from choreomon.core.run import Run, RunEvent
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.sequences import Cancellation, MessageSequence, sequences_automaton
from simulator.application import compile_application
from simulator.delays import NO_TIME
from simulator.run import Simulation

SEQUENCES: Final = 5
STEPS: Final = 4


def all_labels() -> list[Label]:
    """Every message that a handler of the application may send, as a label of its sending."""
    return [
        Label(SEND, Message(f"P{process}", f"m{number}", f"P{receiver}"))
        for process in range(PROCESSES)
        for handler in range(HANDLERS)
        for receiver, number in targets(process, handler)
    ]


def automaton_over(labels: list[Label]) -> SequenceAutomaton:
    """`SEQUENCES` sequences of `STEPS` steps and a cancellation each."""
    width = STEPS + 1
    return sequences_automaton([
        MessageSequence(
            tuple(labels[first : first + STEPS]),
            (Cancellation(labels[first + STEPS], (1, STEPS - 1), 0),),
        )
        for first in range(0, SEQUENCES * width, width)
    ])


def labels_for(share: float, events: int, seed: int) -> tuple[list[Label], float]:
    """The labels of the property, in an order drawn with the seed, such that about this
    share of all messages is labelled; and the share as it came out."""
    counts = dict.fromkeys(all_labels(), 0)
    sent = 0

    def count(event: RunEvent) -> None:
        nonlocal sent
        if event.kind == SEND:
            counts[event.label] += 1
            sent += 1

    prepared(None, events).run(seed, recorder=count)
    needed = SEQUENCES * (STEPS + 1)
    nearest = sorted(counts, key=lambda label: (abs(counts[label] - share * sent / needed), label))
    chosen = nearest[:needed]
    Random(f"monitoring overhead {seed}").shuffle(chosen)
    return chosen, sum(counts[label] for label in chosen) / sent


def prepared(automaton: SequenceAutomaton | None, events: int) -> Simulation:
    """The run of this many events, with monitors where there is a property."""
    return Simulation(
        application=compile_application(relay_application()),
        delays=DELAYS,
        service=NO_TIME,
        max_events=events,
        automaton=automaton,
        rules="sound",
        in_order=True,
        monitoring_service=NO_TIME,
        deadline=None,
    )


def timed(automaton: SequenceAutomaton | None, events: int, seed: int) -> tuple[float, Run]:
    """Seconds, and the run."""
    ready = prepared(automaton, events)
    begin = perf_counter()
    run = ready.run(seed)
    return perf_counter() - begin, run


def measured(messages: int, rounds: int, seed: int) -> dict[str, Any]:
    """Everything that the command prints."""
    events = 2 * messages
    labels, share = labels_for(0.1, events, seed)
    automaton = automaton_over(labels)
    whole, each, plain_cost = [], [], []
    for _ in range(rounds):
        without, _ = timed(None, events, seed)
        with_monitors, run = timed(automaton, events, seed)
        whole.append(with_monitors / without)
        plain_cost.append(without / messages)
        monitoring = (with_monitors - without) / run.monitoring_messages
        each.append(monitoring / (without / messages))
    return {
        "application_messages": messages,
        "labelled_share": round(share, 4),
        "monitoring_messages": run.monitoring_messages,
        "verdicts": len(run.verdicts),
        "application_message_microseconds": round(median(plain_cost) * 1e6, 2),
        "monitoring_message_to_application_message": round(median(each), 3),
        "with_monitors_to_without": round(median(whole), 3),
        "rounds": [round(ratio, 3) for ratio in whole],
    }


@click.command(help=__doc__)
@click.option("--messages", type=click.IntRange(min=1000), default=100_000, show_default=True)
@click.option("--rounds", type=click.IntRange(min=1), default=7, show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="for machines")
def main(messages: int, rounds: int, seed: int, as_json: bool) -> None:
    figures = measured(messages, rounds, seed)
    if as_json:
        sys.stdout.write(json.dumps(figures) + "\n")
        return
    for name, value in figures.items():
        click.echo(f"{name.replace('_', ' '):45}{value}")


if __name__ == "__main__":
    main()
