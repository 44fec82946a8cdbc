"""What the traffic generator can do with the saga: named courses of events, and what the monitors
are to say of each.

A case waits for what must have happened before it goes on, never for time. Where something has to
be late, the way of the messages between two services is stalled until it may arrive. Each case
begins and ends with nothing on its way, so that cases can follow each other in any order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

Word: TypeAlias = Literal["violated", "possibly-violated"]


class Saga(Protocol):
    """The services, as a case sees them."""

    def new_order(self) -> str:
        """What the next order is called: numbers from 1, since the generator was started."""

    def tell(self, service: str, name: str, order: str = "") -> None:
        """Send a message from outside, about an order or none."""

    def until(self, service: str, name: str, times: int = 1) -> None:
        """Wait until the service has handled so many messages of this name in this case."""

    def until_sent(self, service: str, name: str, times: int = 1) -> None:
        """Wait until it has sent so many in this case."""

    def stall(self, sender: str, receiver: str) -> None:
        """Let what the sender sends to the receiver wait on the way."""

    def flow(self, sender: str, receiver: str) -> None:
        """Let it arrive."""


class Case(NamedTuple):
    """`word`: what is said at last of the order whose parcel the case sends; `None`: nothing.
    `parcels`: how many it sends."""

    name: str
    about: str
    word: Word | None
    parcels: int
    play: Callable[[Saga], object]


def _order(saga: Saga, times: int = 1) -> str:
    order = saga.new_order()
    saga.tell("customer", "buy", order)
    saga.until("shipping", "ship", times)
    return order


def _truck(saga: Saga) -> None:
    saga.tell("shipping", "truck")
    saga.until("shipping", "truck")


def _parcel(saga: Saga) -> None:
    saga.until("customer", "parcel")
    saga.until("orders", "shipped")


def _change(saga: Saga, order: str) -> None:
    saga.tell("customer", "change", order)
    _taken_back(saga)


def _taken_back(saga: Saga) -> None:
    saga.until("shipping", "hold")
    saga.until("orders", "refunded")
    saga.until("orders", "released")


def _delivered(saga: Saga) -> str:
    order = _order(saga)
    _truck(saga)
    _parcel(saga)
    return order


def _cancelled(saga: Saga) -> None:
    _change(saga, _order(saga))
    _truck(saga)


def _ordered_again(saga: Saga) -> None:
    _change(saga, _order(saga))
    _order(saga, times=2)
    _truck(saga)
    _parcel(saga)


def _returned(saga: Saga) -> None:
    _change(saga, _delivered(saga))


def _shipped_unpaid(saga: Saga) -> None:
    order = _order(saga)
    saga.stall("payment", "orders")
    saga.stall("stock", "orders")
    saga.tell("customer", "change", order)
    saga.until("shipping", "hold")
    saga.until_sent("payment", "refunded")
    saga.until_sent("stock", "released")
    _order(saga, times=2)
    _truck(saga)
    _parcel(saga)
    saga.flow("payment", "orders")
    saga.flow("stock", "orders")
    _taken_back(saga)


def _cancelled_under_way(saga: Saga) -> None:
    _goods_on_their_way(saga)
    _goods_arrive(saga)


def _goods_on_their_way(saga: Saga) -> None:
    order = _order(saga)
    saga.stall("stock", "shipping")
    _truck(saga)
    saga.until_sent("stock", "goods")
    _change(saga, order)


def _goods_arrive(saga: Saga) -> None:
    saga.flow("stock", "shipping")
    _parcel(saga)


def _cancelled_unnoticed(saga: Saga) -> None:
    order = _order(saga)
    saga.stall("customer", "orders")
    saga.tell("customer", "change", order)
    saga.until_sent("customer", "cancel")
    _truck(saga)
    _parcel(saga)
    saga.flow("customer", "orders")
    _taken_back(saga)


CASES: Final = {
    case.name: case
    for case in (
        Case("delivered", "an order, and its parcel", None, 1, _delivered),
        Case("cancelled", "an order that is cancelled before the truck comes", None, 0, _cancelled),
        Case(
            "ordered-again",
            "an order is cancelled, all of it is taken back, and the next one is shipped",
            None,
            1,
            _ordered_again,
        ),
        Case("returned", "an order is cancelled after its parcel came", None, 1, _returned),
        Case(
            "shipped-unpaid",
            "a second order is taken for paid and reserved and shipped, since the confirmations "
            "that the first one was taken back are late",
            "violated",
            1,
            _shipped_unpaid,
        ),
        Case(
            "cancelled-under-way",
            "an order is cancelled while its goods are on their way to the truck, and shipping "
            "sends the parcel although it was told",
            "violated",
            1,
            _cancelled_under_way,
        ),
        Case(
            "cancelled-unnoticed",
            "an order is cancelled, and the parcel leaves before anybody but the customer knows: "
            "no monitor can tell which came first",
            "possibly-violated",
            1,
            _cancelled_unnoticed,
        ),
    )
}

HALVES: Final = {
    case.name: case
    for case in (
        Case("goods-on-their-way", "cancelled-under-way up to there", None, 0, _goods_on_their_way),
        Case("goods-arrive", "what follows then", "violated", 1, _goods_arrive),
    )
}
"""To be played one after the other, with nothing in between that stock or shipping has to do: what
makes the parcel wrong has happened after the first, and the parcel leaves in the second."""
