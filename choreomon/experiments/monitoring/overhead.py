"""Overhead of monitors: what they remember, wait for and ask in vain, observed without changing
them.

**Memory** is that of a monitor's state, in its MessagePack form
(`choreomon.experiments.monitoring.packing`): the same on every machine. The transition table is no
part of the state. For each monitor the most that it held after any of its steps counts.

**Waiting** is the paper's measure of RQ3: how long a monitor needs "to receive responses from other
monitors and decide": from the inquiries about a transition at an event until it is decided.
Immediate decisions, without asking others, are left out.

**Saved** inquiries are those that were not necessary. By the rules `sound` and `paper` one monitor
asks another one about one event once for each transition that the event may fire. All that it asks
the same monitor about the same event could have been one inquiry; and if no answer to them has a
record, the result is as if nothing had been asked. A second inquiry of `precise` rules, which names
what was left open, could not have been part of the first: it is a group of its own. So `k - 1` of a
group of `k` such inquiries could have been saved, or all `k`. Each would have saved its response,
too. This is known afterwards: nobody can know beforehand that an answer will be empty, and its
clock still tells that nothing happened yet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import Reference
from choreomon.experiments.monitoring.packing import packed_bytes
from choreomon.monitor.messages import Inquiry, Named, Response
from choreomon.monitor.of_instances.messages import said_in
from choreomon.monitor.of_instances.state import InstancesState
from choreomon.monitor.state import MonitorState, state_as_written
from simulator.sidecars.run_context import AnyMessage, Remembering

_Inspection: TypeAlias = tuple[str, VectorClock, Reference]
_Group: TypeAlias = tuple[str, str, int, tuple[Named, ...]]
"""The asking and the asked monitor, the count of the event, and what is asked by name."""


class Inquiries(NamedTuple):
    """The number of inquiries, and how many of them could have been saved: because another one to
    the same monitor about the same event could have included it, or because no answer to any of
    these had a record."""

    sent: int
    joined: int
    empty: int


class Overhead:
    """Implements `simulator.measuring.Observer`, for monitors of these processes."""

    def __init__(self, processes: Iterable[str]) -> None:
        self._index_of = {process: index for index, process in enumerate(processes)}
        self._most: dict[str, int] = {}
        self._open: dict[_Inspection, int] = {}
        self._seen: dict[str, object] = {}
        self.waited: list[int] = []
        """Microseconds of waiting, for every inspection that had to wait for answers."""
        self._groups: dict[_Group, Counter[Reference]] = {}
        self._found: set[_Group] = set()

    def sent(self, told: AnyMessage, time: int) -> None:
        message = said_in(told)
        if isinstance(message, Inquiry):
            count = message.event[self._index_of[message.sender]]
            key = (message.sender, message.receiver, count, message.named)
            self._groups.setdefault(key, Counter())[message.inspected] += 1
        elif isinstance(message, Response) and message.records:
            key = (message.receiver, message.sender, message.event_count, message.named)
            self._found.add(key)

    def stepped(self, process: str, monitor: Remembering, time: int) -> None:
        if isinstance(monitor, MonitorState):
            self._note_inspections(process, monitor, time)
            monitor = state_as_written(monitor)
        held = packed_bytes(remembered(monitor))
        self._most[process] = max(held, self._most.get(process, 0))

    def _note_inspections(self, process: str, state: MonitorState, time: int) -> None:
        if self._seen.get(process) is state.inspections:
            return
        self._seen[process] = state.inspections
        now = {(process, each.event, each.plan.key) for each in state.inspections}
        over = [key for key in self._open if key[0] == process and key not in now]
        self.waited += [time - self._open.pop(key) for key in over]
        for key in now:
            self._open.setdefault(key, time)

    def inquiries(self) -> Inquiries:
        """Count the inquiries among all messages. Only `pull` inquires."""
        sent = joined = empty = 0
        for group, inquiries in self._groups.items():
            number = inquiries.total()
            sent += number
            joined += number - 1
            empty += group not in self._found
        return Inquiries(sent, joined, empty)

    def memory(self, monitors: int) -> float:
        """The most bytes that each monitor held, on average over this many monitors; one that made
        no step held nothing."""
        return sum(self._most.values()) / monitors


def remembered(monitor: Remembering) -> object:
    """The state of a monitor as plain values, with only the names of rows of its table. Raises
    `TypeError` for that of instances."""
    if isinstance(monitor, InstancesState):
        raise TypeError("what instances take is measured by benchmarks/instances.py")
    if not isinstance(monitor, MonitorState):
        return monitor.remembered
    return monitor._replace(
        inspections=tuple(
            [
                each._replace(plan=each.plan.key)  # type: ignore[arg-type]
                for each in monitor.inspections
            ]
        )
    )
