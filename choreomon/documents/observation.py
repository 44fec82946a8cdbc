"""Observation of a run: which processes share a log, when each log begins and ceases.

The removal and slices papers judge logs that are cut off: observation may cease too early and begin
too late. A document may say so of its runs; docs/verify.md, "Runs of the simulator".
"""

from __future__ import annotations

from typing import Final

from choreomon.documents.durations import NO_TIME, Duration
from choreomon.files.fields import Items, Name, OneOrMore
from choreomon.files.shapes import Part, field


class LogDocument(Part):
    """A log: of one process, or of several that share a clock."""

    processes: OneOrMore[Name] = field(description="the ids of the processes that write it")
    start: Duration | None = field(
        default=None, description="when it begins, drawn anew for each run; null: as observation"
    )
    end: Duration | None = field(
        default=None, description="when it ceases, drawn anew for each run; null: as observation"
    )


class ObservationDocument(Part):
    """The logs that are judged. A process that no log names has a log of its own."""

    start: Duration = field(
        default=NO_TIME, description="when each log begins: nothing before is in it"
    )
    end: Duration | None = field(
        default=None, description="when each log ceases: nothing from then on is in it; null: never"
    )
    logs: Items[LogDocument] = field(default=(), description="logs that are not as the others")


EVERYTHING: Final = ObservationDocument()
"""A log for each process, written all the time."""
