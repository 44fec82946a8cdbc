"""A server for a monitor: one thing at a time, monitoring messages first, each taking service
time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from choreomon.core.binding import Binding
from choreomon.core.message import Label
from choreomon.core.vector_clock import VectorClock
from choreomon.properties.tables import TransitionTable
from simulator.sidecars.run_context import (
    AnyMessage,
    Measurements,
    MonitorLog,
    RunContext,
    Watchers,
)
from simulator.world import Watcher


class SingleServer:
    """Serves one thing at a time, monitoring messages first; `handle` does the work."""

    def __init__(self, context: RunContext, name: str, handle: Callable[[Any], None]) -> None:
        self._event_queue = context.event_queue
        self._schedule = context.schedule
        self._draw = context.service(name)
        self._handle = handle
        self._take = take = handle if context.log is None else _logging(context.log, handle)
        self._messages: deque[Any] = deque()
        self._events: deque[Any] = deque()
        self._busy = False
        self._silent = False
        context.silences[name] = self.silence
        self.message: Callable[[Any], None] = self._queue_message
        self.event: Callable[[Any], None] = self._queue_event
        if context.at_once:
            self.message, self.event = take, handle

    def _queue_message(self, given: object) -> None:
        self._messages.append(given)
        self._next()

    def _queue_event(self, given: object) -> None:
        self._events.append(given)
        self._next()

    def _next(self) -> None:
        while not (self._busy or self._silent) and (self._messages or self._events):
            self._busy = True
            if self._messages:
                self._take(self._messages.popleft())
            else:
                self._handle(self._events.popleft())
            taken = self._draw()
            if taken:
                self._schedule(self._event_queue.now + taken, self._free, None)
            else:
                self._busy = False

    @property
    def is_silent(self) -> bool:
        """True while nobody runs the monitor."""
        return self._silent

    def silence(self, until: int) -> None:
        """Serve nothing until this time, since whoever ran the monitor is gone. What is to be
        served waits: events were written ahead, and who asks asks again."""
        self._silent = True
        self._schedule(until, self._wake, None)

    def _wake(self, _: None) -> None:
        self._silent = False
        self._next()

    def _free(self, _: None) -> None:
        self._busy = False
        self._next()


def _logging(log: MonitorLog, handle: Callable[[Any], None]) -> Callable[[Any], None]:
    def take(message: AnyMessage) -> None:
        log.taken(message)
        handle(message)

    return take


def watching(table: TransitionTable, watch: Watcher, measurements: Measurements) -> Watchers:
    """A watcher for each label of a table; labels that may end a sequence are measured first."""

    def watch_final(label: Label, clock: VectorClock, values: Binding) -> None:
        measurements.observed(label, clock)
        watch(label, clock, values)

    return {
        label: watch_final if any(each.final for each in inspected) else watch
        for label, inspected in table.inspections.items()
    }
