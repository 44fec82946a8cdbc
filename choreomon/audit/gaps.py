"""Reasons of gaps in words, each without its full stop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from choreomon.audit.numbers import Missing, Numbering
from choreomon.audit.process import event_name
from choreomon.core.message import SEND, Label
from choreomon.core.recorded import Diagnostic, Place, RecordedEvent


def numbers_missing(process: str, last: int, told: int) -> str:
    """The gap of a process whose events are numbered: after number `last` comes number `told`."""
    if told == last + 2:
        return f"event {last + 1} of {process} is not in its log"
    return f"events {last + 1} to {told - 1} of {process} are not in its log"


def numbers_missing_from_all(process: str, missing: Missing) -> str:
    """The gap of a process whose numbers go on through all sessions, and these are in none."""
    if missing.number == 1:
        told = f"event {missing.first} of {process} is"
    else:
        told = f"events {missing.first} to {missing.last} of {process} are"
        if missing.number <= missing.last - missing.first:
            told = f"{missing.number} of the {told}"
    return f"{told} not in its log, in whatever session"


def told_of_all(missing: Iterable[tuple[str, Missing]]) -> Iterator[Diagnostic]:
    """Report gaps that concern all sessions once, not for each session."""
    for process, one in missing:
        yield Diagnostic("gap", numbers_missing_from_all(process, one), Place("", 0))


def missing_from_all(
    numbering: Numbering | None, process: str, last: float, before: float | None = None
) -> str:
    """The gap in the log of a process after number `last`, whatever the session; empty if there is
    none, or if numbers begin anew in each session."""
    if numbering is None or not numbering.counts_all(process):
        return ""
    missing = numbering.missing(process, last, before)
    return "" if missing is None else numbers_missing_from_all(process, missing)


def ended_early(process: str, last: float, most: int) -> str:
    """Note that others know of its event number `most`; nothing where that was read."""
    if most <= last:
        return ""
    return f"the log of {process} ends with event {int(last)}, and others know of event {most}"


def without_own_entry(event: RecordedEvent) -> str:
    """The gap of an event whose clock does not say which one of its process it is."""
    name = event.process
    return f"{event_name(event)}: its clock has no entry for {name} itself, so it is not used"


def number_unsaid(missing: str) -> str:
    """Events without a number stand beside the gap, so that nobody knows what came before what."""
    return f"{missing}, or does not say its number there"


def never_logged(process: str) -> str:
    """The property has labels of it, and no log any event."""
    return f"no log has any event of {process}"


def send_missing(process: str, reception: RecordedEvent) -> str:
    """Somebody received what it did not send."""
    return f"the log of {process} lacks the send of {reception.name} to {reception.process}"


def said_to_be_incomplete(process: str) -> str:
    """The user says that the log is incomplete."""
    return f"the log of {process} is said to be incomplete"


def other_end_missing(event: RecordedEvent, labels: Iterable[Label]) -> str:
    """The event has the name and the kind of several labels, and does not say which one it is."""
    way = "to" if event.kind == SEND else "from"
    which = " and ".join(map(str, labels))
    return f"{event_name(event)} does not say {way} whom, and the property has {which}"
