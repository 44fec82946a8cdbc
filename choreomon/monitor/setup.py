"""What a monitor is made of and never changes, with everything derived from it once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from choreomon.core.message import BEGINNING, Label
from choreomon.core.vector_clock import indices
from choreomon.core.verdict import FRM, Reference
from choreomon.monitor.consistent_cuts import Bits
from choreomon.monitor.history import Record
from choreomon.monitor.plan import Plan, plans_of
from choreomon.monitor.record_by_record import SOUND
from choreomon.monitor.rules import Rules
from choreomon.properties.tables import Inspected, TransitionTable


class InRule(NamedTuple):
    """Transitions of one rule that a plan inspects: their `places` there, and all of which records
    may have something to do with any of them directly."""

    rule: int
    places: tuple[int, ...]
    transitions: tuple[Inspected, ...]
    needed: frozenset[Reference]


def _in_rules(plan: Plan, rule_of: Mapping[Reference, int]) -> tuple[InRule, ...]:
    places: dict[int, list[int]] = {}
    for place, each in enumerate(plan.inspected):
        places.setdefault(rule_of[each.reference], []).append(place)
    found = []
    for rule, own in places.items():
        transitions = tuple([plan.inspected[place] for place in own])
        needed = {
            reference
            for each in transitions
            for need in each.needs
            for reference in (*need.pres, *need.vio)
        }
        found.append(InRule(rule, tuple(own), transitions, frozenset(needed)))
    return tuple(found)


@dataclass(frozen=True)
class MonitorSetup:
    """Parts that a monitor is made of, and never changes.

    `processes` are all processes of the system, in the order of clock entries.
    `has_deadline`: whether provisional verdicts are wanted from `Expire`. `most_open`: inspections
    that may be open at once, above which the oldest events are given up (`GiveUp`), but never the
    newest one, which may open more than that by itself; `None`: any number. `in_slices`: what one
    answer or event lets be judged and answered is not all done in its step (`Unfinished`).

    The rest is derived: the own process and its index; the index of every process; the own
    references, where the chain of each is in the history, and whether it is kept at all; the other
    processes that may ask for any of them, with the place of each in `MonitorState.settled`; for
    each chain the places of those that may ask for it, and whether the own process may; for each
    label the plans of what it may fire; the rule of each own reference; records of what
    the beginning fired, which nobody is asked for; for each process that a record may be of, that
    of the beginning among them, the entry of clocks that counts its events; and the skeleton as a
    search has it.
    """

    table: TransitionTable
    processes: tuple[str, ...]
    rules: Rules = SOUND
    has_deadline: bool = False
    most_open: int | None = None
    in_slices: bool = False
    process: str = field(init=False)
    own: int = field(init=False)
    index_of: Mapping[str, int] = field(init=False)
    references: tuple[Reference, ...] = field(init=False)
    chain_of: Mapping[Reference, int] = field(init=False)
    remembers: tuple[bool, ...] = field(init=False)
    readers: Mapping[str, int] = field(init=False)
    readers_of: tuple[tuple[int, ...], ...] = field(init=False)
    asks_itself: tuple[bool, ...] = field(init=False)
    plans: Mapping[Label, tuple[Plan, ...]] = field(init=False)
    rule_of: Mapping[Reference, int] = field(init=False)
    in_rules: Mapping[tuple[int, ...], tuple[InRule, ...]] = field(init=False, repr=False)
    ends_rules: Mapping[tuple[int, ...], tuple[int, ...]] = field(init=False, repr=False)
    beginning: tuple[Record, ...] = field(init=False, repr=False)
    entry_of: Mapping[str, int] = field(init=False, repr=False)
    bits: Bits = field(init=False, repr=False)

    def __post_init__(self) -> None:
        # Plain attributes, not cached properties: every message looks some of them up.
        def derive(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        derive("process", self.table.process)
        derive("index_of", indices(self.processes))
        derive("own", self.index_of[self.process])
        # Each monitor has the beginning for itself, as an event before its own first one. Nobody
        # has heard of an event number 0, so it is before all events of others, too.
        begun = [each for each in self.table.skeleton if each.process == BEGINNING]
        derive("entry_of", {**self.index_of, BEGINNING: self.own} if begun else self.index_of)
        nothing_known = (0,) * len(self.processes)
        derive("beginning", tuple([Record(each, nothing_known, FRM) for each in begun]))
        derive("references", tuple(self.table.readers))
        derive("chain_of", {reference: i for i, reference in enumerate(self.references)})
        keeps_all = self.rules.keep is None
        readers_of = [self.table.readers[reference] for reference in self.references]
        others = [[name for name in names if name != self.process] for names in readers_of]
        readers = {name for names in others for name in names}
        in_order = sorted(readers, key=self.index_of.__getitem__)
        places = {name: place for place, name in enumerate(in_order)}
        derive("remembers", tuple([keeps_all or bool(names) for names in readers_of]))
        derive("readers", places)
        derive("readers_of", tuple([tuple([places[name] for name in names]) for names in others]))
        derive("asks_itself", tuple([self.process in names for names in readers_of]))
        derive(
            "plans",
            {
                label: plans_of(
                    inspected,
                    self.process,
                    self.index_of,
                    self.chain_of,
                    together=self.rules.together,
                    by_rule=bool(self.table.rules),
                )
                for label, inspected in self.table.inspections.items()
            },
        )
        derive("rule_of", self.table.rule_of)
        plans = [plan for group in self.plans.values() for plan in group]
        derive("in_rules", {plan.places: _in_rules(plan, self.rule_of) for plan in plans})
        derive("ends_rules", {plan.places: self._ended_by(plan) for plan in plans})
        derive("bits", Bits(self.table.skeleton))

    def by_rule(self, plan: Plan) -> tuple[InRule, ...]:
        """The transitions that a plan inspects, of each rule by themselves."""
        return self.in_rules[plan.places]

    def final_rules(self, plan: Plan) -> tuple[int, ...]:
        """The rules whose final transitions a plan inspects, without repetitions."""
        return self.ends_rules[plan.places]

    def _ended_by(self, plan: Plan) -> tuple[int, ...]:
        finals = [each.reference for each in plan.inspected if each.final]
        return tuple(dict.fromkeys([self.rule_of[reference] for reference in finals]))

    def watched(self, reference: Reference) -> frozenset[Label]:
        """The labels of an own transition."""
        return self.table.watched_by.get(reference, frozenset())
