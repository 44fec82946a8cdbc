"""Messages between monitors kept from a run, to show which of them tell the order of events."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final, Literal

from choreomon.core.run import MonitorsMessage
from choreomon.monitor.messages import Inquiry, Notice, Response
from choreomon.monitor.of_instances.messages import said_in
from simulator.sidecars.run_context import AnyMessage, MonitorLog

KEPT_MESSAGES: Final = 100_000
"""The number of messages kept, the last ones of a run."""


class KeptMessages:
    """A `simulator.sidecars.run_context.MonitorLog` that keeps messages. `events` tells how many
    events happened so far. Everything is passed on to `also`, if given."""

    def __init__(self, events: Callable[[], int]) -> None:
        self._events = events
        self.also: MonitorLog | None = None
        self._number = 0
        # By identity, as in `simulator.monitor_log`.
        self._under_way: dict[int, tuple[int, int]] = {}
        self._kept: deque[MonitorsMessage] = deque(maxlen=KEPT_MESSAGES)

    @property
    def messages(self) -> tuple[MonitorsMessage, ...]:
        """The messages taken, in that order."""
        return tuple(self._kept)

    def sent(self, message: AnyMessage, size: int, arrives: int) -> None:
        self._under_way[id(message)] = self._place()
        if self.also is not None:
            self.also.sent(message, size, arrives)

    def taken(self, message: AnyMessage) -> None:
        sent = self._under_way.pop(id(message))
        if not isinstance(message, Notice):  # the central monitor tells nobody what it learns
            kind: Literal["inquiry", "response", "other"] = "other"
            said = type(said_in(message))
            if said is Inquiry:
                kind = "inquiry"
            elif said is Response:
                kind = "response"
            ends = message.sender, message.receiver
            self._kept.append(MonitorsMessage(kind, *ends, sent, self._place()))
        if self.also is not None:
            self.also.taken(message)

    def _place(self) -> tuple[int, int]:
        self._number += 1
        return self._events(), self._number
