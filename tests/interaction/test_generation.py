"""Random interactions: the removal paper, section 6.1."""

from __future__ import annotations

from random import Random

import pytest

from choreomon.interaction.generation import ALL_OPERATORS, PAPER_OPERATORS, random_interaction
from choreomon.interaction.lifelines import names
from choreomon.interaction.measures import metrics
from choreomon.interaction.normal import simplify
from choreomon.interaction.term import operator_name, subterms

FIVE = ("a", "b", "c", "d", "e")
SIX = ("m1", "m2", "m3", "m4", "m5", "m6")


def test_interactions_are_as_deep_and_large_as_the_paper_asks_for() -> None:
    rng = Random(1)
    for _ in range(100):
        term = random_interaction(rng, lifelines=FIVE, messages=SIX)
        assert term.depth >= 6
        assert 20 <= term.size <= 200
        assert simplify(term) is term
        assert set(names(term.lifelines)) <= set(FIVE)
        assert set(metrics(term).messages) <= set(SIX)


def test_the_same_seed_draws_the_same_interactions() -> None:
    drawn = [
        [random_interaction(rng, lifelines=FIVE, messages=SIX) for _ in range(5)]
        for rng in (Random(7), Random(7))
    ]
    assert drawn[0] == drawn[1]
    assert len(set(drawn[0])) == 5


@pytest.mark.parametrize("operators", [PAPER_OPERATORS, ALL_OPERATORS, ("seq", "loopH")])
def test_every_operator_that_is_asked_for_comes_up_and_no_other(
    operators: tuple[str, ...],
) -> None:
    rng = Random(2)
    found: set[str] = set()
    for _ in range(60):
        term = random_interaction(rng, lifelines=FIVE, messages=SIX, operators=operators)
        found |= {
            operator_name(part).split("(")[0] for part in subterms(term) if part.left is not None
        }
    # A region drawn empty or full has the name of its special case.
    allowed = set(operators)
    assert set(operators) <= found <= allowed | ({"seq", "loopW"} if "coreg" in allowed else set())


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(ValueError, match="none of 50 draws has a depth of 9 or more"):
        random_interaction(
            Random(1), lifelines=FIVE, messages=SIX, min_depth=9, max_size=5, attempts=50
        )
    with pytest.raises(ValueError, match="no operator is called 'sync'"):
        random_interaction(Random(1), lifelines=FIVE, messages=SIX, operators=("sync",))
