"""Small random questions with their answers by brute force, for tests and benchmarks; and how
interactions and logs are written in tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import Final, NamedTuple

from choreomon.core.action import parse_action
from choreomon.interaction.denotation import traces
from choreomon.interaction.generation import ALL_OPERATORS, random_interaction
from choreomon.interaction.term import Interaction, strict
from choreomon.multitrace.multitrace import Component, MultiTrace, component, multi_trace
from choreomon.multitrace.mutation import alphabet, insert_action, swap_actions
from choreomon.multitrace.projection import Partition, discrete, partition, project_trace, trivial
from choreomon.multitrace.slices import random_multi_prefix, random_slice
from choreomon.verify.beam_search import Beam, ExactMode, Search
from choreomon.verify.exact import ExactDecider
from choreomon.verify.verdict import Verdict
from choreomon.verify.verifier import Verifier
from tests.interaction.drawn import a as do
from tests.verify.oracle import Oracle, sufficient_length

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

DISCRETE: Final = (*[discrete(LIFELINES)] * 7, PARTITIONS[2])
"""Mostly logs of one lifeline each."""

ORDERED: Final = ("strict", "strict", "seq", "seq", "par", "coreg", "coreg", "alt")
"""Interactions without loops may have 16 symbols, and questions about them be answered."""

LONGEST: Final = 8
"""Questions that need longer traces to be answered by brute force are not asked."""
MOST: Final = 3_000
"""Nor those about interactions with more traces of up to 7 actions."""


def multi(**local: str) -> MultiTrace:
    """Components by co-localization, as in `l1_l2="l1!a l2?a"`."""
    return multi_trace(
        component(names.split("_"), [parse_action(word) for word in text.split()])
        for names, text in local.items()
    )


def passing(sender: str, message: str, receiver: str) -> Interaction:
    """A message that is received after it was sent."""
    return strict(do(f"{sender}!{message}"), do(f"{receiver}?{message}"))


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
    partitions: Sequence[Partition] = PARTITIONS,
) -> Iterator[Question]:
    """What is asked about one random interaction: slices, multi-prefixes and their mutants, over
    each of these partitions. None for some seeds."""
    rng = Random(seed)
    interaction = random_interaction(
        rng,
        lifelines=LIFELINES,
        messages=MESSAGES,
        operators=operators,
        min_depth=3,
        min_size=4 if largest < 14 else 8,
        max_size=largest,
    )
    accepted = sorted(traces(interaction, 7))
    if not 0 < len(accepted) <= MOST:
        return
    oracles: dict[int, Oracle] = {}
    for onto in partitions:
        for multitrace in _observations(rng, project_trace(rng.choice(accepted), onto)):
            length = sufficient_length(interaction, multitrace.length)
            if length > LONGEST or multitrace.length > 5:
                continue
            oracle = oracles.setdefault(length, Oracle(interaction, length))
            for mode in modes:
                yield Question(interaction, multitrace, mode, oracle.judge(multitrace, mode))


def _observations(rng: Random, whole: MultiTrace) -> Iterator[MultiTrace]:
    kind = rng.random()
    if kind < 0.3:
        part = random_multi_prefix(rng, whole)
    elif kind < 0.5:
        part = random_slice(rng, whole)
    else:
        part = _late(rng, whole)
    yield part
    part = insert_action(rng, part, alphabet(LIFELINES, MESSAGES)) or part
    yield part
    yield swap_actions(rng, part) or part


def _late(rng: Random, whole: MultiTrace) -> MultiTrace:
    """A wide slice, of which most components begin late."""
    parts: list[Component] = []
    for part in whole.components:
        start = min(rng.randint(0, 2), max(len(part.actions) - 1, 0))
        end = len(part.actions) - (rng.random() < 0.3)
        parts.append(Component(part.lifelines, tuple(part.actions[start : max(start, end)])))
    return MultiTrace(tuple(parts))


def wrong(
    seeds: range,
    modes: Sequence[ExactMode] = EXACT_MODES,
    operators: Sequence[str] = ALL_OPERATORS,
    largest: int = 9,
    met: Counter[tuple[ExactMode, Verdict]] | None = None,
) -> list[Question]:
    """The questions of these seeds that verifiers, one for each interaction and mode, answer
    wrongly. `met` counts the right verdicts."""
    found = []
    for seed in seeds:
        verifiers: dict[ExactMode, Verifier] = {}
        for question in questions(seed, modes, operators, largest):
            if met is not None:
                met[question.mode, question.verdict] += 1
            if question.mode not in verifiers:
                verifiers[question.mode] = Verifier(question.interaction, question.mode)
            answer = verifiers[question.mode].decide(question.multitrace)
            if answer.verdict is not question.verdict:
                found.append(question)
    return found


def searched(
    interaction: Interaction,
    seen: MultiTrace,
    mode: ExactMode,
    width: int | None = None,
    *,
    eager: bool = False,
) -> Search:
    """The search alone, of what is about lifelines of the interaction, in a beam of one width."""
    decider = ExactDecider(interaction, mode)
    parts = decider.observed(seen)
    assert parts is not None
    search = decider.search(parts, mode, None, Search)
    search.attempt(Beam(width, eager))
    return search


def beams(*widths: int | None) -> tuple[Beam, ...]:
    """What is tried instead of `beam_search.BEAMS`; eagerly, too, where the mode is `slice`."""
    return tuple(Beam(width, eager) for width in widths for eager in (width is not None, False))


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
