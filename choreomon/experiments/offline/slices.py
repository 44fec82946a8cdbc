"""The experiment of the slices paper, section 5.5: slices, and mutants of them, decided and
simulated.

For an interaction: accepted multi-traces by exploration; slices of them; and three mutants of every
slice: with a random action inserted, two actions of a component swapped, or the component of
another slice. The mode `slice` decides all of them; `simulate` with the criterion of section 5.1
tries to.

Choices where the paper leaves something open:

- accepted multi-traces are those of paths to nodes without further exploration. For i1 this gives
  its 16; shorter ones are slices of them;
- exhaustive slices are the windows of every component, the empty one once, which gives its 7,996.
  Windows that record the same are one slice, so only 6,100 of them differ;
- random exploration is the strategy of high coverage with shuffled steps, begun again with the next
  seed until there are as many multi-traces as asked for: for i2 this gives multi-traces of up to
  123 actions, as the published data have. A plain random depth-first search gives only variations
  of one path; - a slice without a mutant is left out. A mutant is always different from its slice.

Deviation: every multi-trace is analyzed once, by a decider that keeps what it learns for the next
one, as in practice; the paper has medians of five tries in five processes. The order is random, so
that no kind is always the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from choreomon.core.action import Action
from choreomon.experiments.offline.deadline import Clock, Deadline
from choreomon.experiments.offline.statistics import Summary, summary
from choreomon.interaction.term import Interaction
from choreomon.multitrace.multitrace import Component, MultiTrace
from choreomon.multitrace.mutation import insert_action, swap_actions, swap_components
from choreomon.multitrace.projection import Partition, project_trace
from choreomon.multitrace.slices import random_slice
from choreomon.verify.papers.exploration import Exploration, explore
from choreomon.verify.papers.heuristics import Filters, Priorities
from choreomon.verify.papers.options import Options
from choreomon.verify.verdict import Verdict
from choreomon.verify.verifier import Verifier

if TYPE_CHECKING:
    from random import Random

SliceKind: TypeAlias = Literal["accepted", "slices", "insertions", "swaps", "foreign components"]

SLICE_KINDS: Final[tuple[SliceKind, ...]] = (
    "accepted",
    "slices",
    "insertions",
    "swaps",
    "foreign components",
)
"""Accepted multi-traces and slices of them, which conform; and three kinds of mutants of the
slices, which may or may not."""

Decider: TypeAlias = Literal["slice", "simulate"]

DECIDERS: Final[tuple[Decider, ...]] = ("slice", "simulate")

IN_VAIN: Final = 5
"""Generation stops after this many random explorations in a row without a new multi-trace."""


class Plan(NamedTuple):
    """The plan of what to generate from an interaction.

    - `onto`: the partition of its lifelines;
    - `actions`: those inserted at random;
    - `loops`: loop instances on a path of the exploration;
    - `multi_traces`: how many, by random exploration of `nodes` nodes at a time; None for all that
      exhaustive exploration finds;
    - `slices`: how many different ones to draw of each multi-trace, each with at least the share
      `wide` of every component; None for all.
    """

    interaction: Interaction
    onto: Partition
    actions: tuple[Action, ...]
    loops: int
    multi_traces: int | None = None
    nodes: int = 10_000
    slices: int | None = None
    wide: Fraction = Fraction(1, 3)


def windows(multitrace: MultiTrace) -> Iterator[MultiTrace]:
    """Yields every slice, as often as there are places at which it occurs; the empty window of each
    component once."""
    local = [
        [(0, 0)]
        + [
            (start, stop)
            for start in range(len(part.actions))
            for stop in range(start + 1, len(part.actions) + 1)
        ]
        for part in multitrace.components
    ]
    for chosen in product(*local):
        yield MultiTrace(
            tuple(
                Component(part.lifelines, tuple(part.actions[start:stop]))
                for part, (start, stop) in zip(multitrace.components, chosen, strict=True)
            )
        )


def accepted_multi_traces(rng: Random, plan: Plan) -> list[MultiTrace]:
    """The accepted multi-traces of a plan, all different. Fewer than it asks for if random
    exploration, begun `IN_VAIN` times in a row, found no new one."""
    if plan.multi_traces is None:
        filters = Filters(max_loop_depth=plan.loops)
        return list(_at_the_end(explore(plan.interaction, filters=filters), plan.onto))
    found: dict[MultiTrace, None] = {}
    in_vain = 0
    filters = Filters(max_loop_depth=plan.loops, max_node_number=plan.nodes)
    while len(found) < plan.multi_traces and in_vain < IN_VAIN:
        shuffled = Priorities(random_seed=rng.getrandbits(32))
        part = explore(plan.interaction, strategy="hcs", priorities=shuffled, filters=filters)
        before = len(found)
        found.update(_at_the_end(part, plan.onto))
        in_vain = 0 if len(found) > before else in_vain + 1
    return list(found)[: plan.multi_traces]


def _at_the_end(explored: Exploration, onto: Partition) -> dict[MultiTrace, None]:
    """The accepted multi-traces of nodes without further exploration."""
    return {
        project_trace(explored.trace(node.number), onto): None
        for node in explored.nodes
        if node.terminates and not node.children
    }


class Sample(NamedTuple):
    """A multi-trace of an experiment. `conforms` is None for mutants: nobody knows."""

    kind: SliceKind
    multitrace: MultiTrace

    @property
    def conforms(self) -> bool | None:
        return True if self.kind in ("accepted", "slices") else None


def samples(rng: Random, plan: Plan) -> list[Sample]:
    """The samples that a plan generates, kind by kind."""
    accepted = accepted_multi_traces(rng, plan)
    cut: list[MultiTrace] = []
    for whole in accepted:
        cut += windows(whole) if plan.slices is None else _drawn(rng, whole, plan)
    mutants: dict[SliceKind, Iterable[MultiTrace | None]] = {
        "accepted": accepted,
        "slices": cut,
        "insertions": [insert_action(rng, one, plan.actions) for one in cut],
        "swaps": [swap_actions(rng, one) for one in cut],
        "foreign components": [_with_foreign_component(rng, one, cut) for one in cut],
    }
    return [
        Sample(kind, multitrace)
        for kind in SLICE_KINDS
        for multitrace in mutants[kind]
        if multitrace is not None
    ]


def _drawn(rng: Random, whole: MultiTrace, plan: Plan) -> dict[MultiTrace, None]:
    """Different slices, as many as asked for or as can be found in twice as many draws."""
    assert plan.slices is not None
    drawn: dict[MultiTrace, None] = {}
    for _ in range(2 * plan.slices):
        if len(drawn) == plan.slices:
            break
        drawn[random_slice(rng, whole, wide=plan.wide)] = None
    return drawn


def _with_foreign_component(
    rng: Random, one: MultiTrace, others: Sequence[MultiTrace]
) -> MultiTrace | None:
    swapped = swap_components(rng, one, rng.choice(others))
    return None if swapped is None else swapped[0]


def limited(rng: Random, made: Iterable[Sample], limit: int | None) -> list[Sample]:
    """Choose at most `limit` samples of every kind, uniformly."""
    kept: list[Sample] = []
    by_kind: dict[SliceKind, list[Sample]] = {kind: [] for kind in SLICE_KINDS}
    for one in made:
        by_kind[one.kind].append(one)
    for ones in by_kind.values():
        kept += ones if limit is None or len(ones) <= limit else rng.sample(ones, limit)
    return kept


class SliceMeasurement(NamedTuple):
    """The answer of a decider to a multi-trace, and the seconds that it took."""

    decider: Decider
    kind: SliceKind
    length: int
    verdict: Verdict
    seconds: float


class SliceResults(NamedTuple):
    """The measurements, and the samples with answers that cannot be right: a conforming one
    rejected, a non-conforming one accepted, or `slice` not knowing."""

    measurements: tuple[SliceMeasurement, ...]
    wrong: tuple[Sample, ...]


def measured(
    interaction: Interaction, shuffled: Iterable[Sample], *, clock: Clock, budget: float
) -> SliceResults:
    """Decide every sample by `slice` and then by `simulate`. `budget` (seconds) is for one
    multi-trace by one decider: `slice` may use it up as well, and then its answer counts as
    wrong."""
    deadline = Deadline(clock, budget)
    exact = Verifier(interaction, "slice", should_stop=deadline.stop)
    # A slice is what the paper calls Pass, accepted or not.
    options = Options(goal=Verdict.WEAK_PASS, should_stop=deadline.stop)
    bounded = Verifier(interaction, "simulate", options=options)
    found: list[SliceMeasurement] = []
    wrong: list[Sample] = []
    for sample in shuffled:
        verdicts: list[Verdict] = []
        for decider, verifier in zip(DECIDERS, (exact, bounded), strict=True):
            deadline.begin()
            verdict = verifier.decide(sample.multitrace).verdict
            seconds = deadline.passed()
            verdicts.append(verdict)
            found.append(
                SliceMeasurement(decider, sample.kind, sample.multitrace.length, verdict, seconds)
            )
        decided, simulated = verdicts
        known = not decided.inconclusive and (decided.passes or not simulated.passes)
        if not known or (sample.conforms and not decided.passes):
            wrong.append(sample)
    return SliceResults(tuple(found), tuple(wrong))


class SliceRow(NamedTuple):
    """The row of a decider and a kind (None: all): the number of multi-traces, how many were found
    to be slices, found not to be, and not decided; seconds for one multi-trace."""

    decider: Decider
    kind: SliceKind | None
    number: int
    passed: int
    failed: int
    undecided: int
    seconds: Summary


def slice_rows(measurements: Sequence[SliceMeasurement]) -> tuple[SliceRow, ...]:
    """The rows that have measurements, each decider's kinds before all of them together."""
    rows: list[SliceRow] = []
    for decider in DECIDERS:
        for kind in (*SLICE_KINDS, None):
            own = [m for m in measurements if m.decider == decider and kind in (None, m.kind)]
            if own:
                passed = sum(m.verdict.passes for m in own)
                undecided = sum(m.verdict.inconclusive for m in own)
                rows.append(
                    SliceRow(
                        decider=decider,
                        kind=kind,
                        number=len(own),
                        passed=passed,
                        failed=len(own) - passed - undecided,
                        undecided=undecided,
                        seconds=summary([m.seconds for m in own]),
                    )
                )
    return tuple(rows)


PUBLISHED: Final = {
    "i1": Summary(
        minimum=0.0000244,
        first_quartile=0.0006778,
        median=0.0013147,
        mean=0.0015983,
        third_quartile=0.0022617,
        maximum=0.0169286,
        deviation=0.00123059,
    ),
    "i2": Summary(
        minimum=0.000110,
        first_quartile=0.002094,
        median=0.006858,
        mean=0.041766,
        third_quartile=0.015368,
        maximum=14.637815,
        deviation=0.3170166,
    ),
}
"""Seconds of HIBOU for one multi-trace of any kind (the slices paper, Fig. 12), on an Intel Core
i5-6360U (2 GHz), compiled."""
