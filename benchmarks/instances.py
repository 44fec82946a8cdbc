"""What an event costs with one instance alive, a thousand, a million, as multiples of what it costs
by a property that is not for each instance.

    python -m benchmarks.instances [--alive N]... [--rounds N] [--write FILE]

Three monitors, in memory: billing refunds, shop ships, bank reverses. Of each four events two ship,
about which two others are asked. Both properties have the same tables, so that they ask as often.
In each round 2,000 events of the one are stepped through all monitors after 2,000 of the other, by
turns, in processor time of this process; medians of the rounds are told. The instances that events
are about are drawn with equal likelihood among those that are alive, each of which was refunded.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import median
from typing import Final

import click

from benchmarks.command_line import load_at_the, machine
from benchmarks.hosts_in_memory import HostsInMemory
from choreomon.core.message import SEND, Label, Message
from choreomon.monitor.of_instances.monitor import InstanceMonitor
from choreomon.monitor.precise import PRECISE
from choreomon.monitor.pull import Monitor
from choreomon.properties.automaton import StatedTransition, sequence_automaton
from choreomon.properties.instances import Parameters
from choreomon.properties.tables import transition_tables

PROCESSES: Final = ("billing", "shop", "bank")
REFUND: Final = Label(SEND, Message("billing", "refund", "bank"))
SHIP: Final = Label(SEND, Message("shop", "ship", "bank"))
REVERSE: Final = Label(SEND, Message("bank", "reverse", "billing"))
EVENTS: Final = (REFUND, SHIP, SHIP, REVERSE)
IN_A_ROUND: Final = 2_000
BOUNDS: Final = {1: 1.7}
BOUND: Final = 1.3
"""Of any number of instances but those above."""

AUTOMATON: Final = sequence_automaton(
    initial=["q0"],
    final=["q2"],
    transitions=[
        StatedTransition("q0", REFUND, "q1"),
        StatedTransition("q1", SHIP, "q2"),
        StatedTransition("q1", REVERSE, "q0"),
    ],
)
PARAMETERS: Final = Parameters(
    ("order",), {label.message: ("order",) for label in (REFUND, SHIP, REVERSE)}
)


def hosts(kind: Callable[..., Monitor | InstanceMonitor]) -> HostsInMemory:
    """The three monitors of the property, of this kind."""
    tables = transition_tables(AUTOMATON, PROCESSES, "precise", PARAMETERS)
    return HostsInMemory({name: kind(tables[name], PROCESSES, PRECISE) for name in PROCESSES})


def measured(alive: int, rounds: int, random: Random) -> tuple[float, float, float]:
    """The median ratio with so many instances alive, microseconds an event, and messages."""
    of_instances, plain = hosts(InstanceMonitor), hosts(Monitor)
    for number in range(alive):
        of_instances.event(REFUND, (("order", str(number)),))
    before = of_instances.messages
    ratios, times = [], []
    for _ in range(rounds):
        events = [
            (EVENTS[number % len(EVENTS)], (("order", str(random.randrange(alive))),))
            for number in range(IN_A_ROUND)
        ]
        other = plain.timed(events)
        took = of_instances.timed(events)
        ratios.append(took / other)
        times.append(took / IN_A_ROUND)
    messages = (of_instances.messages - before) / (rounds * IN_A_ROUND)
    return median(ratios), median(times) * 1e6, messages


@click.command(help=__doc__)
@click.option("--alive", multiple=True, type=click.IntRange(1), default=(1, 1_000, 100_000))
@click.option("--rounds", type=click.IntRange(1), default=9, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--write", type=click.Path(path_type=Path), help="Write the page there, too.")
def main(alive: tuple[int, ...], rounds: int, seed: int, write: Path | None) -> None:
    gc.disable()
    asked = " ".join(f"--alive {each}" for each in alive)
    lines = [
        "# What instances cost",
        "",
        f"`python -m benchmarks.instances {asked} --rounds {rounds} --seed {seed}`",
        "",
        f"{machine()}, {load_at_the('beginning')}. Times are processor time.",
        "",
        "| instances alive | times a property that is not for each | at most | us an event | "
        "messages an event |",
        "|--:|--:|--:|--:|--:|",
    ]
    failed = False
    for number in alive:
        ratio, micros, messages = measured(number, rounds, Random(seed))
        bound = BOUNDS.get(number, BOUND)
        failed = failed or ratio > bound
        lines.append(f"| {number:,} | {ratio:.2f} | {bound} | {micros:.0f} | {messages:.2f} |")
        print(lines[-1], flush=True)
    page = "\n".join(lines) + "\n"
    print(page)
    if write is not None:
        write.write_text(page, encoding="utf-8")
    sys.exit(failed)


if __name__ == "__main__":
    main()
