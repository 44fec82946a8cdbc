"""Recorders of a run: a trace written while events happen, and another one of what monitors do.

A recorder is any function that takes a `RunEvent`. To keep all, use `append` of a list, to keep the
last N, `append` of a `collections.deque(maxlen=N)`; here is the rest.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from choreomon.core.message import SEND
from choreomon.core.monitor_log import LogEntry
from choreomon.core.run import RunEvent
from choreomon.logs.trace import trace_line
from choreomon.reports.monitor_log import monitor_line
from simulator.monitor_log import MonitorRecorder
from simulator.world import Recorder


class LineSink(Protocol):
    """A sink of lines, such as an open text file."""

    def write(self, text: str, /) -> object: ...


def tracing(sink: LineSink, processes: tuple[str, ...]) -> Recorder:
    """Writes one line for each event, in the order in which events happen. Who handles a message
    from a slot is told the role alone; the line has the slot."""
    slots = {name for name in processes if "/" in name}
    senders: dict[int, str] = {}
    """The slots that sent what is not handled yet, by the index of the send."""

    def record(event: RunEvent) -> None:
        if event.kind == SEND and event.process in slots:
            senders[event.index] = event.process
        elif event.sent_at in senders:
            sent = event.message._replace(sender=senders.pop(event.sent_at))
            event = replace(event, message=sent)
        sink.write(trace_line(event, processes) + "\n")

    return record


def tracing_monitors(sink: LineSink, processes: tuple[str, ...]) -> MonitorRecorder:
    """Writes one line for everything that a monitor does."""

    def record(entry: LogEntry) -> None:
        sink.write(monitor_line(entry, processes) + "\n")

    return record


def each_of(*recorders: Recorder | None) -> Recorder | None:
    """Gives every event to all recorders, in this order; None if there are none."""
    there = [recorder for recorder in recorders if recorder is not None]
    if len(there) < 2:
        return next(iter(there), None)

    def record(event: RunEvent) -> None:
        for recorder in there:
            recorder(event)

    return record
