"""Observation: the logs of a run as multi-traces for the verifier, cut off as observation is.

A send of m by l is the action `l!m`, a handle `l?m`; a log does not say who is at the other end. A
log is of one process, or of several that share a clock. It lacks what happens before it begins and
from the moment it ceases, so it holds a slice of what happened (the slices paper, Definition 2).

Windows have their own streams of the run's seed, so they change nothing in the run.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from choreomon.actors.delays import NO_TIME, Delay, sampler
from choreomon.actors.randomness import Streams
from choreomon.core.action import EMISSION, RECEPTION, Action, ActionKind
from choreomon.core.message import SEND
from choreomon.core.run import RunEvent
from choreomon.documents.actors import delay_from_document
from choreomon.documents.observation import ObservationDocument
from choreomon.multitrace.multitrace import Component, MultiTrace
from choreomon.multitrace.slices import random_multi_prefix, random_slice

WindowsName: TypeAlias = Literal["document", "whole", "multiprefix", "slice"]
"""The part of a log that is seen: the window of the document; all; up to a random event of it;
between two random events of it, all lengths being equally likely."""


class Log(NamedTuple):
    """A log: its processes, sorted by name; when it begins; when it ceases, None: never."""

    processes: tuple[str, ...]
    start: Delay = NO_TIME
    end: Delay | None = None


class Seen(NamedTuple):
    """The logs of a run, as seen.

    - `multitrace`: one component for each log;
    - `happened`: how many events each log would have, had it been written all the time.
    """

    multitrace: MultiTrace
    happened: tuple[int, ...]


class Logbook:
    """The logs of one run, while it goes on: `record` is a recorder of events
    (`simulator.world`)."""

    def __init__(self, logs: Sequence[Log]) -> None:
        self._logs = logs
        self._owner = {name: number for number, log in enumerate(logs) for name in log.processes}
        self._actions: list[list[Action]] = [[] for _ in logs]
        self._times = [array("q") for _ in logs]
        self._known: dict[Action, Action] = {}

    def record(self, event: RunEvent) -> None:
        kind: ActionKind = EMISSION if event.kind == SEND else RECEPTION
        action = Action(event.process, kind, event.message.name)
        number = self._owner[event.process]
        self._actions[number].append(self._known.setdefault(action, action))
        self._times[number].append(event.time)

    def seen(self, seed: int, windows: WindowsName = "document") -> Seen:
        """The logs as seen, if the run had this seed."""
        streams = Streams(seed)
        within = _within if windows == "document" else _all
        multitrace = MultiTrace(
            tuple(
                Component(log.processes, within(log, actions, times, streams))
                for log, actions, times in zip(self._logs, self._actions, self._times, strict=True)
            )
        )
        if windows == "multiprefix":
            multitrace = random_multi_prefix(streams.stream("observation"), multitrace)
        elif windows == "slice":
            multitrace = random_slice(streams.stream("observation"), multitrace)
        return Seen(multitrace, tuple(map(len, self._times)))


def _all(
    log: Log, actions: Sequence[Action], times: Sequence[int], streams: Streams
) -> tuple[Action, ...]:
    return tuple(actions)


def _within(
    log: Log, actions: Sequence[Action], times: Sequence[int], streams: Streams
) -> tuple[Action, ...]:
    """Select the actions that happened while the log was written. Times never decrease."""
    start = sampler(log.start, streams.stream("observation start", *log.processes))()
    first, last = bisect_left(times, start), len(times)
    if log.end is not None:
        end = sampler(log.end, streams.stream("observation end", *log.processes))()
        last = bisect_left(times, end)
    return tuple(actions[first:last])


def logs_from_document(
    document: ObservationDocument, processes: tuple[str, ...]
) -> tuple[Log, ...]:
    """The logs that a document states for an application with these processes, ordered by first
    process."""
    start = delay_from_document(document.start)
    end = None if document.end is None else delay_from_document(document.end)
    stated: dict[str, Log] = {}
    for log in document.logs:
        own = Log(
            tuple(sorted(log.processes)),
            start if log.start is None else delay_from_document(log.start),
            end if log.end is None else delay_from_document(log.end),
        )
        stated.update(dict.fromkeys(log.processes, own))
    logs = (stated.get(process) or Log((process,), start, end) for process in processes)
    return tuple(dict.fromkeys(logs))
