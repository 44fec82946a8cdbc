"""The instances that an agent does not hold in memory, of all properties of a sidecar.

They are in its store as of the last checkpoint, which is written in one transaction with the rest
of the state. So all steps since find the same there, and find it again when they are replayed.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple, Protocol

from choreomon.agent_files.bindings import digests_of
from choreomon.core.binding import Binding
from choreomon.core.verdict import Reference
from choreomon.monitor.host import Host
from choreomon.monitor.of_instances.forgetting import Moment
from choreomon.monitor.of_instances.monitor import InstanceMonitor, checkpoint
from choreomon.monitor.of_instances.state import NOTHING, Instance, InstancesState
from choreomon.monitor.of_instances.view import Names
from choreomon.runtime.hosted import SidecarState
from choreomon.runtime.instances.forgetting import Forgetter, Forgot
from choreomon.runtime.instances.rows import InstanceRow, decode_row, encode_row, row_mask
from choreomon.runtime.sidecar import Sidecar


class Rows(Protocol):
    """Rows that a store has of instances: see `choreomon.runtime.ports.Store`."""

    def instance(self, system: bytes, key: bytes) -> bytes | None: ...

    def instances(
        self, system: bytes, after: bytes, most: int
    ) -> Sequence[tuple[bytes, bytes]]: ...


MOST_READ: Final = 4096
"""Instances that were read and are kept until others take their place, of each property."""


MOST_CHANGED: Final = 8192
"""Instances that have changed since the last checkpoint, of one property, until the next one."""


class ColdInstances:
    """Instances of one property, in its store. What `find` says changes only when a checkpoint was
    `written`."""

    def __init__(
        self, monitor: InstanceMonitor, system: bytes, rows: Rows, most: int = MOST_READ
    ) -> None:
        self._monitor = monitor
        self._system = system
        self._read = rows.instance
        self._most = most
        self._parameters = tuple(sorted(monitor.table.parameters))
        self._kinds: dict[Names, tuple[bytes, list[Reference]]] = {}
        self._kept: OrderedDict[Binding, Instance | None] = OrderedDict()
        self.loads = 0
        """How many were read."""
        forgets = monitor.table.forgetting is not None
        self.forgetter = Forgetter(monitor, system, rows.instances) if forgets else None
        """What forgets them; `None` where nothing does."""

    def find(self, binding: Binding) -> Instance | None:
        """The instance as it is in the store."""
        kept = self._kept
        if binding in kept:
            kept.move_to_end(binding)
            return kept[binding]
        self.loads += 1
        key, references = self._place(binding)
        data = self._read(self._system, key)
        found = None if data is None else decode_row(data, references)
        self._keep(binding, found)
        return found

    def row(self, binding: Binding, instance: Instance) -> InstanceRow:
        """The row that this instance is to have."""
        state = None if instance == NOTHING else encode_row(instance)
        key, _ = self._place(binding)
        return InstanceRow(self._system, key, state)

    def written(self, binding: Binding, instance: Instance) -> None:
        """The store has it now."""
        self._keep(binding, None if instance == NOTHING else instance)

    def _keep(self, binding: Binding, found: Instance | None) -> None:
        self._kept[binding] = found
        self._kept.move_to_end(binding)
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)

    def _place(self, binding: Binding) -> tuple[bytes, Sequence[Reference]]:
        """The key of its row, and the references of its chains."""
        names = tuple([name for name, _ in binding])
        found = self._kinds.get(names)
        if found is None:  # kept: there are as many as sets of parameters
            _, places = self._monitor.homes.path(binding)[-1]
            references = [self._monitor.references[place] for place in places]
            found = self._kinds[names] = (row_mask(names, self._parameters), references)
        mask, references = found
        return mask + digests_of(binding), references


def many_changed(state: SidecarState, cold: Sequence[ColdInstances | None]) -> bool:
    """Tell whether so many instances are in memory only that it is time for a checkpoint."""
    return any(
        found is not None
        and isinstance(host.monitor, InstancesState)
        and len(host.monitor.instances) > MOST_CHANGED + len(host.monitor.shared.open)
        for found, host in zip(cold, state.hosts, strict=True)
    )


def is_time_to_forget(
    state: SidecarState, cold: Sequence[ColdInstances | None], time: float
) -> bool:
    """Tell whether a checkpoint would forget something of a property, or note the time."""
    return any(
        found is not None
        and found.forgetter is not None
        and isinstance(host.monitor, InstancesState)
        and found.forgetter.is_due(host.monitor, Moment(time, host.clock))
        for found, host in zip(cold, state.hosts, strict=True)
    )


def pause(cold: Sequence[ColdInstances | None]) -> float | None:
    """Seconds until it may be time to forget something; `None` where nothing ever is."""
    forgetters = [found.forgetter for found in cold if found is not None]
    return min([each.pause for each in forgetters if each is not None], default=None)


class _Part(NamedTuple):
    """Part of a checkpoint that concerns one property: what is put, and what was forgotten, if this
    was looked for."""

    cold: ColdInstances
    idle: dict[Binding, Instance]
    forgot: Forgot | None

    @property
    def put(self) -> dict[Binding, Instance]:
        """Return what the store must hold for each instance; `NOTHING` for a forgotten one."""
        gone = () if self.forgot is None else self.forgot.bindings
        return {**self.idle, **dict.fromkeys(gone, NOTHING)}


class Checkpoint:
    """Checkpoint, which is to be written at once: the `state` that is left in memory, and the
    `rows` of what is not. `time`, in seconds of the clock on the wall: also what is forgotten then;
    `None`: nothing is."""

    def __init__(
        self,
        state: SidecarState,
        cold: Sequence[ColdInstances | None],
        time: float | None = None,
    ) -> None:
        self._parts: list[_Part] = []
        self.state = state
        for place, found in enumerate(cold):
            host = state.hosts[place]
            if found is not None and isinstance(host.monitor, InstancesState):
                left, idle = checkpoint(host.monitor)
                forgot = None
                if time is not None and found.forgetter is not None:
                    now = Moment(time, host.clock)
                    forgot = found.forgetter.forget(left, now, host.monitor.instances)
                    left = forgot.state
                self.state = self.state.with_host(place, host._replace(monitor=left))
                self._parts.append(_Part(found, idle, forgot))
        self.rows = tuple(
            part.cold.row(binding, instance)
            for part in self._parts
            for binding, instance in part.put.items()
        )

    def written(self) -> None:
        """Note that it is in the store: the state may be used."""
        for part in self._parts:
            for binding, instance in part.put.items():
                part.cold.written(binding, instance)
            if part.forgot is not None and part.cold.forgetter is not None:
                part.cold.forgetter.written(part.forgot)


def with_cold_instances(
    sidecar: Sidecar, rows: Rows
) -> tuple[Sidecar, tuple[ColdInstances | None, ...]]:
    """The sidecar whose monitors of instances find them in a store, too; and for each property
    where they are found, `None` where it is not for each instance."""
    hosts: list[Host] = []
    cold: list[ColdInstances | None] = []
    for system, host in zip(sidecar.systems, sidecar.hosts, strict=True):
        monitor = host.monitor
        if isinstance(monitor, InstanceMonitor):
            found = ColdInstances(monitor, system, rows)
            hosts.append(Host(replace(monitor, cold=found.find)))
            cold.append(found)
        else:
            hosts.append(host)
            cold.append(None)
    if not any(cold):
        return sidecar, tuple(cold)
    return replace(sidecar, hosts=tuple(hosts)), tuple(cold)
