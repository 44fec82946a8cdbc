"""Recorded events -> multi-traces, one for each session.

A send becomes `process!message` and a handle `process?message`; local events are left out. A
process that the log has events of has a component, even if none of them is a send or a handle; one
that only other processes name was not recorded, and has none.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

from choreomon.core.action import Action, emission, reception
from choreomon.core.errors import DocumentError, Problem
from choreomon.core.recorded import Diagnostic, RecordedEvent
from choreomon.hibou.signature import Signature
from choreomon.logs.mappings.mapping import Recorded
from choreomon.multitrace.coded import TraceBuilder
from choreomon.multitrace.multitrace import Component, MultiTrace
from choreomon.multitrace.projection import partition as checked_partition

_UNKNOWN: Final = 0


class _Process:
    """Actions of one process, or of several that share a clock. `places`: how many events it had
    before, by its own clock or count, 0 where one is not known."""

    def __init__(self) -> None:
        self.trace = TraceBuilder()
        self.codes = array("I")
        self.places = array("q")

    def actions(self) -> Sequence[Action]:
        """The actions in the order of clocks or numbers, if all events have some, as lines of a
        process may be in any order then; else in the order of the log."""
        codes: Sequence[int] = self.codes
        known = _UNKNOWN not in self.places
        if known and any(one > other for one, other in pairwise(self.places)):
            order = sorted(range(len(codes)), key=self.places.__getitem__)
            codes = [codes[number] for number in order]
        self.trace.extend(codes)
        return self.trace.trace()


class MultiTracesOfLog:
    """The multi-traces of a log, and what was not understood of it. Give it everything with
    `take`, then ask for `multi_traces`."""

    def __init__(
        self,
        file: str,
        partition: Iterable[Iterable[str]] = (),
        signature: Signature | None = None,
    ) -> None:
        """`partition`: groups of processes that share a clock. What a `signature` does not declare
        is refused. Raises ValueError for what is no partition."""
        self.strange: list[Diagnostic] = []
        self.strange_count = 0
        self._file = file
        self._groups = checked_partition(partition)
        self._owner = {name: group for group in self._groups for name in group}
        self._signature = signature
        self._sessions: dict[str, dict[tuple[str, ...], _Process]] = {}
        self._known: set[Action] = set()
        self._actions = 0

    def take(self, recorded: Recorded) -> None:
        """Take the next event or diagnostic. Raises DocumentError for what the signature does not
        declare."""
        if isinstance(recorded, Diagnostic):
            self.strange_count += 1
            if len(self.strange) < KEPT:
                self.strange.append(recorded)
            return
        processes = self._sessions.setdefault(recorded.session, {})
        own = (recorded.process,)
        process = processes.setdefault(self._owner.get(recorded.process, own), _Process())
        if recorded.kind == "local":
            return
        make = emission if recorded.kind == "send" else reception
        action = make(recorded.process, recorded.name)
        if action not in self._known:
            self._check(action, recorded)
            self._known.add(action)
        code = process.trace.code(action)
        process.codes.append(code)
        shared = recorded.process in self._owner
        process.places.append(_UNKNOWN if shared else _place(recorded))
        self._actions += 1

    def _check(self, action: Action, recorded: RecordedEvent) -> None:
        strange = "" if self._signature is None else self._signature.strange(action)
        if strange:
            raise DocumentError((Problem(*recorded.place, "", strange),))

    def multi_traces(self) -> list[tuple[str, MultiTrace]]:
        """The sessions with their multi-traces, in the order in which they began. Raises
        DocumentError if the log has no send and no handle.
        """
        if not self._actions:
            told = (
                "has no sends and no handles, only local events: say which events they are by "
                "--mapping FILE"
            )
            raise DocumentError((Problem(self._file, 0, "", told),))
        declared = () if self._signature is None else self._signature.lifelines
        found: list[tuple[str, MultiTrace]] = []
        for session, processes in self._sessions.items():
            parts = [
                Component(group, processes[group].actions())
                for group in self._groups
                if group in processes
            ]
            single = {names[0]: names for names in processes if names[0] not in self._owner}
            grouped = {name for group in self._groups if group in processes for name in group}
            for name in sorted({*single, *declared} - grouped):
                process = processes.get((name,))
                parts.append(Component((name,), () if process is None else process.actions()))
            found.append((session, MultiTrace(tuple(parts))))
        return found


KEPT: Final = 10
"""Diagnostics that are kept; the others are counted."""


def _place(event: RecordedEvent) -> int:
    if event.clock is not None:
        return event.clock.get(event.process, _UNKNOWN)
    return event.number or _UNKNOWN
