"""The shortest way to where an interaction may stop, compared with all ways there are."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from choreomon.interaction import completion
from choreomon.interaction.completion import shortest_completion
from choreomon.interaction.denotation import traces
from choreomon.interaction.term import Interaction, alt, coreg, par, seq, strict
from tests.interaction.drawn import a, interactions

LONGEST = 5


def shortest_of_all(term: Interaction) -> int | None:
    """By the denotation; `None` where every accepted trace is longer than `LONGEST`."""
    return min((len(trace) for trace in traces(term, LONGEST)), default=None)


def test_it_is_accepted_and_none_is_shorter() -> None:
    seen = 0
    for term in interactions(0, 400, max_size=14):
        found = tuple(shortest_completion(term))
        shortest = shortest_of_all(term)
        if shortest is None:
            assert len(found) > LONGEST
            continue
        seen += len(found) > 1
        assert len(found) == shortest
        assert found in traces(term, LONGEST)
    assert seen > 50


def test_that_law_notices_the_longer_operand_of_a_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(completion, "min", max, raising=False)  # in the module, of the two operands
    term = alt(a("l1!a"), seq(a("l1!a"), a("l1!b")))
    assert len(shortest_completion(term)) != shortest_of_all(term)


@pytest.mark.parametrize("operator", [seq, par, strict, partial(coreg, 1)])
@pytest.mark.parametrize("left", [False, True], ids=["right", "left"])
def test_deep_interactions_are_completed_without_stepping_through_them(
    operator: Callable[..., Interaction], left: bool
) -> None:
    whole = a("l1!a0")
    for number in range(1, 5_000):
        one = a(f"l{number % 3}!a{number}")
        whole = operator(whole, one) if left else operator(one, whole)
    assert len(shortest_completion(whole)) == 5_000
    assert whole._steps is None
