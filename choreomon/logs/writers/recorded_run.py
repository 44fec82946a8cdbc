"""A run as what is exported: its events, and what was declared about them.

It comes from a run that was made here, or from a trace (`choreomon.logs.trace`), with verdicts
from the JSON of `choreomon simulate --json` beside it. A trace does not say which send a handle
belongs to; clocks do: where a handle knows more of the sender than its process did before, the
message is the one that was sent last of what it knows. Where it does not, several messages may be
meant that were overtaken, and the oldest of those of that name that were not handled yet is taken.

Clocks of real runs count the events that a property names, and learn from monitors, too. Of these
runs it is always the oldest one, and clocks are made that count all events, as those of runs that
are simulated do: they know what messages of the application tell.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, NoReturn

import msgspec

from choreomon.core.binding import Binding
from choreomon.core.errors import DocumentError, Problem
from choreomon.core.live import LiveRule
from choreomon.core.message import ENVIRONMENT, SEND, Message
from choreomon.core.roles import Roles, roles_behind
from choreomon.core.run import Run, RunEvent, RunVerdict, with_known_ends
from choreomon.core.vector_clock import VectorClock, indices, merge, tick, zero
from choreomon.files.json_shapes import placed_problem
from choreomon.logs.event_log import EventLine, check_ends, event_lines


class RecordedRun(NamedTuple):
    """A run to export. `name` tells it from others; if it was made from a seed it is `run-<seed>`,
    as its trace is called. Clocks are in the order of `processes`."""

    name: str
    processes: tuple[str, ...]
    events: tuple[RunEvent, ...]
    verdicts: tuple[RunVerdict, ...] = ()


def recorded(run: Run) -> RecordedRun:
    """A run whose events were kept."""
    events = (*with_known_ends(run.kept_events),)
    return RecordedRun(f"run-{run.seed}", run.processes, events, run.verdicts)


def read_recorded_run(
    lines: Iterable[str | bytes],
    name: str,
    verdicts: Sequence[RunVerdict] = (),
    file: str = "events",
) -> RecordedRun:
    """The run of a trace. Its processes are those that it names, in the order in which it does; a
    name of which it names slots, too, is a role.

    Raises DocumentError for what is no trace, and for a verdict about an event that the trace does
    not have.
    """
    found: list[EventLine] = []
    names: dict[str, None] = {}
    for number, line in event_lines(lines, file):
        check_ends(line, number, file)
        negative = next((process for process, entry in line.clock.items() if entry < 0), None)
        if negative is not None:
            _refuse(file, number, f"clock.{negative}", "should be 0 or more")
        names |= dict.fromkeys((line.message.sender, line.message.receiver, *line.clock))
        found.append(line)
    roles = roles_behind(names)
    processes = tuple(name for name in names if name != ENVIRONMENT and name not in roles.slots)
    are_counted = _are_counted(found)
    pairing = _Pairing(roles, by_clocks=are_counted)
    events = tuple(_event(line, processes, pairing.sent_at(line)) for line in found)
    if not are_counted:
        events = tuple(_counted(events, processes))
    known = {event.index for event in events}
    for verdict in verdicts:
        if verdict.event_index not in known:
            _refuse(file, 0, "", f"has no event {verdict.event_index}, which a verdict is about")
    return RecordedRun(name, processes, (*with_known_ends(events),), tuple(verdicts))


def _event(line: EventLine, processes: tuple[str, ...], sent_at: int | None) -> RunEvent:
    message = Message(line.message.sender, line.message.name, line.message.receiver)
    clock = tuple(line.clock.get(process, 0) for process in processes)
    time = round(line.time * 1000)
    values = _values(line)
    return RunEvent(line.index, time, line.event, line.process, message, clock, sent_at, values)


def _values(line: EventLine) -> Binding:
    return tuple(sorted((name, str(value)) for name, value in line.values.items()))


def _are_counted(lines: Iterable[EventLine]) -> bool:
    """Tell whether clocks count every event of their process."""
    counts: dict[str, int] = {}
    for line in lines:
        count = line.clock.get(line.process, 0)
        if count <= counts.get(line.process, 0):
            return False
        counts[line.process] = count
    return True


def _counted(events: Iterable[RunEvent], processes: tuple[str, ...]) -> Iterator[RunEvent]:
    """The events with clocks that count all of them."""
    place = indices(processes)
    known = dict.fromkeys(processes, zero(len(processes)))
    of: dict[int, VectorClock] = {}
    for event in events:
        clock = known[event.process]
        if event.sent_at is not None:
            clock = merge(clock, of[event.sent_at])
        of[event.index] = known[event.process] = tick(clock, place[event.process])
        yield replace(event, clock=of[event.index])


class _Pairing:
    """Pairs handles with sends. Who sends to a role does not know which slot will handle."""

    def __init__(self, roles: Roles, *, by_clocks: bool) -> None:
        self._by_clocks = by_clocks
        self._roles = roles
        self._waiting: dict[tuple[str, str, str, Binding], dict[int, deque[int]]] = {}
        """The sends that were not handled yet: by message and what it carries, their indices by
        their counts."""
        self._known: dict[str, dict[str, int]] = {}
        """The last clock of each process."""

    def sent_at(self, line: EventLine) -> int | None:
        """The index of the event that sent what the line handles; None where there is none. To be
        asked of every line, in order."""
        message = line.message
        known = self._known.get(line.process, {}).get(message.sender, 0)
        self._known[line.process] = line.clock
        receiver = self._roles.role_of(message.receiver)
        key = (message.sender, message.name, receiver, _values(line))
        waiting = self._waiting.setdefault(key, {})
        if line.event == SEND:
            waiting.setdefault(line.clock.get(line.process, 0), deque()).append(line.index)
            return None
        last = line.clock.get(message.sender, 0)
        count = next(iter(waiting), None)
        if self._by_clocks and last > known and last in waiting:
            count = last
        if count is None or count > last:
            return None
        found = waiting[count].popleft()
        if not waiting[count]:
            del waiting[count]
        return found


class _Verdict(msgspec.Struct):
    verdict: Literal["violated", "possibly-violated", "withdrawn"]
    monitor: str
    event_index: int
    label: str
    transitions: list[tuple[str, str]] = []
    silent: list[str] = []
    instance: dict[str, str] = msgspec.field(default_factory=dict, name="for")
    rule: LiveRule | None = None


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
            binding=tuple(sorted(one.instance.items())),
            rule=None if one.rule is None else one.rule.stated,
        )
        for one in runs[0].verdicts
    )


def _refuse(file: str, line: int, field: str, message: str) -> NoReturn:
    raise DocumentError((Problem(file, line, field, message),))
