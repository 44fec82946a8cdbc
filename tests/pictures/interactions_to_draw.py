"""Interactions that tests draw."""

from __future__ import annotations

import random
from collections.abc import Callable

from choreomon.interaction.generation import ALL_OPERATORS, random_interaction
from choreomon.interaction.lifelines import mask
from choreomon.interaction.term import (
    EMPTY,
    Interaction,
    alt,
    coreg,
    loop_p,
    loop_w,
    par,
    seq,
    strict,
)
from tests.interaction.drawn import a, passing

FIGURE_2 = seq(
    coreg(
        mask(["l2"]),
        alt(passing("l1", "m1", "l2", "l3"), EMPTY),
        loop_w(alt(passing("l1", "m2", "l2"), passing("l2", "m3", "l3"))),
    ),
    loop_p(seq(passing("l3", "m4", "l2"), passing("l2", "m5", "l3"))),
)
"""The slices paper, Fig. 2."""


def random_interactions(seed: int, count: int) -> list[Interaction]:
    """Interactions over the whole language, with names of different widths."""
    rng = random.Random(seed)
    return [
        random_interaction(
            rng,
            lifelines=["a", "bb", "a_name_of_some_length", "d"],
            messages=["m", "message", "a_longer_message"],
            operators=ALL_OPERATORS,
            min_depth=3,
            min_size=8,
            max_size=60,
        )
        for _ in range(count)
    ]


DEEP: dict[str, Callable[[Interaction, Interaction], Interaction]] = {
    "strict": strict,
    "seq": seq,
    "par": par,
    "alt": alt,
    "coreg": lambda left, right: coreg(mask(["l1"]), left, right),
}


def nested(
    combine: Callable[[Interaction, Interaction], Interaction], depth: int, to_the_left: bool
) -> Interaction:
    term = a("l1!m0")
    for number in range(1, depth):
        other = a(f"l1!m{number}")
        term = combine(term, other) if to_the_left else combine(other, term)
    return term


def looped(loop: Callable[[Interaction], Interaction], depth: int) -> Interaction:
    term = a("l1!m")
    for _ in range(depth):
        term = loop(term)
    return term
