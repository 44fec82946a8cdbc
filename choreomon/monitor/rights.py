"""What another monitor may say, and what is refused: it asks within its rights, answers within what
it was asked, and tells of no more than it knows of.

Peers may crash, but they do not lie: a refusal shows a mistake, such as tables of two systems, or
something that was damaged on its way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import GAP, NEVER, Reference
from choreomon.monitor.messages import Inquiry, Response, Waiting
from choreomon.monitor.setup import MonitorSetup

RefusalReason: TypeAlias = Literal["kind", "receiver", "rights", "answer", "clock"]

MOST_RECORDS: Final = 8
"""Of one reference in one answer, where histories are bounded and no events wait to be judged:
three that matter, two gaps, and some to spare."""

FARTHEST: Final = NEVER >> 1
"""No process gets to a higher count, however often it forgets: who tells of one is wrong."""


class Refused(NamedTuple):
    """A message that its sender may not send; nothing of it was taken. `detail` is for logs."""

    reason: RefusalReason
    sender: str
    detail: str


@dataclass(frozen=True, slots=True)
class Rights:
    """Who may ask what of the monitor of `process`, at the index `own`, and whom it asks what.

    `may_ask`: by reader. `asked_of`: by inspected transition and owner. `most_records`: of one
    reference in one answer; `None`: any number. What judging takes grows with their square.
    """

    process: str
    own: int
    index_of: Mapping[str, int]
    may_ask: Mapping[str, frozenset[Reference]]
    asked_of: Mapping[tuple[Reference, str], frozenset[Reference]]
    most_records: int | None = None

    def wrong_inquiry(self, inquiry: Inquiry) -> Refused | None:
        """Why an inquiry is refused, if it is. Names may be unknown ones; clocks must have an entry
        for each process."""
        sender, receiver, inspected, event, asked, clock, settled = inquiry
        if receiver != self.process or sender == receiver:
            return Refused("receiver", sender, f"it is for {receiver}")
        rights = self.may_ask.get(sender)
        if rights is None:
            return Refused("rights", sender, "it has nothing to ask here")
        if len(asked) > len(rights):
            return Refused("rights", sender, "it asks about more transitions than there are")
        for reference in asked:
            if reference not in rights:
                return Refused("rights", sender, f"it asks about {reference}")
        if inspected.process != sender:
            return Refused("rights", sender, f"it inspects {inspected}")
        own, peer = self.own, self.index_of[sender]
        known = clock[own]
        if event[peer] > clock[peer] or event[own] > known or settled > known:
            return Refused("clock", sender, "it asks about more than it knows of")
        return None

    def wrong_response(self, present: VectorClock, response: Response) -> Refused | None:
        """The same of a response, where the clock of the own process is `present`."""
        sender, receiver, inspected, _, records, clock, settled = response
        if receiver != self.process:
            return Refused("receiver", sender, f"it is for {receiver}")
        asked = self.asked_of.get((inspected, sender))
        if asked is None:
            return Refused("answer", sender, f"it was not asked about {inspected}")
        own = self.own
        reached = present[own] if present[own] > clock[own] else clock[own]
        if settled > reached:
            return Refused("clock", sender, "it promises more than happened")
        if records:
            most = self.most_records
            if most is not None and len(records) > most:  # else no reference has more
                of_one = max(Counter([record.reference for record in records]).values())
                if of_one > most:
                    told = f"{of_one} records of one transition: more than there can be"
                    return Refused("answer", sender, told)
            peer = self.index_of[sender]
            there = clock[peer]
            for reference, until, result, _ in records:
                if reference not in asked:
                    return Refused("answer", sender, f"it was not asked about {reference}")
                if until[own] > reached or (until[peer] > there and result != GAP):
                    return Refused("clock", sender, "it tells of more than it knows of")
        return None

    def wrong_waiting(self, told: Waiting) -> Refused | None:
        """The same of a notice of waiting."""
        if told.receiver != self.process:
            return Refused("receiver", told.sender, f"it is for {told.receiver}")
        if (told.inspected, told.sender) not in self.asked_of:
            return Refused("answer", told.sender, f"it was not asked about {told.inspected}")
        if len(told.waiting_for) > len(self.index_of):
            return Refused("answer", told.sender, "it waits for more processes than there are")
        return None


def rights_of(monitor: MonitorSetup) -> Rights:
    """The rights of all other monitors, as the table has them."""
    readers_of = monitor.table.readers
    readers = dict.fromkeys(reader for readers in readers_of.values() for reader in readers)
    bounded = monitor.most_open is not None and monitor.rules.keep is not None
    return Rights(
        monitor.process,
        monitor.own,
        monitor.index_of,
        {
            reader: frozenset(each for each, readers in readers_of.items() if reader in readers)
            for reader in readers
        },
        {
            (plan.inspected.reference, owner): frozenset(asked)
            for plans in monitor.plans.values()
            for plan in plans
            for owner, _, asked in plan.others
        },
        MOST_RECORDS if bounded else None,
    )
