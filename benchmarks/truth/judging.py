"""What was said of the events of a run, held against what is promised (docs/verdicts.md, "What is
guaranteed"). Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from choreomon.audit.outcome import Outcome
from choreomon.core.message import Event
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED, WITHDRAWN
from choreomon.experiments.monitoring.avoidable import evaluated
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.partial_order import Formed
from tests.simulator.monitored import Judged
from tests.simulator.test_reasons import untrue

MAX_CUTS: Final = 20_000
"""Consistent cuts of one evaluation; questions beyond it are counted, and only held against the
real order."""

_KIND: Final = {
    Formed.NEVER: None,
    Formed.SOMETIMES: POSSIBLY_VIOLATED,
    Formed.ALWAYS: VIOLATED,
}


class Truth(NamedTuple):
    """Of every event of a run that the property names, by its index: in which orders it forms the
    property, `None` beyond the budget; and whether it does in the real order."""

    orders: Mapping[int, Formed | None]
    formed: frozenset[int]


@dataclass
class Asked:
    """What was asked and what came out. `wrong`: the index of the event, and what is wrong."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[tuple[int, str]] = field(default_factory=list)


def truth_of(automaton: SequenceAutomaton, found: Judged) -> Truth:
    """By the clocks of its events, which are those of monitoring messages, too."""
    labels = set(automaton.labels)
    named = [event for event in found.events if event.label in labels]
    events = [Event(event.label, event.clock) for event in named]
    processes = found.run.processes
    exact = evaluated(automaton, processes, events, range(len(events)), max_cuts=MAX_CUTS)
    orders = {event.index: each for event, each in zip(named, exact, strict=True)}
    return Truth(orders, found.formed)


def monitored(automaton: SequenceAutomaton, found: Judged, truth: Truth, *, precise: bool) -> Asked:
    """What monitors said last of each event. `precise`: they ask, by the rules of this name."""
    asked = Asked()
    words = {each.event_index: each.verdict for each in found.run.verdicts}
    unsettled = {*found.run.unsettled}
    for index, exact in truth.orders.items():
        word = words.pop(index, None)
        word = None if word == WITHDRAWN else word
        _count(asked, word, exact)
        asked.wrong += [
            (index, what)
            for what in wrong_word(
                word,
                exact,
                formed=index in truth.formed,
                precise=precise,
                unsettled=index in unsettled,
            )
        ]
    asked.wrong += [(index, "of no event of the property") for index in words]
    asked.counts["unsettled"] += len(unsettled)
    asked.counts["reasons"] += sum(len(each.because) for each in found.run.verdicts)
    asked.wrong += [(int(told.split(":")[0]), told) for told in untrue(automaton, found)]
    return asked


def wrong_word(
    word: str | None, exact: Formed | None, *, formed: bool, precise: bool, unsettled: bool
) -> Iterator[str]:
    """What is wrong with the last word about an event; `None`: nothing was said, or it was
    withdrawn."""
    if exact is (Formed.NEVER if formed else Formed.ALWAYS):
        yield "the oracles disagree"
    if unsettled and word != POSSIBLY_VIOLATED:
        yield "unsettled, though it is not possible"
    if word is None and formed:
        yield "missed"
    elif word is None and precise and exact in (Formed.SOMETIMES, Formed.ALWAYS):
        yield "nothing said, though some order forms it"
    elif word == VIOLATED and not formed:
        yield "false alarm"
    elif word == VIOLATED and exact in (Formed.SOMETIMES, Formed.NEVER):
        yield "violated, though some order does not form it"
    elif word == POSSIBLY_VIOLATED and precise and not unsettled and exact in _AGREED:
        yield "possible, though all orders agree"


_AGREED: Final = (Formed.ALWAYS, Formed.NEVER)


def audited(found: Judged, truth: Truth, outcome: Outcome) -> Asked:
    """What the audit of a whole log of the run says: of every event exactly what all orders do."""
    asked = Asked()
    places: dict[str, list[int]] = defaultdict(list)
    for index in truth.orders:
        places[found.events[index].process].append(index)
    said = {}
    for verdict in outcome.verdicts:
        assert verdict.item.event is not None
        said[places[verdict.item.event.process][verdict.item.rank - 1]] = verdict
    for index, exact in truth.orders.items():
        verdict_ = said.pop(index, None)
        word = None if verdict_ is None else verdict_.kind
        _count(asked, word, exact)
        if verdict_ is not None and verdict_.undecided:
            asked.counts["unsettled"] += 1
        elif exact is not None and word != _KIND[exact]:
            asked.wrong.append((index, f"{word}, and not {_KIND[exact]}"))
    asked.wrong += [(index, "of no event of the property") for index in said]
    overall = outcome.overall.kind
    exact_ones = set(truth.orders.values())
    if (exact_ones <= {Formed.NEVER} and overall is not None) or (
        Formed.ALWAYS in exact_ones and overall != VIOLATED
    ):
        asked.wrong.append((-1, f"{overall or 'nothing'} as a whole"))
    elif Formed.SOMETIMES in exact_ones and overall is None:
        asked.wrong.append((-1, "nothing as a whole"))
    return asked


def _count(asked: Asked, word: str | None, exact: Formed | None) -> None:
    asked.counts.update(("questions", word or "nothing"))
    asked.counts["beyond"] += exact is None
