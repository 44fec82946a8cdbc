"""`choreomon simulate`: run an application with its monitors in virtual time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from choreomon.cli.runs import Announce, RunOptions, carry_out, first_options, last_options

if TYPE_CHECKING:
    from rich.console import Console

    from choreomon.cli.screen import Unprinted
    from choreomon.core.run import Run, RunEvent
    from choreomon.properties.tables import RulesName
    from simulator.monitoring import StrategyName
    from simulator.run import Simulation


@click.command("simulate")
@click.argument("file", type=click.Path())
@first_options
@click.option(
    "--strategy",
    type=click.Choice(["pull", "push", "central"]),
    default="pull",
    show_default=True,
    help="Who tells whom: monitors ask, monitors tell, one is told all.",
)
@last_options
@click.pass_context
def command(context: click.Context, /, file: str, strategy: StrategyName, **options: Any) -> int:
    """Run the application in FILE with its monitors, and say what they declare.

    Times are virtual. One seed gives one run, on every machine.
    """
    from choreomon.formats.read import load_document
    from simulator.run import simulation

    asked = RunOptions(**options)
    document = load_document(file)
    prepared = simulation(document)
    simulating = _Simulating(prepared, strategy, asked.rules or prepared.rules)
    return carry_out(context, document, asked, simulating, prepared.application.processes)


@dataclass(frozen=True)
class _Simulating:
    """A `Runner` in virtual time."""

    prepared: Simulation
    strategy: StrategyName
    rules: RulesName
    monitoring_options: tuple[str, ...] = ("strategy", "rules")

    @property
    def facts(self) -> list[tuple[str, str]]:
        return [("strategy", self.strategy)]

    def run(
        self,
        seed: int,
        *,
        recorder: Callable[[RunEvent], None] | None,
        keep_events: bool,
        announce: Announce | None,
    ) -> Run:
        return self.prepared.run(
            seed,
            strategy=self.strategy,
            rules=self.rules,
            recorder=recorder,
            keep_events=keep_events,
            on_verdict=announce,
        )

    def announcer(self, screen: Console, unprinted: Unprinted) -> Announce:
        from choreomon.cli.run_output import announcer

        return announcer(screen, unprinted)
