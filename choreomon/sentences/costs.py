"""What the labels of a property for each instance cost, in words."""

from __future__ import annotations

from collections.abc import Iterable

from choreomon.core.labels import CarryingLabel
from choreomon.properties.costs import LabelCost


def cost_sentences(for_each: Iterable[str], costs: Iterable[LabelCost]) -> list[str]:
    """One line a label below one that says what there is an instance of."""
    return [f"for each {_all(for_each)}:", *(f"  {_said(each)}" for each in costs)]


def _all(names: Iterable[str]) -> str:
    return " and ".join(names)


def _said(cost: LabelCost) -> str:
    """`shop -> carrier : ship(order) is not recorded; shop asks billing`."""
    process = cost.label.process
    where = f"for each {_all(cost.carries)}" if cost.carries else "once, for all of them"
    kept = f"is recorded by {process} {where}" if cost.recorded else "is not recorded"
    asks = f"{process} asks {_all(cost.asks)}" if cost.asks else "nobody is asked"
    if cost.certain:
        asks = f"what it takes back is certain at once, and {asks}"
    elif cost.cancels:
        asks = f"what it takes back depends on what there is, and {asks}"
    return f"{CarryingLabel(cost.label, cost.carries)} {kept}; {asks}"
