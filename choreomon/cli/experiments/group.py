"""`choreomon experiment`: the experiments of the papers, on published or fresh data."""

from __future__ import annotations

from typing import Final

import click

from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.lazy import LazyGroup

_COMMANDS: Final = {
    "fig7": (
        "choreomon.cli.experiments.monitors:fig7",
        "Monitoring messages by complexity and sequences (the paper, RQ1, Fig. 7).",
    ),
    "fig8": (
        "choreomon.cli.experiments.monitors:fig8",
        "Messages, memory and latency by length (the paper, RQ2 and RQ3, Fig. 8).",
    ),
    "rq4": (
        "choreomon.cli.experiments.monitors:rq4",
        "How often nothing is declared where nothing was formed (the paper, RQ4).",
    ),
    "all": (
        "choreomon.cli.experiments.monitors:all_of_them",
        "These three, and one report about them.",
    ),
    "instances": (
        "choreomon.cli.experiments.instances",
        "Messages and bytes of an event, by how many instances are alive.",
    ),
    "replicas": (
        "choreomon.cli.experiments.replicas",
        "Messages, bytes and latency of an event, by how many replicas a service has.",
    ),
    "multiprefix": (
        "choreomon.cli.experiments.multiprefix",
        "Graph sizes and times with and without reductions (the removal paper, section 6).",
    ),
    "slices": (
        "choreomon.cli.experiments.slices",
        "Slices and mutants of them, decided and simulated (the slices paper, section 5.5).",
    ),
    "procedures": (
        "choreomon.cli.experiments.procedures",
        "Procedures by automata on multi-traces of each kind (the automata paper, section 5).",
    ),
}


@click.group(
    "experiment",
    cls=LazyGroup,
    families={"Commands": _COMMANDS},
    epilog=examples(
        ("choreomon experiment fig7 --help", "What an experiment takes."),
        ("choreomon experiment slices --limit 20 --model i1", "A first look: twenty of a kind."),
    ),
)
def command() -> None:
    """Repeat an experiment of the papers."""
