"""Advice on what to record so that the next audit can be definite where this one could not.

A verdict is only possible because events may be missing, or because nobody knows which of two
events came first. A whole log mends the first, and anything that tells the order the second: vector
clocks, or the receptions of messages in between. If all of that is there, and two events still have
no order, they were independent of each other, and no log can say more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from math import inf
from typing import Final

from choreomon.audit.items import Gap, Item
from choreomon.audit.occurrences import Occurrences
from choreomon.audit.outcome import AuditVerdict, Order, Overall
from choreomon.audit.search import Unseen
from choreomon.core.message import HANDLE, SEND
from choreomon.core.verdict import POSSIBLY_VIOLATED

MOST: Final = 10
"""Sentences that are told, those of the first verdicts."""


def to_record(
    verdicts: Iterable[AuditVerdict | Overall], occurrences: Occurrences
) -> tuple[str, ...]:
    """Sentences, without a full stop, each once; at most `MOST`. Empty where nothing was only
    possible."""
    roles = occurrences.roles
    silent = frozenset(roles.processes(_who_logs_no_handle(occurrences)))
    told: dict[str, None] = {}
    for verdict in verdicts:
        if verdict.kind == POSSIBLY_VIOLATED:
            told |= dict.fromkeys(_sentences(verdict, silent))
        if len(told) >= MOST:
            break
    return tuple(told)[:MOST]


def _sentences(verdict: AuditVerdict | Overall, silent: frozenset[str]) -> Iterator[str]:
    for gap in verdict.gaps:
        yield f"{_part_of_log(gap)} of {gap.process} would say whether it happened"
    if verdict.formed is None or verdict.not_formed is None or verdict.gaps:
        return
    pair = _swapped(verdict.formed, verdict.not_formed)
    if pair is None:
        return
    known = f"the order of {pair[0].label} and {pair[1].label}"
    without = sorted(
        {event.process for each in pair if (event := each.event) and event.clock is None}
    )
    if not without:
        yield f"{known} is open in fact: neither of them was known where the other happened"
        return
    deaf = sorted(silent & {each.label.process for each in pair if each.label})
    ways = [f"what {_together(deaf)} handled"] if deaf else []
    ways.append(f"vector clocks of {_together(without)}")
    yield f"{', or '.join(ways)} would tell {known}, or that they had none"


def _part_of_log(gap: Gap) -> str:
    if gap.after is None and gap.before is None:
        return "the whole log"
    places = [
        f"{word} {place}" for word, place in (("after", gap.after), ("before", gap.before)) if place
    ]
    return f"the part {' and '.join(places)} of the log"


def _swapped(formed: Order, not_formed: Order) -> tuple[Item, Item] | None:
    """Two events that the orders have the other way round, of which the forbidden sequence has as
    many as possible. An event that an order lacks comes after its end, unless it is cut off."""
    orders = formed, not_formed
    seen = {
        each.number: each
        for order in orders
        for each in order.events
        if not isinstance(each, Unseen)
    }
    places = [
        {each.number: place for place, each in enumerate(order.events) if isinstance(each, Item)}
        for order in orders
    ]
    last = [inf if order.cut_off else len(order.events) for order in orders]
    steps = {
        each.number
        for position in formed.formed
        if isinstance(each := formed.events[position], Item)
    }
    found: list[tuple[int, Item, Item]] = []
    for one, other in combinations(seen, 2):
        for_it, against = (
            own.get(one, end) - own.get(other, end) for own, end in zip(places, last, strict=True)
        )
        if for_it * against < 0 and inf not in (abs(for_it), abs(against)):
            found.append((len({one, other} & steps), seen[one], seen[other]))
    return max(found, key=lambda each: each[0])[1:] if found else None


def _who_logs_no_handle(occurrences: Occurrences) -> frozenset[str]:
    """The processes to which others send, and that log no reception."""
    receivers = {each.peer for each in occurrences.counts if each.kind == SEND and each.peer}
    return frozenset(
        receivers - {each.process for each in occurrences.counts if each.kind == HANDLE}
    )


def _together(names: list[str]) -> str:
    return " and ".join(names)
