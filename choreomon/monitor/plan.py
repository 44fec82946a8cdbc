"""How a monitor inspects an event: whom it asks for what, and where what is found goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from choreomon.core.verdict import Reference
from choreomon.properties.tables import Inspected


class Plan(NamedTuple):
    """Plan to inspect transitions together: the chains of their records, whom of the others to ask
    for what (with their indices), and what to ask oneself. `starts`: it is one that fires whenever
    it is seen, so nobody is asked. `violates`: another one that does is final, so the verdict about
    the event is certain without them."""

    inspected: tuple[Inspected, ...]
    places: tuple[int, ...]
    others: tuple[tuple[str, int, tuple[Reference, ...]], ...]
    own_asked: tuple[Reference, ...]
    starts: bool
    violates: bool = False

    @property
    def key(self) -> Reference:
        """The transition that stands for all of them in messages."""
        return self.inspected[0].reference

    @property
    def final(self) -> bool:
        return True in [each.final for each in self.inspected]


def plans_of(
    inspected: Sequence[Inspected],
    process: str,
    index_of: Mapping[str, int],
    chain_of: Mapping[Reference, int],
    *,
    together: bool,
    by_rule: bool = False,
) -> tuple[Plan, ...]:
    """The plans for all that one label may fire: one for each transition, or with `together` one
    for all of which not all is known at once. `by_rule`: verdicts are given for each rule, so that
    what is certain of one says nothing of others."""
    if together:
        starting = [(each,) for each in inspected if each.starts]
        others = tuple(each for each in inspected if not each.starts)
        groups = [*starting, *([others] if others else [])]
    else:
        groups = [(each,) for each in inspected]
    violates = not by_rule and any(each.starts and each.final for each in inspected)
    return tuple(_plan(group, process, index_of, chain_of, violates) for group in groups)


def _plan(
    group: tuple[Inspected, ...],
    process: str,
    index_of: Mapping[str, int],
    chain_of: Mapping[Reference, int],
    violates: bool,
) -> Plan:
    starts = group[0].starts
    asks: dict[str, dict[Reference, None]] = {}
    for each in () if starts else group:
        for owner, asked in each.asks:
            asks.setdefault(owner, {}).update(dict.fromkeys(asked))
    return Plan(
        inspected=group,
        places=tuple(chain_of[each.reference] for each in group),
        others=tuple(
            (owner, index_of[owner], tuple(asked))
            for owner, asked in asks.items()
            if owner != process
        ),
        own_asked=tuple(asks.get(process, ())),
        starts=starts,
        violates=violates,
    )
