"""`choreomon run`: run an application with its monitors for real."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.rule_options import chosen_document
from choreomon.cli.command_line.seconds import Real, Seconds
from choreomon.cli.simulation.monitor_options import strategy_option
from choreomon.cli.simulation.runs import (
    Announce,
    RunOptions,
    carry_out,
    first_options,
    last_options,
)

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from choreomon.cli.command_line.screen import Unprinted
    from choreomon.core.run import Run, RunEvent
    from choreomon.deployment.fork_server import ForkServer
    from choreomon.deployment.run import Deployment
    from choreomon.properties.tables import RulesName

LEAST_TIMEOUT: Final = 60.0
"""Default timeout: at least this many seconds."""
STARTS_TIMES: Final = 10
"""Default timeout: this many times the time to the last start is added."""


def _only_pull(context: click.Context, option: click.Parameter, strategy: str) -> str:
    if strategy != "pull":
        raise click.UsageError(
            f"--strategy {strategy} is there to be compared with, in the simulator: live monitors "
            "ask each other (pull); use `choreomon simulate`"
        )
    return strategy


@click.command(
    "run",
    epilog=examples(
        (
            "choreomon run scenarios/lock-violating.yaml --speed 2",
            "Run it with real processes, twice as fast.",
        ),
        (
            "choreomon run scenarios/lock-violating.yaml --embedded",
            "Run it with each monitor in the process of its actor.",
        ),
    ),
)
@click.argument("file", type=click.Path())
@first_options
@click.option(
    "--speed",
    type=Real(min=0.001, max=1000),
    default=1.0,
    show_default=True,
    help="How many times as fast as the document says; all its times are divided by it.",
)
@click.option(
    "--timeout",
    type=Seconds(),
    default=None,
    help="Seconds after its beginning when a run that is not at its end is given up; default: "
    f"{LEAST_TIMEOUT:g}, and {STARTS_TIMES} times as long as to its last start.",
)
@click.option(
    "--embedded",
    is_flag=True,
    help="Every process holds its monitor itself, instead of an agent beside it.",
)
@strategy_option(
    "Live monitors ask each other: only pull.", callback=_only_pull, expose_value=False
)
@last_options
@click.pass_context
def command(
    context: click.Context,
    /,
    file: str,
    speed: float,
    timeout: float | None,
    embedded: bool,
    **options: Any,
) -> int:
    """Run the application in FILE for real, with its monitors, and say what they declare.

    Every actor is a process of the operating system, with its agent beside it; messages go over
    sockets, and take as long as the document says. One seed gives the same delays, not the same
    run.
    """
    if not hasattr(os, "fork"):
        told = "this system cannot start processes as this needs it: use `choreomon simulate`"
        raise click.ClickException(told)
    from choreomon.cli.command_line.own_simulator import require_own_simulator
    from choreomon.deployment.fork_server import ForkServer

    require_own_simulator()
    # The fork server gets ready while the document is read.
    with ForkServer() as fork_server:
        return _run(context, file, fork_server, RunOptions(**options), speed, timeout, embedded)


def _run(
    context: click.Context,
    file: str,
    fork_server: ForkServer,
    asked: RunOptions,
    speed: float,
    timeout: float | None,
    embedded: bool,
) -> int:
    from choreomon.deployment.run import Deployment
    from choreomon.documents.read import load_document
    from choreomon.documents.scenario import scenario
    from simulator.monitoring import unfit_for

    document = chosen_document(load_document(file), asked.rule)
    prepared = scenario(document, "run")
    rules = asked.rules or prepared.rules
    if unfit := unfit_for(prepared.automaton, prepared.parameters, "pull", rules):
        raise click.UsageError(unfit)
    last = max((start.at for start in prepared.application.starts), default=0) / 1e6 / speed
    deployment = Deployment(
        fork_server,
        prepared,
        rules,
        document.name,
        embedded,
        speed,
        LEAST_TIMEOUT + STARTS_TIMES * last if timeout is None else timeout,
    )
    running = _Running(deployment)
    return carry_out(context, document, asked, running, prepared.application.processes)


@dataclass(frozen=True)
class _Running:
    """A `Runner` for real."""

    deployment: Deployment
    monitoring_options: tuple[str, ...] = ("rules", "embedded", "strategy")

    @property
    def rules(self) -> RulesName:
        return self.deployment.rules

    @property
    def facts(self) -> list[tuple[str, str]]:
        place = "within the processes" if self.deployment.embedded else "beside the processes"
        return [
            ("run", "for real, each process one of the operating system"),
            ("monitors", place),
            ("speed", f"{self.deployment.speed:g}"),
        ]

    def files(self, seed: int) -> tuple[Path, ...]:
        return ()

    def run(
        self,
        seed: int,
        *,
        recorder: Callable[[RunEvent], None] | None,
        keep_events: bool,
        announce: Announce | None,
    ) -> Run:
        return self.deployment.run(
            seed, recorder=recorder, keep_events=keep_events, on_verdict=announce
        )

    def announcer(self, screen: Console, unprinted: Unprinted) -> Announce:
        from choreomon.cli.simulation.run_output import live_announcer

        return live_announcer(screen, unprinted)
