"""Interactions, multi-traces and options for the tests of the search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from random import Random
from typing import Final, NamedTuple

from choreomon.core.action import parse_action
from choreomon.interaction.denotation import traces
from choreomon.interaction.generation import random_interaction
from choreomon.interaction.lifelines import Mask, mask
from choreomon.interaction.term import Interaction
from choreomon.multitrace.multitrace import MultiTrace, component, multi_trace
from choreomon.multitrace.mutation import alphabet, insert_action
from choreomon.multitrace.projection import partition, project_trace
from choreomon.multitrace.slices import random_slice
from choreomon.verify.papers.heuristics import STRATEGIES
from choreomon.verify.papers.options import LocalAnalyses, Options
from tests.interaction.drawn import a as a
from tests.interaction.drawn import passing as passing
from tests.verify.oracle import Oracle, sufficient_length

OPERATORS: Final = (
    "strict", "seq", "par", "coreg", "alt", "loopS", "loopW", "loopP", "loopC", "loopH",
)  # fmt: skip
LIFELINES: Final = ("l1", "l2", "l3")
PARTITIONS: Final = tuple(
    partition(part.split(",") for part in text.split())
    for text in ("l1 l2 l3", "l1,l2 l3", "l1 l2,l3", "l1,l2,l3")
)


def mask_of(lifelines: str) -> Mask:
    """As in `l1,l2`."""
    return mask(lifelines.split(","))


def logs(text: str) -> MultiTrace:
    """As in `l1,l2: l1!m l2?m; l3:`."""
    parts = []
    for part in text.split(";"):
        lifelines, _, actions = part.partition(":")
        trace = [parse_action(text) for text in actions.split()]
        parts.append(component(lifelines.strip().split(","), trace))
    return multi_trace(parts)


class Question(NamedTuple):
    """An interaction, a multi-trace, and the oracle that knows the verdicts."""

    interaction: Interaction
    multitrace: MultiTrace
    oracle: Oracle


def random_term(
    rng: Random,
    operators: Sequence[str] = OPERATORS,
    *,
    min_depth: int = 3,
    sizes: tuple[int, int] = (4, 11),
) -> Interaction:
    """A small one over three lifelines and two messages."""
    return random_interaction(
        rng,
        lifelines=LIFELINES,
        messages=("a", "b"),
        operators=operators,
        min_depth=min_depth,
        min_size=sizes[0],
        max_size=sizes[1],
    )


def questions(rng: Random, number: int) -> Iterator[Question]:
    """Small random questions over the whole language and several partitions, right and wrong."""
    made = 0
    while made < number:
        term = random_term(rng)
        accepted = sorted(traces(term, 4))
        if not 0 < len(accepted) < 1000:
            continue
        seen = random_slice(rng, project_trace(rng.choice(accepted), rng.choice(PARTITIONS)))
        if rng.random() < 0.4:
            seen = insert_action(rng, seen, alphabet(LIFELINES, ("a", "b"))) or seen
        length = sufficient_length(term, seen.length)
        if length > 7 or len(traces(term, length)) > 2000:
            continue
        made += 1
        yield Question(term, seen, Oracle(term, length))


def every_way() -> list[Options]:
    """The combinations that must never change a verdict."""
    locals_ = (None, LocalAnalyses(), LocalAnalyses("all"), LocalAnalyses("all", 1))
    return [
        Options(strategy=strategy, reduction=reduction, local=local, record=record)
        for strategy, reduction, local, record in product(
            STRATEGIES, ("none", "sound"), locals_, (False, True)
        )
    ]
