"""What an agent forgets of one property at its checkpoints.

When a moment that was noted has become old enough, all rows are looked at, some at each checkpoint.
Those of which nothing is newer are removed, and what holds of them from then on is in the state
that is written with that (`choreomon.monitor.of_instances.forgetting`). Instances that are in
memory are passed over, since their rows are out of date. How far that came is not kept: after a
restart it begins anew.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Final, NamedTuple

from choreomon.agent_files.bindings import CodedBinding, binding_of, coded_binding
from choreomon.core.binding import Binding
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import Reference
from choreomon.monitor.of_instances.forgetting import NOTED_EACH, Moment, noted, old_clock
from choreomon.monitor.of_instances.monitor import InstanceMonitor
from choreomon.monitor.of_instances.state import InstancesState
from choreomon.runtime.instances.rows import decode_row, mask_bytes

ReadSome = Callable[[bytes, bytes, int], Sequence[tuple[bytes, bytes]]]
"""Keys and states of rows of this system whose keys are after this one, at most so many, in
order."""

MOST_LOOKED_AT: Final = 512
"""Rows at one checkpoint."""

PAUSE: Final = 1.0
"""Seconds until the next ones are looked at, where no checkpoint comes before."""


class Forgot(NamedTuple):
    """The `state` after a checkpoint at which the instances of these bindings were forgotten, and
    how far it came: to the row with the key `last`, or to the end where that is empty. `until`: the
    count that was old enough when it began with the first row."""

    state: InstancesState
    bindings: tuple[Binding, ...] = ()
    until: int = 0
    last: bytes = b""


class Forgetter:
    """Forgetter of one property."""

    def __init__(self, monitor: InstanceMonitor, system: bytes, read: ReadSome) -> None:
        forgetting = monitor.table.forgetting
        assert forgetting is not None
        self._monitor = monitor
        self._system = system
        self._read = read
        self._after = forgetting.after
        self._parameters = tuple(sorted(monitor.table.parameters))
        self._references: dict[int, list[Reference]] = {}
        """By which parameters are bound, in its key, those of the chains of what is forgotten."""
        for names in forgetting.bindings:
            some = tuple([(name, "") for name in names])
            _, places = monitor.homes.path(some)[-1]
            mask, _ = coded_binding(some, self._parameters)
            self._references[mask] = [monitor.references[place] for place in places]
        self._last = b""
        """After this key the next row is looked at; empty: none is, or all are."""
        self._until = 0
        """The count that was old enough when the first row was looked at."""
        self._passed = 0
        """The same of when all rows were."""

    @property
    def pause(self) -> float:
        """Seconds until there may be something to do again."""
        return PAUSE if self._last else max(PAUSE, self._after / NOTED_EACH)

    def is_due(self, state: InstancesState, now: Moment) -> bool:
        """Tell whether a checkpoint would note a moment, or look at rows."""
        forgotten, own = state.shared.forgotten, self._monitor.own
        if noted(forgotten, now, own, self._after) is not forgotten:
            return True
        until = old_clock(forgotten, now.time, self._after)
        return until is not None and until[own] > self._passed

    def forget(self, state: InstancesState, now: Moment, in_memory: Container[Binding]) -> Forgot:
        """Note the moment, and forget what is old among the next rows, all but those of which
        something is `in_memory`. It counts when it was `written`."""
        own, shared = self._monitor.own, state.shared
        forgotten = noted(shared.forgotten, now, own, self._after)
        if forgotten is not shared.forgotten:
            state = state._replace(shared=shared._replace(forgotten=forgotten))
        until = old_clock(forgotten, now.time, self._after)
        if until is None or until[own] <= self._passed:
            return Forgot(state, until=self._passed)
        rows = self._read(self._system, self._last, MOST_LOOKED_AT)
        gone: list[Binding] = []
        records = 0
        for key, data in rows:
            found = self._records_of_old(key, data, until, in_memory)
            if found is not None:
                gone.append(found[0])
                records += found[1]
        if gone:
            state = state.without(until, len(gone), records)
        last = rows[-1][0] if len(rows) == MOST_LOOKED_AT else b""
        return Forgot(state, tuple(gone), self._until if self._last else until[own], last)

    def written(self, forgot: Forgot) -> None:
        """The store has what came of it."""
        self._last, self._until = forgot.last, forgot.until
        if not forgot.last:
            self._passed = forgot.until

    def _records_of_old(
        self, key: bytes, data: bytes, until: VectorClock, in_memory: Container[Binding]
    ) -> tuple[Binding, int] | None:
        """Return the binding of a row that is due to be forgotten, and its number of records."""
        size = mask_bytes(self._parameters)
        mask = int.from_bytes(key[:size], "big")
        references = self._references.get(mask)
        if references is None:
            return None
        instance = decode_row(data, references)
        if not instance.may_be_forgotten(self._monitor.own, until):
            return None
        binding = binding_of(CodedBinding(mask, key[size:]), self._parameters)
        return None if binding in in_memory else (binding, instance.records)
