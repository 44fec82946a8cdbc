"""Counts of the last verdicts about each rule of an agent's properties, since it was started."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from choreomon.agent_files.table_file import SplitTable
from choreomon.core.stated_rule import NOT_TOLD, StatedRule, rule_of
from choreomon.core.verdict import (
    POSSIBLY_VIOLATED,
    VIOLATED,
    WITHDRAWN,
    MonitorVerdict,
    VerdictKind,
)

KINDS: tuple[VerdictKind, ...] = (VIOLATED, POSSIBLY_VIOLATED, WITHDRAWN)


class Counted(NamedTuple):
    """The number of last verdicts of a kind about a rule of the property at `place`."""

    place: int
    rule: StatedRule
    kind: VerdictKind
    verdicts: int


class RuleVerdicts:
    """Counts of verdicts. Every rule whose last step the process watches has counts from the start,
    so that its first verdict is an increase."""

    def __init__(self) -> None:
        self._tables: Sequence[SplitTable] = ()
        self._counts: dict[tuple[str, StatedRule, VerdictKind], int] = {}

    def reloaded(self, tables: Sequence[SplitTable]) -> None:
        """Count the properties of these tables from now on."""
        before, self._tables, self._counts = self._counts, tables, {}
        for table in tables:
            for stated, _ in table.table.rules:
                if stated != NOT_TOLD:
                    for kind in KINDS:
                        key = (table.system_id, stated, kind)
                        self._counts[key] = before.get(key, 0)

    def declared(self, place: int, verdict: MonitorVerdict) -> None:
        """Count a last verdict of the property at `place`."""
        table = self._tables[place]
        transitions = [(each.source, each.target) for each in verdict.transitions]
        rule = rule_of(table.table.rules, transitions)
        if rule is not None:
            key = (table.system_id, rule, verdict.kind)
            self._counts[key] = self._counts.get(key, 0) + 1

    def all(self) -> Iterator[Counted]:
        """Yields all counts."""
        places = {table.system_id: place for place, table in enumerate(self._tables)}
        for (system, rule, kind), count in self._counts.items():
            yield Counted(places[system], rule, kind, count)
