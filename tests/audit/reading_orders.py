"""The same logs read in every order that keeps that of each process, beside brute force."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import factorial, prod
from random import Random
from typing import NamedTuple

from choreomon.audit.oracle import Truth
from choreomon.audit.outcome import Outcome
from choreomon.core.errors import DocumentError
from choreomon.core.recorded import Place, RecordedEvent
from tests.audit.cases import Case, faults


class Read(NamedTuple):
    """What became of one case: how many orders there are and were read, and what was wrong, in
    words."""

    orders: int
    read: int
    wrong: tuple[str, ...]


def read_in_orders(case: Case, *, at_most: int) -> Read:
    """Audits the logs in all orders, or in so many drawn ones; looks whether each says what brute
    force finds, and whether all say the same. What is `undecided` in one, since a gap was found
    late, is not compared with the others."""
    logs: dict[str, list[RecordedEvent]] = {}
    for event in case.events:
        logs.setdefault(event.process, []).append(event)
    orders = factorial(len(case.events)) // prod(factorial(len(log)) for log in logs.values())
    if orders <= at_most:
        chosen = merges([*logs.values()])
    else:
        random = Random(f"orders {case.events}")
        chosen = (drawn(random, [*logs.values()]) for _ in range(at_most))
    true = case.truth()
    truths = {event.place: true.events[place] for place, event in enumerate(case.events)}
    first: dict[Place | None, str | None] | None = None
    wrong: dict[str, None] = {}
    read = 0
    for events in chosen:
        read += 1
        again = replace(case, events=events)
        try:
            outcome = again.audit()
        except DocumentError as error:
            wrong[f"{error}"] = None
            continue
        found = {place: truths[event.place] for place, event in enumerate(events)}
        for fault in faults(again, outcome, Truth(found, true.overall, true.lacking)):
            wrong[f"{[str(event.place) for event in events]}: {fault}"] = None
        said = dict(kinds(case, outcome))
        if first is None:
            first = said
        for place in first.keys() & said.keys():
            if first[place] != said[place]:
                wrong[f"at {place}: {first[place]}, and {said[place]} in another order"] = None
    return Read(orders, read, tuple(wrong))


def kinds(case: Case, outcome: Outcome) -> Iterator[tuple[Place | None, str | None]]:
    """Of every event, and of all of them (None), what is said; nothing of what is left open."""
    verdicts = {
        verdict.item.event.place: verdict
        for verdict in outcome.verdicts
        if verdict.item.event is not None
    }
    for event in case.events:
        verdict = verdicts.get(event.place)
        if verdict is None and not outcome.late:
            yield event.place, None
        elif verdict is not None and not verdict.undecided:
            yield event.place, verdict.kind
    if not outcome.overall.undecided:
        yield None, outcome.overall.kind


def merges(logs: list[list[RecordedEvent]]) -> Iterator[tuple[RecordedEvent, ...]]:
    """All of them."""
    rest = [log for log in logs if log]
    if not rest:
        yield ()
    for place, log in enumerate(rest):
        for others in merges([*rest[:place], log[1:], *rest[place + 1 :]]):
            yield (log[0], *others)


def drawn(random: Random, logs: list[list[RecordedEvent]]) -> tuple[RecordedEvent, ...]:
    """One of them: log after log, or mixed."""
    rest = [[*log] for log in logs]
    random.shuffle(rest)
    if random.random() < 0.4:
        return tuple(event for log in rest for event in log)
    mixed = []
    while rest := [log for log in rest if log]:
        mixed.append(random.choice(rest).pop(0))
    return tuple(mixed)
