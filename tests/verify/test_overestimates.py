"""Easier interactions accept at least what they stand for, by the definition: all traces."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations
from random import Random

import pytest

from choreomon.core.action import Action
from choreomon.interaction.denotation import traces
from choreomon.interaction.generation import random_interaction
from choreomon.interaction.term import Interaction, Operator, loop_h, loop_w, subterms
from choreomon.verify import overestimates
from choreomon.verify.overestimates import onto_messages, without_heads
from tests.verify.papers.questions import LIFELINES, OPERATORS, a

MESSAGES = ("a", "b", "c")
LONGEST = 5
"""Of the traces that are compared."""


def interactions(seed: int, number: int, operators: tuple[str, ...]) -> Iterator[Interaction]:
    rng = Random(seed)
    found = 0
    while found < number:
        term = random_interaction(
            rng,
            lifelines=LIFELINES[:2],
            messages=MESSAGES,
            operators=operators,
            min_depth=3,
            min_size=4,
            max_size=10,
        )
        if len(traces(term, LONGEST)) < 1_000:
            found += 1
            yield term


def left_over(term: Interaction, messages: frozenset[str]) -> set[tuple[Action, ...]]:
    """What is left of the traces of a term without the actions of other messages."""
    return {
        tuple(one for one in trace if one.message in messages) for trace in traces(term, LONGEST)
    }


def lost(number: int) -> int:
    """How many terms do not accept, projected onto some messages, what is left of their traces."""
    some = [frozenset(two) for two in chain(combinations(MESSAGES, 1), combinations(MESSAGES, 2))]
    found = 0
    for term in interactions(1, number, tuple(one for one in OPERATORS if one != "loopH")):
        for messages in some:
            there = onto_messages(term, messages, {})
            found += not left_over(term, messages) <= traces(there, LONGEST)
    return found


def test_without_the_actions_of_other_messages_what_is_left_of_traces_is_accepted() -> None:
    assert not lost(300)


def test_what_was_made_before_is_used_again() -> None:
    made: dict[Interaction, Interaction] = {}
    for term in interactions(2, 50, ("strict", "seq", "alt", "loopS")):
        there = onto_messages(term, frozenset("ab"), made)
        assert there is onto_messages(term, frozenset("ab"), {})
        assert not {one.action.message for one in subterms(there) if one.action} & {"c"}
    assert len(made) > 50


@pytest.mark.parametrize(
    ("operator", "instead"), [(Operator.COREG, Operator.STRICT), (Operator.LOOP_C, Operator.LOOP_S)]
)
def test_the_law_of_messages_notices_operators_that_order_more(
    operator: Operator, instead: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = overestimates.combined

    def stricter(one: Operator, region: int, *operands: Interaction) -> Interaction:
        return whole(instead if one is operator else one, region, *operands)

    monkeypatch.setattr(overestimates, "combined", stricter)
    assert lost(100)


def test_without_heads_at_least_as_much_is_accepted() -> None:
    more = 0
    for term in interactions(3, 300, OPERATORS):
        there = without_heads(term)
        assert not any(part.operator is Operator.LOOP_H for part in subterms(there))
        assert traces(term, LONGEST) <= traces(there, LONGEST)
        more += traces(term, LONGEST) != traces(there, LONGEST)
    assert more


def test_on_one_lifeline_heads_make_no_difference() -> None:
    assert without_heads(loop_h(a("l1!a"))) is loop_w(a("l1!a"))
    assert traces(loop_h(a("l1!a")), LONGEST) == traces(loop_w(a("l1!a")), LONGEST)
