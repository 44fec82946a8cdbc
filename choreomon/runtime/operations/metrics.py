"""Metrics of an agent: counts of what happens.

It happens with every event, so that counts are plain integers; metrics are made of them when they
are scraped (`choreomon.runtime.operations.exposition`), and what can be looked up then is not
counted at all (`choreomon.runtime.operations.status`). `Metrics` is an observer of a node
(`choreomon.runtime.node`).

All counts begin at 0 when the agent is started. Those of verdicts are none of these: they are in
its state, and outlast it (`choreomon.runtime.verdict_counts`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import Final, get_args

from choreomon.agent_files import local
from choreomon.agent_files.table_file import SplitTable
from choreomon.core.live import LabelStatus
from choreomon.core.message import Label
from choreomon.monitor import rights
from choreomon.runtime.network import peers
from choreomon.runtime.operations.rule_verdicts import RuleVerdicts
from choreomon.runtime.outputs import Answered, Decided, Dropped, Observed, Ticked
from choreomon.runtime.ports import AnswerKind

REASONS: Final[tuple[str, ...]] = (
    *dict.fromkeys(
        (
            *get_args(local.RefusalReason),
            *get_args(peers.Refusal),
            *get_args(rights.RefusalReason),
            *("address", "base", "busy", "closed", "connections", "held", "late", "sender"),
            *("store", "system", "trace"),
        )
    ),
)
"""Reasons of refusals: by the side of the service, the sockets, the queue of frames, the driver,
the sidecar, or a host."""
KINDS: Final = ("inquiry", *get_args(AnswerKind))
"""Kinds of messages between agents."""
OTHER: Final = "other"
"""Stands for every other reason or kind, so that the number of labels is bounded."""

ASKED: Final = (
    *("sent", "handled", "outside", "unreadable", "no-peer", "no-values", "away", "wrong"),
)
"""What came of a question of a proxy."""

LATENCY_BOUNDS: Final = (
    *(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5),
    *(1.0, 2.5, 5.0, 10.0, 30.0, 60.0),
)
COMMIT_BOUNDS: Final = (
    *(0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1),
    *(0.25, 0.5, 1.0, 5.0),
)
MOST_TIMED: Final = 65_536
"""Events whose times are kept until their last verdict is said; further ones are not timed."""
MOST_LABELS: Final = 200
"""Labels of a property that are counted one by one, the first in the order of their names."""
_MICROSECONDS: Final = 1_000_000


class Histogram:
    """Histogram: the number of values up to each of the `bounds`, and above the last one."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = tuple(bounds)
        self.counts = [0] * (len(self.bounds) + 1)
        self.total = 0.0

    def observe(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value


class LabelCount:
    """The number of events with a label, and the time of the last one, in microseconds of the clock
    of `Ticked.at`."""

    __slots__ = ("at", "events")

    def __init__(self) -> None:
        self.events = 0
        self.at = 0


class Metrics:
    """The counts of one agent. `tables` are those of its properties; `now` gives the seconds of
    the clock that `Ticked.at` is of."""

    def __init__(
        self, process: str, tables: Sequence[SplitTable], *, now: Callable[[], float]
    ) -> None:
        self.process = process
        self.events = 0
        """Events that some table mentions, each once."""
        self.ticks: list[int] = []
        """Events that each property mentions."""
        self.labels: list[dict[Label, LabelCount]] = []
        """Events of each label of the process, for each property."""
        self.sent_messages = dict.fromkeys((*KINDS, OTHER), 0)
        self.sent_bytes = 0
        self.answers = 0
        """Responses and notices of waiting that arrived."""
        self.refused_by = dict.fromkeys((*REASONS, OTHER), 0)
        self.lost_events = 0
        """Events that services said will never be told."""
        self.asked_by_proxies = dict.fromkeys(ASKED, 0)
        self.dead_letters = 0
        """Verdicts that a sink refused for good."""
        self.of_rules = RuleVerdicts()
        self.latency = Histogram(LATENCY_BOUNDS)
        """Seconds from an event that labels a final transition to the last verdict about it, that
        nothing was formed included."""
        self.commits = Histogram(COMMIT_BOUNDS)
        """Seconds of each commit."""
        self.disk_failures = 0
        """The number of times that the disk began to take nothing."""
        self.failing_why = ""
        """The reason why the disk takes nothing; empty if it does."""
        self._now = now
        self._systems: list[str] = []
        self._label: Label | None = None
        self._began: dict[tuple[int, int], int] = {}
        self.reloaded(tables)

    def reloaded(self, tables: Sequence[SplitTable]) -> None:
        """Count the properties of these tables from now on. Properties that were there before keep
        their counts."""
        known = {system: place for place, system in enumerate(self._systems)}
        self._systems = [table.system_id for table in tables]
        self.properties = _told_apart(tables)
        """Distinct names of the properties."""
        self.ticks = [
            self.ticks[known[system]] if system in known else 0 for system in self._systems
        ]
        self.labels = [
            _counted(table, self.labels[known[system]] if system in known else {})
            for system, table in zip(self._systems, tables, strict=True)
        ]
        places = {known[system]: n for n, system in enumerate(self._systems) if system in known}
        self._began = {
            (places[place], count): at
            for (place, count), at in self._began.items()
            if place in places
        }
        self._own = [table.processes.index(self.process) for table in tables]
        self._judged = [_judged(table) for table in tables]
        self.of_rules.reloaded(tables)

    # An observer of a node.

    def happened(self, output: Observed) -> None:
        """Count an output of a sidecar."""
        if isinstance(output, Ticked):
            system, at, label, clock, _ = output
            self.ticks[system] += 1
            if (count := self.labels[system].get(label)) is not None:
                count.events += 1
                count.at = at
            if label is not self._label:  # of one event, all properties get the same object
                self._label = label
                self.events += 1
            if label in self._judged[system] and len(self._began) < MOST_TIMED:
                self._began[system, clock[self._own[system]]] = at
        elif isinstance(output, Decided):
            self._decided(output)
        elif isinstance(output, Answered):
            self.answers += 1
        elif isinstance(output, Dropped):
            self.refused(output.reason)

    def _decided(self, decided: Decided) -> None:
        if decided.provisional:
            return
        if decided.declared is not None:
            self.of_rules.declared(decided.system, decided.declared.verdict)
        at = self._began.pop((decided.system, decided.event_count), None)
        if at is not None:
            self.latency.observe(max(0.0, self._now() - at / _MICROSECONDS))

    def sent(self, kind: str, size: int) -> None:
        """A frame of this many bytes went to another agent."""
        self.sent_messages[kind if kind in self.sent_messages else OTHER] += 1
        self.sent_bytes += size

    def committed(self, seconds: float) -> None:
        """A commit took so long."""
        self.commits.observe(seconds)

    def failing(self, why: str | None) -> None:
        """The disk takes nothing; `None`: it does again."""
        if why is not None and not self.failing_why:
            self.disk_failures += 1
        self.failing_why = why or ""

    # What nobody else tells.

    def lost(self, events: int) -> None:
        """A service said that this many events will never be told."""
        self.lost_events += events

    def asked(self, outcome: str) -> None:
        """A proxy asked about a request; `outcome` is one of `ASKED`."""
        self.asked_by_proxies[outcome] += 1

    def dead_letter(self) -> None:
        """Count a verdict that a sink will never take."""
        self.dead_letters += 1

    def refused(self, reason: str) -> None:
        """Something was refused, also before it came to the driver."""
        self.refused_by[reason if reason in self.refused_by else OTHER] += 1

    # Short forms.

    def labels_seen(self) -> list[list[LabelStatus]]:
        """The labels of each property."""
        now = self._now()
        return [
            [
                LabelStatus(
                    str(label),
                    count.events,
                    max(0.0, round(now - count.at / _MICROSECONDS, 3)) if count.events else None,
                )
                for label, count in each.items()
            ]
            for each in self.labels
        ]

    @property
    def refusals(self) -> Mapping[str, int]:
        """The numbers of refusals, by reason, without zeros."""
        return {reason: count for reason, count in self.refused_by.items() if count}


def _told_apart(tables: Sequence[SplitTable]) -> tuple[str, ...]:
    """The titles, with the beginning of the system's id where another property is called so, and
    always where the system follows another one: what a series is called should not change when
    that is closed."""
    titles = [table.title for table in tables if table.after is None]
    return tuple(
        table.title
        if table.after is None and titles.count(table.title) == 1
        else f"{table.title} ({table.system_id[:8]})"
        for table in tables
    )


def _counted(table: SplitTable, before: Mapping[Label, LabelCount]) -> dict[Label, LabelCount]:
    """Return the labels of a table, including those counted before."""
    labels = sorted({row.transition.label for row in table.table.rows}, key=str)
    return {label: before.get(label) or LabelCount() for label in labels[:MOST_LABELS]}


def _judged(table: SplitTable) -> frozenset[Label]:
    """The labels of final transitions: events with these get a last verdict."""
    return frozenset(row.transition.label for row in table.table.rows if row.final)
