"""Spans of OpenTelemetry: of its own SDK, of a collector, and strange ones."""

from __future__ import annotations

import io
import json
import queue
import threading
from base64 import b64encode
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from random import Random
from typing import Any
from urllib.request import Request, urlopen

import pytest
from opentelemetry import propagate
from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
from opentelemetry.trace import Link, SpanKind, Tracer, get_current_span

from choreomon.core.pairing import Pairing
from choreomon.core.recorded import Diagnostic, Place, RecordedEvent, RecordedKind
from choreomon.logs.readers.span_order import sends_first
from tests.logs.readers.logs_for_tests import OTLP, events, read, request, span, strange

DATA = Path(__file__).parents[2] / "data" / "otlp"
ORDERS = {"messaging__system": "kafka", "messaging__destination__name": "orders"}


def told(found: list[RecordedEvent]) -> list[tuple[str, str, str, str | None]]:
    return [(each.process, each.kind, each.name, each.peer) for each in found]


def unpaired(found: list[RecordedEvent]) -> list[str]:
    pairing = Pairing()
    said = [pairing.take(each) for each in found]
    return [each.kind for each in (*said, *pairing.end()) if each is not None]


def lines(*requests: dict[str, Any]) -> str:
    return "\n".join(map(json.dumps, requests))


# ---------------------------------------------------------------- the real SDK


def one_a_line(each: ReadableSpan) -> str:
    return f"{each.to_json(indent=None)}\n"


class Services:
    """A shop that asks a bank over HTTP and then gives orders to a store through a queue; all with
    the SDK's own exporter."""

    def __init__(self, out: io.StringIO, *, one_line: bool) -> None:
        def tracer(name: str) -> Tracer:
            provider = TracerProvider(resource=Resource.create({"service.name": name}))
            exporter = ConsoleSpanExporter(out=out)
            if one_line:
                exporter = ConsoleSpanExporter(out=out, formatter=one_a_line)
            provider.add_span_processor(SimpleSpanProcessor(exporter))
            self.providers.append(provider)
            return provider.get_tracer("test")

        self.providers: list[TracerProvider] = []
        self.shop, self.bank, self.store = map(tracer, ("shop", "bank", "store"))
        self.queue: queue.Queue[dict[str, str]] = queue.Queue()

    def run(self) -> None:
        server = HTTPServer(("127.0.0.1", 0), self._handler())
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            self._ask(f"http://127.0.0.1:{server.server_port}/charge/7")
        finally:
            server.shutdown()
            thread.join()
            server.server_close()
        self._order()
        consumer = threading.Thread(target=self._consume)
        consumer.start()
        consumer.join()
        for provider in self.providers:
            provider.shutdown()

    def _ask(self, url: str) -> None:
        about = {"http.request.method": "POST", "url.full": url}
        with self.shop.start_as_current_span("POST", kind=SpanKind.CLIENT, attributes=about):
            headers: dict[str, str] = {}
            propagate.inject(headers)
            with urlopen(Request(url, b"{}", headers), timeout=10) as answer:
                assert answer.status == 200

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        bank = self.bank

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                about = {"http.request.method": "POST", "http.route": "/charge/{id}"}
                context = propagate.extract({k.lower(): v for k, v in self.headers.items()})
                with bank.start_as_current_span(
                    "POST /charge/{id}", context, SpanKind.SERVER, about
                ):
                    with bank.start_as_current_span("look into the account"):
                        self.rfile.read(2)
                    self.send_response(200)
                    self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        return Handler

    def _order(self) -> None:
        about = {
            "messaging.system": "memory",
            "messaging.destination.name": "orders",
            "messaging.operation.type": "publish",
        }
        with self.shop.start_as_current_span("publish orders", None, SpanKind.PRODUCER, about):
            headers: dict[str, str] = {}
            propagate.inject(headers)
            self.queue.put(headers)

    def _consume(self) -> None:
        sent = get_current_span(propagate.extract(self.queue.get())).get_span_context()
        about = {
            "messaging.system": "memory",
            "messaging.destination.name": "orders",
            "messaging.operation.type": "process",
        }
        with self.store.start_as_current_span(
            "process orders", Context(), SpanKind.CONSUMER, about, links=[Link(sent)]
        ):
            pass


@pytest.fixture(params=[False, True], ids=["printed", "one a line"])
def printed(request: pytest.FixtureRequest) -> str:
    out = io.StringIO()
    Services(out, one_line=request.param).run()
    return out.getvalue()


def test_two_ends_of_http_and_of_a_queue_are_read_from_the_sdk_s_own_spans(printed: str) -> None:
    found = events(printed)
    assert told(found) == [
        ("shop", "send", "POST_charge_id", "bank"),
        ("bank", "handle", "POST_charge_id", "shop"),
        ("bank", "local", "look into the account", None),
        ("bank", "send", "POST_charge_id_response", "shop"),
        ("shop", "handle", "POST_charge_id_response", "bank"),
        ("shop", "send", "orders", "store"),
        ("store", "handle", "orders", "shop"),
    ]
    assert unpaired(found) == []
    sessions = [each.session for each in events(printed, session_key="traceId")]
    assert len(set(sessions)) == 3
    assert sessions == [each.fields["trace"] for each in found]


# ---------------------------------------------------------------- a collector


COLLECTED = [
    ("shop", "send", "POST_charge", "bank"),
    ("bank", "handle", "POST_charge", "shop"),
    ("bank", "send", "POST_charge_response", "shop"),
    ("shop", "handle", "POST_charge_response", "bank"),
    ("shop", "send", "orders", "store"),
    ("store", "handle", "orders", "shop"),
    ("store", "local", "work", None),
]


def test_what_a_collector_wrote_of_the_sdk_s_spans_is_what_the_sdk_printed(printed: str) -> None:
    written = (DATA / "collected.jsonl").read_text(encoding="utf-8")
    assert '"flags":256' in written
    found = events(written)
    assert told(found) == told(events(printed))
    assert unpaired(found) == []
    traces = {
        json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["traceId"]
        for line in written.splitlines()
    }
    by_trace = dict.fromkeys(traces, 0)
    for each in events(written, session_key="traceId"):
        by_trace[each.session] += 1
    assert sorted(by_trace.values()) == [1, 1, 5]


def test_lines_of_a_collector_are_read() -> None:
    assert told(events(OTLP)) == COLLECTED
    assert unpaired(events(OTLP)) == []


@pytest.mark.parametrize("indent", [1, 2, 8])
def test_requests_may_be_spread_over_lines(indent: int) -> None:
    text = "\n".join(json.dumps(json.loads(line), indent=indent) for line in OTLP.splitlines())
    assert told(events(text)) == COLLECTED
    listed = json.dumps([json.loads(line) for line in OTLP.splitlines()], indent=indent)
    assert told(events(listed)) == COLLECTED
    assert told(events(listed.replace("\n", ""))) == COLLECTED


def test_protobuf_s_own_json_is_read() -> None:
    """With names instead of numbers, snake case, and ids in base64."""
    kinds = ("UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER")

    def changed(value: Any) -> Any:
        match value:
            case list():
                return [changed(each) for each in value]
            case dict():
                return {
                    "".join(f"_{c.lower()}" if c.isupper() else c for c in key): (
                        b64encode(bytes.fromhex(held)).decode()
                        if key.endswith("Id")
                        else f"SPAN_KIND_{kinds[held]}"
                        if key == "kind"
                        else changed(held)
                    )
                    for key, held in value.items()
                }
            case _:
                return value

    text = lines(*(changed(json.loads(line)) for line in OTLP.splitlines()))
    assert '"kind": "SPAN_KIND_CONSUMER"' in text
    assert "span_id" in text
    assert told(events(text)) == COLLECTED


def test_the_order_of_spans_in_the_file_does_not_matter() -> None:
    found = [json.loads(line) for line in OTLP.splitlines()]
    assert told(events(lines(*reversed(found)))) == COLLECTED


@pytest.mark.parametrize("parameter", ["name", "service", "kind", "traceId"])
def test_the_built_in_mapping_takes_no_field_of_a_span_for_a_parameter(parameter: str) -> None:
    """Only lines of JSON call their fields as a property calls its parameters."""
    text = lines(request(shop=[span(1, "orders send", 4, 10, 11, **ORDERS)]))
    found = read(text, parameters=(parameter,))
    assert [[*each.values] for each in found if isinstance(each, RecordedEvent)] == [[]]


# ---------------------------------------------------------------- the conventions


@pytest.mark.parametrize("key", ["messaging__operation__type", "messaging__operation"])
def test_a_batch_is_received_message_by_message(key: str) -> None:
    words = "create", "send" if key.endswith("n") else "publish", "receive", "process"
    create, publish, receive, process = ({**ORDERS, key: operation} for operation in words)
    found = events(
        lines(
            request(
                shop=[
                    span(1, "create", 4, 10, 11, **create),
                    span(2, "create", 4, 12, 13, **create),
                    span(3, "publish", 3, 14, 20, links=(1, 2), **publish),
                ],
                store=[
                    span(4, "receive", 3, 30, 31, links=(1, 2), **receive),
                    span(5, "process", 5, 32, 33, parent=4, links=(1,), **process),
                    span(6, "process", 5, 34, 35, parent=4, links=(2,), **process),
                    span(7, "settle", 3, 36, 37, **{**ORDERS, key: "settle"}),
                ],
            )
        )
    )
    assert told(found) == [
        ("shop", "send", "orders", "store"),
        ("shop", "send", "orders", "store"),
        ("shop", "local", "publish", None),
        ("store", "handle", "orders", "shop"),
        ("store", "handle", "orders", "shop"),
        ("store", "local", "process", None),
        ("store", "local", "process", None),
        ("store", "local", "settle", None),
    ]
    assert unpaired(found) == []


def test_retries_are_requests_of_their_own_and_redeliveries_are_told() -> None:
    found = events(
        lines(
            request(
                shop=[
                    span(1, "GET", 3, 1, 5),
                    span(2, "GET", 3, 6, 9),
                    span(4, "send", 4, 10, 11, **ORDERS),
                ],
                bank=[span(3, "GET /x", 2, 7, 8, parent=2)],
                store=[
                    span(5, "process", 5, 12, 13, links=(4,), **ORDERS),
                    span(6, "process", 5, 14, 15, links=(4,), **ORDERS),
                ],
            )
        )
    )
    assert told(found)[:3] == [
        ("shop", "send", "GET", None),
        ("shop", "send", "GET_x", "bank"),
        ("bank", "handle", "GET_x", "shop"),
    ]
    assert sorted(unpaired(found)) == ["send-without-reception", "two-receptions"]


def test_messages_are_paired_by_their_ids_where_there_are_no_links() -> None:
    named = {**ORDERS, "messaging__message__id": "m1"}
    found = events(
        lines(
            request(shop=[span(1, "send", 4, 1, 2, **named)]),
            request(store=[span(2, "process", 5, 3, 4, trace=2, **named)]),
        )
    )
    assert told(found) == [
        ("shop", "send", "orders", "store"),
        ("store", "handle", "orders", "shop"),
    ]
    assert unpaired(found) == []


def test_spans_that_link_to_nothing_are_receptions_without_a_send() -> None:
    found = events(
        lines(
            request(
                store=[
                    span(1, "process", 5, 1, 2, links=(77,), **ORDERS),
                    span(2, "GET /x", 2, 3, 4, parent=78),
                    span(3, "process", 5, 5, 6, **{**ORDERS, "messaging__message__id": "m"}),
                    span(4, "GET /y", 2, 7, 8),
                    span(5, "process", 5, 9, 10, **ORDERS),
                    span(6, "poll", 5, 11, 12, messaging__operation="receive"),
                ]
            )
        )
    )
    assert [each.kind for each in found] == ["handle"] * 5 + ["local"]
    assert [each.peer for each in found] == [None] * 6
    assert [each.message_id for each in found[3:]] == [None] * 3
    assert unpaired(found) == ["reception-without-send"] * 3


def test_a_database_is_no_process() -> None:
    found = events(lines(request(shop=[span(1, "SELECT", 3, 1, 2, db__system="sqlite")])))
    assert told(found) == [("shop", "local", "SELECT", None)]


def test_instances_of_a_service_have_an_order_each() -> None:
    def of(instance: str, number: int) -> dict[str, Any]:
        found = request(shop=[span(number, "work", 1, number, number + 1)])
        resource = found["resourceSpans"][0]["resource"]["attributes"]
        resource.append({"key": "service.instance.id", "value": {"stringValue": instance}})
        return found

    assert [each.process for each in events(lines(of("x", 1), of("y", 2)))] == ["shop.x", "shop.y"]
    assert [each.process for each in events(lines(of("x", 1), of("x", 2)))] == ["shop", "shop"]


def test_what_begins_at_one_moment_is_nested() -> None:
    found = events(
        lines(
            request(
                shop=[
                    span(2, "GET", 3, 10, 20, parent=1),
                    span(1, "GET /a", 2, 10, 20, parent=9),
                ],
                bank=[span(3, "GET /b", 2, 12, 13, parent=2)],
                web=[span(9, "GET", 3, 1, 30)],
            )
        )
    )
    assert [told([each])[0][1:3] for each in found if each.process == "shop"] == [
        ("handle", "GET_a"),
        ("send", "GET_b"),
        ("handle", "GET_b_response"),
        ("send", "GET_a_response"),
    ]


@pytest.mark.parametrize("seed", range(100))
def test_sends_come_first_and_processes_keep_their_order(seed: int) -> None:
    randomness = Random(seed)
    found: list[RecordedEvent] = []
    for number in range(12):
        kinds: tuple[RecordedKind, ...] = ("send", "handle", "local")
        message = randomness.choice("vwxyz")
        found.append(
            RecordedEvent(
                *(randomness.choice("abc"), randomness.choice(kinds), "m", Place("f", number)),
                message_id=message,
            )
        )
    made = [*sends_first(found)]
    assert sorted(each.place.line for each in made) == [*range(12)]
    sends = {each.message_id: each for each in reversed(found) if each.kind == "send"}
    edges = [
        (one.place.line, other.place.line)
        for one in found
        for other in found
        if (one.process == other.process and one.place.line < other.place.line)
        or (other.kind == "handle" and sends.get(other.message_id) is one)
    ]
    reached = {(one, other) for one, other in edges}
    for middle in range(12):
        reached |= {
            (one, other)
            for one in range(12)
            for other in range(12)
            if (one, middle) in reached and (middle, other) in reached
        }
    if any((one, one) in reached for one in range(12)):
        return  # messages go in a circle: nothing but that all come is promised
    place = {each.place.line: number for number, each in enumerate(made)}
    assert all(place[one] < place[other] for one, other in edges)


# ---------------------------------------------------------------- what is broken


def test_a_span_that_comes_twice_is_told_and_taken_once() -> None:
    text = lines(request(shop=[span(1, "work", 1, 1, 2)]), request(shop=[span(1, "work", 1, 1, 2)]))
    assert strange(text) == [
        (2, "the span 0000000000000001 comes twice: the first, at log:1, is taken")
    ]
    assert len(read(text)) == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"spanId": "xyz"}, "without a usable spanId: expected 16 hexadecimal digits"),
        ({"spanId": "0" * 16}, "without a usable spanId"),
        ({"traceId": 7}, "without a usable traceId: expected 32 hexadecimal digits"),
        ({"startTimeUnixNano": "soon"}, "has no usable startTimeUnixNano: expected nanoseconds"),
        ({"startTimeUnixNano": None}, "has no usable startTimeUnixNano"),
        ({"startTimeUnixNano": "²"}, "has no usable startTimeUnixNano"),
        ({"name": 3}, "it has no name"),
    ],
)
def test_a_span_that_is_none_is_told(change: dict[str, Any], said: str) -> None:
    bad = {**span(2, "x", 1, 1, 2), **change}
    text = lines(request(shop=[span(1, "work", 1, 1, 2), bad]))
    found = read(text)
    messages = [each.message for each in found if isinstance(each, Diagnostic)]
    kept = [each.name for each in found if isinstance(each, RecordedEvent)]
    if "name" in change:
        assert (messages, kept) == ([], ["work", ""])
    else:
        assert len(messages) == 1
        assert said in messages[0]
        assert kept == ["work"]


def test_what_is_cut_off_or_no_span_is_told_with_its_line() -> None:
    whole = json.dumps(json.loads(OTLP.splitlines()[1]), indent=2)
    cut = whole[: len(whole) // 2]
    text = "\n".join([cut, whole, '{"resourceMetrics": []}', '{"x": 1}', "nonsense", cut])
    first = cut.count("\n") + 1
    after = first + whole.count("\n") + 1
    assert strange(text) == [
        (1, "it is JSON that does not end, and the next begins"),
        (after + 1, "it has metrics or logs, and no spans"),
        (after + 2, "it is no span: expected resourceSpans, or a span with context or spanId"),
        (after + 3, "it is not JSON: invalid character (byte 4)"),
        (after + 4, "it is JSON that does not end: the file may be cut off"),
    ]
    assert sum(isinstance(each, RecordedEvent) for each in read(text)) == 4


def test_a_service_without_a_name_is_told() -> None:
    found = request(shop=[span(1, "work", 1, 1, 2)])
    found["resourceSpans"][0]["resource"] = {}
    text = lines(request(shop=[span(2, "work", 1, 1, 2)]), found)
    assert strange(text) == [
        (
            2,
            "it has no process: expected it at resource.service.name or resource.faas.name or "
            "resource.host.name",
        )
    ]
