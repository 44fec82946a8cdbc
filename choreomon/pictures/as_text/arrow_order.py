"""The order in which the messages of a log stand in a sequence diagram.

An arrow of such a diagram is one line: the message is sent and handled there. Logs leave open which
of two events of different processes was first, so arrows can often be placed such that every
process acts in the order of its log; then the log fits the diagram, read as an interaction. There
is such an order if the messages, each taken as one point, form no cycle: in runs that are
realizable with synchronous communication (Charron-Bost, Mattern, Tel: "Synchronous, asynchronous,
and causally ordered communication", 1996).
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from choreomon.core.run import RunEvent


def in_order_of_arrows(events: Sequence[RunEvent]) -> list[RunEvent]:
    """The events, each handle right behind its send, and each process in its own order; as far as
    that leaves it open, in the order in which they are given.

    Where messages form a cycle, the first remaining one goes first, and the processes that it
    concerns lose their order. The send of each `sent_at` must be among the events.
    """
    parts: dict[int, list[RunEvent]] = {}
    after: dict[int, set[int]] = {}
    last: dict[str, int] = {}
    for event in events:
        arrow = event.index if event.sent_at is None else event.sent_at
        parts.setdefault(arrow, []).append(event)
        after.setdefault(arrow, set())
        before = last.get(event.process, arrow)
        if before != arrow:
            after[before].add(arrow)
        last[event.process] = arrow
    waits = dict.fromkeys(parts, 0)
    for arrows in after.values():
        for arrow in arrows:
            waits[arrow] += 1
    place = {arrow: number for number, arrow in enumerate(parts)}
    left = [*parts]
    ready = [(place[arrow], arrow) for arrow in left if not waits[arrow]]
    done: dict[int, None] = {}
    first = 0
    while len(done) < len(left):
        if not ready:
            while left[first] in done:
                first += 1
            ready = [(first, left[first])]
        _, arrow = heapq.heappop(ready)
        if arrow in done:
            continue
        done[arrow] = None
        for later in after[arrow]:
            waits[later] -= 1
            if not waits[later] and later not in done:
                heapq.heappush(ready, (place[later], later))
    return [event for arrow in done for event in parts[arrow]]
