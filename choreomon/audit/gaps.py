"""Where events may be missing, in words: each is the reason of a gap, without its full stop."""

from __future__ import annotations

from collections.abc import Iterable

from choreomon.audit.numbers import Missing
from choreomon.audit.process import event_name
from choreomon.core.message import SEND, Label
from choreomon.core.recorded import RecordedEvent


def numbers_missing(process: str, last: int, told: int) -> str:
    """Its events are numbered, and after number `last` comes number `told`."""
    if told == last + 2:
        return f"event {last + 1} of {process} is not in its log"
    return f"events {last + 1} to {told - 1} of {process} are not in its log"


def numbers_missing_from_all(process: str, missing: Missing) -> str:
    """Its numbers go on through all sessions, and these are in none."""
    if missing.number == 1:
        told = f"event {missing.first} of {process} is"
    else:
        told = f"events {missing.first} to {missing.last} of {process} are"
        if missing.number <= missing.last - missing.first:
            told = f"{missing.number} of the {told}"
    return f"{told} not in its log, in whatever session"


def ended_early(process: str, last: int, most: int) -> str:
    """Others know of its event number `most`."""
    return f"the log of {process} ends with event {last}, and others know of event {most}"


def never_logged(process: str) -> str:
    """The property has labels of it, and no log any event."""
    return f"no log has any event of {process}"


def send_missing(process: str, reception: RecordedEvent) -> str:
    """Somebody received what it did not send."""
    return f"the log of {process} lacks the send of {reception.name} to {reception.process}"


def said_to_be_incomplete(process: str) -> str:
    """By the user."""
    return f"the log of {process} is said to be incomplete"


def other_end_missing(event: RecordedEvent, labels: Iterable[Label]) -> str:
    """The event has the name and the kind of several labels, and does not say which one it is."""
    way = "to" if event.kind == SEND else "from"
    which = " and ".join(map(str, labels))
    return f"{event_name(event)} does not say {way} whom, and the property has {which}"
