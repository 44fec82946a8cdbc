"""`choreomon experiment`: the experiments of the removal and slices papers, on published or fresh
data."""

from __future__ import annotations

from typing import Final

import click

from choreomon.cli.lazy import LazyGroup

_COMMANDS: Final = {
    "multiprefix": (
        "choreomon.cli.experiment_multiprefix",
        "Graph sizes and times with and without reductions (the removal paper, section 6).",
    ),
    "slices": (
        "choreomon.cli.experiment_slices",
        "Slices and mutants of them, decided and simulated (the slices paper, section 5.5).",
    ),
}


@click.group("experiment", cls=LazyGroup, commands_at=_COMMANDS)
def command() -> None:
    """Repeat an experiment of the papers."""
