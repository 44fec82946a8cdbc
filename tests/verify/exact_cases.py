"""Small random questions with their answers by brute force, for tests and benchmarks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Final, NamedTuple

from choreomon.interaction.denotation import traces
from choreomon.interaction.generation import ALL_OPERATORS, random_interaction
from choreomon.interaction.term import Interaction
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.multitrace.mutation import alphabet, insert_action, swap_actions
from choreomon.multitrace.projection import Partition, discrete, partition, project_trace, trivial
from choreomon.multitrace.slices import random_multi_prefix, random_slice
from choreomon.verify.beam_search import ExactMode
from choreomon.verify.oracle import Oracle, sufficient_length
from choreomon.verify.verdict import Verdict

LIFELINES: Final = ("l1", "l2", "l3")
MESSAGES: Final = ("m", "n")
EXACT_MODES: Final[tuple[ExactMode, ...]] = ("accept", "prefix", "multiprefix", "slice")
PARTITIONS: Final[tuple[Partition, ...]] = (
    trivial(LIFELINES),
    discrete(LIFELINES),
    partition([["l1", "l2"], ["l3"]]),
    partition([["l1"], ["l2", "l3"]]),
    partition([["l1", "l3"], ["l2"]]),
)

LONGEST: Final = 8
"""Questions that need longer traces to be answered by brute force are not asked."""
MOST: Final = 3_000
"""Nor those about interactions with more traces of up to 7 actions."""


class Question(NamedTuple):
    """Is `multitrace` what `mode` asks for? `verdict` is the answer."""

    interaction: Interaction
    multitrace: MultiTrace
    mode: ExactMode
    verdict: Verdict


def questions(
    seed: int,
    modes: Sequence[ExactMode] = EXACT_MODES,
    operators: Sequence[str] = ALL_OPERATORS,
    largest: int = 9,
) -> Iterator[Question]:
    """What is asked about one random interaction: slices, multi-prefixes and their mutants, over
    five partitions. None for some seeds."""
    rng = Random(seed)
    interaction = random_interaction(
        rng,
        lifelines=LIFELINES,
        messages=MESSAGES,
        operators=operators,
        min_depth=3,
        min_size=4,
        max_size=largest,
    )
    accepted = sorted(traces(interaction, 7))
    if len(accepted) > MOST:
        return
    oracles: dict[int, Oracle] = {}
    for onto in PARTITIONS:
        for multitrace in _observations(rng, project_trace(rng.choice(accepted), onto)):
            length = sufficient_length(interaction, multitrace.length)
            if length > LONGEST or multitrace.length > 5:
                continue
            oracle = oracles.setdefault(length, Oracle(interaction, length))
            for mode in modes:
                yield Question(interaction, multitrace, mode, oracle.judge(multitrace, mode))


def _observations(rng: Random, whole: MultiTrace) -> Iterator[MultiTrace]:
    part = random_multi_prefix(rng, whole) if rng.random() < 0.4 else random_slice(rng, whole)
    yield part
    part = insert_action(rng, part, alphabet(LIFELINES, MESSAGES)) or part
    yield part
    yield swap_actions(rng, part) or part


def longer(seed: int) -> Iterator[tuple[Interaction, MultiTrace]]:
    """Longer slices of a random interaction with more messages, and mutants of them, over four
    partitions: too long for brute force. No case for a seed whose interaction has too many traces.
    """
    rng = Random(seed)
    interaction = random_interaction(
        rng,
        lifelines=LIFELINES,
        messages=(*MESSAGES, "o"),
        operators=("strict", "strict", "seq", "par", "coreg", "alt", "loopS", "loopW", "loopC"),
        min_depth=3,
        min_size=6,
        max_size=14,
    )
    accepted = sorted(traces(interaction, 8))
    if len(accepted) > 2 * MOST:
        return
    for onto in PARTITIONS[1:]:
        for _ in range(3):
            whole = project_trace(rng.choice(accepted[len(accepted) // 2 :]), onto)
            part = random_slice(rng, whole, wide=0.5)
            yield interaction, part
            for _ in range(2):
                part = swap_actions(rng, part) or part
                yield interaction, part
