"""Executions that are longer than brute force can judge, and what several clocks saw of them.

Interactions are drawn over all operators; an execution is a random walk to a point where the
interaction may stop, so what its observations are is known without deciding anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final, NamedTuple

from choreomon.core.action import Action
from choreomon.interaction.generation import ALL_OPERATORS, random_interaction
from choreomon.interaction.step import frontier
from choreomon.interaction.term import Interaction
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.multitrace.mutation import alphabet, insert_action, swap_actions
from choreomon.multitrace.projection import Partition, partition, project_trace
from choreomon.multitrace.slices import random_multi_prefix, random_slice

LIFELINES: Final = ("l1", "l2", "l3")
MESSAGES: Final = ("a", "b")
PARTITIONS: Final = tuple(
    partition(part.split(",") for part in text.split())
    for text in ("l1 l2 l3", "l1,l2 l3", "l1 l2,l3", "l1,l2,l3")
)


class Execution(NamedTuple):
    """An accepted global trace, and how it is observed."""

    interaction: Interaction
    trace: tuple[Action, ...]
    clocks: Partition

    @property
    def observed(self) -> MultiTrace:
        """All of it."""
        return project_trace(self.trace, self.clocks)


def executions(
    seed: int, number: int, *, longest: int = 6, largest: int = 12
) -> Iterator[Execution]:
    """Random executions of at least 2 and at most `longest` actions."""
    rng = Random(seed)
    made = 0
    while made < number:
        term = random_interaction(
            rng,
            lifelines=LIFELINES,
            messages=MESSAGES,
            operators=ALL_OPERATORS,
            min_depth=3,
            min_size=5,
            max_size=largest,
        )
        trace = _walk(rng, term, longest)
        if trace is None or len(trace) < 2:
            continue
        made += 1
        yield Execution(term, trace, rng.choice(PARTITIONS))


def _walk(rng: Random, term: Interaction, longest: int) -> tuple[Action, ...] | None:
    """An accepted trace: the last point of a random walk where the interaction may stop."""
    done: list[Action] = []
    accepted: tuple[Action, ...] | None = () if term.terminates else None
    for _ in range(longest):
        steps = frontier(term)
        if not steps:
            break
        _, action, term = rng.choice(steps)
        done.append(action)
        if term.terminates:
            accepted = tuple(done)
    return accepted


def observations(rng: Random, execution: Execution) -> Iterator[MultiTrace]:
    """Of one execution: all of it, a projected prefix, a multi-prefix, a slice, and two mutants
    of the slice, of which nobody knows what they are."""
    whole = execution.observed
    yield whole
    cut = rng.randrange(len(execution.trace) + 1)
    yield project_trace(execution.trace[:cut], execution.clocks)
    yield random_multi_prefix(rng, whole)
    part = random_slice(rng, whole)
    yield part
    yield insert_action(rng, part, alphabet(LIFELINES, MESSAGES)) or part
    yield swap_actions(rng, part) or part
