"""Of several ways to explain as much as possible, the one is told that names the error."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from benchmarks.blame import first_named, interactions, measured, mutants
from choreomon.core.action import Action
from choreomon.hibou.model import read_interaction
from choreomon.hibou.multitrace import read_multi_trace
from choreomon.multitrace.multitrace import component
from choreomon.verify.budget import TooMuchWork
from choreomon.verify.explanation import Explanation, Reached, explain, ranked
from choreomon.verify.readings import (
    MOST_SETS,
    Places,
    readings,
    sent_unexplained,
    weight,
)
from choreomon.verify.verdict import Mode

ONCE = """
seq(customer -- order -> orders, orders -- reserve -> stock,
  alt(seq(stock -- inStock -> orders, orders -- pick -> warehouse,
          warehouse -- picked -> orders, orders -- shipped -> customer),
      seq(stock -- outOfStock -> orders, orders -- sorry -> customer)))
"""
PICKED = """{
  [customer] customer!order.customer?shipped;
  [orders] orders?order.orders!reserve.orders?outOfStock.orders!pick.orders?picked.orders!shipped;
  [stock] stock?reserve.stock!outOfStock;
  [warehouse] warehouse?pick.warehouse!picked }
"""

OTHER_CLOCK = """
loopS(seq(customer -- order -> orders, orders -- charge -> payment, payment -- paid -> orders,
  orders -- reserve -> stock,
  alt(seq(stock -- inStock -> warehouse, orders -- pick -> warehouse),
      seq(stock -- outOfStock -> warehouse, orders -- cancel -> payment,
          orders -- sorry -> customer))))
"""
"""What the stock has is told to the warehouse, so the log of the orders looks right by itself."""
PICKED_THERE = """{
  [orders] orders?order.orders!charge.orders?paid.orders!reserve.orders!pick;
  [payment] payment?charge.payment!paid;
  [customer] customer!order;
  [warehouse] warehouse?outOfStock.warehouse?pick;
  [stock] stock?reserve.stock!outOfStock }
"""


def explained(interaction: str, logs: str, mode: Mode) -> Explanation:
    return explain(read_interaction(interaction), read_multi_trace(logs), mode)


def named(found: Explanation) -> list[str]:
    """The actions that are not explained, the one first at which one should look first."""
    assert found.failure is not None
    stuck = sorted((one.rank, str(one.next_action)) for one in found.failure if one.rank)
    assert [rank for rank, _ in stuck] == [*range(1, len(stuck) + 1)]
    return [action for _, action in stuck]


@pytest.mark.parametrize("mode", ["multiprefix", "slice"])
def test_who_picks_what_is_out_of_stock_is_wrong_and_not_the_stock(mode: Mode) -> None:
    found = explained(ONCE, PICKED, mode)
    assert named(found) == ["orders!pick", "customer?shipped", "warehouse?pick"]
    assert found.failure is not None
    sent = {str(one.next_action): str(one.sent) for one in found.failure if one.rank > 1}
    assert sent == {"customer?shipped": "orders!shipped", "warehouse?pick": "orders!pick"}
    assert [str(other.next_action) for other in found.others] == ["stock!outOfStock"]
    (stock,) = found.others
    assert (stock.position, stock.logs, stock.actions) == (1, 2, 5)


@pytest.mark.parametrize(
    ("mode", "error"), [("multiprefix", "orders!pick"), ("slice", "warehouse?pick")]
)
def test_fewer_actions_are_left_where_the_picking_is_the_error(mode: Mode, error: str) -> None:
    """The search comes to `outOfStock` first, in the default mode. In a slice the orders may have
    picked for another order, of which the other logs have nothing."""
    assert named(explained(OTHER_CLOCK, PICKED_THERE, mode))[0] == error


def action(text: str) -> Action:
    kind = "!" if "!" in text else "?"
    lifeline, message = text.split(kind)
    return Action(lifeline, kind, message)


def log(text: str) -> tuple[Action, ...]:
    return tuple(map(action, text.split()))


def test_an_action_follows_from_an_emission_that_is_left_in_another_log() -> None:
    logs = [log("a!m a!n"), log("b?m b?n"), log("c?m c!m")]
    assert sent_unexplained(logs, (0, 0, 0)) == [None, action("a!m"), action("a!m")]
    assert sent_unexplained(logs, (1, 0, 0)) == [None, action("c!m"), None]
    assert sent_unexplained(logs, (2, 1, 2)) == [None, None, None]
    assert sent_unexplained(logs, (2, 2, 2)) == [None, None, None]


def test_a_log_that_is_wrong_by_itself_is_looked_at_first() -> None:
    """Of two that follow from nothing; not before what others come before, and it is not first by
    its place."""
    cut = [
        Reached(component([name], log(f"{name}!m")), 0, action(f"{name}!m"), ()) for name in "abc"
    ]
    cut[2] = cut[2]._replace(obstacle="others")
    for alone, ranks in (
        ((False, True, True), [2, 1, 3]),
        ((True, True, True), [1, 2, 3]),
        ((False, False, True), [1, 2, 3]),
    ):
        assert [one.rank for one in ranked(cut, alone)] == ranks


def _drawn(rng: Random) -> tuple[list[tuple[Action, ...]], list[Places]]:
    """Logs, and readings none of which is more than another one."""
    names = "abcd"[: rng.randint(2, 4)]
    logs = [
        tuple(
            Action(name, rng.choice("!?"), rng.choice("mno"))  # type: ignore[arg-type]
            for _ in range(rng.randint(0, 3))
        )
        for name in names
    ]
    every = [*product(*(range(len(one) + 1) for one in logs))][:-1] or [(0,) * len(logs)]
    some = rng.sample(every, min(len(every), rng.randint(1, 5)))
    return logs, [one for one in some if not any(_more(other, one) for other in some)]


def _more(other: Places, one: Places) -> bool:
    return other != one and all(a <= b for a, b in zip(one, other, strict=True))


def test_what_is_chosen_is_the_best_one_where_it_is_met() -> None:
    """Beside all readings there are: what comes out are some of them, in order, and the chosen one
    is the best of all but where it lies between those that are looked for."""
    best = 0
    for seed in range(400):
        logs, every = _drawn(Random(seed))
        most = tuple(map(max, zip(*every, strict=True)))

        def is_explained(places: Places, every: list[Places] = every) -> bool:
            return any(places == one or _more(one, places) for one in every)

        worst = max(every, key=lambda one: weight(logs, most, one))
        found = readings(logs, most, worst, is_explained)
        assert {*found} <= {*every}
        assert worst in found
        assert found == sorted(found, key=lambda one: weight(logs, most, one))
        best += found[0] == min(every, key=lambda one: weight(logs, most, one))
    assert best >= 380, "readings between those that are looked for are few"


def test_what_is_too_much_work_leaves_the_reading_that_was_known() -> None:
    def too_much(_: Places) -> bool:
        raise TooMuchWork

    logs = [log("a!m"), log("b?n")]
    assert readings(logs, (1, 1), (0, 1), too_much) == [(0, 1)]


def test_of_many_logs_not_all_sets_are_looked_at() -> None:
    asked: list[Places] = []

    def never(places: Places) -> bool:
        asked.append(places)
        return False

    logs = [log("a!m")] * 40
    found = (0,) * 40
    assert readings(logs, (1,) * 40, found, never) == [found]
    assert len(asked) == MOST_SETS + 1


def test_the_benchmark_finds_what_was_inserted_at_its_place() -> None:
    interaction = interactions()["order"]
    drawn = [one for one in mutants(Random(3), "order", interaction, 40) if one.kind == "insert"]
    found = [*measured(drawn, interaction, "multiprefix")]
    assert len(found) >= 5
    assert {one.named for one in found} <= {"planted", "consequence"}


def test_the_benchmark_notices_where_something_else_is_named() -> None:
    interaction = interactions()["order"]
    (first, *_) = mutants(Random(3), "order", interaction, 40)
    explained_ = explain(interaction, first.multitrace, "multiprefix")
    assert explained_.failure is not None
    place = first_named(explained_.failure)
    assert place is not None
    elsewhere = first._replace(log=-1, planted=frozenset(), consequences=frozenset())
    assert elsewhere.named(place) == "elsewhere"
    assert first._replace(planted=frozenset({place})).named(place) == "planted"
