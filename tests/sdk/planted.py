"""Bugs on purpose, of a service and of an agent, each with the policies under which the laws of
sessions must notice it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from choreomon.agent_files.clocks.text import ClockText
from choreomon.agent_files.local import Gap, Policy, Renew, Report
from choreomon.sdk.journal import GAP, Entry, Journal
from choreomon.sdk.knowledge import Knowledge
from choreomon.sdk.lease import Lease
from tests.sdk.model_agent import Connection, ModelAgent


class Planted(NamedTuple):
    """`method` of `place` is replaced by `bug`."""

    place: type
    method: str
    bug: Callable[..., Any]
    policies: tuple[Policy, ...]


ALL: tuple[Policy, ...] = ("block", "buffer", "let-go", "fire-and-forget")
LEAVING: tuple[Policy, ...] = ("buffer", "let-go")

right_step = ModelAgent.step
right_numbered = ModelAgent.numbered
right_granted = Lease.granted
right_take = Entry.take


def counts_the_lease_from_now(self: ModelAgent, connection: Connection) -> None:
    """The agent relies on a renewal from when it reads it, however old that is."""
    first = connection.up[0] if connection.up else None
    if isinstance(first, Renew) and first.grant:
        connection.up[0] = Renew(int(self.now * 1000))
    right_step(self, connection)


def takes_late_reports(self: ModelAgent, connection: Connection, message: Report | Gap) -> None:
    """The agent believes that whatever is reported has not left yet."""
    connection.grant = self.now
    right_numbered(self, connection, message)


def promises_too_early(self: Journal) -> bool:
    """The service renews before a buffer was told."""
    return True


def ends_the_lease_early(self: Lease, seconds: float, grant: int, now: float) -> None:
    right_granted(self, seconds, grant, now)
    self.until = now + seconds / 2


def repeats_what_left(self: Journal) -> list[Entry]:
    """Under `let-go`, as if it were `buffer`."""
    return self.release(0)[1]


def forgets_what_was_heard(self: Knowledge, heard: ClockText) -> None:
    """With a report that is not made."""


def does_not_carry_what_left(self: Knowledge, heard: ClockText) -> None:
    """The next message does not know what was heard with an event that left."""


def reports_again_in_a_new_session(self: Journal) -> list[Entry]:
    """As if the agent had taken nothing."""
    for entry in self.numbered():
        entry.number = 0
    return []


def tells_gaps_first(self: Journal, events: int = 1) -> Entry:
    """Not at their place."""
    gap = Entry(GAP)
    gap.lost = events
    if self.greeting or self.numbered():
        self._entries.append(gap)
    else:
        self._entries.appendleft(gap)
    return gap


def repeats_nothing(self: Journal) -> None:
    self.greeting = False


def repeats_without_values(self: Entry, number: int) -> bool:
    """What was said before."""
    if self.number:
        self.values = {}
    return right_take(self, number)


PLANTED = (
    Planted(ModelAgent, "step", counts_the_lease_from_now, LEAVING),
    Planted(ModelAgent, "numbered", takes_late_reports, ("let-go",)),
    Planted(Journal, "everything_left_is_written", promises_too_early, ("buffer",)),
    Planted(Lease, "granted", ends_the_lease_early, LEAVING),
    Planted(Journal, "let_go", repeats_what_left, ("let-go",)),
    Planted(Knowledge, "take_back", forgets_what_was_heard, ALL),
    Planted(Knowledge, "left", does_not_carry_what_left, ALL),
    Planted(Journal, "doubt", reports_again_in_a_new_session, ALL),
    Planted(Journal, "lose", tells_gaps_first, ("buffer", "fire-and-forget")),
    Planted(Journal, "unwrite", repeats_nothing, ALL),
    Planted(Entry, "take", repeats_without_values, ("block", "buffer", "fire-and-forget")),
)
