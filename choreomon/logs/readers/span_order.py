"""The order in which the events of spans come out.

Within a process it is that of time. A reception comes after its send even where the clocks of two
machines say otherwise, so that whoever reads the events has nothing to wait for.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

from choreomon.core.recorded import RecordedEvent


def sends_first(events: Sequence[RecordedEvent]) -> Iterator[RecordedEvent]:
    """Yields the events, those of each process in the given order, and each send before its
    receptions; otherwise in the given order. If that is not possible, since messages form a cycle,
    the first remaining event goes first.
    """
    sends: dict[tuple[str, str], int] = {}
    for number, event in enumerate(events):
        if event.kind == "send" and event.message_id is not None:
            sends.setdefault((event.session, event.message_id), number)
    after: list[list[int]] = [[] for _ in events]
    waits = [0] * len(events)
    last: dict[str, int] = {}
    for number, event in enumerate(events):
        before = [last[event.process]] if event.process in last else []
        last[event.process] = number
        if event.kind == "handle" and event.message_id is not None:
            sent = sends.get((event.session, event.message_id))
            if sent is not None and sent != number:
                before.append(sent)
        for each in before:
            after[each].append(number)
        waits[number] = len(before)
    ready = [number for number, count in enumerate(waits) if not count]
    done = [False] * len(events)
    first = 0
    for _ in events:
        while ready and done[ready[0]]:
            heapq.heappop(ready)
        if not ready:
            while done[first]:
                first += 1
            ready.append(first)
        number = heapq.heappop(ready)
        done[number] = True
        yield events[number]
        for each in after[number]:
            waits[each] -= 1
            if not waits[each] and not done[each]:
                heapq.heappush(ready, each)
