"""One event <-> one line of JSON in a trace (`choreomon simulate --trace`).

A trace keeps the order in which events really happened; times are milliseconds, which
hold whole microseconds; zero entries of clocks are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import Field, ValidationError, model_validator

from choreomon.core.errors import DocumentError, Problem
from choreomon.core.message import ENVIRONMENT, HANDLE, SEND, EventKind, Message
from choreomon.core.run import RunEvent
from choreomon.core.vector_clock import by_name
from choreomon.formats.fields import Milliseconds, Name, Part, problems_of, refused
from choreomon.formats.located import read_located


def milliseconds(microseconds: float) -> float:
    """For people: exact for every whole number of microseconds below 2**53."""
    return microseconds / 1000


def trace_line(event: RunEvent, processes: tuple[str, ...]) -> str:
    """The event as one line of ASCII, without a line end; `processes` in the order of
    its clock."""
    return json.dumps(
        {
            "index": event.index,
            "time": milliseconds(event.time),
            "event": event.kind,
            "process": event.process,
            "message": event.message._asdict(),
            "clock": by_name(event.clock, processes),
        },
        separators=(",", ":"),
    )


class _TraceMessage(Part):
    sender: Name = Field(description="a process, or env")
    name: Name = Field(description="the message's name")
    receiver: Name = Field(description="a process")


class _TraceLine(Part):
    index: int = Field(ge=0, description="the position in the run, from 0")
    time: Milliseconds = Field(description="milliseconds")
    event: EventKind = Field(description="send or handle")
    process: Name = Field(description="where the event happened")
    message: _TraceMessage = Field(description="{sender, name, receiver}")
    clock: dict[Name, Annotated[int, Field(ge=1)]] = Field(
        description="the vector clock by process, zero entries left out"
    )

    @model_validator(mode="after")
    def _happens_where_it_should(self) -> _TraceLine:
        if self.event == SEND and self.message.sender == ENVIRONMENT:
            raise refused(f"a message from {ENVIRONMENT} has no send event, only a handle")
        end = self.message.sender if self.event == SEND else self.message.receiver
        if self.process != end:
            raise refused(f"a {self.event} of this message happens at {end}, not {self.process}")
        if end not in self.clock:
            raise refused(f"the clock should have an entry for {end}, where the event happened")
        return self


def _at(number: int, problems: Iterable[Problem]) -> DocumentError:
    return DocumentError(tuple(replace(problem, line=number) for problem in problems))


def read_trace_line_untrusted(
    line: str | bytes, processes: Sequence[str], *, file: str = "trace", number: int = 1
) -> RunEvent:
    """The event that `trace_line` wrote; a trace does not say `sent_at`, which is `None`.

    `file` and `number`, the line's number from 1, are for messages. Raises `DocumentError`
    alone, whatever the line holds; also where it names other processes than `processes`.
    """
    try:
        located = read_located(line, file, as_json=True)
    except DocumentError as error:
        raise _at(number, error.problems) from None
    try:
        read = _TraceLine.model_validate(located.value)
    except ValidationError as error:
        raise _at(number, problems_of(error, located)) from None
    known = {*processes}
    strangers = [
        *(process for process in read.clock if process not in known),
        *(
            process
            for process in (read.message.sender, read.message.receiver)
            if process not in known and process != ENVIRONMENT
        ),
    ]
    if strangers:
        message = f"unknown process {strangers[0]!r}; the processes are {', '.join(processes)}"
        raise DocumentError((Problem(file, number, "", message),))
    return RunEvent(
        index=read.index,
        time=round(read.time * 1000),
        kind=HANDLE if read.event == HANDLE else SEND,
        process=read.process,
        message=Message(read.message.sender, read.message.name, read.message.receiver),
        clock=tuple(read.clock.get(process, 0) for process in processes),
    )
