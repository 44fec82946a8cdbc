"""Terms as they are written: operands in n-ary notation, and messages that are passed."""

from __future__ import annotations

import pytest

from choreomon.interaction.lifelines import bit
from choreomon.interaction.operands import operands, receivers
from choreomon.interaction.term import Interaction, coreg, seq, strict
from tests.interaction.drawn import a, passing

SENT = a("l1!m")


@pytest.mark.parametrize(
    ("term", "who"),
    [
        (strict(SENT, a("l2?m")), ["l2"]),
        (passing("l1", "m", "l2", "l3"), ["l2", "l3"]),
        (strict(a("l1?m"), a("l2?m")), []),
        (strict(SENT, a("l2?n")), []),
        (strict(SENT, a("l2!m")), []),
        (strict(SENT, seq(a("l2?m"), a("l3!m"))), []),
        (strict(SENT, coreg(bit("l2"), a("l2?m"), a("l3?m"))), []),
        (strict(seq(SENT, SENT), a("l2?m")), []),
        (seq(SENT, a("l2?m")), []),
        (SENT, []),
    ],
    ids=str,
)
def test_a_message_is_passed_by_one_emission_and_its_receptions(
    term: Interaction, who: list[str]
) -> None:
    assert receivers(term) == who


def test_a_message_at_the_end_of_a_chain_is_one_operand_and_two_receptions_are_not() -> None:
    received = strict(a("l2?m"), a("l3?m"))
    message = strict(SENT, a("l2?m"))
    assert operands(strict(SENT, received)) == [SENT, a("l2?m"), a("l3?m")]
    assert operands(strict(a("l1!b"), message)) == [a("l1!b"), message]
