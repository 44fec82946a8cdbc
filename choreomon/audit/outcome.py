"""Outcomes of audits, as values."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from choreomon.audit.items import Gap, Item
from choreomon.audit.occurrences import Occurrences
from choreomon.audit.search import Unseen
from choreomon.core.stated_rule import StatedRule
from choreomon.core.verdict import VerdictKind


class Order(NamedTuple):
    """An order of events that agrees with the logs, as far as the sequences concerned mention them.
    `formed` are the positions in it of one forbidden sequence, empty in an order that does not form
    one at its end; `cut_off`: events before these, or between them and those of the sequence, were
    not kept."""

    events: tuple[Item | Unseen, ...]
    formed: tuple[int, ...]
    cut_off: bool


class AuditVerdict(NamedTuple):
    """The verdict about one event. `violated` has an order for it; `possibly-violated` one for and
    one against, unless it is `undecided`: then `reason` says why. Only the first verdicts have
    their orders. `gaps` are those that the orders need. `rule`: the one that it is about, of a
    property that is written as rules: each may have a verdict about the same event."""

    kind: VerdictKind
    item: Item
    formed: Order | None
    not_formed: Order | None
    undecided: bool = False
    reason: str = ""
    gaps: tuple[Gap, ...] = ()
    rule: StatedRule | None = None


class Overall(NamedTuple):
    """The verdict about the logs as a whole. `kind` is None if no order forms the property;
    `violated` also if every order forms it, though at different events. `rule`: the gravest one's,
    of a property that is written as rules."""

    kind: VerdictKind | None
    formed: Order | None = None
    not_formed: Order | None = None
    undecided: bool = False
    reason: str = ""
    gaps: tuple[Gap, ...] = ()
    rule: StatedRule | None = None


Verdicts: TypeAlias = tuple[AuditVerdict, ...]


class Outcome(NamedTuple):
    """The outcome of an audit. `verdicts` in the order in which the events were read; `labelled`
    counts the events that the property mentions. `late` are gaps found after events were decided
    that they may concern: of those nothing was declared, and perhaps would have been.
    `occurrences` counts what happened; `far` says of each rule how many steps it came, in the order
    in which the events were read (`choreomon.properties.progress`)."""

    verdicts: Verdicts
    overall: Overall
    gaps: tuple[Gap, ...]
    events: int
    labelled: int
    late: tuple[Gap, ...] = ()
    occurrences: Occurrences = Occurrences()
    far: tuple[int, ...] = ()
