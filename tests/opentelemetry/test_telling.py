"""What instrumentations do, done by hand in one process: spans begin, and headers are written and
read. Whatever comes from outside is counted and told once, and is never an error in the service."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

pytest.importorskip("wrapt", reason="wrapt is not installed: pip install -e '.[test]'")
pytest.importorskip("opentelemetry.sdk", reason="pip install -e '.[test]'")

from opentelemetry import baggage, trace
from opentelemetry.baggage.propagation import W3CBaggagePropagator
from opentelemetry.context import Context
from opentelemetry.propagators.composite import CompositePropagator
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON, Sampler
from opentelemetry.trace import SpanKind
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from choreomon.agent_files.values import Value
from choreomon.core.errors import AgentUnavailable
from choreomon.logs.mappings.mapping_document import parse_mapping
from choreomon.opentelemetry.installed import install, uninstall
from choreomon.opentelemetry.propagator import Propagator
from choreomon.opentelemetry.provider import HandlingProcessor, KnowAll
from choreomon.opentelemetry.settings import Settings, settings_of
from choreomon.opentelemetry.telling import Telling
from tests.sdk.recording import BlockingRecording

MAPPING = """
format: otlp
processes: {"billing:80": billing, refunds: billing, refund: payments}
routes: ["POST /orders/{order}/cancel"]
parameters: {order: [route.order, headers.x-order, baggage.order]}
"""
SENT = "1/admin/off/ZqwbWAIBAA"


class Service:
    """A service whose agent is `process`."""

    def __init__(self, mapping: str, sampler: Sampler) -> None:
        self.process = BlockingRecording()
        self.connected = 0
        self.telling = Telling(Settings(), parse_mapping(mapping, "mapping.yaml"), self.connect)
        self.exported = InMemorySpanExporter()
        self.provider = TracerProvider(
            sampler=KnowAll(sampler), resource=Resource({"service.name": "shop"})
        )
        self.provider.add_span_processor(HandlingProcessor(self.telling))
        self.provider.add_span_processor(SimpleSpanProcessor(self.exported))
        self.tracer = self.provider.get_tracer("test")
        self.propagator = CompositePropagator(
            [TraceContextTextMapPropagator(), W3CBaggagePropagator(), Propagator()]
        )

    def connect(self, **_: Any) -> BlockingRecording:
        self.connected += 1
        return self.process

    def sends(self, carrier: Any, kind: SpanKind = SpanKind.CLIENT, **attributes: Value) -> Any:
        """The carrier of a message that leaves, of a span with these attributes."""
        named = {key.replace("__", "."): value for key, value in attributes.items()}
        with self.tracer.start_as_current_span("a span", kind=kind, attributes=named):
            self.propagator.inject(carrier)
        return carrier

    def posts(self, url: str, carrier: Any = None) -> Any:
        carrier = {} if carrier is None else carrier
        return self.sends(carrier, http__request__method="POST", url__full=url)

    def takes(
        self, carrier: Any, kind: SpanKind = SpanKind.SERVER, name: str = "POST /x"
    ) -> Context:
        """Take a message; the context in which it is handled."""
        context = self.propagator.extract(carrier, Context())
        span = self.tracer.start_span(name, context=context, kind=kind)
        span.end()
        return trace.set_span_in_context(span, context)

    @property
    def events(self) -> list[tuple[str, ...]]:
        """Without their traces."""
        events = self.process.events
        return [tuple(part for part in each if part[:12] != "traceparent=") for each in events]

    @property
    def traces(self) -> list[str]:
        """Of each event its trace, and the span."""
        parts = [part for each in self.process.events for part in each]
        return [part[12:] for part in parts if part[:12] == "traceparent="]

    @property
    def counted(self) -> dict[str, int]:
        return dict(self.telling.counts.counted)


@contextmanager
def service(mapping: str = MAPPING, sampler: Sampler = ALWAYS_ON) -> Iterator[Service]:
    one = Service(mapping, sampler)
    install(one.telling)
    try:
        yield one
    finally:
        uninstall()
        one.provider.shutdown()


def test_what_leaves_is_told_with_its_values_and_gets_a_header() -> None:
    with service() as one:
        carrier = one.posts("http://billing/orders/A-17/cancel?x=1")
        assert carrier["choreomon"] == "1/shop/POST~20~2Forders~2F~7Border~7D~2Fcancel/AAAA"
        assert one.events == [("send", "billing", "POST /orders/{order}/cancel", "order=A-17")]
        one.posts("http://billing/off", {"X-Order": "A-18"})
        with_baggage = baggage.set_baggage("order", "A-19")
        from opentelemetry.context import attach, detach

        token = attach(with_baggage)
        one.posts("http://billing/off")
        detach(token)
        assert one.events[1:] == [
            ("send", "billing", "POST /off", "order=A-18"),
            ("send", "billing", "POST /off", "order=A-19"),
        ]
        assert one.counted == {}
        assert one.connected == 1


@pytest.mark.parametrize(
    ("attributes", "event"),
    [
        (
            {"http__method": "GET", "http__url": "http://billing/a"},
            ("send", "billing", "GET /a"),
        ),
        (
            {
                "http__request__method": "GET",
                "server__address": "billing",
                "server__port": 80,
                "url__path": "/a",
            },
            ("send", "billing", "GET /a"),
        ),
        (
            {"rpc__system": "grpc", "rpc__service": "refunds", "rpc__method": "Pay"},
            ("send", "billing", "Pay"),
        ),
        (
            {"messaging__destination": ",refunds", "messaging__operation": "publish"},
            ("send", "billing", "refunds"),
        ),
        (
            {"peer__service": "bank", "rpc__method": "Pay"},
            ("send", "bank", "Pay"),
        ),
    ],
)
def test_older_and_newer_conventions_say_the_same(
    attributes: dict[str, Value], event: tuple[str, ...]
) -> None:
    with service() as one:
        kind = SpanKind.PRODUCER if "messaging__destination" in attributes else SpanKind.CLIENT
        assert one.sends({}, kind, **attributes)["choreomon"].startswith("1/shop/")
        assert one.events == [event]


def test_a_host_that_nobody_named_is_told_by_its_name_and_gets_no_header() -> None:
    with service() as one:
        assert "choreomon" not in one.posts("http://api.bank.example/pay")
        assert one.events == [("send", "api.bank.example", "POST /pay")]


def test_what_is_taken_is_told_once_whatever_spans_are_within_it() -> None:
    with service() as one:
        context = one.takes({"choreomon": SENT, "x-order": "A-17"})
        for kind in (SpanKind.CONSUMER, SpanKind.INTERNAL, SpanKind.CLIENT):
            one.tracer.start_span("within", context=context, kind=kind).end()
        assert one.events == [("handle", "admin", "off", "ZqwbWAIBAA", "order=A-17")]


def test_a_span_around_several_receptions_is_no_message() -> None:
    with service() as one:
        one.tracer.start_span("poll", kind=SpanKind.CONSUMER).end()
        assert one.events == []


def test_a_request_of_which_nothing_was_read_came_from_outside() -> None:
    """As of a client of the Model Context Protocol without traces."""
    with service() as one:
        one.tracer.start_span("tools/call refund", kind=SpanKind.SERVER).end()
        one.takes({})
        assert one.events == [("handle", "env", "tools/call refund"), ("handle", "env", "POST /x")]
        assert one.counted == {}


@pytest.mark.parametrize(
    "header",
    [
        "",
        "1/admin",
        "2/admin/off/AAAA",
        "1/admin/off/" + "A" * 5000,
        b"\xff\xfe",
        17,
        [SENT, "1/admin/on/ZqwbWAIBAA"],
        f"{SENT}, {SENT}",
    ],
)
def test_a_header_that_is_none_is_not_believed(
    header: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with service() as one, caplog.at_level(logging.WARNING, "choreomon"):
        for _ in range(3):
            one.takes({"choreomon": header})
        assert one.events == [("handle", "env", "POST /x")] * 3
        assert one.counted == {"bad header": 3}
        assert len(caplog.records) == 1


def test_one_header_that_came_twice_is_one() -> None:
    with service() as one:
        one.takes({"choreomon": [SENT, SENT.encode()]})
        assert one.events == [("handle", "admin", "off", "ZqwbWAIBAA")]


def test_a_header_that_somebody_took_off_is_noticed(caplog: pytest.LogCaptureFixture) -> None:
    with service() as one:
        carrier = one.posts("http://billing/off", {"x-order": "A"})
        del carrier["choreomon"]
        for _ in range(3):
            one.takes(carrier)
        assert one.counted == {"no header": 3}
        assert len(caplog.records) == 1


def test_spans_that_the_mapping_does_not_know_are_counted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with service() as one:
        for _ in range(2):
            one.sends({}, rpc__method="Pay")
            one.posts("http://billing/\u202e")
            one.sends({}, db__system="postgresql", server__address="db")
        assert one.events == []
        assert one.counted == {"no peer": 2, "no name": 2, "no message": 2}
        assert [each.levelname for each in caplog.records] == ["WARNING"] * 2


def test_what_clients_and_servers_of_tools_agree_on_is_no_message() -> None:
    with service() as one:
        listing = {"mcp__method__name": "tools/list"}
        for _ in range(2):
            one.sends({}, **listing)
        named = {"mcp.method.name": "tools/list"}
        one.tracer.start_span("tools/list", kind=SpanKind.SERVER, attributes=named).end()
        assert one.events == []
        assert one.counted == {"no message": 3}


def test_an_event_without_its_value_is_told_as_one_that_is_missing() -> None:
    with service() as one:
        process = one.process

        def refuses(to: str, name: str, /, **values: Value) -> Any:
            raise ValueError(f"send {name} carries order: give it order=...")

        process.sending = refuses  # type: ignore[method-assign]
        carrier = one.posts("http://billing/off")
        assert one.events == [("untold", "POST /off")]
        assert carrier["choreomon"].endswith("/BBBB")
        assert one.counted == {"no value": 1}


def test_headers_of_another_message_do_not_travel_on() -> None:
    """Of a request that leads elsewhere, or of a record whose headers are sent on."""
    with service() as one:
        assert "choreomon" not in one.posts("http://other/", {"Choreomon": SENT})
        pairs = [("choreomon", SENT.encode()), ("other", b"1")]
        attributes = {"messaging.destination.name": "refunds"}
        with one.tracer.start_as_current_span(
            "refunds send", kind=SpanKind.PRODUCER, attributes=attributes
        ):
            Propagator().inject(pairs)
        assert [key for key, _ in pairs].count("choreomon") == 1
        assert ("choreomon", SENT.encode()) not in pairs


def test_a_message_that_two_spans_are_about_is_told_once() -> None:
    """As pika has them; but what the inner one sends with other headers is a message of its own."""
    with service() as one:
        attributes = {"messaging.destination": "refunds"}
        carrier: dict[str, str] = {}
        for _ in range(2):
            kind = SpanKind.PRODUCER
            with one.tracer.start_as_current_span("a", kind=kind, attributes=attributes):
                one.propagator.inject(carrier)
                with one.tracer.start_as_current_span("b", kind=kind, attributes=attributes):
                    one.propagator.inject(carrier)
        assert len(one.events) == 2
        with one.tracer.start_as_current_span("a", kind=kind, attributes=attributes):
            one.propagator.inject(carrier)
            with one.tracer.start_as_current_span("b", kind=kind, attributes=attributes):
                one.propagator.inject({})
        assert len(one.events) == 4


def test_tools_of_the_model_context_protocol_have_the_clock_in_the_baggage() -> None:
    with service() as one:
        meta: dict[str, str] = {"baggage": "a=b"}
        with one.tracer.start_as_current_span(
            "MCP send tools/call refund",
            kind=SpanKind.CLIENT,
            attributes={"mcp.method.name": "tools/call"},
        ):
            one.propagator.inject(meta)
        assert {*meta} == {"baggage", "traceparent"}
        context = one.takes(meta, name="tools/call refund")
        assert one.events == [
            ("send", "payments", "refund"),
            ("handle", "shop", "refund", "AAAA"),
        ]
        # It is about this message, and not about those that come of it.
        assert "choreomon" not in baggage.get_all(context)


def test_each_event_is_told_with_the_trace_and_the_span_that_it_is_of() -> None:
    with service() as one:
        one.takes(one.posts("http://billing/off"))
        one.posts("http://billing/off")
        exported = [each.context for each in one.exported.get_finished_spans()]
        sent, taken, again = [f"00-{each.trace_id:032x}-{each.span_id:016x}" for each in exported]
        assert one.traces == [f"{each}-00" for each in (sent, taken, again)]
        assert sent[:35] == taken[:35] != again[:35]


@pytest.mark.parametrize("sampler", [ALWAYS_ON, ALWAYS_OFF])
def test_spans_that_are_not_sampled_are_known_and_not_exported(sampler: Sampler) -> None:
    with service(sampler=sampler) as one:
        one.posts("http://billing/off")
        assert one.events == [("send", "billing", "POST /off")]
        assert len(one.exported.get_finished_spans()) == (sampler is ALWAYS_ON)


def test_an_agent_that_is_away_keeps_messages_from_leaving_and_from_being_handled() -> None:
    with service() as one:
        one.process.away = True
        carrier: dict[str, str] = {}
        with pytest.raises(AgentUnavailable):
            one.posts("http://billing/off", carrier)
        assert "choreomon" not in carrier
        with pytest.raises(AgentUnavailable):
            one.takes({"choreomon": SENT})
        assert one.counted == {"agent away": 2}


def test_a_mistake_of_ours_is_no_error_of_the_service(caplog: pytest.LogCaptureFixture) -> None:
    with service() as one:
        one.process.sending = None  # type: ignore[method-assign, assignment]
        for _ in range(2):
            one.posts("http://billing/off")
        assert one.counted == {"failed": 2}
        assert len(caplog.records) == 1


def test_an_expression_that_takes_too_long_is_an_event_that_is_missing() -> None:
    slow = MAPPING.replace(
        "[route.order,", "[{match: '(?<value>(x+x+)+y)', of: path}, route.order,"
    )
    with service(slow) as one:
        assert "choreomon" not in one.posts(f"http://billing/{'x' * 3000}")
        assert one.events == [("untold", "unknown")]
        assert one.counted == {"mapping stopped": 1}


def test_a_child_of_a_fork_connects_anew_and_nothing_is_told_after_the_end() -> None:
    with service() as one:
        one.posts("http://billing/off")
        one.telling._forked()
        one.posts("http://billing/off")
        assert one.connected == 2
        one.provider.shutdown()
        assert one.process.closed
        one.telling._forked()
        assert "choreomon" not in one.posts("http://billing/off")
        assert one.counted == {"closed": 1}


def test_another_name_of_the_service_is_told_once() -> None:
    with service(MAPPING.replace("format: otlp", "format: otlp\nprocess: {constant: s}")) as one:
        one.posts("http://billing/off")
        one.posts("http://billing/off")
        assert one.counted == {"another name": 1}


def test_the_environment_says_what_else_there_is_to_say() -> None:
    assert settings_of({}) == Settings("", "block", 5.0)
    given = {"CHOREOMON_MAPPING": " m ", "CHOREOMON_POLICY": "buffer", "CHOREOMON_DEADLINE": "2.5"}
    assert settings_of(given) == Settings("m", "buffer", 2.5)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("CHOREOMON_POLICY", "wait"),
        ("CHOREOMON_DEADLINE", "soon"),
        ("CHOREOMON_DEADLINE", "0"),
        ("CHOREOMON_DEADLINE", "nan"),
    ],
)
def test_what_the_environment_cannot_say_is_refused(variable: str, value: str) -> None:
    with pytest.raises(ValueError, match=f"{variable} is '{value}': use"):
        settings_of({variable: value})
