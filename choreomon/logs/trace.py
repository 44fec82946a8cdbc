"""Traces: each event as one line of JSON (`--trace` of `choreomon simulate` and `run`). A trace
keeps the order in which events really happened; times are milliseconds, which hold whole
microseconds; zero entries of clocks are left out, and so are `values` if a message carries none.
`choreomon.logs.event_log` reads traces.
"""

from __future__ import annotations

import json

from choreomon.core.run import RunEvent
from choreomon.core.vector_clock import by_name


def milliseconds(microseconds: float) -> float:
    """The time for people: exact for every whole number of microseconds below 2**53."""
    return microseconds / 1000


def trace_line(event: RunEvent, processes: tuple[str, ...]) -> str:
    """The event as one line of ASCII, without a line end; `processes` in the order of
    its clock."""
    line = {
        "index": event.index,
        "time": milliseconds(event.time),
        "event": event.kind,
        "process": event.process,
        "message": event.message._asdict(),
        "clock": by_name(event.clock, processes),
    }
    if event.values:
        line["values"] = dict(event.values)
    return json.dumps(line, separators=(",", ":"))
