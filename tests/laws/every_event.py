"""What a monitor said of each event, held against all orders in which the run may have been.

Looking only at what the real order formed sees a third of what is wrong: an order that did not
happen is one that nobody could have told from the one that did. By docs/verdicts.md, "What is
guaranteed", whatever order is the real one:

- nothing is said of an event only where no order forms the property there;
- `violated` only where all orders do;
- `possibly-violated`, by `precise` rules, only where some do and some do not, or it was announced
  as unsettled.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from choreomon.core.message import Event
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED, VerdictKind
from choreomon.monitor.effects import Declared, Effect, Unsettled
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.partial_order import Formed, evaluate

Key = TypeVar("Key", bound=Hashable)
"""What names an event: its clock, or its place in the real order."""


class Wrong(NamedTuple):
    """`fault`: "nothing said", though some order forms the property there; "made up", though some
    order does not; "avoidable", possible though all orders agree; and the like."""

    fault: str
    event: object


class Played(NamedTuple):
    """A run: how many events there were with one of the property's labels, at how many the real
    order formed it, at how many some order does; words; and what is wrong."""

    events: int
    formed: int
    may_form: int
    violated: int
    possibly: int
    unsettled: int
    wrong: tuple[Wrong, ...]


def exact(
    automaton: SequenceAutomaton, processes: Sequence[str], events: Sequence[Event]
) -> dict[VectorClock, Formed]:
    """Of each event with one of the property's labels, by its clock."""
    found = evaluate(automaton, processes, events)
    return {
        event.clock: each
        for event, each in zip(events, found, strict=True)
        if event.label in automaton.labels
    }


def wrong_words(
    orders: Mapping[Key, Formed],
    last: Mapping[Key, VerdictKind | None],
    unsettled: Collection[Key] = (),
    *,
    precise: bool = True,
) -> Iterator[Wrong]:
    """Of each event what is wrong. `last` are the last words. By other rules than `precise` a
    possible verdict promises nothing."""
    for event, formed in orders.items():
        word = last.get(event)
        if word == VIOLATED:
            if formed is not Formed.ALWAYS:
                yield Wrong("made up", event)
        elif word == POSSIBLY_VIOLATED:
            if precise and formed is not Formed.SOMETIMES and event not in unsettled:
                yield Wrong("avoidable", event)
        elif formed is not Formed.NEVER:
            yield Wrong("nothing said", event)
        if word != POSSIBLY_VIOLATED and event in unsettled:
            yield Wrong("unsettled in vain", event)


def wrong_early(
    orders: Mapping[Key, Formed], violated: Collection[Key], silent: Collection[Key]
) -> Iterator[Wrong]:
    """What is wrong of what was said at deadlines: `violated` for now is for good, and where
    nothing is said nothing was formed, whatever the answers come to."""
    for event, formed in orders.items():
        if event in violated and formed is not Formed.ALWAYS:
            yield Wrong("made up for now", event)
        if event in silent and formed is not Formed.NEVER:
            yield Wrong("silent at the deadline", event)


def words_of(
    effects: Sequence[Effect],
) -> tuple[dict[VectorClock, VerdictKind | None], set[VectorClock]]:
    """The last words of monitors by the clocks of their events, and what they could not settle."""
    last: dict[VectorClock, VerdictKind | None] = {}
    unsettled: set[VectorClock] = set()
    for effect in effects:
        match effect:
            case Declared(event, verdict, False):
                last[event] = verdict.kind if verdict else None
            case Unsettled(event):
                unsettled.add(event)
            case _:
                pass
    return last, unsettled
