"""A run as a ShiViz log.

ShiViz (bestchai.bitbucket.io/shiviz) draws logs with vector clocks. The first line is the regular
expression by which it reads the events, the second, which is empty, the one between several runs,
then come the events, two lines each: what happened, and who did it, the clock, and fields that
ShiViz shows with the event. Of several verdicts about one event each field has all, with commas
between them.

ShiViz wants of the clocks that the own entry of a process counts its events from 1 on, and that
there are all events that an entry of another one counts. So a run with events that were not kept is
not written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from choreomon.core.message import SEND
from choreomon.core.recorded import RecordedEvent
from choreomon.core.run import RunVerdict
from choreomon.core.vector_clock import by_name
from choreomon.formats.exported.recorded_run import RecordedRun
from choreomon.formats.trace import milliseconds

EXPRESSION: Final = (
    r"(?<event>.*)\n(?<host>\S+) (?<clock>{.*}) index=(?<index>\d+)"
    r" milliseconds=(?<milliseconds>\S+) verdict=(?<verdict>\S*) monitor=(?<monitor>\S*)"
    r" label=(?<label>.*)"
)
"""The first line, in the syntax of JavaScript."""

_HOST: Final = re.compile(r"\S+")
_FIELD: Final = re.compile(r"\w+", re.ASCII)


def shiviz_log(run: RecordedRun) -> str:
    """The text of the log.

    Raises ValueError for a run that has lost events, and for a name that the lines of ShiViz cannot
    hold.
    """
    declared: dict[int, list[RunVerdict]] = {}
    for verdict in run.verdicts:
        declared.setdefault(verdict.event_index, []).append(verdict)
    for process in run.processes:
        if not _HOST.fullmatch(process):
            raise ValueError(f"{process!r} cannot be a host of ShiViz: it has a blank, or nothing")
    counts = dict.fromkeys(run.processes, 0)
    place = {process: number for number, process in enumerate(run.processes)}
    lines = [EXPRESSION, ""]
    for event in run.events:
        counts[event.process] += 1
        own = event.clock[place[event.process]]
        if own != counts[event.process]:
            raise ValueError(
                f"event {event.index} is the {own}. of {event.process} by its clock, and the "
                f"{counts[event.process]}. that is there: ShiViz needs all of them"
            )
        clock = json.dumps(by_name(event.clock, run.processes), sort_keys=True)
        kind = "send" if event.kind == SEND else "handle"
        lines.append(_on_one_line(f"{kind} {event.message}"))
        lines.append(
            f"{event.process} {clock} index={event.index} milliseconds={milliseconds(event.time)} "
            + _fields(declared.get(event.index, ()))
        )
    _check_known(run, counts)
    return "\n".join(lines) + "\n"


def recorded_shiviz_log(events: Sequence[RecordedEvent]) -> str:
    """Events that other logs told of, as a log: what happened, who, clock, and below these a line
    for each field that one of them has, and for the time. Sessions are ShiViz's several runs, in
    the order of their first events.

    Clocks are written as they are: ShiViz takes none that jump. Raises ValueError for an event
    without a clock, and for names and fields that the lines of ShiViz cannot hold.
    """
    timed = any(event.time for event in events)
    taken = {"event", "host", "clock", *(("time",) if timed else ())}
    names = sorted({name for event in events for name in event.fields})
    for name in names:
        if not _FIELD.fullmatch(name) or name in taken:
            raise ValueError(
                f"{name!r} cannot be a field of ShiViz: it is no word, or has a meaning"
            )
    sessions: dict[str, list[RecordedEvent]] = {}
    for event in events:
        sessions.setdefault(event.session, []).append(event)
    several = any(sessions)
    if timed:
        names.insert(0, "time")
    lines = [
        r"(?<event>.*)\n(?<host>\S+) (?<clock>{.*})" + "".join(rf"\n{n}=(?<{n}>.*)" for n in names),
        r"^=== (?<trace>.*) ===$" if several else "",
    ]
    for session, own in sessions.items():
        if several:
            lines.append(_on_one_line(f"=== {session} ==="))
        for event in own:
            lines += _recorded_lines(event, names, timed)
    return "\n".join(lines) + "\n"


def _recorded_lines(event: RecordedEvent, names: Sequence[str], timed: bool) -> Iterator[str]:
    if event.clock is None:
        raise ValueError(f"{event.place}: has no clock, and ShiViz draws clocks")
    if not _HOST.fullmatch(event.process):
        raise ValueError(
            f"{event.process!r} cannot be a host of ShiViz: it has a blank, or nothing"
        )
    yield _on_one_line(event.name)
    yield f"{event.process} {json.dumps(dict(event.clock), sort_keys=True)}"
    for name in names:
        text = event.time if timed and name == "time" else event.fields.get(name, "")
        yield _on_one_line(f"{name}={text}")


def _check_known(run: RecordedRun, counts: Mapping[str, int]) -> None:
    """Raises ValueError where an event knows events that are not there."""
    for event in run.events:
        for process, known in zip(run.processes, event.clock, strict=True):
            if known > counts[process]:
                raise ValueError(
                    f"event {event.index} knows {known} events of {process}, and {counts[process]} "
                    "are there: ShiViz needs all of them"
                )


def _fields(verdicts: Sequence[RunVerdict]) -> str:
    return _on_one_line(
        f"verdict={','.join(verdict.verdict for verdict in verdicts)} "
        f"monitor={','.join(verdict.monitor for verdict in verdicts)} "
        f"label={', '.join(verdict.label for verdict in verdicts)}"
    )


def _on_one_line(text: str) -> str:
    if len(text.splitlines()) > 1:
        raise ValueError(f"{text!r} cannot be written in a log of ShiViz: it has several lines")
    return text
