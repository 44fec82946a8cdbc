"""What another monitor may say, and what is refused: it asks within its rights, answers within what
it was asked, and tells of no more than it knows of.

Peers may crash, but they do not lie: a refusal shows a mistake, such as tables of two systems, or
something that was damaged on its way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias

from choreomon.core.message import BEGINNING
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import GAP, NEVER, Reference
from choreomon.monitor.history import OPEN, Record
from choreomon.monitor.messages import MOST_EVIDENCE_TOLD, Inquiry, Named, Response, Waiting
from choreomon.monitor.of_instances.messages import InstanceMessage
from choreomon.monitor.of_instances.view import homes_of
from choreomon.monitor.setup import MonitorSetup

RefusalReason: TypeAlias = Literal["kind", "receiver", "rights", "answer", "clock"]

_NONE: Final[frozenset[Reference]] = frozenset()

FARTHEST: Final = NEVER >> 1
"""No process gets to a higher count, however often it forgets: who tells of one is wrong."""


class Refused(NamedTuple):
    """A message that its sender may not send; nothing of it was taken. `detail` is for logs."""

    reason: RefusalReason
    sender: str
    detail: str


@dataclass(frozen=True, slots=True)
class Rights:
    """Rights to ask the monitor of `process`, at the index `own`, and its own to ask others.

    `may_ask`: by reader; `may_name`: the same of second inquiries. `asked_of`: by inspected
    transition and owner; `named_of`: by owner, what may be asked about by name; so all that
    evidence may speak of. `most_records`: of one reference in one answer; `None`: any number. What
    judging takes grows with their square. `parameters`: those of a property for each instance, and
    `carries` which of them events of own references carry.
    """

    process: str
    own: int
    index_of: Mapping[str, int]
    may_ask: Mapping[str, frozenset[Reference]]
    asked_of: Mapping[tuple[Reference, str], frozenset[Reference]]
    most_records: int | None = None
    may_name: Mapping[str, frozenset[Reference]] = field(default_factory=dict)
    named_of: Mapping[str, frozenset[Reference]] = field(default_factory=dict)
    own_references: frozenset[Reference] = frozenset()
    parameters: frozenset[str] = frozenset()
    carries: Mapping[Reference, tuple[str, ...]] = field(default_factory=dict)

    def wrong_inquiry(self, inquiry: Inquiry) -> Refused | None:
        """Say why an inquiry is refused, if it is. Names may be unknown ones; clocks must have an
        entry for each process."""
        sender, receiver, inspected, event, asked, clock, settled, named = inquiry
        if receiver != self.process or sender == receiver:
            return Refused("receiver", sender, f"it is for {receiver}")
        rights = self.may_ask.get(sender, _NONE)
        if named:
            refused = self._wrong_names(sender, named, clock)
            if refused is not None:
                return refused
        elif not rights:
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
        """Say why a response must be refused; `present` is the clock of the own process."""
        sender, receiver, inspected, _, records, clock, settled, evidence, named = response
        if receiver != self.process:
            return Refused("receiver", sender, f"it is for {receiver}")
        asked = self.asked_of.get((inspected, sender), _NONE)
        if named:
            asked = self.named_of.get(sender, _NONE)
        if not asked:
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
                if result == OPEN and not self.named_of:
                    return Refused("answer", sender, f"it leaves {reference} open")
                if until[own] > reached or (until[peer] > there and result != GAP):
                    return Refused("clock", sender, "it tells of more than it knows of")
        if evidence:
            return self._wrong_evidence(sender, evidence, reached)
        return None

    def wrong_binding(self, told: InstanceMessage) -> Refused | None:
        """Say why a message about this instance must be refused, whatever its content."""
        message, binding = told
        names = [name for name, _ in binding]
        if not self.parameters.issuperset(names) or names != sorted({*names}):
            return Refused("rights", message.sender, f"it is about {', '.join(names)}")
        if type(message) is Inquiry:
            for reference in (*message.asked, *[each.reference for each in message.named]):
                lacking = [each for each in self.carries.get(reference, ()) if each not in names]
                if lacking:
                    told_of = f"it asks about {reference} without {', '.join(lacking)}"
                    return Refused("rights", message.sender, told_of)
        return None

    def _wrong_names(
        self, sender: str, named: tuple[Named, ...], clock: VectorClock
    ) -> Refused | None:
        rights = self.may_name.get(sender, _NONE)
        if len(named) > MOST_EVIDENCE_TOLD:
            return Refused("rights", sender, "it asks about more events than it can know of")
        for number, reference in named:
            if reference not in rights:
                return Refused("rights", sender, f"it asks about {reference}")
            if not 0 < number <= clock[self.own]:
                return Refused("clock", sender, "it asks about more than it knows of")
        return None

    def _wrong_evidence(
        self, sender: str, evidence: tuple[Record, ...], reached: int
    ) -> Refused | None:
        if len(evidence) > MOST_EVIDENCE_TOLD:
            return Refused("answer", sender, f"{len(evidence)} records of others: too many")
        for record in evidence:
            reference, until, result, _ = record
            mine = reference.process == self.process
            if not mine and reference not in self.named_of.get(reference.process, _NONE):
                return Refused("answer", sender, f"it was not asked about {reference}")
            if mine and reference not in self.own_references:
                return Refused("answer", sender, f"there is no {reference} here")
            if until[self.own] > reached and not (mine and result == GAP):
                return Refused("clock", sender, "it tells of more than it knows of")
        return None

    def wrong_waiting(self, told: Waiting) -> Refused | None:
        """Say why a notice of waiting must be refused."""
        if told.receiver != self.process:
            return Refused("receiver", told.sender, f"it is for {told.receiver}")
        asked = (told.inspected, told.sender) in self.asked_of or told.sender in self.named_of
        if not asked:
            return Refused("answer", told.sender, f"it was not asked about {told.inspected}")
        if len(told.waiting_for) > len(self.index_of):
            return Refused("answer", told.sender, "it waits for more processes than there are")
        return None


def rights_of(monitor: MonitorSetup) -> Rights:
    """The rights of all other monitors, as the table has them."""
    table = monitor.table
    asked_of: dict[tuple[Reference, str], set[Reference]] = {}
    for plans in monitor.plans.values():
        for plan in plans:
            for owner, _, asked in plan.others:
                asked_of.setdefault((plan.key, owner), set()).update(asked)
    named_of: dict[str, set[Reference]] = {}
    for reference in table.skeleton:
        if reference.process not in (monitor.process, BEGINNING):
            named_of.setdefault(reference.process, set()).add(reference)
    return Rights(
        monitor.process,
        monitor.own,
        monitor.index_of,
        _by_reader(table.readers),
        {key: frozenset(asked) for key, asked in asked_of.items()},
        None if monitor.most_open is None else monitor.rules.most_told(monitor.most_open),
        _by_reader(table.followers),
        {owner: frozenset(references) for owner, references in named_of.items()},
        frozenset(monitor.references),
        frozenset(table.parameters),
        homes_of(table),
    )


def _by_reader(readers_of: Mapping[Reference, tuple[str, ...]]) -> dict[str, frozenset[Reference]]:
    readers = dict.fromkeys(reader for readers in readers_of.values() for reader in readers)
    return {
        reader: frozenset(each for each, readers in readers_of.items() if reader in readers)
        for reader in readers
    }
