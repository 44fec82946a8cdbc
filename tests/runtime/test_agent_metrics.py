"""What happens is counted, what can be looked up is looked up, and Prometheus is told both."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from choreomon.agent_files.status_json import decode_status_untrusted, status_json
from choreomon.agent_files.table_file import SplitTable
from choreomon.core.live import LabelStatus
from choreomon.core.message import HANDLE, SEND, Label, Message
from choreomon.core.verdict import (
    POSSIBLY_VIOLATED,
    VIOLATED,
    WITHDRAWN,
    MonitorVerdict,
    VerdictKind,
)
from choreomon.monitor.messages import Response
from choreomon.monitor.of_instances.state import InstancesState
from choreomon.runtime import outputs
from choreomon.runtime.hosted import SidecarState
from choreomon.runtime.inputs import Gap, Goodbye, Hello, Promised, Report
from choreomon.runtime.operations import metrics as metrics_module
from choreomon.runtime.operations.exposition import AgentReadings, Exposition
from choreomon.runtime.operations.metrics import OTHER, REASONS, Histogram, Metrics
from choreomon.runtime.operations.status import agent_status, readings
from choreomon.runtime.outputs import Answered, Decided, Dropped, Ticked
from choreomon.runtime.sidecar import Sidecar
from choreomon.runtime.verdict_counts import VerdictCounts
from tests.agent_files.live_verdicts import BY_HAND, A, B, host_of, two_steps
from tests.laws.of_instances import Flavor, Run

RUNTIME = Path(metrics_module.__file__).parents[1]
TABLE = two_steps()["P2"]


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def other(table: SplitTable, title: str = "") -> SplitTable:
    return SplitTable("11" * 16, title or table.title, "sound", table.processes, table.table)


def word(said: VerdictKind, count: int = 1, provisional: bool = False) -> Decided:
    verdict = MonitorVerdict(said, "P2", (0, count, 0), (), ())
    return Decided(
        0,
        count,
        outputs.DeclaredVerdict("id", 0, count, "label", verdict, provisional),
        provisional,
    )


def ticked(count: int, label: Label = B, system: int = 0, at: int = 0) -> Ticked:
    return Ticked(system, at, label, (0, count, 0))


# --- counting -----------------------------------------------------------------------


def test_an_event_counts_once_and_for_each_property_that_mentions_it() -> None:
    metrics = Metrics("P2", [TABLE, other(TABLE)], now=Clock())
    for count in (1, 2):
        label = Label(B.kind, B.message)  # each report makes its own, and no two look different
        metrics.happened(ticked(count, label, 0))
        metrics.happened(ticked(count, label, 1))
    metrics.happened(ticked(3, Label(B.kind, B.message), 1))
    assert metrics.events == 3
    assert metrics.ticks == [2, 3]


def test_latency_is_from_the_event_to_the_last_word_also_where_nothing_was_formed() -> None:
    clock = Clock()
    metrics = Metrics("P2", [TABLE], now=clock)
    metrics.happened(ticked(1, at=100_000_000))
    metrics.happened(ticked(2, at=100_000_000))
    clock.now = 100.02
    metrics.happened(Decided(0, 1, None, False))
    metrics.happened(word(POSSIBLY_VIOLATED, 2, provisional=True))
    assert sum(metrics.latency.counts) == 1
    clock.now = 102.0
    metrics.happened(word(WITHDRAWN, 2))
    metrics.happened(word(WITHDRAWN, 2))  # told again
    assert sum(metrics.latency.counts) == 2
    assert metrics.latency.total == pytest.approx(2.02)


def test_only_events_that_get_a_last_word_are_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    metrics = Metrics("P1", [two_steps()["P1"]], now=Clock())
    metrics.happened(Ticked(0, 0, A, (1, 0, 0)))
    assert metrics._began == {}
    metrics = Metrics("P2", [TABLE], now=Clock())
    monkeypatch.setattr(metrics_module, "MOST_TIMED", 3)
    for count in range(1, 10):
        metrics.happened(ticked(count))
    assert len(metrics._began) == 3


def test_what_others_send_makes_no_new_reasons() -> None:
    metrics = Metrics("P2", [TABLE], now=Clock())
    metrics.happened(Dropped("malformed", "P1", "detail"))
    metrics.refused("token")
    for number in range(100):
        metrics.happened(Dropped(f"reason {number}", "x", "y"))
        metrics.sent(f"kind {number}", 10)
    metrics.sent("inquiry", 10)
    assert metrics.refusals == {"malformed": 1, "token": 1, OTHER: 100}
    assert [*metrics.sent_messages.items()] == [
        *(("inquiry", 1), ("response", 0), ("waiting", 0), ("traces", 0), (OTHER, 100)),
    ]
    assert metrics.sent_bytes == 1010
    assert set(metrics.refused_by) == {*REASONS, OTHER}


def literal_reasons() -> Iterator[tuple[str, str]]:
    """What the runtime says where it drops something, as far as it stands there as text."""
    for path in sorted(RUNTIME.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            called = ast.unparse(node.func)
            first = node.args[0]
            if called.split(".")[-1] in ("Dropped", "refused", "_refuse") and isinstance(
                first, ast.Constant
            ):
                yield path.name, str(first.value)


def test_every_reason_that_the_runtime_has_is_in_the_list() -> None:
    found = [*literal_reasons()]
    assert len(found) >= 8
    assert [(name, reason) for name, reason in found if reason not in REASONS] == []


def test_the_disk_is_counted_once_each_time_it_begins_to_fail() -> None:
    metrics = Metrics("P2", [TABLE], now=Clock())
    for why in ("full", "still full", None, "full again"):
        metrics.failing(why)
    assert (metrics.disk_failures, metrics.failing_why) == (2, "full again")
    metrics.failing(None)
    assert metrics.failing_why == ""


@example([0.5, 1.0, 2.0, 2.5], [1.0, 2.0])
@given(st.lists(st.floats(0, 100, allow_nan=False)), st.lists(st.floats(0, 100), unique=True))
def test_a_histogram_counts_what_is_at_most_each_bound(
    values: list[float], bounds: list[float]
) -> None:
    histogram = Histogram(sorted(bounds))
    for value in values:
        histogram.observe(value)
    cumulative = 0
    for bound, count in zip(histogram.bounds, histogram.counts, strict=False):
        cumulative += count
        assert cumulative == sum(value <= bound for value in values)
    assert sum(histogram.counts) == len(values)
    assert histogram.total == pytest.approx(sum(values))


# --- looking up ---------------------------------------------------------------------


def sidecar() -> Sidecar:
    return Sidecar(process="P2", systems=(bytes(16),), hosts=(host_of("P2"),))


def stepped(sidecar: Sidecar, *inputs: Any) -> SidecarState:
    state = sidecar.initial()
    for given_input in inputs:
        state, _ = sidecar.step(state, given_input)
    return state


HELLO = Hello(1, "let-go", "", "s", 0)
REPORT = Report(1, "s", 1, 0, SEND, "P3", "b", "", 5)


def test_an_event_under_inspection_is_looked_up() -> None:
    beside = sidecar()
    found = readings(beside, stepped(beside, HELLO, Promised("s"), REPORT))
    (of_property,) = found.properties
    assert of_property.inspections == 1
    assert of_property.waiting_for == ("P1",)
    assert of_property.undecided == 1
    assert of_property.provisional == {}
    assert (of_property.gaps, of_property.gap_open) == (0, False)
    assert (found.sessions, found.leases, found.untold) == (1, 1, 0)


def test_gaps_are_looked_up() -> None:
    beside = sidecar()
    (open_now,) = readings(beside, stepped(beside, HELLO)).properties
    assert (open_now.gaps, open_now.gap_open) == (1, True)
    state = stepped(beside, HELLO, Promised("s"), Gap(1, "s", 1, 0, 2))
    found = readings(beside, state)
    assert (found.properties[0].gaps, found.properties[0].gap_open) == (1, False)
    assert found.untold == 1  # what may have been formed in it
    state, _ = beside.step(state, Goodbye(1, "s"))
    assert readings(beside, state).sessions == 0


def test_a_provisional_word_is_looked_up() -> None:
    from choreomon.runtime.inputs import Expired

    beside = sidecar()
    state = stepped(beside, HELLO, Promised("s"), REPORT, Expired(0, 1))
    (of_property,) = readings(beside, state).properties
    assert of_property.provisional == {POSSIBLY_VIOLATED: 1}
    assert of_property.undecided == 1


def test_the_status_of_an_agent() -> None:
    beside = sidecar()
    counts = VerdictCounts(violated=1, withdrawn=2, provisional=3)
    found = readings(beside, stepped(beside, HELLO, Promised("s"), REPORT), [counts])
    status = agent_status(
        found,
        [TABLE],
        process="P2",
        version="0.1.0",
        time=0.0,
        uptime=1.0,
        durability="process",
        ticks=[7],
        verdicts=[BY_HAND],
    )
    (of_property,) = status.properties
    assert (of_property.title, of_property.system) == (TABLE.title, TABLE.system_id)
    assert (of_property.events, of_property.inspections, of_property.waiting_for) == (7, 1, ("P1",))
    assert (status.sessions, status.leases, status.verdicts) == (1, 1, (BY_HAND,))
    words = {"violated": 1, "possibly-violated": 0, "withdrawn": 2, "provisional": 3}
    assert status.words == words
    assert status.time == "1970-01-01T00:00:00.000Z"


def test_each_label_says_when_it_was_last_seen() -> None:
    clock = Clock()
    metrics = Metrics("P2", [TABLE, other(TABLE)], now=clock)
    own = {row.transition.label for row in TABLE.table.rows}
    assert B in own
    never = [LabelStatus(str(label), 0, None) for label in sorted(own, key=str)]
    assert metrics.labels_seen() == [never, never]
    metrics.happened(ticked(1, at=90_000_000))
    metrics.happened(ticked(2, at=97_500_000))
    metrics.happened(ticked(3, label=A))  # of no row here
    seen = [LabelStatus(str(B), 2, 2.5) if each.label == str(B) else each for each in never]
    assert metrics.labels_seen() == [seen, never]
    status = agent_status(
        readings(sidecar(), sidecar().initial()),
        [TABLE],
        process="P2",
        version="",
        time=0.0,
        uptime=1.0,
        durability="process",
        labels=metrics.labels_seen(),
    )
    assert status.properties[0].labels == tuple(seen)
    assert decode_status_untrusted(status_json(status)) == status
    metrics.reloaded([other(TABLE)])
    assert metrics.labels_seen() == [never]
    metrics.happened(ticked(4))
    metrics.reloaded([TABLE, other(TABLE)])
    assert [each[0].events for each in metrics.labels_seen()] == [0, 1]


def test_labels_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics_module, "MOST_LABELS", 0)
    metrics = Metrics("P2", [TABLE], now=Clock())
    metrics.happened(ticked(1))
    assert metrics.labels_seen() == [[]]
    assert metrics.ticks == [1]


# --- telling Prometheus -------------------------------------------------------------


def scraped(metrics: Metrics, **options: Any) -> dict[tuple[str, tuple[str, ...]], float]:
    beside = sidecar()
    exposition = Exposition(
        metrics,
        read=lambda: readings(
            beside,
            stepped(beside, HELLO, Promised("s"), REPORT),
            [VerdictCounts(violated=1, provisional=1)],
        ),
        version="0.1.0",
        **options,
    )
    text, content_type = exposition.text()
    assert content_type.startswith("text/plain; version=0.0.4")
    samples = [
        sample
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    ]
    found = {(sample.name, tuple(sample.labels.values())): sample.value for sample in samples}
    assert len(found) == len(samples)
    return found


def test_prometheus_is_told_by_the_agreed_names() -> None:
    clock = Clock()
    metrics = Metrics("P2", [TABLE], now=clock)
    metrics.happened(ticked(1, at=99_900_000))
    metrics.happened(word(VIOLATED))
    metrics.happened(Answered(0, "P1", Response("P1", "P2", (), 1, (), (), 0)))  # type: ignore[arg-type]
    metrics.happened(Dropped("rights", "P1", ""))
    metrics.sent("inquiry", 120)
    metrics.lost(3)
    metrics.committed(0.0004)
    found = scraped(
        metrics, beside=lambda: AgentReadings(connections=2, repeats=4, failing_sinks=1)
    )
    expected = {
        ("choreomon_build_info", ("0.1.0",)): 1,
        ("choreomon_events_total", ("P2",)): 1,
        ("choreomon_property_events_total", ("two steps",)): 1,
        ("choreomon_label_events_total", (str(B), "two steps")): 1,
        ("choreomon_monitor_messages_total", ("inquiry",)): 1,
        ("choreomon_monitor_messages_total", ("response",)): 0,
        ("choreomon_monitor_message_bytes_total", ()): 120,
        ("choreomon_answers_received_total", ()): 1,
        ("choreomon_verdicts_total", ("two steps", "violated")): 1,
        ("choreomon_verdicts_total", ("two steps", "possibly-violated")): 0,
        ("choreomon_provisional_verdicts_total", ("two steps",)): 1,
        ("choreomon_detection_latency_seconds_bucket", ("0.05",)): 0,
        ("choreomon_detection_latency_seconds_bucket", ("0.25",)): 1,
        ("choreomon_detection_latency_seconds_bucket", ("+Inf",)): 1,
        ("choreomon_detection_latency_seconds_count", ()): 1,
        ("choreomon_commit_seconds_bucket", ("0.0005",)): 1,
        ("choreomon_commit_seconds_bucket", ("0.00025",)): 0,
        ("choreomon_pending_matches", ()): 1,
        ("choreomon_open_inspections", ("two steps",)): 1,
        ("choreomon_dropped_events_total", ()): 3,
        ("choreomon_refused_frames_total", ("rights",)): 1,
        ("choreomon_refused_frames_total", ("malformed",)): 0,
        ("choreomon_repeats_total", ()): 4,
        ("choreomon_gaps", ("two steps",)): 0,
        ("choreomon_gap_open", ("two steps",)): 0,
        ("choreomon_sessions", ()): 1,
        ("choreomon_leases", ()): 1,
        ("choreomon_connections", ()): 2,
        ("choreomon_untold_verdicts", ()): 0,
        ("choreomon_failing_sinks", ()): 1,
        ("choreomon_disk_failing", ()): 0,
        ("choreomon_disk_failures_total", ()): 0,
    }
    assert {key: found.get(key) for key in expected} == expected
    assert found["choreomon_memory_bytes", ()] > 1 << 20


def test_properties_of_one_title_are_told_apart() -> None:
    metrics = Metrics("P2", [TABLE, other(TABLE), other(TABLE, 'a "third"\n')], now=Clock())
    first, second, third = metrics.properties
    assert first == f"two steps ({TABLE.system_id[:8]})"
    assert second == "two steps (11111111)"
    text, _ = Exposition(
        Metrics("P2", [other(TABLE, third)], now=Clock()),
        read=lambda: readings(sidecar(), sidecar().initial()),
    ).text()
    assert rb'property="a \"third\"\n"' in text


def test_there_are_as_many_metrics_whatever_happened() -> None:
    quiet = scraped(Metrics("P2", [TABLE], now=Clock()))
    metrics = Metrics("P2", [TABLE], now=Clock())
    for number in range(200):
        label = Label(HANDLE, Message(f"p{number}", "x", "P2"))
        metrics.happened(Ticked(0, 0, label, (0, number, 0)))
        metrics.happened(Dropped(f"r{number}", f"p{number}", "x"))
        metrics.sent(f"k{number}", 1)
    assert scraped(metrics).keys() == quiet.keys()


def test_a_scraper_may_ask_for_openmetrics() -> None:
    beside = sidecar()
    exposition = Exposition(
        Metrics("P2", [TABLE], now=Clock()), read=lambda: readings(beside, beside.initial())
    )
    text, content_type = exposition.text("application/openmetrics-text; version=1.0.0,*/*;q=0.1")
    assert content_type.startswith("application/openmetrics-text")
    assert text.endswith(b"# EOF\n")


def test_of_instances_there_are_numbers_and_no_values() -> None:
    flavor = Flavor(events=(20, 60))
    runs = [Run(Random(seed), flavor).play() for seed in range(6)]
    told: set[tuple[str, float]] = set()
    for name, host, state in (
        each for run in runs for each in zip(run.names, run.hosts, run.states, strict=True)
    ):
        one = Sidecar(name, (bytes(16),), (host,))
        found = one.initial()._replace(hosts=(state,))
        text, _ = Exposition(
            Metrics("P2", [TABLE], now=Clock()),
            read=lambda one=one, found=found: readings(one, found),  # type: ignore[misc]
            beside=lambda: AgentReadings(instance_loads=7),
        ).text()
        samples = {
            " ".join((sample.name, sample.labels.get("reason", ""))).strip(): sample.value
            for family in text_string_to_metric_families(text.decode())
            for sample in family.samples
            if "instance" in sample.name or "promise" in sample.name
        }
        assert isinstance(state.monitor, InstancesState)
        instances = state.monitor.instances
        remembered = sum(bool(each.chains) for each in instances.values())
        created = samples.pop("choreomon_instances_created_total")
        assert created >= remembered
        assert samples == {
            "choreomon_instances_in_store": 0,
            "choreomon_instances_in_memory": len(instances),
            "choreomon_unknown_instance_inquiries_total": state.monitor.shared.unknown,
            "choreomon_promise_lag_events": state.clock[host.monitor.own]
            - min(state.monitor.shared.promises, default=state.clock[host.monitor.own]),
            "choreomon_instance_loads_total": 7,
            "choreomon_instances_forgotten_total idle": 0,
            "choreomon_instances_forgotten_total finished": state.monitor.shared.emptied,
        }
        assert b"order" not in text
        told |= {(name, value) for name, value in samples.items() if value}
    assert {
        "choreomon_unknown_instance_inquiries_total",
        "choreomon_instances_forgotten_total finished",
    } <= {name for name, _ in told}
