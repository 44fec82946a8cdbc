"""Verdicts of an audit, put together from windows: those about events, gaps, and the verdict about
all. A gap found after verdicts were given that rest on its absence turns them into possible ones,
`undecided`: what was forgotten is not examined again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from functools import partial
from itertools import count
from typing import Final

from choreomon.audit.items import Clock, Gap, Item
from choreomon.audit.occurrences import Occurrences
from choreomon.audit.outcome import AuditVerdict, Order, Outcome, Overall
from choreomon.audit.search import Unseen, Way, happenings
from choreomon.audit.units import Unit, Units
from choreomon.audit.window import Decided, Limits, Window
from choreomon.core.message import Label
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED
from choreomon.properties.linear import linear_formations
from choreomon.properties.progress import Progress

MOST_GAPS: Final = 1_000
"""Gaps that are kept for the report. Others count, and are not named."""

SHOWN_IN_FULL: Final = 100
SHOWN_AT_ALL: Final = 50
"""Events of an order that are kept with a verdict: all of short ones, this many of others."""

MOST_ORDERS: Final = 1_000
"""Verdicts of which orders are kept. Further ones are only told."""


class Verdicts:
    """The verdicts over the items of one run, or of one slice of it.

    - `units`: those of the property, with the processes that clocks are of;
    - `knowledge(process)`: what a process knows now; None: it was never heard of.
    """

    def __init__(
        self, units: Units, knowledge: Callable[[int], Clock | None], limits: Limits
    ) -> None:
        self._progress = Progress(units.rules)
        self.given: list[AuditVerdict] = []
        """Verdicts about events so far, in no particular order. Some may change at the end."""
        self._gaps: dict[Gap, None] = {}
        self.labels: set[Label] = set()
        """Labels of the events taken."""
        self._labelled = 0
        self._given_before: dict[Window, int] = {}
        self._windows = [
            Window(unit, labels, look_ups, knowledge, self._taker(unit), limits)
            for unit, labels, look_ups in zip(
                units.units, units.labels, units.look_ups, strict=True
            )
        ]
        self._by_label = {
            label: [window for window in self._windows if label in window.unit.automaton.labels]
            for label in units.automaton.labels
        }

    def copied(self) -> Verdicts:
        """Verdicts that go on from here by themselves. Nothing was decided so far."""
        assert not self.given
        other = copy(self)
        other.given, other._gaps, other.labels = [], {**self._gaps}, {*self.labels}
        other._progress = self._progress.copied()
        other._given_before = {}
        other._windows = [each.copied(other._taker(each.unit)) for each in self._windows]
        other._by_label = {
            label: [each for each in other._windows if label in each.unit.automaton.labels]
            for label in self._by_label
        }
        return other

    def add(self, item: Item) -> None:
        """Take the next item, an event or an end of a gap."""
        if item.label is not None:
            self._labelled += 1
            self.labels.add(item.label)
            self._progress.add(item.label)
            for window in self._by_label[item.label]:
                window.add(item)
            return
        if item.opens and item.gap is not None:
            self._keep_gap(item.gap)
        for window in self._windows:
            if item.process in window.owners:
                window.add(item)

    def lacks(self, index: int, gap: Gap) -> None:
        """Note that events may be missing anywhere in the log of a process."""
        self._keep_gap(gap)
        for window in self._windows:
            if window.lacks(index, gap):
                self._given_before[window] = len(self.given)

    @property
    def labelled(self) -> int:
        """The number of events taken."""
        return self._labelled

    def settle(self) -> None:
        """Decide what can be decided."""
        for window in self._windows:
            window.settle()

    def outcome(self, events: int, occurrences: Occurrences) -> Outcome:
        """Decide the rest, as nothing comes any more. There were this many `events`, of which
        `occurrences` are counts."""
        for window in self._windows:
            window.finish()
        revised = map(self._revised, count(), self.given)
        rules = {window.unit.rule: place for place, window in enumerate(self._windows)}
        verdicts = tuple(
            sorted(revised, key=lambda each: (each.item.number, rules[each.rule]))
            if len(rules) > 1
            else sorted(revised, key=_number)
        )
        return Outcome(
            verdicts=verdicts,
            overall=self._overall(verdicts),
            gaps=tuple(self._gaps),
            events=events,
            labelled=self._labelled,
            late=tuple(dict.fromkeys(each.revised for each in self._windows if each.revised)),
            occurrences=occurrences,
            far=self._progress.far,
        )

    def _keep_gap(self, gap: Gap) -> None:
        if len(self._gaps) < MOST_GAPS:
            self._gaps[gap] = None

    def _taker(self, unit: Unit) -> Callable[[Decided], None]:
        return (lambda _: None) if unit.whole else partial(self._take, unit)

    def _take(self, unit: Unit, decided: Decided) -> None:
        kind, item, (formed, not_formed), undecided, reason = decided
        keeps_orders = len(self.given) < MOST_ORDERS
        self.given.append(
            AuditVerdict(
                kind,
                item,
                order_of(unit, formed) if keeps_orders and formed else None,
                order_of(unit, not_formed, formed=False) if keeps_orders and not_formed else None,
                undecided=undecided,
                reason=reason,
                gaps=_gaps_of(formed, not_formed),
                rule=unit.rule,
            )
        )

    def _revised(self, given: int, verdict: AuditVerdict) -> AuditVerdict:
        """The verdict, or what remains of it after a gap was found. `given` counts the verdicts
        before."""
        if verdict.kind != VIOLATED or verdict.item.label is None:
            return verdict
        for window in self._by_label[verdict.item.label]:
            if window.unit.rule != verdict.rule:
                continue
            late = given < self._given_before.get(window, 0) and not window.unit.whole
            if window.revised is not None and late:
                return verdict._replace(
                    kind=POSSIBLY_VIOLATED,
                    undecided=True,
                    reason=_late(window.revised),
                    gaps=(window.revised,),
                )
        return verdict

    def _overall(self, verdicts: Sequence[AuditVerdict]) -> Overall:
        for verdict in verdicts:
            if verdict.kind == VIOLATED:
                return Overall(VIOLATED, verdict.formed, rule=verdict.rule)
        separate = [window for window in self._windows if not window.unit.whole]
        for window in separate:
            if window.formed is not None and window.revised is None:
                order = order_of(window.unit, window.formed)
                return Overall(VIOLATED, order, rule=window.unit.rule)
        revised = next((each.revised for each in self._windows if each.revised is not None), None)
        late = "" if revised is None else _late(revised)
        some = [window for window in separate if window.maybe_formed]
        if not some:
            if revised is None:
                return Overall(None)
            return Overall(POSSIBLY_VIOLATED, undecided=True, reason=late, gaps=(revised,))
        asked = self._windows[-1]
        if len(some) == 1 or not asked.unit.whole:
            asked = some[0]
        if asked.formed is not None and asked.revised is None:
            return Overall(VIOLATED, order_of(asked.unit, asked.formed), rule=asked.unit.rule)
        reason = asked.unsure or late
        bit = asked.unit.formed
        formed = asked.unseen
        not_formed: Order | None = None
        ways: list[Way | None] = [formed]
        for live, way in asked.ways.items():
            if live & bit:
                formed = way
            elif not_formed is None and not reason:
                not_formed = order_of(asked.unit, way, formed=False)
                ways.append(way)
        ways[0] = formed
        shown = None if formed is None else order_of(asked.unit, formed)
        if shown is None or not shown.formed:  # the whole was not searched to the end
            same = (each for each in verdicts if each.rule == asked.unit.rule)
            shown = next((each.formed for each in same if each.formed is not None), shown)
        return Overall(
            kind=POSSIBLY_VIOLATED,
            formed=shown,
            not_formed=not_formed,
            undecided=bool(reason),
            reason=reason,
            gaps=_gaps_of(*ways),
            rule=asked.unit.rule,
        )


def _number(verdict: AuditVerdict) -> int:
    return verdict.item.number


def order_of(unit: Unit, way: Way | None, *, formed: bool = True) -> Order:
    """The order, where it forms the property with the last sequence of events that does. Of a long
    one the last events, and those of the sequence."""
    events = happenings(way)
    cut_off = way is not None and way.cut_off
    sequence: tuple[int, ...] = ()
    if formed:
        found = linear_formations(unit.automaton, (each.label for each in events))
        sequence = found[-1].sequences[0] if found else ()
    if len(events) <= SHOWN_IN_FULL:
        return Order(tuple(events), sequence, cut_off)
    kept = sorted({*sequence, *range(len(events) - SHOWN_AT_ALL, len(events))})
    place = {position: number for number, position in enumerate(kept)}
    last = tuple(events[position] for position in kept)
    return Order(last, tuple(place[position] for position in sequence), True)


def _gaps_of(*ways: Way | None) -> tuple[Gap, ...]:
    """The gaps in which something happens in these orders."""
    gaps: dict[Gap, None] = {}
    for way in ways:
        for what in happenings(way):
            if isinstance(what, Unseen):
                gaps[what.gap] = None
    return tuple(gaps)


def _late(gap: Gap) -> str:
    return (
        f"{gap.reason}, which was found after this was decided; name {gap.process} as incomplete "
        "to have it judged by that (--incomplete)"
    )
