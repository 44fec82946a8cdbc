"""Rules that are added to agents that run, or left out: the history of others stays what it was,
and of a rule that came later all is possible that may have been before it."""

from __future__ import annotations

from choreomon.core.message import Message
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED
from choreomon.documents.read import parse_document
from choreomon.properties.automaton import SequenceAutomaton
from tests.runtime.rolled import NEW, OLD, Beside

NAMES = ("bank", "shop", "carrier")
REFUND = Message("bank", "refund", "shop")
PAID = Message("bank", "paid", "shop")
REVERSED = Message("bank", "reversed", "shop")
SHIP = Message("shop", "ship", "carrier")

REFUNDS = '  - {id: refunds, never: "shop -> carrier : ship", after: "bank -> shop : refund"}\n'
PAYMENTS = (
    '  - {id: payments, never: "shop -> carrier : ship", unless: "bank -> shop : paid", '
    'until: "bank -> shop : reversed"}\n'
)
LIDS = '  - {id: lids, never: "carrier -> shop : open", after: "shop -> carrier : ship"}\n'


def rules(*texts: str) -> SequenceAutomaton:
    loaded = parse_document(f"rules:\n{''.join(texts)}", "rules.yaml").property
    assert loaded is not None
    return loaded.automaton


def beside(old: SequenceAutomaton, new: SequenceAutomaton) -> Beside:
    return Beside(NAMES, old, new)


def rolled_out(system: Beside) -> None:
    """All open the new rules, then all close the old ones."""
    system.roll([OLD, NEW])
    system.roll([NEW], closing=[OLD])


def test_a_rule_that_is_added_leaves_the_history_of_the_others_alone() -> None:
    system = beside(rules(REFUNDS), rules(LIDS, REFUNDS))  # whose states are called otherwise now
    system.passes(REFUND)
    rolled_out(system)
    system.passes(SHIP)
    system.delivers()
    assert system.last(NEW) == [("shop", VIOLATED)]


def test_a_rule_that_is_left_out_leaves_the_history_of_the_others_alone() -> None:
    system = beside(rules(LIDS, REFUNDS), rules(REFUNDS))
    system.passes(REFUND)
    rolled_out(system)
    system.passes(SHIP)
    system.delivers()
    assert system.last(NEW) == [("shop", VIOLATED)]


def test_nothing_is_said_of_others_where_nothing_happened_to_them() -> None:
    for old, new in (((REFUNDS,), (LIDS, REFUNDS)), ((LIDS, REFUNDS), (REFUNDS,))):
        system = beside(rules(*old), rules(*new))
        rolled_out(system)
        system.passes(SHIP)
        system.delivers()
        assert system.said == []


def test_of_a_rule_that_came_later_what_may_have_allowed_it_before_is_possible() -> None:
    """Whether it was paid is not known, so it is neither missed nor made up."""
    for paid in (False, True):
        system = beside(rules(REFUNDS), rules(REFUNDS, PAYMENTS))
        if paid:
            system.passes(PAID)
        rolled_out(system)
        system.passes(SHIP)
        system.delivers()
        assert system.last(NEW) == [("shop", POSSIBLY_VIOLATED)]


def test_of_a_rule_that_came_later_it_is_certain_what_happens_once_it_is_open() -> None:
    system = beside(rules(REFUNDS), rules(REFUNDS, PAYMENTS))
    rolled_out(system)
    system.passes(REVERSED)
    system.passes(SHIP)
    system.delivers()
    assert system.last(NEW) == [("shop", VIOLATED)]
    system.passes(PAID)
    system.passes(SHIP)
    system.delivers()
    assert len(system.said) == 1


def test_of_a_rule_that_came_later_it_is_certain_that_what_was_paid_since_may_be_shipped() -> None:
    """Whether it was live or not before it is taken back, it is not afterwards."""
    system = beside(rules(REFUNDS), rules(REFUNDS, PAYMENTS))
    rolled_out(system)
    system.passes(PAID)
    system.passes(SHIP)
    system.delivers()
    assert system.said == []


def test_a_rule_with_a_beginning_keeps_what_it_knows_when_others_come_and_go() -> None:
    for old, new in (
        ((PAYMENTS,), (LIDS, PAYMENTS)),
        ((LIDS, PAYMENTS), (PAYMENTS,)),
    ):
        system = beside(rules(*old), rules(*new))
        rolled_out(system)
        system.passes(SHIP)
        system.delivers()
        assert system.last(NEW) == [("shop", VIOLATED)]
        paid = beside(rules(*old), rules(*new))
        paid.passes(PAID)
        rolled_out(paid)
        paid.passes(SHIP)
        paid.delivers()
        assert paid.said == []
