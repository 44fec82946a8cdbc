"""The session of a service that comes to another slot, or to another agent.

What it told and was not answered may be committed at the slot where it told it. So that slot's
lease is fenced before its sessions are read: read earlier, a commit may come after. Told again
without reading, an event counts twice.
"""

from __future__ import annotations

from typing import NamedTuple

from choreomon.runtime.leases.rules import Lease
from choreomon.runtime.sessions import Sessions


class Told(NamedTuple):
    """The place where a service told what it was not answered: a session at the slot of a lease
    with this number."""

    slot: str
    number: int
    session: str


def must_be_fenced(told: Told, lease: Lease) -> bool:
    """Tell whether the agent that was told may still commit, given that slot's lease as it is: take
    the slot first then. Once its number has moved on, it never can."""
    return lease.slot == told.slot and lease.number <= told.number


class Forgotten(Exception):
    """The session is not there any more, or the answer was dropped: whether the event counts is not
    known, so it is told as a gap."""


def answer_there(told: Told, sessions: Sessions, number: int) -> str | None:
    """The clocks that were answered to this report, where it was committed; `None`: it was not, and
    never will be, so tell it anew. `sessions` are those of the slot, read after it was fenced.
    Raises `Forgotten`."""
    session = sessions.get(told.session)
    if session is None:
        raise Forgotten
    if number > session.last:
        return None
    for answered, clocks in session.replies:
        if answered == number:
            return clocks
    raise Forgotten
