"""The audit: events of logs in, verdicts out, while the logs are read.

`Auditor` takes events one after the other, of all processes mixed or of one after the other, and
says of every event that can form the property whether it does: `violated` where in every order that
agrees with the logs, whatever is in their gaps, `possibly-violated` where in some.

A gap that is found late (`choreomon.audit.verdicts`) is one where a log turns out to lack the send
of a message, and is avoided by naming the process as incomplete.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final

from choreomon.audit.causality import MAX_WAITING, Causality
from choreomon.audit.gaps import said_to_be_incomplete
from choreomon.audit.items import Clock, Gap
from choreomon.audit.numbers import Numbering
from choreomon.audit.occurrences import Counting
from choreomon.audit.outcome import AuditVerdict, Outcome
from choreomon.audit.units import Units
from choreomon.audit.verdicts import Verdicts
from choreomon.audit.window import Limits
from choreomon.core.message import HANDLE
from choreomon.core.recorded import Diagnostic, RecordedEvent
from choreomon.core.roles import NO_ROLES, Roles
from choreomon.core.slot_ranges import with_ranges
from choreomon.core.suggestion import did_you_mean
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.roles import automaton_over_slots

NO_LIMITS: Final = Limits()


class Auditor:
    """Audits one property over one set of logs.

    - `incomplete`: processes whose logs may lack any events anywhere; a name that the property does
      not have is a `ValueError`.
    - `limits` bound time and memory (`choreomon.audit.window`), `max_waiting` the events that wait
      for others that they depend on.
    - `on_diagnostic` is told what is strange about the logs.
    - `numbering`: for one session of several, what numbers that go on through all of them say.
    - `units`: those of the automaton, if several audits share them.  `add`, `settle` and `finish`
      raise `DocumentError` if logs contradict themselves.
    - `roles`: of a property over roles, with the replicas that logs have
      (`choreomon.core.replica_names`). Each is a process of its own.
    """

    def __init__(
        self,
        automaton: SequenceAutomaton,
        *,
        incomplete: Iterable[str] = (),
        limits: Limits = NO_LIMITS,
        max_waiting: int = MAX_WAITING,
        on_diagnostic: Callable[[Diagnostic], None] = lambda _: None,
        numbering: Numbering | None = None,
        units: Units | None = None,
        roles: Roles = NO_ROLES,
    ) -> None:
        self._roles, self._over_roles = roles, bool(roles)
        units = Units(over_replicas(automaton, roles)) if units is None else units
        self._processes = units.processes
        self._verdicts = Verdicts(units, self._knowledge, limits)
        self._causality = Causality(
            self._processes,
            units.automaton.labels,
            on_item=self._verdicts.add,
            on_lacking=self._verdicts.lacks,
            on_diagnostic=on_diagnostic,
            incomplete=(incomplete := roles.processes(incomplete)),
            max_waiting=max_waiting,
            numbering=numbering,
            roles=roles,
        )
        self._counting = Counting(automaton.labels, roles)
        for gap in incomplete_gaps(incomplete, self._processes):
            self.lacks(gap)

    def add(self, event: RecordedEvent) -> None:
        """The next event of its process."""
        if self._over_roles:
            event = of_only_replica(event, self._roles)
        self._counting.add(event)
        self._causality.add(event)

    def waits(self, process: str) -> bool:
        """Return whether events of the process wait for those of others, which should come
        first."""
        return self._causality.waits(process)

    def lacks(self, gap: Gap) -> None:
        """Note that any events may be missing anywhere in the log of this process, if the property
        has it."""
        if gap.process in self._processes:
            self._verdicts.lacks(self._processes.index(gap.process), gap)

    def settle(self) -> None:
        """Decides now what can be decided, which else is put off for a few events."""
        self._causality.look_again()
        self._verdicts.settle()

    @property
    def verdicts(self) -> Sequence[AuditVerdict]:
        """The verdicts given so far, in no particular order. Some may change, see `finish`."""
        return self._verdicts.given

    @property
    def events(self) -> int:
        return self._causality.events

    def finish(self, logged: Collection[str] = ()) -> Outcome:
        """End the audit and give its outcome. The processes `logged` have logs, even if nothing is
        in them."""
        self._causality.finish(with_roles(logged, self._roles))
        return self._verdicts.outcome(self._causality.events, self._counting.found())

    def _knowledge(self, index: int) -> Clock | None:
        return self._causality.knowledge(index) if self._causality.seen(index) else None


def over_replicas(automaton: SequenceAutomaton, roles: Roles) -> SequenceAutomaton:
    """The property over the replicas of roles; one over processes as it is."""
    return automaton_over_slots(automaton, roles) if roles else automaton


def of_only_replica(event: RecordedEvent, roles: Roles) -> RecordedEvent:
    """The event; a reception from a role that has one replica is from that."""
    if event.kind != HANDLE or event.peer is None:
        return event
    return event._replace(peer=roles.only_slot(event.peer))


def with_roles(logged: Collection[str], roles: Roles) -> Collection[str]:
    """The processes, and the roles that have a replica among them."""
    return {*logged, *map(roles.role_of, logged)} if roles else logged


def incomplete_gaps(incomplete: Iterable[str], processes: Sequence[str]) -> list[Gap]:
    """The gaps of processes whose logs are said to be incomplete. Raises ValueError for one that
    the property does not have."""
    gaps = []
    for name in incomplete:
        if name not in processes:
            hint = did_you_mean(name, processes) or (
                f"; those of the property are {', '.join(with_ranges(processes))}"
            )
            raise ValueError(f"the property has no label of a process {name!r}{hint}")
        gaps.append(Gap(name, said_to_be_incomplete(name)))
    return gaps
