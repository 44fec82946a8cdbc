"""Values that messages carry, of a property for each instance: which ones an event needs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final, TypeAlias

from choreomon.core.binding import Values, checked_value

Value: TypeAlias = str | int
Given: TypeAlias = Mapping[str, Value]
"""Values that a service gives, by parameter; an integer stands for its decimal text."""

NO_VALUES: Final[Values] = {}


def checked_values(given: Given, carried: Collection[str], event: str) -> Values:
    """The values of the parameters that an event carries, in the order of `carried`; others are
    ignored. `event` is what errors call it.

    Raises `ValueError` where one is missing, or is none.
    """
    missing = [name for name in carried if name not in given]
    if missing:
        how = ", ".join(f"{name}=..." for name in missing)
        raise ValueError(f"{event} carries {', '.join(carried)}: give it {how}")
    return {name: checked_value(given[name], name) for name in carried}
