"""The events of a run, as multi-traces.

`choreomon simulate --trace` writes one event a line (`choreomon.logs.trace`), in the order in
which they really happened. Here a send becomes `sender!message` and a handle `receiver?message`;
clocks and times are not used, and what a message from the environment has at its other end is not
seen. A process that only the other end of a message names has a log too, an empty one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Literal, NoReturn

import msgspec

from choreomon.core.action import Action, emission, reception
from choreomon.core.errors import DocumentError, Problem
from choreomon.core.message import ENVIRONMENT, SEND
from choreomon.core.suggestion import did_you_mean
from choreomon.files.json_keys import repeated_key
from choreomon.files.json_shapes import placed_problem
from choreomon.hibou.signature import Signature
from choreomon.multitrace.coded import TraceBuilder
from choreomon.multitrace.multitrace import Component, MultiTrace
from choreomon.multitrace.projection import partition as checked_partition


class LineMessage(msgspec.Struct, forbid_unknown_fields=True):
    """The message of a line."""

    sender: str
    name: str
    receiver: str


class EventLine(msgspec.Struct, forbid_unknown_fields=True):
    """A line of a trace. Times are milliseconds; missing entries of the clock are 0."""

    index: int
    time: float
    event: Literal["send", "handle"]
    process: str
    message: LineMessage
    clock: dict[str, int]
    values: dict[str, str | int] = {}


_KEYS: Final = len(EventLine.__struct_fields__) + len(LineMessage.__struct_fields__)
"""Keys of a line outside of its clock and its values."""


def event_lines(
    lines: Iterable[str | bytes], file: str = "events"
) -> Iterator[tuple[int, EventLine]]:
    """The lines of a trace with their numbers, from 1, in ascending order of their indices. That an
    event happens at an end of its message is not checked here (`check_ends`).

    Raises DocumentError for what is no log of events.
    """
    decoder = msgspec.json.Decoder(EventLine)
    last = -1
    number = 0
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            _refuse(file, number, "", "is empty: expected an event")
        try:
            line = decoder.decode(text)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as wrong:
            field, told = placed_problem(str(wrong), "'send' or 'handle'")
            _refuse(file, number, field, f"is no event: {told}")
        keys = _KEYS if line.values else _KEYS - 1  # those of most lines carry none
        twice = repeated_key(text, keys + len(line.clock) + len(line.values))
        if twice is not None:
            _refuse(file, number, "", f"has the key {twice!r} twice: keep one of the two")
        if line.index <= last:
            _refuse(file, number, "index", f"should be more than {last}: events are in order")
        last = line.index
        yield number, line
    if not number:
        _refuse(file, 0, "", "is empty: expected events, one a line")


def multi_trace_of_events(
    lines: Iterable[str | bytes],
    *,
    partition: Iterable[Iterable[str]] = (),
    lifelines: Iterable[str] = (),
    signature: Signature | None = None,
    file: str = "events",
) -> MultiTrace:
    """The multi-trace that the processes recorded.

    - `partition`: groups of processes with a common clock, each of them in the log or one of
      `lifelines`; every other process has its own, and those come after the groups, sorted by name.
    - `lifelines`: processes that have a log even if no event names them; those of a `signature`
      have, too, and what it does not declare is refused.
    - `file`: what errors call the log.

    Raises DocumentError for what is no log of events, and ValueError for what is no partition.
    """
    groups = checked_partition(partition)
    owner = {name: group for group in groups for name in group}
    builders: dict[tuple[str, ...], TraceBuilder] = {group: TraceBuilder() for group in groups}
    declared = () if signature is None else signature.lifelines
    known = {*lifelines, *declared}
    codes: dict[tuple[str, str, str], tuple[TraceBuilder, int]] = {}
    for number, line in event_lines(lines, file):
        key = (line.event, line.process, line.message.name)
        found = codes.get(key)
        if found is None:
            action = _action(line, number, file)
            strange = "" if signature is None else signature.strange(action)
            if strange:
                _refuse(file, number, "message", strange)
            group = owner.get(action.lifeline, (action.lifeline,))
            builder = builders.setdefault(group, TraceBuilder())
            found = codes[key] = builder, builder.code(action)
        check_ends(line, number, file)
        known.update((line.message.sender, line.message.receiver))
        found[0].extend((found[1],))
    known.discard(ENVIRONMENT)
    for name in owner:
        if name not in known:
            told = f"has no process {name!r} that could share a clock{_among(known, name)}"
            _refuse(file, 0, "", told)
    components = [Component(group, builders[group].trace()) for group in groups]
    for name in sorted(known - owner.keys()):
        single = builders.get((name,))
        components.append(Component((name,), () if single is None else single.trace()))
    return MultiTrace(tuple(components))


def _among(known: set[str], name: str) -> str:
    return did_you_mean(name, known) or f"; it has {', '.join(sorted(known))}"


def _action(line: EventLine, number: int, file: str) -> Action:
    if not line.process or not line.message.name:
        empty = "message.name" if line.process else "process"
        _refuse(file, number, empty, "should not be empty")
    if line.event == SEND:
        return emission(line.process, line.message.name)
    return reception(line.process, line.message.name)


def check_ends(line: EventLine, number: int, file: str) -> None:
    """Raises DocumentError where an event cannot happen where the line says it does."""
    message = line.message
    if line.event == SEND and message.sender == ENVIRONMENT:
        _refuse(
            file, number, "event", f"a message from {ENVIRONMENT} has no send event, only a handle"
        )
    if message.receiver == ENVIRONMENT:
        _refuse(file, number, "message.receiver", f"{ENVIRONMENT} handles nothing: name a process")
    end = message.sender if line.event == SEND else message.receiver
    if line.process != end:
        _refuse(
            file,
            number,
            "process",
            f"a {line.event} of this message happens at {end}, not {line.process}",
        )


def _refuse(file: str, number: int, field: str, message: str) -> NoReturn:
    raise DocumentError((Problem(file, number, field, message),))
