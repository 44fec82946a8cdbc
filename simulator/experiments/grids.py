"""Which runs an experiment has.

Wherever the paper has one measurement, here are all `VARIANTS` and several delays. `pull` with the
rules `paper` is the paper's algorithm. Every point has as many runs as the paper says, with the
seeds from the given one on, and each seed has an application of its own: the paper says "different
synthesized applications" and nothing more.

A reduced grid has the same shape with fewer points, delays and runs.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from choreomon.properties.tables import RulesName
from simulator.experiments.cells import Cell
from simulator.generation.parameters import BRANCHING
from simulator.monitoring import StrategyName

ExperimentName: TypeAlias = Literal["fig7", "fig8", "rq4"]
EXPERIMENTS: Final[tuple[ExperimentName, ...]] = get_args(ExperimentName)


class Variant(NamedTuple):
    """How is monitored."""

    strategy: StrategyName
    rules: RulesName

    def __str__(self) -> str:
        return f"{self.strategy}, {self.rules}"


PULLING: Final = tuple(Variant("pull", rules) for rules in get_args(RulesName))
"""All sets of rules that there are."""
BASELINES: Final = (Variant("push", "sound"), Variant("central", "sound"))
VARIANTS: Final = (*PULLING, *BASELINES)
OF_THE_PAPER: Final = Variant("pull", "paper")

DELAY: Final = 10
"""In service times, where it does not vary: that of generated documents."""

UNBRANCHED: Final = 0.0
"""Of the experiments that count messages: a chain that a branch breaks off has fewer messages to
ask about (docs/generate.md)."""


class Sizes(NamedTuple):
    """What differs between a full grid and a reduced one."""

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


def grid(name: ExperimentName, seed: int, sizes: Sizes = FULL) -> tuple[Cell, ...]:
    """All runs of an experiment, with seeds from `seed` on, in the order of its data."""
    return {"fig7": _fig7, "fig8": _fig8, "rq4": _rq4}[name](seed, sizes)


def _fig7(first: int, sizes: Sizes) -> tuple[Cell, ...]:
    """RQ1: C3 to C9, two to five sequences of nine."""
    return tuple(
        Cell(
            experiment="fig7",
            complexity=complexity,
            sequences=sequences,
            length=9,
            branching=UNBRANCHED,
            strategy=strategy,
            rules=rules,
            delay=delay,
            seed=seed,
        )
        for strategy, rules in VARIANTS
        for delay in sizes.fig7_delays
        for sequences in sizes.numbers
        for complexity in sizes.classes
        for seed in range(first, first + sizes.runs)
    )


def _fig8(first: int, sizes: Sizes) -> tuple[Cell, ...]:
    """RQ2 and RQ3: C6, three sequences of two to six. The paper does not say how many runs: as many
    as for RQ1."""
    return tuple(
        Cell(
            experiment="fig8",
            complexity="C6",
            sequences=3,
            length=length,
            branching=UNBRANCHED,
            strategy=strategy,
            rules=rules,
            delay=delay,
            seed=seed,
        )
        for strategy, rules in VARIANTS
        for delay in sizes.fig8_delays
        for length in sizes.lengths
        for seed in range(first, first + sizes.runs)
    )


def _rq4(first: int, sizes: Sizes) -> tuple[Cell, ...]:
    """RQ4: C6, three sequences of seven. How applications branch, of which the paper says nothing,
    varies for the pulling monitors at one delay."""
    along_delays = [
        (variant, delay, BRANCHING) for variant in VARIANTS for delay in sizes.rq4_delays
    ]
    along_branching = [
        (variant, DELAY, branching) for variant in PULLING for branching in (UNBRANCHED, 1.0)
    ]
    return tuple(
        Cell(
            experiment="rq4",
            complexity="C6",
            sequences=3,
            length=7,
            branching=branching,
            strategy=strategy,
            rules=rules,
            delay=delay,
            seed=seed,
        )
        for (strategy, rules), delay, branching in (*along_delays, *along_branching)
        for seed in range(first, first + sizes.verdict_runs)
    )
