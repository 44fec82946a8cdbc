"""Which lifelines an interaction orders: worked out quickly, and by the definition."""

from __future__ import annotations

from random import Random

import pytest

from choreomon.core.action import emission
from choreomon.interaction import order as module
from choreomon.interaction.generation import random_interaction
from choreomon.interaction.lifelines import NONE, Mask, each, mask
from choreomon.interaction.order import Order, is_exact_to_weaken
from choreomon.interaction.term import (
    Interaction,
    Operator,
    act,
    loop_c,
    par,
    strict,
    subterms,
)

OPERATORS = ("strict", "strict", "par", "coreg", "seq", "alt", "loopS", "loopH", "loopC", "loopW")


def terms(count: int) -> list[Interaction]:
    rng = Random(11)
    return [
        random_interaction(
            rng,
            lifelines=tuple(f"l{number}" for number in range(rng.choice((3, 4, 6)))),
            messages=("m", "n"),
            operators=OPERATORS,
            min_depth=3,
            min_size=8,
            max_size=20,
        )
        for _ in range(count)
    ]


def quickly(term: Interaction) -> Order:
    """As `is_exact_to_weaken` finds it, without what waits for nothing."""
    orders: dict[Interaction, Order] = {}
    for part in subterms(term):
        left = {} if part.left is None else orders[part.left]
        right = {} if part.right is None else orders[part.right]
        orders[part] = module._order(part, left, right)
    return {before: waiting for before, waiting in orders[term].items() if waiting}


def by_definition(term: Interaction) -> Order:
    """All that a strict-like operator says, and then what follows, pair by pair."""
    pairs: set[tuple[Mask, Mask]] = set()
    for part in subterms(term):
        if part.left is None:
            continue
        if part.operator in (Operator.LOOP_S, Operator.LOOP_H):
            then = part.left
        elif part.operator is Operator.STRICT and part.right is not None:
            then = part.right
        else:
            continue
        pairs |= {(x, y) for x in each(part.left.lifelines) for y in each(then.lifelines)}
    while more := {(x, z) for x, y in pairs for other, z in pairs if y == other} - pairs:
        pairs |= more
    found: Order = {}
    for x, y in pairs:
        if x != y:
            found[x] = found.get(x, NONE) | y
    return found


def wrong(count: int) -> int:
    return sum(quickly(term) != by_definition(term) for term in terms(count))


def test_orders_are_those_of_the_definition() -> None:
    assert not wrong(1_500)


@pytest.mark.parametrize("bug", ["nothing is behind", "nothing follows"])
def test_orders_that_are_not_transitive_are_noticed(
    monkeypatch: pytest.MonkeyPatch, bug: str
) -> None:
    if bug == "nothing follows":
        monkeypatch.setattr(module, "_shared", lambda term: NONE)
    else:
        monkeypatch.setattr(
            module,
            "_together",
            lambda left, right, term: {**left, **right},
        )
    assert wrong(300)


def twice(lifelines: int) -> Interaction:
    """Two sessions that go through all lifelines in the same order."""
    both = [
        strict(*(act(emission(f"l{number}", message)) for number in range(lifelines)))
        for message in "mn"
    ]
    return par(*both)


def iterations(lifelines: int) -> Interaction:
    names = [f"l{number}" for number in range(lifelines)]
    each_one = (strict(act(emission(name, "m")), act(emission(name, "n"))) for name in names)
    return loop_c(mask(names), strict(*each_one))


@pytest.mark.parametrize("lifelines", [125, 500])
def test_sessions_of_many_lifelines_are_not_too_many(
    lifelines: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert is_exact_to_weaken(twice(lifelines))
    assert is_exact_to_weaken(iterations(lifelines))
    monkeypatch.setattr(module, "MOST", 1_000)
    assert not is_exact_to_weaken(twice(lifelines)), "it takes as long as there are lifelines"
