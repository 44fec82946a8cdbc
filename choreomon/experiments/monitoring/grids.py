"""Grids: the runs of each experiment. Where the paper has one measurement, here are all `VARIANTS`
and several delays. `pull` with the rules `paper` is the paper's algorithm. Every point has as many
runs as the paper says, with the seeds from the given one on, and each seed has an application of
its own: the paper says "different synthesized applications" and nothing more.

A reduced grid has the same shape with fewer points, delays and runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from choreomon.core.strategy_names import ASKING, STRATEGIES, StrategyName
from choreomon.experiments.monitoring.cells import Cell
from choreomon.properties.tables import RulesName
from simulator.generation.parameters import BRANCHING

ExperimentName: TypeAlias = Literal["fig7", "fig8", "rq4"]
EXPERIMENTS: Final[tuple[ExperimentName, ...]] = get_args(ExperimentName)


class Variant(NamedTuple):
    """A way to monitor: a strategy and its rules."""

    strategy: StrategyName
    rules: RulesName

    def __str__(self) -> str:
        return f"{self.strategy}, {self.rules}"


PULLING: Final = tuple(Variant("pull", rules) for rules in get_args(RulesName))
"""The variants of the strategy `pull`, one for each set of rules."""
BASELINES: Final = tuple(Variant(name, "sound") for name in STRATEGIES if name not in ASKING)
VARIANTS: Final = (*PULLING, *BASELINES)
OF_THE_PAPER: Final = Variant("pull", "paper")

DELAY: Final = 10
"""The delay in service times, where it does not vary: that of generated documents."""

UNBRANCHED: Final = 0.0
"""The branching in experiments that count messages: a chain that a branch breaks off has fewer
messages to ask about (docs/generate.md)."""


class Sizes(NamedTuple):
    """Sizes that differ between a full grid and a reduced one."""

    classes: tuple[str, ...]
    numbers: tuple[int, ...]
    lengths: tuple[int, ...]
    runs: int
    verdict_runs: int
    fig7_delays: tuple[int, ...]
    fig8_delays: tuple[int, ...]
    rq4_delays: tuple[int, ...]


FULL: Final = Sizes(
    classes=("C3", "C4", "C5", "C6", "C7", "C8", "C9"),
    numbers=(2, 3, 4, 5),
    lengths=(2, 3, 4, 5, 6),
    runs=10,
    verdict_runs=100,
    fig7_delays=(0, 1, 10, 100),
    fig8_delays=(0, 1, 10, 100),
    rq4_delays=(0, 1, 3, 10, 30, 100),
)
QUICK: Final = Sizes(
    classes=("C3", "C5", "C7", "C9"),
    numbers=(2, 5),
    lengths=(2, 3, 4, 5, 6),
    runs=3,
    verdict_runs=20,
    fig7_delays=(10, 100),
    fig8_delays=(0, 10, 100),
    rq4_delays=(0, 10, 100),
)


class Shape(NamedTuple):
    """The shape of the applications of one point; its fields are those of `Cell`."""

    complexity: str
    sequences: int
    length: int
    branching: float = UNBRANCHED


Point: TypeAlias = tuple[Variant, int, Shape]
"""The variant, the delay, and the applications monitored."""


def grid(name: ExperimentName, seed: int, sizes: Sizes = FULL) -> tuple[Cell, ...]:
    """The runs of an experiment, with seeds from `seed` on, in the order of its data."""
    points, runs = {
        "fig7": (_fig7, sizes.runs),
        "fig8": (_fig8, sizes.runs),
        "rq4": (_rq4, sizes.verdict_runs),
    }[name]
    return tuple(
        Cell(
            experiment=name,
            strategy=strategy,
            rules=rules,
            delay=delay,
            seed=each,
            **shape._asdict(),
        )
        for (strategy, rules), delay, shape in points(sizes)
        for each in range(seed, seed + runs)
    )


def _fig7(sizes: Sizes) -> Iterator[Point]:
    """RQ1: C3 to C9, two to five sequences of nine."""
    for variant, delay, sequences, complexity in product(
        VARIANTS, sizes.fig7_delays, sizes.numbers, sizes.classes
    ):
        yield variant, delay, Shape(complexity, sequences, 9)


def _fig8(sizes: Sizes) -> Iterator[Point]:
    """RQ2 and RQ3: C6, three sequences of two to six. The paper does not say how many runs: as many
    as for RQ1."""
    for variant, delay, length in product(VARIANTS, sizes.fig8_delays, sizes.lengths):
        yield variant, delay, Shape("C6", 3, length)


def _rq4(sizes: Sizes) -> Iterator[Point]:
    """RQ4: C6, three sequences of seven. How applications branch, of which the paper says nothing,
    varies for the pulling monitors at one delay."""
    for variant, delay in product(VARIANTS, sizes.rq4_delays):
        yield variant, delay, Shape("C6", 3, 7, BRANCHING)
    for variant, branching in product(PULLING, (UNBRANCHED, 1.0)):
        yield variant, DELAY, Shape("C6", 3, 7, branching)
