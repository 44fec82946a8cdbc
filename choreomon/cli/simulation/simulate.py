"""`choreomon simulate`: run an application with its monitors in virtual time."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.explicit_options import refuse_explicit
from choreomon.cli.command_line.rule_options import chosen_document
from choreomon.cli.command_line.writing import opened
from choreomon.cli.simulation.monitor_options import strategy_option
from choreomon.cli.simulation.runs import (
    Announce,
    RunOptions,
    carry_out,
    first_options,
    last_options,
)
from choreomon.core.strategy_names import ASKING, StrategyName

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from choreomon.cli.command_line.screen import Unprinted
    from choreomon.core.run import Run, RunEvent
    from choreomon.properties.tables import RulesName
    from simulator.run import Simulation


@click.command(
    "simulate",
    epilog=examples(
        (
            "choreomon simulate scenarios/lock-violating.yaml",
            "Run it once, and explain what the monitors say.",
        ),
        (
            "choreomon simulate scenarios/lock-violating.yaml --runs 100 --report r.html",
            "Run it with 100 seeds, and write a page about these runs.",
        ),
    ),
)
@click.argument("file", type=click.Path())
@first_options
@strategy_option(
    "Monitors ask each other (pull), tell each other (push), or all tell one (central)."
)
@last_options
@click.option(
    "--trace-monitors",
    is_flag=True,
    help="With --trace, write what the monitors of each run do to monitors-<seed>.jsonl beside it.",
)
@click.pass_context
def command(
    context: click.Context,
    /,
    file: str,
    strategy: StrategyName,
    trace_monitors: bool,
    **options: Any,
) -> int:
    """Run the application in FILE with its monitors, and say what they declare.

    Times are virtual. One seed gives one run, on every machine.
    """
    from choreomon.cli.command_line.own_simulator import require_own_simulator

    require_own_simulator()
    from choreomon.documents.read import load_document
    from simulator.monitoring import rules_with, unfit_for
    from simulator.run import simulation

    asked = RunOptions(**options)
    if trace_monitors and asked.trace_directory is None:
        refuse_explicit(context, ["trace_monitors"], "with --trace, which says where")
    document = chosen_document(load_document(file), asked.rule)
    if strategy not in ASKING and asked.rules == "precise":
        raise click.UsageError(
            f"--rules precise can only be used with --strategy pull, whose monitors ask: leave it "
            f"out, and {strategy} judges by the rules sound"
        )
    prepared = simulation(document)
    rules = rules_with(strategy, asked.rules or prepared.rules)
    if unfit := unfit_for(prepared.automaton, prepared.parameters, strategy, rules):
        raise click.UsageError(unfit)
    simulating = _Simulating(
        prepared,
        strategy,
        rules,
        asked.trace_directory if trace_monitors else None,
    )
    return carry_out(context, document, asked, simulating, prepared.application.processes)


@dataclass(frozen=True)
class _Simulating:
    """A `Runner` in virtual time. What monitors do is written to `monitors_directory`."""

    prepared: Simulation
    strategy: StrategyName
    rules: RulesName
    monitors_directory: Path | None
    monitoring_options: tuple[str, ...] = ("strategy", "rules", "trace_monitors")

    @property
    def facts(self) -> list[tuple[str, str]]:
        return [("strategy", self.strategy)]

    def files(self, seed: int) -> tuple[Path, ...]:
        directory = self.monitors_directory
        return () if directory is None else (directory / f"monitors-{seed}.jsonl",)

    def run(
        self,
        seed: int,
        *,
        recorder: Callable[[RunEvent], None] | None,
        keep_events: bool,
        announce: Announce | None,
    ) -> Run:
        from simulator.recording import tracing_monitors

        processes = self.prepared.application.processes
        with ExitStack() as stack:
            sinks = [stack.enter_context(opened(file)) for file in self.files(seed)]
            return self.prepared.run(
                seed,
                strategy=self.strategy,
                rules=self.rules,
                recorder=recorder,
                keep_events=keep_events,
                on_verdict=announce,
                monitor_recorder=tracing_monitors(sinks[0], processes) if sinks else None,
            )

    def announcer(self, screen: Console, unprinted: Unprinted) -> Announce:
        from choreomon.cli.simulation.run_output import announcer

        return announcer(screen, unprinted)
