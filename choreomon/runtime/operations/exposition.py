"""The metrics of an agent, as Prometheus reads them.

Made at each scrape of what was counted (`choreomon.runtime.operations.metrics`) and of what is
looked up (`choreomon.runtime.operations.status`). No label has more values than there are
properties, labels of theirs, or verdicts in a list that is fixed: what others send makes none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from choreomon.files.process_memory import resident_bytes
from choreomon.runtime.operations.metrics import Histogram, Metrics
from choreomon.runtime.operations.status import Readings
from choreomon.runtime.verdict_counts import VerdictCounts


class AgentReadings(NamedTuple):
    """Readings beyond the sidecar. `connections` of services are open, `repeats` inquiries were
    sent again, `failing_sinks` did not take what they were last given, `instance_loads`: how often
    an instance was read from the store."""

    connections: int = 0
    repeats: int = 0
    failing_sinks: int = 0
    instance_loads: int = 0


class Exposition:
    """The metrics of one agent. `read` and `beside` are called once a scrape."""

    def __init__(
        self,
        metrics: Metrics,
        *,
        read: Callable[[], Readings],
        beside: Callable[[], AgentReadings] = AgentReadings,
        version: str = "",
    ) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(_AgentCollector(metrics, read, beside, version))
        ProcessCollector(registry=self._registry)

    def text(self, accept: str = "") -> tuple[bytes, str]:
        """The metrics in a form that the scraper's `Accept` names, and the type of that."""
        try:
            encoder, content_type = choose_encoder(accept)
        except (TypeError, ValueError):  # a version that is no number
            encoder, content_type = choose_encoder("")
        return encoder(self._registry), content_type


class _AgentCollector(Collector):
    def __init__(
        self,
        metrics: Metrics,
        read: Callable[[], Readings],
        beside: Callable[[], AgentReadings],
        version: str,
    ) -> None:
        self._metrics = metrics
        self._read = read
        self._beside = beside
        self._version = version

    def collect(self) -> Iterator[Metric]:
        found = self._read()
        yield InfoMetricFamily(
            "choreomon_build", "What runs here.", value={"version": self._version}
        )
        yield from self._events()
        yield from self._messages()
        yield from self._verdicts([each.counts for each in found.properties])
        yield from self._failures()
        yield from self._looked_up(found)

    def _events(self) -> Iterator[Metric]:
        metrics = self._metrics
        yield _counter(
            "choreomon_events",
            "Events of the process that some table mentions, each once.",
            "process",
            {metrics.process: metrics.events},
        )
        yield _counter(
            "choreomon_property_events",
            "Events of the process that the table of the property mentions.",
            "property",
            dict(zip(metrics.properties, metrics.ticks, strict=True)),
        )
        labelled = CounterMetricFamily(
            "choreomon_label_events",
            "Events of the process with this label of the property.",
            labels=("property", "label"),
        )
        for title, labels in zip(metrics.properties, metrics.labels, strict=True):
            for label, seen in labels.items():
                labelled.add_metric((title, str(label)), seen.events)
        yield labelled

    def _messages(self) -> Iterator[Metric]:
        metrics = self._metrics
        yield _counter(
            "choreomon_monitor_messages",
            "Messages sent to other agents.",
            "kind",
            metrics.sent_messages,
        )
        yield CounterMetricFamily(
            "choreomon_monitor_message_bytes",
            "Bytes of messages sent to other agents, framing apart.",
            value=metrics.sent_bytes,
        )
        yield CounterMetricFamily(
            "choreomon_answers_received",
            "Responses and notices of waiting of other agents.",
            value=metrics.answers,
        )

    def _verdicts(self, counts: Sequence[VerdictCounts]) -> Iterator[Metric]:
        metrics = self._metrics
        last_verdicts = CounterMetricFamily(
            "choreomon_verdicts", "Last verdicts about events.", labels=("property", "verdict")
        )
        # Counts of every kind exist from the first scrape on, so that the first occurrence is an
        # increase.
        for title, each in zip(metrics.properties, counts, strict=True):
            for kind, count in each.last.items():
                last_verdicts.add_metric((title, kind), count)
        yield last_verdicts
        by_rule = CounterMetricFamily(
            "choreomon_rule_verdicts",
            "Last verdicts about events, by rule, since the agent was started.",
            labels=("property", "rule", "severity", "verdict"),
        )
        for place, rule, kind, verdicts in metrics.of_rules.all():
            title = metrics.properties[place]
            by_rule.add_metric((title, rule.name, rule.severity, kind), verdicts)
        yield by_rule
        yield _counter(
            "choreomon_provisional_verdicts",
            "Verdicts that were given at a deadline.",
            "property",
            dict(zip(metrics.properties, [each.provisional for each in counts], strict=True)),
        )
        yield _counter(
            "choreomon_unsettled_verdicts",
            "Possible verdicts of which it was not shown that nobody could know more.",
            "property",
            dict(zip(metrics.properties, [each.unsettled for each in counts], strict=True)),
        )

    def _failures(self) -> Iterator[Metric]:
        metrics = self._metrics
        yield CounterMetricFamily(
            "choreomon_dropped_events",
            "Events that services said will never be told.",
            value=metrics.lost_events,
        )
        yield CounterMetricFamily(
            "choreomon_dead_letters",
            "Verdicts that a sink refused for good.",
            value=metrics.dead_letters,
        )
        yield _counter(
            "choreomon_proxy_questions",
            "Requests about which proxies asked, by what came of it.",
            "outcome",
            metrics.asked_by_proxies,
        )
        yield _counter(
            "choreomon_refused_frames",
            "What services and other agents sent and was not taken.",
            "reason",
            metrics.refused_by,
        )
        yield _histogram(
            "choreomon_detection_latency_seconds",
            "From an event that may complete a sequence to the last verdict about it.",
            metrics.latency,
        )
        yield _histogram("choreomon_commit_seconds", "How long commits took.", metrics.commits)
        yield CounterMetricFamily(
            "choreomon_disk_failures",
            "How often the disk began to take nothing.",
            value=metrics.disk_failures,
        )
        yield _gauge(
            "choreomon_disk_failing",
            "1 while the disk takes nothing.",
            bool(metrics.failing_why),
        )

    def _looked_up(self, found: Readings) -> Iterator[Metric]:
        beside = self._beside()
        yield CounterMetricFamily(
            "choreomon_repeats", "Inquiries that were sent again.", value=beside.repeats
        )
        yield _gauge(
            "choreomon_pending_matches",
            "Events of which the last verdict is not said.",
            sum(each.undecided for each in found.properties),
        )
        yield from self._of_properties(found)
        yield from self._instances(found)
        for name, told, value in (
            ("choreomon_sessions", "Sessions of services that are remembered.", found.sessions),
            (
                "choreomon_leases",
                "Sessions whose services let nothing leave unanswered.",
                found.leases,
            ),
            ("choreomon_connections", "Open connections of services.", beside.connections),
            (
                "choreomon_untold_verdicts",
                "Verdicts that some sink has not taken.",
                found.untold,
            ),
            (
                "choreomon_failing_sinks",
                "Sinks that did not take what they were last given.",
                beside.failing_sinks,
            ),
            ("choreomon_memory_bytes", "Resident memory.", resident_bytes()),
        ):
            yield _gauge(name, told, value)

    def _of_properties(self, found: Readings) -> Iterator[Metric]:
        for name, told, values in (
            (
                "choreomon_open_inspections",
                "Inspections of transitions that wait for answers.",
                [each.inspections for each in found.properties],
            ),
            (
                "choreomon_gaps",
                "Remembered stretches in which events were not told.",
                [each.gaps for each in found.properties],
            ),
            (
                "choreomon_gap_open",
                "1 while events may happen that are not told.",
                [int(each.gap_open) for each in found.properties],
            ),
            (
                "choreomon_closing",
                "1 while the property is being closed.",
                [int(each.closing) for each in found.properties],
            ),
            (
                "choreomon_left_to_say",
                "Of a property that is being closed: events without their last verdict, and "
                "verdicts that some sink has not taken.",
                [each.undecided + each.untold if each.closing else 0 for each in found.properties],
            ),
        ):
            family = GaugeMetricFamily(name, told, labels=("property",))
            for title, value in zip(self._metrics.properties, values, strict=True):
                family.add_metric((title,), value)
            yield family

    def _instances(self, found: Readings) -> Iterator[Metric]:
        """Yields the metrics of properties for each instance; values of parameters are no
        labels."""
        titles = self._metrics.properties
        several = {
            title: each.instances
            for title, each in zip(titles, found.properties, strict=True)
            if each.instances is not None
        }
        if not several:
            return
        yield _counter(
            "choreomon_instances_created",
            "Instances of which something was ever remembered.",
            "property",
            {title: each.created for title, each in several.items()},
        )
        yield _counter(
            "choreomon_unknown_instance_inquiries",
            "Inquiries of other agents about an instance of which nothing was remembered.",
            "property",
            {title: each.unknown for title, each in several.items()},
        )
        forgotten = CounterMetricFamily(
            "choreomon_instances_forgotten",
            "Instances of which nothing is remembered any more.",
            labels=("property", "reason"),
        )
        for title, each in several.items():
            forgotten.add_metric((title, "idle"), each.forgotten)
            forgotten.add_metric((title, "finished"), each.finished)
        yield forgotten
        in_memory = GaugeMetricFamily(
            "choreomon_instances_in_memory", "Instances held in memory.", labels=("property",)
        )
        in_store = GaugeMetricFamily(
            "choreomon_instances_in_store",
            "Instances of which something is remembered, and nothing held in memory.",
            labels=("property",),
        )
        lag = GaugeMetricFamily(
            "choreomon_promise_lag_events",
            "Own events newer than what some other agent may still ask about.",
            labels=("property",),
        )
        for title, each in several.items():
            in_memory.add_metric((title,), each.in_memory)
            in_store.add_metric((title,), each.in_store)
            lag.add_metric((title,), each.promise_lag)
        yield in_memory
        yield in_store
        yield lag
        yield CounterMetricFamily(
            "choreomon_instance_loads",
            "How often an instance was read from the store.",
            value=self._beside().instance_loads,
        )


def _counter(name: str, told: str, label: str, values: dict[str, int]) -> CounterMetricFamily:
    family = CounterMetricFamily(name, told, labels=(label,))
    for value, count in values.items():
        family.add_metric((value,), count)
    return family


def _gauge(name: str, told: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, told, value=value)


def _histogram(name: str, told: str, histogram: Histogram) -> HistogramMetricFamily:
    bounds = [*map(str, histogram.bounds), "+Inf"]
    buckets = list(zip(bounds, accumulate(histogram.counts), strict=True))
    return HistogramMetricFamily(name, told, buckets=buckets, sum_value=histogram.total)
