"""Orders of audits, event by event: which events are listed, and where some are left out."""

from __future__ import annotations

from choreomon.audit.items import Gap
from choreomon.audit.outcome import Order
from choreomon.audit.search import Unseen
from choreomon.core.message import SEND, Label, Message
from choreomon.terminal.audit_text import MOST_EVENTS, OrderRow, order_rows

GAP = Gap("P", "its log ends")
DOTS = OrderRow("", "", "...")


def order(length: int, formed: tuple[int, ...] = (), *, cut_off: bool = False) -> Order:
    """Events that are named by their places."""
    events = tuple(Unseen(GAP, Label(SEND, Message("P", f"m{n}", "Q"))) for n in range(length))
    return Order(events, formed, cut_off)


def row(place: int, step: str = "") -> OrderRow:
    return OrderRow(step, f"P -> Q : m{place}", "unseen, in a gap of P")


def test_few_events_are_all_listed_those_of_the_sequence_by_their_steps() -> None:
    assert order_rows(order(4, (1, 3))) == [row(0), row(1, "1"), row(2), row(3, "2")]


def test_of_many_events_the_last_are_listed_and_those_of_the_sequence() -> None:
    length = MOST_EVENTS + 10
    assert order_rows(order(length, (0, 4, length - 1))) == [
        row(0, "1"),
        DOTS,
        row(4, "2"),
        DOTS,
        *(row(place) for place in range(10, length - 1)),
        row(length - 1, "3"),
    ]


def test_what_was_not_kept_is_left_out_at_the_beginning() -> None:
    assert order_rows(order(1, (0,), cut_off=True)) == [DOTS, row(0, "1")]


def test_an_order_without_events_says_so() -> None:
    assert order_rows(order(0)) == [OrderRow("", "", "(no event)")]
