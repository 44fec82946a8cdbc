"""Events that some table mentions: only those have to be reported, with what they carry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from choreomon.agent_files.values import NO_VALUES, Given, checked_values
from choreomon.core.binding import Values
from choreomon.core.labels import parse_carrying_label
from choreomon.core.message import SEND, EventKind, Label

Told: TypeAlias = tuple[EventKind, str, str]
"""Kind of event, other end of the message, its name."""


class Mentioned:
    """The events of labels, which are all of one process, and the parameters that they carry. What
    is no label is left out: an agent that writes labels of a later kind knows that they are not
    reported."""

    __slots__ = ("_carried",)

    def __init__(self, labels: Iterable[str] = ()) -> None:
        parsed = map(parse_carrying_label, labels)
        self._carried: Mapping[tuple[str, str, str], tuple[str, ...]] = {
            _told(each.label): each.parameters for each in parsed if each is not None
        }

    def __contains__(self, event: Told) -> bool:
        return event in self._carried

    def checked(self, event: Told, values: Given) -> Values:
        """The values to report with an event: those that it carries. Others are not looked at, so
        that a service may say what it knows, whatever properties there are. Raises `ValueError`
        where one is missing, or is none."""
        carried = self._carried.get(event)
        if not carried:
            return NO_VALUES
        kind, _, name = event
        given = {each: values[each] for each in carried if each in values}
        return checked_values(given, carried, f"{kind} {name}")


def _told(label: Label) -> Told:
    sender, name, receiver = label.message
    return label.kind, receiver if label.kind == SEND else sender, name
