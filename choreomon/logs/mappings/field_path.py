"""Paths of values in a record: `attributes["messaging.system"]`, `links[0].spanId`.

Names are joined by dots; what stands in brackets and quotes is one name, whatever is in it; a
number in brackets is a place in a list, from 0. A name with dots in it is found without quotes,
too, if there is one: `resource.service.name` is the `service.name` of the resource where there is
such a key, or else the name of its service.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, TypeAlias

Step: TypeAlias = str | int
Getter: TypeAlias = Callable[[dict[str, Any]], Any]
"""Gets the value at a path of a record; None where nothing is."""

_STEP: Final = re.compile(
    r"""(?P<dot>\.)?(?:(?P<name>[^.\[\]"'\s]+)|\["(?P<quoted>[^"]+)"\]"""
    r"""|\['(?P<single>[^']+)'\]|\[(?P<place>\d{1,6})\])"""
)
MAX_STEPS: Final = 32


def parse_path(text: str) -> tuple[Step, ...]:
    """The steps of a path. Raises ValueError, which says what is wrong, for a text that is none."""
    steps: list[Step] = []
    position = 0
    while position < len(text):
        found = _STEP.match(text, position)
        first = not steps
        if found is None or (found["name"] and first is bool(found["dot"])):
            raise ValueError(
                f"is no path of a field at {text[position : position + 20]!r}: write names with "
                "dots between them, as in resource.service.name, and quotes around names that "
                'have dots or blanks in them, as in attributes["messaging.system"]'
            )
        if found["place"]:
            steps.append(int(found["place"]))
        else:
            steps.append(found["name"] or found["quoted"] or found["single"])
        position = found.end()
    if not steps:
        raise ValueError("is empty: write the name of a field")
    if len(steps) > MAX_STEPS:
        raise ValueError(f"has more than {MAX_STEPS} steps")
    return tuple(steps)


def getter(steps: tuple[Step, ...]) -> Getter:
    """Make a function that looks the path up."""
    first = steps[0]
    if len(steps) == 1 and isinstance(first, str):
        return lambda record: record.get(first)
    return _lookup(steps)


def _lookup(steps: tuple[Step, ...]) -> Callable[[Any], Any]:
    if not steps:
        return lambda value: value
    first = steps[0]
    if isinstance(first, int):
        place, inside = first, _lookup(steps[1:])

        def item(value: Any) -> Any:
            if isinstance(value, list | tuple) and place < len(value):
                return inside(value[place])
            return None

        return item
    names = 1
    while names < len(steps) and isinstance(steps[names], str):
        names += 1
    # The longest name first.
    ways = [
        (".".join(map(str, steps[:count])), _lookup(steps[count:]) if steps[count:] else None)
        for count in range(names, 0, -1)
    ]

    def named(value: Any) -> Any:
        if not isinstance(value, dict):
            return None
        for key, inside in ways:
            found = value.get(key)
            if found is not None:
                if inside is not None:
                    found = inside(found)
                if found is not None:
                    return found
        return None

    return named
