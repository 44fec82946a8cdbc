"""Interactions as people write them."""

from __future__ import annotations

import pytest

from choreomon.core.action import emission, reception
from choreomon.hibou.model import read_interaction
from choreomon.interaction.term import EMPTY, act, loop_w, seq
from choreomon.interaction.written import written
from tests.interaction.drawn import interactions, passing


def test_messages_that_are_passed_are_arrows() -> None:
    order = passing("shop", "order", "bank")
    assert written(order) == "shop -- order -> bank"
    whole = seq(order, act(reception("shop", "paid")), loop_w(act(emission("shop", "bill"))))
    assert written(whole) == "seq(shop -- order -> bank, paid -> shop, loopW(shop -- bill ->|))"
    assert written(EMPTY) == "o"


@pytest.mark.parametrize("seed", range(20))
def test_what_is_written_can_be_read(seed: int) -> None:
    for term in interactions(seed, 10, max_size=20):
        assert read_interaction(written(term)) is term
