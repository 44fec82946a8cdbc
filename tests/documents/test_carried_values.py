"""What messages carry: how documents say it, and what refuses them."""

from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator

from choreomon.actors.application import OfHandled, Repeat, Start, Tell
from choreomon.actors.compilation import compile_application
from choreomon.cli.documents.schemas import document_schema
from choreomon.core.errors import DocumentError
from choreomon.documents.actors import application_from_document
from choreomon.documents.read import parse_document
from choreomon.files.source_positions import read_positioned

GOOD = """application:
  processes:
    - id: shop
      handlers:
        order: [{send: {to: bank, message: charge, with: {order: $order, by: 7}}}]
        paid:
          - send: {to: carrier, message: ship, with: {order: $order}}
    - id: bank
      handlers:
        charge: [{send: {to: shop, message: paid, with: {order: $order}}}]
    - id: carrier
      handlers: {ship: []}
  start:
    - {to: shop, message: order, with: {order: A-17}, at: 4}
    - {to: shop, message: order, with: {by: -3}, repeat: {order: "8..10", every: 2.5}, at: 1}
property:
  for_each: [order]
  sequences:
    - steps: ["shop -> bank : charge(order)", "shop -> carrier : ship(order)"]
"""


def wrong(old: str, new: str) -> list[str]:
    assert GOOD.count(old) == 1
    with pytest.raises(DocumentError) as caught:
        parse_document(GOOD.replace(old, new), "o.yaml")
    return [f"{each.line}: {each.field}: {each.message}" for each in caught.value.problems]


def test_sends_and_starts_say_what_their_messages_carry() -> None:
    document = parse_document(GOOD, "o.yaml").application
    assert document is not None
    application = application_from_document(document)
    shop = application.processes[0]
    order = OfHandled("order")
    assert shop.handlers["order"] == (Tell("bank", "charge", (("by", "7"), ("order", order))),)
    assert shop.handlers["paid"] == (Tell("carrier", "ship", (("order", order),)),)
    assert application.start == (
        Start("shop", "order", 4000, (("order", "A-17"),)),
        Start("shop", "order", 1000, (("by", "-3"),), Repeat("order", range(8, 11), 2500)),
    )
    assert [(each.at, each.values) for each in compile_application(application).starts] == [
        (4000, (("order", "A-17"),)),
        (1000, (("by", "-3"), ("order", "8"))),
        (3500, (("by", "-3"), ("order", "9"))),
        (6000, (("by", "-3"), ("order", "10"))),
    ]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("by: 7", "by: true", "5: application.processes[0].handlers.order[0].send.with.by: should "
         "be text of 1 to 256 bytes or an integer, not true (put it in quotes)"),
        ("by: 7", "by: ''", "1 to 256 bytes"),
        ("by: 7", f"by: {'é' * 129}", "1 to 256 bytes"),
        ("by: 7", "by: $", "5: application.processes[0].handlers.order[0].send.with.by: should be "
         "$ and a name, as in $order"),
        ("by: 7", "by: $by", "5: application.processes[0].handlers.order[0].send.with.by: is the by"
         " of the message order that shop handles, and start[0] sends one without: let it carry "
         "one, by with: {by: ...}"),
        ("order: A-17", "ordr: A-17", "start[0] sends one without; did you mean 'ordr'?"),
        ("order: A-17", "order: $order", "14: application.start[0].with.order: should be a value, "
         "not '$order'"),
        ("ship, with: {order: $order}", "ship", "7: application.processes[0].handlers.paid[0].send:"
         ' carries no order, and the property says that "shop -> carrier : ship" does: give it '
         "with: {order: $order}"),
        ("ship, with: {order: $order}", "ship, with: {ordr: $order}", "did you mean 'ordr'?"),
        ("paid, with: {order: $order}", "paid", "7: application.processes[0].handlers.paid[0].send."
         "with.order: is the order of the message paid that shop handles, and handler charge of "
         "bank sends one without: let it carry one, by with: {order: ...}"),
        ('"8..10"', '"8-10"', '15: application.start[1].repeat.order: should be a range of integers'
         ', as in "1..1000"'),
        ('"8..10"', '"10..8"', "FIRST <= LAST"),
        ('"8..10"', '"1..100001"', "comes to 100001 messages; at most 100000 are supported"),
        (", every: 2.5", "", "15: application.start[1].repeat.every: is missing: give millisec"),
        ('order: "8..10", ', "", "15: application.start[1].repeat: should have one name with a "
         "range beside every"),
        ('order: "8..10"', 'order: "8..10", x: "1..2"', "beside every, as in "),
        ("{by: -3}", "{order: 1}", "15: application.start[1]: gives order with a value and in rep"),
        ('"shop -> bank : charge(order)"', '"handle env -> shop : order(order, by)"',
         "'by', which is no parameter"),
    ],
)  # fmt: skip
def test_what_cannot_be_carried_is_refused_with_its_line_and_what_to_write(
    old: str, new: str, told: str
) -> None:
    problems = wrong(old, new)
    assert any(told in problem for problem in problems), problems


def test_a_start_that_lacks_what_the_property_speaks_of_is_refused() -> None:
    text = GOOD.replace("order]\n  seq", "order, by]\n  seq")
    text = text.replace("shop -> bank : charge(order)", "handle env -> shop : order(by)")
    text = text.replace("ship(order)", "ship(order, by)")
    with pytest.raises(DocumentError) as caught:
        parse_document(text, "o.yaml")
    assert [problem.line for problem in caught.value.problems] == [7, 14]
    assert "give it with: {by: VALUE}" in caught.value.problems[1].message


def test_a_handler_that_nothing_reaches_may_pass_on_whatever_it_would_handle() -> None:
    """Twins have the same handlers, and differ in what they start."""
    text = GOOD.replace("charge: [", "refund: [").replace("message: charge", "message: refund")
    text = text.replace("shop -> bank : charge", "shop -> bank : refund")
    text = text.replace("order: [{", "unused: [{send: {to: bank, message: refund, with: "
                        "{order: $other}}}]\n        order: [{")  # fmt: skip
    assert parse_document(text, "o.yaml").application is not None


def test_the_schema_allows_what_the_reader_does() -> None:
    validator = Draft202012Validator(document_schema())

    def accepted(text: str) -> bool:
        return validator.is_valid(read_positioned(text, "f.yaml", as_json=False).value)

    assert accepted(GOOD)
    for old, new in (
        ("by: 7", "by: true"),
        ("by: 7", "by: ''"),
        ("{by: -3}", "{'b y': -3}"),
        ('"8..10"', '"8-10"'),
        ('"8..10"', "8"),
        (", every: 2.5", ""),
        ('order: "8..10", ', ""),
        ('order: "8..10"', 'order: "8..10", x: "1..2"'),
        ('order: "8..10"', '"o rder": "8..10"'),
    ):
        assert not accepted(GOOD.replace(old, new)), new
