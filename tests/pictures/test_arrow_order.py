"""The order of arrows: every process keeps its own where any order of arrows lets it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest

from choreomon.core.run import RunEvent
from choreomon.logs.readers.run_events import run_events
from choreomon.pictures.as_text.arrow_order import in_order_of_arrows
from tests.logs.writers.test_made_clocks import drawn


def chains(events: Sequence[RunEvent]) -> dict[str, list[int]]:
    made: dict[str, list[int]] = {}
    for event in events:
        made.setdefault(event.process, []).append(event.index)
    return made


def there_is_an_order(events: Sequence[RunEvent]) -> bool:
    """Whether arrows can stand so that every process keeps its order: tries all of them."""
    own = chains(events)
    ends: dict[int, list[RunEvent]] = {}
    for event in events:
        ends.setdefault(event.index if event.sent_at is None else event.sent_at, []).append(event)
    start = dict.fromkeys(own, 0)
    todo, seen = [start], {tuple(start.values())}
    while todo:
        done = todo.pop()
        if all(done[process] == len(chain) for process, chain in own.items()):
            return True
        for parts in ends.values():
            if any(own[one.process][done[one.process] :][:1] != [one.index] for one in parts):
                continue
            following = {**done}
            for one in parts:
                following[one.process] += 1
            if tuple(following.values()) not in seen:
                seen.add(tuple(following.values()))
                todo.append(following)
    return False


def logs() -> list[tuple[RunEvent, ...]]:
    drawn_events = [drawn(seed) for seed in range(400)]
    return [
        run_events([event for event in events if event.session == session])[0]
        for events in drawn_events
        for session in ("", "s")
    ]


def test_every_process_keeps_its_order_where_that_is_possible() -> None:
    possible = 0
    for events in logs():
        ordered = in_order_of_arrows(events)
        assert sorted(event.index for event in ordered) == [event.index for event in events]
        for before, event in pairwise(ordered):
            assert event.sent_at is None or event.sent_at in (before.index, before.sent_at)
        keeps = chains(ordered) == chains(events)
        assert keeps == there_is_an_order(events), events
        possible += keeps
    assert 0 < possible < len(logs())


@pytest.mark.parametrize("seed", range(5))
def test_what_is_in_order_stays_so(seed: int) -> None:
    events = run_events([event for event in drawn(seed) if not event.session])[0]
    once = in_order_of_arrows(events)
    assert in_order_of_arrows(once) == once


def first_possible(events: Sequence[RunEvent]) -> list[RunEvent]:
    """Again and again the first arrow before which no process of it has anything left to do; of
    events of which there is an order."""
    arrows: dict[int, list[RunEvent]] = {}
    for event in events:
        arrows.setdefault(event.index if event.sent_at is None else event.sent_at, []).append(event)
    of = {event.index: arrow for arrow, parts in arrows.items() for event in parts}
    made: list[RunEvent] = []
    left = [*arrows]
    while left:

        def waits(arrow: int) -> bool:
            return any(
                before.process == part.process and of[before.index] in set(left) - {arrow}
                for part in arrows[arrow]
                for before in events[: events.index(part)]
            )

        arrow = next(one for one in left if not waits(one))
        left.remove(arrow)
        made += arrows[arrow]
    return made


def test_what_the_logs_leave_open_is_in_the_order_in_which_it_is_given() -> None:
    for events in filter(there_is_an_order, logs()):
        assert in_order_of_arrows(events) == first_possible(events)
