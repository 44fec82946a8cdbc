"""Measurements of a run, and their results. Times are whole microseconds."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

from choreomon.core.binding import Binding
from choreomon.core.message import Label
from choreomon.core.run import Summary, summary, summary_of_counts
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import MonitorVerdict
from choreomon.monitor.effects import Declared
from simulator.sidecars.run_context import AnyMessage, Remembering


class TimedVerdict(NamedTuple):
    """A monitor's verdict about an event of `process` with this label, when it was given, whether
    another may follow, when the event happened, its instance, if any, and the place of the rule in
    the monitor's table."""

    process: str
    label: Label
    event: VectorClock
    verdict: MonitorVerdict | None
    time: int
    provisional: bool
    since: int
    binding: Binding = ()
    rule: int = 0


class Observer(Protocol):
    """Observer of the monitors of a run while it goes on; it changes nothing."""

    def sent(self, message: AnyMessage, time: int) -> None:
        """A monitoring message left."""

    def stepped(self, process: str, monitor: Remembering, time: int) -> None:
        """The monitor of this process made a step; `monitor` is its present state."""


class Measures:
    """Implements `simulator.sidecars.run_context.Measurements`.

    `now` tells the virtual time; `on_told` hears every verdict as it is given, and that nothing was
    formed; `observer`, if given, sees messages and states. `several`: one event may have several
    verdicts, about rules.
    """

    def __init__(
        self,
        index_of: Mapping[str, int],
        now: Callable[[], int],
        on_told: Callable[[TimedVerdict], None] | None = None,
        observer: Observer | None = None,
        *,
        several: bool = False,
    ) -> None:
        self._index_of = index_of
        self._now = now
        self._on_told = on_told
        self._observer = observer
        self.messages = 0
        self.bytes = 0
        self.unsettled_events: list[tuple[int, int]] = []
        """Unsettled events, each the index of a process and a count of its events."""
        self._sizes: dict[int, int] = defaultdict(int)
        self._since: dict[tuple[str, int], tuple[int, Label]] = {}
        self._last: dict[tuple[str, int, int], TimedVerdict] = {}
        self._several = several
        self._latencies = array("q")

    def observed(self, label: Label, clock: VectorClock) -> None:
        process = label.process
        self._since[process, clock[self._index_of[process]]] = (self._now(), label)

    def sent(self, message: AnyMessage, size: int) -> None:
        self.messages += 1
        self.bytes += size
        if self._observer is not None:
            self._observer.sent(message, self._now())

    def stepped(self, process: str, records: int, monitor: Remembering) -> None:
        self._sizes[records] += 1
        if self._observer is not None:
            self._observer.stepped(process, monitor, self._now())

    def unsettled(self, process: str, event: VectorClock) -> None:
        own = self._index_of[process]
        self.unsettled_events.append((own, event[own]))

    def told(self, process: str, effect: Declared) -> None:
        key = (process, effect.event[self._index_of[process]])
        since, label = self._since[key]
        event, verdict, provisional, _, binding, rule = effect
        now, of_rule = self._now(), (*key, rule)
        timed = TimedVerdict(
            process=process,
            label=label,
            event=event,
            verdict=verdict,
            time=now,
            provisional=provisional,
            since=since,
            binding=binding,
            rule=rule,
        )
        if provisional:
            self._last[of_rule] = timed
        else:
            if not self._several:
                del self._since[key]
            self._latencies.append(timed.time - since)
            self._last.pop(of_rule, None)
            if timed.verdict is not None:
                self._last[of_rule] = timed
        if self._on_told is not None:
            self._on_told(timed)

    def last_verdicts(
        self, explained: Callable[[MonitorVerdict], MonitorVerdict]
    ) -> list[TimedVerdict]:
        """The last verdict about each event and rule that had one, with the reasons that
        `explained` gives it. Its time stays the one at which it was given."""
        return [
            timed._replace(verdict=explained(timed.verdict))
            for timed in self._last.values()
            if timed.verdict is not None
        ]

    def latency(self) -> Summary:
        """Microseconds from an event with a final label to the last verdict about it."""
        unsettled = [timed.time - timed.since for timed in self._last.values() if timed.provisional]
        return summary([*self._latencies, *unsettled])

    def history_records(self) -> Summary:
        """Sizes of one monitor's history after each of its steps."""
        return summary_of_counts(self._sizes)
