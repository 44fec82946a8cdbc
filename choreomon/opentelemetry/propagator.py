"""A propagator beside that of traces: where messages leave, and what came with them.

Instrumentations begin the CLIENT or PRODUCER span, with its attributes, then call `inject`, then
send; and `extract` before they begin the SERVER or CONSUMER span. What was extracted waits in the
context until that span begins (`choreomon.opentelemetry.provider`), and is taken from there once:
spans within it are no other messages.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, Final

from opentelemetry import baggage, trace
from opentelemetry.context import Context, create_key, get_current, get_value, set_value
from opentelemetry.propagators.textmap import (
    Getter,
    Setter,
    TextMapPropagator,
    default_getter,
    default_setter,
)
from opentelemetry.trace import SpanKind

from choreomon.agent_files.clocks.text import (
    HEADER,
    Carried,
    decode_carried_untrusted,
    encode_carried,
)
from choreomon.core.errors import MalformedMessage
from choreomon.opentelemetry.attempts import told
from choreomon.opentelemetry.headers import headers_in, headers_to, read, write
from choreomon.opentelemetry.installed import installed
from choreomon.opentelemetry.records import baggage_in, record_of
from choreomon.sdk.carriers import (
    BAGGAGE,
    extract_baggage_untrusted,
)

_SENDING: Final = (SpanKind.CLIENT, SpanKind.PRODUCER)
_ARRIVED: Final = create_key("choreomon")


_WRITTEN: Final[ContextVar[tuple[int, str | None]]] = ContextVar("choreomon", default=(0, None))
"""The last span for which a header was written here, and that."""


class Arrived:
    """The header that came with a message, until the span of its handling takes it. `carried`: None
    where nothing readable came; `malformed`: whether something else did; `headers`: those that the
    mapping asks for."""

    __slots__ = ("carried", "headers", "malformed", "taken")

    def __init__(self, carried: Carried | None, headers: dict[str, str], malformed: bool) -> None:
        self.carried = carried
        self.headers = headers
        self.malformed = malformed
        self.taken = False


def arrived_in(context: Context | None) -> Arrived | None:
    """Take what was extracted into a context, unless a span has taken it."""
    found = get_value(_ARRIVED, context)
    if not isinstance(found, Arrived) or found.taken:
        return None
    found.taken = True
    return found


class Propagator(TextMapPropagator):
    """Tells of a message that leaves, and writes the header; reads what came with one."""

    def inject(
        self,
        carrier: Any,
        context: Context | None = None,
        setter: Setter[Any] = default_setter,
    ) -> None:
        """Raises `AgentUnavailable`, and nothing else: then the message must not leave."""
        telling = installed()
        span: Any = trace.get_current_span(context)
        if telling is None or getattr(span, "kind", None) not in _SENDING:
            return
        if _same_message(span, carrier):
            return
        record = record_of(span)
        if telling.headers:
            record["headers"] = headers_to(carrier, telling.headers)
        if telling.baggage:
            record["baggage"] = baggage_in(context, telling.baggage)
        in_baggage = "mcp.method.name" in span.attributes
        carried = telling.sending(record)
        write(carrier, carried, setter, in_baggage=in_baggage)
        _WRITTEN.set((span.context.span_id, None if carried is None else encode_carried(carried)))
        told(span)

    def extract(
        self,
        carrier: Any,
        context: Context | None = None,
        getter: Getter[Any] = default_getter,
    ) -> Context:
        """Raises nothing."""
        found = get_current() if context is None else context
        telling = installed()
        if telling is None:
            return found
        carried, malformed = None, False
        try:
            carried = _carried(carrier, getter)
        except MalformedMessage:
            malformed = True
        if baggage.get_baggage(HEADER, found) is not None:
            # It is about this message alone, and would travel on with all that come of it.
            found = baggage.remove_baggage(HEADER, found)
        headers = headers_in(carrier, getter, telling.headers) if telling.headers else {}
        return set_value(_ARRIVED, Arrived(carried, headers, malformed), found)

    @property
    def fields(self) -> set[str]:
        return {HEADER}


def _same_message(span: Any, carrier: Any) -> bool:
    """Tell whether a span is within another one of the same message, as where a channel and the one
    within it are instrumented: the header is there already, and the span around it wrote it."""
    around, header = _WRITTEN.get()
    if span.parent is None or span.parent.span_id != around or header is None:
        return False
    return headers_to(carrier, (HEADER,)) == {HEADER: header}


def _carried(carrier: Any, getter: Getter[Any]) -> Carried | None:
    """Return what came with a message; None where nothing did. Raises `MalformedMessage`, also
    where two different headers came: nobody knows which one is right."""
    values = read(carrier, getter, HEADER)
    if not values:
        members = [each for each in read(carrier, getter, BAGGAGE) if isinstance(each, str | bytes)]
        return extract_baggage_untrusted([(BAGGAGE, each) for each in members])
    texts = {each.decode("latin-1") if isinstance(each, bytes) else each for each in values}
    if len(texts) > 1 or not isinstance(text := texts.pop(), str):
        raise MalformedMessage("several headers, or none that is text")
    return decode_carried_untrusted(text)
