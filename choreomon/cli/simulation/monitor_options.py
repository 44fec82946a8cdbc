"""Options about the monitors of a run: how they work together, and by which rules they judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from choreomon.cli import BAD_INPUT, NOTHING_FOUND
from choreomon.cli.command_line.options import Decorator
from choreomon.core.strategy_names import ASKING, STRATEGIES, StrategyName
from choreomon.properties.tables import RULES_NAMES, RulesName

if TYPE_CHECKING:
    from choreomon.core.run import Run
    from choreomon.documents.read import Document


def strategy_option(what: str, **more: Any) -> Decorator[Any]:
    """Add `strategy`, pull by default; `more` goes to `click.option`."""
    names = click.Choice(STRATEGIES)
    return click.option(
        "--strategy", type=names, default="pull", show_default=True, help=what, **more
    )


def rules_option(what: str) -> Decorator[Any]:
    """Add `rules`; None by default."""
    return click.option("--rules", type=click.Choice(RULES_NAMES), help=what)


def run_once(
    document: Document, seed: int, strategy: StrategyName, rules: RulesName | None
) -> tuple[Run, int]:
    """A run of a document with its last events, and the exit code: BAD_INPUT, which is said on
    standard error, where it was stopped.

    Raises UsageError for rules that do not fit the strategy or a property for each
    instance, and DocumentError for a document without an application.
    """
    from choreomon.cli.simulation.runs import stopped
    from simulator.monitoring import rules_with, unfit_for
    from simulator.run import simulation

    if strategy not in ASKING and rules == "precise":
        raise click.UsageError("--rules precise can only be used with --strategy pull")
    prepared = simulation(document)
    judging = rules_with(strategy, rules or prepared.rules)
    if unfit := unfit_for(prepared.automaton, prepared.parameters, strategy, judging):
        raise click.UsageError(unfit)
    run = prepared.run(seed, strategy=strategy, rules=rules, keep_events=True)
    if run.reached_max_events:
        click.echo(stopped(document, run), err=True)
        return run, BAD_INPUT
    return run, NOTHING_FOUND
