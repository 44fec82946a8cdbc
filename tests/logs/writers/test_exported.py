"""Runs as ShiViz logs and as OTLP: everything is there, and can be read back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from choreomon.core.errors import DocumentError
from choreomon.core.message import HANDLE, Label, Message
from choreomon.core.recorded import Place, RecordedEvent
from choreomon.core.run import Run, RunEvent, RunVerdict, with_known_ends
from choreomon.core.vector_clock import VectorClock, by_name, merge, tick, zero
from choreomon.logs.trace import milliseconds, trace_line
from choreomon.logs.writers import shiviz
from choreomon.logs.writers.otlp import otlp_request, span_id, trace_id
from choreomon.logs.writers.recorded_run import (
    RecordedRun,
    read_recorded_run,
    read_verdicts,
    recorded,
)
from choreomon.logs.writers.shiviz import shiviz_log
from choreomon.reports.results import runs_json
from tests.logs.writers.runs_to_export import SCENARIOS, run_of

each = pytest.mark.parametrize("scenario", SCENARIOS)


def trace_of(run: Run) -> list[str]:
    return [trace_line(event, run.processes) for event in with_known_ends(run.kept_events)]


def of_trace(run: Run) -> RecordedRun:
    """The same run, through its trace and its results."""
    verdicts = read_verdicts(runs_json([run]).encode(), run.seed)
    return read_recorded_run(trace_of(run), f"run-{run.seed}", verdicts)


def in_shiviz(text: str) -> list[dict[str, str]]:
    """The events of a log as ShiViz finds them: by the expression of its first line."""
    first, second, log = text.split("\n", maxsplit=2)
    assert second == ""
    expression = re.compile(re.sub(r"\(\?<(\w+)>", r"(?P<\1>", first))
    assert {"host", "clock", "event"} <= expression.groupindex.keys()
    found = [match.groupdict() for match in expression.finditer(log.strip())]
    assert sum(len(one["event"]) for one in found) > 0
    return found


def expected(run: Run) -> list[dict[str, Any]]:
    """What is to be found of each event, in order."""
    return [
        {
            "host": event.process,
            "event": f"{event.kind} {event.message}{event.carried}",
            "clock": by_name(event.clock, run.processes),
            "index": event.index,
            "milliseconds": milliseconds(event.time),
            "verdicts": [
                (one.verdict, one.monitor, one.label)
                for one in run.verdicts
                if one.event_index == event.index
            ],
        }
        for event in with_known_ends(run.kept_events)
    ]


def told_by_shiviz(run: RecordedRun) -> list[dict[str, Any]]:
    return [
        {
            "host": one["host"],
            "event": one["event"],
            "clock": json.loads(one["clock"]),
            "index": int(one["index"]),
            "milliseconds": float(one["milliseconds"]),
            "verdicts": apart(one["verdict"], one["monitor"], one["label"]),
        }
        for one in in_shiviz(shiviz_log(run))
    ]


def apart(verdict: str, monitor: str, label: str) -> list[tuple[str, ...]]:
    """Of several verdicts about one event each field has all."""
    if "," not in verdict:
        return [(verdict, monitor, label)] if verdict else []
    return [*zip(verdict.split(","), monitor.split(","), label.split(", "), strict=True)]


def value(attributes: list[dict[str, Any]], key: str) -> str:
    (found,) = (next(iter(one["value"].values())) for one in attributes if one["key"] == key)
    return str(found)


def spans_of(text: str) -> list[tuple[str, dict[str, Any]]]:
    """The spans with their services, in the order of the events."""
    found = [
        (value(resource["resource"]["attributes"], "service.name"), span)
        for resource in json.loads(text)["resourceSpans"]
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    ]
    return sorted(found, key=lambda one: int(value(one[1]["attributes"], "choreomon.index")))


def told_by_otlp(run: RecordedRun) -> list[dict[str, Any]]:
    found = []
    for service, span in spans_of(otlp_request(run)):
        own = span["attributes"]
        sender, name, receiver = (
            value(own, f"choreomon.{end}") for end in ("sender", "message", "receiver")
        )
        kind = {4: "send", 5: "handle"}[span["kind"]]
        carried = [
            one["value"]["stringValue"] for one in own if one["key"].startswith("choreomon.value.")
        ]
        words = f"({', '.join(carried)})" if carried else ""
        found.append(
            {
                "host": service,
                "event": f"{kind} {Message(sender, name, receiver)}{words}",
                "clock": json.loads(value(own, "choreomon.clock")),
                "index": int(value(own, "choreomon.index")),
                "milliseconds": (int(span["startTimeUnixNano"]) - 1) / 10**6,
                "verdicts": [
                    (
                        one["name"],
                        value(one["attributes"], "choreomon.monitor"),
                        value(one["attributes"], "choreomon.label"),
                    )
                    for one in span.get("events", ())
                ],
            }
        )
    return found


TOLD: dict[str, Callable[[RecordedRun], list[dict[str, Any]]]] = {
    "shiviz": told_by_shiviz,
    "otlp": told_by_otlp,
}
both = pytest.mark.parametrize("told", TOLD.values(), ids=TOLD)


@each
@both
def test_every_event_clock_and_verdict_is_there(
    scenario: str, told: Callable[[RecordedRun], list[dict[str, Any]]]
) -> None:
    run = run_of(scenario)
    assert run.kept_events
    assert told(recorded(run)) == expected(run)


@both
def test_the_law_sees_what_is_lost(
    told: Callable[[RecordedRun], list[dict[str, Any]]],
) -> None:
    run = run_of("fig1-violating")
    assert run.verdicts
    whole = recorded(run)
    assert told(whole._replace(verdicts=())) != expected(run)
    last = whole.events[-1]
    for other in (replace(last, time=last.time + 1), replace(last, message=Message("x", "y", "z"))):
        assert told(whole._replace(events=(*whole.events[:-1], other))) != expected(run)


@each
def test_a_trace_and_its_results_give_the_same(scenario: str) -> None:
    run = run_of(scenario)
    assert shiviz_log(of_trace(run)) == shiviz_log(recorded(run))
    assert otlp_request(of_trace(run)) == otlp_request(recorded(run))


@each
@pytest.mark.parametrize("seed", [0, 1])
def test_clocks_tell_which_send_a_handle_belongs_to(scenario: str, seed: int) -> None:
    run = run_of(scenario, seed)
    found = of_trace(run).events
    assert [event.sent_at for event in found] == [event.sent_at for event in run.kept_events]


def line(index: int, kind: str, message: str, clock: dict[str, int]) -> str:
    sender, name, receiver = message.split()
    return json.dumps(
        {
            "index": index,
            "time": index / 10,
            "event": kind,
            "process": sender if kind == "send" else receiver,
            "message": {"sender": sender, "name": name, "receiver": receiver},
            "clock": clock,
        }
    )


def test_a_message_that_overtakes_another_one_is_known_by_its_clock() -> None:
    trace = [
        line(0, "send", "a m b", {"a": 1}),
        line(3, "send", "a m b", {"a": 2}),
        line(5, "handle", "a m b", {"a": 2, "b": 1}),
        line(7, "handle", "a m b", {"a": 2, "b": 2}),
        line(8, "handle", "a m b", {"a": 2, "b": 3}),
        line(9, "handle", "env n b", {"a": 2, "b": 4}),
    ]
    assert [event.sent_at for event in read_recorded_run(trace, "x").events] == (
        [None, None, 3, 0, None, None]
    )


def as_lived(run: Run, named: Callable[[Label], bool]) -> list[str]:
    """The trace of a run whose clocks tick only at these events."""
    known = dict.fromkeys(run.processes, zero(len(run.processes)))
    of: dict[int, VectorClock] = {}
    lines = []
    for event in with_known_ends(run.kept_events):
        clock = known[event.process]
        if event.sent_at is not None:
            clock = merge(clock, of[event.sent_at])
        if named(event.label):
            clock = tick(clock, run.processes.index(event.process))
        of[event.index] = known[event.process] = clock
        lines.append(trace_line(replace(event, clock=clock), run.processes))
    return lines


@each
def test_the_trace_of_a_real_run_has_clocks_of_all_events_where_it_is_read(scenario: str) -> None:
    """They know what messages tell; nobody overtakes another message of the name here."""
    run = run_of(scenario)
    first = run.kept_events[0].label
    trace = as_lived(run, lambda label: label != first and label.kind == HANDLE)
    assert '"clock":{}' in trace[0]
    found = read_recorded_run(trace, "x")
    assert [event.sent_at for event in found.events] == [event.sent_at for event in run.kept_events]
    assert [by_name(event.clock, found.processes) for event in found.events] == [
        json.loads(line)["clock"] for line in as_lived(run, lambda label: True)
    ]
    assert len(in_shiviz(shiviz_log(found))) == len(run.kept_events)


def test_in_a_real_run_a_clock_that_knows_more_than_messages_tell_says_nothing_of_them() -> None:
    """An agent told of the second send before the first message was handled."""
    trace = [
        line(0, "send", "a n b", {}),
        line(1, "send", "a m b", {"a": 1}),
        line(2, "send", "a m b", {"a": 2}),
        line(3, "handle", "a m b", {"a": 2, "b": 1}),
        line(4, "handle", "a m b", {"a": 2, "b": 2}),
    ]
    found = read_recorded_run(trace, "x").events
    assert [event.sent_at for event in found] == [None, None, None, 1, 2]


def test_a_handle_does_not_belong_to_a_send_that_it_does_not_know() -> None:
    trace = [
        line(0, "send", "a m b", {"a": 1}),
        line(1, "handle", "a m b", {"b": 1}),
    ]
    assert [event.sent_at for event in read_recorded_run(trace, "x").events] == [None, None]


@each
def test_links_lead_from_handles_to_their_sends(scenario: str) -> None:
    run = run_of(scenario)
    spans = spans_of(otlp_request(recorded(run)))
    place = {span["spanId"]: index for index, (_, span) in enumerate(spans)}
    assert len(place) == len(spans) == len(run.kept_events)
    for event, (_, span) in zip(run.kept_events, spans, strict=True):
        links = [place[link["spanId"]] for link in span.get("links", ())]
        assert links == ([] if event.sent_at is None else [event.sent_at])
        assert {link["traceId"] for link in span.get("links", ())} <= {span["traceId"]}
        assert span["kind"] == (5 if event.kind == HANDLE else 4)


def test_ids_have_the_form_that_they_should_have_and_depend_on_the_run_alone() -> None:
    assert re.fullmatch(r"[0-9a-f]{32}", trace_id("run-0"))
    assert re.fullmatch(r"[0-9a-f]{16}", span_id("run-0", 0))
    assert trace_id("run-0") != trace_id("run-1")
    assert (
        len({span_id(f"run-{seed}", index) for seed in range(10) for index in range(100)}) == 1000
    )
    run = recorded(run_of("fig1-violating"))
    assert otlp_request(run) == otlp_request(run)
    assert {span["traceId"] for _, span in spans_of(otlp_request(run))} == {trace_id("run-0")}


def test_a_span_with_a_violation_is_an_error() -> None:
    run = run_of("fig1-violating")
    wrong = {verdict.event_index for verdict in run.verdicts if verdict.verdict == "violated"}
    spans = spans_of(otlp_request(recorded(run)))
    assert wrong
    assert {index for index, (_, span) in enumerate(spans) if "status" in span} == wrong
    possible = tuple(replace(one, verdict="possibly-violated") for one in run.verdicts)
    spans = spans_of(otlp_request(recorded(run)._replace(verdicts=possible)))
    assert not any("status" in span for _, span in spans)


@each
def test_clocks_are_as_shiviz_wants_them(scenario: str) -> None:
    """Of each host: its events from 1 on; of the others: what is there, and all that it knows."""
    run = told_by_shiviz(recorded(run_of(scenario)))
    clocks: dict[tuple[str, int], dict[str, int]] = {}
    for one in run:
        own = 1 + sum(host == one["host"] for host, _ in clocks)
        assert one["clock"][one["host"]] == own
        clocks[one["host"], own] = one["clock"]
    for clock in clocks.values():
        for host, count in clock.items():
            earlier = clocks[host, count]
            assert all(clock[name] >= entry for name, entry in earlier.items())


def test_several_verdicts_about_one_event_are_all_there() -> None:
    run = recorded(run_of("fig1-violating"))
    other = replace(run.verdicts[0], verdict="possibly-violated", monitor="M", label="x")
    both = run._replace(verdicts=(run.verdicts[0], other))
    (found,) = [one for one in in_shiviz(shiviz_log(both)) if one["verdict"]]
    assert found["verdict"] == "violated,possibly-violated"
    assert (found["monitor"], found["label"]) == ("P3,M", "P3 -> P4 : m3, x")
    spans = spans_of(otlp_request(both))
    assert [len(span["events"]) for _, span in spans if "events" in span] == [2]


def test_the_expression_can_be_read_by_shiviz() -> None:
    """ShiViz takes every `(` of it for a group, and the names in their order."""
    assert re.findall(r"\(\?<(\w+)>", shiviz.EXPRESSION) == [
        *("event", "host", "clock", "index", "milliseconds", "verdict", "monitor", "label")
    ]
    assert len(re.findall(r"\((?!\?<)", shiviz.EXPRESSION)) == 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda run: run._replace(events=run.events[1:]), "ShiViz needs all of them"),
        (lambda run: without_last(run, "P1"), r"knows 2 events of P1, and 1 are there"),
        (lambda run: renamed(run, "two {words}"), "cannot be a host of ShiViz"),
        (lambda run: renamed(run, " P1"), "cannot be a host of ShiViz"),
        (lambda run: renamed(run, ""), "cannot be a host of ShiViz"),
        (
            lambda run: run._replace(
                events=(*run.events[:-1], replace(run.events[-1], values=(("order", "a\nb"),)))
            ),
            "it has several lines",
        ),
    ],
)
def test_what_shiviz_could_not_read_is_refused(
    change: Callable[[RecordedRun], RecordedRun], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        shiviz_log(change(recorded(run_of("fig1-violating"))))


def without_last(run: RecordedRun, process: str) -> RecordedRun:
    last = [event for event in run.events if event.process == process][-1]
    return run._replace(events=tuple(event for event in run.events if event is not last))


def renamed(run: RecordedRun, name: str) -> RecordedRun:
    def event(one: RunEvent) -> RunEvent:
        return replace(one, process=name) if one.process == run.processes[0] else one

    return run._replace(processes=(name, *run.processes[1:]), events=tuple(map(event, run.events)))


PLACE = Place("x.log", 7)
RECORDED = [
    RecordedEvent("a", "local", "starts", PLACE, clock={"a": 1}, time="12:00"),
    RecordedEvent("a", "send", "m (x)", PLACE, "b", "7", {"a": 2}, fields={"level": "INFO"}),
    RecordedEvent("b", "handle", "m", PLACE, clock={"b": 1, "a": 2}, fields={"n": "1 = 2"}),
]


def test_events_of_other_logs_are_a_log_of_shiviz_too() -> None:
    assert in_shiviz(shiviz.recorded_shiviz_log(RECORDED)) == [
        {
            "event": "starts",
            "host": "a",
            "clock": '{"a": 1}',
            "kind": "local",
            "message": "starts",
            "peer": "",
            "message_id": "",
            "time": "12:00",
            "level": "",
            "n": "",
        },
        {
            "event": "send a -> b : m (x)",
            "host": "a",
            "clock": '{"a": 2}',
            "kind": "send",
            "message": "m (x)",
            "peer": "b",
            "message_id": "7",
            "time": "",
            "level": "INFO",
            "n": "",
        },
        {
            "event": "handle ? -> b : m",
            "host": "b",
            "clock": '{"a": 2, "b": 1}',
            "kind": "handle",
            "message": "m",
            "peer": "",
            "message_id": "",
            "time": "",
            "level": "",
            "n": "1 = 2",
        },
    ]
    plain = [one._replace(kind="local", time="", fields={}) for one in RECORDED]
    assert shiviz.recorded_shiviz_log(plain).splitlines()[0] == (
        r"(?<event>.*)\n(?<host>\S+) (?<clock>{.*})"
    )


def test_sessions_are_runs_of_shiviz() -> None:
    mixed = [one._replace(session=session) for one in RECORDED for session in ("two", "one")]
    first, delimiter, log = shiviz.recorded_shiviz_log(mixed).split("\n", maxsplit=2)
    assert delimiter == "^=== (?<trace>.*) ===$"
    parts = re.split(r"^=== (.*) ===$", log, flags=re.MULTILINE)
    assert parts[0::2][0] == ""
    assert parts[1::2] == ["two", "one"]
    alone = in_shiviz(shiviz.recorded_shiviz_log(RECORDED))
    assert all(in_shiviz(f"{first}\n\n{part}") == alone for part in parts[2::2])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"clock": None}, "x.log:7: has no clock, and ShiViz draws clocks"),
        ({"process": "a {b}"}, "'a {b}' cannot be a host of ShiViz"),
        ({"fields": {"a-b": ""}}, "'a-b' cannot be a field of ShiViz"),
        ({"fields": {"1st": ""}}, "'1st' cannot be a field of ShiViz"),
        ({"fields": {"time": ""}}, "'time' cannot be a field of ShiViz"),
        ({"fields": {"host": ""}}, "'host' cannot be a field of ShiViz"),
        ({"fields": {"peer": ""}, "kind": "send"}, "'peer' cannot be a field of ShiViz"),
        ({"fields": {"x": "a\nb"}}, "it has several lines"),
        ({"name": "a\nb"}, "it has several lines"),
        (
            {"name": 'b {"b": 1}'},
            "x.log:7: 'b {\"b\": 1}' cannot be the text of an event of ShiViz",
        ),
        ({"session": "a\nb"}, "it has several lines"),
    ],
)
def test_what_shiviz_could_not_read_of_other_logs_is_refused(
    change: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        shiviz.recorded_shiviz_log([RECORDED[0]._replace(**change)])


@pytest.mark.parametrize(
    ("trace", "said"),
    [
        ([], "t: is empty: expected events, one a line"),
        (["{}"], "t:1: is no event"),
        ([line(0, "send", "a m b", {"a": 1, "b": -1})], "t:1: clock.b: should be 0 or more"),
        ([line(0, "send", "env m b", {"env": 1})], "t:1: event: a message from env has no send"),
    ],
)
def test_what_is_no_trace_is_refused(trace: list[str], said: str) -> None:
    with pytest.raises(DocumentError, match=re.escape(said)):
        read_recorded_run(trace, "x", file="t")


def test_verdicts_about_other_runs_are_refused() -> None:
    run = run_of("fig1-violating")
    other: tuple[RunVerdict, ...] = (replace(run.verdicts[0], event_index=99),)
    with pytest.raises(DocumentError, match=r"t: has no event 99, which a verdict is about"):
        read_recorded_run(trace_of(run), "x", other, "t")


@pytest.mark.parametrize(
    ("text", "seed", "said"),
    [
        (b"", None, "r: is no result of --json"),
        (b"{}", None, "r: is no result of --json: has no field `runs`: give one"),
        (b'{"runs":[]}', None, "r: runs: should have one run; the seeds are none"),
        (b'{"runs":[{"seed":1,"verdicts":[]}]}', 2, "one run with the seed 2; the seeds are 1"),
        (b'{"runs":[{"seed":1,"verdicts":[{}]}]}', 1, "r: runs[0].verdicts[0]: is no result"),
    ],
)
def test_what_are_no_results_is_refused(text: bytes, seed: int | None, said: str) -> None:
    with pytest.raises(DocumentError, match=re.escape(said)):
        read_verdicts(text, seed, "r")


def test_the_only_run_is_found_without_its_seed() -> None:
    run = run_of("fig1-violating", 3)
    found = read_verdicts(runs_json([run]).encode(), None)
    assert [one.event_index for one in found] == [one.event_index for one in run.verdicts]
