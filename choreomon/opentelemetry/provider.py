"""Additions to a tracer provider: a processor that tells of what is taken, when a SERVER or
CONSUMER span begins, and a sampler that lets every span be known.

A span that is not sampled has no attributes, so that its message would have no name. Such spans are
recorded, and not exported: nothing else changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from opentelemetry.sdk.trace.sampling import Decision, Sampler, SamplingResult
from opentelemetry.trace import Link, SpanKind, TraceState
from opentelemetry.util.types import Attributes

from choreomon.opentelemetry.propagator import arrived_in
from choreomon.opentelemetry.records import baggage_in, record_of
from choreomon.opentelemetry.telling import Telling


class HandlingProcessor(SpanProcessor):
    """Tells of a message that was taken, before anything is done because of it."""

    def __init__(self, telling: Telling) -> None:
        self._telling = telling

    def on_start(self, span: Any, parent_context: Context | None = None) -> None:
        """Raises `AgentUnavailable`, and nothing else: then the message must not be handled."""
        if span.kind not in (SpanKind.SERVER, SpanKind.CONSUMER):
            return
        arrived = arrived_in(parent_context)
        if arrived is None and span.kind == SpanKind.CONSUMER:
            return  # such as one around several receptions, which has taken nothing itself
        telling = self._telling
        record = record_of(span)
        carried = None
        if arrived is not None:
            carried = arrived.carried
            record["headers"] = arrived.headers
            if arrived.malformed:
                telling.counts.add("bad header", span.name)
        if telling.baggage:
            record["baggage"] = baggage_in(parent_context, telling.baggage)
        bare = arrived is not None and not arrived.malformed
        traced = bare and span.parent is not None and span.parent.is_remote
        telling.handling(record, carried, traced=carried is None and traced)

    def on_end(self, span: ReadableSpan) -> None:
        pass

    def shutdown(self) -> None:
        """Closes the connection with the agent."""
        self._telling.close()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return True


class KnowAll(Sampler):
    """The sampler `inner`, but what it drops is recorded all the same."""

    def __init__(self, inner: Sampler) -> None:
        self.inner = inner

    def should_sample(
        self,
        parent_context: Context | None,
        trace_id: int,
        name: str,
        kind: SpanKind | None = None,
        attributes: Attributes = None,
        links: Sequence[Link] | None = None,
        trace_state: TraceState | None = None,
    ) -> SamplingResult:
        """Decide as `inner` does; of what it drops it has dropped the attributes, too."""
        given = (parent_context, trace_id, name, kind, attributes, links)
        result = self.inner.should_sample(*given)
        if result.decision is not Decision.DROP:
            return result
        return SamplingResult(Decision.RECORD_ONLY, attributes, result.trace_state)

    def get_description(self) -> str:
        return f"KnowAll({self.inner.get_description()})"


def provider_of_sdk() -> Any:
    """The tracer provider of the service, where it is one of the SDK; else None."""
    provider: Any = trace.get_tracer_provider()
    return provider if hasattr(provider, "add_span_processor") else None
