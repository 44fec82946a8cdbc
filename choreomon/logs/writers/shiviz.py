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
from choreomon.core.names import word, written
from choreomon.core.recorded import RecordedEvent
from choreomon.core.run import RunVerdict
from choreomon.core.vector_clock import by_name
from choreomon.logs.trace import milliseconds
from choreomon.logs.writers.recorded_run import RecordedRun

EXPRESSION: Final = (
    r"(?<event>.*)\n(?<host>\S+) (?<clock>{.*}) index=(?<index>\d+)"
    r" milliseconds=(?<milliseconds>\S+) verdict=(?<verdict>\S*) monitor=(?<monitor>\S*)"
    r" label=(?<label>.*)"
)
"""The first line, in the syntax of JavaScript."""

OF_MESSAGES: Final = ("kind", "message", "peer", "message_id")
"""Fields of sends and handles of logs."""

_WORD: Final = r"\S+"
"""The usual pattern of a host."""
_WORDS: Final = r"[^{\n]+"
"""The pattern of a host with blanks: all that comes before the clock."""
_HOST_LINE: Final = re.compile(r"\S+ {.*}")
_FIELD: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def shiviz_log(run: RecordedRun) -> str:
    """The text of the log.

    Raises ValueError for a run that has lost events, and for a name that the lines of ShiViz cannot
    hold.
    """
    declared: dict[int, list[RunVerdict]] = {}
    for verdict in run.verdicts:
        declared.setdefault(verdict.event_index, []).append(verdict)
    host = _host(run.processes)
    counts = dict.fromkeys(run.processes, 0)
    place = {process: number for number, process in enumerate(run.processes)}
    lines = [EXPRESSION.replace(_WORD, host, 1), ""]
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
        lines.append(_on_one_line(f"{kind} {event.message}{event.carried}"))
        lines.append(
            f"{event.process} {clock} index={event.index} milliseconds={milliseconds(event.time)} "
            + _fields(declared.get(event.index, ()))
        )
    _check_known(run, counts)
    return "\n".join(lines) + "\n"


def recorded_shiviz_log(events: Sequence[RecordedEvent]) -> str:
    """Events that other logs told of, as a log: what happened, who, clock, and below these a line
    for each field that one of them has, and for the time. Sessions are ShiViz's several runs, in
    the order of their first events. Where there are sends or handles, the fields `kind`, `message`,
    `peer` and `message_id` say of which one, so that a mapping can read them back.

    Clocks are written as they are: ShiViz takes none that jump. Raises ValueError for an event
    without a clock, and for names and fields that the lines of ShiViz cannot hold.
    """
    timed = any(event.time for event in events)
    about_messages = any(event.kind != "local" for event in events)
    of_messages = OF_MESSAGES if about_messages else ()
    own_names = (*of_messages, *(("time",) if timed else ()))
    taken = {"event", "host", "clock", *own_names}
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
    host = _host([*dict.fromkeys(event.process for event in events)])
    names = [*own_names, *names]
    lines = [
        rf"(?<event>.*)\n(?<host>{host}) (?<clock>{{.*}})"
        + "".join(rf"\n{field}=(?<{field}>.*)" for field in names),
        r"^=== (?<trace>.*) ===$" if several else "",
    ]
    for session, own in sessions.items():
        if several:
            lines.append(_on_one_line(f"=== {session} ==="))
        for event in own:
            lines += _recorded_lines(event, names, own_names)
    return "\n".join(lines) + "\n"


def _recorded_lines(
    event: RecordedEvent, names: Sequence[str], own_names: Sequence[str]
) -> Iterator[str]:
    if event.clock is None:
        raise ValueError(f"{event.place}: has no clock, and ShiViz draws clocks")
    told = _on_one_line(_told(event))
    if _HOST_LINE.match(told):
        raise ValueError(
            f"{event.place}: {told!r} cannot be the text of an event of ShiViz: it reads like the "
            "line of a host and its clock"
        )
    yield told
    yield f"{event.process} {json.dumps(dict(event.clock), sort_keys=True)}"
    own = {
        "time": event.time,
        "kind": event.kind,
        "message": event.name,
        "peer": event.peer or "",
        "message_id": event.message_id or "",
    }
    for name in names:
        text = own[name] if name in own_names else event.fields.get(name, "")
        yield _on_one_line(f"{name}={text}")


def _host(processes: Sequence[str]) -> str:
    """The expression of all these hosts. Raises ValueError where there is none."""
    if all(re.fullmatch(_WORD, process) for process in processes):
        return _WORD
    for process in processes:
        if not re.fullmatch(_WORDS, process) or process != process.strip():
            raise ValueError(
                f"{process!r} cannot be a host of ShiViz: one of the processes has a blank, and "
                "none may have a brace, a blank at an end, or no name then: export it --to otlp "
                "or jsonl"
            )
    return _WORDS


def _told(event: RecordedEvent) -> str:
    """An event in words; the other end of its message is `?` where nobody knows it. It has
    quotes where the words would else read like the line of a host."""
    if event.kind == "local":
        return event.name
    ends = (event.process, event.peer or "?")
    sender, receiver = ends if event.kind == "send" else reversed(ends)
    first = written(sender) if sender.startswith("{") else sender
    return f"{event.kind} {first} -> {receiver} : {event.name}"


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
        f"monitor={','.join(_as_word(verdict.monitor) for verdict in verdicts)} "
        f"label={', '.join(verdict.label for verdict in verdicts)}"
    )


def _as_word(process: str) -> str:
    """A process where a blank or a comma would end it."""
    return word(process) if re.search(r"[\s,]", process) else process


def _on_one_line(text: str) -> str:
    if len(text.splitlines()) > 1:
        raise ValueError(f"{text!r} cannot be written in a log of ShiViz: it has several lines")
    return text
