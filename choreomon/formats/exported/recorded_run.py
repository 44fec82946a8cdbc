"""A run as what is exported: its events, and what was declared about them.

It comes from a run that was made here, or from a trace (`choreomon.formats.trace`), with verdicts
from the JSON of `choreomon simulate --json` beside it. A trace does not say which send a handle
belongs to; clocks do: where a handle knows more of the sender than its process did before, the
message is the one that was sent last of what it knows. Where it does not, several messages may be
meant that were overtaken, and the oldest of those of that name that were not handled yet is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, NoReturn

import msgspec

from choreomon.core.errors import DocumentError, Problem
from choreomon.core.message import ENVIRONMENT, SEND, Message
from choreomon.core.run import Run, RunEvent, RunVerdict
from choreomon.formats.event_log import EventLine, check_ends, event_lines
from choreomon.formats.json_shapes import placed_problem


class RecordedRun(NamedTuple):
    """What is exported of a run. `name` tells it from others; of one that was made from a seed it
    is `run-<seed>`, as its trace is called. Clocks are in the order of `processes`."""

    name: str
    processes: tuple[str, ...]
    events: tuple[RunEvent, ...]
    verdicts: tuple[RunVerdict, ...] = ()


def recorded(run: Run) -> RecordedRun:
    """A run whose events were kept."""
    return RecordedRun(f"run-{run.seed}", run.processes, run.kept_events, run.verdicts)


def read_recorded_run(
    lines: Iterable[str | bytes],
    name: str,
    verdicts: Sequence[RunVerdict] = (),
    file: str = "events",
) -> RecordedRun:
    """The run of a trace. Its processes are those that it names, in the order in which it does.

    Raises DocumentError for what is no trace, for a clock that does not count the event itself,
    and for a verdict about an event that the trace does not have.
    """
    found: list[EventLine] = []
    names: dict[str, None] = {}
    for number, line in event_lines(lines, file):
        check_ends(line, number, file)
        if line.clock.get(line.process, 0) < 1:
            _refuse(file, number, "clock", f"does not count this event of {line.process}")
        negative = next((process for process, entry in line.clock.items() if entry < 0), None)
        if negative is not None:
            _refuse(file, number, f"clock.{negative}", "should be 0 or more")
        names |= dict.fromkeys((line.message.sender, line.message.receiver, *line.clock))
        found.append(line)
    processes = tuple(name for name in names if name != ENVIRONMENT)
    pairing = _Pairing()
    events = tuple(_event(line, processes, pairing.sent_at(line)) for line in found)
    known = {event.index for event in events}
    for verdict in verdicts:
        if verdict.event_index not in known:
            _refuse(file, 0, "", f"has no event {verdict.event_index}, which a verdict is about")
    return RecordedRun(name, processes, events, tuple(verdicts))


def _event(line: EventLine, processes: tuple[str, ...], sent_at: int | None) -> RunEvent:
    message = Message(line.message.sender, line.message.name, line.message.receiver)
    clock = tuple(line.clock.get(process, 0) for process in processes)
    time = round(line.time * 1000)
    return RunEvent(line.index, time, line.event, line.process, message, clock, sent_at)


class _Pairing:
    """Which send a handle belongs to."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str, str], dict[int, int]] = {}
        """By message, the indices of the sends that were not handled yet by their counts."""
        self._known: dict[str, dict[str, int]] = {}
        """The last clock of each process."""

    def sent_at(self, line: EventLine) -> int | None:
        """The index of the event that sent what the line handles; None where there is none. To be
        asked of every line, in order."""
        message = line.message
        known = self._known.get(line.process, {}).get(message.sender, 0)
        self._known[line.process] = line.clock
        waiting = self._waiting.setdefault((message.sender, message.name, message.receiver), {})
        if line.event == SEND:
            waiting[line.clock[line.process]] = line.index
            return None
        last = line.clock.get(message.sender, 0)
        if last > known and last in waiting:
            return waiting.pop(last)
        oldest = next(iter(waiting), None)
        return None if oldest is None or oldest > last else waiting.pop(oldest)


class _Verdict(msgspec.Struct):
    verdict: Literal["violated", "possibly-violated", "withdrawn"]
    monitor: str
    event_index: int
    label: str
    transitions: list[tuple[str, str]] = []
    silent: list[str] = []


class _Run(msgspec.Struct):
    seed: int
    verdicts: list[_Verdict]


class _Results(msgspec.Struct):
    runs: list[_Run]


def read_verdicts(text: bytes, seed: int | None, file: str = "results") -> tuple[RunVerdict, ...]:
    """The verdicts about one run in the JSON of `choreomon simulate --json`, without their reasons:
    about the run of that seed, or the only one.

    Raises DocumentError for what is no such JSON, and where there is no such run.
    """
    try:
        results = msgspec.json.decode(text, type=_Results)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as wrong:
        field, told = placed_problem(str(wrong), "one of the verdicts")
        _refuse(file, 0, field, f"is no result of --json: {told}")
    runs = [run for run in results.runs if seed is None or run.seed == seed]
    if len(runs) != 1:
        seeds = ", ".join(str(run.seed) for run in results.runs[:10]) or "none"
        wanted = "one run" if seed is None else f"one run with the seed {seed}"
        _refuse(file, 0, "runs", f"should have {wanted}; the seeds are {seeds}")
    return tuple(
        RunVerdict(
            verdict=one.verdict,
            monitor=one.monitor,
            event_index=one.event_index,
            transitions=tuple(one.transitions),
            label=one.label,
            because=(),
            declared_at=0,
            silent=tuple(one.silent),
        )
        for one in runs[0].verdicts
    )


def _refuse(file: str, line: int, field: str, message: str) -> NoReturn:
    raise DocumentError((Problem(file, line, field, message),))
