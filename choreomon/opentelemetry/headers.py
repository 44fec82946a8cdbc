"""Headers of messages, in whatever an instrumentation has for them."""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping
from typing import Any

from opentelemetry.propagators.textmap import Getter, Setter

from choreomon.agent_files.clocks.text import HEADER, Carried, encode_carried
from choreomon.core.errors import MalformedMessage
from choreomon.sdk.carriers import header_values, inject, inject_baggage, remove


def headers_to(carrier: Any, names: Iterable[str]) -> dict[str, str]:
    """Find those of these headers that a message has which is about to leave."""
    found = {}
    for name in names:
        try:
            values = header_values(carrier, name.lower())
        except (MalformedMessage, TypeError, ValueError):
            continue
        if values:
            found[name] = values[0]
    return found


def headers_in(carrier: Any, getter: Getter[Any], names: Iterable[str]) -> dict[str, str]:
    """Find those of these headers that a message has which was taken."""
    found = {}
    for name in names:
        values = read(carrier, getter, name)
        if values and isinstance(values[0], str):
            found[name] = values[0]
    return found


def read(carrier: Any, getter: Getter[Any], name: str) -> list[Any]:
    """Read the values of a header, by the getter of an instrumentation; none where it fails, as
    some do for bytes that are no text."""
    try:
        return list(getter.get(carrier, name) or ())
    except Exception:
        return []


def write(
    carrier: Any, carried: Carried | None, setter: Setter[Any], *, in_baggage: bool = False
) -> None:
    """Writes what travels with a message, or removes what an earlier message has left: who sends
    headers on that came with another one, or follows a redirect, has a header that is not this
    one's."""
    changeable = isinstance(carrier, MutableMapping | list)
    if carried is None or not carried.sender:
        if changeable:
            remove(carrier)
    elif in_baggage and isinstance(carrier, MutableMapping):
        # In `_meta` of the Model Context Protocol other names would need a prefix.
        inject_baggage(carrier, carried)
    elif changeable:
        inject(carrier, carried)
    else:
        setter.set(carrier, HEADER, encode_carried(carried))
