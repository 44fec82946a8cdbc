"""Sentences on the costs of labels of a property for each instance."""

from __future__ import annotations

from collections.abc import Iterable

from choreomon.core.labels import CarryingLabel
from choreomon.properties.costs import LabelCost
from choreomon.properties.instances import Forgetting


def cost_sentences(for_each: Iterable[str], costs: Iterable[LabelCost]) -> list[str]:
    """Lines on each label, below one that says what there is an instance of."""
    return [f"for each {_all(for_each)}:", *(f"  {_said(each)}" for each in costs)]


def forgetting_sentence(forgetting: Forgetting) -> str:
    """A sentence on what is forgotten, and when."""
    which = " or ".join([f"({', '.join(names)})" for names in sorted(forgetting.bindings)])
    return f"agents forget what they know by {which} once it was idle for {_time(forgetting)}"


def _time(forgetting: Forgetting) -> str:
    """A time in days or hours if it is a whole number of them, otherwise in minutes."""
    for seconds, unit in ((86400, "day"), (3600, "hour")):
        count, rest = divmod(forgetting.after, seconds)
        if not rest:
            return f"{count:.0f} {unit}{'' if count == 1 else 's'}"
    return f"{forgetting.after / 60:g} minutes"


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
