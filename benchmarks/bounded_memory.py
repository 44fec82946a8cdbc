"""The size of the monitors' histories over a long run.

    python -m benchmarks.bounded_memory [--events N] [--seed S] [--picture FILE] [--json]

Five processes send each other messages without end, and 25 of the 30 messages are labels of
a property of five sequences, each with four steps and a cancellation. In a second run a
sixth process stays silent throughout although it watches the last step of every sequence:
its monitor never asks, and never tells what it knows.

What counts is the sum of all monitors' records. It goes up and down with the inspections
that are open, so what is compared is the largest size within a window of 5,000 events: the
one that ends after ten thousand events, and the last one of the run. The command fails when
the last one is larger.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from random import Random
from typing import Any, Final

import click

from choreomon.actors.application import Application, Assign, If, Process, Start, Tell
from choreomon.actors.compilation import compile_application
from choreomon.actors.delays import NO_TIME, LinkDelays, Uniform, sampler
from choreomon.actors.randomness import Streams
from choreomon.core.message import SEND, Label, Message
from choreomon.core.vector_clock import VectorClock
from choreomon.monitor.effects import Declared
from choreomon.monitor.messages import MonitoringMessage
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.sequences import Cancellation, MessageSequence, sequences_automaton
from choreomon.properties.tables import transition_tables
from simulator.event_queue import MONITORING
from simulator.monitoring import monitors
from simulator.network import Network
from simulator.sidecars.run_context import Remembering, RunContext
from simulator.world import World

WINDOW: Final = 5_000
EARLY: Final = 10_000
SILENT: Final = "silent"
PROCESSES: Final = 5
HANDLERS: Final = 3
SEQUENCES: Final = 5
STEPS: Final = 4
DELAYS: Final = LinkDelays(Uniform(1, 20))


def application(*, silent: bool) -> Application:
    """Everybody passes messages on to the next or the next but one, in turns; with a process
    more where `silent`."""

    def process(index: int) -> Process:
        handlers = {}
        for handler in range(HANDLERS):
            on = f"m{(handler + 1) % HANDLERS}"
            next_one, next_but_one = (f"P{(index + step) % PROCESSES}" for step in (1, 2))
            handlers[f"m{handler}"] = (
                If(
                    f"v{handler}",
                    (Assign(f"v{handler}", False), Tell(next_one, on)),
                    (Assign(f"v{handler}", True), Tell(next_but_one, on)),
                ),
            )
        return Process(f"P{index}", handlers, {f"v{n}": n % 2 == 0 for n in range(HANDLERS)})

    processes = tuple(map(process, range(PROCESSES)))
    if silent:
        processes = (*processes, Process(SILENT, {"never": (Tell("P0", "m0"),)}))
    return Application(processes, tuple(Start(f"P{n}", "m0", n) for n in range(PROCESSES)))


def labels() -> list[Label]:
    """Every message that is sent, as a label of its sending."""
    return [
        Label(SEND, Message(f"P{index}", f"m{handler}", f"P{(index + step) % PROCESSES}"))
        for index in range(PROCESSES)
        for handler in range(HANDLERS)
        for step in (1, 2)
    ]


def property_over(order: list[Label], *, silent: bool) -> SequenceAutomaton:
    """Sequences with a cancellation each; where `silent`, each ends with the message that
    the silent process never sends."""
    width = STEPS + 1
    last = (Label(SEND, Message(SILENT, "m0", "P0")),) if silent else ()
    return sequences_automaton(
        [
            MessageSequence(
                (*order[first : first + STEPS], *last),
                (Cancellation(order[first + STEPS], (1, STEPS - 1), 0),),
            )
            for first in range(0, SEQUENCES * width, width)
        ]
    )


class Sizes:
    """Measurements that keep the largest total size of each window of events."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._sizes: dict[str, int] = {}
        self.total = 0
        self.curve: list[int] = []

    def observed(self, label: Label, clock: VectorClock) -> None:
        pass

    def sent(self, message: MonitoringMessage, size: int) -> None:
        pass

    def told(self, process: str, effect: Declared) -> None:
        pass

    def stepped(self, process: str, records: int, monitor: Remembering) -> None:
        self.total += records - self._sizes.get(process, 0)
        self._sizes[process] = records
        window = (self._world.events - 1) // WINDOW
        while len(self.curve) <= window:
            self.curve.append(self.total)
        self.curve[-1] = max(self.curve[-1], self.total)


def sizes(events: int, seed: int, *, silent: bool) -> list[int]:
    """For each window of a run of this many events the largest sum of records."""
    compiled = compile_application(application(silent=silent))
    world = World(compiled, seed, DELAYS, max_events=events)
    measurements = Sizes(world)
    streams = Streams(seed)
    context = RunContext(
        event_queue=world.event_queue,
        clocks=world.clocks,
        processes=world.processes,
        network=Network(world.event_queue, MONITORING, DELAYS, streams, name="monitoring"),
        service=lambda name: sampler(NO_TIME, streams.stream("monitoring service", name)),
        at_once=True,
        deadline=None,
        measurements=measurements,
    )
    order = labels()
    Random(f"bounded memory {seed}").shuffle(order)
    automaton = property_over(order, silent=silent)
    tables = transition_tables(automaton, world.processes)
    world.watchers[:] = monitors("pull", context, tables, "sound").watchers
    world.run()
    return measurements.curve


def picture(curves: dict[str, list[int]]) -> bytes:
    """The curves as SVG."""
    from io import BytesIO

    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "choreomon"
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.add_subplot()
    for name, curve in curves.items():
        axes.plot([(n + 1) * WINDOW for n in range(len(curve))], curve, label=name)
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("events")
    axes.set_ylabel(f"records of all monitors,\nlargest within {WINDOW:,} events")
    axes.legend()
    axes.grid(visible=True, alpha=0.3)
    content = BytesIO()
    figure.savefig(content, format="svg", metadata={"Date": None})
    return content.getvalue()


@click.command(help=__doc__)
@click.option("--events", type=click.IntRange(min=2 * EARLY), default=1_000_000, show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--picture", "picture_file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="for machines")
def main(events: int, seed: int, picture_file: Path | None, as_json: bool) -> None:
    curves = {
        "all processes talk": sizes(events, seed, silent=False),
        "one stays silent": sizes(events, seed, silent=True),
    }
    early = EARLY // WINDOW - 1
    figures: dict[str, Any] = {
        name: {
            f"after_{EARLY}_events": curve[early],
            f"after_{events}_events": curve[-1],
            "largest": max(curve),
        }
        for name, curve in curves.items()
    }
    if picture_file is not None:
        picture_file.write_bytes(picture(curves))
    if as_json:
        sys.stdout.write(json.dumps(figures) + "\n")
    else:
        for name, values in figures.items():
            click.echo(f"{name}:")
            for what, value in values.items():
                click.echo(f"  {what.replace('_', ' '):28}{value:>6}")
    if any(curve[-1] > curve[early] for curve in curves.values()):
        sys.exit(1)


if __name__ == "__main__":
    main()
