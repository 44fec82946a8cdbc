"""Values that messages carry, of a property for each instance: which ones an event needs. And one
that no property asks for: the trace that an event is in.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final, TypeAlias

from choreomon.core.binding import Binding, Values, checked_value
from choreomon.core.suggestion import closest

Value: TypeAlias = str | int
Given: TypeAlias = Mapping[str, Value]
"""Values that a service gives, by parameter; an integer stands for its decimal text."""

NO_VALUES: Final[Values] = {}

TRACEPARENT: Final = "traceparent"
"""The value by which a service says which trace an event is in: a header of W3C Trace Context."""

TRACE: Final = ""
"""The name under which the id of that trace is kept among the values: no parameter has it."""

_IDS: Final = "-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}"
_TRACEPARENT: Final = re.compile(f"(?:00{_IDS}|(?!00|ff)[0-9a-f]{{2}}{_IDS}(?:-.*)?)", re.DOTALL)


def checked_values(given: Given, carried: Collection[str], event: str) -> Values:
    """The values of the parameters that an event carries, in the order of `carried`; others are
    ignored. `event` is what errors call it.

    Raises `ValueError` where one is missing, or is none.
    """
    missing = [name for name in carried if name not in given]
    if missing:
        how = ", ".join(f"{name}=..." for name in missing)
        others = [name for name in given if name not in carried]
        meant = [found for name in missing if (found := closest(name, others))]
        instead = f" instead of {', '.join(f'{name}=' for name in meant)}" if meant else ""
        raise ValueError(f"{event} carries {', '.join(carried)}: give it {how}{instead}")
    return {name: checked_value(given[name], name) for name in carried}


def told_values(given: Given, carried: Collection[str], event: str) -> Values:
    """The values that an agent is told of an event: those that it carries, as `checked_values`, and
    its trace, where there is one that can be read. Raises as `checked_values` does."""
    checked = checked_values(given, carried, event)
    if trace_id(given):
        return {**checked, TRACEPARENT: str(given[TRACEPARENT])}
    return checked


def trace_id(given: Given) -> str:
    """The id of the trace that an event is in, 32 hexadecimal digits; "" where nothing is said of
    it, or what is said is no header of W3C Trace Context."""
    text = given.get(TRACEPARENT)
    found = _TRACEPARENT.fullmatch(text) if isinstance(text, str) else None
    return "" if found is None else found[1] or found[2]


def without_trace(said: Binding) -> tuple[Binding, str]:
    """The values of parameters among what a service said of an event, and the id of its trace; ""
    where there is none."""
    binding = tuple([each for each in said if each[0] != TRACE])
    return binding, dict(said).get(TRACE, "")
