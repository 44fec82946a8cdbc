"""What a monitor is made of and never changes, with everything derived from it once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from choreomon.core.message import Label
from choreomon.core.vector_clock import VectorClock, indices
from choreomon.core.verdict import Judgement, Reference
from choreomon.monitor.history import Record
from choreomon.monitor.rules import SOUND, Rules
from choreomon.properties.tables import Inspected, TransitionTable


class Plan(NamedTuple):
    """How to inspect one transition: where its chain is, whom of the others to ask for what
    (with their indices), and what to ask oneself."""

    inspected: Inspected
    place: int
    others: tuple[tuple[str, int, tuple[Reference, ...]], ...]
    waiting: tuple[str, ...]
    own_asked: tuple[Reference, ...]


@dataclass(frozen=True)
class MonitorSetup:
    """What a monitor is made of and never changes.

    `processes` are all processes of the system, in the order of clock entries.
    `has_deadline`: whether provisional verdicts are wanted from `Expire`. `most_open`: inspections
    that may be open at once, above which the oldest events are given up (`GiveUp`), but never the
    newest one, which may open more than that by itself; `None`: any number.

    The rest is derived: the own process and its index; the index of every process; the own
    references, where the chain of each is in the history, the indices of the processes that
    may ask for it, and whether it is kept at all; and for each label the plans of what it may
    fire.
    """

    table: TransitionTable
    processes: tuple[str, ...]
    rules: Rules = SOUND
    has_deadline: bool = False
    most_open: int | None = None
    process: str = field(init=False)
    own: int = field(init=False)
    index_of: Mapping[str, int] = field(init=False)
    references: tuple[Reference, ...] = field(init=False)
    chain_of: Mapping[Reference, int] = field(init=False)
    readers_of: tuple[tuple[int, ...], ...] = field(init=False)
    remembers: tuple[bool, ...] = field(init=False)
    plans: Mapping[Label, tuple[Plan, ...]] = field(init=False)

    def __post_init__(self) -> None:
        # Plain attributes, not cached properties: every message looks some of them up.
        def derive(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        derive("process", self.table.process)
        derive("index_of", indices(self.processes))
        derive("own", self.index_of[self.process])
        derive("references", tuple(self.table.readers))
        derive("chain_of", {reference: i for i, reference in enumerate(self.references)})
        readers = self.table.readers
        derive(
            "readers_of",
            tuple(
                tuple(self.index_of[reader] for reader in readers[reference])
                for reference in self.references
            ),
        )
        keeps_all = self.rules.keep is None
        derive("remembers", tuple([keeps_all or bool(readers) for readers in self.readers_of]))
        derive(
            "plans",
            {
                label: tuple(map(self._plan, inspected))
                for label, inspected in self.table.inspections.items()
            },
        )

    def judge(
        self, inspected: Inspected, event: VectorClock, records: Sequence[Record]
    ) -> Judgement:
        """Whether `inspected` fired at the own event with this clock, given all records of what
        it needs, by the rules of this monitor."""
        return self.rules.judge(inspected, event, self.own, records, self.index_of)

    def _plan(self, inspected: Inspected) -> Plan:
        asks = () if inspected.starts else inspected.asks
        others = tuple(
            (owner, self.index_of[owner], asked) for owner, asked in asks if owner != self.process
        )
        return Plan(
            inspected=inspected,
            place=self.chain_of[inspected.reference],
            others=others,
            waiting=tuple(owner for owner, _, _ in others),
            own_asked=next((asked for owner, asked in asks if owner == self.process), ()),
        )
