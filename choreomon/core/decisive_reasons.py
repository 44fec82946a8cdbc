"""Decisive reasons: those of a verdict that are told if there are more than people read.

A verdict may rest on thousands of records, a few of which say all that matters: one certain record
suffices, and of many uncertain ones each adds little. The choice keeps the explanation true: a pre
record that is kept also keeps one of its cancellations, if it has any, so that nobody reads that
nothing cancelled it.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final, NamedTuple

from choreomon.core.verdict import FRM, MonitorVerdict, Relation, Result, Role, Unseen

MOST_REASONS: Final = 16
"""The most reasons of a live verdict. An explanation lists five kinds of records with what may have
cancelled them; with this many it already exceeds a screen."""


class Weight(NamedTuple):
    """The weight of a reason. `record`: the record of a pre, or the pre record that a vio concerns.
    `state`: for a pre, the state that its transition leads to."""

    role: Role
    record: Hashable
    state: str
    result: Result | Unseen
    relation: Relation
    certain: bool

    @property
    def rank(self) -> tuple[bool, bool, bool]:
        """The rank of a reason; less is more decisive."""
        return (not self.certain, self.result != FRM, self.relation != "before")


def decisive(weights: Sequence[Weight], most: int) -> list[int]:
    """The places of at most `most` reasons, the decisive ones first, each pre before what may have
    cancelled it. The most decisive pre record of each state comes before all others: so every
    sequence with a record shows one as long as there is room. An uncertain pre record with
    cancellations comes with one of them, or not at all.
    """
    concerning: dict[Hashable, list[int]] = {}
    pres: list[int] = []
    for place, weight in enumerate(weights):
        if weight.role == "pre":
            pres.append(place)
        else:
            concerning.setdefault(weight.record, []).append(place)
    for vios in concerning.values():
        vios.sort(key=lambda place: weights[place].rank)
    pres.sort(key=lambda place: weights[place].rank)
    first = {weights[place].state: place for place in reversed(pres)}
    leading = {*first.values()}
    pres.sort(key=lambda place: place not in leading)

    kept: dict[int, None] = {}
    for place in pres:
        weight = weights[place]
        vios = [] if weight.certain else concerning.get(weight.record, [])[:1]
        needed = [each for each in (place, *vios) if each not in kept]
        if len(kept) + len(needed) <= most:
            kept.update(dict.fromkeys(needed))
    chosen = [place for place in kept if weights[place].role == "pre"]
    further = dict.fromkeys(
        each
        for place in chosen
        if not weights[place].certain
        for each in concerning.get(weights[place].record, [])
        if each not in kept
    )
    by_rank = sorted(further, key=lambda place: weights[place].rank)
    kept.update(dict.fromkeys(by_rank[: most - len(kept)]))
    ordered: dict[int, None] = {}
    for place in chosen:
        ordered[place] = None
        cancelling = concerning.get(weights[place].record, [])
        ordered.update(dict.fromkeys(each for each in cancelling if each in kept))
    return [*ordered]


def with_decisive_reasons(verdict: MonitorVerdict, most: int = MOST_REASONS) -> MonitorVerdict:
    """The verdict with at most `most` reasons, and the number of omitted ones; the verdict itself
    if it has no more. Nothing else changes."""
    because = verdict.because
    if len(because) <= most:
        return verdict
    weights = [
        Weight(
            reason.role,
            (reason.reference, reason.clock)
            if reason.role == "pre"
            else (reason.of_reference, reason.of),
            reason.reference.target,
            reason.result,
            reason.relation,
            reason.certain,
        )
        for reason in because
    ]
    kept = tuple([because[place] for place in decisive(weights, most)])
    left_out = verdict.reasons_left_out + len(because) - len(kept)
    return verdict._replace(because=kept, reasons_left_out=left_out)
