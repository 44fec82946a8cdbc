"""The audit: events of logs in, verdicts out, while the logs are read.

`Auditor` takes events one after the other, of all processes mixed or of one after the other, and
says of every event that can form the property whether it does: `violated` where in every order that
agrees with the logs, whatever is in their gaps, `possibly-violated` where in some.

A gap that is found after verdicts were given that rest on there being none takes them back to
possible ones, `undecided`: what was forgotten is not looked at again. That happens where a log
turns out to lack the send of a message, and is avoided by naming the process as incomplete.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from itertools import count
from typing import Final

from choreomon.audit.causality import MAX_WAITING, Causality
from choreomon.audit.gaps import said_to_be_incomplete
from choreomon.audit.items import Clock, Gap, Item
from choreomon.audit.numbers import Numbering
from choreomon.audit.occurrences import Counting
from choreomon.audit.outcome import AuditVerdict, Order, Outcome, Overall
from choreomon.audit.search import Unseen, Way, happenings
from choreomon.audit.units import Unit, Units
from choreomon.audit.window import Decided, Limits, Window
from choreomon.core.recorded import Diagnostic, RecordedEvent
from choreomon.core.suggestion import did_you_mean
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.linear import linear_formations
from choreomon.properties.progress import Progress

MOST_GAPS: Final = 1_000
"""Gaps that are kept for the report. Others count, and are not named."""

SHOWN_IN_FULL: Final = 100
SHOWN_AT_ALL: Final = 50
"""Events of an order that are kept with a verdict: all of short ones, so many of others."""

MOST_ORDERS: Final = 1_000
"""Verdicts of which orders are kept. Further ones are only told."""

NO_LIMITS: Final = Limits()


class Auditor:
    """One property over one set of logs.

    - `incomplete`: processes whose logs may lack any events anywhere; a name that the property does
      not have is a `ValueError`.
    - `limits` bound time and memory (`choreomon.audit.window`), `max_waiting` the events that wait
      for others that they depend on.
    - `on_diagnostic` is told what is strange about the logs.
    - `numbering`: of one session of several, what numbers say that go on through all of them.
    - `units`: those of the automaton, where several audits share them.

    `add`, `settle` and `finish` raise `DocumentError` where logs contradict themselves.
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
    ) -> None:
        units = Units(automaton) if units is None else units
        self._processes = units.processes
        self._causality = Causality(
            self._processes,
            automaton.labels,
            on_item=self._item,
            on_lacking=self._lacks,
            on_diagnostic=on_diagnostic,
            incomplete=(incomplete := tuple(incomplete)),
            max_waiting=max_waiting,
            numbering=numbering,
        )
        self._counting = Counting(automaton.labels)
        self._progress = Progress(units.rules)
        self._verdicts: list[AuditVerdict] = []
        self._gaps: dict[Gap, None] = {}
        self._labelled = 0
        self._given_before: dict[Window, int] = {}
        self._windows = [
            Window(unit, labels, look_ups, self._knowledge, self._taker(unit), limits)
            for unit, labels, look_ups in zip(
                units.units, units.labels, units.look_ups, strict=True
            )
        ]
        self._by_label = {
            label: [window for window in self._windows if label in window.unit.automaton.labels]
            for label in automaton.labels
        }
        for name in incomplete:
            if name not in self._processes:
                hint = did_you_mean(name, self._processes) or (
                    f"; those of the property are {', '.join(self._processes)}"
                )
                raise ValueError(f"the property has no label of a process {name!r}{hint}")
            self.lacks(Gap(name, said_to_be_incomplete(name)))

    def add(self, event: RecordedEvent) -> None:
        """The next event of its process."""
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
            self._lacks(self._processes.index(gap.process), gap)

    def settle(self) -> None:
        """Decides now what can be decided, which else is put off for a few events."""
        self._causality.look_again()
        for window in self._windows:
            window.settle()

    @property
    def verdicts(self) -> Sequence[AuditVerdict]:
        """The verdicts given so far, in no particular order. Some may change, see `finish`."""
        return self._verdicts

    @property
    def events(self) -> int:
        return self._causality.events

    def finish(self, logged: Collection[str] = ()) -> Outcome:
        """End the audit and give its outcome. The processes `logged` have logs, even if nothing is
        in them."""
        self._causality.finish(logged)
        for window in self._windows:
            window.finish()
        revised = map(self._revised, count(), self._verdicts)
        verdicts = tuple(sorted(revised, key=_number))
        return Outcome(
            verdicts,
            self._overall(verdicts),
            tuple(self._gaps),
            self._causality.events,
            self._labelled,
            tuple(dict.fromkeys(each.revised for each in self._windows if each.revised)),
            self._counting.found(),
            self._progress.far,
        )

    def _knowledge(self, index: int) -> Clock | None:
        return self._causality.knowledge(index) if self._causality.seen(index) else None

    def _item(self, item: Item) -> None:
        if item.label is not None:
            self._labelled += 1
            self._progress.add(item.label)
            for window in self._by_label[item.label]:
                window.add(item)
            return
        if item.opens and item.gap is not None:
            self._keep_gap(item.gap)
        for window in self._windows:
            if item.process in window.owners:
                window.add(item)

    def _lacks(self, index: int, gap: Gap) -> None:
        self._keep_gap(gap)
        for window in self._windows:
            if window.lacks(index, gap):
                self._given_before[window] = len(self._verdicts)

    def _keep_gap(self, gap: Gap) -> None:
        if len(self._gaps) < MOST_GAPS:
            self._gaps[gap] = None

    def _taker(self, unit: Unit) -> Callable[[Decided], None]:
        return (lambda _: None) if unit.whole else partial(self._take, unit)

    def _take(self, unit: Unit, decided: Decided) -> None:
        kind, item, (formed, not_formed), undecided, reason = decided
        keeps_orders = len(self._verdicts) < MOST_ORDERS
        self._verdicts.append(
            AuditVerdict(
                kind,
                item,
                order_of(unit, formed) if keeps_orders and formed else None,
                order_of(unit, not_formed, formed=False) if keeps_orders and not_formed else None,
                undecided=undecided,
                reason=reason,
                gaps=_gaps_of(formed, not_formed),
            )
        )

    def _revised(self, given: int, verdict: AuditVerdict) -> AuditVerdict:
        """The verdict, or what remains of it after a gap was found. `given` counts the verdicts
        before."""
        if verdict.kind != VIOLATED or verdict.item.label is None:
            return verdict
        for window in self._by_label[verdict.item.label]:
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
                return Overall(VIOLATED, verdict.formed)
        separate = [window for window in self._windows if not window.unit.whole]
        for window in separate:
            if window.formed is not None and window.revised is None:
                return Overall(VIOLATED, order_of(window.unit, window.formed))
        revised = next((each.revised for each in self._windows if each.revised is not None), None)
        late = "" if revised is None else _late(revised)
        some = [window for window in separate if window.maybe_formed]
        if not some:
            if revised is None:
                return Overall(None)
            return Overall(POSSIBLY_VIOLATED, undecided=True, reason=late, gaps=(revised,))
        asked = some[0] if len(some) == 1 else self._windows[-1]
        if asked.formed is not None and asked.revised is None:
            return Overall(VIOLATED, order_of(asked.unit, asked.formed))
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
        order = None if formed is None else order_of(asked.unit, formed)
        if order is None or not order.formed:  # the whole was not searched to the end
            order = next((each.formed for each in verdicts if each.formed is not None), order)
        return Overall(
            POSSIBLY_VIOLATED,
            order,
            not_formed,
            bool(reason),
            reason,
            _gaps_of(*ways),
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
