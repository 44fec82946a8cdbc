"""What is kept of a run: all events, the last ones, or a trace written as they happen, and another
one of what monitors do.

A recorder is anything that takes a `RunEvent`. Keeping all is `events.append` of a list,
keeping the last N `events.append` of `collections.deque(maxlen=N)`; here is the rest.
"""

from __future__ import annotations

from typing import Protocol

from choreomon.core.monitor_log import LogEntry
from choreomon.core.run import RunEvent
from choreomon.logs.trace import trace_line
from choreomon.reports.monitor_log import monitor_line
from simulator.monitor_log import MonitorRecorder
from simulator.world import Recorder


class LineSink(Protocol):
    """Where lines go: an open text file, for example."""

    def write(self, text: str, /) -> object: ...


def tracing(sink: LineSink, processes: tuple[str, ...]) -> Recorder:
    """Writes one line an event, in the order in which events happen (`formats.trace`)."""

    def record(event: RunEvent) -> None:
        sink.write(trace_line(event, processes) + "\n")

    return record


def tracing_monitors(sink: LineSink, processes: tuple[str, ...]) -> MonitorRecorder:
    """Writes one line for everything that a monitor does (`formats.monitor_log`)."""

    def record(entry: LogEntry) -> None:
        sink.write(monitor_line(entry, processes) + "\n")

    return record


def each_of(*recorders: Recorder | None) -> Recorder | None:
    """Gives every event to all that there are, in this order; None where there is none."""
    there = [recorder for recorder in recorders if recorder is not None]
    if len(there) < 2:
        return next(iter(there), None)

    def record(event: RunEvent) -> None:
        for recorder in there:
            recorder(event)

    return record
